"""A line that tells which sources do not answer; no filter hides it."""

from collections.abc import Sequence

from textual.widgets import Label

from inforadar.observe.printable import printable


class OutageLine(Label):
    """Not there while all is well."""

    DEFAULT_CSS = "OutageLine { height: auto; padding: 0 1; color: ansi_red; display: none; }"

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def tell(self, outages: Sequence[str]) -> None:
        """Tell of these, or of none."""
        self.update(printable(f"! {' · '.join(outages)}"))
        self.display = bool(outages)
