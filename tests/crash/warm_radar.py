"""Starts real `radar` processes faster than Python can import them: a warm process forks each one on demand.

Every fork runs `inforadar.__main__.main` with arguments, environment, folder and streams of its own, ends as any
Python does and can be killed like any other.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType

LIMIT_S = 120.0
WARM = """
import gc, importlib, json, os, sys, time
import apsw, feedparser, google.auth.crypt, google.auth.jwt, httpx2, psycopg
from inforadar.__main__ import main
from inforadar.interfaces.cli.main import COMMANDS

def be_radar(order):
    os.environ.clear(); os.environ.update(order["environment"]); time.tzset()
    os.chdir(order["folder"])
    for number, name in ((1, order["out"]), (2, order["err"])):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["radar", *order["arguments"]]
    main()

for name in COMMANDS:
    importlib.import_module(f"inforadar.interfaces.cli.{name}")
gc.freeze()
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        be_radar(json.loads(line))
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class WarmRadar:
    """Forks one `radar` at a time."""

    def __init__(self) -> None:
        known = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        self._parent = subprocess.Popen(
            [sys.executable, "-c", WARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=known
        )

    def __enter__(self) -> "WarmRadar":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let no further ones be forked."""
        self._parent.communicate(timeout=LIMIT_S)

    def start(self, folder: Path, environment: Mapping[str, str], *arguments: str, out: Path, err: Path) -> "Fork":
        """Fork a `radar` whose streams are appended to files; it runs until its end or until it is killed."""
        order = {
            "environment": dict(environment),
            "folder": str(folder),
            "out": str(out),
            "err": str(err),
            "arguments": arguments,
        }
        self._tell(json.dumps(order))
        return Fork(int(self._hear()), self)

    def _tell(self, line: str) -> None:
        assert self._parent.stdin
        self._parent.stdin.write(line + "\n")
        self._parent.stdin.flush()

    def _hear(self) -> str:
        assert self._parent.stdout
        return self._parent.stdout.readline()


@cache
def shared_warm_radar() -> WarmRadar:
    """The one of this process, for those who wait for the end of each that they start."""
    warm = WarmRadar()
    atexit.register(warm.close)
    return warm


class Fork:
    """One forked `radar`; `kill` hits it and nobody else, however its number is used again."""

    def __init__(self, pid: int, warm: WarmRadar) -> None:
        self._warm = warm
        try:
            self._handle: int | None = os.pidfd_open(pid)
        except ProcessLookupError:
            self._handle = None

    def ended_before(self, event: int | None, seconds: float) -> bool:
        """Wait for its end, for a byte on `event` or for so long; whether it ended."""
        if self._handle is None:
            return True
        watched = [self._handle] if event is None else [self._handle, event]
        return self._handle in select.select(watched, [], [], seconds)[0]

    def kill(self) -> int:
        """SIGKILL, unless it has ended; its exit code, negative if a signal ended it."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.close(self._handle)
        return int(self._warm._hear())
