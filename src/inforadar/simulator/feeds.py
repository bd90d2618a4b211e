"""A site with feeds: its newest entries as RSS, Atom and JSON Feed, with validators.

`/news.rss`, `/news.atom` and `/news.json` show the same entries, the newest hundred or `?n=` of them, in no order.
Asked with the validators of the last answer it says that nothing changed. `?dates=none` leaves the dates out,
`?guids=none` the ids, `?text=none` the long texts; `?tracking=new` gives every answer other tracking in its links.
"""

import hashlib
import json
import re
from email.utils import format_datetime
from html import escape

from inforadar.simulator.entry import Entry
from inforadar.simulator.making import full_text
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.wire import Pairs, Request, Response, html_response
from inforadar.simulator.world import World

SHOWN = 100
HOME = "https://feeds.sim"
LISTED = re.compile(r"^/[\w-]+\.(?P<format>rss|atom|json)$")
ONE = re.compile(r"^/articles/(\d+)$")
TYPES = {"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}


def is_list(path: str) -> bool:
    """Whether a path asks for a feed."""
    return bool(LISTED.match(path))


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = ONE.match(path)
    return one[1] if one else ""


def search_of(_path: str, _params: Pairs) -> Search:
    """Everything: a feed answers no questions."""
    return Search(source="feed")


def guid_of(entry_id: str) -> str:
    """How the feeds name an entry."""
    return f"tag:feeds.sim,2026:{entry_id}"


def answer(world: World, request: Request, _rules: Rules, twist: Twist) -> Response:
    """What the site answers to one request."""
    found = LISTED.match(request.path)
    if found:
        return _feed(world, request, found["format"], twist)
    entry = on_page(world.find("feed", entry_of(request.path)), twist)
    if entry is None or entry.closing != "open":
        return html_response("<h1>404 Not Found</h1>", 404)
    return html_response(
        f"<html><body><article><h1>{escape(entry.title)}</h1>{full_text(entry)}</article></body></html>"
    )


def _feed(world: World, request: Request, kind: str, twist: Twist) -> Response:
    newest = world.listing(search_of(request.path, request.params))[: _shown(request)]
    shown = twisted(sorted(newest, key=_unordered), twist)
    body = WRITERS[kind](request, shown, twist).encode()
    etag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    changed = max((entry.published_at for entry in newest), default=world.start_at)
    headers = (("ETag", etag), ("Last-Modified", format_datetime(changed, usegmt=True)))
    if request.headers.get("if-none-match") == etag:
        return Response(status=304, headers=headers)
    return Response(headers=(("Content-Type", f"{TYPES[kind]}; charset=utf-8"), *headers), body=body)


def _shown(request: Request) -> int:
    number = request.param("n", str(SHOWN))
    return int(number) if number.isdecimal() else SHOWN


def _unordered(entry: Entry) -> bytes:
    return hashlib.blake2b(entry.id.encode(), digest_size=8).digest()


def _has(request: Request, what: str) -> bool:
    return request.param(what) != "none"


def _rss(request: Request, entries: list[Entry], twist: Twist) -> str:
    items = [_rss_item(request, entry) for entry in entries]
    if twist == "unreadable_entry" and items:
        items[0] = "<item></item>"
    namespaces = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    head = f"<title>Feeds of the simulator</title><link>{HOME}/</link><description>All there is</description>"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" {namespaces}><channel>{head}'
        f"{''.join(items)}</channel></rss>"
    )


def _rss_item(request: Request, entry: Entry) -> str:
    campaign = request.number if request.param("tracking") == "new" else "feed"
    parts = [
        f"<title>{escape(entry.title)}</title>",
        f"<link>{HOME}/articles/{entry.id}?utm_source=rss&amp;utm_campaign={campaign}</link>",
        f"<description>{escape(entry.snippet[0])}</description>",
        *(f"<category>{escape(tag)}</category>" for tag in entry.tags),
    ]
    if _has(request, "guids"):
        parts.append(f'<guid isPermaLink="false">{guid_of(entry.id)}</guid>')
    if _has(request, "dates"):
        parts.append(f"<pubDate>{format_datetime(entry.published_at)}</pubDate>")
    if _has(request, "text"):
        parts.append(f"<content:encoded><![CDATA[{full_text(entry)}]]></content:encoded>")
    return f"<item>{''.join(parts)}</item>"


def _atom(request: Request, entries: list[Entry], twist: Twist) -> str:
    items = [_atom_entry(request, entry) for entry in entries]
    if twist == "unreadable_entry" and items:
        items[0] = "<entry></entry>"
    head = f"<title>Feeds of the simulator</title><id>tag:feeds.sim,2026:feed</id><link href='{HOME}/'/>"
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom">{head}{"".join(items)}</feed>'
    )


def _atom_entry(request: Request, entry: Entry) -> str:
    date = entry.published_at.isoformat()
    parts = [
        f"<title>{escape(entry.title)}</title><id>{guid_of(entry.id)}</id>",
        f"<link rel='alternate' href='/articles/{entry.id}'/><author><name>{escape(entry.author)}</name></author>",
        f"<summary>{escape(entry.snippet[0])}</summary>",
    ]
    if _has(request, "dates"):
        parts.append(f"<published>{date}</published><updated>{date}</updated>")
    if _has(request, "text"):
        parts.append(f'<content type="html">{escape(full_text(entry))}</content>')
    return f"<entry>{''.join(parts)}</entry>"


def _json(request: Request, entries: list[Entry], twist: Twist) -> str:
    items = [_json_item(request, entry) for entry in entries]
    if twist == "unreadable_entry" and items:
        items[0] = {"id": None}
    head = {"version": "https://jsonfeed.org/version/1.1", "title": "Feeds of the simulator", "home_page_url": HOME}
    return json.dumps({**head, "items": items}, ensure_ascii=False)


def _json_item(request: Request, entry: Entry) -> dict[str, object]:
    item: dict[str, object] = {
        "id": guid_of(entry.id),
        "url": f"{HOME}/articles/{entry.id}",
        "title": entry.title,
        "summary": entry.snippet[0],
        "authors": [{"name": entry.author}],
        "tags": list(entry.tags),
    }
    if _has(request, "dates"):
        item["date_published"] = entry.published_at.isoformat()
    if _has(request, "text"):
        item["content_html"] = full_text(entry)
    return item


WRITERS = {"rss": _rss, "atom": _atom, "json": _json}
