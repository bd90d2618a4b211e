"""Feeds as the world writes them: saved documents, hostile documents, identities, requests, parameters."""

import json
import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from inforadar.domain.errors import BadQuery, RateLimited, Unavailable, Unreadable
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer
from inforadar.sources.feed import LARGEST_BODY, Feed
from inforadar.sources.feed_entry import feed_sign

URL = "https://blog.test/feed"
SIGN = feed_sign(URL)
TOP = Position(size=100)
BOMB = b"""<?xml version="1.0"?><!-- a --><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]><rss version="2.0"><channel><item><title>&c;</title></item></channel></rss>"""
XXE = b"""<!DOCTYPE rss [<!ENTITY x SYSTEM "file://%s">]><rss version="2.0"><channel><item><title>&x;</title>
</item></channel></rss>"""


def read(body, *, status=200, memory=None, url=URL, **headers):
    told = body if isinstance(body, bytes) else body.encode()
    source = Feed().serving({"url": url}, memory or {})
    shown = {name.replace("_", "-"): value for name, value in headers.items()}
    return source.read(Answer(status=status, headers=shown, body=told, url=url), TOP)


def rss(*items):
    inner = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel><title>Blog</title>{inner}</channel></rss>'


def keys(page):
    return [draft.key.removeprefix(SIGN) for draft in page.drafts]


@pytest.mark.parametrize(
    ("name", "entries", "dated"),
    [
        ("489.rss", 10, 10),
        ("4fsodonline.atom", 25, 25),
        ("DaringFireball.atom", 48, 48),
        ("DaringFireball.json", 48, 48),
        ("EMarley.rss", 10, 10),
        ("aktuality.rss", 30, 30),
        ("allthis.json", 12, 12),
        ("authors.json", 4, 0),
        ("donthitsave.xml", 10, 10),
        ("monkeydom.rss", 13, 13),
        ("natasha.xml", 10, 10),
        ("reader_full.atom", 5, 2),
        ("reader_full.rss", 5, 2),
        ("reader_full.json", 2, 2),
        ("reader_invalid.json", 8, 0),
        ("reader_relative.atom", 1, 0),
        ("scriptingNews.rss", 50, 50),
        ("theomnishow.rss", 4, 4),
    ],
)
def test_every_entry_of_a_saved_feed_is_read(samples, name, entries, dated):
    page = read((samples / "articles_sinks" / "feeds" / name).read_bytes())
    assert (len(page.drafts), sum(draft.is_dated for draft in page.drafts)) == (entries, dated)
    assert (page.unreadable, page.notes, page.is_last) == (0, (), True)
    assert all(draft.title and draft.url.startswith("http") for draft in page.drafts)


@pytest.mark.parametrize("name", ["allthis-partial.json", "reader_unknown.json", "SOURCES.txt"])
def test_what_is_no_feed_is_unreadable(samples, name):
    with pytest.raises(Unreadable):
        read((samples / "articles_sinks" / "feeds" / name).read_bytes())


def test_russian_and_missing_dates_leave_an_entry_undated(samples):
    (draft,) = read((samples / "articles_sinks" / "habr" / "observer_habr_bad_date_rss.xml").read_bytes()).drafts
    assert not draft.is_dated


def test_an_rss_item_with_everything():
    page = read(
        rss(
            "<title>A &amp; B</title><link>https://blog.test/a?utm_source=x</link><guid isPermaLink='false'>g1</guid>"
            "<pubDate>Mon, 05 Jan 2026 10:00:00 +0300</pubDate><category>db</category>"
            "<description>&lt;b>Short&lt;/b></description>"
        )
    )
    (draft,) = page.drafts
    assert (draft.key, draft.title, draft.url) == (f"{SIGN}g1", "A & B", "https://blog.test/a?utm_source=x")
    assert draft.rank == datetime(2026, 1, 5, 7, tzinfo=UTC)
    assert draft.data == {"feed": "Blog", "tags": ["db"], "snippet": "Short"}


def test_who_an_entry_is_guid_then_link_without_tracking_then_title_and_date():
    page = read(
        rss(
            "<guid isPermaLink='false'>one</guid><link>https://blog.test/x</link><title>t</title>",
            "<link>https://blog.test/y?utm_medium=m&amp;id=7#part</link><title>t</title>",
            "<title>only a title</title><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>",
        )
    )
    assert keys(page)[:2] == ["one", "https://blog.test/y?id=7#part"]
    assert len(keys(page)[2]) == 32


