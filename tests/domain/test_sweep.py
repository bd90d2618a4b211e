"""What one sweep does, case by case."""

from datetime import timedelta

import pytest

from domain.feeds import DATED, FIXED, GRID, OFFSET, RESIZABLE, START, Reader, feed_of, moment
from inforadar.domain.run import StopReason
from inforadar.domain.shares import lookback_pages, tail_share
from inforadar.domain.watch import Bounds

ALL_KINDS = pytest.mark.parametrize("paging", [OFFSET, GRID, RESIZABLE, FIXED, DATED])
NOW = moment(10_000)


@ALL_KINDS
def test_a_first_sweep_collects_the_whole_feed_once(paging):
    reader = Reader(feed_of(paging, range(95)))
    sweep = reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)
    assert sweep.stop_reason is StopReason.END_OF_FEED
    assert sweep.left == 0


@ALL_KINDS
def test_a_second_sweep_of_a_still_feed_asks_one_page(paging):
    reader = Reader(feed_of(paging, range(95)))
    reader.sweep(NOW)
    reader.sweep(NOW)
    before = reader.feed.requests
    sweep = reader.sweep(NOW)
    assert reader.feed.requests - before == 1
    assert sweep.stop_reason is StopReason.WINDOW_EXHAUSTED


@ALL_KINDS
def test_an_empty_feed_ends_at_once(paging):
    reader = Reader(feed_of(paging, []))
    sweep = reader.sweep(NOW)
    assert (sweep.pages, sweep.stop_reason) == (1, StopReason.END_OF_FEED)


@ALL_KINDS
@pytest.mark.parametrize("limit", [1, 3, 10, 25])
def test_a_limit_takes_exactly_so_many_unseen_until_nothing_is_left(paging, limit):
    reader = Reader(feed_of(paging, range(57)), Bounds(limit=limit))
    taken = []
    for _ in range(60):
        before = len(reader.stored)
        reader.sweep(NOW)
        taken.append(len(reader.stored) - before)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)
    full, rest = divmod(57, limit)
    assert [n for n in taken if n] == [limit] * full + ([rest] if rest else [])


@ALL_KINDS
def test_the_top_is_collected_first(paging):
    reader = Reader(feed_of(paging, range(57)), Bounds(limit=5))
    reader.sweep(NOW)
    assert reader.stored == ["k56", "k55", "k54", "k53", "k52"]


@ALL_KINDS
def test_the_tail_shrinks_while_the_top_stays_busy(paging):
    reader = Reader(feed_of(paging, range(60)), Bounds(limit=5))
    reader.sweep(NOW)
    for round_number in range(60):
        for number in range(5):
            reader.feed.add(f"new{round_number}-{number}", 100 + round_number * 5 + number)
        reader.sweep(NOW)
    assert set(reader.stored) >= {f"k{number}" for number in range(60)}


@pytest.mark.parametrize("paging", [OFFSET, GRID, RESIZABLE, FIXED])
def test_a_tie_group_larger_than_the_budget_is_collected_in_linear_cost(paging):
    reader = Reader(feed_of(paging, [5] * 120 + [1, 2]), Bounds(limit=5, lookback_days=0))
    costs = []
    for _ in range(24):
        before = reader.feed.requests
        reader.sweep(NOW)
        costs.append(reader.feed.requests - before)
    assert len(set(reader.stored)) == len(reader.stored) == 120
    assert max(costs) <= (8 if paging is FIXED else 4)


@ALL_KINDS
def test_a_cutoff_is_never_crossed(paging):
    reader = Reader(feed_of(paging, [day * 1440 for day in range(60)]), Bounds(cutoff_date=moment(20 * 1440).date()))
    sweep = reader.sweep(moment(60 * 1440))
    assert sorted(reader.stored) == sorted(f"k{day}" for day in range(20, 60))
    assert sweep.stop_reason is StopReason.CUTOFF_REACHED


@ALL_KINDS
def test_a_lowered_cutoff_opens_the_ground_below(paging):
    reader = Reader(feed_of(paging, [day * 1440 for day in range(60)]), Bounds(cutoff_date=moment(40 * 1440).date()))
    reader.sweep(moment(60 * 1440))
    reader.bounds = Bounds(cutoff_date=moment(20 * 1440).date())
    reader.sweep(moment(60 * 1440))
    assert sorted(reader.stored) == sorted(f"k{day}" for day in range(20, 60))


