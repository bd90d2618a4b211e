"""What each way of collecting a moving feed loses, doubles and asks for, side by side on the same movement."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import add

from bench.movement import HOUR, Feed, Pace, Script, write_script
from bench.rivals import PAGE_LIMIT, FirstKnown, HighWater, Ideal, Ours, ReWalk, Rival
from bench.table import Aim, print_table, print_title
from inforadar.domain.paging import Paging

LATENCY = 10 / 60
CALM_CYCLES = 16
OWED_AFTER = 16
MOST_REQUESTS = 1.2

DEFINITIONS = f"""\
  lost      in the list without a break for {OWED_AFTER} whole cycles, and never stored
            (with a limit: and still in the list at the end, for a limited sweep may be late)
  doubled   handed on as new more than once
  ideal     an oracle: pages that hold new items + look-back pages of covered ground (1, 2, 1, 4, 1, 2, 1, 8, ...
            by the cycle, on to 2d where a late arrival stands on the d-th); no seams, landings or deep checks
  The high-water mark has a limit of {PAGE_LIMIT} pages after its first cycle. All play the same script by the clock."""

OFFSET = Paging(kind="offset", size=10)
TOTAL = Paging(kind="page", size=10, largest_size=10, has_exact_total=True)
LIKE_HH = Paging(
    kind="page",
    size=100,
    largest_size=100,
    depth=2000,
    filters_by_date=True,
    date_grain=timedelta(minutes=5),
    has_exact_total=True,
    slack=timedelta(minutes=15),
    lookback_days=2,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One kind of feed and how it moves."""

    name: str
    paging: Paging = OFFSET
    pace: Pace
    stock: int = 400
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one way of collecting came to in one scenario, over all seeds."""

    name: str
    lost: int = 0
    doubled: int = 0
    first: int = 0
    later: int = 0

    @property
    def requests(self) -> int:
        """All requests."""
        return self.first + self.later

    def __add__(self, other: "Score") -> "Score":
        return Score(
            name=self.name,
            lost=self.lost + other.lost,
            doubled=self.doubled + other.doubled,
            first=self.first + other.first,
            later=self.later + other.later,
        )


STEADY = Pace(arrivals=6, withdrawals=6)
EVERYTHING = Pace(arrivals=9, late=1, withdrawals=7, expiries=0.2, bumps=2, tie_size=3)
SCENARIOS = (
    Scenario(name="offset 10, steady", pace=STEADY),
    Scenario(name="page 10 with total, steady", paging=TOTAL, pace=STEADY),
    Scenario(name="busy top", pace=Pace(arrivals=60, withdrawals=60), stock=800),
    Scenario(name="late arrivals", pace=Pace(arrivals=6, late=2, withdrawals=8)),
    Scenario(name="withdrawals between pages", pace=Pace(arrivals=40, withdrawals=40, busy_top=0.9)),
    Scenario(name="shrinking lists", pace=Pace(arrivals=3, expiries=0.5)),
    Scenario(name="bumps", pace=Pace(arrivals=6, withdrawals=6, bumps=6)),
    Scenario(name="ties of 25", pace=Pace(arrivals=25, withdrawals=25, tie_size=25)),
    Scenario(name="everything, offset 10", pace=EVERYTHING),
    Scenario(name="everything, page 10 with total", paging=TOTAL, pace=EVERYTHING),
    Scenario(name="everything, like hh", paging=LIKE_HH, pace=Pace(arrivals=30, late=1, withdrawals=30), stock=1500),
    Scenario(name="limit 10, offset 10", pace=Pace(arrivals=3, withdrawals=2, bumps=0.5), stock=300, limit=10),
    Scenario(name="limit 3, busy top, offset 10", pace=Pace(arrivals=2, tie_size=2), stock=60, limit=3),
    Scenario(name="limit 20, like hh", paging=LIKE_HH, pace=Pace(arrivals=6, withdrawals=2), stock=500, limit=20),
)


def measure(*, cycles: int = 64, seeds: int = 3, scenarios: Sequence[Scenario] = SCENARIOS) -> list[Aim]:
    """Run every scenario, print a table for each, and say whether the aims were met."""
    spans = f"{cycles} moving and {CALM_CYCLES} calm cycles, one an hour"
    print_title(f"sweeps: {spans}, {seeds} seeds, {LATENCY * 60:.0f} s a request")
    print(DEFINITIONS)
    ours = [_compare(scenario, cycles, seeds) for scenario in scenarios]
    lost, doubled = sum(score.lost for score, _ in ours), sum(score.doubled for score, _ in ours)
    ratio = sum(score.requests for score, _ in ours) / sum(ideal.requests for _, ideal in ours)
    worst, where = max((pair[0].requests / pair[1].requests, s.name) for pair, s in zip(ours, scenarios, strict=True))
    return [
        Aim(what="sweep: items lost", wanted="0", measured=str(lost), is_met=lost == 0),
        Aim(what="sweep: items doubled", wanted="0", measured=str(doubled), is_met=doubled == 0),
        _requests("over all feeds", ratio),
        _requests(f"on the worst feed ({where})", worst),
    ]


def _requests(where: str, ratio: float) -> Aim:
    return Aim(
        what=f"sweep: requests of the ideal's, {where}",
        wanted=f"<= {MOST_REQUESTS}",
        measured=f"{ratio:.2f}",
        is_met=ratio <= MOST_REQUESTS,
    )


def _compare(scenario: Scenario, cycles: int, seeds: int) -> tuple[Score, Score]:
    scripts = [_script(scenario, cycles, seed) for seed in range(seeds)]
    owed = sum(len(_owed(script, scenario, cycles)) for script in scripts)
    scores = [
        reduce(add, (_score(make(Feed(script), scenario.limit), script, scenario, cycles) for script in scripts))
        for make in (Ours, FirstKnown, HighWater, ReWalk, Ideal)
    ]
    _print_scores(scenario, scores, owed, (cycles + CALM_CYCLES - 1) * seeds)
    return scores[0], scores[-1]


def _script(scenario: Scenario, cycles: int, seed: int) -> Script:
    return write_script(scenario.paging, scenario.pace, stock=scenario.stock, hours=cycles, seed=seed)


def _score(rival: Rival, script: Script, scenario: Scenario, cycles: int) -> Score:
    first = 0
    for cycle in range(cycles + CALM_CYCLES):
        rival.feed.advance(cycle * HOUR)
        rival.sweep(LATENCY)
        first = first or rival.feed.requests
    stored = set(rival.stored)
    return Score(
        name=rival.name,
        lost=len(_owed(script, scenario, cycles) - stored),
        doubled=len(rival.stored) - len(stored),
        first=first,
        later=rival.feed.requests - first,
    )


def _owed(script: Script, scenario: Scenario, cycles: int) -> set[str]:
    end = (cycles + CALM_CYCLES) * HOUR
    return {key for key, span in script.spans.items() if _is_owed(*span, end, stays=scenario.limit is not None)}


def _is_owed(begin: float, vanished: float, end: float, *, stays: bool) -> bool:
    if stays and vanished < end:
        return False
    first_cycle = -(-begin // HOUR)
    return first_cycle + OWED_AFTER <= min(vanished, end) // HOUR


def _print_scores(scenario: Scenario, scores: Sequence[Score], owed: int, later_cycles: int) -> None:
    ideal = scores[-1].requests
    print(f"\n  {scenario.name}: {owed} items owed")
    print_table(
        ["", "lost", "lost %", "doubled", "first cycle", "per later cycle", "requests", "x ideal"],
        [
            [
                score.name,
                str(score.lost),
                f"{score.lost / owed:.1%}",
                str(score.doubled),
                str(score.first),
                f"{score.later / later_cycles:.2f}",
                str(score.requests),
                f"{score.requests / ideal:.2f}",
            ]
            for score in scores
        ],
    )