def test_entries_that_share_a_link_and_have_no_guid_are_not_one():
    page = read(rss("<link>https://b.test/</link><title>one</title>", "<link>https://b.test/</link><title>two</title>"))
    assert len(set(keys(page))) == 2


def test_two_feeds_may_use_one_guid():
    body = rss("<guid>1</guid><title>t</title>")
    assert read(body).drafts[0].key != read(body, url="https://other.test/feed").drafts[0].key


def test_a_long_or_odd_guid_becomes_a_hash():
    page = read(rss(f"<guid>{'x' * 3000}</guid><title>t</title>", "<guid>a\u202eb</guid><title>t</title>"))
    assert [len(key) for key in keys(page)] == [32, 32]


def test_a_number_for_an_id_is_an_id():
    body = {"version": "https://jsonfeed.org/version/1", "items": [{"id": 7, "content_text": "x"}, {"id": 8.0}]}
    assert keys(read(json.dumps(body))) == ["7", "8"]


def test_an_entry_that_says_nothing_is_counted():
    page = read(rss("", "<title>t</title>"), etag='"1"')
    assert (len(page.drafts), page.unreadable, page.memory) == (1, 1, None)


def test_validators_are_remembered_verbatim_and_sent_again():
    page = read(rss("<title>t</title>"), etag='W/"x"', last_modified="Mon, 05 Jan 2026 10:00:00 GMT")
    headers = Feed().serving({"url": URL}, page.memory).request({"url": URL}, TOP).headers
    assert headers["If-None-Match"] == 'W/"x"'
    assert headers["If-Modified-Since"] == "Mon, 05 Jan 2026 10:00:00 GMT"


def test_validators_no_header_can_carry_are_forgotten():
    assert read(rss("<title>t</title>"), etag='"a\r\nX: y"').memory == {}


def test_unchanged_is_believed_only_when_it_was_asked_for():
    assert read(b"", status=304, memory={"etag": '"1"'}).is_unchanged
    with pytest.raises(Unreadable):
        read(b"", status=304)


def test_a_feed_that_was_cut_off_gives_what_it_holds_and_keeps_no_validators():
    whole = rss(*(f"<guid>{number}</guid><title>t</title>" for number in range(10)))
    page = read(whole[: len(whole) // 2], etag='"1"')
    assert 3 <= len(page.drafts) < 10
    assert page.memory is None
    assert "flaw" in page.notes[0]


@pytest.mark.parametrize("spell", [bytes, lambda body: body.decode().encode("utf-16"), lambda body: b"\n\n" + body])
def test_a_document_type_is_refused_before_it_is_read(spell):
    with pytest.raises(Unreadable, match="document type"):
        read(spell(BOMB.lower().replace(b"<!doctype", b"<!DOCTYPE")))


DECLARING = '<?xml version="1.0"?><!DOCTYPE {} [<!ENTITY a "HELLO">]>' + rss("<guid>1</guid><title>&a;</title>")


@pytest.mark.parametrize("name", ["rss", "html", "HTML", "feed", "x:y"])
@pytest.mark.parametrize("before", ["", "<!-- <rss> -->", "<?a <b ?>", "a warning of the server\n", "\ufeff"])
def test_a_document_type_that_declares_anything_is_refused_whatever_its_name_and_place(name, before):
    with pytest.raises(Unreadable, match="document type"):
        read(before + DECLARING.format(name))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "koi8-r", "cp932"])
def test_a_document_type_is_found_in_every_encoding_that_is_read(encoding):
    with pytest.raises(Unreadable, match="document type"):
        read(DECLARING.format("rss").encode(encoding), content_type=f"application/xml; charset={encoding}")


