# ruff: noqa: E501 - recorded markup keeps its own line lengths
"""The HTML of Habr's lists in its three layouts (2021-2023, 2023-2025, 2026), and of one article."""

from datetime import datetime
from html import escape

from inforadar.simulator.entry import Counters, Entry, counters_at
from inforadar.simulator.making import full_text
from inforadar.simulator.vocabulary import HUBS_BY_ALIAS

KIND_LABELS = {"article": "Статья", "news": "Новость"}
ADVERTISEMENT = """<article class="tm-articles-list__item tm-articles-list__item_promo" tabindex="0">
<div class="tm-promo-block"><a href="https://habr.example/promo"><img alt="" src="/img/promo.png"></a></div></article>
"""
EMPTY = """<div class="tm-empty-placeholder"><div class="tm-empty-placeholder__container">
<p class="tm-empty-placeholder__text">К сожалению, здесь пока нет ни одной публикации</p></div></div>"""
BOOKMARKED = "Количество пользователей, добавивших публикацию в закладки"


def list_page(cards: list[str], path: str, page: int, pages: int) -> str:
    """A page of a list with its pagination; without cards it is the site's empty placeholder."""
    body = "".join(cards) + _pagination(path, page, pages) if cards else EMPTY
    return f"""<!DOCTYPE html>
<html lang="ru"><head><title>Публикации / Хабр</title></head><body>
<div class="tm-articles-list">{body}</div>
</body></html>
"""


def card(entry: Entry, layout: str, now: datetime) -> str:
    """One publication of a list."""
    counters = counters_at(entry, now)
    if layout == "L3":
        return _card_2026(entry, counters)
    inner = _inner_2021(entry, counters) if layout == "L1" else _inner_2023(entry, counters)
    return f"""<article id="{entry.id}" data-navigatable="" tabindex="0" class="tm-articles-list__item">\
<div class="tm-article-snippet tm-article-snippet">{inner}</div> \
<div class="tm-data-icons"><!----> {_votes(counters)} <!----> \
<button title="Добавить в закладки" type="button" class="bookmarks-button tm-data-icons__item">\
<span title="{BOOKMARKED}" class="bookmarks-button__counter">
    {counters.bookmarks}
  </span></button> {_comments_2021(entry, counters, layout)} <!----></div></article>
"""


def article_page(entry: Entry, now: datetime) -> str:
    """One publication's own page."""
    return f"""<!DOCTYPE html>
<html lang="ru"><body><div class="tm-article-presenter">{_author(entry, is_linked=True)}
<h1 class="tm-title tm-title_h1" lang="{entry.lang}"><span>{escape(entry.title)}</span></h1>
{_hubs_2023(entry)}
<div id="post-content-body"><div class="article-formatted-body article-formatted-body_version-2">{full_text(entry)}</div></div>
{_votes(counters_at(entry, now))}</div></body></html>
"""


