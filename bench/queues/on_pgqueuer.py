"""pgqueuer, as its documentation advises for throughput: asyncpg, one connection a worker, a big batch, `autovac`."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

from bench.queues.contest import BATCH, CHUNK, Drained, Tally, compete


class Pgqueuer:
    """pgqueuer on asyncpg, its faster driver, and uvloop."""

    def __init__(self, url: str) -> None:
        logging.disable(logging.WARNING)
        self.runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self.driver = AsyncpgDriver(self.runner.run(self._connect(url)))
        self.queries = Queries(self.driver)

    def install(self) -> None:
        """Make the tables, with the settings for autovacuum that it recommends."""
        self.runner.run(self.queries.install())
        self.runner.run(self.queries.optimize_autovacuum())

    def put(self, count: int) -> float:
        """Put jobs, a chunk a statement."""
        began = time.perf_counter()
        for first in range(0, count, CHUNK):
            chunk = [b"%d" % n for n in range(first, min(first + CHUNK, count))]
            names, priorities = ["nothing"] * len(chunk), [0] * len(chunk)
            self.runner.run(self.queries.enqueue(names, list(chunk), priorities))
        return time.perf_counter() - began

    def put_one(self, number: int) -> None:
        """Put one job."""
        self.runner.run(self.queries.enqueue("nothing", b"%d" % number))

    def work(self, begin: Callable[[], None]) -> Drained:
        """Drain the queue; a job is taken for done when it is run."""
        tally = Tally()
        begin()
        self.runner.run(self._run(lambda _number: tally.add(), mode=QueueExecutionMode.drain))
        return tally.drained()

    def listen(self, heard: Callable[[int], None]) -> None:
        """Work until killed."""
        self.runner.run(self._run(heard))

    async def _run(self, on_job: Callable[[int], None], **settings: Any) -> None:
        queuer = PgQueuer(self.driver)

        @queuer.entrypoint("nothing")
        async def nothing(job: Job) -> None:
            on_job(int(job.payload or b"0"))

        await queuer.qm.run(batch_size=BATCH, **settings)

    async def _connect(self, url: str) -> "asyncpg.Connection[Any]":
        return await asyncpg.connect(url)


if __name__ == "__main__":
    compete(Pgqueuer)
