"""The JSON bodies of Habr, key by key as recorded."""

from datetime import datetime
from html import escape
from typing import Any

from inforadar.simulator.entry import Entry, counters_at
from inforadar.simulator.making import full_text
from inforadar.simulator.vocabulary import HUBS_BY_ALIAS

Json = dict[str, Any]
FLOW_TITLES = {
    "backend": "Бэкенд",
    "frontend": "Фронтенд",
    "ai_and_ml": "AI и ML",
    "information_security": "Информационная безопасность",
    "admin": "Администрирование",
}


def card(entry: Entry, now: datetime) -> Json:
    """One publication as a list shows it."""
    return {
        "id": entry.id,
        "timePublished": entry.published_at.strftime("%Y-%m-%dT%H:%M:%S+00:00"),
        "isCorporative": False,
        "lang": entry.lang,
        "titleHtml": escape(entry.title, quote=False),
        "leadData": _lead(entry),
        "editorVersion": "2.0",
        "postType": entry.kind,
        "postLabels": [],
        "author": _author(entry),
        "statistics": _statistics(entry, now),
        "hubs": [_hub(alias) for alias in entry.hubs],
        "flows": [_flow(name) for name in sorted({HUBS_BY_ALIAS[alias].flow for alias in entry.hubs})],
        "tags": [{"titleHtml": escape(tag, quote=False)} for tag in entry.tags],
        "commentsEnabled": {"status": True, "reason": None},
        "readingTime": 1 + entry.popularity % 14,
        "complexity": (None, "low", "medium", "high")[entry.popularity % 4],
        "format": None,
        "status": "published",
        "plannedPublishTime": None,
    }


def whole(entry: Entry, now: datetime) -> Json:
    """One publication with its text."""
    return {
        **card(entry, now),
        "textHtml": f'<div xmlns="http://www.w3.org/1999/xhtml">{full_text(entry)}</div>',
    }


def _lead(entry: Entry) -> Json:
    first, second = (escape(phrase, quote=False).replace(" и ", " и&nbsp;") for phrase in entry.snippet)
    return {
        "textHtml": f"<p>{first} {second}</p>",
        "imageUrl": None,
        "buttonTextHtml": "Читать далее",
        "image": None,
    }


def _author(entry: Entry) -> Json | None:
    if entry.popularity % 50 == 0:
        return None
    number = 700_000 + sum(map(ord, entry.author))
    return {
        "id": str(number),
        "alias": entry.author,
        "fullname": None,
        "avatarUrl": f"//habrastorage.org/getpro/habr/avatars/{number}.png",
        "speciality": None,
        "scoreStats": {"score": number % 90, "votesCount": number % 90 + 12},
        "rating": number % 40 / 10,
    }


def _statistics(entry: Entry, now: datetime) -> Json:
    counters = counters_at(entry, now)
    plus, minus = max(counters.rating, 0), max(-counters.rating, 0)
    return {
        "commentsCount": counters.comments,
        "favoritesCount": counters.bookmarks,
        "readingCount": counters.views,
        "score": counters.rating,
        "votesCount": plus + minus,
        "votesCountPlus": plus,
        "votesCountMinus": minus,
        "reach": counters.reach,
        "readers": counters.views,
    }


def _hub(alias: str) -> Json:
    hub = HUBS_BY_ALIAS[alias]
    return {
        "id": hub.id,
        "alias": hub.alias,
        "type": "collective",
        "title": hub.title,
        "titleHtml": hub.title,
        "isProfiled": hub.alias != "programming",
        "relatedData": None,
    }


def _flow(name: str) -> Json:
    return {
        "id": str(1 + len(name)),
        "alias": name,
        "title": FLOW_TITLES[name],
        "titleHtml": FLOW_TITLES[name],
    }
