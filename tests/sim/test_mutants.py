"""A simulation proves nothing until it kills mutants: each deliberate bug must be caught within a few lives.

The bugs are put into the running program here and taken out again; every one is a mistake that was made somewhere.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from inforadar.collect import saving, sweeper
from inforadar.domain import merge, reading
from inforadar.domain.coverage import Coverage
from inforadar.domain.sweep import Sweep
from inforadar.domain.walk import Ending, Walk
from inforadar.store import jobs, leases, query_states
from sim.seeds import live, make_template

Patch = pytest.MonkeyPatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One deliberate bug: how it is put in, the seeds to try, and words the verdict must hold."""

    name: str
    infect: Callable[[Patch], None]
    first: int
    caught_by: tuple[str, ...]
    most: int = 20


def stop_at_the_first_known(patch: Patch) -> None:
    """A walk ends as soon as a page shows something known, and says that the gap is closed."""
    sound = Sweep._ending

    def ending(self: Sweep, walk: Walk, may_leave: bool) -> Ending | None:
        is_met = walk.low is not None and self.entries.seen > self.entries.unseen
        return Ending.FEED_ENDED if is_met else sound(self, walk, may_leave)

    patch.setattr(Sweep, "_ending", ending)


def believe_every_seam(patch: Patch) -> None:
    """Two pages in a row are taken for adjacent, whatever moved between them."""
    patch.setattr(Walk, "continues", lambda *_: True)


def take_an_empty_page_for_the_end(patch: Patch) -> None:
    """An empty page ends the list."""

    def doubt(walk: Walk, *_: object):
        walk.is_ended = True
        yield from ()

    patch.setattr(reading, "_doubt", doubt)


def claim_everything_at_the_first_page(patch: Patch) -> None:
    """The high-water idea: once the top was seen, all below counts as collected."""
    sound = Coverage.claimed

    def claimed(self: Coverage, claim, now):
        return sound(self, replace(claim, is_ended=True), now)

    patch.setattr(Coverage, "claimed", claimed)


def let_the_mark_fall(patch: Patch) -> None:
    """The coverage of a sweep replaces the one before instead of joining it."""
    sound = Coverage.claimed

    def claimed(self: Coverage, claim, now):
        return sound(Coverage() if claim.origin is None else self, claim, now - (now - claim.after) / 2)

    patch.setattr(Coverage, "claimed", claimed)


def save_coverage_before_the_page(patch: Patch) -> None:
    """Coverage and items are two transactions, coverage first."""
    sound = sweeper.SweepInProgress._save

    def save(self: sweeper.SweepInProgress, page, sweep, saver) -> None:
        original = saver.save

        def in_two(tx, entries):
            query_states.save_coverage(tx, self.query, sweeper.coverages.to_json(sweep.coverage))
            tx._connection.commit()
            tx._connection.begin(write=True)
            return original(tx, entries)

        sound(self, page, sweep, Saver(in_two, saver))

    patch.setattr(sweeper.SweepInProgress, "_save", save)


class Saver:
    """A saver whose way of saving was exchanged."""

    def __init__(self, save: Callable, sound: saving.PageSaver) -> None:
        self.save = save
        self.ban_list = sound.ban_list
        self.now = sound.now


def put_jobs_in_a_second_transaction(patch: Patch) -> None:
    """Items first, their jobs after a commit."""
    sound = jobs.put

    def put(tx, wanted):
        tx._connection.commit()
        tx._connection.begin(write=True)
        return sound(tx, wanted)

    patch.setattr(jobs, "put", put)


def let_empty_values_win(patch: Patch) -> None:
    """What the source shows replaces what is there, even by nothing."""

    def overwrite(stored, draft, now):
        data = {**dict.fromkeys(stored.data), **draft.data}
        return merge.Merged(item=replace(stored, data=data, last_seen_at=now), changes=(), is_bump=True)

    patch.setattr(saving, "merge", overwrite)


def guard_no_lease(patch: Patch) -> None:
    """A process that lost its lease goes on writing."""
    patch.setattr(leases, "guard", lambda *_: None)


def count_no_limit(patch: Patch) -> None:
    """The tail's share is added on top of the limit."""
    sound = Sweep._grant

    def grant(self: Sweep, **shares: bool) -> None:
        sound(self, **shares)
        if self.entries.allowed is not None:
            self.entries.allowed += 1
            self.entries.limit = self.entries.allowed

    patch.setattr(Sweep, "_grant", grant)


MUTANTS = (
    Mutant(name="stop at the first known", infect=stop_at_the_first_known, first=1, caught_by=("I2", "never found")),
    Mutant(name="believe every seam", infect=believe_every_seam, first=16, caught_by=("I2",)),
    Mutant(name="an empty page is the end", infect=take_an_empty_page_for_the_end, first=30, caught_by=("I2",)),
    Mutant(
        name="claim everything at once",
        infect=claim_everything_at_the_first_page,
        first=0,
        caught_by=("I2", "never found"),
    ),
    Mutant(name="the mark falls", infect=let_the_mark_fall, first=1, caught_by=("I4",)),
    Mutant(
        name="coverage before its page",
        infect=save_coverage_before_the_page,
        first=0,
        caught_by=("I2: the coverage claims",),
    ),
    Mutant(name="jobs in a second transaction", infect=put_jobs_in_a_second_transaction, first=27, caught_by=("I3",)),
    Mutant(name="empty values win", infect=let_empty_values_win, first=2, caught_by=("I6",)),
    Mutant(name="no lease guard", infect=guard_no_lease, first=4, caught_by=("I5",)),
    Mutant(name="more than the limit", infect=count_no_limit, first=0, caught_by=("more than the limit",)),
)


@contextmanager
def infected(mutant: Mutant):
    with pytest.MonkeyPatch.context() as patch:
        mutant.infect(patch)
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_deliberate_bug_is_caught_within_a_few_lives(mutant, template, tmp_path):
    with infected(mutant):
        for seed in range(mutant.first, mutant.first + mutant.most):
            try:
                live(seed, tmp_path, template)
            except AssertionError as failure:
                verdict = str(failure).splitlines()[0]
                if any(words in verdict for words in mutant.caught_by):
                    return
    pytest.fail(f"{mutant.name}: not caught in {mutant.most} lives")
