"""Leases: one holder at a time, tokens that only grow, on both databases."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.errors import LeaseLost
from inforadar.store import leases
from inforadar.store.database import Database
from inforadar.store.leases import Held, Lease


def take(db: Database, holder: str, ttl_s: float = 60, dead: str = "") -> Lease | Held:
    """Try to take the lease `run`; `dead` is the holder known to be dead."""
    with db.transaction() as tx:
        return leases.acquire(tx, "run", holder, ttl_s, lambda other: other == dead)


def taken(db: Database, holder: str, ttl_s: float = 60, dead: str = "") -> Lease:
    """Take the lease, which must succeed."""
    lease = take(db, holder, ttl_s, dead)
    assert isinstance(lease, Lease)
    return lease


def write_guarded(db: Database, lease: Lease) -> None:
    """A write that must not be seen if the lease is lost."""
    with db.transaction() as tx:
        tx.run("migration_record", name=f"written under token {lease.token}")
        leases.guard(tx, lease)


def test_a_held_lease_says_who_holds_it(db: Database) -> None:
    taken(db, "one")
    held = take(db, "two")
    assert isinstance(held, Held)
    assert held.holder == "one"
    assert timedelta(0) < held.expires_at - datetime.now(UTC) <= timedelta(seconds=61)


def test_a_free_an_expired_and_a_dead_lease_are_taken_with_a_larger_token(db: Database) -> None:
    first = taken(db, "one")
    with db.transaction() as tx:
        leases.release(tx, first)
    second = taken(db, "two", ttl_s=-1)
    third = taken(db, "three")
    fourth = taken(db, "four", dead="three")
    assert [lease.token for lease in (first, second, third, fourth)] == [1, 2, 3, 4]


def test_a_holder_who_is_alive_is_not_robbed_because_another_died(db: Database) -> None:
    taken(db, "one")
    assert isinstance(take(db, "two", dead="somebody else"), Held)


def test_a_process_that_lost_the_lease_writes_nothing(db: Database) -> None:
    old = taken(db, "one", ttl_s=-1)
    new = taken(db, "one")
    with pytest.raises(LeaseLost):
        write_guarded(db, old)
    with db.transaction() as tx:
        assert f"written under token {old.token}" not in {row["name"] for row in tx.rows("migration_names")}
        leases.guard(tx, new)
        leases.release(tx, old)
        leases.guard(tx, new)


def test_an_expired_lease_is_lost_even_if_nobody_took_it(db: Database) -> None:
    lease = taken(db, "one", ttl_s=-1)
    with pytest.raises(LeaseLost), db.transaction() as tx:
        leases.guard(tx, lease)


def test_a_guard_prolongs_the_lease(db: Database) -> None:
    lease = taken(db, "one", ttl_s=30)
    with db.transaction() as tx:
        leases.renew(tx, lease, 3600)
    held = take(db, "two")
    assert isinstance(held, Held)
    assert held.expires_at - datetime.now(UTC) > timedelta(minutes=50)


def test_a_take_over_waits_for_a_guarded_write(db: Database) -> None:
    lease = taken(db, "one")
    order: list[str] = []

    def rob() -> None:
        take(db, "two", dead="one")
        order.append("taken over")

    robber = threading.Thread(target=rob)
    with db.transaction() as tx:
        leases.guard(tx, lease)
        robber.start()
        robber.join(0.3)
        order.append("written")
    robber.join()
    assert order == ["written", "taken over"]
    with pytest.raises(LeaseLost), db.transaction() as tx:
        leases.guard(tx, lease)


def test_of_many_who_try_at_once_one_gets_the_lease(db: Database) -> None:
    results: list[Lease | Held] = []
    threads = [threading.Thread(target=lambda n=n: results.append(take(db, f"holder {n}"))) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, Lease) for result in results) == 1
    assert len(results) == 6
