"""The local internet without its wires: a world, the rules and faults in force, the clock, and a log.

`Internet.ask` answers one request in the calling thread; the HTTP server and tests that need no sockets use it.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from inforadar.simulator.damage import Blow, strike
from inforadar.simulator.faults import Fault, Faults
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.sites import SITES
from inforadar.simulator.twists import TWISTS, Twist
from inforadar.simulator.wire import Pairs, Request, Response
from inforadar.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One request as the sites saw it; `since_start_s` is real time, `world_at` the world's."""

    number: int
    source: str
    path: str
    params: Pairs
    status: int
    fault: str
    is_list: bool
    world_at: datetime
    since_start_s: float

    def as_json(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return {**asdict(self), "params": [list(pair) for pair in self.params], "world_at": self.world_at.isoformat()}


class Internet:
    """All sites over one world; safe to ask from many threads, one request is answered at a time.

    The world's clock runs `factor` times as fast as ours; without a factor it stands still until `advance`.
    `move_seconds_per_request`: every request for a list first lets so much time pass, so that pages shift.
    """

    def __init__(
        self,
        world: World,
        *,
        rules: Rules | None = None,
        faults: Iterable[Fault] = (),
        factor: float | None = None,
        move_seconds_per_request: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.world = world
        self.rules = rules or Rules()
        self.faults = Faults(faults, seed=world.seed)
        self.move_seconds_per_request = move_seconds_per_request
        self.log: list[LogLine] = []
        self.lock = threading.RLock()
        self._factor = factor
        self._monotonic = monotonic
        self._started_s = monotonic()
        self._ticked_s = self._started_s
        self._requests: dict[str, int] = defaultdict(int)
        self._lists: dict[str, int] = defaultdict(int)
        self._previous: dict[str, Response] = {}
        self._script: dict[tuple[str, int], list[Callable[[World], object]]] = defaultdict(list)

    def ask(self, source: str, path: str, params: Pairs = (), headers: Mapping[str, str] | None = None) -> Response:
        """What a site answers; header names are lower-case."""
        with self.lock:
            self.tick()
            self._requests[source] += 1
            request = Request(
                source=source,
                path=path,
                params=params,
                headers=headers or {},
                number=self._requests[source],
                seed=self.world.seed,
            )
            is_list = SITES[source].is_list(path)
            if is_list:
                self._move(source)
            return self._answer(request, is_list=is_list)

    def advance(self, seconds: float = 0.0, *, to: datetime | None = None) -> datetime:
        """Let the world's time pass by so many seconds, or to a moment; tells what time it is there then."""
        with self.lock:
            self.tick()
            self.world.advance(to or self.world.now + timedelta(seconds=seconds))
            return self.world.now

    def tick(self) -> None:
        """Bring the world to the time its running clock shows; a clock that stands still does nothing."""
        passed_s = self._monotonic() - self._ticked_s
        self._ticked_s += passed_s
        if self._factor:
            self.world.advance(self.world.now + timedelta(seconds=passed_s * self._factor))

    def before_list(self, source: str, number: int, do: Callable[[World], object]) -> None:
        """Do something to the world just before the site's so-manieth request for a list, counted from 1."""
        with self.lock:
            self._script[source, number].append(do)

    def change_rules(self, **changes: Any) -> None:
        """Let the sites behave differently from now on."""
        with self.lock:
            self.rules = replace(self.rules, **changes)

    def search(self, source: str, params: Mapping[str, str] | Pairs = (), path: str | None = None) -> Search:
        """What a list with these parameters of the site's own asks for."""
        pairs = tuple(params.items()) if isinstance(params, Mapping) else params
        site = SITES[source]
        return site.search_of(path or site.list_path, pairs)

    def reset_log(self) -> None:
        """Forget the requests logged so far; the count of requests goes on."""
        with self.lock:
            self.log.clear()

    def _move(self, source: str) -> None:
        self._lists[source] += 1
        if self.move_seconds_per_request:
            self.world.advance(self.world.now + timedelta(seconds=self.move_seconds_per_request))
        for do in self._script.pop((source, self._lists[source]), ()):
            do(self.world)

    def _answer(self, request: Request, *, is_list: bool) -> Response:
        fault = self.faults.pick(request.source, is_list=is_list)
        twist: Twist = next((twist for twist in TWISTS if fault and twist == fault.kind), "")
        answer = SITES[request.source].answer(self.world, request, self.rules, twist)
        if fault:
            previous = self._previous.get(request.source)
            answer = strike(Blow(fault=fault, request=request, answer=answer, previous=previous, now=self.world.now))
        elif is_list:
            self._previous[request.source] = answer
        self._write_log(request, answer, fault, is_list=is_list)
        return answer

    def _write_log(self, request: Request, answer: Response, fault: Fault | None, *, is_list: bool) -> None:
        line = LogLine(
            number=request.number,
            source=request.source,
            path=request.path,
            params=request.params,
            status=answer.status,
            fault=fault.kind if fault else "",
            is_list=is_list,
            world_at=self.world.now,
            since_start_s=round(self._monotonic() - self._started_s, 6),
        )
        self.log.append(line)
