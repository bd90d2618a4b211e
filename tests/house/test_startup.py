"""What a call of `radar` loads: help is quick, and no command loads what it does not use."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "apsw",
    "psycopg",
    "httpx2",
    "rich",
    "structlog",
    "msgspec",
    "selectolax",
    "regex",
    "prometheus_client",
    "http.server",
    "fastapi",
    "pydantic",
    "uvicorn",
    "textual",
]
PROBE = """
import json, sys
from inforadar.interfaces.cli.main import run
code = run(sys.argv[1:])
print(json.dumps({"code": code, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules in a process after it ran this command line."""
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, check=True, timeout=30)
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["code"] in (0, 2)
    return set(told["modules"])


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fetsh"]])
def test_help_loads_nothing_heavy(arguments):
    modules = loaded(*arguments)
    assert [name for name in HEAVY if name in modules] == []
    assert not any(name.startswith("inforadar.store") for name in modules)


def test_a_command_loads_no_other_command_and_no_simulator():
    modules = loaded("items", "--help")
    assert "inforadar.interfaces.cli.items" in modules
    assert not modules & {"inforadar.interfaces.cli.demo", "inforadar.interfaces.cli.fetch", "inforadar.simulator"}
    assert "rich.progress" not in modules
