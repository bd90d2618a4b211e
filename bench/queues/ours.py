"""Our queue, as `radar work` runs it: fence, heartbeat, closed sources and pauses looked at in every claim."""

import random
import threading
import time
from collections.abc import Callable, Iterable

from bench.queues.contest import BATCH, CHUNK, THREADS, Drained, Tally, compete
from inforadar.domain.health import Closed, may_ask
from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.secrets import Secrets
from inforadar.store import jobs, sources
from inforadar.store.database import Tx, open_database
from inforadar.store.migrate import upgrade
from inforadar.store.queue import Settled
from inforadar.workers.step import Context, Step
from inforadar.workers.worker import Worker

KIND = "nothing"
SOURCES = ("ebay", "habr", "hh", "jooble", "rss", "stackexchange")


class Ours:
    """Our queue."""

    def __init__(self, url: str) -> None:
        self.clock = SystemClock()
        set_up_log(clock=self.clock, secrets=Secrets(), level="ERROR")
        self.database = open_database(url)

    def install(self) -> None:
        """Make the tables."""
        upgrade(self.database)
        with self.database.transaction() as tx:
            for name in SOURCES:
                sources.register(tx, name, rate_limit_per_minute=60, enabled=True, paced_at=self.clock.now())

    def put(self, count: int) -> float:
        """Put jobs, a chunk a transaction."""
        began = time.perf_counter()
        for first in range(0, count, CHUNK):
            self._put(range(first, min(first + CHUNK, count)))
        return time.perf_counter() - began

    def put_one(self, number: int) -> None:
        """Put one job."""
        self._put([number])

    def work(self, begin: Callable[[], None]) -> Drained:
        """Drain the queue; a job is done when its settlement is committed."""
        tally = Tally()

        def count(_settled: Settled, _seconds: float) -> None:
            tally.add()

        worker = self._worker(lambda _job, _context: Done(), count)
        begin()
        worker.run(until_idle=True)
        return tally.drained()

    def listen(self, heard: Callable[[int], None]) -> None:
        """Work until killed."""

        def hear(job: Job, _context: Context) -> Outcome:
            heard(job.args["n"])
            return Done()

        self._worker(hear, lambda _settled, _seconds: None).run()

    def _put(self, numbers: Iterable[int]) -> None:
        made = [NewJob(kind=KIND, args={"n": n}, unique_key=f"{KIND}:{n}", priority=n) for n in numbers]
        with self.database.transaction() as tx:
            jobs.put(tx, made)

    def _closed_sources(self, tx: Tx) -> list[str]:
        now = self.clock.now()
        return [
            one.name
            for one in sources.all(tx)
            if isinstance(may_ask(one.name, one.health, now), Closed) or not one.enabled
        ]

    def _worker(self, run: Callable[[Job, Context], Outcome], on_settled: Callable[[Settled, float], None]) -> Worker:
        return Worker(
            database=self.database,
            steps={KIND: Step(run=run)},
            clock=self.clock,
            chance=random.Random(),
            stop=threading.Event(),
            concurrency=THREADS,
            batch=BATCH,
            closed_sources=self._closed_sources,
            on_settled=on_settled,
        )


if __name__ == "__main__":
    compete(Ours)
