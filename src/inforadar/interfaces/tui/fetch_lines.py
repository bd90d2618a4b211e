"""A fetch in lines of the log field: what happens while it goes on, and the report that stays when it is over."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inforadar.collect.progress import Progress
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.item import Change
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Query
from inforadar.interfaces.cli.field_words import change_words
from inforadar.interfaces.cli.report import held_words
from inforadar.interfaces.cli.wording import counted, took
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.observe.printable import printable

WIDEST_VALUE = 60
MOST_TITLES = 500
INTERRUPTED = (
    "Fetch interrupted by the user; above is what it came to. What was saved stays, the next fetch goes on there."
)


def name_of(query: Query) -> str:
    """How the log calls a query: its watch, its source and what it is told apart by."""
    topic = query.topic or query.params.get("hub") or query.params.get("flow")
    return printable(f"{query.watch} / {query.source}" + (f" / {topic}" if topic else ""))


def page_line(progress: Progress) -> str:
    """One page that was saved."""
    of_all = "" if progress.expected is None else f" of {progress.expected}"
    pages = counted(progress.pages, "page")
    return f"{name_of(progress.query)}: {progress.processed}{of_all} read on {pages}, {progress.added} new"


def end_line(query: Query, report: QueryReport) -> Record:
    """How a sweep ended, before the report says it all."""
    counts = "" if report.is_unchanged else f"{report.counters.added} added, {report.counters.updated} updated; "
    return Record(text=f"{name_of(query)}: {counts}{report.ending}", tone=_tone(report))


def report_lines(report: FetchReport) -> Iterator[Record]:
    """The report: what was added, updated, left out, went wrong and is left."""
    if report.held_by:
        yield Record(text=printable(held_words(report.held_by)), tone="warning")
        return
    yield Record(text="")
    for query in report.queries:
        yield from _query_lines(query)
    yield Record(text=_total(report), tone="head")
    if any(query.stop_reason is StopReason.STOPPED_BY_USER for query in report.queries):
        yield Record(text=INTERRUPTED, tone="warning")


def _query_lines(query: QueryReport) -> Iterator[Record]:
    yield Record(text=f"{printable(f'{query.watch} / {query.source}')}: {_done(query)}", tone=_tone(query))
    if query.error:
        yield Record(text=f"  error: {printable(query.error)}", tone="bad")
    for warning in query.warnings:
        yield Record(text=f"  note: {printable(warning)}", tone="warning")
    yield from _added_lines(query)
    for url, fields in query.updated.items():
        yield Record(text=f"  ~ {printable(url)}")
        yield from (Record(text=f"      {line}") for line in _changes(fields, query.currencies.get(url, "")))
    yield from _filtered_lines(query)
    if query.left and not query.is_bad_query:
        yield Record(text=f"  left: at least {query.left}; the next fetch goes on there", tone="warning")


def _tone(query: QueryReport) -> Tone:
    if query.stop_reason is StopReason.STOPPED_BY_USER:
        return "warning"
    return "bad" if query.is_failed else "good"


def _done(query: QueryReport) -> str:
    counters = query.counters
    if not counters.pages:
        return f"no page read; {query.ending}"
    if query.is_unchanged:
        return query.ending
    told = f"{counters.added} added, {counters.updated} updated, {counters.filtered} filtered, {counters.known} known"
    return f"{told} on {counted(counters.pages, 'page')}; {query.ending}"


def _added_lines(query: QueryReport) -> Iterator[Record]:
    titles = list(query.titles.values())
    yield from (Record(text=f"  + {printable(title)}") for title in titles[:MOST_TITLES])
    if len(titles) > MOST_TITLES:
        yield Record(text=f"  + {len(titles) - MOST_TITLES} more, in the list of matches", tone="faint")


def _changes(fields: Mapping[str, Sequence[Any]], currency: str) -> Iterator[str]:
    for name, (old, new) in fields.items():
        yield printable(change_words(Change(field=name, old=old, new=new), {"currency": currency}, WIDEST_VALUE))


def _filtered_lines(query: QueryReport) -> Iterator[Record]:
    reasons = Counter((stone.reason, stone.word or "", stone.field or "") for stone in query.filtered)
    for (reason, word, field), times in reasons.most_common():
        shown = f" {word!r} in {field}" if word else ""
        yield Record(text=printable(f"  - {times} filtered by {reason}{shown}"), tone="faint")


def _total(report: FetchReport) -> str:
    counters = report.counters
    left = report.left
    seconds = (report.finished_at - report.started_at).total_seconds()
    return (
        f"{counters.added} added, {counters.updated} updated, {counted(counters.errors, 'error')}, "
        f"{f'at least {left}' if left else 'nothing'} left; {counted(counters.requests, 'request')} in {took(seconds)}"
    )
