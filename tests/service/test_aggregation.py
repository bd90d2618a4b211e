"""Counting companies after a run: each by itself, with tries, in the face of deaths; on both databases."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from flows.mortal import Fate, MortalDriver, ProcessDied
from flows.rig import rows
from flows.scenes import PAGE, Scene
from inforadar.domain.errors import StoreError
from inforadar.domain.grouping import RULE
from inforadar.domain.job import Done, Job, JobId, Snooze
from inforadar.observe.clock import FakeClock
from inforadar.service.aggregation import REGROUPED_AT_ONCE, TRIES, Aggregation
from inforadar.simulator.vocabulary import Company
from inforadar.store import jobs
from inforadar.store.database import Database
from inforadar.workers.step import Context

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
COUNTED = "SELECT name FROM companies WHERE aggregated_at IS NOT NULL"
RUNS = "SELECT companies_aggregated AS good, companies_failed AS bad FROM ingestion_runs ORDER BY id"
GROUPS = "SELECT key, group_key FROM items ORDER BY key"
POISON = {
    "sqlite": """CREATE TRIGGER poison BEFORE UPDATE OF offers_seen ON companies WHEN NEW.name = 'Poison'
                 BEGIN SELECT RAISE(ABORT, 'poison'); END""",
    "postgres": "ALTER TABLE companies ADD CONSTRAINT poison CHECK (name <> 'Poison' OR offers_seen = 0)",
}


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def called(name: str) -> Company:
    return Company(id=str(sum(map(ord, name))), name=name, slug=None)


def context(database: Database, **changed) -> Context:
    parts = {"is_stopping": lambda: False, "is_lost": lambda: False}
    return Context(**({"database": database, "clock": FakeClock(NOW)} | parts | changed))


def aggregate(database: Database, run_id: int = 1, at_once: int = REGROUPED_AT_ONCE, **changed):
    job = Job(id=JobId(1), kind="aggregate", args={"run_id": run_id}, attempt=1, max_attempts=5, retry_count=0)
    return Aggregation(database=database, regrouped_at_once=at_once).run(job, context(database, **changed))


def waiting(scene: Scene) -> list[int]:
    with scene.database.reading() as tx:
        return sorted(job.args["run_id"] for job in jobs.search(tx, kind="aggregate"))


def test_items_grouped_by_an_older_rule_are_grouped_anew_a_few_at_a_time_wherever_it_is_stopped(scene):
    scene.publish(PAGE, company=called("Acme"))
    scene.sweep(scene.ask())
    aggregate(scene.database)
    right = rows(scene.database, GROUPS)
    assert None not in {row["group_key"] for row in right}
    with scene.database.transaction() as tx:
        tx.run_text("UPDATE items SET group_key = 'by an older rule'")
        tx.run_text(f"UPDATE cursors SET value = {RULE - 1} WHERE name = 'group rule'")
        tx.run_text("UPDATE companies SET name_key = 'an older spelling', reposts = 99")
    for turn in (1, 2):
        assert isinstance(aggregate(scene.database, is_stopping=lambda: True, at_once=2), Snooze)
        old = [row["key"] for row in rows(scene.database, GROUPS) if row["group_key"] == "by an older rule"]
        assert len(old) == len(right) - 2 * turn
    assert isinstance(aggregate(scene.database), Done)
    assert rows(scene.database, GROUPS) == right
    assert [row["reposts"] for row in rows(scene.database, "SELECT reposts FROM companies")] != [99]
    with scene.database.transaction() as tx:
        tx.run_text("UPDATE items SET group_key = 'by hand'")
    aggregate(scene.database)
    assert {row["group_key"] for row in rows(scene.database, GROUPS)} == {"by hand"}


def test_the_end_of_a_run_puts_one_job_that_counts_the_companies_it_touched(scene):
    scene.publish(PAGE, company=called("Acme"))
    scene.publish(PAGE, company=called("Apex"))
    scene.sweep(scene.ask())
    assert waiting(scene) == [1]
    assert rows(scene.database, COUNTED) == []
    assert isinstance(aggregate(scene.database), Done)
    seen = rows(scene.database, "SELECT name, offers_seen AS n FROM companies ORDER BY name")
    assert sum(row["n"] for row in seen) == 2 * PAGE
    assert rows(scene.database, RUNS) == [{"good": len(seen), "bad": 0}]


def test_a_run_that_showed_articles_only_puts_none(scene):
    scene.publish(PAGE, site="habr")
    scene.sweep(scene.ask("habr"))
    assert waiting(scene) == []


def test_a_company_that_fails_is_tried_three_times_counted_and_does_not_stop_the_others(scene):
    scene.publish(3, company=called("Acme"))
    scene.publish(2, company=called("Poison"))
    scene.publish(3, company=called("Zenith"))
    scene.sweep(scene.ask())
    with scene.database.transaction() as tx:
        tx.run_text(POISON[scene.database.kind])
        touched = {row["name"] for row in tx._connection.rows("SELECT name FROM companies", {})}
    fate = Fate()
    mortal = Database(MortalDriver(scene.database.driver, fate))
    assert isinstance(aggregate(mortal), Done)
    mortal.close()
    assert {row["name"] for row in rows(scene.database, COUNTED)} == touched - {"Poison"}
    assert rows(scene.database, RUNS) == [{"good": len(touched) - 1, "bad": 1}]
    assert fate.log.count("begin") - fate.log.count("commit") == TRIES
    assert rows(scene.database, "SELECT * FROM stale_companies") == []


def test_a_company_that_failed_is_counted_when_a_run_touches_it_again(scene):
    scene.publish(2, company=called("Poison"))
    scene.sweep(scene.ask())
    with scene.database.transaction() as tx:
        tx.run_text(POISON[scene.database.kind])
    aggregate(scene.database)
    with scene.database.transaction() as tx:
        sqlite = scene.database.kind == "sqlite"
        tx.run_text("DROP TRIGGER poison" if sqlite else "ALTER TABLE companies DROP CONSTRAINT poison")
    scene.sweep(scene.ask())
    aggregate(scene.database, 2)
    assert [row["good"] for row in rows(scene.database, RUNS)] == [0, 1]


@pytest.mark.parametrize("loses_reply", [False, True], ids=["before the call", "after the call"])
def test_a_death_at_any_call_counts_every_company_once_in_the_end(scene, loses_reply):
    for name in ("Acme", "Apex", "Zenith"):
        scene.publish(1, company=called(name))
    scene.sweep(scene.ask())
    expected = rows(scene.database, "SELECT count(DISTINCT company_id) AS n FROM items")[0]["n"]
    for dies_at in range(1, 30, 2):
        mortal = Database(MortalDriver(scene.database.driver, Fate(dies_at=dies_at, loses_reply=loses_reply)))
        with suppress(ProcessDied):
            aggregate(mortal)
        mortal.close()
        aggregate(scene.database)
        assert rows(scene.database, RUNS) == [{"good": expected, "bad": 0}]
        with scene.database.transaction() as tx:
            tx.run_text("UPDATE ingestion_runs SET companies_aggregated = 0")
            tx.run_text("INSERT INTO stale_companies SELECT DISTINCT 1, company_id FROM items")


def test_the_companies_of_a_run_whose_process_died_are_counted_by_the_next_one(scene):
    scene.publish(3 * PAGE, company=called("Acme"))
    asked = scene.ask()
    mortal = Database(MortalDriver(scene.database.driver, Fate(dies_at=45)))
    with pytest.raises(ProcessDied):
        scene.sweep(asked, database=mortal)
    mortal.close()
    assert rows(scene.database, "SELECT run_id FROM stale_companies") != []
    assert waiting(scene) == []
    scene.sweep(scene.ask("linkedin"), holder="second", dead=["first"])
    assert waiting(scene) == [1]


def test_a_worker_that_stops_leaves_the_rest_to_the_next(scene):
    for number in range(4):
        scene.publish(1, company=called(f"Company {number}"))
    scene.sweep(scene.ask())
    steps = iter([False, True])
    assert isinstance(aggregate(scene.database, is_stopping=lambda: next(steps)), Snooze)
    left = len(rows(scene.database, "SELECT 1 AS one FROM stale_companies"))
    assert left
    assert isinstance(aggregate(scene.database), Done)
    assert rows(scene.database, RUNS)[0]["good"] == left + 1


def test_a_store_that_is_away_altogether_postpones_the_job(scene):
    class Away(Database):
        def transaction(self):
            raise StoreError("away")

    scene.publish(1, company=called("Acme"))
    scene.sweep(scene.ask())
    away = Away(scene.database.driver)
    with pytest.raises(StoreError):
        aggregate(away)
    away.close()
    assert rows(scene.database, RUNS) == [{"good": 0, "bad": 0}]
