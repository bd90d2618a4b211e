"""What a coverage may claim when the feed is younger than the sweep that reads it."""

from datetime import UTC, datetime, timedelta

from inforadar.domain.coverage import Claim, Coverage, Mark, Stretch

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_walk_that_read_only_what_appeared_after_its_start_leaves_a_well_formed_stretch():
    before = Coverage(stretches=(Stretch(upto=NOW - HOUR, after=NOW - HOUR, count=1),))
    rank = NOW + HOUR
    claim = Claim(upto=rank, after=rank, ranks=[rank], tail=(Mark(key="new", rank=rank),))
    after = before.claimed(claim, NOW)
    assert all(stretch.after <= stretch.upto <= NOW for stretch in after.stretches)
    assert not any(stretch.holds(rank) for stretch in after.stretches)
