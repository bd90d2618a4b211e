"""The local internet without its wires: a world, the rules and faults in force, the clock, and a log.

`Internet.ask` answers one request to a site in the calling thread, `Internet.call` one to a service; the HTTP server
and tests that need no sockets use them.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from inforadar.simulator.damage import Blow, strike
from inforadar.simulator.faults import PAGE_STATES, Fault, Faults
from inforadar.simulator.ollama.service import Ollama
from inforadar.simulator.outages import Outages
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.service import Service
from inforadar.simulator.sheets.service import Sheets
from inforadar.simulator.sites import SITES, Site
from inforadar.simulator.telegram.service import Telegram
from inforadar.simulator.twists import TWISTS, Twist
from inforadar.simulator.wire import Call, Pairs, Request, Response
from inforadar.simulator.world import World

LOOK_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One request as the sites and services saw it; `since_start_s` is real time, `world_at` the world's."""

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
    """All sites over one world, and the services; safe to ask from many threads, one request is answered at a time.

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
        sites: Mapping[str, Site] = SITES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.world = world
        self.sites = sites
        self.rules = rules or Rules()
        self.faults = Faults(faults, seed=world.seed)
        self.move_seconds_per_request = move_seconds_per_request
        self.log: list[LogLine] = []
        self.lock = threading.RLock()
        self.stirred = threading.Condition(self.lock)
        self._factor = factor
        self._monotonic = monotonic
        self._started_s = monotonic()
        self._ticked_s = self._started_s
        self._requests: dict[str, int] = defaultdict(int)
        self._lists: dict[str, int] = defaultdict(int)
        self._previous: dict[str, Response] = {}
        self._at_once: dict[str, int] = defaultdict(int)
        self.most_at_once: dict[str, int] = defaultdict(int)
        self.outages = Outages()
        self.telegram = Telegram(world, self.stirred, passed_s=self._passed_s, monotonic=monotonic)
        self.ollama = Ollama(world.seed)
        self.sheets = Sheets(self.stirred, passed_s=self._passed_s)
        self.services: dict[str, Service] = {"telegram": self.telegram, "ollama": self.ollama, "sheets": self.sheets}
        self._script: dict[tuple[str, int], list[Callable[[World], object]]] = defaultdict(list)

    def ask(
        self,
        source: str,
        path: str,
        params: Pairs = (),
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """What a site answers; header names are lower-case. With a body it is a POST."""
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
            if body is not None:
                return self._answer_post(request, body)
            is_list = self.sites[source].is_list(path)
            if is_list:
                self._move(source)
            return self._answer(request, is_list=is_list)

    def call(
        self,
        service: str,
        verb: str,
        path: str,
        params: Pairs = (),
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Response:
        """What a service answers; header names are lower-case. Long polling waits here, and others go on meanwhile."""
        with self.lock:
            self.tick()
            self._requests[service] += 1
            call = Call(
                service=service,
                verb=verb,
                path=path,
                params=params,
                headers=headers or {},
                body=body,
                number=self._requests[service],
                seed=self.world.seed,
                now=self.world.now,
            )
            answer = self.outages.meet(service, self.world.now)
            fault = None
            if answer is None:
                fault = self.faults.pick(service, method=self.services[service].method_of(path))
                answer = self.services[service].answer(call, self.rules, fault)
            self._write_log(call, answer, fault, is_list=False)
            return answer

    @contextmanager
    def visiting(self, service: str) -> Iterator[None]:
        """Count a visitor of a service until its answer is delivered; `most_at_once` keeps the record."""
        with self.lock:
            self._at_once[service] += 1
            self.most_at_once[service] = max(self.most_at_once[service], self._at_once[service])
        try:
            yield
        finally:
            with self.lock:
                self._at_once[service] -= 1

    def wait_until(self, holds: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until something holds, looking again after every request; whether it came to hold in time."""
        until_s = self._monotonic() + timeout_s
        with self.stirred:
            while not holds():
                left_s = until_s - self._monotonic()
                if left_s <= 0:
                    return False
                self.stirred.wait(min(left_s, LOOK_S))
            return True

    def close(self) -> None:
        """End every wait inside the services."""
        for service in self.services.values():
            service.close()

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
        site = self.sites[source]
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
        down = self.outages.meet(request.source, self.world.now)
        if down:
            self._write_log(request, down, None, is_list=is_list)
            return down
        fault = self.faults.pick(request.source, is_list=is_list) or self._page_fault(request)
        twist: Twist = next((twist for twist in TWISTS if fault and twist == fault.kind), "")
        answer = self.sites[request.source].answer(self.world, request, self.rules, twist)
        if fault:
            previous = self._previous.get(request.source)
            answer = strike(Blow(fault=fault, request=request, answer=answer, previous=previous, now=self.world.now))
        elif is_list:
            self._previous[request.source] = answer
        self._write_log(request, answer, fault, is_list=is_list)
        return answer

    def _answer_post(self, request: Request, body: bytes) -> Response:
        post = self.sites[request.source].post
        down = self.outages.meet(request.source, self.world.now)
        answer = down or (post(self.world, request, self.rules, body) if post else Response(status=405))
        self._write_log(request, answer, None, is_list=False)
        return answer

    def _page_fault(self, request: Request) -> Fault | None:
        """The fault that stands for the state an entry's own page is in."""
        entry_id = self.sites[request.source].entry_of(request.path)
        state = self.world.visit_page(request.source, entry_id) if entry_id else "open"
        return Fault(kind=PAGE_STATES[state]) if state in PAGE_STATES else None

    def _passed_s(self) -> float:
        """Seconds since the start by whichever clock runs: the world's, and ours where the world's stands still."""
        world_s = (self.world.now - self.world.start_at).total_seconds()
        return world_s if self._factor else world_s + self._monotonic() - self._started_s

    def _write_log(self, request: Request | Call, answer: Response, fault: Fault | None, *, is_list: bool) -> None:
        line = LogLine(
            number=request.number,
            source=request.service if isinstance(request, Call) else request.source,
            path=request.path,
            params=request.params,
            status=answer.status,
            fault=fault.kind if fault else "",
            is_list=is_list,
            world_at=self.world.now,
            since_start_s=round(self._monotonic() - self._started_s, 6),
        )
        self.log.append(line)
        self.stirred.notify_all()
