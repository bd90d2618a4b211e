"""What happens in a world by chance: how often, and what each kind of event does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from inforadar.simulator import vocabulary
from inforadar.simulator.entry import Closing, Entry
from inforadar.simulator.making import copy_entry, make_entry, places_of
from inforadar.simulator.world import World

LATE_H = (0.1, 6.0)
HIDDEN_H = (24.0, 48.0)
CROSS_POSTED_H = (0.0, 12.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many events of each kind an hour brings to one site on average; `burst_size` is the largest burst.

    `late` entries become visible minutes to hours after their date; `hidings` last one to two days;
    `cross_posted` is the share of hh's arrivals that LinkedIn gets too, under an id of its own.
    """

    arrivals: float = 0.0
    late: float = 0.0
    bursts: float = 0.0
    withdrawals: float = 0.0
    bumps: float = 0.0
    reposts: float = 0.0
    hidings: float = 0.0
    edits: float = 0.0
    burst_size: int = 8
    cross_posted: float = 0.0

    def times(self, factor: float) -> "Pace":
        """The same mixture of events, `factor` times as often."""
        return replace(self, **{kind: getattr(self, kind) * factor for kind in HAPPENINGS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where an event happens, and the chance that decides about it."""

    world: World
    source: str
    pace: Pace
    chance: Random

    def new_entry(self, published_at: datetime) -> Entry:
        """An entry nobody has seen yet."""
        entry_id = self.world.next_id(self.source, self.chance)
        return make_entry(self.source, entry_id, published_at, self.chance, self.world.hostile_share)

    def some_visible(self) -> list[Entry]:
        """One of the site's visible entries; none if it has none."""
        ids = self.world.visible_in(self.source)
        return [self.world.entry(self.source, self.chance.choice(ids))] if ids else []

    def in_hours(self, bounds: tuple[float, float]) -> datetime:
        """A moment to come, so many hours from now."""
        return self.world.now + timedelta(hours=self.chance.uniform(*bounds))


def drive(world: World, source: str, pace: Pace) -> None:
    """Let chance move one site of the world from now on."""
    for kind in HAPPENINGS:
        rate = getattr(pace, kind)
        if rate > 0:
            turn = Turn(world=world, source=source, pace=pace, chance=world.chance(f"{source}/{kind}"))
            _plan(turn, kind, rate)


def stock(world: World, source: str, count: int, days: float, burst_share: float = 0.1) -> None:
    """Fill a site with entries of the days before now, some of them in groups of one date."""
    turn = Turn(world=world, source=source, pace=Pace(), chance=world.chance(f"{source}/stock"))
    moments = sorted(world.now - timedelta(days=turn.chance.uniform(0, days)) for _ in range(count))
    for number in range(1, count):
        if turn.chance.random() < burst_share:
            moments[number] = moments[number - 1]
    for moment in moments:
        world.place(turn.new_entry(moment), visible_at=moment)


def _plan(turn: Turn, kind: str, rate: float) -> None:
    def happen() -> None:
        HAPPENINGS[kind](turn)
        _plan(turn, kind, rate)

    turn.world.later(turn.world.now + timedelta(hours=turn.chance.expovariate(rate)), happen)


def _arrive(turn: Turn) -> None:
    entry = turn.world.place(turn.new_entry(turn.world.now))
    is_shared = turn.source == "hh" and entry.place.geo and turn.chance.random() < turn.pace.cross_posted
    if is_shared:
        turn.world.later(turn.in_hours(CROSS_POSTED_H), lambda: _cross_post(turn, entry))


def _cross_post(turn: Turn, entry: Entry) -> None:
    entry_id = turn.world.next_id("linkedin", turn.chance)
    turn.world.place(copy_entry(entry, "linkedin", entry_id, turn.world.now))


def _arrive_late(turn: Turn) -> None:
    entry = turn.new_entry(turn.world.now)
    turn.world.later(turn.in_hours(LATE_H), lambda: turn.world.place(entry))


def _burst(turn: Turn) -> None:
    size = turn.chance.randint(3, max(3, turn.pace.burst_size))
    if turn.source == "habr" or turn.chance.random() < 0.5:
        for _ in range(size):
            turn.world.place(turn.new_entry(turn.world.now))
        return
    _burst_over_cities(turn, size)


def _burst_over_cities(turn: Turn, size: int) -> None:
    first = turn.world.place(turn.new_entry(turn.world.now))
    others = [place for place in places_of(turn.source) if place != first.place]
    for place in turn.chance.sample(others, k=min(size - 1, len(others))):
        entry_id = turn.world.next_id(turn.source, turn.chance, is_consecutive=True)
        turn.world.place(copy_entry(first, turn.source, entry_id, turn.world.now, place=place))


def _withdraw(turn: Turn) -> None:
    for entry in turn.some_visible():
        closing: Closing = "archived" if turn.chance.random() < 0.7 else "deleted"
        turn.world.withdraw(turn.source, entry.id, closing)


def _bump(turn: Turn) -> None:
    for entry in turn.some_visible():
        turn.world.bump(turn.source, entry.id)


def _repost(turn: Turn) -> None:
    for entry in turn.some_visible():
        if turn.chance.random() < 0.5:
            turn.world.withdraw(turn.source, entry.id)
        entry_id = turn.world.next_id(turn.source, turn.chance)
        turn.world.place(copy_entry(entry, turn.source, entry_id, turn.world.now))


def _hide(turn: Turn) -> None:
    for entry in turn.some_visible():
        turn.world.hide(turn.source, entry.id)
        _plan_return(turn, entry.id)


def _plan_return(turn: Turn, entry_id: str) -> None:
    turn.world.later(turn.in_hours(HIDDEN_H), lambda: turn.world.show(turn.source, entry_id))


def _edit(turn: Turn) -> None:
    for entry in turn.some_visible():
        changes: tuple[dict[str, Any], ...] = (
            {"title": _retitled(entry)},
            {"snippet": (entry.snippet[1], entry.snippet[0])},
            {"tags": (*entry.tags[1:], *entry.tags[:1], "Remote")[-4:]},
        )
        turn.world.edit(turn.source, entry.id, **turn.chance.choice(changes))


def _retitled(entry: Entry) -> str:
    mark = vocabulary.EDITS[entry.lang]
    return entry.title.removesuffix(mark) if entry.title.endswith(mark) else entry.title + mark


HAPPENINGS: dict[str, Callable[[Turn], None]] = {
    "arrivals": _arrive,
    "late": _arrive_late,
    "bursts": _burst,
    "withdrawals": _withdraw,
    "bumps": _bump,
    "reposts": _repost,
    "hidings": _hide,
    "edits": _edit,
}
