"""Jobs as people and the other rooms use them: put, look, cancel, retry, pause, forget; on both databases."""

from datetime import timedelta

from inforadar.domain.job import Fail, Job, NewJob, Retry, settlement
from inforadar.observe.chance import chance
from inforadar.store import jobs, queue
from inforadar.store.database import Database, Tx
from inforadar.store.jobs import JobView
from inforadar.store.queue import Settled, Terms
from store.passing_time import let_pass
from store.samples_of_rows import NOW

TERMS = {"process": Terms(max_attempts=3), "sweep": Terms(max_attempts=3)}


def put(db: Database, *new: NewJob) -> int:
    """Put jobs."""
    with db.transaction() as tx:
        return jobs.put(tx, new)


def claim(db: Database, n: int = 1, worker: str = "w1") -> list[Job]:
    """Claim jobs of any kind."""
    with db.transaction() as tx:
        return queue.claim(tx, worker, TERMS, n)[0]


def fail(tx: Tx, job: Job, outcome: Fail | Retry, worker: str = "w1") -> bool:
    """Settle a job with an error."""
    return bool(
        queue.settle(tx, worker, [Settled(job=job, settlement=settlement(outcome, job, NOW, chance(1)))]),
    )


def only(db: Database) -> JobView:
    """The one job of a database."""
    with db.reading() as tx:
        (job,) = jobs.search(tx)
    return job


def test_a_job_is_pending_from_its_time_on_with_everything_it_was_given(db: Database) -> None:
    put(db, NewJob(kind="process", args={"n": [1, "ж\0"]}, source="hh", unique_key="k", priority=7))
    job = only(db)
    assert (job.status, job.args, job.source, job.unique_key, job.priority) == (
        "pending",
        {"n": [1, "ж"]},
        "hh",
        "k",
        7,
    )
    assert (job.attempts, job.retry_count, job.locked_by, job.completed_at) == (0, 0, None, None)
    assert job.run_at <= job.created_at + timedelta(seconds=1)


def test_jobs_put_in_a_transaction_that_is_undone_do_not_exist(db: Database) -> None:
    try:
        with db.transaction() as tx:
            jobs.put(tx, [NewJob(kind="sweep")])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert claim(db) == []


def test_a_unique_key_has_one_unfinished_job_whatever_its_status(db: Database) -> None:
    job = NewJob(kind="process", unique_key="k")
    assert put(db, job, job) == 1
    (running,) = claim(db)
    assert put(db, job) == 0
    with db.transaction() as tx:
        fail(tx, running, Retry(error="away"))
    assert put(db, job) == 0
    with db.transaction() as tx:
        jobs.cancel(tx, running.id, who="ann")
    assert put(db, job) == 1


def test_a_search_narrows_and_pages(db: Database) -> None:
    put(db, *(NewJob(kind="process", priority=-n) for n in range(4)), NewJob(kind="sweep", source="hh"))
    (first,) = claim(db)
    with db.reading() as tx:
        newest = jobs.search(tx, limit=2)
        rest = jobs.search(tx, before_id=newest[-1].id)
        assert [job.id for job in [*newest, *rest]] == sorted((job.id for job in jobs.search(tx)), reverse=True)
        assert [job.id for job in jobs.search(tx, status="running")] == [first.id]
        assert [job.kind for job in jobs.search(tx, source="hh")] == ["sweep"]
        assert len(jobs.search(tx, kind="process")) == 4
        assert jobs.get(tx, first.id) == jobs.search(tx, status="running")[0]
        assert jobs.get(tx, 0) is None
        assert jobs.counts(tx) == {"pending": 4, "running": 1}


def test_a_cancelled_job_is_final_and_its_worker_changes_nothing(db: Database) -> None:
    put(db, NewJob(kind="process"))
    (job,) = claim(db)
    with db.transaction() as tx:
        assert jobs.cancel(tx, job.id, who="ann")
        assert not jobs.cancel(tx, job.id, who="bob")
        assert not fail(tx, job, Retry(error="away"))
        assert queue.beat(tx, "w1", [job]) == set()
        (event,) = jobs.history(tx, job.id)
    assert (event.event, event.who, event.message, event.attempt) == ("cancel", "ann", "cancelled by ann", 1)
    assert (only(db).status, only(db).error_message) == ("failed", "cancelled by ann")


def test_the_histories_of_many_jobs_are_one_question_and_each_gets_its_own(db: Database) -> None:
    put(db, *(NewJob(kind="process", unique_key=name) for name in "abc"))
    with db.transaction() as tx:
        quiet, ended, revived = sorted(job.id for job in jobs.search(tx))
        jobs.cancel(tx, revived, who="ann")
        jobs.cancel(tx, ended, who="bob")
        jobs.retry(tx, revived, who="ann")
        found = jobs.histories(tx, [quiet, ended, revived])
        assert {job_id: [event.event for event in told] for job_id, told in found.items()} == {
            quiet: [],
            ended: ["cancel"],
            revived: ["cancel", "retry by hand"],
        }
        assert found[revived] == jobs.history(tx, revived)
        assert jobs.histories(tx, []) == {}


