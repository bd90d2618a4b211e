"""Whatever a site sends, the parsers of boards and feeds give a page or one of our errors, soon and in little memory.

Each parser is tried with thousands of inputs: values nobody wrote, and real answers that were spoilt.
"""

import json
import time
import tracemalloc
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.errors import SourceError
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Detail
from inforadar.sources.ashby import Ashby
from inforadar.sources.feed import Feed
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.lever import Lever
from inforadar.sources.recruitee import Recruitee
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.sources.workable import Workable
from sources.mutations import ATOM, RSS, SEEDS, spoilt_bytes, spoilt_json
from sources.odd_numbers import ODD_NUMBERS, examples

TOP = Position(size=100)
AT_ONCE = 125
MOST_SECONDS = 2
MOST_MEMORY = 16 * 2**20
BOARDS = [make().serving({"board": "acme", "text": "x"}, {}) for make in (Greenhouse, Lever, Ashby, Workable)]
BOARDS += [make().serving({"board": "acme"}, {}) for make in (SmartRecruiters, Recruitee)]
FEED = Feed().serving({"url": "https://blog.test/feed", "text": "x"}, {"etag": "1"})

NAMES = (
    "id", "title", "text", "name", "shortcode", "jobs", "offers", "content", "totalFound", "meta", "total",
    "location", "departments", "offices", "categories", "createdAt", "lists", "salaryRange", "min", "max",
    "currency", "compensation", "summaryComponents", "secondaryLocations", "locations", "salary",
    "published_at", "first_published", "publishedAt", "releasedDate", "published_on", "status", "isListed",
    "isRemote", "workplaceType", "company", "identifier", "jobAd", "sections", "jobDescription", "hostedUrl",
    "absolute_url", "url", "careers_url", "description", "descriptionPlain", "version", "items",
    "date_published", "authors", "author", "tags", "content_html", "summary", "external_url",
)  # fmt: skip
VERSION = "https://jsonfeed.org/version/1.1"
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**30), max_value=10**30),
    ODD_NUMBERS,
    st.text(max_size=30),
    st.sampled_from(
        ["7", "2026-01-01", "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", VERSION, "published", "&lt;p"]
    ),
    st.sampled_from(["https://a.test/x", "http://[::1", "javascript:alert(1)", "//x", "\ud800", "a\x00b", "<p><b>x"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=8)
    ),
    max_leaves=30,
)
ENTRIES = st.lists(
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=12) | VALUES,
    max_size=4,
)
ENVELOPES = st.one_of(
    VALUES,
    ENTRIES,
    st.builds(
        lambda entries, total: {"jobs": entries, "offers": entries, "content": entries, "totalFound": total,
                                "meta": {"total": total}, "items": entries, "version": VERSION},
        ENTRIES,
        LEAVES,
    ),
)  # fmt: skip
TAGS = st.sampled_from((
    "rss", "channel", "item", "entry", "feed", "title", "link", "guid", "id", "pubDate", "published", "updated",
    "description", "content:encoded", "content", "author", "name", "category", "rdf:RDF", "dc:date",
    "xhtml:div", "media:content",
))  # fmt: skip
MARKUP = st.recursive(
    st.text(max_size=20)
    | st.sampled_from(["&amp;", "&nbsp;", "&#0;", "<![CDATA[", "]]>", "<!--", "<?x?>", "&x;", "<", "\x00"]),
    lambda inner: st.builds(
        lambda tag, parts, attributes: f"<{tag}{attributes}>{''.join(parts)}</{tag.split(':')[-1]}>",
        TAGS,
        st.lists(inner, max_size=4),
        st.sampled_from(
            ["", ' type="xhtml"', ' href="/x"', ' isPermaLink="false"', ' mode="base64"', ' xml:base="http://["']
        ),
    ),
    max_leaves=20,
)
HEADS = st.sampled_from(
    [
        "",
        '<rss version="2.0">',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        '<?xml version="1.0" encoding="windows-1251"?><rss version="2.0"><channel>',
        '<?xml version="1.0" encoding="utf-7"?><rss>',
        '<?xml version="1.0" encoding="nonsense"?><rss version="2.0"><channel><item>',
    ]
)
TYPES = st.sampled_from(
    ["", "text/html", "application/rss+xml; charset=utf-16", "application/xml; charset=x", "a/b;;="]
)


def ask(source, answer):
    """Read an answer as a list and as an item's own page."""
    with suppress(SourceError):
        page = source.read(answer, TOP)
        assert isinstance(page, Page)
        for draft in page.drafts:
            assert draft.key
            assert draft.title
            assert draft.url.startswith(("http://", "https://"))
            source.wants(draft)
            json.dumps(dict(draft.data))
    with suppress(SourceError):
        assert isinstance(source.read_detail(answer), Detail)


def told(body, status=200, content_type=""):
    headers = {"content-type": content_type, "etag": '"1"'}
    return Answer(status=status, headers=headers, body=body, url="https://board.test/?posting=7")


def ask_each(source, bodies):
    """Ask with each body within the time one may take, and with the first within the memory it may take."""
    for number, body in enumerate(bodies):
        if number == 0:
            tracemalloc.start()
        started = time.process_time()
        try:
            ask(source, told(body))
            assert time.process_time() - started < MOST_SECONDS
            assert number or tracemalloc.get_traced_memory()[1] < MOST_MEMORY
        except Exception as error:
            raise AssertionError(f"{source.name} failed on {body[:3000]!r}") from error
        finally:
            if number == 0:
                tracemalloc.stop()


@pytest.mark.parametrize("source", [*BOARDS, FEED], ids=lambda source: source.name)
@settings(max_examples=examples(16), deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_a_real_answer_with_spoilt_values_is_a_page_or_an_error_of_ours(source, seed):
    ask_each(source, spoilt_json(SEEDS[source.name], Random(seed), AT_ONCE))


@pytest.mark.parametrize("source", [*BOARDS, FEED], ids=lambda source: source.name)
@settings(max_examples=examples(16), deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_a_real_answer_with_spoilt_bytes_is_a_page_or_an_error_of_ours(source, seed):
    ask_each(source, spoilt_bytes(json.dumps(SEEDS[source.name]).encode(), Random(seed), AT_ONCE))


@pytest.mark.parametrize("document", [RSS, ATOM], ids=["rss", "atom"])
@settings(max_examples=examples(8), deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_a_real_feed_with_spoilt_markup_is_a_page_or_an_error_of_ours(document, seed):
    ask_each(FEED, spoilt_bytes(document.encode(), Random(seed), AT_ONCE))


@pytest.mark.parametrize("source", [*BOARDS, FEED], ids=lambda source: source.name)
@settings(max_examples=examples(60), deadline=None)
@given(value=ENVELOPES)
def test_any_json_is_a_page_or_an_error_of_ours(source, value):
    ask(source, told(json.dumps(value).encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("source", [*BOARDS, FEED], ids=lambda source: source.name)
@settings(max_examples=examples(40), deadline=None)
@given(body=st.binary(max_size=300), status=st.sampled_from([200, 200, 200, 304, 404, 429, 500, 999]))
def test_any_bytes_are_a_page_or_an_error_of_ours(source, body, status):
    ask(source, told(body, status))


@settings(max_examples=examples(250), deadline=None)
@given(
    head=HEADS, markup=st.lists(MARKUP, max_size=4), content_type=TYPES, encoding=st.sampled_from(["utf-8", "utf-16"])
)
def test_any_markup_is_a_feed_or_an_error_of_ours(head, markup, content_type, encoding):
    body = (head + "".join(markup)).encode(encoding, "replace")
    ask(FEED, told(body, content_type=content_type))
