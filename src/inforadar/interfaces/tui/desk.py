"""The engine as screens use it: every call runs in a thread, so that keys never wait for the store."""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from inforadar.bootstrap import App
from inforadar.interfaces.standing import read_queries, read_sources
from inforadar.interfaces.tui import deciding
from inforadar.interfaces.tui.deciding import Decided
from inforadar.interfaces.tui.fetching import SweepFetch
from inforadar.interfaces.tui.live import News, read_news
from inforadar.interfaces.tui.match_grid import Way
from inforadar.interfaces.tui.match_lines import detail_lines
from inforadar.interfaces.tui.match_pages import (
    PAGE,
    Asked,
    MatchRow,
    Place,
    Window,
    query_topics,
    read_above,
    read_page,
    read_window,
)
from inforadar.interfaces.tui.narrowing import TO_DECIDE, Narrowing
from inforadar.interfaces.tui.record import Record
from inforadar.service.triage import Decision
from inforadar.store import analyses, deliveries, item_changes, matches
from inforadar.store.database import Tx

THREADS = 2
PATIENCE_S = 5.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is worth knowing beside the list: what does not answer, and whether a decision can be taken back."""

    outages: list[str]
    can_undo: bool


class Desk:
    """One engine, its threads, and the fetch that runs or ran last."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.topics = query_topics(app.config.watches)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="desk")
        self._fetch: SweepFetch | None = None

    def now(self) -> datetime:
        """What time it is."""
        return self.app.clock.now()

    def close(self) -> None:
        """Give up a fetch under way, and end the threads."""
        if self._fetch:
            self._fetch.abort()
            self._fetch.join(PATIENCE_S)
        self._threads.shutdown(wait=True, cancel_futures=True)

    def fetch(self, narrowing: Narrowing) -> SweepFetch:
        """A fetch that has not begun; it waits for the one before to let go."""
        self._fetch = SweepFetch(self.app, narrowing, after=self._fetch)
        return self._fetch

    async def call(self, work: Callable[[], T]) -> T:
        """Run something in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def reader(self, narrowing: Narrowing) -> "DeskReader":
        """Who reads the matches of a narrowing."""
        return DeskReader(self, narrowing)

    def asked(self, narrowing: Narrowing) -> Asked:
        """What a narrowing asks for now."""
        return Asked(narrowing=narrowing, topics=self.topics, now=self.now())

    async def news(self, narrowing: Narrowing, after: News | None) -> News:
        """What has happened to matches since the news before."""
        return await self.read(lambda tx: read_news(tx, self.asked(narrowing), after))

    async def detail(self, match_id: int) -> list[Record]:
        """Everything there is to say of one match."""
        return await self.read(lambda tx: self._detail(tx, match_id))

    async def opening(self) -> Narrowing:
        """What a list begins with: what is to be decided, or everything where there is nothing to decide."""
        found = await self.read(lambda tx: read_page(tx, self.asked(TO_DECIDE), None, 1))
        return TO_DECIDE if found else Narrowing()

    async def around(self) -> Around:
        """What is worth knowing beside the list."""
        return await self.read(self._around)

    async def decide(self, seen: Collection[MatchRow], verb: Decision) -> Decided:
        """Carry out one decision on matches, as far as they stand as they were seen."""
        return await self.write(lambda tx: deciding.decide(self.app, tx, seen, verb))

    async def undo(self) -> Decided:
        """Take back the last decision that can be."""
        return await self.write(lambda tx: deciding.undo(self.app, tx))

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Read from the store in a thread."""

        def run() -> T:
            with self.app.database.reading() as tx:
                return work(tx)

        return await self.call(run)

    async def write(self, work: Callable[[Tx], T]) -> T:
        """Write to the store in a thread, in one transaction."""

        def run() -> T:
            with self.app.database.transaction() as tx:
                return work(tx)

        return await self.call(run)

    def _detail(self, tx: Tx, match_id: int) -> list[Record]:
        match = matches.get(tx, match_id)
        if match is None:
            return [Record(text="This match is gone.", tone="faint")]
        return detail_lines(
            match,
            item_changes.of_item(tx, match.item_id),
            matches.events(tx, match_id),
            analyses.of_match(tx, match_id),
            deliveries.of_match(tx, match_id),
            self.now(),
        )

    def _around(self, tx: Tx) -> Around:
        now = self.now()
        found = read_sources(self.app, tx, read_queries(self.app, tx))
        outages = [f"{one.name}: {one.state(now)}" for one in found if one.why(now)]
        return Around(outages=outages, can_undo=deciding.can_undo(tx))


class DeskReader:
    """The matches of one narrowing, read from the store of a desk."""

    def __init__(self, desk: Desk, narrowing: Narrowing) -> None:
        self._desk = desk
        self._narrowing = narrowing

    async def pages(self, way: Way) -> list[MatchRow]:
        """The matches that a way leads to."""
        return await self._desk.read(lambda tx: self._pages(tx, way))

    async def window(self, at: Place | None) -> Window:
        """Whole pages around a place; None = at the end."""
        return await self._desk.read(lambda tx: read_window(tx, self._asked(), at))

    def _pages(self, tx: Tx, way: Way) -> list[MatchRow]:
        limit = way.pages * PAGE
        if way.above is not None:
            return read_above(tx, self._asked(), way.above, limit)
        return read_page(tx, self._asked(), way.below, limit)

    def _asked(self) -> Asked:
        return self._desk.asked(self._narrowing)
