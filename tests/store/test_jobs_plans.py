"""Claim, reclaim and unique insert walk their indexes at 200,000 jobs of which 190,000 are finished."""

import re
from datetime import timedelta

import pytest

from inforadar.domain.job import NewJob
from inforadar.store import jobs
from inforadar.store.database import Connection, Database, Row, open_database
from inforadar.store.encoding import json_of, key_set
from inforadar.store.statements import load_statements

FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000),
made AS (SELECT n, n - n / 20 * 20 AS of_20, n - n / 1000 * 1000 AS of_1000, CAST('{now}' AS {timestamp}) AS now
         FROM numbers)
INSERT INTO jobs (kind, args, unique_key, priority, status, run_at, locked_by, locked_at, heartbeat_at, completed_at)
SELECT 'a', '{{}}', 'k' || CAST(n AS TEXT), of_1000,
       CASE WHEN of_20 > 0 THEN 'succeeded' WHEN of_1000 = 0 THEN 'running' ELSE 'pending' END,
       now, 'w', now, now, CASE WHEN of_20 > 0 THEN now END
FROM made
"""


@pytest.fixture
def full_db(db: Database) -> Database:
    """200,000 jobs: 190,000 finished, 200 running, the rest waiting."""
    with db.transaction() as tx:
        tx.run_text(FILL.format(now="2026-01-05T12:00:00.000000Z", timestamp=db.driver.types["timestamp"]))
    return db


def plan(db: Database, connection: Connection, name: str, params: Row) -> str:
    """How the database goes about a statement."""
    text = load_statements(db.kind)[name].text(params)
    rows = connection.rows(("EXPLAIN QUERY PLAN " if db.kind == "sqlite" else "EXPLAIN ") + text, params)
    return "\n".join(str(row.get("detail") or row.get("QUERY PLAN")) for row in rows)


def walks(plan: str, index: str) -> bool:
    """Whether jobs are found by this index or by their ids, never by a look at all of them."""
    looks_at_all = re.search(r"Seq Scan on jobs|SCAN jobs(?! USING)", plan)
    return index in plan and not looks_at_all


def test_failed_jobs_and_counts_are_found_by_their_indexes(full_db: Database) -> None:
    with full_db.transaction() as tx:
        tx.run_text("UPDATE jobs SET status = 'failed' WHERE id < 30 AND status = 'succeeded'")
        assert jobs.counts_up_to(tx, 100)["failed"] == len(jobs.search(tx, status="failed", limit=100)) == 28
        assert jobs.counts_up_to(tx, 100)["succeeded"] == 101
        assert jobs.counts_up_to(tx, 100_000)["pending"] == jobs.counts(tx)["pending"]
    connection = full_db.driver.connect()
    connection.run("ANALYZE", {})
    found = dict.fromkeys(("id", "before_id", "kind", "source", "stuck_since"))
    failed = plan(full_db, connection, "job_search", found | {"status": "failed", "failed": True, "limit": 50})
    assert walks(failed, "jobs_failed"), failed
    counted = plan(full_db, connection, "job_counts_bounded", {"limit": 1001})
    assert "jobs_failed" in counted, counted
    connection.close()


def test_claim_reclaim_and_unique_insert_walk_their_indexes_with_and_without_statistics(full_db: Database) -> None:
    connection = full_db.driver.connect()
    check_plans(full_db, connection)
    connection.run("ANALYZE", {})
    check_plans(full_db, connection)
    if full_db.kind == "postgres":
        # What a prepared statement comes down to.
        connection.run("SET plan_cache_mode = force_generic_plan", {})
        check_plans(full_db, connection)
        row = {"kind": "a", "args": {}, "source": None, "unique_key": "k40", "priority": 1, "run_at": "2026-01-05"}
        insert = plan(full_db, connection, "job_insert", {"rows": json_of([row])})
        assert "Conflict Arbiter Indexes: jobs_unfinished_once" in insert, insert
    connection.close()
    with full_db.transaction() as tx:
        assert jobs.put(tx, [NewJob(kind="a", unique_key="k1"), NewJob(kind="a", unique_key="k20")]) == 1


def check_plans(db: Database, connection: Connection) -> None:
    """Every statement that runs all the time reads no more than it must."""
    now = connection.now()
    terms: Row = {"now": now, "kinds": json_of({"a": {"free": 50, "max_attempts": 3}}), "closed": key_set(["hh"])}
    claim = plan(
        db, connection, "job_claim", {**terms, "worker": "w", "n": 100, "suspects": None, "isolated": key_set(["a"])}
    )
    suspects = plan(db, connection, "job_suspects", terms)
    lost = plan(db, connection, "job_lost", {"since": now - timedelta(seconds=300), "n": 500})
    running = plan(db, connection, "job_running_counts", {})
    assert walks(claim, "jobs_claimable"), claim
    assert walks(suspects, "jobs_suspect"), suspects
    assert walks(lost, "jobs_running"), lost
    assert walks(running, "jobs_running"), running
    # The index is read in its order and nothing is sorted but the batch.
    if db.kind == "postgres":
        assert "Index Scan using jobs_claimable" in claim, claim
        assert "Sort Key: jobs.priority" not in claim, claim
    else:
        assert "jobs USING INDEX jobs_claimable" in claim, claim
        assert claim.count("USE TEMP B-TREE") == 1, claim


def test_postgresql_keeps_room_in_the_table_and_cleans_it_before_it_bloats(postgres_url: str) -> None:
    db = open_database(postgres_url)
    connection = db.driver.connect()
    (row,) = connection.rows("SELECT reloptions FROM pg_class WHERE relname = 'jobs'", {})
    connection.close()
    db.close()
    assert {"fillfactor=70", "autovacuum_vacuum_scale_factor=0"} <= set(row["reloptions"])
