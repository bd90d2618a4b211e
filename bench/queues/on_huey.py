"""huey on SQLite, as durable as ours (WAL, synchronous=FULL): a consumer with as many threads as ours has."""

import logging
import time
from collections.abc import Callable

from huey import SqliteHuey
from huey.consumer import Consumer

from bench.queues.contest import THREADS, Drained, Tally, compete

LOOK_EVERY_S = 0.05


class Huey:
    """huey; it forgets a job when it hands it out, and keeps no finished ones."""

    def __init__(self, url: str) -> None:
        logging.disable(logging.WARNING)
        path = url.removeprefix("sqlite:///")
        self.huey = SqliteHuey(filename=path, fsync=True, timeout=10, results=False, cache_mb=16)
        self.on_job: Callable[[int], None] = lambda _number: None
        self.task = self.huey.task(name="nothing")(self._job)

    def install(self) -> None:
        """It has made the tables itself."""

    def put(self, count: int) -> float:
        """Put jobs one by one: it has no other way."""
        began = time.perf_counter()
        for number in range(count):
            self.task(number)
        return time.perf_counter() - began

    def put_one(self, number: int) -> None:
        """Put one job."""
        self.task(number)

    def work(self, begin: Callable[[], None]) -> Drained:
        """Drain the queue; a job is taken for done when it is run."""
        tally = Tally()
        self.on_job = lambda _number: tally.add()
        consumer = self._consumer()
        begin()
        consumer.start()
        while self.huey.pending_count():
            time.sleep(LOOK_EVERY_S)
        consumer.stop(graceful=True)
        return tally.drained()

    def listen(self, heard: Callable[[int], None]) -> None:
        """Work until killed."""
        self.on_job = heard
        self._consumer().run()

    def _consumer(self) -> Consumer:
        return Consumer(self.huey, workers=THREADS, periodic=False, worker_type="thread")

    def _job(self, number: int) -> None:
        self.on_job(number)


if __name__ == "__main__":
    compete(Huey)
