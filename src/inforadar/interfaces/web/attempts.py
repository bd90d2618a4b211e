"""How often somebody may try a token: at the sign-in, and with a request itself."""

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from ipaddress import IPv6Address, IPv6Network, ip_address

from inforadar.domain.ports import Clock

MOST = 10
WITHIN_S = 60.0
MOST_VISITORS = 1000
ONE_VISITOR_BITS = 64


class Attempts:
    """Counts tries by the address they come from; the addresses that tried last are remembered."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, address: str) -> float:
        """Count one try; how long this address must wait before it may be looked at, 0 = it may."""
        visitor, now = visitor_at(address), self._clock.mono()
        with self._lock:
            tries = self._tries.setdefault(visitor, deque(maxlen=MOST))
            self._tries.move_to_end(visitor)
            if len(self._tries) > MOST_VISITORS:
                self._tries.popitem(last=False)
            if wait_s := _left_s(tries, now):
                return wait_s
            tries.append(now)
            return 0.0

    def left_s(self, address: str) -> float:
        """The same without counting a try."""
        with self._lock:
            return _left_s(self._tries.get(visitor_at(address), ()), self._clock.mono())


def visitor_at(address: str) -> str:
    """Who an address counts for: of IPv6 one visitor commonly has a whole /64."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    return str(ip.ipv4_mapped or IPv6Network((ip, ONE_VISITOR_BITS), strict=False))


def _left_s(tries: Sequence[float], now: float) -> float:
    is_full = len(tries) == MOST and now - tries[0] < WITHIN_S
    return WITHIN_S - (now - tries[0]) if is_full else 0.0
