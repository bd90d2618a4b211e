"""The contestants' side of the queue bench: one process, one role, lines on stdin and stdout.

Standard library alone, for peers run in a venv of their own. Times are of the clock that all processes of the machine
share and that never jumps.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

CHUNK = 1000
BATCH = 100
THREADS = 4
SHORTEST_PAUSE_S = 0.1
PAUSES_VARY_S = 0.2
GOLDEN = 0.618


class Drained(NamedTuple):
    """How many jobs a worker has run, and when the last of them was done."""

    jobs: int
    ended_at: float


class Tally:
    """Counts jobs as they are done."""

    def __init__(self) -> None:
        self.count = 0
        self.ended_at = 0.0
        self._lock = threading.Lock()

    def add(self) -> None:
        """One more is done, now."""
        with self._lock:
            self.count += 1
            self.ended_at = time.monotonic()

    def drained(self) -> Drained:
        """What it came to."""
        return Drained(self.count, self.ended_at)


class Contestant(Protocol):
    """A queue, and a job that does nothing."""

    def install(self) -> None:
        """Make the tables."""
        ...

    def put(self, count: int) -> float:
        """Put so many jobs, `CHUNK` at a time where it can; the seconds this took."""
        ...

    def put_one(self, number: int) -> None:
        """Put one job."""
        ...

    def work(self, begin: Callable[[], None]) -> Drained:
        """Get ready, wait in `begin`, then work until nothing is left."""
        ...

    def listen(self, heard: Callable[[int], None]) -> None:
        """Work until killed; `heard` is called by each job with its number."""
        ...


def compete(make: Callable[[str], Contestant]) -> None:
    """Play the role that the command line names: `ROLE URL [COUNT]`."""
    role, url, *rest = sys.argv[1:]
    contestant = make(url)
    if role == "install":
        contestant.install()
    elif role == "put":
        _say(contestant.put(int(rest[0])))
    elif role == "ring":
        _ring(contestant, int(rest[0]))
    elif role == "work":
        _say(contestant.work(_begin))
    elif role == "listen":
        contestant.listen(lambda number: _say([number, time.monotonic()]))


def _begin() -> None:
    _say("ready")
    sys.stdin.readline()


def _ring(contestant: Contestant, count: int) -> None:
    """Put one job, wait for the go, then put one at a time with pauses that fall into step with nobody's polling."""
    _put_one(contestant, 0)
    sys.stdin.readline()
    for number in range(1, count + 1):
        time.sleep(SHORTEST_PAUSE_S + PAUSES_VARY_S * (number * GOLDEN % 1))
        _put_one(contestant, number)


def _put_one(contestant: Contestant, number: int) -> None:
    _say([number, time.monotonic()])
    contestant.put_one(number)


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)
