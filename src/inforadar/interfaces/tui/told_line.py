"""The line for what happened: it goes with the next key, or after a while."""

from textual.timer import Timer
from textual.widgets import Label

from inforadar.observe.printable import printable

STAYS_S = 20.0


class ToldLine(Label):
    """What was told last; what it opens with stays until a key."""

    DEFAULT_CSS = """
    ToldLine { width: 1fr; height: auto; min-height: 1; max-height: 3; padding: 0 1; color: ansi_yellow; }
    """

    def __init__(self, told: str = "", stays_s: float = STAYS_S) -> None:
        super().__init__(printable(told), id="told", markup=False)
        self.told = told
        self._stays_s = stays_s
        self._end: Timer | None = None

    def tell(self, sentence: str) -> None:
        """Say something instead of what was told before."""
        if self._end:
            self._end.stop()
        self._end = self.set_timer(self._stays_s, self.clear) if sentence else None
        self.told = sentence
        self.update(printable(sentence))

    def clear(self) -> None:
        """Say nothing any more."""
        if self.told:
            self.tell("")
