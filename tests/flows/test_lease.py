"""The run lease: one run at a time, a dead holder is followed at once, a lost lease writes nothing."""

import pytest

from flows.rig import Wire, contents
from flows.scenes import PAGE, Scene, ids
from inforadar.collect.fetch import LEASE_TTL_S, RUN_LEASE
from inforadar.domain.errors import LeaseLost
from inforadar.store import leases
from inforadar.store.database import Database, open_database


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def hold(scene: Scene, holder: str) -> leases.Lease:
    with scene.database.transaction() as tx:
        lease = leases.acquire(tx, RUN_LEASE, holder, LEASE_TTL_S, lambda _: False)
    assert isinstance(lease, leases.Lease)
    return lease


def test_a_second_run_is_told_who_holds_the_lease_and_does_nothing(scene):
    scene.publish(PAGE)
    hold(scene, "somebody else")
    report = scene.process().fetch(scene.ask())
    assert report.held_by == "somebody else"
    assert (report.run_id, report.queries, report.exit_code) == (None, (), 0)
    assert scene.keys() == []
    assert scene.internet.log == []


def test_a_holder_that_is_dead_is_followed_at_once(scene):
    entries = scene.publish(PAGE)
    hold(scene, "dead one")
    report = scene.sweep(scene.ask(), holder="second", dead=["dead one"])
    assert report.status == "SUCCESS"
    assert scene.keys() == ids(entries)


def test_a_run_gives_its_lease_back(scene):
    scene.publish(PAGE)
    scene.sweep(scene.ask(), holder="first")
    assert scene.sweep(scene.ask(), holder="second").status == "SUCCESS"


def test_a_run_that_lost_its_lease_writes_nothing_more(scene, database_url):
    entries = scene.publish(3 * PAGE)
    asked = scene.ask()
    other = open_database(database_url)
    wire = Wire(scene.internet)
    seen = {}

    def take_over(_):
        if len(scene.internet.log) != 1 or seen:
            return
        with other.transaction() as tx:
            taken = leases.acquire(tx, RUN_LEASE, "thief", LEASE_TTL_S, lambda _: True)
            assert isinstance(taken, leases.Lease)
        seen["then"] = contents(other, without=())

    wire.before = take_over
    with pytest.raises(LeaseLost):
        scene.sweep(asked, transport=wire)
    assert contents(scene.database, without=()) == seen["then"]
    assert len(scene.keys()) == PAGE
    other.close()
    report = scene.sweep(asked, holder="third", dead=["thief"])
    assert report.left == 0
    assert scene.keys() == ids(entries)
    first = scene.runs(asked[1])[-1]
    assert (first.status, first.stop_reason.value) == ("ERROR", "interrupted")


def test_tokens_only_grow(scene):
    tokens = []
    for number in range(4):
        lease = hold(scene, f"holder {number}")
        tokens.append(lease.token)
        with scene.database.transaction() as tx:
            leases.release(tx, lease)
    assert tokens == sorted(set(tokens))
