"""A worker as a process of its own: `python -m workers.worker_process URL key=value...`.

Its step writes one effect a job. A job with `kills` ends its process, one with `sleep_s` takes its time, one with
`until` waits for a file. The first line on stdout says that it is ready; SIGTERM stops it, a second one at once.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from inforadar.domain.job import Done, Job, Outcome, Retry
from inforadar.observe.chance import chance
from inforadar.observe.clock import SystemClock
from inforadar.store.database import Tx, open_database
from inforadar.workers.step import Context, Step
from inforadar.workers.worker import Worker

TESTS = Path(__file__).parents[1]


def run(job: Job, _context: Context) -> Outcome:
    """Do what the job says."""
    if job.args.get("kills"):
        os.kill(os.getpid(), signal.SIGKILL)
    if job.args.get("sleep_s"):
        threading.Event().wait(job.args["sleep_s"])
    while job.args.get("until") and not Path(job.args["until"]).exists():
        threading.Event().wait(0.01)
    if job.args.get("fails_first") and job.retry_count == 0:
        return Retry(error="first try")

    def write(tx: Tx) -> None:
        tx.run_text(f"INSERT INTO effects VALUES ({job.id}, {job.attempt}, '{os.getpid()}')")

    return Done(effects=write)


def main(url: str, *settings: str) -> None:
    """Work until stopped, or until idle if told so."""
    values = {name: float(value) for name, value in (setting.split("=") for setting in settings)}
    stop, hurry = threading.Event(), threading.Event()

    def end(_signal: int, _frame: Any) -> None:
        (hurry if stop.is_set() else stop).set()

    signal.signal(signal.SIGTERM, end)
    until_idle = bool(values.pop("until_idle", 0))
    max_attempts = int(values.pop("max_attempts", 5))
    counts = {name: int(values.pop(name)) for name in ("concurrency", "batch") if name in values}
    worker = Worker(
        database=open_database(url),
        steps={"a": Step(run=run, max_attempts=max_attempts, base_minutes=0.001)},
        clock=SystemClock(),
        chance=chance(),
        stop=stop,
        hurry=hurry,
        **values,  # type: ignore[arg-type]
        **counts,  # type: ignore[arg-type]
    )
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    worker.run(until_idle=until_idle)
    worker.database.close()


def environment() -> dict[str, str]:
    """Our own, with the way to the tests, and to the program if that is another than the one installed."""
    way = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(way)}


def start(url: str, said: Path, **settings: float) -> Popen[str]:
    """Start one; `said` gets what it says on stderr."""
    command = [sys.executable, "-m", "workers.worker_process", url, *(f"{k}={v}" for k, v in settings.items())]
    with said.open("ab") as output:
        return Popen(command, stdout=PIPE, stderr=output, env=environment(), text=True)


def wait_until_ready(process: Popen[str]) -> None:
    """Read its first line."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


@contextmanager
def some_workers(number: int, url: str, said: Path, **settings: float) -> Iterator[list[Popen[str]]]:
    """So many worker processes, killed at the end if they still run."""
    processes = [start(url, said, **settings) for _ in range(number)]
    try:
        for process in processes:
            wait_until_ready(process)
        yield processes
    finally:
        for process in processes:
            end(process)


def end(process: Popen[str]) -> None:
    """Make sure that a process is gone."""
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
