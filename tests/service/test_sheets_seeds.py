"""Nights drawn from a seed: faults, kills, two machines and an owner who edits; TRUST I24 holds after each of them."""

import random
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from inforadar.domain.errors import RadarError
from inforadar.domain.job import Done, Snooze
from inforadar.domain.ports import Request
from inforadar.simulator.faults import Fault
from service.sheets_rig import Rig, rig_over

SEEDS = range(40)
STARTS = (
    datetime(2026, 1, 5, 12, tzinfo=UTC),
    datetime(2026, 3, 28, 12, tzinfo=UTC),
    datetime(2026, 10, 24, 12, tzinfo=UTC),
)
KINDS = (
    "reply_lost",
    "cut_body",
    "empty_body",
    "server_error",
    "reset",
    "rate_limited",
    "captive_portal",
    "late_effect",
)
TRIES_A_NIGHT = 12


class Killed(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("seed", SEEDS)
def test_after_every_night_there_is_one_row_a_key_and_nothing_was_asked_by_day(sqlite_db, seed):
    chance = random.Random(seed)
    with rig_over(sqlite_db, at=chance.choice(STARTS)) as rig:
        rig.simulator.change_rules(sheets_quota_per_minute=chance.choice([0, 20, 60]))
        wanted: set[str] = set()
        deleted: set[str] = set()
        for night in range(3):
            wanted |= {f"hh:{key}" for key in _found(rig, chance, night)}
            rig.step()  # by day
            rig.next_night()
            typed = _typed(rig)
            rig.simulator.switch(*_faults(chance))
            for _ in range(TRIES_A_NIGHT):
                mine = _interfering(rig, chance)
                _try(rig, chance)
                rig.meanwhile = None
                typed += mine
                rig.pass_by(minutes=chance.choice([1, 4, 9]))
            rig.simulator.switch()
            rig.simulator.change_rules(sheets_quota_per_minute=0)
            rig.pass_by(minutes=10)
            assert _settled(rig)
            assert Counter(filter(None, rig.keys())) == Counter(wanted - deleted)
            assert _typed(rig) == typed
            deleted |= _edited(rig, chance)
        assert all(cell.option in ("RAW", "typed") for _, _, _, cell in rig.sheet.cells())
        local = [at.astimezone(ZoneInfo("Europe/Madrid")).time() for at in rig.asked_at()]
        assert local
        assert all(time(3) <= at < time(6) for at in local)


def _found(rig: Rig, chance: random.Random, night: int) -> list[str]:
    keys = [f"{night}-{number}" for number in range(chance.randint(0, 30))]
    rig.store(*keys, title=chance.choice(["Developer", '=IMPORTXML("http://x","//a")', "+1"]))
    return keys


def _faults(chance: random.Random) -> list[Fault]:
    return [Fault(kind=kind, source="sheets", probability=chance.choice([0, 0.1, 0.3])) for kind in KINDS]


def _try(rig: Rig, chance: random.Random) -> None:
    """One run of the job, perhaps killed before one of its requests."""
    deadly = chance.randint(1, 15)

    def dies() -> None:
        nonlocal deadly
        deadly -= 1
        if not deadly:
            raise Killed

    rig.beat = dies if chance.random() < 0.3 else None
    try:
        rig.step(attempt=1)
    except (Killed, RadarError):
        _bury(rig)
    finally:
        rig.beat = None


def _interfering(rig: Rig, chance: random.Random) -> Counter[str]:
    """The owner inserts a column in the middle of a try, perhaps; what will be typed into it.

    Not right before a write: between the look that belongs to it and the write itself nobody can look.
    """
    typed: Counter[str] = Counter()
    left, at = chance.randint(1, 12), chance.randint(1, 10)

    def inserts(request: Request) -> None:
        nonlocal left
        left -= 1
        is_begun = "Offers" in rig.sheet.titles() and "key" in rig.sheet.header("Offers")
        if left <= 0 and request.method == "GET" and is_begun:
            rig.meanwhile = None
            rig.sheet.add_column("Offers", "mine", at)
            rig.sheet.type("Offers", 3, at, "my text")
            typed.update(["mine", "my text"])

    rig.meanwhile = inserts if chance.random() < 0.2 else None
    return typed


def _typed(rig: Rig) -> Counter[str]:
    """What stands in the sheet that the owner typed."""
    return Counter(str(cell.value) for _, _, _, cell in rig.sheet.cells() if cell.option == "typed")


def _bury(rig: Rig) -> None:
    """A dead process's lease is free at once for who can know of its death."""
    with rig.db.transaction() as tx:
        tx.run("lease_release", name="sheets", holder="here", token=_token(rig, tx), now=tx.store_now())


def _token(rig: Rig, tx) -> int:
    row = tx.row("lease_get", name="sheets")
    return row["token"] if row else 0


def _settled(rig: Rig) -> bool:
    """Let the rest be written, still in the same night."""
    for _ in range(5):
        outcome = rig.step()
        if isinstance(outcome, Done):
            return True
        until = outcome.until if isinstance(outcome, Snooze) else rig.clock.now() + timedelta(minutes=7)
        rig.simulator.advance(to=until)
    return False


def _edited(rig: Rig, chance: random.Random) -> set[str]:
    """The owner moves, adds, sorts and deletes; which rows are gone."""
    gone = set(chance.sample(rig.keys(), min(2, len(rig.keys()))))
    for key in gone:
        rig.sheet.delete_row("Offers", key)
    if chance.random() < 0.5:
        rig.sheet.move_column("Offers", chance.choice(["key", "title", "note"]), chance.randint(1, 10))
    if chance.random() < 0.5:
        rig.sheet.add_column("Offers", "mine", chance.randint(1, 10))
    rig.sheet.reverse_rows("Offers")
    return gone
