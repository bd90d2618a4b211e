"""All that the fetch screen knows of a fetch: how much there is to process and how much is done, the log, three orders.

start            the fetch begins, in the background
stop             it ends in good order: what is under way is finished and saved, nothing new is begun
abort            it ends at once: what is under way is given up; what was saved stays
"""

from collections.abc import Sequence
from typing import Protocol

from inforadar.interfaces.tui.record import Record


class FetchFeed(Protocol):
    """One fetch, as its screen sees it."""

    @property
    def to_process(self) -> int | None:
        """How many entries there are to process, over all sources and topics; None = they are being counted."""
        ...

    @property
    def processed(self) -> int:
        """How many of them are done."""
        ...

    @property
    def records(self) -> Sequence[Record]:
        """The log so far; it only grows."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        ...

    def start(self) -> None:
        """Begin, in the background."""
        ...

    def stop(self) -> None:
        """End in good order."""
        ...

    def abort(self) -> None:
        """End at once."""
        ...
