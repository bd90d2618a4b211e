"""Attendants: what a worker has running beside it, each on a thread of its own."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from inforadar.observe.log import get_log

JOIN_S = 5.0

log = get_log("workers")

Attendant = Callable[[threading.Event], None]
"""Runs until the event is set."""


@contextmanager
def attended(attendants: Mapping[str, Attendant], *, join_s: float = JOIN_S) -> Iterator[None]:
    """With these at work, by name; at the end they are told, and one that hangs ends with the process."""
    is_closed = threading.Event()
    threads = [
        threading.Thread(target=run, args=(is_closed,), name=name, daemon=True) for name, run in attendants.items()
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_closed.set()
        for thread in threads:
            thread.join(join_s)
            if thread.is_alive():
                log.warning("not waited for any longer", thread=thread.name)
