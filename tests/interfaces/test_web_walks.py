"""Lists that next to nothing fits are walked a part at a time, by the API and by "select all" too."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from inforadar.store import inbox, items, matches
from interfaces.api_server import Api
from interfaces.web_rig import running_web
from store.samples_of_rows import an_item


@pytest.fixture
def web(database_url) -> Iterator[Api]:
    """An empty page, over each database in turn."""
    with running_web(database_url) as running:
        yield running


def seed(api: Api, count: int) -> list[int]:
    """So many queued matches, newest first."""
    now = api.app.clock.now()
    made = [an_item(str(n), published_at=now - timedelta(minutes=n), data={"n": n}) for n in range(count)]
    with api.app.database.transaction() as tx:
        ids = items.insert(tx, made)
        created = matches.create(tx, "w", "q", list(ids.values()), now, "machine", "found")
        for item in (made[3], made[17]):
            matches.judged(tx, created[ids[item.key]], score=0.9, reason="r", now=now)
    return [created[ids[item.key]] for item in made]


def test_the_api_goes_on_from_as_far_as_it_looked_and_leaves_nothing_out(web, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_WALKED", 5)
    ids = seed(web, 20)
    found, pages, before = [], 0, {}
    while pages < 20:
        told = web.client.get("/api/items", params={"min_score": 0.9, **before}).json()
        found += [one["id"] for one in told["items"]]
        pages += 1
        if told["next"] is None:
            break
        before = {"before": told["next"]}
    assert found == [ids[3], ids[17]]
    assert 3 <= pages <= 6


def test_select_all_looks_as_far_as_a_page_and_says_that_there_may_be_more(web, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_WALKED", 5)
    seed(web, 20)
    asked = {"tab": "all", "score": "0.9", "upto": "1000000", "made": web.app.clock.now().isoformat()}
    assert web.client.get("/matching", params=asked).json() == {"number": 1, "is_more": True}
