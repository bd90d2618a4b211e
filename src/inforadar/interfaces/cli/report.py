"""The report of a run, for people: what was added, updated (old -> new), filtered, failed and left."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from rich.cells import cell_len

from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.item import Change
from inforadar.domain.run import StopReason
from inforadar.interfaces.cli.field_words import change_words
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.table import room, shorten, wrapped
from inforadar.interfaces.cli.wording import counted, took
from inforadar.observe import process
from inforadar.observe.printable import printable

MOST_LINES = 3
MOST_REASONS = 5
WIDEST_VALUE = 40


def print_report(report: FetchReport) -> None:
    """What each query did, then one line over all."""
    for query in report.queries:
        for line in _query_lines(query):
            show(line)
    show(click.style(_total_line(report), bold=True))


def held_words(holder: str) -> str:
    """A sentence on a run that did nothing, because another process is at it."""
    return f"Another run is under way ({process.told(holder)}); it fetches now, so this one did nothing."


def _total_line(report: FetchReport) -> str:
    counters = report.counters
    stopped = [query for query in report.queries if query.stop_reason is StopReason.STOPPED_BY_USER]
    failed = sum(query.is_failed for query in report.queries) - len(stopped)
    left = report.left
    seconds = (report.finished_at - report.started_at).total_seconds()
    return ("Stopped: " if stopped else "") + (
        f"{counters.added} added, {counters.updated} updated, {counters.filtered} filtered, "
        f"{failed} of {counted(len(report.queries), 'query', 'queries')} failed, "
        f"{f'at least {left}' if left else 'nothing'} left; {counted(counters.requests, 'request')} in {took(seconds)}"
    )


def _query_lines(query: QueryReport) -> Iterator[str]:
    name = click.style(printable(f"{query.watch} / {query.source}"), fg=_colour(query), bold=True)
    yield f"{name}  {query.ending if query.is_unchanged else f'{_done(query)}; {query.ending}'}"
    if query.error:
        yield from _told("failed", query.error, "red")
    if query.is_bad_query:
        yield from _told("mend", f"radar watch edit {shlex.quote(query.watch)}", "yellow")
    if query.left and not query.is_bad_query:
        yield from _told("left", f"at least {query.left} to collect; the next fetch goes on there", "yellow")
    for warning in query.warnings:
        yield from _told("note", warning, "yellow")
    yield from _added_lines(list(query.titles.values()))
    yield from _updated_lines(query)
    yield from _filtered_lines(query)


def _told(what: str, text: str, colour: str) -> Iterator[str]:
    first, *more = wrapped(printable(f"{what}: {text}"), 4)
    yield click.style(f"  {first}", fg=colour)
    yield from (click.style(f"    {line}", fg=colour) for line in more)


def _colour(query: QueryReport) -> str:
    if query.stop_reason is StopReason.STOPPED_BY_USER:
        return "yellow"
    return "red" if query.is_failed else "green"


def _done(query: QueryReport) -> str:
    counters = query.counters
    if not counters.pages:
        return "no page read"
    counts = {"updated": counters.updated, "filtered": counters.filtered, "known": counters.known}
    told = [f"{counters.added} added", *(f"{count} {name}" for name, count in counts.items() if count)]
    return f"{', '.join(told)} on {counted(counters.pages, 'page')}"


def _added_lines(added: Sequence[str]) -> Iterator[str]:
    for title in added[:MOST_LINES]:
        yield shorten(f"  + {printable(title)}", room())
    if len(added) > MOST_LINES:
        yield f"  + {len(added) - MOST_LINES} more (radar items lists them)"


def _updated_lines(query: QueryReport) -> Iterator[str]:
    updated = query.updated
    for url in list(updated)[:MOST_LINES]:
        head = f"  ~ {printable(url)}  "
        yield head + _changes(updated[url], query.currencies.get(url, ""), room() - cell_len(head))
    if len(updated) > MOST_LINES:
        yield f"  ~ {len(updated) - MOST_LINES} more (--json lists them all)"


def _changes(fields: Mapping[str, Sequence[Any]], currency: str, width: int) -> str:
    """As many changes as the line has room for, at least one, then how many more there are."""
    changes = (Change(field=name, old=old, new=new) for name, (old, new) in fields.items())
    told = [change_words(change, {"currency": currency}, WIDEST_VALUE) for change in changes]
    for number in range(len(told), 1, -1):
        line = ", ".join(told[:number]) + _more(len(told) - number)
        if cell_len(line) <= width:
            return line
    rest = _more(len(told) - 1)
    return shorten(told[0], max(WIDEST_VALUE, width - len(rest))) + rest


def _more(number: int) -> str:
    return f" (+{counted(number, 'field')})" if number else ""


def _filtered_lines(query: QueryReport) -> Iterator[str]:
    reasons = Counter((stone.reason, stone.word or "", stone.field or "") for stone in query.filtered)
    for (reason, word, field), times in reasons.most_common(MOST_REASONS):
        shown = f" {word!r} in {field}" if word else ""
        yield printable(f"  - {times} filtered by {reason}{shown}")
    if len(reasons) > MOST_REASONS:
        rest = sum(times for _, times in reasons.most_common()[MOST_REASONS:])
        yield f"  - {rest} filtered by {counted(len(reasons) - MOST_REASONS, 'more reason')}"