@pytest.mark.parametrize("encoding", ["utf-7", "utf-32", "cp037", "cp500", "hz", "iso2022_jp", "zlib", "rot13", "idna"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_an_encoding_that_could_hide_a_document_type_is_never_read(encoding, is_declared):
    declared = f'<?xml version="1.0" encoding="{encoding}"?>' if is_declared else ""
    with pytest.raises(Unreadable, match="never read"):
        read(declared + rss("<guid>1</guid>"), content_type="text/xml" if is_declared else f"a/b;charset={encoding}")


def test_an_entity_declared_outside_of_any_document_type_means_nothing():
    for head in ('<!-- \n<!ENTITY a "HELLO"> -->', '<?x \n<!ENTITY a "HELLO"> ?>'):
        page = read(head + rss("<guid>1</guid><title>&a; &copy;</title><b>"))
        assert "HELLO" not in page.drafts[0].title
    with pytest.raises(Unreadable):
        read('<!ENTITY a "HELLO">' + rss("<guid>1</guid><title>&a;</title>"))


@pytest.mark.parametrize("root", ["<:x>", "<é>", "<x>", "<x/>", "<-x>"])
def test_a_root_nobody_else_takes_for_one_hides_no_document_type(root):
    """feedparser looks for the prologue by rules of its own; whatever it takes for one must not reach it."""
    hidden = f'{root}\n<!DOCTYPE feed [\n<!ENTITY a "HELLO">\n]>' + rss("<guid>1</guid><title>&a;</title>")
    with suppress(Unreadable):
        assert "HELLO" not in str(read(hidden))


def test_a_document_type_that_only_names_itself_is_left_away():
    doctype = '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">'
    page = read(f'<?xml version="1.0"?>\n{doctype}\n' + rss("<link>https://blog.test/1</link><title>One</title>"))
    assert [draft.title for draft in page.drafts] == ["One"]
    assert not page.notes


@pytest.mark.parametrize(
    ("encoding", "content_type", "is_declared"),
    [
        ("utf-8", "", False),
        ("utf-8", "text/xml", False),
        ("utf-8", "text/xml; charset=nonsense", False),
        ("utf-8", "application/xml", "utf-16"),
        ("utf-16", "", False),
        ("utf-16-le", "", True),
        ("windows-1251", "text/xml; charset=windows-1251", False),
        ("windows-1251", "text/xml", True),
        ("koi8-r", "application/rss+xml", True),
        ("koi8-r", "application/rss+xml; charset=utf-8", True),
        ("iso-8859-5", 'application/xml; charset="ISO-8859-5"', False),
    ],
)
def test_the_words_of_a_feed_survive_the_encodings_of_the_world(encoding, content_type, is_declared):
    name = is_declared if isinstance(is_declared, str) else encoding
    head = f'<?xml version="1.0" encoding="{name}"?>' if is_declared else ""
    page = read((head + rss("<guid>1</guid><title>Привет, мир</title>")).encode(encoding), content_type=content_type)
    assert [draft.title for draft in page.drafts] == ["Привет, мир"]


def test_a_broken_character_spoils_no_other():
    page = read(rss("<guid>1</guid><title>Привет XX</title>").encode().replace(b"XX", b"\xd0"))
    assert page.drafts[0].title.startswith("Привет ")


def test_what_one_entry_may_hold_is_capped():
    item = f"<guid>1</guid><title>{'t' * 9000}</title><description>{'d ' * 200_000}</description>"
    draft = read(rss(item + "".join(f"<category>{number}</category>" for number in range(3000)))).drafts[0]
    assert len(draft.title) <= 500
    assert len(json.dumps(dict(draft.data))) < 110_000
    assert len(draft.data["tags"]) <= 100


@pytest.mark.parametrize("shape", ["xml", "json"])
def test_a_feed_of_more_entries_than_any_feed_has_is_refused(shape):
    items = [{"id": str(number)} for number in range(10_001)]
    as_json = json.dumps({"version": "https://jsonfeed.org/version/1", "items": items})
    with pytest.raises(Unreadable, match="entries"):
        read(as_json if shape == "json" else rss(*(f"<guid>{number}</guid>" for number in range(10_001))))


def test_no_file_is_ever_read(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("TWEET")
    for body in (XXE % str(canary).encode(), (XXE % str(canary).encode()).decode().encode("utf-16")):
        with pytest.raises(Unreadable):
            read(body)
    hidden = b'<?xml version="1.0" encoding="utf-7"?>' + (XXE % str(canary).encode()).decode().encode("utf-7")
    with suppress(Unreadable):
        assert "TWEET" not in str(read(hidden))


def test_a_page_for_browsers_is_told_as_no_feed():
    with pytest.raises(Unreadable, match="no feed"):
        read(b"<!DOCTYPE html><html><head><title>Blog</title></head><body><p>Hello</p></body></html>")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00",
        b"{" * 200_000,
        b"[" * 200_000,
        b'{"version": "https://jsonfeed.org/version/1", "items": [' + b"[" * 200_000,
        b'{"version": "https://jsonfeed.org/version/1", "items": 9' + b"9" * 100_000 + b"}",
        b'<rss version="2.0"><channel>' + b"<item>" * 400_000,
        b"<rss>" + b" " * LARGEST_BODY,
        b"<!--" * 200_000,
        b"<?" * 200_000,
        b"<!---->" * 1_000_000,
        b"<?a?> " * 1_000_000,
        b"<!DOCTYPE rss>" * 500_000,
        b"<!DOCTYPE rss " + b"'a'" * 1_000_000,
        b"<!DOCTYPE rss" + b" " * 5_000_000,
    ],
    ids=range(15),
)
def test_a_hostile_body_is_a_clean_error_in_no_time(body):
    started = time.process_time()
    with pytest.raises(Unreadable):
        read(body)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "inside",
    [
        f"<author>{'a.a' * 300_000}</author>",
        f"<author><b>{'a.a' * 300_000}</b></author>",
        f"<itunes:keywords>{','.join(map(str, range(200_000)))}</itunes:keywords>",
        "".join(f"<category>{number}</category>" for number in range(40_000)),
        "<title " + " ".join(f'a{number}="1"' for number in range(40_000)) + ">x</title>",
    ],
    ids=["author", "author inside", "keywords", "categories", "attributes"],
)
def test_no_part_of_an_entry_takes_the_square_of_its_length(inside):
    started = time.process_time()
    with suppress(Unreadable):
        read(
            rss(f"<guid>1</guid>{inside}").replace(
                "<rss", '<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
            )
        )
    assert time.process_time() - started < 8


