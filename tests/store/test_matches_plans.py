"""What is asked of matches, deliveries, acts and jobs again and again walks indexes at 200,000 of each."""

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta

from inforadar.domain.job import NewJob
from inforadar.store import jobs
from inforadar.store.database import Connection, Database, Row
from inforadar.store.encoding import key_set
from inforadar.store.matches import FILTERS
from store.test_jobs_plans import plan

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)
NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)"
# A year of vacancies, one every 150 s: nearly all are done with; one in a thousand is queued, skipped, or to be sent.
AT = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%S.000000Z', '2025-01-05 12:00:00', (n * 150) || ' seconds')",
    "postgres": "CAST('2025-01-05T12:00:00Z' AS TIMESTAMPTZ) + n * interval '150 seconds'",
}
STATUS = """CASE WHEN n - n / 1000 * 1000 = 1 THEN 'QUEUED' WHEN n - n / 1000 * 1000 = 2 THEN 'SKIPPED'
  WHEN n - n / 50 * 50 = 3 THEN 'ANALYZED' WHEN n - n / 10 * 10 = 4 THEN 'SENT_TO_USER' ELSE 'NOT_SUITABLE' END"""
IS_OPEN = "n - n / 1000 * 1000 = 1"
FILLS = (
    """INSERT INTO items (source, key, kind, url, title, published_at, first_seen_at, last_seen_at, data, checked_at)
    SELECT 'hh', CAST(n AS TEXT), 'vacancy', 'u' || CAST(n AS TEXT), 't', {at}, {at}, {at}, '{{}}', {at}""",
    """INSERT INTO matches (watch, item_id, query_key, status, status_at, created_at, updated_at)
    SELECT 'w', n, 'q', {status}, {at}, {at}, {at}""",
    "INSERT INTO acts (at, who, verb) SELECT {at}, 'user', 'applied'",
    """INSERT INTO match_events (match_id, at, who, to_status, why, act_id)
    SELECT n, {at}, 'user', 'APPLIED', '', CASE WHEN n < 2000 THEN n END""",
    """INSERT INTO deliveries (match_id, sink, state, due_at, created_at, updated_at, sent_at)
    SELECT n, 'telegram', CASE WHEN {is_open} THEN 'waiting' ELSE 'sent' END, {at}, {at}, {at},
      CASE WHEN {is_open} THEN NULL ELSE {at} END""",
    """INSERT INTO jobs (kind, args, unique_key, status, run_at, completed_at)
    SELECT 'process', '{{}}', 'process:' || CAST(n AS TEXT),
      CASE WHEN {is_open} THEN 'pending' ELSE 'succeeded' END, {at}, {at}""",
)
SEARCH = dict.fromkeys((*FILTERS, "id")) | {"limit": 50, "downward": True}
QUESTIONS: tuple[tuple[str, Row, str], ...] = (
    ("match_search", SEARCH | {"status": "SENT_TO_USER"}, "items_by_publication"),
    ("match_search", SEARCH | {"status": "QUEUED"}, "items_by_publication|matches_by_status"),
    ("match_search", SEARCH | {"statuses": key_set(["QUEUED", "SKIPPED"])}, "items_by_publication"),
    (
        "match_search",
        SEARCH | {"downward": None, "upward": True, "from_at": NOW - 30 * DAY, "from_id": 0},
        "items_by_publication",
    ),
    # what nobody is on is looked for between two publications, and no further
    (
        "match_search",
        SEARCH
        | {"topics": key_set(['%"nowhere"%']), "query_keys": key_set([])}
        | {"below_at": NOW - 30 * DAY, "below_id": 1, "published_after": NOW - 40 * DAY},
        r"items_by_publication \(published_at>\? AND published_at<\?\)|items_by_publication(?s:.*)Index Cond",
    ),
    ("inbox_few", SEARCH | {"status": "QUEUED"}, "matches_by_status"),
    ("inbox_few", SEARCH | {"status": "IN_ARCHIVE"}, "matches_by_status"),
    ("match_without_job", {"limit": 500}, "jobs_finished_by_key|jobs_failed"),
    (
        "match_skipped",
        {"since": NOW - 2 * DAY, "most": 3, "seen": key_set([]), "limit": 500},
        "matches_skipped|matches_by_status",
    ),
    (
        "match_unchecked",
        {"looked_before": NOW - DAY, "published_since": NOW - 30 * DAY, "limit": 100},
        "items_by_publication",
    ),
    ("delivery_due", {"sink": "telegram", "now": NOW, "limit": 100}, "deliveries_unsent"),
    ("delivery_sent_since", {"sink": "telegram", "since": NOW - DAY}, "deliveries_sent"),
    ("delivery_unsent", {"put_off": "put off by the user", "now": NOW}, "deliveries_unsent"),
    ("act_last_of_match", {"match_id": 77}, "match_events_by_match"),
    ("job_latest", {"unique_keys": key_set(["process:77", "deliver:4"])}, "jobs_finished_by_key"),
)
LOOKS_AT_ALL = re.compile(
    r"Seq Scan on (items|matches|acts|match_events|deliveries|jobs)\b"
    r"|SCAN (i|m|a|e|d|j|items|matches|deliveries|jobs)\b(?! USING)"
    # for each item anew
    r"|SCAN i .*\n.*SEARCH m USING INDEX matches_by_status"
)


def fill(db: Database) -> None:
    """200,000 of everything, without asking PostgreSQL whether each one's item is there."""
    with db.transaction() as tx:
        if db.kind == "postgres":
            tx.run_text("SET LOCAL session_replication_role = replica")
        for text in FILLS:
            insert = text.format(at=AT[db.kind], status=STATUS, is_open=IS_OPEN)
            tx.run_text(insert.replace("SELECT", f"{NUMBERS} SELECT", 1) + " FROM numbers")


def check_plans(db: Database, connection: Connection) -> None:
    for name, params, index in QUESTIONS:
        told = plan(db, connection, name, params)
        assert re.search(index, told), f"{name}\n{told}"
        assert not LOOKS_AT_ALL.search(told), f"{name}\n{told}"


def test_what_is_asked_again_and_again_walks_indexes(db: Database) -> None:
    fill(db)
    with closing(db.driver.connect()) as connection:
        if db.kind == "sqlite":  # it may never have statistics; PostgreSQL makes them by itself
            check_plans(db, connection)
        connection.run("ANALYZE", {})
        check_plans(db, connection)


def test_the_latest_job_of_a_key_is_the_unfinished_one_or_the_last_that_finished(db: Database) -> None:
    with db.transaction() as tx:
        for name in ("a", "b", "a", "c"):
            jobs.put(tx, [NewJob(kind="x", unique_key=name)])
            if name != "c":
                newest = jobs.search(tx, limit=1)[0]
                jobs.cancel(tx, newest.id, who="user")
        found = jobs.latest(tx, ["a", "b", "c", "nobody's"])
        assert {key: (job.id, job.status) for key, job in found.items()} == {
            "a": (3, "failed"),
            "b": (2, "failed"),
            "c": (4, "pending"),
        }
        jobs.put(tx, [NewJob(kind="x", unique_key="a")])
        assert jobs.latest(tx, ["a"])["a"].status == "pending"
        assert jobs.latest(tx, []) == {}
