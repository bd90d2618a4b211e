"""Bounds of a query: each does what it says, and what it leaves out is collected later or never asked for."""

from dataclasses import replace
from datetime import timedelta

import pytest

from flows.rig import NOON
from flows.scenes import PAGE, Scene, ids
from inforadar.domain.run import StopReason
from inforadar.store.database import Database


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def test_a_limit_takes_exactly_so_many_unseen_and_the_next_sweeps_take_the_rest(scene):
    entries = scene.publish(3 * PAGE)
    asked = scene.ask(limit=4)
    first = scene.sweep(asked)
    assert (first.counters.unseen, first.counters.added, first.stop_reason) == (4, 4, StopReason.LIMIT_REACHED)
    assert first.left == 3 * PAGE - 4
    assert scene.runs()[0].status == "PARTIAL"
    sweeps = [first]
    while sweeps[-1].left:
        sweeps.append(scene.sweep(asked))
        assert len(sweeps) < 20
    assert scene.keys() == ids(entries)
    assert all(sweep.counters.unseen <= 4 for sweep in sweeps)


def test_a_limit_goes_on_past_entries_that_are_known(scene):
    old = scene.publish(2 * PAGE)
    scene.sweep(scene.ask())
    scene.internet.advance(3600)
    new = scene.publish(2, hours_apart=0.1)
    report = scene.sweep(scene.ask(limit=2))
    assert report.counters.added == 2
    assert scene.keys() == ids(old + new)


def test_a_limit_smaller_than_a_group_of_one_date_still_collects_the_whole_group(scene):
    entries = scene.publish(3 * PAGE, hours_apart=0)
    asked = scene.ask(limit=1)
    for _ in range(40):
        if not scene.sweep(asked).left:
            break
    assert scene.keys() == ids(entries)


def test_the_tail_shrinks_while_the_top_stays_busy(scene):
    old = set(ids(scene.publish(4 * PAGE)))
    asked = scene.ask(limit=2)
    for _ in range(80):
        scene.internet.advance(600)
        scene.publish(2, hours_apart=0.01)
        scene.sweep(asked)
    assert old <= set(scene.keys())


def test_a_cutoff_date_is_never_passed_and_ends_the_sweep(scene):
    scene.publish(6 * PAGE, hours_apart=6)
    cutoff = NOON.date() - timedelta(days=3)
    report = scene.sweep(scene.ask(cutoff_date=cutoff))
    wanted = [
        entry for entry in scene.world.listing(scene.internet.search("hh")) if entry.published_at.date() >= cutoff
    ]
    assert scene.keys() == ids(wanted)
    assert (report.stop_reason, report.left) == (StopReason.CUTOFF_REACHED, 0)
    assert report.counters.pages < 6


def test_a_window_is_read_again_in_every_sweep_and_brings_its_changes(scene):
    entries = scene.publish(4 * PAGE, hours_apart=4)
    asked = scene.ask(window_days=2)
    scene.sweep(asked)
    scene.world.edit("hh", entries[11].id, title="Edited inside the window")
    report = scene.sweep(asked)
    assert [fields["title"][1] for fields in report.updated.values()] == ["Edited inside the window"]
    assert report.counters.seen >= 12
    assert report.left == 0


def test_without_a_window_a_sweep_of_a_still_list_asks_for_one_page(scene):
    scene.publish(4 * PAGE, hours_apart=4)
    asked = scene.ask()
    scene.sweep(asked)
    scene.sweep(asked)
    assert scene.sweep(asked).counters.pages == 1


def test_max_pages_ends_a_sweep_and_says_what_is_left(scene):
    entries = scene.publish(6 * PAGE)
    asked = scene.ask(max_pages=3)
    report = scene.sweep(asked)
    assert (report.counters.pages, report.stop_reason) == (3, StopReason.MAX_PAGES)
    assert report.left == 3 * PAGE
    for _ in range(6):
        scene.sweep(asked)
    assert scene.keys() == ids(entries)


def test_max_items_ends_a_sweep_and_says_what_is_left(scene):
    scene.publish(6 * PAGE)
    report = scene.sweep(scene.ask(max_items=7))
    assert (report.counters.seen, report.stop_reason) == (7, StopReason.MAX_ITEMS)
    assert len(scene.keys()) == 7
    assert report.left > 0


def test_bounds_that_leave_no_room_for_progress_are_told(scene):
    scene.publish(6 * PAGE, hours_apart=0.01)
    asked = scene.ask(max_pages=1)
    scene.sweep(asked)
    reports = [scene.sweep(asked) for _ in range(3)]
    assert any("made no progress" in warning for report in reports for warning in report.warnings)
    assert all(report.left for report in reports)


def test_too_few_pages_for_any_progress_are_told_in_one_sentence(scene):
    scene.publish(100, "habr", hours_apart=0.01)
    source = scene.sources["habr"]
    source.paging = replace(source.paging, largest_size=None)  # its pages have one size only
    asked = scene.ask("habr", max_pages=1)
    scene.sweep(asked)
    reports = [scene.sweep(asked) for _ in range(3)]
    few = "max_pages = 1 is too few to go on in this list; one step further down takes"
    for report in reports:
        (told,) = report.warnings
        assert told.startswith(f"this sweep made no progress: {few} "), told
