"""Ready-made worlds, and the blocking entry for the command line."""

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from inforadar.simulator.faults import Fault
from inforadar.simulator.happenings import Pace, drive, stock
from inforadar.simulator.rules import Rules
from inforadar.simulator.server import Simulator
from inforadar.simulator.vacancies import Shares, stock_vacancies
from inforadar.simulator.world import BOARDS, World

DEMO_STOCK = {"hh": 300, "linkedin": 150, "habr": 200, "infojobs": 150, "ebay": 250, "rest": 60}
DEMO_STOCK |= {**dict.fromkeys(BOARDS, 60), "feed": 80}
DEMO_DAYS = 30.0
VACANCY_STOCK = {"hh": 200, "linkedin": 120}
VACANCY_DAYS = 5.0
DEMO_PACE = {
    "hh": Pace(
        arrivals=4.0,
        late=0.8,
        bursts=0.3,
        withdrawals=2.5,
        bumps=1.2,
        reposts=0.4,
        hidings=0.5,
        edits=1.5,
        burst_size=6,
        cross_posted=0.2,
    ),
    "linkedin": Pace(
        arrivals=2.0, late=0.4, bursts=0.2, withdrawals=1.5, bumps=0.4, reposts=0.4, hidings=0.2, edits=0.5
    ),
    "habr": Pace(arrivals=1.5, late=0.3, bursts=0.1, withdrawals=0.4, bumps=0.1, hidings=0.1, edits=1.0),
}
DEMO_PACE |= dict.fromkeys(BOARDS, Pace(arrivals=0.5, late=0.1, withdrawals=0.4, edits=0.2))
DEMO_PACE |= {"feed": Pace(arrivals=1.0, late=0.2, edits=0.3)}


def still_world(seed: int, start_at: datetime, counts: Mapping[str, int] | None = None) -> World:
    """A world with a stock of the last 30 days in which nothing happens by itself."""
    world = World(seed=seed, start_at=start_at)
    for source, count in (counts or {}).items():
        stock(world, source, count, DEMO_DAYS)
    return world


def moving_world(
    seed: int,
    start_at: datetime,
    counts: Mapping[str, int],
    paces: Mapping[str, Pace],
    *,
    days: float = DEMO_DAYS,
    hostile_share: float = 0.0,
) -> World:
    """A world with a stock, moved by chance from its start on."""
    world = World(seed=seed, start_at=start_at, hostile_share=hostile_share)
    for source, count in counts.items():
        stock(world, source, count, days)
    for source, pace in paces.items():
        drive(world, source, pace)
    return world


def demo_world(seed: int, start_at: datetime, *, hostile: bool = False) -> World:
    """The world of the demo: a month of entries, and every few hours dozens of events of all kinds."""
    return moving_world(seed, start_at, DEMO_STOCK, DEMO_PACE, hostile_share=0.05 if hostile else 0.0)


def vacancy_world(
    seed: int,
    start_at: datetime,
    counts: Mapping[str, int] | None = None,
    *,
    days: float = VACANCY_DAYS,
    shares: Shares | None = None,
    paces: Mapping[str, Pace] | None = None,
) -> World:
    """A world of labelled vacancies, all found by `python`: some hundreds that fit, do not fit, are banned, gone, ...

    The labels are in `world.labels`, the profile and ban words they were made for in `phrases`.
    """
    world = World(seed=seed, start_at=start_at)
    for source, count in (counts or VACANCY_STOCK).items():
        stock_vacancies(world, source, count, days, shares)
    for source, pace in (paces or {}).items():
        drive(world, source, pace)
    return world


def serve(
    *,
    seed: int,
    start_at: datetime,
    stop: threading.Event,
    announce: Callable[[Simulator], None],
    host: str = "127.0.0.1",
    port: int = 0,
    factor: float | None = 1.0,
    faults: Iterable[Fault] = (),
    rules: Rules | None = None,
    move_seconds_per_request: float = 0.0,
    hostile: bool = False,
) -> None:
    """Run the demo world's internet until `stop` is set; `announce` is told once it answers."""
    simulator = Simulator(
        demo_world(seed, start_at, hostile=hostile),
        faults,
        rules=rules,
        factor=factor,
        move_seconds_per_request=move_seconds_per_request,
        host=host,
        port=port,
    )
    with simulator:
        announce(simulator)
        stop.wait()
