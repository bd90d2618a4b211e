"""The report of a run, for people."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from inforadar.collect.report import FetchReport, QueryReport
from inforadar.interfaces.cli.output import shorten
from inforadar.observe.printable import printable

MOST_LINES = 10
WIDEST_VALUE = 40


def print_report(report: FetchReport) -> None:
    """What each query did, then one line over all."""
    for query in report.queries:
        for line in _query_lines(query):
            click.echo(line)
    counters = report.counters
    seconds = (report.finished_at - report.started_at).total_seconds()
    click.echo(
        click.style(
            f"{counters.added} added, {counters.updated} updated, {counters.filtered} filtered, "
            f"{counters.errors} errors, {sum(query.left for query in report.queries)} left; "
            f"{counters.requests} requests in {seconds:.1f} s",
            bold=True,
        )
    )


def _query_lines(query: QueryReport) -> Iterator[str]:
    counters = query.counters
    name = click.style(printable(f"{query.watch} / {query.source}"), fg="red" if query.error else "green", bold=True)
    yield (
        f"{name}  {counters.added} added, {counters.updated} updated, {counters.filtered} filtered, "
        f"{counters.known} known on {counters.pages} pages; {query.stop_reason.value}"
    )
    if query.error:
        yield click.style(f"  failed: {printable(query.error)}", fg="red")
    if query.left:
        yield click.style(f"  left: at least {query.left} to collect; the next fetch goes on there", fg="yellow")
    for warning in query.warnings:
        yield click.style(f"  note: {printable(warning)}", fg="yellow")
    yield from _updated_lines(query)
    yield from _filtered_lines(query)


def _updated_lines(query: QueryReport) -> Iterator[str]:
    for number, (url, fields) in enumerate(query.updated.items()):
        if number == MOST_LINES:
            yield f"  ... and {len(query.updated) - MOST_LINES} more updated (--json lists all)"
            return
        changes = ", ".join(f"{name}: {_value(old)} -> {_value(new)}" for name, (old, new) in fields.items())
        yield printable(f"  ~ {url}  {changes}")


def _filtered_lines(query: QueryReport) -> Iterator[str]:
    reasons = Counter((stone.reason, stone.word or "", stone.field or "") for stone in query.filtered)
    for (reason, word, field), times in reasons.most_common(MOST_LINES):
        shown = f" {word!r} in {field}" if word else ""
        yield printable(f"  - {times} filtered by {reason}{shown}")


def _value(value: Any) -> str:
    return shorten(", ".join(map(str, value)) if isinstance(value, list) else str(value), WIDEST_VALUE)