def test_a_failed_job_retried_by_hand_has_fresh_attempts_and_keeps_its_history(db: Database) -> None:
    put(db, NewJob(kind="process", unique_key="k"))
    for _ in range(3):
        (job,) = claim(db)
        with db.transaction() as tx:
            fail(tx, job, Retry(error="away"))
        let_pass(db, 3600)
    assert only(db).status == "failed"
    with db.transaction() as tx:
        assert jobs.retry(tx, job.id, who="ann", more_attempts=2)
    assert (only(db).status, only(db).attempts, only(db).max_attempts, only(db).retry_count) == ("pending", 3, 5, 0)
    (again,) = claim(db)
    assert (again.attempt, again.max_attempts) == (4, 5)
    with db.reading() as tx:
        assert [event.event for event in jobs.history(tx, job.id)] == ["retry", "retry", "failure", "retry by hand"]


def test_a_job_whose_key_has_another_unfinished_job_is_not_retried(db: Database) -> None:
    put(db, NewJob(kind="process", unique_key="k"))
    (job,) = claim(db)
    with db.transaction() as tx:
        fail(tx, job, Fail(error="no"))
    put(db, NewJob(kind="process", unique_key="k"))
    with db.transaction() as tx:
        assert not jobs.retry(tx, job.id, who="ann")


def test_running_and_succeeded_jobs_are_not_retried_by_hand(db: Database) -> None:
    put(db, NewJob(kind="process"))
    (job,) = claim(db)
    with db.transaction() as tx:
        assert not jobs.retry(tx, job.id, who="ann")
        tx.run_text("UPDATE jobs SET status = 'succeeded'")
        assert not jobs.retry(tx, job.id, who="ann")


def test_a_paused_kind_is_not_claimed_until_it_is_resumed(db: Database) -> None:
    put(db, NewJob(kind="process", priority=9), NewJob(kind="sweep"))
    with db.transaction() as tx:
        jobs.pause_kind(tx, "process", who="ann", reason="judge is down")
        jobs.pause_kind(tx, "process", who="bob", reason="other")
    assert [job.kind for job in claim(db, 5)] == ["sweep"]
    with db.transaction() as tx:
        (paused,) = jobs.paused_kinds(tx)
        assert (paused.kind, paused.who, paused.reason) == ("process", "ann", "judge is down")
        assert jobs.resume_kind(tx, "process")
        assert not jobs.resume_kind(tx, "process")
    assert [job.kind for job in claim(db, 5)] == ["process"]


def test_pruning_forgets_old_finished_jobs_and_their_history_alone(db: Database) -> None:
    put(db, *(NewJob(kind="process") for _ in range(4)))
    failed, done, _running = claim(db, 3)
    with db.transaction() as tx:
        fail(tx, failed, Fail(error="no"))
    let_pass(db, 86_400)
    with db.transaction() as tx:
        jobs.cancel(tx, done.id, who="ann")
        before = tx.store_now() - timedelta(hours=1)
        assert jobs.prune(tx, finished_before=before, limit=1) == 1
        assert jobs.prune(tx, finished_before=before, limit=1) == 0
        assert jobs.get(tx, failed.id) is None
        assert jobs.history(tx, failed.id) == []
        assert jobs.counts(tx) == {"failed": 1, "pending": 1, "running": 1}


def test_stuck_jobs_are_shown(db: Database) -> None:
    put(db, NewJob(kind="process"))
    (job,) = claim(db)
    with db.reading() as tx:
        assert jobs.stuck(tx) == []
    let_pass(db, 301)
    with db.reading() as tx:
        assert [(one.id, one.locked_by) for one in jobs.stuck(tx)] == [(job.id, "w1")]


def test_the_monitoring_sql_of_the_specification_works_on_the_view(db: Database) -> None:
    put(db, NewJob(kind="process"))
    (job,) = claim(db)
    with db.transaction() as tx:
        fail(tx, job, Retry(error="away"))
    connection = db.driver.connect()
    (recent,) = connection.rows(
        "SELECT id, status, locked_by, heartbeat_at, created_at, completed_at, error_message, next_retry_at, "
        "attempts, retry_count, locked_at FROM scrape_jobs ORDER BY created_at DESC LIMIT 20",
        {},
    )
    now, past = ("NOW()", "NOW() - INTERVAL '5 minutes'") if db.kind == "postgres" else ("''", "''")
    stuck = connection.rows(
        f"SELECT id, status, locked_by, heartbeat_at, {now} AS now FROM scrape_jobs "
        f"WHERE status = 'running' AND (heartbeat_at IS NULL OR heartbeat_at < {past})",
        {},
    )
    connection.close()
    assert (recent["status"], recent["error_message"], recent["retry_count"]) == ("retryable", "away", 1)
    assert recent["next_retry_at"] is not None
    assert stuck == []


def test_the_waiting_jobs_of_a_source_can_be_woken(db: Database) -> None:
    with db.transaction() as tx:
        later = tx.store_now() + timedelta(hours=6)
        jobs.put(tx, [NewJob(kind="a", source=name, run_at=later) for name in ("hh", "habr")])
        assert jobs.wake(tx, "hh") == 1
        assert {job.source: job.run_at < later for job in jobs.search(tx)} == {"hh": True, "habr": False}
