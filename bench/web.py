"""The web page and the REST API over a small store and over a big one: what a page costs must not grow with the store.

Both stores are served at once, each by a `radar serve` of its own, and asked in turn, so that a busy machine is busy
for both of them.
"""

import http.client
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psycopg

from bench.table import Aim, print_table, print_title
from bench.web_store import BEGIN, COMMON, RARE, STEP_S, fill
from inforadar.interfaces.web.cursor import to_cursor
from inforadar.store.database import open_database
from inforadar.store.migrate import upgrade

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from postgres_server import running_postgres, with_database

SMALL = 10_000
BIG = 1_000_000
ROUNDS = 100
CLIENTS = 4
MOST_GROWTH = 2.0
NOISE_MS = 10.0
RADAR = (sys.executable, "-m", "inforadar")
SETTINGS = ("listen_addresses=", "fsync=off", "max_wal_size=4GB", "shared_buffers=256MB", "maintenance_work_mem=256MB")
CONFIG = """\
[store]
url = "{url}"
[web]
port = 0
[[watch]]
name = "bench"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
"""
NOTES = f"""\
  p95   of {ROUNDS} requests one after another, in milliseconds, of the small store and of the big one
  x     the p95 of the big store over that of the small one; {NOISE_MS:.0f} ms count as noise
  /s    requests a second of {CLIENTS} clients at once"""


