"""Starts real `radar` processes faster than Python can import them: a warm process forks each one on demand.

Every fork runs `inforadar.__main__.main` with arguments and environment of its own and can be killed like any other.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from crash.radar_command import LIMIT_S

WARM = """
import json, os, sys, traceback
import apsw, psycopg
import inforadar.interfaces.cli.fetch, inforadar.interfaces.cli.main
from inforadar.__main__ import main

def be_radar(order):
    os.environ.clear(); os.environ.update(order["environment"])
    os.chdir(order["folder"])
    said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(said, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["radar", *order["arguments"]]
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = be_radar(json.loads(line))
            sys.stdout.flush(); sys.stderr.flush()
        finally:
            os._exit(code)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class WarmRadar:
    """Forks one `radar` at a time; what they say is collected in one file."""

    def __init__(self, folder: Path) -> None:
        self.said = folder / "said.txt"
        self._folder = folder
        self._parent = subprocess.Popen(
            [sys.executable, "-c", WARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "WarmRadar":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._parent.communicate(timeout=LIMIT_S)

    def start(self, environment: Mapping[str, str], *arguments: str) -> "Fork":
        """Fork a `radar`; it runs until its end or until it is killed."""
        order = {
            "environment": dict(environment),
            "folder": str(self._folder),
            "said": str(self.said),
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
