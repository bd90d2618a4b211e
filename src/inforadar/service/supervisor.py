"""The supervisor: named threads that do one thing again and again until they are told to stop."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from inforadar.domain.errors import RadarError
from inforadar.observe.log import get_log

AFTER_ERROR_S = 5.0
JOIN_S = 10.0

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Something done every so many seconds; `at_end` is done once when it is over."""

    name: str
    once: Callable[[], object]
    every_s: float
    at_end: Callable[[], object] = lambda: None


@contextmanager
def running(loops: Sequence[Loop], stop: threading.Event) -> Iterator[None]:
    """Run the loops, each in a thread of its own, while the block runs; then stop them and wait for them."""
    threads = [threading.Thread(target=_run, args=(loop, stop), name=loop.name, daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(JOIN_S)


def _run(loop: Loop, stop: threading.Event) -> None:
    while not stop.is_set():
        stop.wait(loop.every_s if _is_done(loop) else AFTER_ERROR_S)
    try:
        loop.at_end()
    except RadarError as error:
        log.warning("did not end well", loop=loop.name, error=str(error))


def _is_done(loop: Loop) -> bool:
    """Do it once; trouble with the store is told and does not end the loop."""
    try:
        loop.once()
    except RadarError as error:
        log.warning("trying again later", loop=loop.name, error=str(error), delay_s=AFTER_ERROR_S)
        return False
    return True
