"""The world moves by chance, the same way for the same seed, and remembers what was visible when."""

from collections import Counter
from datetime import timedelta

import pytest

from inforadar.simulator.entry import counters_at
from inforadar.simulator.happenings import HAPPENINGS, Pace, drive, stock
from inforadar.simulator.scenarios import DEMO_STOCK, demo_world
from inforadar.simulator.search import Search, query_words, words_of
from inforadar.simulator.world import SOURCES, World
from sim.simulator_client import NOON

ALL = {source: Search(source=source) for source in SOURCES}


def moved(kind: str, *, source: str = "hh", hours: float = 24, stocked: int = 60, **pace: float) -> World:
    world = World(seed=3, start_at=NOON)
    stock(world, source, stocked, days=10)
    drive(world, source, Pace(**{kind: 2.0, **pace}))
    world.advance(NOON + timedelta(hours=hours))
    return world


def snapshot(world: World) -> list[object]:
    return [(entry, world.spans(source, entry.id)) for source in SOURCES for entry in world.listing(ALL[source])]


def test_many_small_advances_end_in_the_same_world_as_one_big_one():
    slow, fast = demo_world(7, NOON), demo_world(7, NOON)
    for minute in range(0, 600, 7):
        slow.advance(NOON + timedelta(minutes=minute))
    slow.advance(NOON + timedelta(hours=10))
    fast.advance(NOON + timedelta(hours=10))
    assert snapshot(slow) == snapshot(fast)


def test_another_seed_gives_another_world():
    assert snapshot(demo_world(1, NOON)) != snapshot(demo_world(2, NOON))


def test_time_never_goes_back():
    world = World(seed=1, start_at=NOON)
    with pytest.raises(ValueError, match="cannot go back"):
        world.advance(NOON - timedelta(seconds=1))


def test_the_demo_world_has_a_month_of_entries_and_every_kind_of_event():
    world = demo_world(1, NOON)
    assert {source: counts["visible"] for source, counts in world.counts().items()} == DEMO_STOCK
    oldest = world.listing(ALL["hh"])[-1]
    assert timedelta(days=25) < NOON - oldest.published_at < timedelta(days=30)
    before = {entry.id: entry for entry in world.listing(ALL["hh"])}
    world.advance(NOON + timedelta(hours=12))
    after = {entry.id: entry for entry in world.listing(ALL["hh"])}
    kept = before.keys() & after.keys()
    assert len(after.keys() - before.keys()) > 30
    assert before.keys() - after.keys()
    assert any(before[key].published_at < after[key].published_at for key in kept)
    assert any(before[key].title != after[key].title for key in kept)


def test_a_late_arrival_becomes_visible_after_its_date_and_below_the_top():
    world = moved("late", hours=48)
    late = [
        entry
        for entry in world.listing(ALL["hh"])
        if entry.published_at >= NOON and world.spans("hh", entry.id)[0].start > entry.published_at
    ]
    delays = [world.spans("hh", entry.id)[0].start - entry.published_at for entry in late]
    assert len(delays) > 10
    assert timedelta(minutes=5) < min(delays) < max(delays) <= timedelta(hours=6, seconds=1)


def test_a_burst_shares_one_date_and_some_are_one_job_in_many_cities_with_consecutive_ids():
    world = moved("bursts", hours=24)
    groups: dict[object, list[object]] = {}
    for entry in world.listing(ALL["hh"]):
        if entry.published_at >= NOON:
            groups.setdefault(entry.published_at, []).append(entry)
    assert all(len(group) >= 3 for group in groups.values())
    over_cities = [group for group in groups.values() if len({entry.title for entry in group}) == 1]
    assert over_cities
    ids = sorted(int(entry.id) for entry in over_cities[0])
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert len({entry.place.city for entry in over_cities[0]}) == len(ids)


def test_a_withdrawn_entry_is_gone_for_good_and_its_span_is_closed():
    world = moved("withdrawals", hours=10)
    gone = world.ever_visible_ids(ALL["hh"]) - world.visible_ids(ALL["hh"])
    assert gone
    endings = Counter(world.entry("hh", key).closing for key in gone)
    assert set(endings) == {"archived", "deleted"}
    assert all(world.spans("hh", key)[-1].end is not None for key in gone)


def test_a_bump_keeps_the_id_and_the_true_age_and_dates_it_now():
    world = World(seed=1, start_at=NOON)
    old = world.add("hh", published_at=NOON - timedelta(days=9))
    newer = world.add("hh", published_at=NOON - timedelta(days=1))
    assert world.listing(ALL["hh"])[0].id == newer.id
    world.bump("hh", old.id)
    top = world.listing(ALL["hh"])[0]
    assert (top.id, top.published_at, top.created_at) == (old.id, NOON, NOON - timedelta(days=9))
    assert len(world.spans("hh", old.id)) == 1


def test_a_repost_is_the_same_job_under_a_new_id():
    world = moved("reposts", hours=10)
    new = [entry for entry in world.listing(ALL["hh"]) if entry.published_at >= NOON]
    old = {(entry.title, entry.company, entry.place) for entry in moved("reposts", hours=0).listing(ALL["hh"])}
    assert new
    assert all((entry.title, entry.company, entry.place) in old for entry in new)


