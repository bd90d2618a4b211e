"""Reads feeds as a strict reader does: what is in them besides what our templates write is an error."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from xml.etree import ElementTree

ATOM = "{http://www.w3.org/2005/Atom}"
CHANNEL = {"title", "link", "description", "generator", "item"}
ITEM = {"title", "link", "guid", "pubDate", "category", "description"}
FEED = {"id", "title", "author", "link", "generator", "entry", "updated"}
ENTRY = {"id", "title", "link", "published", "updated", "category", "content"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, whichever the format."""

    name: str
    title: str
    link: str | None
    content: str


def read_rss(text: str) -> list[Entry]:
    """The items of an RSS feed."""
    root = _root(text)
    assert (root.tag, root.attrib, [child.tag for child in root]) == ("rss", {"version": "2.0"}, ["channel"])
    (channel,) = root
    assert _tags(channel) <= CHANNEL
    items = channel.findall("item")
    for item in items:
        assert _tags(item) <= ITEM
        assert all(len(child) == 0 for child in item)
        assert item.find("guid").attrib == {"isPermaLink": "false"}
    return [
        Entry(item.findtext("guid"), item.findtext("title"), item.findtext("link"), item.findtext("description"))
        for item in items
    ]


def read_atom(text: str) -> list[Entry]:
    """The entries of an Atom feed."""
    root = _root(text)
    assert root.tag == f"{ATOM}feed"
    assert {tag.removeprefix(ATOM) for tag in _tags(root)} == FEED - (set() if root.find(f"{ATOM}entry") else {"entry"})
    entries = root.findall(f"{ATOM}entry")
    for entry in entries:
        assert {tag.removeprefix(ATOM) for tag in _tags(entry)} <= ENTRY
        assert all(len(child) == 0 for child in entry)
    return [_entry(entry) for entry in entries]


def shown(content: str) -> str:
    """What a reader shows of content that is HTML; raises for any tag but our paragraphs."""
    parser = _Paragraphs()
    parser.feed(content)
    parser.close()
    return " ".join(parser.texts)


class _Paragraphs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert (tag, attrs) == ("p", [])

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def _entry(entry: ElementTree.Element) -> Entry:
    link = entry.find(f"{ATOM}link")
    text = {tag: entry.findtext(ATOM + tag) for tag in ("id", "title", "content")}
    return Entry(text["id"], text["title"], None if link is None else link.attrib["href"], text["content"])


def _root(text: str) -> ElementTree.Element:
    assert not re.search(r"<!|<\?(?!xml version)", text), "no document type, comment, section or instruction"
    return ElementTree.fromstring(text)


def _tags(element: ElementTree.Element) -> set[str]:
    return {child.tag for child in element}
