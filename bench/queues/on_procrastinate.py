"""procrastinate, as its documentation advises for throughput: async tasks, concurrency 30, batch defer, a pool."""

import asyncio
import atexit
import logging
import time
from collections.abc import Callable

import procrastinate

from bench.queues.contest import CHUNK, Drained, Tally, compete

CONCURRENCY = 30
POOL = 10


class Procrastinate:
    """procrastinate on psycopg, its faster connector."""

    def __init__(self, url: str) -> None:
        logging.disable(logging.WARNING)
        connector = procrastinate.PsycopgConnector(conninfo=url, min_size=POOL, max_size=POOL)
        self.app = procrastinate.App(connector=connector)
        self.runner = asyncio.Runner()
        self.on_job: Callable[[int], None] = lambda _number: None
        self.task = self.app.task(self._job, name="nothing")
        self.runner.run(self._open())
        atexit.register(self._close)

    def install(self) -> None:
        """Make the tables."""
        self.runner.run(self.app.schema_manager.apply_schema_async())

    def put(self, count: int) -> float:
        """Put jobs by batch defer, a chunk a transaction."""
        began = time.perf_counter()
        for first in range(0, count, CHUNK):
            chunk = [{"n": n} for n in range(first, min(first + CHUNK, count))]
            self.runner.run(self.task.batch_defer_async(*chunk))
        return time.perf_counter() - began

    def put_one(self, number: int) -> None:
        """Put one job."""
        self.runner.run(self.task.defer_async(n=number))

    def work(self, begin: Callable[[], None]) -> Drained:
        """Drain the queue; a job is taken for done when it is run."""
        tally = Tally()
        self.on_job = lambda _number: tally.add()
        begin()
        self.runner.run(self.app.run_worker_async(concurrency=CONCURRENCY, wait=False))
        return tally.drained()

    def listen(self, heard: Callable[[int], None]) -> None:
        """Work until killed."""
        self.on_job = heard
        self.runner.run(self.app.run_worker_async(concurrency=CONCURRENCY))

    async def _open(self) -> None:
        await self.app.open_async()

    def _close(self) -> None:
        self.runner.run(self.app.close_async())

    async def _job(self, n: int) -> None:
        self.on_job(n)


if __name__ == "__main__":
    compete(Procrastinate)