@ALL_KINDS
def test_an_entry_deleted_between_two_pages_hides_nothing(paging):
    reader = Reader(feed_of(paging, range(60)))
    deletions = iter(["k58", "k55", "k49", "k48", "k47"])
    reader.feed.before_request = lambda feed: feed.withdraw(next(deletions, "")) if feed.requests else None
    reader.sweep(NOW)
    assert set(reader.stored) >= set(reader.feed.ranks)


@ALL_KINDS
def test_a_late_arrival_is_found_by_the_look_back(paging):
    reader = Reader(feed_of(paging, range(200)), Bounds(lookback_days=30))
    reader.sweep(NOW)
    reader.feed.add("late", 200 - 35.5)
    for _ in range(8):
        reader.sweep(moment(300))
    assert "late" in reader.stored


@ALL_KINDS
def test_a_crash_after_any_page_leaves_gaps_that_the_next_sweep_fills(paging):
    for pages in range(1, 8):
        reader = Reader(feed_of(paging, range(60)))
        reader.sweep(NOW, stop_after=pages)
        reader.feed.add("new", 500)
        sweep = reader.sweep(NOW)
        assert sorted(reader.stored) == sorted(reader.feed.ranks)
        assert sweep.is_complete


@ALL_KINDS
def test_max_pages_is_obeyed_and_the_rest_follows(paging):
    most = 5 if paging is FIXED else 3
    reader = Reader(feed_of(paging, range(100)), Bounds(max_pages=most))
    for _ in range(15):
        before = reader.feed.requests
        reader.sweep(NOW)
        assert reader.feed.requests - before <= most
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_max_items_is_exact():
    reader = Reader(feed_of(OFFSET, range(100)), Bounds(max_items=25))
    sweep = reader.sweep(NOW)
    assert (len(reader.stored), sweep.stop_reason) == (25, StopReason.MAX_ITEMS)


def test_window_days_re_reads_the_newest_days_in_full():
    reader = Reader(feed_of(GRID, [hour * 60 for hour in range(24 * 20)]), Bounds(window_days=5))
    now = moment(60 * 24 * 20)
    reader.sweep(now)
    reader.sweep(now)
    inside = {key for key, rank in reader.feed.ranks.items() if rank >= now - timedelta(days=5)}
    assert set(reader.sightings[-1]) >= inside


def test_a_bumped_entry_does_not_hide_what_is_new_below_it():
    reader = Reader(feed_of(OFFSET, range(50)))
    reader.sweep(NOW)
    reader.feed.add("fresh", 100)
    for number in range(15):
        reader.feed.add(f"k{number}", 200 + number)
    reader.sweep(NOW)
    assert "fresh" in reader.stored


def test_a_date_from_the_future_covers_nothing_of_it():
    reader = Reader(feed_of(OFFSET, [*range(20), 10_000_000]))
    reader.sweep(moment(100))
    reader.feed.add("fresh", 150)
    reader.sweep(moment(200))
    assert "fresh" in reader.stored
    assert reader.coverage.last_seen_max <= moment(200)


def test_a_depth_cap_without_dates_is_reported_and_not_called_complete():
    capped = OFFSET.__class__(kind="offset", size=10, depth=30)
    reader = Reader(feed_of(capped, range(100)))
    sweep = reader.sweep(NOW)
    assert sweep.stop_reason is StopReason.DEPTH_CAP
    assert sweep.left > 0
    assert len(reader.stored) >= 30


def test_a_depth_cap_with_dates_is_walked_round_in_slices():
    reader = Reader(feed_of(DATED, range(500)))
    reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_an_empty_page_in_the_middle_is_not_taken_for_the_end():
    reader = Reader(feed_of(OFFSET, range(60)))
    serve = reader.feed.serve
    lies = iter([False, False, True, False, False])

    def lie(position):
        page = serve(position)
        return page.__class__(drafts=(), is_last=True) if next(lies, False) else page

    reader.feed.serve = lie
    reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_a_page_that_stays_empty_where_entries_were_is_reported_unreadable():
    reader = Reader(feed_of(GRID, range(60)))
    serve = reader.feed.serve

    def lie(position):
        page = serve(position)
        return page.__class__(drafts=(), total=page.total) if position.offset == 30 else page

    reader.feed.serve = lie
    sweep = reader.sweep(NOW)
    assert sweep.stop_reason is StopReason.UNREADABLE_PAGE
    assert not sweep.is_complete


