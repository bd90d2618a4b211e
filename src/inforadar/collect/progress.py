"""What a watcher of a run is told: how many entries there are to process, how many are done, and log records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inforadar.collect.report import QueryReport
from inforadar.domain.watch import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one sweep has come; `expected` None = not known yet."""

    query: Query
    processed: int
    expected: int | None
    pages: int
    added: int


class Listener(Protocol):
    """Somebody who watches a run: a bar, a screen, nobody."""

    def started(self, query: Query) -> None:
        """A sweep begins."""
        ...

    def progressed(self, progress: Progress) -> None:
        """A page was saved."""
        ...

    def recorded(self, query: Query, message: str) -> None:
        """A line for the log field."""
        ...

    def ended(self, query: Query, report: QueryReport) -> None:
        """A sweep is over."""
        ...


class Nobody:
    """A listener that does not listen."""

    def started(self, query: Query) -> None:
        """Nothing."""

    def progressed(self, progress: Progress) -> None:
        """Nothing."""

    def recorded(self, query: Query, message: str) -> None:
        """Nothing."""

    def ended(self, query: Query, report: QueryReport) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Everybody:
    """Several listeners who hear the same."""

    listeners: Sequence[Listener]

    def started(self, query: Query) -> None:
        """Tell all."""
        for one in self.listeners:
            one.started(query)

    def progressed(self, progress: Progress) -> None:
        """Tell all."""
        for one in self.listeners:
            one.progressed(progress)

    def recorded(self, query: Query, message: str) -> None:
        """Tell all."""
        for one in self.listeners:
            one.recorded(query, message)

    def ended(self, query: Query, report: QueryReport) -> None:
        """Tell all."""
        for one in self.listeners:
            one.ended(query, report)
