"""Habr by its JSON door."""

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
from inforadar.domain.ports import Answer
from inforadar.sources.habr import Habr
from inforadar.sources.habr_html import HabrHtml

TOP, NEXT = Position(size=20), Position(offset=20, size=20)
JSON_TYPE = {"content-type": "application/json; charset=utf-8"}
FOLDER = "articles_sinks/habr"


def answer(body: Any, status: int = 200, url: str = "https://habr.com/ru/articles/", **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Answer(status=status, headers=headers, body=raw, url=url)


def publication(number: int, at: str | None = "2026-08-07T16:07:37+00:00", **fields: Any) -> dict[str, Any]:
    return {"id": str(number), "timePublished": at, "titleHtml": f"Title {number}", "postType": "article", **fields}


def listing(*publications: dict[str, Any], pages: int | None = 3, old_names: bool = False) -> Answer:
    ids, refs = ("articleIds", "articleRefs") if old_names else ("publicationIds", "publicationRefs")
    body = {"pagesCount": pages, ids: [p["id"] for p in publications], refs: {p["id"]: p for p in publications}}
    return answer(body, **JSON_TYPE)


def read(*publications: dict[str, Any], position: Position = TOP, **told: Any) -> Page:
    return Habr().read(listing(*publications, **told), position)


def test_the_order_is_that_of_the_ids_list_and_never_of_the_ids() -> None:
    newer, older = publication(557242, "2026-01-02T00:00:00+00:00"), publication(561010, "2026-01-01T00:00:00+00:00")
    page = read(newer, older)
    assert [draft.key for draft in page.drafts] == ["557242", "561010"]
    assert page.drafts[0].rank == datetime(2026, 1, 2, tzinfo=UTC)


def test_both_spellings_of_the_lists_names_are_read() -> None:
    assert read(publication(1), publication(2), old_names=True) == read(publication(1), publication(2))


def test_a_recorded_publication_gives_its_metadata(samples: Path) -> None:
    recorded = json.loads((samples / FOLDER / "kek_article_2026-08_news_1068052_trimmed.json").read_text())
    (draft,) = read(recorded).drafts
    assert draft.url == "https://habr.com/ru/news/1068052/"
    assert draft.title.startswith("Claude Opus 5 удалила данные")
    assert {name: draft.data[name] for name in ("views", "comments", "rating", "bookmarks", "author")} == {
        "views": 571,
        "comments": 9,
        "rating": 1,
        "bookmarks": 1,
        "author": "denis-19",
    }
    assert draft.data["tags"] == ["Claude Opus 5", "rm -rf"]
    assert draft.data["hubs"] == ["artificial_intelligence", "infosecurity"]
    assert draft.data["snippet"].endswith("перепутал правильное написание каталога.")


def test_a_post_without_a_title_takes_its_first_words(samples: Path) -> None:
    stored = json.loads((samples / FOLDER / "resident234_post-page_PINIA_articlesList.json").read_text())
    (draft,) = read(stored["articlesList"]["1064400"]).drafts
    assert draft.title == "Китайская память не снизила цены на рынке, но стала ценным активом 🌟"
    assert draft.url == "https://habr.com/ru/companies/ruvds/posts/1064400/"
    assert (draft.company, draft.company_key) == ("RUVDS.com", "ruvds")
    assert draft.data["rating"] == 26
    assert "ruvds" not in draft.data["hubs"]


def test_titles_lose_their_markup() -> None:
    (draft,) = read(publication(1, titleHtml='<em class="searched-item">C++</em>&nbsp;&amp; Go')).drafts
    assert draft.title == "C++ & Go"


def test_what_habr_leaves_out_is_absent_and_not_empty() -> None:
    (draft,) = read(publication(1, author=None, tags=[], hubs=None, leadData=None, statistics=None)).drafts
    assert draft.data == {"type": "article"}


def test_a_negative_rating_and_a_zero_are_values() -> None:
    (draft,) = read(publication(1, statistics={"score": -7, "commentsCount": 0, "readingCount": "12"})).drafts
    assert (draft.data["rating"], draft.data["comments"], "views" in draft.data) == (-7, 0, False)


def test_drafts_without_time_and_broken_entries_are_counted() -> None:
    body = {
        "publicationIds": ["1", "2", "3", None, 5],
        "publicationRefs": {"1": publication(1), "2": publication(2, None), "5": publication(5)},
    }
    page = Habr().read(answer(body, **JSON_TYPE), TOP)
    assert [draft.key for draft in page.drafts] == ["1", "5"]
    assert (page.undated, page.unreadable, page.is_last) == (1, 2, None)


def test_the_end_is_told_by_the_number_of_pages_or_an_empty_list() -> None:
    assert read(publication(1), pages=2).is_last is False
    assert read(publication(1), pages=2, position=NEXT).is_last is True
    assert (
        Habr().read(answer({"pagesCount": 0, "publicationIds": [], "publicationRefs": []}, **JSON_TYPE), NEXT).is_last
        is True
    )


def test_a_list_as_long_as_the_cap_may_go_on_behind_it() -> None:
    page = read(publication(1), pages=50, position=Position(offset=980, size=20))
    assert page.is_last is None


def test_a_404_is_the_end_behind_the_top_and_a_wrong_name_at_it(samples: Path) -> None:
    missing = answer((samples / FOLDER / "habrachan_kek_article_failure_404.json").read_bytes(), 404, **JSON_TYPE)
    assert Habr().read(missing, NEXT) == Page(drafts=(), is_last=True)
    with pytest.raises(Refused, match="`hub`"):
        Habr().read(missing, TOP)
    assert Habr().read_detail(missing).availability == "gone"


def test_a_page_for_browsers_instead_of_data_is_a_block() -> None:
    with pytest.raises(Refused):
        Habr().read(answer("<html>qrator</html>", **{"content-type": "text/html"}), TOP)
    with pytest.raises(Refused):
        Habr().read_detail(answer("<html>qrator</html>", **{"Content-Type": "text/html"}))


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"code": 500}', b'{"publicationRefs": {}}', b'{"a":' * 50_000, b'{"publicationIds": NaN}'],
)
def test_what_is_no_list_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        Habr().read(answer(body, **JSON_TYPE), TOP)


