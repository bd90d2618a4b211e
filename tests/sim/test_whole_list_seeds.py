"""Whole lists in worlds that move while they are read, with faults on the way: nothing lost, nothing closed early."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from inforadar.simulator.faults import Fault
from inforadar.simulator.happenings import Pace, drive
from inforadar.store.database import Database
from sources.whole_lists import BOARD_CASES, WholeListTrial

PACE = Pace(arrivals=60, late=10, withdrawals=50, hidings=20, edits=20, bumps=5)
FAULTS = (
    "server_error",
    "cut_body",
    "empty_page",
    "unreadable_page",
    "unreadable_entry",
    "rate_limited",
    "duplicated_entry",
)
SWEEPS = 12


def moving(case, database, seed):
    """A board of which chance adds, hides and withdraws entries, also between two pages."""
    trial = WholeListTrial(case, database, entries=130 if case.name == "smartrecruiters" else 15)
    trial.world.seed = seed
    trial.internet.move_seconds_per_request = 20
    chance = trial.world.chance("company")
    place = trial.world.place

    def at_the_company(entry, visible_at=None):
        return place(
            replace(entry, company=case.entry["company"] if chance.random() < 0.8 else entry.company), visible_at
        )

    trial.world.place = at_the_company
    drive(trial.world, case.site, PACE)
    return trial


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", [BOARD_CASES[0], BOARD_CASES[1], BOARD_CASES[-1]], ids=lambda case: case.name)
def test_what_is_visible_through_a_complete_sweep_is_stored_and_open(case, sqlite_db: Database, seed):
    trial = moving(case, sqlite_db, seed)
    luck = Random(seed)
    for number in range(SWEEPS):
        kind = luck.choice(FAULTS)
        # the same lie twice in a row is not to be told from the truth where no total is told
        often = 1 if kind in ("empty_page", "duplicated_entry") else luck.randrange(1, 4)
        trial.faults(*([Fault(kind=kind, after=luck.randrange(2), count=often)] if number % 3 else []))
        started_at = trial.world.now
        before = trial.statuses()
        report = trial.sweep()
        steady = trial.world.visible_throughout(trial.search, started_at, trial.world.now)
        keys = {case.key_of(entry_id) for entry_id in steady}
        if report.left == 0 and not report.counters.errors:
            assert keys <= trial.stored
        closed = {key for key, status in trial.statuses().items() if status == "IN_ARCHIVE"}
        assert not {key for key in closed & keys if before.get(key) != "IN_ARCHIVE"}
        trial.internet.advance(luck.randrange(60, 1800))
    trial.internet.move_seconds_per_request = 0
    trial.faults()
    trial.world.rest()
    for _ in range(3):
        trial.sweep_later(timedelta(hours=6))
    assert trial.visible <= trial.stored
    assert {key for key, status in trial.statuses().items() if status != "IN_ARCHIVE"} <= trial.visible
