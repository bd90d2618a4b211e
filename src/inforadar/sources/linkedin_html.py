"""LinkedIn's guest markup: job cards and postings; class names are stable since 2023, texts are localised."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Availability, Detail
from inforadar.sources.reading import UNDATED, read_day, without_empty
from inforadar.sources.text import node_line, node_text

HOME = "https://www.linkedin.com"
RELATED_CARDS = frozenset(("base-main-card", "main-job-card", "aside-job-card", "base-aside-card"))
APPLY_BUTTONS = (
    ".top-card-layout__cta--primary, [class*='apply-button'], [data-modal*='apply'], "
    "[data-tracking-control-name*='apply']"
)

_JOB_URN = re.compile(r"urn:li:(?:fsd?_)?jobPosting:(\d{1,20})")
_COMPANY_PATH = re.compile(r"/(?:company|showcase|school|organization)/([^/]+)")


def result_cards(tree: LexborHTMLParser) -> list[LexborNode]:
    """The cards of the result list in its order, whether they are <a> or <div>; related jobs are left out."""
    cards = tree.css("[data-entity-urn]")
    return [card for card in cards if not RELATED_CARDS & set((card.attributes.get("class") or "").split())]


def read_card(card: LexborNode) -> Draft:
    """The draft of one card; raises Unreadable without number or title."""
    urn = _JOB_URN.search(card.attributes.get("data-entity-urn") or "")
    title = _line(card, ".base-search-card__title") or _line(card, ".sr-only") or _line(card, "h3")
    if urn is None or not title:
        raise Unreadable("a card without number or title")
    key, day, company_url = urn[1], _day(card), _company_url(card)
    return Draft(
        key=key,
        rank=day or UNDATED,
        is_dated=day is not None,
        url=_job_url(card, key),
        title=title,
        company=_line(card, ".base-search-card__subtitle") or _line(card, "h4") or None,
        company_key=_company_key(company_url),
        data=without_empty(
            {
                "place": _line(card, ".job-search-card__location"),
                "salary_text": _line(card, ".job-search-card__salary-info"),
                "company_url": company_url,
                "badges": [node_line(badge) for badge in card.css(".job-posting-benefits__text")],
            }
        ),
    )


def is_posting_page(tree: LexborHTMLParser) -> bool:
    """Whether this is one posting's page; the cards on it are related jobs, not results."""
    return tree.css_first(".top-card-layout__title, code#decoratedJobPostingId, figure.closed-job") is not None


def shows_nothing(tree: LexborHTMLParser) -> bool:
    """Whether the page is the end of a list: nothing in it at all, or the words for "no results"."""
    if tree.css_first("[class*='no-results']") is not None:
        return True
    return not node_text(tree.body) and tree.css_first("script, noscript, iframe, form") is None


def read_posting(tree: LexborHTMLParser) -> Detail:
    """What a posting's page says; texts stay in the page's language, dates on it are only relative."""
    availability, is_full = _availability(tree), _is_full_render(tree)
    told: dict[str, Any] = {
        "title": _line(tree, ".top-card-layout__title"),
        "company": _line(tree, ".topcard__org-name-link"),
        "place": _place(tree),
        "posted": _line(tree, ".posted-time-ago__text"),
        "applicants": _line(tree, ".num-applicants__caption"),
        "criteria": _criteria(tree),
        "full_render": is_full,
        "closed": {"gone": True, "alive": False, "no verdict": None}[availability],
    }
    return Detail(
        availability=availability,
        is_closed=availability == "gone",
        full_text=node_text(tree.css_first(".show-more-less-html__markup")) or None,
        data=without_empty(told),
    )


def _day(card: LexborNode) -> datetime | None:
    """The day of a card; its class differs for the newest, so only the attribute is asked for."""
    shown = card.css_first("time[datetime]")
    return None if shown is None else read_day(shown.attributes.get("datetime"))


def _job_url(card: LexborNode, key: str) -> str:
    """The link without its tracking; a card of a company without a page is itself the link."""
    link = card if card.tag == "a" else card.css_first("a.base-card__full-link, a[href*='/jobs/view/']")
    return _address(link) or f"{HOME}/jobs/view/{key}"


def _company_url(card: LexborNode) -> str | None:
    return _address(card.css_first(".base-search-card__subtitle a[href], h4 a[href]"))


def _company_key(company_url: str | None) -> str | None:
    path = _COMPANY_PATH.search(urlsplit(company_url).path) if company_url else None
    return unquote(path[1]) if path else None


def _address(link: LexborNode | None) -> str | None:
    """Where a link leads, without query and fragment; None for anything but a web address."""
    href = (link.attributes.get("href") or "").strip() if link is not None else ""
    if not href or not href.isprintable():
        return None
    try:
        parts = urlsplit(urljoin(HOME, href))
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
    return parts._replace(query="", fragment="").geturl() if is_web else None


def _availability(tree: LexborHTMLParser) -> Availability:
    """Open or closed; no sentence is read: they are localised and may stand in a description."""
    if tree.css_first("figure.closed-job, figcaption.closed-job__flavor--closed") is not None:
        return "gone"
    buttons = tree.css_first(".top-card-layout__cta-container")
    if buttons is None:
        return "no verdict"
    if buttons.css_first(APPLY_BUTTONS) is not None:
        return "alive"
    return "gone" if _is_full_render(tree) and not node_text(buttons) else "no verdict"


def _is_full_render(tree: LexborHTMLParser) -> bool:
    return tree.css_first(".contextual-sign-in-modal") is not None


def _place(tree: LexborHTMLParser) -> str:
    """The first bullet that is not the line about applicants."""
    bullets = tree.css(".topcard__flavor--bullet")
    places = [b for b in bullets if "num-applicants__caption" not in (b.attributes.get("class") or "")]
    return node_line(places[0]) if places else ""


def _criteria(tree: LexborHTMLParser) -> dict[str, str]:
    criteria = {}
    for line in tree.css("li.description__job-criteria-item"):
        criteria[_line(line, "h3")] = _line(line, "span")
    return {name: value for name, value in criteria.items() if name and value}


def _line(inside: LexborHTMLParser | LexborNode, selector: str) -> str:
    return node_line(inside.css_first(selector))
