"""How often somebody may try a token: at the sign-in, and with a request itself."""

import threading
from collections import OrderedDict, deque
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

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


def asking_address(peer: str, forwarded: Sequence[bytes], proxies: Collection[str]) -> str:
    """Where a request comes from: the other end of the connection.

    Where that is a proxy the user trusts in, it is the last address of `X-Forwarded-For`, which that proxy wrote
    itself; all before it was sent by whoever asks, who may write anything.
    """
    if not forwarded or _address(peer) not in {_address(one) for one in proxies}:
        return peer
    last = _address(_without_port(forwarded[-1].decode("latin-1").rpartition(",")[2].strip()))
    return str(last) if last else peer


def visitor_at(address: str) -> str:
    """Who an address counts for: of IPv6 one visitor commonly has a whole /64."""
    ip = _address(address)
    if ip is None:
        return address
    return str(IPv6Network((ip, ONE_VISITOR_BITS), strict=False) if isinstance(ip, IPv6Address) else ip)


def _without_port(text: str) -> str:
    """An address as some proxies write it, `203.0.113.9:4711` or `[2001:db8::7]:4711`, alone."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        ip = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def _left_s(tries: Sequence[float], now: float) -> float:
    is_full = len(tries) == MOST and now - tries[0] < WITHIN_S
    return WITHIN_S - (now - tries[0]) if is_full else 0.0
