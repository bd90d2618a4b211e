"""A real web server on loopback over a seeded store, for the tests of the REST API."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Any

import httpx2

from inforadar.bootstrap import App, known_sources, open_app
from inforadar.config import parse
from inforadar.domain.item import Change, Item, ItemId
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.verdict import Verdict
from inforadar.interfaces.web.answers import Parts
from inforadar.interfaces.web.application import create_web
from inforadar.interfaces.web.door import Door
from inforadar.interfaces.web.server import served
from inforadar.store import analyses, deliveries, item_changes, items, jobs, matches, query_states, runs
from inforadar.store.database import Database
from store.samples_of_rows import NOW, a_query, an_item

TOKEN = "t0ken/of+the&web=page Ω"
CANARIES = [f"c4nary-{number}-{'x' * 12}" for number in range(5)]
CONFIG = f"""
[store]
url = "{{url}}"
[web]
port = 0
allowed_hosts = ["radar.example", "[2001:db8::1]:8080"]
{{web}}
[sources.hh]
token = "{CANARIES[0]}"
[judge]
kind = "openai"
model = "m"
token = "{CANARIES[1]}"
[telegram]
token = "{CANARIES[2]}"
chat_id = 1
[sheets]
spreadsheet_id = "s"
credentials = "{CANARIES[3]}"
[[watch]]
name = "w"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = {{{{ text = "python" }}}}
"""

_numbers = count(1)


@dataclass(slots=True, kw_only=True)
class Api:
    """A running server, its address, and a client that has the token."""

    app: App
    address: str
    client: httpx2.Client = field(repr=False)
    door: Door

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def get(self, path: str, **asked: Any) -> httpx2.Response:
        return self.client.get(path, params=asked or None)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return self.client.post(path, json=body, headers=headers)

    def seed(self, *wanted: Item, watch: str = "w") -> list[int]:
        """Matches of these items; their ids, in the order of the items."""
        with self.app.database.transaction() as tx:
            ids = items.insert(tx, wanted)
            created = matches.create(tx, watch, "q1", list(ids.values()), NOW, "machine", "found")
        return [created[ids[item.key]] for item in wanted]

    def seed_one(self) -> list[int]:
        """A match that was not there before."""
        return self.seed(an_item(f"one {next(_numbers)}"))

    def item_id(self, match_id: int) -> ItemId:
        with self.app.database.reading() as tx:
            match = matches.get(tx, match_id)
        assert match is not None
        return match.item_id

    def status(self, match_id: int) -> str:
        return str(self.get(f"/api/items/{match_id}").json()["status"])


@contextmanager
def running_api(url: str, *, token: str | None = TOKEN) -> Iterator[Api]:
    """A server over the store at `url`."""
    web = f'token = "{token}"' if token else ""
    config = parse(CONFIG.format(url=url, web=web), known_sources(), {}, lambda _name: "")
    headers = {"Authorization": f"Bearer {token}".encode()} if token else {}
    with open_app(config) as app:
        door = create_web(Parts(app=app, meter=app.meter(), triage=app.triage()), config.web)
        with (
            served(door, config.web, app.stop) as address,
            httpx2.Client(base_url=address, headers=headers, timeout=30) as client,
        ):
            yield Api(app=app, address=address, client=client, door=door)


def furnish(database: Database) -> None:
    """Something of everything: matches with history, verdicts and deliveries, jobs, runs and states."""
    wanted = [an_item(str(n), published_at=NOW + timedelta(minutes=n)) for n in range(20)]
    article = replace(an_item("a"), source="habr", kind="article", data={"hubs": ["python"], "author": "ann"})
    query = a_query("q1")
    with database.transaction() as tx:
        created = _matched(tx, wanted, "w") + _matched(tx, [article], "v")
        first = created[0]
        query_states.ensure(tx, query, NOW)
        query_states.start(tx, query, NOW)
        run_id = runs.start(tx, "q1", "w", "hh", NOW)
        runs.add(tx, run_id, Counters(pages=2, requests=2, seen=20, unseen=20, added=20))
        runs.finish(tx, run_id, NOW, status="PARTIAL", stop_reason=StopReason.LIMIT_REACHED, left=3, notes=["cut"])
        query_states.fail(tx, query, NOW, "it was down")
        item_changes.add(tx, run_id, NOW, [(ItemId(1), Change(field="title", old="Python", new=None))])
        verdict = Verdict(judge="words", score=0.5, reason="because", skills=("sql",))
        analyses.add(tx, first, verdict, is_relevant=False, substance="s", now=NOW)
        matches.judged(tx, first, score=0.5, reason="because", now=NOW)
        deliveries.add(tx, first, "telegram", state="waiting", due_at=NOW, now=NOW)
        jobs.put(tx, [jobs.process_job(match_id, published_at=NOW) for match_id in created])
        jobs.cancel(tx, 1, who="user")


def _matched(tx: Any, wanted: Sequence[Item], watch: str) -> list[int]:
    ids = items.insert(tx, wanted)
    return list(matches.create(tx, watch, "q1", list(ids.values()), NOW, "machine", "found").values())