def test_statuses_become_our_errors() -> None:
    for status, kind in ((429, RateLimited), (403, Refused), (502, Unavailable)):
        with pytest.raises(kind):
            Habr().read(answer("<html>", status), TOP)


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        ({}, {"fl": "ru", "hl": "ru", "sort": "rating"}),
        ({"hub": "python"}, {"hub": "python", "fl": "ru", "hl": "ru", "sort": "all"}),
        ({"hub": "python", "score": 25}, {"hub": "python", "fl": "ru", "hl": "ru", "score": "25", "sort": "rating"}),
        ({"flow": "backend", "fl": ["ru", "en"]}, {"flow": "backend", "fl": "ru,en", "hl": "ru", "sort": "rating"}),
        ({"query": "postgres", "hl": "en"}, {"query": "postgres", "fl": "ru", "hl": "en", "order": "date"}),
        ({"news": True, "score": "0"}, {"news": "true", "fl": "ru", "hl": "ru", "sort": "rating"}),
    ],
)
def test_the_json_door_is_asked_newest_first(params: dict[str, Any], sent: dict[str, str]) -> None:
    request = Habr().request(params, Position(offset=100, size=50))
    assert request.path == "/kek/v2/articles/"
    assert dict(request.params) == {**sent, "page": "3", "perPage": "50"}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"hubs": "python"}, "`hub`"),
        ({"hub": ["python", "go"]}, "one query for each"),
        ({"hub": "https://habr.com/ru/hubs/python/"}, "Habr's address"),
        ({"score": 7}, "0, 10, 25, 50, 100"),
        ({"fl": "russian"}, "`fl`"),
        ({"news": "maybe"}, "`news`"),
    ],
)
def test_wrong_parameters_are_named_with_a_remedy(params: dict[str, Any], words: str) -> None:
    (sentence,) = Habr().check(params)
    assert words in sentence


def test_good_parameters_pass_both_doors() -> None:
    params = {"hub": "3d-printers", "fl": "ru,en", "score": 10, "news": False}
    assert Habr().check(params) == HabrHtml().check(params) == ()


def test_a_publication_gives_its_full_text(samples: Path) -> None:
    body = (samples / FOLDER / "habrachan_kek_article_success_2021.json").read_bytes()
    detail = Habr().read_detail(answer(body, **JSON_TYPE))
    assert detail.availability == "alive"
    assert detail.full_text is not None
    assert "Не умеет делать закладки в браузере\n" in detail.full_text
    assert (detail.data["views"], detail.data["author"]) == (1558, "SAU24")


def test_answers_about_rights_give_no_verdict() -> None:
    for status, body in ((451, {}), (403, {"code": 403}), (404, {"code": "POST_TYPE_MISMATCH"})):
        assert Habr().read_detail(answer(body, status, **JSON_TYPE)).availability == "no verdict"
    with pytest.raises(Refused):
        Habr().read_detail(answer("<html>", 403))


def test_the_fallback_is_the_html_door_with_a_fixed_page() -> None:
    fallback = Habr().fallback
    assert isinstance(fallback, HabrHtml)
    assert (fallback.name, fallback.paging.size, fallback.paging.largest_size) == ("habr", 20, 20)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [
    "id",
    "timePublished",
    "titleHtml",
    "leadData",
    "author",
    "statistics",
    "hubs",
    "tags",
    "postType",
    "textHtml",
    "publicationType",
]


@given(st.binary(max_size=300), st.sampled_from([200, 302, 403, 404, 429, 451, 500]), st.booleans())
def test_no_bytes_break_the_parser(body: bytes, status: int, is_json: bool) -> None:
    shown = answer(body, status, **(JSON_TYPE if is_json else {}))
    for reading in (lambda a: Habr().read(a, TOP), Habr().read_detail):
        with suppress(SourceError):
            reading(shown)


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), ANY_JSON), max_size=4), ANY_JSON)
def test_no_json_breaks_the_parser(entries: list[dict[str, Any]], pages: Any) -> None:
    refs = {str(n): publication(n) | entry for n, entry in enumerate(entries)}
    body = {"pagesCount": pages, "publicationIds": list(refs), "publicationRefs": refs}
    with suppress(SourceError):
        assert Habr().read(answer(body, **JSON_TYPE), TOP).entries == len(entries)
    for entry in refs.values():
        with suppress(SourceError):
            Habr().read_detail(answer(entry, **JSON_TYPE))