def test_an_author_is_still_told_by_name_and_address():
    shown = read(rss("<guid>1</guid><author>ann@blog.test (Ann)</author><category>a</category><category>b</category>"))
    assert shown.drafts[0].data["author"] == "ann@blog.test (Ann)"
    assert shown.drafts[0].data["tags"] == ["a", "b"]


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (404, {}, BadQuery),
        (410, {}, BadQuery),
        (403, {}, BadQuery),
        (429, {}, RateLimited),
        (429, {"retry_after": "3600"}, RateLimited),
        (503, {"retry_after": "3600"}, RateLimited),
        (429, {"retry_after": "9"}, RateLimited),
        (503, {"retry_after": "9"}, RateLimited),
        (503, {}, Unavailable),
        (500, {}, Unavailable),
    ],
)
def test_what_one_feed_refuses_concerns_no_other(status, headers, error):
    with pytest.raises(error):
        read(b"", status=status, **headers)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"url": ""},
        {"url": 5},
        {"url": "blog.test/feed"},
        {"url": "file:///etc/passwd"},
        {"url": "//x"},
        {"url": "https://"},
        {"url": "https://me:pw@blog.test/"},
        {"url": "http://[::1"},
        {"url": URL, "txt": "x"},
    ],
)
def test_parameters_that_are_wrong_are_told_in_a_sentence(params):
    assert len(Feed().check(params)) == 1


@pytest.mark.parametrize("params", [{"url": URL}, {"url": "/news.rss"}, {"url": URL, "text": ["python", "go db"]}])
def test_parameters_that_are_fine(params):
    assert Feed().check(params) == ()


def test_the_page_of_an_entry_is_asked_for_as_an_address_out_of_content():
    request = Feed().detail_request("k", "http://192.168.1.1/x")
    assert (request.url, request.is_from_content) == ("http://192.168.1.1/x", True)


def test_the_text_of_an_article_is_what_its_page_marks_as_one():
    words = "word " * 60
    page = f"<html><nav>menu</nav><article><p>{words}</p></article><footer>imprint</footer></html>"
    detail = Feed().read_detail(Answer(status=200, headers={}, body=page.encode(), url=URL))
    assert (detail.availability, detail.full_text) == ("alive", words.strip())
    bare = Feed().read_detail(Answer(status=200, headers={}, body=b"<p>hello</p>", url=URL))
    assert (bare.availability, bare.full_text) == ("alive", None)
    assert Feed().read_detail(Answer(status=410, headers={}, body=b"", url=URL)).availability == "gone"
