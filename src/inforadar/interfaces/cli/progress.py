"""Progress on a terminal: a bar without an end until the source has told how much there is, then an exact one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inforadar.collect.progress import Listener, Nobody, Progress
from inforadar.collect.report import QueryReport
from inforadar.domain.watch import Query
from inforadar.observe.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


@contextmanager
def listener(*, is_shown: bool) -> Iterator[Listener]:
    """Bars on stderr while the block runs, or nobody."""
    if not is_shown:
        yield Nobody()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield BarListener(bars)


class BarListener:
    """One bar a query."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def started(self, query: Query) -> None:
        """A new bar without an end."""
        name = printable(f"{query.watch} / {query.source}").replace("[", "(")
        self._task = self._bars.add_task(name, total=None, note="")

    def progressed(self, progress: Progress) -> None:
        """Move the bar; give it its end once that is known."""
        if self._task is not None:
            note = f"{progress.added} new, page {progress.pages}"
            self._bars.update(self._task, completed=progress.processed, total=progress.expected, note=note)

    def recorded(self, _query: Query, message: str) -> None:
        """Show a line above the bars."""
        self._bars.console.print(printable(message), markup=False, highlight=False)

    def ended(self, _query: Query, report: QueryReport) -> None:
        """Fill the bar."""
        if self._task is not None:
            seen = report.counters.seen
            self._bars.update(self._task, completed=seen, total=seen or 1, note=report.stop_reason.value)
