"""A question whose answer may take long, asked in a thread of its own so that nobody is held up by it."""

import threading
from collections.abc import Callable
from typing import Any

SLICE_S = 0.05


class LongCall:
    """One call under way; it ends by itself, or with the process."""

    def __init__(self, ask: Callable[[], Any], name: str) -> None:
        self._ask = ask
        self._is_over = threading.Event()
        self._answer: Any = None
        self._error: Exception | None = None
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def wait(self, stop: threading.Event) -> bool:
        """Wait until it is over, or until `stop`; whether it is over."""
        while not self._is_over.wait(SLICE_S):
            if stop.is_set():
                return self._is_over.is_set()
        return True

    def answer(self) -> Any:
        """What the call returned; raises what it raised."""
        if self._error:
            raise self._error
        return self._answer

    def _run(self) -> None:
        try:
            self._answer = self._ask()
        except Exception as error:
            self._error = error
        finally:
            self._is_over.set()
