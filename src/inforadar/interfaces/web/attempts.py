"""How often somebody may try to sign in."""

import threading
from collections import OrderedDict, deque

from inforadar.domain.ports import Clock

MOST = 10
WITHIN_S = 60.0
MOST_VISITORS = 1000


class Attempts:
    """Counts tries by the address they come from; the addresses that tried last are remembered."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, address: str) -> float:
        """Count one try; how long this address must wait before it may be looked at, 0 = it may."""
        now = self._clock.mono()
        with self._lock:
            tries = self._tries.setdefault(address, deque(maxlen=MOST))
            self._tries.move_to_end(address)
            if len(self._tries) > MOST_VISITORS:
                self._tries.popitem(last=False)
            if len(tries) == MOST and now - tries[0] < WITHIN_S:
                return WITHIN_S - (now - tries[0])
            tries.append(now)
            return 0.0
