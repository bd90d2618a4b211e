"""The promises of the queue (TRUST I7-I11, I14, I15, I17) as SQL that must find nothing, asked past our own store."""

from collections.abc import Iterator

from crash.tables import rows

MUST_FIND_NOTHING = {
    "I7: an effect not of the attempt that settled its job": """
        SELECT e.job_id FROM effects e JOIN jobs j ON j.id = e.job_id
        WHERE j.status = 'succeeded' AND e.attempt <> j.attempts""",
    "I9: more attempts than allowed": "SELECT id FROM jobs WHERE attempts > max_attempts",
    "I11: done without its effect": """
        SELECT id FROM jobs WHERE status = 'succeeded' AND id NOT IN (SELECT job_id FROM effects)""",
    "I11: an effect of a job that is not done": """
        SELECT e.job_id FROM effects e JOIN jobs j ON j.id = e.job_id WHERE j.status <> 'succeeded'""",
    "I14: an effect applied twice": "SELECT job_id FROM effects GROUP BY job_id HAVING count(*) > 1",
    "seed 004: two unfinished jobs of one key": """
        SELECT unique_key FROM jobs WHERE status IN ('pending', 'running', 'retryable') AND unique_key IS NOT NULL
        GROUP BY unique_key HAVING count(*) > 1""",
    "I8: finished without a time": """
        SELECT id FROM jobs WHERE (status IN ('succeeded', 'failed')) <> (completed_at IS NOT NULL)""",
}
LOSSES = "SELECT at, heartbeat_at FROM job_events WHERE event = 'loss'"
UNFINISHED = "SELECT id FROM jobs WHERE status NOT IN ('succeeded', 'failed')"


def broken_promises(url: str, lock_timeout_s: float) -> list[str]:
    """What is broken now; best nothing."""
    found = [f"{name}: {rows(url, sql)[:5]}" for name, sql in MUST_FIND_NOTHING.items() if rows(url, sql)]
    return [*found, *_stolen(url, lock_timeout_s), *_damage(url)]


def unfinished(url: str) -> int:
    """I10: how many jobs have not come to an end."""
    return len(rows(url, UNFINISHED))


def _stolen(url: str, lock_timeout_s: float) -> Iterator[str]:
    """I15: a job taken from a worker whose last sign of life was younger than the lock timeout."""
    is_sqlite = url.startswith("sqlite")
    age_s = (
        "(julianday(at) - julianday(heartbeat_at)) * 86400" if is_sqlite else "extract(epoch FROM at - heartbeat_at)"
    )
    young = rows(url, f"SELECT job_id FROM job_events WHERE event = 'loss' AND {age_s} < {lock_timeout_s - 0.001}")
    if young:
        yield f"I15: a live lease was stolen: {young[:5]}"


def _damage(url: str) -> Iterator[str]:
    """I17: the database is intact."""
    if url.startswith("sqlite") and rows(url, "PRAGMA integrity_check") != [("ok",)]:
        yield "I17: the file is damaged"
    if url.startswith("sqlite") and rows(url, "PRAGMA foreign_key_check"):
        yield "I17: a row names a row that is missing"