def rounded(number: int) -> str:
    """A counter as the site rounds it: 376, 3.3K, 12K."""
    if number < 1000:
        return str(number)
    thousands = f"{number / 1000:.1f}" if number < 10_000 else str(number // 1000)
    return thousands.removesuffix(".0") + "K"


def link_of(entry: Entry, layout: str) -> str:
    """The path of a publication as a layout links it."""
    if layout == "L1":
        return f"/ru/post/{entry.id}/"
    return f"/ru/{'news' if entry.kind == 'news' else 'articles'}/{entry.id}/"


def _inner_2021(entry: Entry, counters: Counters) -> str:
    hubs = "".join(
        f'<span class="tm-article-snippet__hubs-item"><a href="/ru/hub/{alias}/" '
        f'class="tm-article-snippet__hubs-item-link"><span>{HUBS_BY_ALIAS[alias].title}</span> '
        '<span title="Профильный хаб" class="tm-article-snippet__profiled-hub">*</span></a></span>'
        for alias in entry.hubs
    )
    return f"""<div class="tm-article-snippet__meta-container"><div class="tm-article-snippet__meta">\
{_author(entry, is_linked=False)}</div> <!----></div> \
<h2 class="tm-article-snippet__title tm-article-snippet__title_h2"><a href="{link_of(entry, "L1")}" \
data-article-link="" class="tm-article-snippet__title-link"><span>{escape(entry.title)}</span></a></h2> \
<div class="tm-article-snippet__stats">{_reading_time(entry)} \
<span class="tm-icon-counter tm-data-icons__item"><span class="tm-icon-counter__value">{rounded(counters.views)}</span></span></div> \
<div class="tm-article-snippet__hubs-container"><div class="tm-article-snippet__hubs">{hubs}</div></div> \
<div class="tm-article-body tm-article-snippet__lead">{_lead(entry)} \
<a href="{link_of(entry, "L1")}" class="tm-article-snippet__readmore"><span>Читать далее</span></a></div>"""


def _inner_2023(entry: Entry, counters: Counters) -> str:
    return f"""<div class="tm-article-snippet__meta-container"><div class="tm-article-snippet__meta">\
{_author(entry, is_linked=True)}</div></div> \
<div class="publication-type-label"><span class="publication-type-label__label">{KIND_LABELS[entry.kind]}</span></div>\
<h2 class="tm-title tm-title_h2"><a href="{link_of(entry, "L2")}" class="tm-title__link" data-article-link="true">\
<span>{escape(entry.title)}</span></a></h2> \
<div class="tm-article-snippet__stats">{_reading_time(entry)} \
<span class="tm-icon-counter tm-data-icons__item"><span class="tm-icon-counter__value" title="{counters.views}">\
{rounded(counters.views)}</span></span></div>{_hubs_2023(entry)}\
<div class="tm-article-body tm-article-snippet__lead">{_lead(entry)}\
<a href="{link_of(entry, "L2")}" class="tm-article-snippet__readmore"><span>Читать далее</span></a></div>"""


def _card_2026(entry: Entry, counters: Counters) -> str:
    link = link_of(entry, "L3")
    comments = f"""<div class="article-comments-counter-link-wrapper tm-data-icons__item" title="Читать комментарии">\
<a href="{link}comments/" class="article-comments-counter-link"><!--[--><span class="value">{counters.comments}</span><!--]--></a></div>"""
    return f"""<article class="tm-articles-list__item" id="{entry.id}" data-navigatable tabindex="0">
  <div class="article-snippet">
    <div class="publication-type-label publication-type-label_type-{entry.kind}">\
<span class="publication-type-label__label publication-type-label__label_type-{entry.kind}">{KIND_LABELS[entry.kind]}</span></div>
    <div class="meta-container"><div class="meta">{_author(entry, is_linked=True)}</div></div>
    <h2 class="tm-title tm-title_h2"><a href="{link}" class="tm-title__link" data-article-link="true">\
<span>{escape(entry.title)}</span></a></h2>
    <div class="stats">{_reading_time(entry)}<span class="tm-icon-counter tm-data-icons__item reach-counter">\
<span class="tm-icon-counter__value" title="{counters.reach}">{rounded(counters.reach)}</span></span></div>
    {_hubs_2023(entry)}
    <div class="lead">{_lead(entry)}</div>
    <a href="{link}" class="readmore"><span>Читать далее</span></a>
  </div>
  <div class="tm-articles-list__item-footer"><div class="tm-data-icons tm-data-icons_space-big">{_votes(counters)}\
<button class="bookmarks-button tm-data-icons__item" type="button" title="Добавить в закладки">\
<span class="counter" title="{BOOKMARKED}">{counters.bookmarks}</span></button>\
{comments if counters.comments else ""}</div></div>
</article>
"""


def _author(entry: Entry, *, is_linked: bool) -> str:
    time = f'<time datetime="{entry.published_at:%Y-%m-%dT%H:%M:%S}.000Z" title="{entry.published_at:%Y-%m-%d, %H:%M}">{entry.published_at:%d.%m в %H:%M}</time>'
    dated = f'<span class="tm-article-datetime-published">{time}</span>'
    if is_linked:
        href = link_of(entry, "L3")
        dated = f'<a href="{href}" class="tm-article-datetime-published tm-article-datetime-published_link">{time}</a>'
    return f"""<span class="tm-user-info tm-article-snippet__author"><a href="/ru/users/{entry.author}/" \
title="{entry.author}" class="tm-user-info__userpic"></a> <span class="tm-user-info__user">\
<a href="/ru/users/{entry.author}/" class="tm-user-info__username">
      {entry.author}
      <!----></a> {dated}</span></span>"""


def _hubs_2023(entry: Entry) -> str:
    hubs = "".join(
        f'<span class="tm-publication-hub__link-container"><a href="/ru/hubs/{alias}/" '
        f'class="tm-publication-hub__link"><!--[--><span>{HUBS_BY_ALIAS[alias].title}</span>'
        '<span class="tm-article-snippet__profiled-hub" title="Профильный хаб"> * </span><!--]--></a></span>'
        for alias in entry.hubs
    )
    return f'<div class="tm-publication-hubs__container"><div class="tm-publication-hubs">{hubs}</div></div>'


def _reading_time(entry: Entry) -> str:
    minutes = 1 + entry.popularity % 14
    return f"""<div class="tm-article-reading-time"><span class="tm-article-reading-time__label">
    {minutes} мин
  </span></div>"""


def _lead(entry: Entry) -> str:
    text = " ".join(map(escape, entry.snippet))
    return f'<div class="article-formatted-body article-formatted-body_version-2"><p>{text}</p></div>'


def _votes(counters: Counters) -> str:
    plus, minus = max(counters.rating, 0), max(-counters.rating, 0)
    title = f"Всего голосов {plus + minus}: ↑{plus} и ↓{minus}"
    shown = f"{counters.rating:+d}" if counters.rating else "0"
    return f"""<div class="tm-votes-meter tm-data-icons__item"><span title="{title}" \
class="tm-votes-meter__value tm-votes-meter__value_appearance-article tm-votes-meter__value_rating">{shown}</span></div>"""


def _comments_2021(entry: Entry, counters: Counters, layout: str) -> str:
    href = link_of(entry, layout) + "comments/"
    return f"""<div title="Читать комментарии" class="tm-article-comments-counter-link tm-data-icons__item">\
<a href="{href}" class="tm-article-comments-counter-link__link"><span class="tm-article-comments-counter-link__value">
      {counters.comments}
    </span></a> <a href="{href}" class="tm-article-comments-counter-link__link">\
<span title="Читать новые комментарии" class="tm-article-comments-counter-link__unread-counter">
      +{counters.comments}
    </span></a></div>"""


def _pagination(path: str, page: int, pages: int) -> str:
    numbers = sorted({1, 2, 3, page - 1, page, page + 1, pages - 1, pages} & set(range(1, pages + 1)))
    links = "".join(
        f'<span class="tm-pagination__page tm-pagination__page_current">\n      {number}\n    </span>'
        if number == page
        else f'<a href="{path}page{number}/" class="tm-pagination__page">\n      {number}\n    </a>'
        for number in numbers
    )
    title = '<span class="tm-pagination__navigation-link-title">Туда</span>'
    ahead = f'<div id="pagination-next-page" class="tm-pagination__navigation-link">{title}</div>'
    if page < pages:
        ahead = f'<a href="{path}page{page + 1}/" id="pagination-next-page" rel="next" class="tm-pagination__navigation-link tm-pagination__navigation-link_active">{title}</a>'
    return f'<div class="tm-pagination"><div class="tm-pagination__pages">{links}</div>{ahead}</div>'
