"""How much a worker takes on, and how long it waits: pure."""

from inforadar.domain.job import Chance

AHEAD_S = 0.25
FIRST_RECONNECT_S = 0.05
LONGEST_RECONNECT_S = 5.0


def appetite(settled: int, elapsed_s: float, concurrency: int, batch: int) -> int:
    """How many jobs to have in hand: what was lately done in `AHEAD_S`, at least one a thread, at most a batch."""
    lately = settled * AHEAD_S / max(elapsed_s, 0.001)
    return max(concurrency, min(batch, int(lately)))


def reconnect_s(failures: int, chance: Chance) -> float:
    """How long to leave a database alone that did not answer: hardly at first, then longer each time."""
    longest = min(FIRST_RECONNECT_S * 2.0 ** min(failures, 10), LONGEST_RECONNECT_S)
    return longest * (0.5 + 0.5 * chance.random())


def look_again_s(poll_s: float, chance: Chance) -> float:
    """How long to wait for news before looking for oneself; not all workers at the same moment."""
    return poll_s * (0.8 + 0.2 * chance.random())
