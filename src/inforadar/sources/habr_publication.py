"""One publication of Habr as its JSON shows it, in a list, on its own or inside a page."""

from collections.abc import Mapping
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Detail
from inforadar.sources.reading import (
    as_digits,
    as_int,
    as_list,
    as_mapping,
    as_text,
    read_time,
    without_empty,
)
from inforadar.sources.text import clean_line, first_words, plain_line, plain_text

SITE = "https://habr.com"
SECTIONS = {"article": "articles", "news": "news", "post": "posts"}
COMPANY_PREFIXES = ("Блог компании ", "Company blog ")


def publication_url(key: str, section: str = "articles", company: str | None = None) -> str:
    """The one address of a publication; a company's stays under the company."""
    owner = f"companies/{company}/" if company else ""
    return f"{SITE}/ru/{owner}{section}/{key}/"


def company_name(blog: str) -> str:
    """A company's name out of the name of its blog."""
    for prefix in COMPANY_PREFIXES:
        blog = blog.removeprefix(prefix)
    return blog


def read_publication(publication: Mapping[str, Any]) -> Draft | None:
    """The draft of one publication, None when it has no date; raises Unreadable without id or words."""
    key = as_digits(publication.get("id"))
    title = _title(publication)
    if key is None or not title:
        raise Unreadable("a publication without id or title")
    published_at = read_time(publication.get("timePublished"))
    if published_at is None:
        return None
    company = _company_hub(publication)
    company_key = clean_line(as_text(company.get("alias"))) or None
    return Draft(
        key=key,
        rank=published_at,
        url=publication_url(key, SECTIONS.get(_type(publication), "articles"), company_key),
        title=title,
        company=company_name(_hub_title(company)) or None,
        company_key=company_key,
        data=publication_data(publication),
    )


def read_publication_detail(publication: Mapping[str, Any]) -> Detail:
    """The detail of one publication; raises Unreadable when it is none."""
    if as_digits(publication.get("id")) is None:
        raise Unreadable("Habr's answer is not a publication")
    full_text = plain_text(as_text(publication.get("textHtml"))) or None
    return Detail(availability="alive", full_text=full_text, data=publication_data(publication))


def publication_data(publication: Mapping[str, Any]) -> dict[str, Any]:
    """The plain fields under the names all article sources share; what Habr left out is absent."""
    counts = as_mapping(publication.get("statistics"))
    return without_empty(
        {
            "views": as_int(counts.get("readingCount")),
            "comments": as_int(counts.get("commentsCount")),
            "rating": as_int(counts.get("score")),
            "bookmarks": as_int(counts.get("favoritesCount")),
            "reach": as_int(counts.get("reach")),
            "tags": [tag for tag in map(_tag, as_list(publication.get("tags"))) if tag],
            "hubs": _hubs(publication),
            "author": clean_line(as_text(as_mapping(publication.get("author")).get("alias"))),
            "snippet": _snippet(publication),
            "reading_minutes": as_int(publication.get("readingTime")),
            "complexity": clean_line(as_text(publication.get("complexity"))),
            "language": clean_line(as_text(publication.get("lang"))),
            "type": _type(publication),
        }
    )


def _type(publication: Mapping[str, Any]) -> str:
    told = as_text(publication.get("postType")) or as_text(publication.get("publicationType"))
    return told if told in SECTIONS else "article"


def _title(publication: Mapping[str, Any]) -> str:
    """The title; a post has none, its first words stand for it."""
    title = plain_line(as_text(publication.get("titleHtml")))
    return title or first_words(plain_text(_words(publication)))


def _words(publication: Mapping[str, Any]) -> str:
    lead = as_text(as_mapping(publication.get("leadData")).get("textHtml"))
    return as_text(publication.get("textHtml")) or as_text(publication.get("previewHtml")) or lead


def _snippet(publication: Mapping[str, Any]) -> str:
    lead = as_text(as_mapping(publication.get("leadData")).get("textHtml"))
    return plain_text(lead or as_text(publication.get("previewHtml")))


def _company_hub(publication: Mapping[str, Any]) -> Mapping[str, Any]:
    """The company's blog among the hubs; empty for what no company wrote."""
    hubs = map(as_mapping, as_list(publication.get("hubs")))
    return next((hub for hub in hubs if hub.get("type") == "corporative"), {})


def _hubs(publication: Mapping[str, Any]) -> list[str]:
    hubs = map(as_mapping, as_list(publication.get("hubs")))
    aliases = [clean_line(as_text(hub.get("alias"))) for hub in hubs if hub.get("type") != "corporative"]
    return [alias for alias in aliases if alias]


def _hub_title(hub: Mapping[str, Any]) -> str:
    return clean_line(as_text(hub.get("title"))) or plain_line(as_text(hub.get("titleHtml")))


def _tag(tag: Any) -> str:
    return plain_line(as_text(as_mapping(tag).get("titleHtml")))
