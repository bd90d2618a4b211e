"""The bench's side of the contest: starts contestants as processes, gives them their roles, takes their times."""

import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Racer:
    """A contestant: who plays it, and on which database. `share`: the part of all jobs that is enough for it."""

    name: str
    python: str
    module: str
    url: str
    share: float = 1.0

    @property
    def is_installed(self) -> bool:
        """Whether its module can be imported by its Python."""
        command = [self.python, "-c", f"import bench.queues.{self.module}"]
        try:
            return not subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode
        except FileNotFoundError:
            return False

    def install(self) -> None:
        """Make its tables."""
        with _Process(self, "install") as process:
            process.wait()

    def put(self, jobs: int) -> float:
        """Put jobs in bulk; rows per second."""
        with _Process(self, "put", jobs) as process:
            return jobs / float(process.answer())

    def drain(self, jobs: int, workers: int) -> float:
        """Let so many worker processes drain the queue; jobs per second from the go to the last one done."""
        processes = [_Process(self, "work") for _ in range(workers)]
        try:
            for process in processes:
                assert process.answer() == "ready"
            began_at = time.monotonic()
            for process in processes:
                process.go()
            drained = [process.answer() for process in processes]
        finally:
            for process in processes:
                process.__exit__()
        done = sum(count for count, _ in drained)
        assert done == jobs, f"{self.name} ran {done} of {jobs} jobs"
        return jobs / (max(float(ended_at) for _, ended_at in drained) - began_at)

    def latencies_s(self, rings: int) -> list[float]:
        """Seconds from putting a job to its start, on an idle worker; the first job tells that it is up."""
        with _Process(self, "listen") as listener, _Process(self, "ring", rings) as ringer:
            assert ringer.answer()[0] == listener.answer()[0] == 0
            ringer.go()
            pairs = [(ringer.answer(), listener.answer()) for _ in range(rings)]
        assert all(put[0] == heard[0] for put, heard in pairs), f"{self.name} ran jobs out of turn"
        return [heard[1] - put[1] for put, heard in pairs]


class _Process:
    """One contestant in one role; killed at the end of the block if it still runs."""

    def __init__(self, racer: Racer, role: str, *arguments: int) -> None:
        command: Sequence[str] = [racer.python, "-m", f"bench.queues.{racer.module}", role, racer.url]
        self._name = f"{racer.name}, {role}"
        self._popen = subprocess.Popen(
            [*command, *map(str, arguments)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._popen.kill()
        self._popen.communicate()

    def answer(self) -> Any:
        """The next line it says."""
        assert self._popen.stdout
        line = self._popen.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name} ended without a word, with {self._popen.wait()}")
        return json.loads(line)

    def go(self) -> None:
        """Let it begin."""
        assert self._popen.stdin
        self._popen.stdin.write("go\n")
        self._popen.stdin.flush()

    def wait(self) -> None:
        """Until it ends by itself; raises if it failed."""
        if self._popen.wait():
            raise RuntimeError(f"{self._name} failed")