def test_a_hidden_entry_comes_back_within_two_days():
    world = moved("hidings", hours=3)
    hidden = world.ever_visible_ids(ALL["hh"]) - world.visible_ids(ALL["hh"])
    assert hidden
    world.advance(world.now + timedelta(hours=48))
    assert all(len(world.spans("hh", key)) >= 2 for key in hidden)
    gaps = [second.start - first.end for key in hidden for first, second in [world.spans("hh", key)[:2]]]
    assert all(timedelta(hours=24) <= gap <= timedelta(hours=48) for gap in gaps)


def test_an_edit_never_changes_which_searches_find_the_entry():
    world = moved("edits", hours=48)
    fresh = {entry.id: entry for entry in moved("edits", hours=0).listing(ALL["hh"])}
    edited = [entry for entry in world.listing(ALL["hh"]) if entry != fresh[entry.id]]
    assert {"title", "snippet", "tags"} <= {
        name
        for entry in edited
        for name in ("title", "snippet", "tags")
        if getattr(entry, name) != getattr(fresh[entry.id], name)
    }
    assert all(entry.words == fresh[entry.id].words for entry in edited)


def test_some_jobs_of_hh_appear_on_linkedin_under_an_id_of_their_own():
    world = World(seed=5, start_at=NOON)
    drive(world, "hh", Pace(arrivals=10.0, cross_posted=0.5))
    world.advance(NOON + timedelta(days=1))
    twins = {(entry.title, entry.company) for entry in world.listing(ALL["linkedin"])}
    assert twins
    assert twins <= {(entry.title, entry.company) for entry in world.listing(ALL["hh"])}


def test_habr_ids_are_not_in_the_order_of_publication_and_never_repeat():
    world = World(seed=1, start_at=NOON)
    stock(world, "habr", 100, days=10)
    ids = [int(entry.id) for entry in world.listing(ALL["habr"])]
    assert len(set(ids)) == 100
    assert ids != sorted(ids, reverse=True)


def test_what_was_visible_throughout_is_neither_what_came_nor_what_went_meanwhile():
    world = World(seed=1, start_at=NOON)
    stayed, went, hidden = (world.add("hh") for _ in range(3))
    start = NOON + timedelta(minutes=1)
    world.advance(start)
    world.hide("hh", hidden.id)
    world.advance(start + timedelta(minutes=1))
    world.withdraw("hh", went.id)
    world.show("hh", hidden.id)
    came = world.add("hh")
    end = start + timedelta(minutes=5)
    world.advance(end)
    assert world.visible_throughout(ALL["hh"], start, end) == {stayed.id}
    assert world.visible_ids(ALL["hh"]) == {stayed.id, hidden.id, came.id}
    assert world.visible_ids(ALL["hh"], NOON) == {stayed.id, went.id, hidden.id}
    assert world.ever_visible_ids(ALL["hh"]) == {stayed.id, went.id, hidden.id, came.id}


def test_a_withdrawn_entry_does_not_come_back_from_hiding():
    world = World(seed=1, start_at=NOON)
    entry = world.add("hh")
    world.hide("hh", entry.id)
    world.withdraw("hh", entry.id)
    world.show("hh", entry.id)
    assert world.visible_ids(ALL["hh"]) == frozenset()


def test_counters_only_grow_in_size():
    world = demo_world(1, NOON)
    for entry in world.listing(ALL["habr"]):
        early, late = (counters_at(entry, NOON + timedelta(hours=hours)) for hours in (1, 30))
        assert (early.views, early.comments, early.bookmarks) <= (late.views, late.comments, late.bookmarks)
        assert abs(early.rating) <= abs(late.rating)


def test_hostile_titles_come_only_when_asked_for():
    nasty = ("<script>", "\x00", "\u202e", "=HYPERLINK")
    calm = {entry.title for entry in demo_world(1, NOON).listing(ALL["hh"])}
    wild = {entry.title for entry in demo_world(1, NOON, hostile=True).listing(ALL["hh"])}
    assert not any(mark in title for title in calm for mark in nasty)
    assert any(mark in title for title in wild for mark in nasty)


def test_every_kind_of_event_has_a_pace():
    assert Pace(**dict.fromkeys(HAPPENINGS, 1.0)).times(2).bursts == 2.0


@pytest.mark.parametrize(
    ("text", "title", "found"),
    [
        ("python", "Senior Python разработчик", True),
        ("vue", "Vue.js разработчик", False),
        ("vue.js", "Vue.js разработчик", True),
        ("python OR go", "Go Developer", True),
        ("python senior", "Python Developer", False),
        ("python NOT senior", "Senior Python Developer", False),
        (".net", "Программист .NET", True),
        ("c++", "C++ Engineer", True),
        ("NAME:python", "Python Engineer", True),
    ],
)
def test_a_search_finds_whole_words(text, title, found):
    wanted, unwanted = query_words(text)
    words = words_of(title)
    assert (any(one <= words for one in wanted) and not unwanted & words) is found
