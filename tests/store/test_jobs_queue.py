"""Jobs as workers use them: claims, fences, settlements, reclaim; on both databases."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.domain.job import Done, Fail, Job, NewJob, Outcome, Retry, Snooze, given_back, settlement
from inforadar.observe.chance import chance
from inforadar.store import jobs, queue
from inforadar.store.database import Database
from inforadar.store.jobs import JobView
from inforadar.store.queue import Reclaimed, Settled, Terms
from store.passing_time import let_pass
from store.samples_of_rows import NOW

TERMS = {"a": Terms(max_attempts=3), "b": Terms(max_attempts=3)}
PATIENT = {"a": Terms(max_attempts=5)}


def put(db: Database, *new: NewJob) -> None:
    """Put jobs."""
    with db.transaction() as tx:
        jobs.put(tx, new)


def claim(db: Database, n: int = 1, worker: str = "w1", closed: tuple[str, ...] = (), **terms: Terms) -> list[Job]:
    """Claim jobs."""
    with db.transaction() as tx:
        return queue.claim(tx, worker, terms or TERMS, n, closed_sources=closed)[0]


def settle(db: Database, job: Job, outcome: Outcome, worker: str = "w1") -> bool:
    """Settle a job; whether it was ours to settle."""
    settled = Settled(job=job, settlement=settlement(outcome, job, NOW, chance(1)))
    with db.transaction() as tx:
        return queue.settle(tx, worker, [settled]) == {job.id}


def reclaim(db: Database) -> list[Reclaimed]:
    """Reclaim what is stuck."""
    with db.transaction() as tx:
        return queue.reclaim(tx)


def view(db: Database, job: Job) -> JobView:
    """A job as it stands."""
    with db.reading() as tx:
        found = jobs.get(tx, job.id)
    assert found is not None
    return found


def a_job(priority: int = 0, kind: str = "a", **other: str) -> NewJob:
    """A job of a kind and priority."""
    return NewJob(kind=kind, priority=priority, **other)  # type: ignore[arg-type]


def test_a_claim_takes_the_highest_priority_first_then_the_oldest(db: Database) -> None:
    put(db, *(NewJob(kind="a", args={"n": n}, priority=p) for n, p in enumerate([1, 5, 3, 5, 1])))
    taken = [job.args["n"] for batch in (2, 2, 2) for job in claim(db, batch)]
    assert taken == [1, 3, 2, 0, 4]


def test_a_claimed_job_is_running_in_its_workers_name_by_the_databases_time(db: Database) -> None:
    put(db, a_job())
    (job,) = claim(db)
    stored = view(db, job)
    assert (job.attempt, job.max_attempts) == (1, 3)
    assert (stored.status, stored.locked_by, stored.attempts) == ("running", "w1", 1)
    with db.reading() as tx:
        assert stored.locked_at == stored.heartbeat_at
        assert stored.locked_at is not None
        assert tx.store_now() - stored.locked_at < timedelta(minutes=1)
    assert claim(db, worker="w2") == []


def test_a_job_is_not_claimed_before_its_time(db: Database) -> None:
    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a", run_at=tx.store_now() + timedelta(minutes=10))])
    assert claim(db) == []
    let_pass(db, 601)
    assert len(claim(db)) == 1


def test_only_given_kinds_are_claimed(db: Database) -> None:
    put(db, a_job(kind="other", priority=9), a_job(kind="b"))
    assert [job.kind for job in claim(db, 9)] == ["b"]


def test_jobs_of_a_closed_source_stay_where_they_are(db: Database) -> None:
    put(db, a_job(9, source="hh"), a_job(8, source="habr"), a_job(7))
    assert [job.source for job in claim(db, 9, closed=("hh", "linkedin"))] == ["habr", None]
    assert [job.source for job in claim(db, 9)] == ["hh"]


def test_a_kind_never_runs_more_often_than_it_may(db: Database) -> None:
    put(db, *(a_job(9) for _ in range(5)), *(a_job(1, "b") for _ in range(3)))
    terms = {"a": Terms(max_attempts=3, concurrency=2), "b": Terms(max_attempts=3)}
    first = claim(db, 4, **terms)
    assert [job.kind for job in first] == ["a", "a", "b", "b"]
    assert [job.kind for job in claim(db, 4, "w2", **terms)] == ["b"]
    assert settle(db, first[0], Done())
    assert [job.kind for job in claim(db, 4, "w2", **terms)] == ["a"]


def test_workers_that_claim_at_once_keep_the_limit_of_a_kind_and_share_no_job(db: Database) -> None:
    put(db, *(a_job() for _ in range(60)), *(a_job(0, "b") for _ in range(60)))
    terms = {"a": Terms(max_attempts=3, concurrency=5), "b": Terms(max_attempts=3)}
    taken: list[Job] = []
    ready = threading.Barrier(4)

    def work(name: str) -> None:
        ready.wait()
        for _ in range(4):
            taken.extend(claim(db, 6, name, **terms))

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({job.id for job in taken}) == len(taken)
    assert sum(job.kind == "a" for job in taken) == 5
    assert sum(job.kind == "b" for job in taken) == 60


def test_success_is_final(db: Database) -> None:
    put(db, a_job())
    (job,) = claim(db)
    assert settle(db, job, Done())
    assert not settle(db, job, Fail(error="late"))
    stored = view(db, job)
    assert (stored.status, stored.locked_by, stored.error_message) == ("succeeded", "w1", None)
    assert stored.completed_at is not None
    let_pass(db, 10_000)
    assert reclaim(db) == []
    assert claim(db) == []


def test_a_retry_waits_for_its_time_and_is_counted(db: Database) -> None:
    put(db, a_job())
    (job,) = claim(db)
    assert settle(db, job, Retry(error="away"))
    stored = view(db, job)
    assert (stored.status, stored.retry_count, stored.error_message, stored.locked_by) == ("retryable", 1, "away", None)
    assert stored.next_retry_at is not None
    assert claim(db) == []
    let_pass(db, 60)
    (again,) = claim(db)
    assert (again.attempt, again.retry_count) == (2, 1)


def test_a_snooze_is_no_retry_and_costs_no_attempt(db: Database) -> None:
    put(db, a_job())
    for round_number in range(1, 8):
        (job,) = claim(db)
        assert (job.attempt, job.max_attempts, job.retry_count) == (round_number, 2 + round_number, 0)
        assert settle(db, job, Snooze(until=NOW + timedelta(hours=6), reason="rate limited"))
        assert claim(db) == []
        let_pass(db, 6 * 3600)
    with db.reading() as tx:
        assert jobs.history(tx, job.id) == []


def test_the_number_of_an_attempt_never_comes_twice(db: Database) -> None:
    """A refund must not let a stale settlement of the same worker pass for the new one."""
    put(db, a_job())
    (first,) = claim(db)
    assert settle(db, first, Snooze(until=NOW, reason="x"))
    let_pass(db, 2)
    (second,) = claim(db)
    assert second.attempt != first.attempt
    assert not settle(db, first, Done())
    assert view(db, first).status == "running"


@pytest.mark.parametrize("change", [{"attempt": 7}, {"id": 999}])
def test_a_settlement_of_another_attempt_or_job_changes_nothing(db: Database, change: dict[str, int]) -> None:
    put(db, a_job())
    (job,) = claim(db)
    stale = replace(job, **change)  # type: ignore[arg-type]
    assert not settle(db, stale, Done())
    assert not settle(db, job, Done(), worker="w2")
    with db.transaction() as tx:
        assert queue.hold(tx, "w1", [stale]) == set()
        assert queue.hold(tx, "w2", [job]) == set()
        assert queue.beat(tx, "w2", [job]) == set()
        assert queue.beat(tx, "w1", [stale]) == set()
        assert queue.hold(tx, "w1", [job]) == {job.id}
    assert view(db, job).status == "running"


def test_one_batch_is_settled_each_by_its_own_outcome(db: Database) -> None:
    put(db, *(a_job() for _ in range(4)))
    batch = claim(db, 4)
    outcomes = [Done(), Retry(error="away"), Snooze(until=NOW, reason="later"), Fail(error="no")]
    settled = [
        Settled(job=job, settlement=settlement(outcome, job, NOW, chance(1)))
        for job, outcome in zip(batch, outcomes, strict=True)
    ]
    with db.transaction() as tx:
        assert queue.settle(tx, "w1", settled) == {job.id for job in batch}
    assert [view(db, job).status for job in batch] == ["succeeded", "retryable", "pending", "failed"]


def test_a_job_with_a_heartbeat_is_not_reclaimed_and_one_without_is(db: Database) -> None:
    put(db, a_job(1), a_job())
    beating, silent = claim(db, 2)
    let_pass(db, 200)
    with db.transaction() as tx:
        assert queue.beat(tx, "w1", [beating]) == {beating.id}
    let_pass(db, 101)
    (lost,) = reclaim(db)
    assert (lost.job.id, lost.locked_by, lost.settlement.status) == (silent.id, "w1", "pending")
    assert view(db, beating).status == "running"
    assert (view(db, silent).status, view(db, silent).attempts, view(db, silent).locked_by) == ("pending", 1, None)
    with db.reading() as tx:
        (event,) = jobs.history(tx, silent.id)
    assert (event.event, event.who, event.message) == ("loss", "w1", "worker lost: w1")


def test_a_stale_worker_cannot_finish_a_reclaimed_job(db: Database) -> None:
    put(db, a_job())
    (stale,) = claim(db, worker="w1")
    let_pass(db, 301)
    reclaim(db)
    assert not settle(db, stale, Done(), worker="w1")
    (fresh,) = claim(db, worker="w2")
    for outcome in (Done(), Retry(error="x"), Fail(error="x")):
        assert not settle(db, stale, outcome, worker="w1")
    assert (view(db, fresh).status, view(db, fresh).locked_by) == ("running", "w2")
    assert settle(db, fresh, Done(), worker="w2")


def test_a_claim_takes_stuck_jobs_too_and_says_from_whom(db: Database) -> None:
    put(db, a_job())
    claim(db, worker="w1")
    let_pass(db, 301)
    with db.transaction() as tx:
        (job,), (lost,) = queue.claim(tx, "w2", TERMS, 3)
    assert (job.id, job.attempt, lost.locked_by) == (lost.job.id, 2, "w1")


def test_a_job_that_loses_its_worker_every_time_ends_in_failed(db: Database) -> None:
    put(db, a_job())
    for attempt in (1, 2, 3):
        (job,) = claim(db, worker=f"w{attempt}")
        let_pass(db, 301)
        reclaim(db)
    assert claim(db) == []
    stored = view(db, job)
    assert (stored.status, stored.attempts) == ("failed", 3)
    assert stored.error_message == "worker lost 3 times, the last was w3"
    with db.reading() as tx:
        assert [event.event for event in jobs.history(tx, job.id)] == ["loss"] * 3


def lose(db: Database, number: int, times: int, **terms: Terms) -> None:
    """So many jobs lose so many workers in a row."""
    for _ in range(times):
        taken = [job for _ in range(number) for job in claim(db, 1, "lost", **terms)]
        assert len(taken) == number
        let_pass(db, 301)
        assert len(reclaim(db)) == number


def test_a_job_that_lost_one_worker_is_claimed_with_the_others(db: Database) -> None:
    put(db, a_job(9), a_job(8))
    lose(db, 2, times=1)
    put(db, a_job(7))
    with db.transaction() as tx:
        assert len(queue.claim(tx, "w2", TERMS, 5, is_empty_handed=False)[0]) == 3


def test_a_job_that_lost_its_workers_is_run_alone_until_an_attempt_ends(db: Database) -> None:
    put(db, a_job(9), a_job(8))
    lose(db, 2, times=2, **PATIENT)
    put(db, a_job(7))
    with db.transaction() as tx:
        assert queue.claim(tx, "w2", TERMS, 5, is_empty_handed=False) == ([], [])
    (suspect,) = claim(db, 5, worker="w2")
    (other,) = claim(db, 5, worker="w3")
    assert (suspect.is_suspect, other.is_suspect) == (True, True)
    (free,) = claim(db, 5, worker="w4")
    assert not free.is_suspect
    assert settle(db, suspect, Retry(error="away", delay=timedelta()), worker="w2")
    (again,) = claim(db, 5, worker="w2")
    assert (again.id, again.is_suspect) == (suspect.id, False)


def test_who_has_waited_long_for_empty_hands_gets_the_suspect_with_the_others(db: Database) -> None:
    put(db, a_job(9))
    lose(db, 1, times=2)
    put(db, a_job(8))
    with db.transaction() as tx:
        taken, _ = queue.claim(tx, "w2", TERMS, 5, is_empty_handed=False, is_patient=False)
    assert [job.is_suspect for job in taken] == [True, False]


def test_suspects_of_a_kind_that_takes_long_hold_nobody_up(db: Database) -> None:
    terms = {"a": Terms(max_attempts=5, isolates_suspects=False), "b": Terms(max_attempts=5)}
    put(db, a_job(9))
    lose(db, 1, times=2, **terms)
    put(db, a_job(8), a_job(7, "b"))
    with db.transaction() as tx:
        taken, _ = queue.claim(tx, "w2", terms, 5, is_empty_handed=False)
    assert [(job.kind, job.is_suspect) for job in taken] == [("a", True), ("a", False), ("b", False)]


def test_suspects_that_may_not_run_hold_nobody_up(db: Database) -> None:
    put(db, a_job(9, source="hh"))
    lose(db, 1, times=2)
    put(db, *[a_job()] * 2)
    assert len(claim(db, 5, worker="w2", closed=("hh",))) == 2


def test_a_job_given_back_unstarted_is_claimable_at_once_with_its_attempt_refunded(db: Database) -> None:
    put(db, a_job())
    (job,) = claim(db)
    with db.transaction() as tx:
        queue.settle(tx, "w1", [Settled(job=job, settlement=given_back(job, was_started=False, why="stopped"))])
    (again,) = claim(db, worker="w2")
    assert again.max_attempts - again.attempt == job.max_attempts - job.attempt


def test_a_worker_finds_what_runs_in_its_name(db: Database) -> None:
    put(db, *(a_job(n) for n in range(3)))
    taken = claim(db, 2, worker="w1")
    claim(db, 1, worker="w2")
    with db.reading() as tx:
        assert queue.mine(tx, "w1") == taken
