"""One card of a Habr list page, in the three layouts since 2021.

            L1 2021-2023                          L2 2023-2025                  L3 2026
title       a.tm-article-snippet__title-link      a.tm-title__link              a.tm-title__link, posts none
hubs        a.tm-article-snippet__hubs-item-link  a.tm-publication-hub__link    a.tm-publication-hub__link
bookmarks   .bookmarks-button__counter            the same                      .bookmarks-button .counter
comments    .tm-article-comments-counter-link__value                            .article-comments-counter-link .value
views       .tm-icon-counter__value (2021: -wrapper__value)                     the same place shows the reach
"""

import re
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.sources.habr_publication import company_name, publication_url
from inforadar.sources.reading import as_digits, read_time, without_empty
from inforadar.sources.text import first_words, node_line, node_text, read_count

LIST_ENTRIES = "article.tm-articles-list__item, div.tm-articles-list__item"
TITLE = "a.tm-title__link, a.tm-article-snippet__title-link, .tm-title a[href]"
LINKS = (
    f"{TITLE}, a.tm-article-datetime-published_link, a[data-article-link], a.tm-article-snippet__readmore, a.readmore"
)
HUBS = "a.tm-publication-hub__link, a.tm-article-snippet__hubs-item-link"
BODY = ".article-formatted-body, .tm-article-body__content"
VIEWS = ".tm-icon-counter__value, .tm-icon-wrapper__value"
BOOKMARKS = ".bookmarks-button__counter, .bookmarks-button .counter"
COMMENTS = ".tm-article-comments-counter-link__value, .article-comments-counter-link .value"
RATING = ".tm-votes-meter__value, .tm-votes-lever__score-counter"

_PATH = re.compile(
    r"/(?:[a-z]{2}/)?(?:(?:companies|company)/(?P<company>[^/]+)/)?"
    r"(?P<section>articles|article|news|posts|post|blog)/(?:t/)?(?P<key>\d{1,20})(?:/|$)"
)
_HUB = re.compile(r"/hubs?/([^/]+)")
_COMPANY = re.compile(r"/(?:companies|company)/([^/]+)")
_REACH = re.compile(r"охват|reach", re.IGNORECASE)
_VIEWED = re.compile(r"просмотр|view", re.IGNORECASE)


def is_publication_card(card: LexborNode) -> bool:
    """Whether an entry of the list is a publication; advertisements have neither number nor time."""
    return card_key(card) is not None or card.css_first("time[datetime]") is not None


def card_key(card: LexborNode) -> str | None:
    """The number of a card's publication, from its id or from one of its links."""
    link = _link(card)
    return as_digits(card.attributes.get("id")) or (link["key"] if link else None)


def read_habr_card(card: LexborNode) -> Draft | None:
    """The draft of one card, None when it has no date; raises Unreadable without number or words."""
    key = card_key(card)
    title = node_line(card.css_first(TITLE)) or first_words(node_text(card.css_first(BODY)))
    if key is None or not title:
        raise Unreadable("a card without number or title")
    shown = card.css_first("time[datetime]")
    published_at = read_time(shown.attributes.get("datetime")) if shown is not None else None
    if published_at is None:
        return None
    company_key, company = _company(card)
    return Draft(
        key=key,
        rank=published_at,
        url=publication_url(key, _section(card), company_key),
        title=title,
        company=company,
        company_key=company_key,
        data=_data(card),
    )


def _data(card: LexborNode) -> dict[str, object]:
    """What a card shows; a counter that is rounded is left out, so that it never replaces an exact one."""
    return without_empty(
        {
            **_seen(card),
            "comments": _exact(card.css_first(COMMENTS)),
            "rating": _exact(card.css_first(RATING)),
            "bookmarks": _exact(card.css_first(BOOKMARKS)),
            "hubs": _hubs(card),
            "author": node_line(card.css_first("a.tm-user-info__username")),
            "snippet": node_text(card.css_first(BODY)),
            "type": {"news": "news", "posts": "post"}.get(_section(card), "article"),
        }
    )


def _seen(card: LexborNode) -> dict[str, int | None]:
    """The eye's number: views once, but since 2026 the reach, which is another measure."""
    value = card.css_first(VIEWS)
    if value is None or value.parent is None:
        return {}
    counter = value.parent
    icon = counter.css_first("title")
    label = (counter.attributes.get("title") or "") + (icon.text() if icon is not None else "")
    is_reach = bool(_REACH.search(label)) or "reach-counter" in (counter.attributes.get("class") or "")
    if not is_reach and not _VIEWED.search(label):
        is_reach = card.css_first(".tm-article-snippet") is None
    return {"reach" if is_reach else "views": _exact(value)}


def _exact(node: LexborNode | None) -> int | None:
    """A counter when it is shown exactly: by its title if that is a number, else by its text."""
    if node is None:
        return None
    titled = as_digits(node.attributes.get("title"))
    count = read_count(titled or node_line(node))
    return count.value if count is not None and count.is_exact else None


def _link(card: LexborNode) -> re.Match[str] | None:
    """The first link to the publication itself; the title's, else the date's, else "read on"."""
    found = (_PATH.search(_path_of(link)) for link in card.css(LINKS))
    return next((path for path in found if path), None)


def _path_of(link: LexborNode) -> str:
    """The path a link leads to; empty where it cannot be read."""
    try:
        return urlsplit(link.attributes.get("href") or "").path
    except ValueError:
        return ""


def _section(card: LexborNode) -> str:
    """Where the publication lives now; before 2023 the address of an article said `post` or `blog`."""
    link = _link(card)
    return link["section"] if link and link["section"] in ("news", "posts") else "articles"


def _company(card: LexborNode) -> tuple[str | None, str | None]:
    """The company of a card: its name in the address and its name in the list of hubs."""
    link = _link(card)
    key = link["company"] if link else None
    for hub in card.css(HUBS):
        owner = _COMPANY.search(_path_of(hub))
        if owner and key in (None, owner[1]):
            return owner[1], company_name(_hub_name(hub)) or None
    return key, None


def _hub_name(hub: LexborNode) -> str:
    name = hub.css_first("span")
    return node_line(name if name is not None else hub)


def _hubs(card: LexborNode) -> list[str]:
    found = (_HUB.search(_path_of(hub)) for hub in card.css(HUBS))
    return [path[1] for path in found if path]
