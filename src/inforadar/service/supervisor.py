"""The supervisor: named threads that do one thing again and again until they are told to stop.

Trouble we know (the store is away) is told when it begins and when it is over, and tried again until then. An error
nobody foresaw is logged with its traceback and tried again too; when it comes several times in a row, everything is
stopped in good order and the process ends as failed, so that whoever started it sees it.
Invariant: no loop dies while the process goes on.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from inforadar.domain.errors import RadarError
from inforadar.observe.log import get_log

AFTER_ERROR_S = 2.0
MOST_CRASHES = 5
END_S = 10.0
SLICE_S = 0.05

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Something done every so many seconds; `at_end` is done once when it is over."""

    name: str
    once: Callable[[], object]
    every_s: float
    at_end: Callable[[], object] = lambda: None


@dataclass(slots=True, kw_only=True)
class Supervisor:
    """Runs loops, each in a thread of its own. `stop` ends them, `hurry` does not wait for their end."""

    stop: threading.Event
    hurry: threading.Event
    after_error_s: float = AFTER_ERROR_S
    _broken: list[str] = field(default_factory=list)

    @contextmanager
    def running(self, *loops: Loop) -> Iterator[None]:
        """Run the loops while the block runs, then stop them; raises RadarError if one had to be given up."""
        threads = [threading.Thread(target=self._run, args=(one,), name=one.name, daemon=True) for one in loops]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            self._wait_for(threads)
        if self._broken:
            raise RadarError(f"Stopped, because the {self._broken[0]} broke again and again; the log says how.")

    def _wait_for(self, threads: Sequence[threading.Thread]) -> None:
        """Wait until all have ended, for a while; what hangs ends with the process, which loses nothing by it."""
        waited_s = 0.0
        while any(thread.is_alive() for thread in threads) and waited_s < END_S and not self.hurry.is_set():
            next(thread for thread in threads if thread.is_alive()).join(SLICE_S)
            waited_s += SLICE_S

    def _run(self, loop: Loop) -> None:
        try:
            self._repeat(loop)
        finally:
            # also when not even the log could be written
            if not self.stop.is_set():
                self._broken.append(loop.name)
                self.stop.set()

    def _repeat(self, loop: Loop) -> None:
        crashes, is_troubled = 0, False
        while not self.stop.is_set() and crashes < MOST_CRASHES:
            try:
                loop.once()
            except RadarError as error:
                if not is_troubled:
                    log.warning("trying again until it works", loop=loop.name, error=str(error))
                is_troubled = True
                self.stop.wait(self.after_error_s)
            except Exception:
                crashes += 1
                log.exception("an error nobody foresaw", loop=loop.name, crashes=crashes)
                self.stop.wait(self.after_error_s)
            else:
                if is_troubled:
                    log.info("works again", loop=loop.name)
                crashes, is_troubled = 0, False
                self.stop.wait(loop.every_s)
        _end(loop)


def _end(loop: Loop) -> None:
    try:
        loop.at_end()
    except Exception as error:
        log.warning("did not end well", loop=loop.name, error=str(error), exc_info=not isinstance(error, RadarError))
