"""The command line under test: called in this process, or as a process of its own, over a local internet."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inforadar.interfaces.cli.main import run
from inforadar.simulator.server import Simulator

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
COUNTS = {"hh": 30, "linkedin": 25, "habr": 30}
RADAR = (sys.executable, "-m", "inforadar")

CONFIG = """\
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
token = "secret-of-hh"
[sources.linkedin]
base_url = "{linkedin}"
rate_limit_per_minute = 6000
[sources.habr]
base_url = "{habr}"
rate_limit_per_minute = 6000

[[watch]]
name = "jobs"
kind = "vacancy"
max_experience_years = 0
  [[watch.query]]
  source = "hh"
  [[watch.query]]
  source = "linkedin"

[[watch]]
name = "articles"
kind = "article"
  [[watch.query]]
  source = "habr"
  params = {{ hub = "python" }}
  [[watch.query]]
  source = "habr"
  params = {{ flow = "admin" }}
  topic = "Admins"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one call ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(slots=True)
class CommandLine:
    """A user in a folder of their own; `env` is all that differs from the environment of the tests."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    env: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str) -> Ran:
        """Call `radar` in this process."""
        self.capture.readouterr()
        with self.patch.context() as patch:
            patch.chdir(self.folder)
            for name, value in self.env.items():
                patch.setenv(name, value)
            code = run(arguments)
        said = self.capture.readouterr()
        return Ran(code=code, out=said.out, err=said.err)

    def configure(self, simulator: Simulator, extra: str = "") -> Path:
        """Write a radar.toml that points at a simulator."""
        path = self.folder / "radar.toml"
        path.write_text(CONFIG.format(**simulator.base_urls) + extra, encoding="utf-8")
        path.chmod(0o600)
        return path

    def start(self, *arguments: str, **streams: Any) -> "subprocess.Popen[bytes]":
        """Start `radar` as a process of its own."""
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.Popen([*RADAR, *arguments], cwd=self.folder, env=environment(**self.env), **piped)


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process: nothing of the user who runs the tests but the way to the programs."""
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | changes


def spent() -> float:
    """Seconds of a processor that ended processes took: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process(command: Sequence[str], **settings: Any) -> Ran:
    """Run a command to its end as a process of its own."""
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, **settings)
    return Ran(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())
