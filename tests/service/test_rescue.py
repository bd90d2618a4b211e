"""Rescue: jobs of processes that are certainly gone are taken up at once, on both databases."""

import pytest

from inforadar.domain.job import NewJob
from inforadar.observe import process
from inforadar.service.rescue import Rescue, process_of
from inforadar.store import jobs, queue
from inforadar.store.queue import Terms
from inforadar.workers.rescuer import Rescuer
from inforadar.workers.worker import unique_name

DEAD, ALIVE = "worker@vm:1:11#1", "worker@vm:2:22#1"


@pytest.fixture
def recovery(db):
    return Rescue(database=db, rescuer=Rescuer(database=db), is_dead=lambda name: name == "vm:1:11")


def claimed(db, worker: str, number: int, *, max_attempts: int = 5):
    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="sweep", unique_key=f"{worker}{n}") for n in range(number)])
        return queue.claim(tx, worker, {"sweep": Terms(max_attempts=max_attempts)}, number)[0]


def test_jobs_of_a_dead_process_go_back_and_those_of_a_living_one_stay(db, recovery):
    claimed(db, DEAD, 2)
    claimed(db, ALIVE, 1)
    assert recovery.once() == 2
    assert recovery.once() == 0
    with db.reading() as tx:
        assert jobs.counts(tx) == {"pending": 2, "running": 1}
        (running,) = jobs.search(tx, status="running")
        assert running.locked_by == ALIVE


def test_a_loss_is_noted_with_the_worker_and_counts_as_an_attempt(db, recovery):
    (job,) = claimed(db, DEAD, 1)
    recovery.once()
    with db.reading() as tx:
        found = jobs.get(tx, job.id)
        (event,) = jobs.history(tx, job.id)
    assert (found.status, found.attempts) == ("pending", 1)
    assert (event.event, event.who) == ("loss", DEAD)


def test_a_job_whose_last_attempt_died_with_its_process_is_failed(db, recovery):
    (job,) = claimed(db, DEAD, 1, max_attempts=1)
    recovery.once()
    with db.reading() as tx:
        assert jobs.get(tx, job.id).status == "failed"


def test_the_name_of_a_worker_tells_its_process():
    assert process_of(unique_name()) == process.holder()
    assert not process.is_dead(process_of(unique_name()))
