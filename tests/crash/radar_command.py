"""The real `radar` command as a process of its own, in a folder of the test's own, against a local internet."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from crash.warm_radar import LIMIT_S, shared_warm_radar
from inforadar.simulator.server import Simulator

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
CAN_BE_WARM = hasattr(os, "pidfd_open")
ONE_WARM_AT_A_TIME = Lock()
ROOMY = 1 << 20
"""Room in a pipe for all that a process says while nobody reads it, so that it never waits for a reader."""
COMMAND = (sys.executable, "-m", "inforadar")

CONFIG = """\
[store]
url = "{store}"
[sources.linkedin]
base_url = "{linkedin}"
rate_limit_per_minute = 6000
[sources.habr]
base_url = "{habr}"
rate_limit_per_minute = 6000
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
"""
WATCH = """\
[[watch]]
name = "{source}"
kind = "{kind}"
max_experience_years = 0
  [[watch.query]]
  source = "{source}"
  {bounds}
"""
KINDS = {"linkedin": "vacancy", "hh": "vacancy", "habr": "article"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a call of the command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        """The JSON on stdout."""
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Everything it said on both streams."""
        return self.out + self.err


@dataclass(frozen=True, slots=True, kw_only=True)
class Radar:
    """Calls `radar` in one folder; `now` is what time the process is told it is."""

    folder: Path
    now: Callable[[], datetime] = lambda: NOON
    variables: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Nothing of ours but what Python needs, so that no setting of this machine gets in."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        return {**kept, "HOME": str(self.folder), "RADAR_NOW": self.now().isoformat(), **self.variables}

    def start(self, *arguments: str, prefix: Sequence[str] = (), **how: Any) -> subprocess.Popen[str]:
        """Start a call; streams are pipes, there is no terminal. `prefix`: a program that starts ours."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command, settings = [*prefix, *COMMAND, *arguments], {**streams, "pipesize": ROOMY, **how}
        return subprocess.Popen(command, cwd=self.folder, env=self.environment(), text=True, **settings)

    def run(self, *arguments: str, **how: Any) -> Ended:
        """Call it and wait for its end."""
        if how or not CAN_BE_WARM or not ONE_WARM_AT_A_TIME.acquire(blocking=False):
            return end_of(self.start(*arguments, **how))
        try:
            return self._run_warm(*arguments)
        finally:
            ONE_WARM_AT_A_TIME.release()

    def _run_warm(self, *arguments: str) -> Ended:
        with TemporaryDirectory() as streams:
            out, err = Path(streams, "out"), Path(streams, "err")
            process = shared_warm_radar().start(self.folder, self.environment(), *arguments, out=out, err=err)
            is_over = process.ended_before(None, LIMIT_S)
            code = process.kill()
            if not is_over:
                raise subprocess.TimeoutExpired(arguments, LIMIT_S, out.read_bytes(), err.read_bytes())
            return Ended(code=code, out=out.read_text(encoding="utf-8"), err=err.read_text(encoding="utf-8"))


def start_and_signal(
    radar: Radar, simulator: Simulator, source: str, number: int, sign: signal.Signals, *arguments: str
) -> subprocess.Popen[str]:
    """Start a call that gets a signal just when a site gets its so-manieth list request."""
    started: Future[subprocess.Popen[str]] = Future()
    at_request(simulator, source, number, lambda: started.result(LIMIT_S).send_signal(sign))
    process = radar.start(*arguments)
    started.set_result(process)
    return process


def at_request(simulator: Simulator, source: str, number: int, do: Callable[[], object]) -> None:
    """Do something just before a site answers its so-manieth list request from now on."""
    with simulator.internet.lock:
        so_far = sum(line.source == source and line.is_list for line in simulator.log)
        simulator.internet.before_list(source, so_far + number, lambda _world: do())


def wait_until_frozen(process: subprocess.Popen[str]) -> None:
    """Wait until a SIGSTOP has taken hold."""
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)


def end_of(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a started call."""
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Ended(code=process.returncode, out=out or "", err=err or "")


def write_config(folder: Path, store: str, simulator: Simulator, **bounds: str) -> Path:
    """A radar.toml with a watch of each named source, and the TOML lines of its query."""
    watches = [WATCH.format(source=name, kind=KINDS[name], bounds=lines) for name, lines in bounds.items()]
    path = folder / "radar.toml"
    path.write_text(CONFIG.format(store=store, **simulator.base_urls) + "".join(watches), encoding="utf-8")
    path.chmod(0o600)
    return path
