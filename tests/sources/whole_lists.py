"""Sources whose whole list every sweep reads, under trial: six boards and a feed in three formats."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flows.rig import rows, watch_and_query
from inforadar.collect.report import QueryReport
from inforadar.contract import SourceCase, Trial
from inforadar.domain.ports import Source
from inforadar.domain.watch import Query, Watch
from inforadar.simulator.boards import board_of
from inforadar.simulator.boards_shape import wire_id
from inforadar.simulator.feeds import guid_of
from inforadar.simulator.vocabulary import COMPANIES
from inforadar.sources.ashby import Ashby
from inforadar.sources.feed import Feed
from inforadar.sources.feed_entry import feed_sign
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.lever import Lever
from inforadar.sources.recruitee import Recruitee
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.sources.workable import Workable
from inforadar.store.database import Database

COMPANY = COMPANIES[0]
HOUR = timedelta(hours=1)
BOARD = board_of(COMPANY)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeListCase(SourceCase):
    """One such source; `key_of`: the key of an entry of the simulator. `is_board`: what is gone from it is closed."""

    key_of: Callable[[str], str] = str
    is_board: bool = True
    entry: Mapping[str, Any] = field(default_factory=dict)


def board(name: str, make: Callable[[], Source]) -> WholeListCase:
    """The board of one company."""
    return WholeListCase(
        name=name,
        make=make,
        site=name,
        params={"board": BOARD},
        entry={"company": COMPANY},
        key_of=lambda entry_id: f"{BOARD}/{wire_id(name, entry_id)}",
    )


def feed(path: str) -> WholeListCase:
    """A feed of the simulator."""
    return WholeListCase(
        name=f"feed{path}",
        make=Feed,
        site="feed",
        params={"url": path},
        key_of=lambda entry_id: feed_sign(path) + guid_of(entry_id),
        is_board=False,
    )


PAGED = board("smartrecruiters", SmartRecruiters)
BOARD_CASES = (
    board("greenhouse", Greenhouse),
    board("lever", Lever),
    board("ashby", Ashby),
    board("workable", Workable),
    board("recruitee", lambda: Recruitee(base_url="http://local")),
    PAGED,
)
FEED_CASES = (feed("/news.rss"), feed("/news.atom"), feed("/news.json"))


class WholeListTrial(Trial):
    """A still world with a short whole list, one query over it, and a process that sweeps it."""

    case: WholeListCase

    def __init__(self, case: WholeListCase, database: Database, *, entries: int = 12, **bounds: Any) -> None:
        super().__init__(case, database, pages=entries / case.make().paging.size, **bounds)

    @property
    def visible(self) -> set[str]:
        """The keys of what the site shows now."""
        return {self.case.key_of(entry_id) for entry_id in self.world.visible_ids(self.search)}

    def asking(self, params: Mapping[str, Any], watch: str = "watch") -> tuple[Watch, Query]:
        """Another query over the same world."""
        return watch_and_query(self.source, params, watch=watch)

    def key(self, place: int) -> str:
        """The key of one of the entries the trial began with."""
        return self.case.key_of(self.entries[place].id)

    def statuses(self) -> dict[str, str]:
        """The status of each match by the key of its item."""
        found = rows(self.database, "SELECT i.key, m.status FROM matches m JOIN items i ON i.id = m.item_id")
        return {row["key"]: row["status"] for row in found}

    def missed(self) -> set[str]:
        """The keys of the items that a complete list did not show."""
        return {row["key"] for row in rows(self.database, "SELECT key FROM items WHERE gone_seen_at IS NOT NULL")}

    def sweep_later(self, after: timedelta = HOUR) -> QueryReport:
        """One sweep some time after the last."""
        self.internet.advance(after.total_seconds())
        return self.sweep()

    def take_off(self, *places: int) -> None:
        """Withdraw entries the trial began with."""
        for place in places:
            self.world.withdraw(self.case.site, self.entries[place].id)
