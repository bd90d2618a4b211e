"""Signals: the first one ends work in good order, the second one ends it at once; nothing is lost either way."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event
from types import FrameType

from inforadar.bootstrap import App

STOPPING = "Stopping: running jobs get some time to end; once more to give them back at once."
STOPPED = "Stopped; what was not done waits in the queue."


def interrupt(_app: App) -> None:
    """End whatever is done, here and now."""
    raise KeyboardInterrupt


def hurry(app: App) -> None:
    """Let a worker give back at once what it has in hand; once more, and it does not even do that."""
    if app.hurry.is_set():
        interrupt(app)
    app.hurry.set()


@contextmanager
def stopped_by_signals(
    app: App, sentence: str, tell: Callable[[str], None], at_second: Callable[[App], None] = interrupt
) -> Iterator[Event]:
    """While the block runs, SIGINT and SIGTERM set `app.stop`; `at_second` says what another one does.

    `tell` is told the sentence, in the middle of whatever is done.

    What it gives is set as soon as one came, whoever else stops the app.
    """
    asked = Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if asked.is_set():
            at_second(app)
            return
        asked.set()
        app.stop.set()
        # a signal in the middle of another line being written finds the stream locked; then nothing can be said
        with suppress(RuntimeError):
            tell(sentence)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
