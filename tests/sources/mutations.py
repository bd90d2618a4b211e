"""Real answers of sites, spoilt: in their JSON, in their bytes, in their markup; all from one seed."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

SEEDS = json.loads(Path(__file__).with_name("parser_seeds.json").read_text("utf-8"))
RSS = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Blog</title><link>https://blog.test/</link>
<item><title>A &amp; B</title><link>https://blog.test/a</link><guid isPermaLink="false">1</guid>
<pubDate>Mon, 05 Jan 2026 10:00:00 +0300</pubDate><author>ann@blog.test (Ann)</author><category>db</category>
<description>&lt;b&gt;Short&lt;/b&gt;</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded></item>
<item><title>C</title><link>https://blog.test/c</link><dc:date>2026-01-05T10:00:00Z</dc:date></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.test/"><title>Blog</title><id>b</id>
<entry><id>tag:1</id><title type="html">A</title><link rel="alternate" href="a"/><updated>2026-01-05T10:00:00Z</updated>
<author><name>Ann</name></author><category term="db"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<p>Long</p></div></content></entry></feed>"""
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 1.5, 2**53 + 1, -(2**63), 10**30, 1e308, 253402300800000,
    "", " ", "7", "0", "null", "NaN", "1e999999999", "9" * 400,
    "2026-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
    "https://a.test/x", "http://[::1", "javascript:alert(1)", "//x", "\ud800", "a\x00b", "\u202e",
    "<p><b>x", "&lt;p&gt;", "x" * 5000, "&" * 3000, "<i>" * 1000,
    [], {}, [[]], [None], [{}], {"": None}, {"id": 7}, [[[[[[[[]]]]]]]],
)  # fmt: skip
SCRAPS = (
    b"<", b">", b"&", b'"', b"\x00", b"\xff\xfe", b"]]>", b"<![CDATA[", b"<!--", b"</", b"{", b"[", b"\\ud800",
    b"<item>", b"</item>", b"<!DOCTYPE x [", b"&#0;", b"&x;", b'xml:base="http://["', b"<?x", b"e999", b"9" * 50,
)  # fmt: skip


def spoilt_json(value: Any, chance: Random, times: int) -> Iterator[bytes]:
    """A JSON value with one to six parts changed, taken away, doubled or moved, again and again."""
    for _ in range(times):
        spoilt = [deepcopy(value)]
        for _ in range(chance.randint(1, 6)):
            _spoil(spoilt, chance)
        yield json.dumps(spoilt[0]).encode("utf-8", "surrogatepass")


def spoilt_bytes(body: bytes, chance: Random, times: int) -> Iterator[bytes]:
    """A body with one to six places cut, doubled, flipped or filled, again and again."""
    for _ in range(times):
        spoilt = bytearray(body)
        for _ in range(chance.randint(1, 6)):
            chance.choice(_BYTE_STEPS)(spoilt, chance)
        yield bytes(spoilt)


def _spoil(root: list[Any], chance: Random) -> None:
    holder, name = chance.choice(list(_places(root)))
    step = chance.randrange(6)
    if step < 3:
        holder[name] = deepcopy(chance.choice(ODD))
    elif step == 3 and holder is not root:
        del holder[name]
    elif step == 4 and isinstance(holder[name], list) and holder[name]:
        holder[name] *= 2
    else:
        other, there = chance.choice(list(_places(root)))
        holder[name] = deepcopy(other[there])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value that holds another one."""
    names = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])


def _cut(body: bytearray, chance: Random) -> None:
    at = chance.randrange(len(body) + 1)
    del body[at : at + chance.choice((1, 5, 40, len(body)))]


def _double(body: bytearray, chance: Random) -> None:
    at = chance.randrange(len(body) + 1)
    body[at:at] = body[at : at + chance.choice((1, 20, 200))] * chance.choice((1, 2, 30))


def _flip(body: bytearray, chance: Random) -> None:
    if body:
        body[chance.randrange(len(body))] = chance.randrange(256)


def _fill(body: bytearray, chance: Random) -> None:
    at = chance.randrange(len(body) + 1)
    body[at:at] = chance.choice(SCRAPS)


_BYTE_STEPS: tuple[Callable[[bytearray, Random], None], ...] = (_cut, _double, _flip, _fill, _fill)
