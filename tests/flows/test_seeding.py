"""Historical seeding: backward in time from the newest, slice by slice, then daily; never below the cutoff."""

from dataclasses import replace
from datetime import timedelta

import pytest

from flows.mortal import Fate, MortalDriver, ProcessDied
from flows.rig import NOON, Radar, Wire
from flows.scenes import PAGE, Scene, ids
from inforadar.domain.coverage import from_json
from inforadar.domain.run import StopReason
from inforadar.sources.hh import Hh
from inforadar.store.database import Database

CAP = 4 * PAGE
DAYS = 40
CUTOFF = (NOON - timedelta(days=DAYS - 5)).date()


def capped_hh() -> Hh:
    """hh that shows five vacancies a page and no more than twenty of any list."""
    source = Hh()
    source.paging = replace(source.paging, size=PAGE, largest_size=PAGE, depth=CAP)
    return source


@pytest.fixture
def scene(db: Database) -> Scene:
    scene = Scene(db)
    scene.sources["hh"] = capped_hh()
    return scene


def history(scene: Scene):
    """Two vacancies a day for forty days: four times what the site shows of one list."""
    return scene.publish(2 * DAYS, hours_apart=12)


def wanted(entries) -> list[str]:
    return ids([entry for entry in entries if entry.published_at.date() >= CUTOFF])


def asking(scene: Scene, asked_for: list) -> Radar:
    """A process whose requests are written down."""
    return scene.process(transport=Wire(scene.internet, before=lambda request: asked_for.append(dict(request.params))))


def test_a_first_sweep_goes_back_slice_by_slice_past_the_depth_cap_and_stops_at_the_cutoff(scene):
    entries = history(scene)
    asked, asked_for = scene.ask(cutoff_date=CUTOFF), []
    report = asking(scene, asked_for).fetch_one(*asked)
    assert scene.keys() == wanted(entries)
    assert (report.stop_reason, report.left) == (StopReason.CUTOFF_REACHED, 0)
    assert all((int(params["page"]) + 1) * PAGE <= CAP for params in asked_for)
    assert {params["date_to"] for params in asked_for if "date_to" in params}
    assert scene.state(asked[1]).last_processed_date == CUTOFF


def test_seeding_in_small_sweeps_reaches_further_back_each_time_and_never_below_the_cutoff(scene):
    entries = history(scene)
    asked = scene.ask(cutoff_date=CUTOFF, max_pages=3)
    reached = []
    for _ in range(40):
        report = scene.sweep(asked)
        reached.append(scene.state(asked[1]).last_processed_date)
        assert report.last_processed_date == reached[-1]
        if not report.left:
            break
    assert reached == sorted(reached, reverse=True)
    assert len(set(reached)) > 3
    assert scene.keys() == wanted(entries)


def test_a_seeding_that_is_killed_goes_on_where_it_was(scene):
    entries = history(scene)
    asked = scene.ask(cutoff_date=CUTOFF)
    mortal = Database(MortalDriver(scene.database.driver, Fate(dies_at=120)))
    with pytest.raises(ProcessDied):
        scene.sweep(asked, database=mortal)
    mortal.close()
    held, state = set(scene.keys()), scene.state(asked[1])
    assert held
    assert held < set(wanted(entries))
    covered = from_json(state.coverage)
    assert state.last_processed_date == covered.last_complete_sweep_before.date() > CUTOFF
    assert state.status == "RUNNING"
    asked_for = []
    radar = asking(scene, asked_for)
    radar.holder, radar.dead = "second", ["first"]
    report = radar.fetch_one(*asked)
    assert (scene.keys(), report.left) == (wanted(entries), 0)
    assert report.counters.added == len(wanted(entries)) - len(held)
    # what was read before the death is not read again, but for the newest page and the seam
    assert report.counters.seen < len(wanted(entries)) - len(held) + 4 * PAGE


def test_after_seeding_each_day_costs_a_page_or_two_and_the_past_stays_as_it_is(scene):
    entries = history(scene)
    asked = scene.ask(cutoff_date=CUTOFF)
    scene.sweep(asked)
    floor = scene.state(asked[1]).last_processed_date
    for _ in range(3):
        scene.internet.advance(86_400)
        entries += scene.publish(2, hours_apart=12)
        report = scene.sweep(asked)
        assert (report.counters.added, report.left) == (2, 0)
        assert report.counters.pages <= 3
        assert scene.state(asked[1]).last_processed_date == floor
    assert scene.keys() == wanted(entries)
