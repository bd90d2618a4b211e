"""Hostile feeds cost neither time nor memory, whatever they are made of; ordinary ones keep all they say."""

import time
import tracemalloc
from contextlib import suppress

import pytest

from inforadar.domain.errors import Unreadable
from inforadar.sources.feed_xml import read_xml_feed

ADDRESS = "https://blog.test/feed"
URL = "https://blog.test/1"
HEAD = '<rss version="2.0"><channel><title>Blog</title>'
MOST_MEMORY = 32 * 2**20
MOST_SECONDS = 15


def read(inside):
    return read_xml_feed(f"{HEAD}{inside}</channel></rss>".encode(), "", ADDRESS)


def item(inside):
    return f"<item><guid>1</guid><title>x</title>{inside}</item>"


BASED = f"<b xml:base='{'a' * 60}/'>"
SHAPES = {
    "bases inside each other": BASED * 5000 + "</b>" * 5000,
    "bases nobody closes": item("<description>" + BASED * 20_000),
    "long bases": f"<b xml:base='{'a' * 100_000}/'>" * 90,
    "tags inside each other": item("<description>" + "<b>" * 290_000),
    "tags nobody ends": item("<description>" + "<a " * 290_000),
    "quotes nobody ends": item("<description>" + '<a x="' * 290_000),
    "ends of nothing": item("<description>" + "</" * 290_000),
    "ampersands": item("<description>" + "&" * 5_000_000),
    "references": item("<description>" + "&a;" * 1_600_000),
    "references here and there": ("<x>" + "&a;" * 90_000 + "</x>") * 20 + "<b>",
    "namespaces": "".join(f'<a xmlns:n{number}="u{number}">' for number in range(140_000)),
    "fields": "".join(f'<x{number} a="1"/>' for number in range(140_000)),
    "declarations": item("<!a>" * 99_000),
    "attributes": ("<x " + " ".join(f'a{number}="1"' for number in range(190)) + "/>") * 2000,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_hostile_shape_takes_little_time(shape):
    started = time.process_time()
    with suppress(Unreadable):
        read(SHAPES[shape])
    assert time.process_time() - started < MOST_SECONDS


@pytest.mark.parametrize(
    "shape", ["bases inside each other", "bases nobody closes", "ampersands", "namespaces", "declarations"]
)
def test_a_hostile_shape_takes_little_memory_beside_the_document(shape):
    body = SHAPES[shape]
    read("")
    tracemalloc.start()
    try:
        with suppress(Unreadable):
            read(body)
        # decoded, encoded for the library and decoded again by it
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY + 5 * len(body)
    finally:
        tracemalloc.stop()


def test_of_an_entry_that_is_read_nothing_is_forgotten():
    first = (
        "<guid>1</guid><title>t</title><link>/1</link><description>d</description><author>Ann</author>"
        "<category>c</category><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>"
    )
    one, _, last = read(f"<item>{first}</item>" * 3).entries
    assert one == last
    assert (one.guid, one.title, one.link, one.author, one.tags) == (URL, "t", URL, "Ann", ("c",))


def test_tags_nobody_closes_in_a_text_do_not_hide_its_entry():
    broken = item(f"<link>https://blog.test/1</link><description>{'line<br>' * 500}</description>")
    document = read(broken)
    assert [entry.link for entry in document.entries] == ["https://blog.test/1"]
    assert document.flaw


def test_a_base_is_still_followed():
    body = f'<rss version="2.0" xml:base="https://other.test/a/"><channel>{item("<link>b</link>")}</channel></rss>'
    assert read_xml_feed(body.encode(), "", ADDRESS).entries[0].link == "https://other.test/a/b"
