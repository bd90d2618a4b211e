"""Some hundred lives of Radar, each drawn from its seed (RADAR_SEEDS says how many), and what all of them must meet.

A failing life prints its seed, its plan and its last events; `RADAR_SEED_FROM=65 RADAR_SEEDS=1` lives it again.
"""

import os
from pathlib import Path

import pytest

from sim.seeds import live, make_template, plan_of

SEEDS = int(os.environ.get("RADAR_SEEDS", "300"))
FIRST = int(os.environ.get("RADAR_SEED_FROM", "0"))
CHUNK = 15
EVENTFUL = (158, 0, 16, 38, 210, 106, 34, 220)
ENOUGH_FOR_EVERYTHING = 300
MUST_HAPPEN = (
    "429",
    "commit whose reply was lost",
    "complete sweep",
    "cutoff reached",
    "date window",
    "death between transactions",
    "death in a transaction",
    "emptied fields",
    "empty page",
    "end of feed",
    "excused for a while",
    "fallback",
    "filtered",
    "gaps",
    "landing",
    "late arrival found",
    "lease lost",
    "limit reached",
    "mass expiry",
    "max items",
    "max pages",
    "page asked again",
    "rate limited",
    "refused",
    "retry",
    "step back",
    "takeover",
    "unavailable",
    "unreadable entry",
    "unreadable page",
    "updated",
    "window exhausted",
)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, CHUNK))
def test_every_life_keeps_the_invariants_and_ends_with_everything_visible(first, template, tmp_path):
    failures = []
    for seed in range(first, min(first + CHUNK, FIRST + SEEDS)):
        try:
            live(seed, tmp_path, template)
        except AssertionError as failure:
            failures.append(str(failure))
    assert not failures, "\n\n".join(failures)


@pytest.mark.timeout(600)
def test_everything_that_may_happen_does_happen_sometimes(template, tmp_path):
    """A simulation that never meets a danger proves nothing about it; the lives that meet the most come first."""
    missing = set(MUST_HAPPEN)
    for seed in dict.fromkeys((*EVENTFUL, *range(ENOUGH_FOR_EVERYTHING))):
        missing -= set(live(seed, tmp_path, template).sometimes)
        if not missing:
            return
    pytest.fail(f"in no life: {sorted(missing)}")


def test_a_seed_lives_the_same_life_again(template, tmp_path):
    first, second = (live(7, tmp_path, template) for _ in range(2))
    assert list(first.events) == list(second.events)
    assert first.sometimes == second.sometimes
    assert plan_of(7) == plan_of(7)
