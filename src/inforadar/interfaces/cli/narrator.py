"""What `radar run` says on a terminal while it runs: one line for each sweep that found something or failed."""

from dataclasses import dataclass

from inforadar.collect.progress import Progress
from inforadar.collect.report import QueryReport
from inforadar.domain.ports import Clock
from inforadar.domain.watch import Query
from inforadar.interfaces.cli.output import say
from inforadar.observe.printable import printable


@dataclass(frozen=True, slots=True)
class Narrator:
    """A listener that tells people what is worth it."""

    clock: Clock

    def started(self, query: Query) -> None:
        """Not worth a line."""

    def progressed(self, progress: Progress) -> None:
        """Not worth a line."""

    def recorded(self, query: Query, message: str) -> None:
        """The log says it."""

    def ended(self, query: Query, report: QueryReport) -> None:
        """One line if anything came of the sweep."""
        found = [
            f"{number} {what}"
            for number, what in (
                (report.counters.added, "added"),
                (report.counters.updated, "updated"),
                (report.counters.filtered, "filtered"),
            )
            if number
        ]
        told = ([report.error or report.stop_reason.value] if report.is_failed else []) + found
        if told:
            at = self.clock.now().astimezone()
            say(printable(f"{at:%H:%M:%S} {query.watch} / {query.source}: {', '.join(told)}"))
