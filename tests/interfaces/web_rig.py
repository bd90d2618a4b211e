"""The web page over a store with something on every page, for the tests of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx2

from inforadar.bootstrap import known_sources, open_app
from inforadar.config import parse
from inforadar.domain import health
from inforadar.domain.coverage import Coverage, Stretch, to_json
from inforadar.domain.errors import Unavailable
from inforadar.domain.item import Change, ItemId
from inforadar.domain.ports import Clock
from inforadar.domain.price import Price, PricePoint
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.status import Status
from inforadar.domain.valuation import Valuation
from inforadar.domain.verdict import Verdict
from inforadar.interfaces.web.answers import Parts
from inforadar.interfaces.web.application import create_web
from inforadar.interfaces.web.server import served
from inforadar.store import (
    analyses,
    deliveries,
    events,
    item_changes,
    items,
    jobs,
    matches,
    price_points,
    query_states,
    runs,
    sources,
    tombstones,
    valuations,
)
from interfaces.api_server import Api
from store.samples_of_rows import a_tombstone, an_item

TOKEN = "a token of the page Ω"
CONFIG = """
[store]
url = "{url}"
[web]
port = 0
{web}
[telegram]
token = "1:x"
chat_id = 1
[sources.ebay]
client_id = "i"
client_secret = "s"
[[watch]]
name = "w"
kind = "vacancy"
profile = "python"
ban_words = ["junior"]
max_experience_years = 3
deliver = ["telegram"]
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
[[watch]]
name = "other"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = {{ text = "sql" }}
[[watch]]
name = "morgan"
kind = "price"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan" }}
"""
PAGES = (
    *("/", "/?tab=all&watch=x&source=y&topic=z&text=t&score=0.1&days=5", "/?tab=later", "/?done=1", "/items/1"),
    *("/sources", "/queries", "/runs?query=x", "/runs", "/jobs", "/jobs/1", "/watches", "/prices", "/prices/morgan"),
    *("/watches/new", "/skills", "/why?q=1", "/why?q=hh:gone", "/why?q=nothing", "/why"),
)


@contextmanager
def running_web(
    url: str,
    *,
    token: str | None = None,
    file: Path | None = None,
    extra: str = "",
    web: str = "",
    clock: Clock | None = None,
) -> Iterator[Api]:
    """A server over the store at `url`; its client is a browser that has shown nothing yet.

    `file`: where its configuration is written, with `extra` at its end; else it has no file. `web`: more of [web].
    """
    web += f'\ntoken = "{token}"' if token else ""
    text = CONFIG.format(url=url, web=web) + extra
    config = parse(text, known_sources(), {}, lambda _name: "")
    if file is not None:
        file.write_text(text, encoding="utf-8")
        file.chmod(0o600)
        config = replace(config, path=file)
    with open_app(config, clock) as app:
        door = create_web(Parts(app=app, meter=app.meter(), triage=app.triage()), config.web)
        try:
            with (
                served(door, config.web, app.stop) as address,
                httpx2.Client(base_url=address, headers={"Accept": "text/html"}, timeout=30) as client,
            ):
                yield Api(app=app, address=address, client=client, door=door)
        finally:
            app.stop.set()


def proof_of(page: httpx2.Response) -> str:
    """The proof that the forms of a page carry."""
    return re.search(r'name="proof" value="(\w+)"', page.text)[1]  # type: ignore[index]


def furnish_pages(api: Api) -> int:
    """Something on every page; the id of a match with everything."""
    now = api.app.clock.now()
    query = api.app.config.watches[0].queries[0]
    with api.app.database.transaction() as tx:
        first = replace(
            an_item("1", published_at=now), data={"place": "Madrid", "full_text": "all of it", "tags": ["a"]}
        )
        second = replace(first, key="2", source="habr", url="https://habr.com/2", company_key="c2")
        ids = items.insert(tx, [first]) | items.insert(tx, [second])
        created = matches.create(tx, "w", query.key, list(ids.values()), now, "machine", "found")
        match_id, other = (created[ids[key]] for key in ("1", "2"))
        query_states.ensure(tx, query, now)
        query_states.start(tx, query, now)
        run_id = runs.start(tx, query.key, "w", "hh", now)
        runs.add(tx, run_id, Counters(pages=2, requests=2, seen=20, unseen=20, added=20))
        told = {"notes": ["cut"], "warnings": ["odd"]}
        runs.finish(tx, run_id, now, status="PARTIAL", stop_reason=StopReason.LIMIT_REACHED, left=3, **told)
        query_states.fail(tx, query, now, "it was down")
        stretches = [
            Stretch(upto=now, after=now - timedelta(days=1), count=9),
            Stretch(upto=now - timedelta(days=3), after=now - timedelta(days=5), count=5, is_ended=True),
        ]
        query_states.save_coverage(tx, query, to_json(Coverage(stretches=tuple(stretches))))
        item_changes.add(tx, run_id, now, [(ItemId(ids["1"]), Change(field="title", old="Old", new="New"))])
        verdict = Verdict(judge="words", score=0.85, reason="because", skills=("sql", "python"))
        for one in (match_id, other):
            analyses.add(tx, one, verdict, is_relevant=True, substance="s", now=now)
            matches.judged(tx, one, score=0.85, reason="because", now=now)
            matches.move(tx, one, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
        deliveries.add(tx, match_id, "telegram", state="held", due_at=now, now=now, why="quiet hours")
        jobs.put(tx, [jobs.process_job(one, published_at=now) for one in (match_id, other)])
        jobs.cancel(tx, 1, who="user")
        jobs.pause_kind(tx, "sweep", who="me", reason="a reason")
        matches.annotate(tx, match_id, "my note", now)
        tombstones.add(tx, [a_tombstone("gone", watch="w", source="hh")])
        events.add(tx, health.News(kind="alarm", message="look"), "hh", now)
        _prices(tx, now)
    with api.app.database.transaction() as tx:
        act = api.app.triage().mark(tx, [other], "later", "cli")
        assert act.id == 1
    _outage(api, now)
    return match_id


def _prices(tx, now):
    points = [
        PricePoint(
            watch="morgan",
            source="ebay",
            dedupe_key=f"ext_{n}",
            item_key=str(n),
            url=f"https://www.ebay.com/itm/{n}",
            title=f"1921 Morgan {n}",
            price=Price(cents=5000 + n, currency="USD", type="sold"),
            observed_on=now.date(),
            match_strength=0.9,
            why="year",
        )
        for n in range(3)
    ]
    price_points.save(tx, points, now)
    for days in (9, 4, 1):
        at = now - timedelta(days=days)
        quantiles = {10: 4000, 25: 4500 + days, 50: 5000 + days * 10, 75: 5600, 90: 6000}
        valuations.touch(tx, "morgan", at)
        value = Valuation(currency="USD", basis="sold", quantiles=quantiles, count=20 + days, left_out={"too old": 2})
        valuations.save(tx, "morgan", value, at)


def _outage(api: Api, now) -> None:
    with api.app.database.transaction() as tx:
        sources.register(tx, "hh", rate_limit_per_minute=60, enabled=True, paced_at=now)
        for _ in range(8):
            sources.change(tx, "hh", now, lambda one: health.after_failure(one, Unavailable("it is down"), now, 0.5))
