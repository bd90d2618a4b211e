"""The engine as screens use it: every call runs in a thread, so that keys never wait for the store."""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.interfaces.standing import outage_words, read_queries, read_sources
from inforadar.interfaces.tui import deciding
from inforadar.interfaces.tui.config_file import ConfigFile
from inforadar.interfaces.tui.deciding import Decided
from inforadar.interfaces.tui.fetching import SweepFetch
from inforadar.interfaces.tui.live import News, read_news
from inforadar.interfaces.tui.match_grid import Way
from inforadar.interfaces.tui.match_lines import detail_lines
from inforadar.interfaces.tui.match_pages import (
    LARGEST_CHUNK,
    PAGE,
    Asked,
    MatchRow,
    Part,
    Place,
    Window,
    query_topics,
    read_above,
    read_part,
    read_window,
)
from inforadar.interfaces.tui.match_reader import Walk
from inforadar.interfaces.tui.narrowing import AWAITING, TO_DECIDE, Narrowing
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.window_finder import WindowFinder
from inforadar.service.triage import Decision
from inforadar.store import analyses, deliveries, inbox, item_changes, matches
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
    """One engine, its threads, the fetch that runs or ran last, and what was typed after each sign."""

    def __init__(self, app: App, renewed: Callable[[Config], None] = lambda _: None) -> None:
        self.app = app
        self._file = ConfigFile(app, renewed)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="desk")
        self._fetch: SweepFetch | None = None
        self.typed: dict[str, list[str]] = {}

    @property
    def topics(self) -> dict[str, set[str]]:
        """The topics of the configuration as it is now, each with the keys of its queries."""
        return query_topics(self.app.config.watches)

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
        found = await self.read(lambda tx: inbox.count(tx, AWAITING, due_at=self.now()))
        return TO_DECIDE if found.number else Narrowing()

    async def around(self) -> Around:
        """What is worth knowing beside the list."""
        return await self.read(self._around)

    async def follow_config(self) -> str:
        """Go on with what the file of the configuration says now; a sentence if there is something to tell of it."""
        return await self.call(self._file.look)

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
        return Around(outages=outage_words(found, now), can_undo=deciding.can_undo(tx))


class DeskReader:
    """The matches of one narrowing, read from the store of a desk.

    A long walk for the few that fit is made in parts, each short: what else is asked of the desk comes in between, and
    whoever wants something else meanwhile need not wait for its end.
    """

    def __init__(self, desk: Desk, narrowing: Narrowing) -> None:
        self._desk = desk
        self._narrowing = narrowing
        self.walk: Walk | None = None

    async def pages(self, way: Way) -> list[MatchRow]:
        """The matches that a way leads to."""
        asked, limit = self._asked(), way.pages * PAGE
        if (above := way.above) is not None:
            return await self._desk.read(lambda tx: read_above(tx, asked, above, limit))
        rows: list[MatchRow] = []
        below = way.below
        while True:
            part = await self._part(asked, below, limit - len(rows))
            rows += part.rows
            if part.walked_to is None:
                return rows
            below = part.walked_to
            self.walk = Walk(found=len(rows), back_to=below[0])

    async def window(self, at: Place | None) -> Window:
        """Whole pages around a place; None = at the end."""
        asked = self._asked()
        if not self._narrowing.topics:
            return await self._desk.read(lambda tx: read_window(tx, asked, at))
        finder, below = WindowFinder(at), None
        while True:
            part = await self._part(asked, below, LARGEST_CHUNK)
            finder.add(part.rows)
            below = part.walked_to or (part.rows[-1].place if len(part.rows) == LARGEST_CHUNK else None)
            if below is None:
                return finder.window()

    async def _part(self, asked: Asked, below: Place | None, limit: int) -> Part:
        return await self._desk.read(lambda tx: read_part(tx, asked, below, limit))

    def _asked(self) -> Asked:
        return self._desk.asked(self._narrowing)
