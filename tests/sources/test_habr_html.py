"""Habr by its HTML pages: the embedded data and the cards of the three layouts."""

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
from inforadar.sources.habr_html import HabrHtml

TOP, NEXT = Position(size=20), Position(offset=20, size=20)
FOLDER = "articles_sinks/habr"


def answer(body: str | bytes, status: int = 200, url: str = "https://habr.com/ru/articles/") -> Answer:
    return Answer(status=status, headers={}, body=body if isinstance(body, bytes) else body.encode(), url=url)


def publication(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": str(number), "timePublished": "2026-08-07T16:07:37+00:00", "titleHtml": f"Title {number}", **fields}


def read_html(body: str | bytes, position: Position = TOP, **told: Any) -> Page:
    return HabrHtml().read(answer(body, **told), position)


def state(publications: list[dict[str, Any]], name: str = "__PINIA_STATE__", **more: Any) -> str:
    stored = {
        "articlesList": {p["id"]: p for p in publications},
        "articlesIds": {"ARTICLES_LIST_ALL": [p["id"] for p in publications], **more},
        "pagesCount": {"ARTICLES_LIST_ALL": 2},
    }
    return f"<script>window.{name}={json.dumps({'articlesList': stored})};(function(){{}}());</script>"


@pytest.mark.parametrize(
    ("params", "position", "path"),
    [
        ({}, TOP, "/ru/articles/"),
        ({}, NEXT, "/ru/articles/page2/"),
        ({"hub": "python"}, NEXT, "/ru/hubs/python/articles/page2/"),
        ({"flow": "backend", "score": 10}, TOP, "/ru/flows/backend/articles/rated10/"),
        ({"company": "ruvds", "hl": "en"}, TOP, "/en/companies/ruvds/articles/"),
        ({"news": "true"}, NEXT, "/ru/news/page2/"),
        ({"query": "a b"}, NEXT, "/ru/search/page2/"),
        ({"hub": "../../x?y"}, TOP, "/ru/hubs/..%2F..%2Fx%3Fy/articles/"),
    ],
)
def test_the_html_door_has_an_address_for_each_list(params: dict[str, Any], position: Position, path: str) -> None:
    assert HabrHtml().request(params, position).path == path


def test_the_recorded_list_page_of_2021_is_read(samples: Path) -> None:
    page = read_html((samples / FOLDER / "habrachan_list_page_2021-06-06.html").read_bytes())
    assert (len(page.drafts), page.unreadable, page.undated, page.is_last) == (20, 0, 0, False)
    ranks = [draft.rank for draft in page.drafts]
    assert ranks == sorted(ranks, reverse=True)
    first, second, company = page.drafts[0], page.drafts[1], page.drafts[6]
    assert (first.key, first.title, first.data["author"]) == ("561216", "Актуальность принципов SOLID", "Cuckooshka")
    assert first.url == "https://habr.com/ru/articles/561216/"
    assert (first.data["rating"], first.data["bookmarks"], first.data["comments"]) == (11, 28, 11)
    assert "views" not in first.data, "2.9K is rounded"
    assert (second.data["views"], second.data["rating"]) == (526, -1)
    assert company.url == "https://habr.com/ru/companies/ruvds/articles/557670/"
    assert (company.company, company.company_key) == ("RUVDS.com", "ruvds")
    assert first.data["hubs"] == ["programming", "complete_code", "refactoring"]


def test_a_recorded_card_of_2023_is_read(samples: Path) -> None:
    (draft,) = read_html((samples / FOLDER / "card_2023-02_L1_article.html").read_bytes()).drafts
    assert (draft.key, draft.title, draft.url) == ("717862", "Как я делаю OCR", "https://habr.com/ru/articles/717862/")
    assert draft.rank == datetime(2023, 2, 19, 11, 17, 42, tzinfo=UTC)
    snippet = draft.data["snippet"]
    assert snippet.startswith("Привет меня зовут Игорь")
    assert {**draft.data, "snippet": ""} == {
        "views": 376,
        "comments": 1,
        "rating": 1,
        "bookmarks": 4,
        "hubs": ["machine_learning"],
        "author": "SmallDonkey",
        "snippet": "",
        "type": "article",
    }


L2_NEWS = """<article id="{id}" class="tm-articles-list__item"><div class="tm-article-snippet">
<span class="tm-user-info__user"><a href="/ru/users/maybe_elf/" class="tm-user-info__username">maybe_elf<!----></a>
<a href="/ru/news/{id}/" class="tm-article-datetime-published tm-article-datetime-published_link">
<time datetime="2025-09-01T10:00:00.000Z">x</time></a></span>
<h2 class="tm-title tm-title_h2"><a href="/ru/news/{id}/" class="tm-title__link"><span>Новость дня</span></a></h2>
<span class="tm-icon-counter"><svg><title>Количество просмотров</title></svg>
<span class="tm-icon-counter__value" title="3294">3.3K</span></span>
<a href="/ru/hubs/hardware/" class="tm-publication-hub__link"><span>Железо</span>
<span class="tm-article-snippet__profiled-hub"> * </span></a>
<div class="article-formatted-body"><p>Lead</p></div></div>
<span class="tm-votes-meter__value" title="Всего голосов 8: ↑1 и ↓7">\u22126</span>
<span class="bookmarks-button__counter" title="Количество пользователей">2</span>
<span class="tm-article-comments-counter-link__value"> Комментарии 12 </span></article>"""
L3_POST = """<article id="{id}" class="tm-articles-list__item"><div class="tm-post-snippet">
<a href="/ru/companies/acme/posts/{id}/" class="tm-article-datetime-published tm-article-datetime-published_link">
<time datetime="2026-04-01T10:00:00.000Z">x</time></a>
<span class="tm-icon-counter reach-counter"><svg><title>Охват и читатели</title></svg>
<span class="tm-icon-counter__value" title="4619">4.6K</span></span>
<a href="/ru/companies/acme/posts/" class="tm-publication-hub__link"><span>Блог компании Acme</span></a>
<div class="article-formatted-body"><p><strong>Первая строка поста</strong> 🌟</p><p>Дальше</p></div></div>
<div class="tm-articles-list__item-footer"><span class="tm-votes-meter__value">+12</span>
<button class="bookmarks-button" title="Добавить в закладки">
<span class="counter" title="Количество">1.2K</span></button>
<a href="/ru/companies/acme/posts/{id}/comments/" class="article-comments-counter-link">
<span class="value">7</span></a></div></article>"""
AD = '<article class="tm-articles-list__item"><a href="https://ads.example/">Реклама</a></article>'


def test_a_card_of_the_second_layout_is_read_with_its_exact_views() -> None:
    (draft,) = read_html(L2_NEWS.format(id=9)).drafts
    assert (draft.title, draft.url) == ("Новость дня", "https://habr.com/ru/news/9/")
    assert draft.data == {
        "views": 3294,
        "comments": 12,
        "rating": -6,
        "bookmarks": 2,
        "hubs": ["hardware"],
        "author": "maybe_elf",
        "snippet": "Lead",
        "type": "news",
    }


def test_a_post_of_the_third_layout_has_reach_and_no_views() -> None:
    (draft,) = read_html(L3_POST.format(id=8)).drafts
    assert draft.title == "Первая строка поста 🌟"
    assert draft.url == "https://habr.com/ru/companies/acme/posts/8/"
    assert (draft.company, draft.company_key) == ("Acme", "acme")
    assert draft.data["reach"] == 4619
    assert "views" not in draft.data
    assert (draft.data["rating"], draft.data["comments"]) == (12, 7)
    assert "bookmarks" not in draft.data, "1.2K is rounded"


def test_advertisements_are_skipped_and_broken_cards_counted(samples: Path) -> None:
    broken = L2_NEWS.format(id=1).replace("<p>Lead</p>", "").replace("<span>Новость дня</span>", "")
    undated = L2_NEWS.format(id=2).replace('datetime="2025', 'datetime="none')
    skeleton = (samples / FOLDER / "card_2026-09_L3_feed_skeleton.html").read_text()
    page = read_html(L2_NEWS.format(id=3) + AD + broken + undated + skeleton)
    assert ([draft.key for draft in page.drafts], page.unreadable, page.undated) == (["3"], 2, 1)


@pytest.mark.parametrize("name", ["__INITIAL_STATE__", "__PINIA_STATE__"])
def test_the_list_embedded_in_a_page_gives_exact_values(name: str) -> None:
    exact = publication(9, postType="news", statistics={"readingCount": 5240, "reach": 4619})
    page = read_html(L2_NEWS.format(id=9) + state([exact, publication(4)], name))
    assert [draft.key for draft in page.drafts] == ["9", "4"]
    assert page.drafts[0].data["views"] == 5240
    assert page.is_last is False


def test_of_several_embedded_lists_the_one_shown_is_taken() -> None:
    shown, other = publication(9), publication(4)
    page = read_html(
        L2_NEWS.format(id=9) + state([other, shown], MOST_READ=["4"], HUB=["9"]).replace('["4", "9"]', "[]")
    )
    assert [draft.key for draft in page.drafts] == ["9"]


def test_an_embedded_state_without_the_list_leaves_the_cards() -> None:
    for script in (
        "<script>window.__PINIA_STATE__={broken</script>",
        state([]),
        '<script>window.__PINIA_STATE__={"a":NaN}</script>',
    ):
        assert [draft.key for draft in read_html(L2_NEWS.format(id=9) + script).drafts] == ["9"]


def test_the_html_end_is_a_page_without_next_link_an_empty_page_or_a_404() -> None:
    last = '<div class="tm-pagination"><div id="pagination-next-page" rel="next">There</div></div>'
    more = '<div class="tm-pagination"><a id="pagination-next-page" rel="next" href="/ru/all/page2/">There</a></div>'
    assert read_html(L2_NEWS.format(id=9) + last).is_last is True
    assert read_html(L2_NEWS.format(id=9) + more).is_last is False
    assert read_html(L2_NEWS.format(id=9)).is_last is None
    assert read_html('<div class="tm-empty-placeholder">К сожалению</div>', NEXT).is_last is True
    assert read_html("", NEXT, status=404).is_last is True
    with pytest.raises(Refused, match="`hub`"):
        read_html("", TOP, status=404)


def test_the_last_of_the_pages_habr_shows_is_not_the_end_of_the_list() -> None:
    current = '<span class="tm-pagination__page_current"> 50 </span>'
    capped = f'<div class="tm-pagination">{current}<div id="pagination-next-page"></div></div>'
    assert read_html(L2_NEWS.format(id=9) + capped, Position(offset=980, size=20)).is_last is None


def test_a_robot_check_is_a_block_and_another_page_is_unreadable(samples: Path) -> None:
    with pytest.raises(Refused):
        read_html("<html><script src='/__qrator/qauth.js'></script></html>")
    with pytest.raises(Unreadable):
        read_html("<html><body>hello</body></html>")
    with pytest.raises(Unreadable):
        read_html((samples / FOLDER / "resident234_post-page-full.html").read_bytes())


def test_the_html_page_of_a_publication_gives_its_text(samples: Path) -> None:
    body = (samples / FOLDER / "resident234_post-page-full.html").read_text()
    url = "https://habr.com/ru/companies/ruvds/posts/1064400/"
    exact = HabrHtml().read_detail(answer(body, url=url))
    assert exact.data["views"] == 5240
    assert exact.full_text is not None
    assert exact.full_text.startswith("Китайская память не снизила цены")
    shown = HabrHtml().read_detail(answer(body.replace("__PINIA_STATE__", "__OTHER__"), url=url))
    assert shown.full_text is not None
    assert shown.full_text.startswith("Китайская память не снизила цены")
    assert HabrHtml().detail_request("1064400", url).path == "/ru/companies/ruvds/posts/1064400/"
    assert HabrHtml().read_detail(answer("", 404)).availability == "gone"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PIECES = st.sampled_from(
    [L2_NEWS, L3_POST, AD, "<article id='7' class='tm-articles-list__item'>", "<a href='//[/ru/news/1/'>", "<", "'"]
)


def test_a_page_in_another_encoding_is_unreadable_and_never_stored_broken() -> None:
    with pytest.raises(Unreadable, match="UTF-8"):
        read_html((L2_NEWS.format(id=9).replace("\u2212", "-").replace("↑", "").replace("↓", "")).encode("cp1251"))
    quoted = L2_NEWS.format(id=9).encode().replace(b"Lead", b"Le\xffad")
    assert read_html(quoted).drafts[0].data["snippet"] == "Le\ufffdad"


def test_the_languages_of_the_content_are_asked_for() -> None:
    assert HabrHtml().request({}, TOP).params == (("fl", "ru"),)
    assert HabrHtml().request({"query": "x", "fl": ["ru", "en"]}, TOP).params[:2] == (("fl", "ru,en"), ("q", "x"))


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (403, Refused), (502, Unavailable)])
def test_statuses_become_our_errors(status: int, kind: type[SourceError]) -> None:
    with pytest.raises(kind):
        read_html("<html>", status=status)


@given(
    st.binary(max_size=300) | st.lists(PIECES).map(lambda parts: "".join(parts).encode()),
    st.sampled_from([200, 302, 404, 451]),
)
def test_no_bytes_break_the_parser(body: bytes, status: int) -> None:
    for reading in (lambda a: HabrHtml().read(a, TOP), HabrHtml().read_detail):
        with suppress(SourceError):
            reading(answer(body, status))


@given(ANY_JSON, ANY_JSON, ANY_JSON)
def test_no_embedded_state_breaks_the_parser(stored: Any, ids: Any, pages: Any) -> None:
    lists = {
        "articlesList": {"1": stored, "2": publication(2)},
        "articlesIds": {"A": ids, "B": ["1", "2"]},
        "pagesCount": pages,
    }
    for script in (json.dumps({"articlesList": lists}), json.dumps({"articlesList": stored}), json.dumps(ids)):
        with suppress(SourceError):
            read_html(f"<article></article><script>window.__PINIA_STATE__={script}</script>")
