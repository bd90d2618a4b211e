"""A line that tells which sources do not answer; no filter hides it."""

from collections.abc import Sequence

from textual.widgets import Label

from inforadar.observe.printable import printable


class OutageLine(Label):
    """Not there while all is well."""

    DEFAULT_CSS = "OutageLine { width: 1fr; height: auto; padding: 0 1; color: ansi_red; display: none; }"

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._told = ""

    def tell(self, outages: Sequence[str]) -> None:
        """Tell of these, or of none."""
        told = printable(f"! {' · '.join(outages)}  (:sources tells why)")
        if told != self._told:  # nothing is drawn anew unless it differs
            self._told = told
            self.update(told)
            self.display = bool(outages)
