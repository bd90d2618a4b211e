"""LinkedIn's guest pages: cards, walls, ends and postings."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.errors import RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Detail
from inforadar.sources.linkedin import LinkedIn

TOP, NEXT = Position(size=10), Position(offset=10, size=10)
SEARCH_URL = "https://www.linkedin.com/jobs-guest/jobs/api/seeMoreJobPostings/search?start=0"
SEARCHES = [
    "linkedin/card_listdate-new_2026-08-13.html",
    "linkedin/search_2024-08_se_mixed-a-div-cards.html",
    "linkedin/search_2026-06_au_quality.html",
]
POSTINGS = [
    "linkedin/detail_closed_kindA_banner_2026-08.html",
    "linkedin/detail_guestapi_2026-06_4406118990_fullrender.html",
    "linkedin/detail_open_condensed_2026-08.html",
    "linkedin/view_page_2026-08_4411867124_with-related-cards.html",
]
DIV_CARD = """<li><div class="base-card base-search-card job-search-card" data-entity-urn="urn:li:jobPosting:{id}">
 <a class="base-card__full-link" href="https://es.linkedin.com/jobs/view/dev-at-acme-{id}?position=1&amp;refId=x">
  <span class="sr-only">Dev</span></a>
 <h3 class="base-search-card__title"> Dev &amp; Ops </h3>
 <h4 class="base-search-card__subtitle">
  <a class="hidden-nested-link" href="https://es.linkedin.com/company/acme?trk=x">Acme</a></h4>
 <span class="job-search-card__location">Madrid, Spain</span>
 <span class="job-search-card__salary-info">€40K - €50K</span>
 <time class="job-search-card__listdate--new" datetime="2026-06-04">1 hour ago</time></div></li>"""
A_CARD = """<li><a class="base-card base-search-card job-search-card" href="/jobs/view/registrator-{id}?trk=x#top"
 data-entity-urn="urn:li:jobPosting:{id}">
 <h3 class="base-search-card__title">Registrator</h3><h4 class="base-search-card__subtitle">Uppsala kommun</h4>
 <time datetime="2026-06-03T10:00:00.000Z">x</time></a></li>"""


def answer(body: str | bytes, status: int = 200, url: str = SEARCH_URL, **headers: str) -> Answer:
    return Answer(status=status, headers=headers, body=body if isinstance(body, bytes) else body.encode(), url=url)


def read(body: str | bytes, position: Position = TOP, **told: Any) -> Page:
    return LinkedIn().read(answer(body, **told), position)


def posting(body: str, **told: Any) -> Detail:
    return LinkedIn().read_detail(answer(body, **told))


@pytest.mark.parametrize("name", SEARCHES)
def test_the_recorded_searches_give_the_expected_cards(samples: Path, name: str) -> None:
    expected = json.loads((samples / "jobboards/EXPECTED.json").read_text())[name]
    page = read((samples / "jobboards" / name).read_bytes())
    shown = [
        {
            "id": draft.key,
            "title": draft.title,
            "company": draft.company,
            "company_url": draft.data.get("company_url"),
            "location": draft.data["place"],
            "date": draft.rank.date().isoformat(),
            "url": draft.url,
            "badges": draft.data.get("badges", []),
        }
        for draft in page.drafts
    ]
    wanted = [{k: v for k, v in item.items() if k not in ("card_tag", "date_class")} for item in expected["items"]]
    assert shown == wanted
    assert (len(page.drafts), page.unreadable, page.undated, page.is_last) == (expected["n"], 0, 0, None)


@pytest.mark.parametrize("name", POSTINGS)
def test_the_recorded_postings_give_the_expected_fields(samples: Path, name: str) -> None:
    expected = json.loads((samples / "jobboards/EXPECTED.json").read_text())[name]
    detail = posting((samples / "jobboards" / name).read_text())
    for field in ("title", "company", "posted", "applicants", "full_render", "closed"):
        assert detail.data.get(field) == expected[field], field
    assert detail.data.get("place") == expected["location"]
    assert detail.data.get("criteria", {}) == expected["criteria"]
    assert len(detail.full_text or "") == expected["description_chars"]
    assert detail.availability == {True: "gone", False: "alive", None: "no verdict"}[expected["closed"]]


def test_the_related_jobs_of_a_posting_are_no_results(samples: Path) -> None:
    with pytest.raises(Unreadable, match="one posting"):
        read((samples / "jobboards" / POSTINGS[3]).read_bytes())


def test_both_kinds_of_card_are_read_in_their_order() -> None:
    page = read("<!DOCTYPE html>" + DIV_CARD.format(id=11) + A_CARD.format(id=12))
    first, second = page.drafts
    assert (first.key, first.title, first.company, first.company_key) == ("11", "Dev & Ops", "Acme", "acme")
    assert first.url == "https://es.linkedin.com/jobs/view/dev-at-acme-11"
    assert first.data == {
        "place": "Madrid, Spain",
        "salary_text": "€40K - €50K",
        "company_url": "https://es.linkedin.com/company/acme",
    }
    assert first.rank == datetime(2026, 6, 4, tzinfo=UTC)
    assert (second.key, second.company, second.company_key) == ("12", "Uppsala kommun", None)
    assert second.url == "https://www.linkedin.com/jobs/view/registrator-12"
    assert second.rank == datetime(2026, 6, 3, tzinfo=UTC)


def test_a_link_that_is_no_web_address_is_replaced() -> None:
    card = A_CARD.format(id=5).replace("/jobs/view/registrator-5?trk=x#top", "javascript:alert(1)")
    assert read(card).drafts[0].url == "https://www.linkedin.com/jobs/view/5"


def test_related_cards_beside_the_results_are_left_out() -> None:
    urn = 'data-entity-urn="urn:li:jobPosting:99"'
    day = '<time datetime="2026-06-04"></time>'
    related = f'<aside><div class="base-card base-main-card main-job-card" {urn}><h3>x</h3>{day}</div></aside>'
    page = read(DIV_CARD.format(id=1) + related)
    assert ([draft.key for draft in page.drafts], page.entries) == (["1"], 1)


def test_broken_cards_are_counted_and_the_rest_is_kept() -> None:
    undated = DIV_CARD.format(id=2).replace("datetime=", "data-was=")
    untitled = '<li><div class="base-search-card" data-entity-urn="urn:li:jobPosting:3"></div></li>'
    unnumbered = DIV_CARD.format(id="x")
    page = read(DIV_CARD.format(id=1) + undated + untitled + unnumbered)
    assert ([draft.key for draft in page.drafts], page.undated, page.unreadable) == (["1"], 1, 2)


@pytest.mark.parametrize(
    "body", ["", "<!DOCTYPE html>\n\n<!---->", "<ul></ul>", "<html><head><title>x</title></head><body></body></html>"]
)
def test_nothing_shown_is_the_end(body: str) -> None:
    assert read(body, NEXT) == Page(drafts=(), is_last=True)


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><h1>Join LinkedIn</h1><form action='/signup'></form></body></html>",
        "<html><head><script>window.location.href='https://www.linkedin.com/authwall?trk=x'</script></head></html>",
        "<html><body><form><input name='session_key'></form>Sign in</body></html>",
        "<html><body>Let's do a quick security check <div id='captcha'></div></body></html>",
    ],
)
def test_a_wall_is_a_block_and_not_the_end(body: str) -> None:
    for position in (TOP, NEXT):
        with pytest.raises(Refused, match="login wall"):
            read(body, position)
    with pytest.raises(Refused, match="login wall"):
        posting(body)


@pytest.mark.parametrize(
    "path", ["authwall?trk=x", "signup/cold-join", "uas/login?x=1", "checkpoint/challenge/1", "login"]
)
def test_a_redirect_to_a_wall_is_a_block(path: str) -> None:
    with pytest.raises(Refused):
        read("", NEXT, url=f"https://www.linkedin.com/{path}")
    with pytest.raises(Refused):
        read("", NEXT, status=302, location=f"https://www.linkedin.com/{path}")


def test_a_job_about_logins_is_no_wall() -> None:
    card = DIV_CARD.format(id=1).replace("Dev &amp; Ops", "Sign in and captcha challenge engineer")
    assert len(read(card).drafts) == 1


def test_an_unknown_page_is_unreadable() -> None:
    for body in ("<html><body><p>Something went wrong</p></body></html>", '{"error": 1}', b"\xff\xfe\x00garbage"):
        with pytest.raises(Unreadable):
            read(body, NEXT)
    with pytest.raises(Unreadable, match="one posting"):
        read(DIV_CARD.format(id=1), url="https://www.linkedin.com/jobs/view/dev-1")


def test_a_400_is_the_end_only_behind_the_top() -> None:
    assert read("", Position(offset=1000, size=10), status=400).is_last is True
    with pytest.raises(Unreadable):
        read("", TOP, status=400)


@pytest.mark.parametrize("status", [429, 999])
def test_too_many_requests_is_a_rate_limit(status: int) -> None:
    with pytest.raises(RateLimited):
        read("", status=status)
    with pytest.raises(RateLimited):
        posting("", status=status)


def test_an_outage_is_an_outage() -> None:
    with pytest.raises(Unavailable):
        read("<html>oops", status=503)


def test_a_search_is_always_asked_newest_first_from_its_offset() -> None:
    params = {"keywords": "python", "f_WT": ["2", "3"], "sortBy": "R", "start": "5"}
    request = LinkedIn(language="es-ES").request(params, Position(offset=30, size=10))
    assert request.path == "/jobs-guest/jobs/api/seeMoreJobPostings/search"
    assert request.params == (("keywords", "python"), ("f_WT", "2,3"), ("sortBy", "DD"), ("start", "30"))
    assert request.headers["Accept-Language"] == "es-ES"
    assert LinkedIn().detail_request("4", "").path == "/jobs-guest/jobs/api/jobPosting/4"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"keyword": "x"}, "`keywords`"),
        ({"sortBy": "R"}, "`sortBy`"),
        ({"f_TPR": "week"}, "`r604800`"),
        ({"start": 5}, "`start`"),
    ],
)
def test_wrong_parameters_are_named_with_a_remedy(params: dict[str, Any], words: str) -> None:
    (sentence,) = LinkedIn().check(params)
    assert words in sentence


def test_good_parameters_pass() -> None:
    assert LinkedIn().check({"keywords": "python", "location": "Madrid", "f_TPR": "r86400", "f_WT": [2]}) == ()


TITLE = '<h2 class="top-card-layout__title">AI Developer</h2>'
MODAL = '<div class="contextual-sign-in-modal"></div>'
EMPTY_BUTTONS = '<div class="top-card-layout__cta-container"><!----></div>'
APPLY = (
    '<div class="top-card-layout__cta-container"><button class="top-card-layout__cta--primary">Solicitar</button></div>'
)


@pytest.mark.parametrize(
    ("body", "availability"),
    [
        (TITLE + MODAL + EMPTY_BUTTONS, "gone"),
        (TITLE + EMPTY_BUTTONS, "no verdict"),
        (TITLE + MODAL, "no verdict"),
        (TITLE + APPLY, "alive"),
        (TITLE + MODAL + APPLY + "<p>No longer accepting applications</p>", "alive"),
        (TITLE + APPLY + '<figure class="closed-job"></figure>', "gone"),
    ],
)
def test_open_and_closed_are_told_by_marks_and_not_by_words(body: str, availability: str) -> None:
    assert posting(body).availability == availability


def test_a_posting_that_is_not_there_is_gone() -> None:
    assert posting("", status=404).availability == "gone"
    assert posting("", url="https://www.linkedin.com/jobs/x?trk=expired_jd_redirect").availability == "gone"


@given(st.binary(max_size=300), st.sampled_from([200, 302, 400, 403, 404, 429, 500, 999]), st.sampled_from([TOP, NEXT]))
def test_no_bytes_break_the_parser(body: bytes, status: int, position: Position) -> None:
    for reading in (lambda a: LinkedIn().read(a, position), LinkedIn().read_detail):
        with suppress(SourceError):
            reading(answer(body, status))


ODD_CARD = """<div data-entity-urn="urn:li:jobPosting:7"><h3>x</h3><h4><a href="//[/company/a">y</a></h4>
<time datetime="2026-13-40"></time></div>"""
PIECES = st.sampled_from(
    [DIV_CARD, A_CARD, ODD_CARD, TITLE, "<li>", "</div>", "data-entity-urn='urn:li:jobPosting:5'", "<a href='http://[x'>",
     "<time datetime='", "<", ">", "'", "\x00", "&#0;"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join))
def test_no_markup_breaks_the_parser(body: str) -> None:
    with suppress(SourceError):
        page = read(body)
        assert all(draft.url.startswith("https://") and draft.title for draft in page.drafts)


def test_a_page_of_scripts_without_words_is_no_end_of_the_list() -> None:
    body = (
        b"<html><head><title>Just a moment</title></head><body><noscript></noscript><script>x()</script></body></html>"
    )
    with pytest.raises((Refused, Unreadable)):
        LinkedIn().read(answer(body), Position(offset=10, size=10))
