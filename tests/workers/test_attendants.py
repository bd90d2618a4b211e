"""What runs beside a worker: it survives surprises and holds nobody up at the end."""

import threading
from types import SimpleNamespace

import pytest

from inforadar.domain.job import Job, NewJob, Outcome
from inforadar.observe.clock import SystemClock
from inforadar.store.database import Database, Tx
from inforadar.store.queue import Settled
from inforadar.workers.attendants import attended
from inforadar.workers.ear import Ear
from inforadar.workers.rescuer import Rescuer
from inforadar.workers.step import Context
from workers.rig import (
    WAIT_S,
    a_worker,
    count_it,
    effects,
    eventually,
    join,
    put,
    running,
    statuses,
    with_effects_table,
)

A = NewJob(kind="a")


class Surprising:
    """A database that has a bug the first times it is used, then is as it was."""

    def __init__(self, db: Database, times: int = 1) -> None:
        self.db = db
        self.left = times
        self.driver = SimpleNamespace(connect=self.connect)

    def connect(self) -> object:
        self.surprise()
        return self.db.driver.connect()

    def transaction(self) -> object:
        self.surprise()
        return self.db.transaction()

    def surprise(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise LookupError("nobody thought of this")


def test_an_attendant_that_hangs_is_not_waited_for_for_ever() -> None:
    is_over, clock = threading.Event(), SystemClock()
    began = clock.mono()
    with attended(
        {"hangs": lambda _is_closed: is_over.wait(30), "ends": lambda is_closed: is_closed.wait()}, join_s=0.1
    ):
        pass
    assert clock.mono() - began < 10
    is_over.set()


def test_the_ear_hears_again_after_an_error_nobody_foresaw(db: Database) -> None:
    news, is_closed = threading.Event(), threading.Event()
    ear = Ear(database=Surprising(db), news=news, after_bug_s=0.01)  # type: ignore[arg-type]
    thread = threading.Thread(target=ear.run, args=(is_closed,))
    thread.start()
    assert news.wait(WAIT_S)
    is_closed.set()
    join([thread])


def test_the_rescuer_goes_on_after_an_error_nobody_foresaw(db: Database) -> None:
    surprising, stop = Surprising(db), threading.Event()
    rescuer = Rescuer(database=surprising, every_s=0.01)  # type: ignore[arg-type]
    thread = threading.Thread(target=rescuer.run, args=(stop,))
    thread.start()
    eventually(lambda: surprising.left < -1)
    stop.set()
    join([thread])


def test_a_worker_goes_on_after_an_error_nobody_foresaw_in_a_claim(db: Database) -> None:
    put(with_effects_table(db), A)
    surprises = [LookupError("nobody thought of this")] * 2

    def closed(_tx: Tx) -> list[str]:
        if surprises:
            raise surprises.pop()
        return []

    with running(a_worker(db, closed_sources=closed)):
        eventually(lambda: statuses(db) == {"succeeded": 1})
    assert len(effects(db)) == 1


def test_a_listener_that_raises_loses_no_job_that_was_claimed_in_the_same_transaction(db: Database) -> None:
    ids = put(with_effects_table(db), *[A] * 6)

    def deaf(_settled: Settled, _seconds: float) -> None:
        raise LookupError("nobody thought of this")

    with running(a_worker(db, concurrency=1, batch=1, on_settled=deaf)):
        eventually(lambda: statuses(db) == {"succeeded": 6})
    assert effects(db) == ids


@pytest.mark.parametrize("waits", [True, False])
def test_a_stopping_worker_survives_errors_nobody_foresaw(db: Database, waits: bool) -> None:
    put(with_effects_table(db), A)
    has_begun, go_on = threading.Event(), threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        has_begun.set()
        go_on.wait(WAIT_S)
        return count_it(job, context)

    def deaf(_settled: Settled, _seconds: float) -> None:
        raise LookupError("nobody thought of this")

    worker = a_worker(db, run, on_settled=deaf, grace_s=WAIT_S if waits else 0)
    with running(worker):
        assert has_begun.wait(WAIT_S)
        worker.stop.set()
        go_on.set()
