"""Progress on a terminal: a bar without an end until the source has told how much there is, then an exact one."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inforadar.collect.progress import Listener, Nobody, Progress
from inforadar.collect.report import QueryReport
from inforadar.domain.watch import Query
from inforadar.interfaces.cli.wording import counted
from inforadar.observe.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

MOST_BARS = 8


@contextmanager
def listener(*, is_shown: bool) -> Iterator[Listener]:
    """Bars on stderr while the block runs, or nobody."""
    if not is_shown:
        yield Nobody()
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield BarListener(bars)


class BarListener:
    """One bar a query, the latest few on screen; log lines get above them by way of stderr."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._tasks: deque[TaskID] = deque()

    def started(self, query: Query) -> None:
        """A new bar without an end."""
        name = printable(f"{query.watch} / {query.source}")
        self._tasks.append(self._bars.add_task(name, total=None, note="asking"))
        if len(self._tasks) > MOST_BARS:
            self._bars.remove_task(self._tasks.popleft())

    def progressed(self, progress: Progress) -> None:
        """Move the bar; give it its end once that is known."""
        of_all = "" if progress.expected is None else f"/{progress.expected}"
        note = f"{progress.processed}{of_all} read, {progress.added} new, {counted(progress.pages, 'page')}"
        self._bars.update(self._tasks[-1], completed=progress.processed, total=progress.expected, note=note)

    def recorded(self, _query: Query, _message: str) -> None:
        """Nothing: the log has the line."""

    def ended(self, _query: Query, report: QueryReport) -> None:
        """Fill the bar and stop its clock."""
        seen = report.counters.seen
        read = "" if report.is_unchanged else f"{seen} read, {report.counters.added} new; "
        self._bars.update(self._tasks[-1], completed=seen or 1, total=seen or 1, note=read + report.ending)
