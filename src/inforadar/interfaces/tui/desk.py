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
from inforadar.interfaces.tui.match_lines import detail_lines
from inforadar.interfaces.tui.match_pages import MatchRow, Place, query_topics, read_page
from inforadar.interfaces.tui.narrowing import Narrowing
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

    async def rows(self, narrowing: Narrowing, below: Place | None, limit: int) -> list[MatchRow]:
        """The next matches below a place."""
        return await self._read(lambda tx: read_page(tx, narrowing, self.topics, self.now(), below, limit))

    async def detail(self, match_id: int) -> list[Record]:
        """Everything there is to say of one match."""
        return await self._read(lambda tx: self._detail(tx, match_id))

    async def around(self) -> Around:
        """What is worth knowing beside the list."""
        return await self._read(self._around)

    async def decide(self, match_ids: Collection[int], verb: Decision) -> Decided:
        """Carry out one decision on matches."""
        return await self._write(lambda tx: deciding.decide(self.app, tx, match_ids, verb))

    async def undo(self) -> Decided:
        """Take back the last decision that can be."""
        return await self._write(lambda tx: deciding.undo(self.app, tx))

    async def _read(self, work: Callable[[Tx], T]) -> T:
        def run() -> T:
            with self.app.database.reading() as tx:
                return work(tx)

        return await self.call(run)

    async def _write(self, work: Callable[[Tx], T]) -> T:
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
