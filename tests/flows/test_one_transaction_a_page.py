"""A page is saved whole or not at all, wherever its process dies."""

import pytest

from flows.mortal import Fate, MortalDriver, ProcessDied
from flows.rig import contents, rows
from flows.scenes import PAGE, Scene, ids
from inforadar.domain import coverage as coverages
from inforadar.store.database import Database

TABLES = (
    "match_events",
    "jobs",
    "matches",
    "item_changes",
    "items",
    "companies",
    "tombstones",
    "ingestion_runs",
    "query_state",
    "leases",
)
FIRST_JOBS = "jobs WHERE kind = 'process'"
NOT_COMPARED = ("leases", "ingestion_runs", "query_state", "jobs", "match_events", "matches", "items", "companies")


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def dying(scene: Scene, fate: Fate) -> Database:
    return Database(MortalDriver(scene.database.driver, fate))


def wipe(database: Database) -> None:
    with database.transaction() as tx:
        for table in TABLES:
            tx.run_text(f"DELETE FROM {table}")


def assert_whole(scene: Scene, asked) -> None:
    """Every entry that is claimed as covered is stored with its match, event and job; nothing else is."""
    keys = set(scene.keys())
    states = rows(scene.database, "SELECT coverage FROM query_state")
    covered = coverages.from_json(states[0]["coverage"] if states else None)
    for entry in scene.world.listing(scene.internet.search("hh")):
        if any(stretch.holds(entry.published_at) for stretch in covered.stretches):
            assert entry.id in keys
    assert len(keys) % PAGE == 0
    assert covered.count == len(keys)
    counts = [rows(scene.database, f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in ("matches", FIRST_JOBS)]
    assert counts == [len(keys)] * 2
    assert len(rows(scene.database, "SELECT id FROM match_events")) == len(keys)
    run = rows(scene.database, "SELECT sum(items_added) AS n FROM ingestion_runs")[0]["n"]
    assert (run or 0) == len(keys)


@pytest.mark.parametrize("loses_reply", [False, True], ids=["before the call", "after the call"])
def test_a_death_at_any_call_leaves_whole_pages_and_the_next_process_ends_the_work(scene, loses_reply):
    entries = scene.publish(3 * PAGE)
    asked = scene.ask()
    fate = Fate()
    alive = dying(scene, fate)
    scene.sweep(asked, database=alive)
    alive.close()
    calls = fate.calls
    assert calls > 30
    for number in range(1, calls + 1, 1 if scene.database.kind == "sqlite" else 3):
        wipe(scene.database)
        mortal = dying(scene, Fate(dies_at=number, loses_reply=loses_reply))
        with pytest.raises(ProcessDied):
            scene.sweep(asked, database=mortal)
        mortal.close()
        assert_whole(scene, asked)
        report = scene.sweep(asked, holder="second", dead=["first"])
        assert scene.keys() == ids(entries)
        assert (report.status, report.left) == ("SUCCESS", 0)
        assert scene.state(asked[1]).status == "SUCCESS"
        assert not rows(scene.database, "SELECT id FROM ingestion_runs WHERE status = 'RUNNING'")
        assert_counts_agree(scene, entries)


def assert_counts_agree(scene: Scene, entries) -> None:
    for table in ("matches", FIRST_JOBS, "match_events"):
        assert len(rows(scene.database, f"SELECT id FROM {table}")) == len(entries)


def test_a_death_leaves_nothing_of_its_page_in_any_table(scene):
    scene.publish(3 * PAGE)
    asked = scene.ask()
    fate = Fate()
    alive = dying(scene, fate)
    scene.sweep(asked, database=alive)
    alive.close()
    first_commit_of_a_page = [place for place, name in enumerate(fate.log, start=1) if name == "commit"][3]
    wipe(scene.database)
    mortal = dying(scene, Fate(dies_at=first_commit_of_a_page))
    with pytest.raises(ProcessDied):
        scene.sweep(asked, database=mortal)
    mortal.close()
    assert len(scene.keys()) in (0, PAGE)
    assert_whole(scene, asked)


def test_a_running_state_is_cleaned_up_by_the_next_holder_of_the_lease(scene):
    scene.publish(2 * PAGE)
    asked = scene.ask()
    mortal = dying(scene, Fate(dies_at=25))
    with pytest.raises(ProcessDied):
        scene.sweep(asked, database=mortal)
    mortal.close()
    assert scene.state(asked[1]).status == "RUNNING"
    other = scene.ask("linkedin")
    scene.sweep(other, holder="second", dead=["first"])
    state = scene.state(asked[1])
    assert (state.status, state.last_error) == ("ERROR", "interrupted")
    (run,) = scene.runs(asked[1])
    assert (run.status, run.stop_reason.value) == ("ERROR", "interrupted")


def test_two_processes_that_were_killed_end_with_what_an_undisturbed_one_has(scene):
    scene.publish(3 * PAGE)
    asked = scene.ask()
    scene.sweep(asked)
    undisturbed = contents(scene.database, NOT_COMPARED), scene.keys()
    wipe(scene.database)
    for number, dies_at in enumerate((31, 40)):
        mortal = dying(scene, Fate(dies_at=dies_at))
        with pytest.raises(ProcessDied):
            scene.sweep(asked, database=mortal, holder=f"mortal {number}", dead=["mortal 0"])
        mortal.close()
    scene.sweep(asked, holder="last", dead=["mortal 0", "mortal 1"])
    assert (contents(scene.database, NOT_COMPARED), scene.keys()) == undisturbed
