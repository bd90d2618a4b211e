"""Starts worker processes faster than Python can import them: a warm process forks each one on demand."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from workers.worker_process import environment

LIMIT_S = 60.0
WARM = """
import json, os, signal, sys
import apsw, psycopg
from workers.worker_process import main

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
said = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
for line in sys.stdin:
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    os.dup2(said, 1)
    os.dup2(said, 2)
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        main(*json.loads(line))
        code = 0
    finally:
        sys.stderr.write(f"{os.getpid()} ended with {code}\\n")
        sys.stderr.flush()
        os._exit(code)
"""


class Nursery:
    """Forks workers; those that still live are killed at the end."""

    def __init__(self, folder: Path) -> None:
        self.said = folder / "said"
        self._living: list[Forked] = []
        self._parent = subprocess.Popen(
            [sys.executable, "-c", WARM, str(self.said)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for one in self._living:
            one.kill()
            one.close()
        self._parent.communicate(timeout=LIMIT_S)

    def start(self, url: str, **settings: float) -> "Forked":
        """A new worker."""
        assert self._parent.stdin
        assert self._parent.stdout
        self._parent.stdin.write(json.dumps([url, *(f"{name}={value}" for name, value in settings.items())]) + "\n")
        self._parent.stdin.flush()
        forked = Forked(int(self._parent.stdout.readline()))
        self._living.append(forked)
        return forked

    def has_ended_well(self, one: "Forked") -> bool:
        """Whether a worker ended by itself with exit code 0."""
        return f"{one.pid} ended with 0\n" in self.said.read_text()


class Forked:
    """One worker process; signals reach it and nobody else, however its number is used again."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._handle: int | None = os.pidfd_open(pid)
        except ProcessLookupError:
            self._handle = None

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return not self.ended_within(0)

    def ended_within(self, seconds: float) -> bool:
        """Wait for its end; whether it came."""
        return self._handle is None or bool(select.select([self._handle], [], [], seconds)[0])

    def send(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self._handle is not None and self.is_alive:
            signal.pidfd_send_signal(self._handle, number)

    def freeze(self) -> None:
        """Stop it where it stands, and wait for that."""
        self.send(signal.SIGSTOP)
        ends_at = time.monotonic() + LIMIT_S
        while Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < ends_at, "it does not stop"

    def kill(self) -> None:
        """End it at once, and wait for that."""
        self.send(signal.SIGKILL)
        assert self.ended_within(LIMIT_S)

    def close(self) -> None:
        """Forget it."""
        if self._handle is not None:
            os.close(self._handle)
