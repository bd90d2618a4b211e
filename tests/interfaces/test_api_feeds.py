"""Feeds over the REST API: what they show, that they stay the same, and that no listing writes into them."""

from dataclasses import fields, replace
from datetime import timedelta
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inforadar.domain.status import Status
from inforadar.interfaces.export.feeds import RENDERERS, Feed
from inforadar.interfaces.web.feeds import is_known
from inforadar.store import matches
from interfaces.api_server import running_api
from interfaces.hostile_texts import HOSTILE
from interfaces.strict_feeds import read_atom, read_rss, shown
from store.samples_of_rows import NOW, an_item

READERS = {"rss": read_rss, "atom": read_atom}
KINDS = pytest.mark.parametrize("kind", ["rss", "atom"])


def seed_analyzed(api, *items, watch="w"):
    """Matches that were found relevant."""
    ids = api.seed(*items, watch=watch)
    with api.app.database.transaction() as tx:
        for match_id in ids:
            matches.judged(tx, match_id, score=0.82, reason="Python & SQL", now=NOW)
            matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="fits", now=NOW)
    return ids


def entries(api, kind, **asked):
    response = api.get(f"/feeds/w.{kind}", **asked)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == f"application/{kind}+xml; charset=utf-8"
    return READERS[kind](response.text)


@KINDS
def test_a_feed_shows_what_was_found_relevant_with_its_link_and_why(api_on_both, kind):
    api = api_on_both
    seed_analyzed(api, an_item("1", title="Python < Rust", url="https://x.example/1?a=b&c=d"))
    api.seed(an_item("2", title="Waits for the judge"))
    seed_analyzed(api, an_item("3", title="Of another watch"), watch="v")
    (entry,) = entries(api, kind)
    assert (entry.title, entry.link) == ("Python < Rust", "https://x.example/1?a=b&c=d")
    assert "Score 0.82: Python & SQL" in shown(entry.content)
    assert {one.title for one in entries(api, kind, status=["QUEUED", "ANALYZED"])} == {
        "Python < Rust",
        "Waits for the judge",
    }


@KINDS
def test_a_feed_shows_the_newest_hundred_unless_asked_for_others(api, kind):
    seed_analyzed(api, *(an_item(str(n), title=f"T{n}", published_at=NOW + timedelta(minutes=n)) for n in range(103)))
    assert [entry.title for entry in entries(api, kind)] == [f"T{n}" for n in range(102, 2, -1)]
    assert [entry.title for entry in entries(api, kind, limit=2)] == ["T102", "T101"]


@KINDS
def test_an_entry_keeps_its_name_in_every_database_and_whatever_becomes_of_it(api, kind, tmp_path):
    (first,) = seed_analyzed(api, an_item("1"))
    before = entries(api, kind)
    with api.app.database.transaction() as tx:
        matches.move(tx, first, Status.ANALYZED, Status.SENT_TO_USER, who="machine", why="sent", now=NOW)
    assert [entry.name for entry in entries(api, kind)] == [before[0].name]
    with running_api(f"sqlite:///{tmp_path / 'elsewhere.db'}") as elsewhere:
        seed_analyzed(elsewhere, an_item("0"), an_item("1", title="Changed"))
        assert before[0].name in [entry.name for entry in entries(elsewhere, kind)]


def test_rss_and_atom_call_an_entry_the_same_and_watches_call_it_otherwise(api):
    seed_analyzed(api, an_item("1"))
    seed_analyzed(api, replace(an_item("1"), source="habr"), watch="w")
    names = {entry.name for entry in entries(api, "rss")}
    assert names == {entry.name for entry in entries(api, "atom")}
    assert len(names) == 2


@KINDS
def test_a_reader_that_has_it_is_told_so_until_it_changes(api, kind):
    seed_analyzed(api, an_item("1"))
    path = f"/feeds/w.{kind}"
    first = api.get(path)
    for known in (first.headers["etag"], f"W/{first.headers['etag']}", f'"other", {first.headers["etag"]}', "*"):
        again = api.client.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert first.headers["cache-control"] == "private, no-cache"
    seed_analyzed(api, an_item("2"))
    changed = api.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("known", [None, "", '"b"', "a", '"a', '*, "b"', 'W/"b"'])
def test_another_mark_is_not_known(known):
    assert not is_known('"a"', known)


@KINDS
def test_every_feed_needs_the_token(api, kind):
    bare = httpx2.get(f"{api.address}/feeds/w.{kind}")
    in_query = httpx2.get(f"{api.address}/feeds/w.{kind}", params={"token": "t0ken/of+the&web=page Ω"})
    assert (bare.status_code, in_query.status_code) == (401, 401)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/feeds/nobody.rss", 404),
        ("/feeds/..%2F..%2Fetc%2Fpasswd.rss", 404),
        ("/feeds/w.xml", 404),
        ("/feeds/.rss", 422),
        ("/feeds/" + "x" * 201 + ".rss", 422),
        ("/feeds/w.rss?limit=0", 422),
        ("/feeds/w.rss?status=LOST", 422),
        ("/feeds/w.rss?watch=w", 422),
    ],
)
def test_what_is_not_there_or_not_documented_is_a_problem(api, path, status):
    response = api.client.get(path)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


@KINDS
def test_an_empty_feed_is_a_feed(api, kind):
    assert entries(api, kind) == []


@KINDS
def test_no_hostile_text_writes_an_element_or_a_link(api, kind):
    hostile = [
        an_item(f"{n} {text}", title=text, url=text, company=text, company_key=str(n), data={"place": text})
        for n, text in enumerate(HOSTILE)
    ]
    seed_analyzed(api, *hostile)
    found = entries(api, kind, limit=500)
    assert len(found) == len(HOSTILE)
    for entry in found:
        shown(entry.content)
        assert entry.link is None or entry.link.startswith(("http://", "https://"))
        assert entry.name.startswith("urn:uuid:")


@KINDS
def test_a_watch_of_any_name_has_a_feed(sqlite_url, kind):
    name = 'C/C++ & "Rust" <b>.rss?#%'
    with running_api(sqlite_url) as api:
        api.app.config = replace(api.app.config, watches=(replace(api.app.config.watches[0], name=name),))
        seed_analyzed(api, an_item("1"), watch=name)
        response = api.client.get(f"/feeds/{quote(name, safe='')}.{kind}")
        assert len(READERS[kind](response.text)) == 1


@example(text="\ufffe\uffff", kind="rss")
@example(text="\x00\x0b]]><x>&nbsp;", kind="atom")
@given(text=st.text(max_size=40), kind=st.sampled_from(["rss", "atom"]))
@settings(max_examples=300, deadline=None)
def test_whatever_a_listing_holds_the_feed_can_be_read(text, kind):
    match = a_match(title=text, url=f"https://x.example/{text}", company=text, reason=text, source=text, watch=text)
    feed = Feed(name=text, address="http://127.0.0.1:8480/feeds/x.rss")
    (entry,) = READERS[kind]("".join(RENDERERS[kind](feed, [match])))
    shown(entry.content)


def a_match(**changed):
    """A match without a store."""
    known = {"id": 1, "key": "1", "kind": "vacancy", "published_at": NOW, "score": 0.5, "created_at": NOW}
    known |= {"data": {}, "also_on": ()}
    return matches.MatchView(**(dict.fromkeys(one.name for one in fields(matches.MatchView)) | known | changed))
