"""A job that was posted often is named a few times, with the number of all, wherever matches are shown."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser

from inforadar.domain.status import Status
from inforadar.store import items, matches
from interfaces.api_server import Api
from interfaces.web_rig import running_web
from store.samples_of_rows import an_item


@pytest.fixture
def web(database_url) -> Iterator[Api]:
    """An empty page, over each database in turn."""
    with running_web(database_url) as running:
        yield running


def post_often(api: Api, count: int) -> int:
    """One job posted so many times; the id of a match of it."""
    now = api.app.clock.now()
    job = {"title": "Python developer", "company": "Acme", "data": {"place": "Madrid"}}
    posted = [an_item(str(n), published_at=now - timedelta(minutes=n), **job) for n in range(count)]
    with api.app.database.transaction() as tx:
        created = matches.create(tx, "w", "q", list(items.insert(tx, posted).values()), now, "machine", "found")
        for match_id in created.values():
            matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
    return min(created.values())


def test_a_job_posted_often_makes_no_long_page(web):
    first = post_often(web, 70)
    for card in LexborHTMLParser(web.client.get("/").text).css(".card .also"):
        assert len(card.css("a[rel]")) == 5
        assert "69 in all" in card.text()
    told = LexborHTMLParser(web.client.get(f"/items/{first}").text).css("section ul.events")[0]
    assert len(told.css("li")) == 51
    assert "69 in all" in told.text()
    assert {len(one["also_on"]) for one in web.client.get("/api/items").json()["items"]} == {5}
    one = web.client.get(f"/api/items/{first}").json()
    (listed, *_) = web.client.get("/api/items").json()["items"]
    (told,) = web.client.get(f"/api/why?q={first}").json()["matches"]
    assert len(one["also_on"]) == 50
    assert (one["others"], listed["others"], told["others"]) == (69, 69, 69)
