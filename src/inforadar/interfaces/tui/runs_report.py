"""The runs screen: every sweep, newest first: what it read, added and left, and why it stopped."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.interfaces.cli.run_lines import HEADERS, run_row
from inforadar.interfaces.cli.wording import span
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.interfaces.tui.report import Entry, Report, report_of
from inforadar.observe.printable import printable
from inforadar.store import runs
from inforadar.store.runs import Run

MOST = 200
THINGS = ("pages", "requests", "errors")
TONES: dict[str, Tone] = {"ERROR": "bad", "PARTIAL": "warning", "RUNNING": "head"}


def read_runs_report(app: App, width: int) -> Report:
    """The newest runs."""
    with app.database.reading() as tx:
        found = runs.recent(tx, limit=MOST)
    now = app.clock.now()
    return report_of(HEADERS, [_entry(run, now) for run in found], width, flexible=(2, 3, 8))


def _entry(run: Run, now: datetime) -> Entry:
    return Entry(
        cells=tuple(run_row(run, now)),
        details=list(_details(run)),
        tone=TONES.get(run.status, "plain"),
    )


def _details(run: Run) -> Iterator[Record]:
    took = f"took {span((run.finished_at - run.started_at).total_seconds())}" if run.finished_at else "under way"
    yield Record(text=printable(f"run {run.id}  {run.watch} / {run.source}  {run.query_key}  {took}"), tone="head")
    told = [_counted(count, name) for name, count in asdict(run.counters).items() if count]
    yield Record(text=", ".join(told) or "nothing was read")
    if run.left:
        yield Record(text=f"at least {run.left} left; the next fetch goes on there", tone="warning")
    for note in run.notes:
        yield Record(text=printable(note), tone="bad")
    for warning in run.warnings:
        yield Record(text=printable(warning), tone="warning")


def _counted(count: int, name: str) -> str:
    """A counter in words: some are named for things, which may be one."""
    words = name.replace("_", " ")
    return f"{count} {words.removesuffix('s') if count == 1 and words in THINGS else words}"
