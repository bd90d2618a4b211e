"""Pages that lie for a while: whatever they said, everything that is still listed is collected once they stop."""

from domain.feeds import FIXED, Reader, feed_of, moment
from domain.lies import Liar

NOW = moment(100_000)


def test_a_page_shown_three_times_over_does_not_hide_those_it_stood_in_for() -> None:
    """The walk stands at page 4 with the entries of page 2: found again, that proves nothing of page 5."""
    feed = Liar.of(feed_of(FIXED, range(80)))
    feed.stuck = {30: 20, 40: 20}
    reader = Reader(feed)
    sweep = reader.sweep(NOW)
    assert sweep.is_complete
    assert set(reader.stored) == set(feed.ranks)