# The kind of database, the url of a store for few matches, and of one for many.
Stores = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of request: its path for one place in a store of so many matches."""

    name: str
    path: Callable[[random.Random, int], str]


@dataclass(slots=True)
class Served:
    """A server over one store, and what was measured of it."""

    matches: int
    address: str
    took_s: dict[str, list[float]] = field(default_factory=dict)
    per_s: dict[str, float] = field(default_factory=dict)

    def p95_ms(self, name: str) -> float:
        """What 95 of a hundred requests stay below."""
        times = sorted(self.took_s[name])
        return times[min(len(times) - 1, int(len(times) * 0.95))] * 1000


def _place(chance: random.Random, matches: int) -> str:
    """A cursor somewhere in the list, as the API gives it."""
    number = chance.randint(matches // 4, matches)
    return to_cursor(BEGIN + timedelta(seconds=number * STEP_S), number)


def _pin(matches: int) -> str:
    """What a page of the inbox says that it showed."""
    return urlencode({"upto": matches, "made": datetime.now(UTC).isoformat()})


QUESTIONS = (
    Question("inbox", lambda _chance, _matches: "/"),
    Question("inbox, all", lambda _chance, _matches: "/?tab=all"),
    Question("inbox, rare word", lambda _chance, _matches: f"/?tab=all&text={RARE}"),
    Question("inbox, common word", lambda _chance, _matches: f"/?tab=all&text={COMMON}"),
    Question("inbox, no such word", lambda _chance, _matches: "/?text=nowhere"),
    Question("inbox, no such topic", lambda _chance, _matches: "/?tab=all&topic=nowhere"),
    Question("inbox, empty tab", lambda _chance, _matches: "/?tab=archive"),
    Question("select all matching", lambda _chance, matches: f"/matching?tab=unsuitable&{_pin(matches)}"),
    Question("item", lambda chance, matches: f"/items/{chance.randint(1, matches)}"),
    Question("API list", lambda _chance, _matches: "/api/items?limit=50"),
    Question("API list, deep", lambda chance, matches: f"/api/items?limit=50&before={_place(chance, matches)}"),
)


def measure(*, small: int = SMALL, big: int | None = None, rounds: int = ROUNDS) -> list[Aim]:
    """Ask both stores of each database, print a table for each, and say whether the aims were met."""
    big = big or int(os.environ.get("RADAR_BENCH_MATCHES", BIG))
    print_title(f"web: {small:,} and {big:,} matches")
    print(NOTES)
    return [aim for kind in (_sqlite, _postgres) for aim in _measured(kind, small, big, rounds)]


def _measured(stores: Callable[[], AbstractContextManager[Stores]], small: int, big: int, rounds: int) -> list[Aim]:
    with ExitStack() as stack:
        kind, *urls = stack.enter_context(stores())
        began = time.perf_counter()
        pair = [stack.enter_context(_serving(url, matches)) for url, matches in zip(urls, (small, big), strict=True)]
        print(f"\n  {kind}, filled in {time.perf_counter() - began:.0f} s", flush=True)
        for question in QUESTIONS:
            _ask(question, pair, rounds)
    rows = [_row(question.name, *pair) for question in QUESTIONS]
    print_table(["", f"p95 {small:,}", f"p95 {big:,}", "x", f"/s {small:,}", f"/s {big:,}"], rows)
    return [_aim(kind, question.name, *pair) for question in QUESTIONS]


def _ask(question: Question, pair: Sequence[Served], rounds: int) -> None:
    lines = {one.address: http.client.HTTPConnection(urlsplit(one.address).netloc) for one in pair}
    chance = random.Random(1)
    for number in range(rounds + 2):
        for one in pair:
            took_s = _get(lines[one.address], question.path(chance, one.matches))
            if number >= 2:  # the first ones open connections and load templates
                one.took_s.setdefault(question.name, []).append(took_s)
    for one in pair:
        one.per_s[question.name] = _per_s(question, one, max(1, rounds // 2))


def _get(line: http.client.HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    line.request("GET", path, headers={"Accept": "text/html"})
    answer = line.getresponse()
    body = answer.read()
    assert answer.status == 200, (path, answer.status, body[:200])
    return time.perf_counter() - began


def _per_s(question: Question, one: Served, requests: int) -> float:
    def ask(seed: int) -> None:
        line, chance = http.client.HTTPConnection(urlsplit(one.address).netloc), random.Random(seed)
        for _ in range(requests):
            _get(line, question.path(chance, one.matches))

    clients = [threading.Thread(target=ask, args=(seed,)) for seed in range(CLIENTS)]
    began = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return CLIENTS * requests / (time.perf_counter() - began)


def _growth(name: str, small: Served, big: Served) -> float:
    return big.p95_ms(name) / max(small.p95_ms(name), NOISE_MS)


def _row(name: str, small: Served, big: Served) -> list[str]:
    times = [f"{one.p95_ms(name):.1f}" for one in (small, big)]
    return [name, *times, f"{_growth(name, small, big):.1f}", *(f"{one.per_s[name]:,.0f}" for one in (small, big))]


def _aim(kind: str, name: str, small: Served, big: Served) -> Aim:
    growth = _growth(name, small, big)
    return Aim(
        what=f"web, {kind}, {name}: p95 of {big.matches:,} over {small.matches:,}",
        wanted=f"<= {MOST_GROWTH}",
        measured=f"{growth:.1f}",
        is_met=growth <= MOST_GROWTH,
    )


@contextmanager
def _serving(url: str, matches: int) -> Iterator[Served]:
    database = open_database(url)
    upgrade(database)
    fill(database, matches)
    database.close()
    with tempfile.TemporaryDirectory(prefix="radar-bench-") as folder:
        config = Path(folder) / "radar.toml"
        config.write_text(CONFIG.format(url=url), encoding="utf-8")
        config.chmod(0o600)
        server = subprocess.Popen([*RADAR, "--config", str(config), "serve"], cwd=folder, stderr=subprocess.PIPE)
        try:
            assert server.stderr is not None
            told = next((line for line in server.stderr if b"http://" in line), b"").decode()
            found = re.search(r"http://\S+\d", told)
            assert found, f"the server did not start: {told}"
            yield Served(matches, found[0])
        finally:
            server.terminate()
            server.wait()


@contextmanager
def _sqlite() -> Iterator[Stores]:
    with tempfile.TemporaryDirectory(prefix="radar-bench-") as folder:
        yield "SQLite", f"sqlite:///{folder}/small.db", f"sqlite:///{folder}/big.db"


@contextmanager
def _postgres() -> Iterator[Stores]:
    names = [f"radar_bench_{os.getpid()}_{size}" for size in ("small", "big")]
    with running_postgres(SETTINGS) as server, psycopg.connect(server, autocommit=True) as admin:
        for name in names:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        try:
            small, big = (with_database(server, name) for name in names)
            yield "PostgreSQL", small, big
        finally:
            for name in names:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