def test_a_source_that_ignores_the_page_size_is_read_in_its_own_pages():
    reader = Reader(feed_of(RESIZABLE, range(95)))
    serve = reader.feed.serve

    def stubborn(position):
        return serve(position.__class__(offset=position.page_number * 10, size=10))

    reader.feed.serve = stubborn
    sweep = reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)
    assert sweep.is_complete
    assert reader.feed.requests < 30


@pytest.mark.parametrize("paging", [GRID, RESIZABLE, FIXED])
def test_entries_a_page_keeps_back_do_not_stop_the_walk(paging):
    reader = Reader(feed_of(paging, range(95)))
    serve = reader.feed.serve

    def keep_back(position):
        page = serve(position)
        return page.__class__(drafts=page.drafts[1:], total=page.total, is_last=page.is_last)

    reader.feed.serve = keep_back
    sweep = reader.sweep(NOW)
    assert sweep.is_complete
    assert len(reader.stored) >= 80


def test_a_list_that_repeats_itself_for_ever_is_given_up():
    reader = Reader(feed_of(OFFSET, range(95)))
    first = reader.feed.serve(reader.sweep(NOW, stop_after=0).position)
    reader.feed.serve = lambda _position: first
    sweep = reader.sweep(NOW)
    assert sweep.stop_reason is StopReason.UNREADABLE_PAGE
    assert sweep.pages < 40


@pytest.mark.parametrize("deletions", [[], ["k110", "k93", "k80", "k71", "k52", "k40"]])
def test_a_promoted_entry_on_every_page_proves_no_seam(deletions):
    paging = OFFSET.__class__(kind="offset", size=10, strays=2, slack=timedelta(minutes=5))
    reader = Reader(feed_of(paging, range(120)))
    serve, waiting = reader.feed.serve, iter(deletions)
    reader.feed.before_request = lambda feed: feed.withdraw(next(waiting, "")) if feed.requests > 1 else None

    def promoted(position):
        page = serve(position)
        if not page.drafts:
            return page
        card = page.drafts[0].__class__(key="ad", rank=moment(3), url="https://example.org/ad", title="ad")
        return page.__class__(drafts=(*page.drafts[:3], card, *page.drafts[3:]), is_last=page.is_last)

    reader.feed.serve = promoted
    sweep = reader.sweep(NOW)
    assert set(reader.stored) >= set(reader.feed.ranks)
    assert sweep.is_complete


@pytest.mark.parametrize("bounds", [Bounds(cutoff_date=START.date()), Bounds(limit=30)])
def test_one_wrong_old_date_at_the_end_of_a_page_does_not_close_the_feed(bounds):
    paging = GRID.__class__(kind="page", size=10, has_exact_total=True, strays=1)
    reader = Reader(feed_of(paging, range(100)), bounds)
    serve = reader.feed.serve

    def misdated(position):
        page = serve(position)
        drafts = [
            draft.__class__(key=draft.key, rank=moment(-30 * 365 * 1440), url=draft.url, title=draft.title)
            if draft.key == "k90"
            else draft
            for draft in page.drafts
        ]
        return page.__class__(drafts=tuple(drafts), total=page.total, is_last=page.is_last)

    reader.feed.serve = misdated
    for _ in range(8):
        reader.sweep(NOW)
    assert set(reader.stored) >= set(reader.feed.ranks) - {"k90"}


@ALL_KINDS
def test_max_items_makes_progress_from_sweep_to_sweep(paging):
    reader = Reader(feed_of(paging, range(60)), Bounds(max_items=7))
    for _ in range(12):
        reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_date_slices_overlap_by_what_the_source_rounds_away():
    rough = DATED.__class__(
        kind="page",
        size=10,
        depth=30,
        filters_by_date=True,
        date_grain=timedelta(minutes=5),
        has_exact_total=True,
    )
    reader = Reader(feed_of(rough, range(303)))
    serve = reader.feed.serve

    def rounding(position):
        window = position.window
        if window and window.upto:
            grain = timedelta(minutes=5)
            rounded = START + ((window.upto - START) // grain) * grain
            window = window.__class__(after=window.after, upto=rounded)
        return serve(position.__class__(offset=position.offset, size=position.size, window=window))

    reader.feed.serve = rounding
    reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_look_back_depths_follow_the_ruler():
    assert [lookback_pages(n) for n in range(1, 9)] == [1, 2, 1, 4, 1, 2, 1, 8]


def test_the_tail_share_adds_up_exactly():
    assert sum(tail_share(1, n) for n in range(1, 101)) == 20
    assert sum(tail_share(7, n) for n in range(1, 101)) == 140
