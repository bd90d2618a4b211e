"""The sources screen: how each source is, how long it is left alone, and how much of its feeds is collected."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.interfaces.cli.standing_words import last_success, state_words, success_words
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.source_standing import QueryStanding, SourceStanding
from inforadar.interfaces.standing import read_queries, read_sources
from inforadar.interfaces.tui.coverage_bar import coverage_bar
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.interfaces.tui.report import Entry, Report, report_of
from inforadar.observe.printable import printable

HEADERS = ("SOURCE", "STATE", "LAST SUCCESS", "COVERAGE", "QUERIES")
BAR = 12
LONG_BAR = 30
TONES: dict[str, Tone] = {
    "ok": "good",
    "disabled": "faint",
    "never asked": "faint",
    "not used": "faint",
    "partly failing": "warning",
    "no answer yet": "warning",
    "to be tried": "warning",
}


def read_sources_report(app: App, width: int) -> Report:
    """Every source that has queries or was ever asked."""
    with app.database.reading() as tx:
        queries = read_queries(app, tx)
        sources = read_sources(app, tx, queries)
    now = app.clock.now()
    told = [one for one in sources if one.queries or (one.known and one.known.requests_total)]
    entries = [_entry(one, one.asking, now) for one in told]
    return report_of(HEADERS, entries, width, flexible=(0, 1))


def _entry(one: SourceStanding, queries: Sequence[QueryStanding], now: datetime) -> Entry:
    state = one.state(now)
    return Entry(
        cells=(
            one.name,
            state_words(one, now),
            success_words(one, now),
            _shortest(queries),
            str(one.queries),
        ),
        details=list(_details(one, queries, now)),
        tone=TONES.get(state, "bad"),
    )


def _shortest(queries: Sequence[QueryStanding]) -> str:
    """The coverage of the query with the most gaps: a source is as good as its worst."""
    worst = max(queries, key=lambda one: (not one.covered.stretches, len(one.gaps)), default=None)
    return coverage_bar(worst.covered, worst.query.bounds.floor, BAR) if worst else ""


def _details(one: SourceStanding, queries: Sequence[QueryStanding], now: datetime) -> Iterator[Record]:
    if why := one.why(now):
        yield Record(text=printable(why), tone="bad")
    if one.state(now) == "paused":
        yield Record(text=f"`radar fetch --source {one.name} --now` asks it at once.", tone="faint")
    requests = counted(one.known.requests_total if one.known else 0, "request")
    yield Record(text=f"{requests} so far, at most {one.rate_limit_per_minute} a minute", tone="faint")
    for query in queries:
        yield from _query_lines(query, now)


def _query_lines(one: QueryStanding, now: datetime) -> Iterator[Record]:
    params = ", ".join(f"{name} = {value}" for name, value in one.query.params.items())
    yield Record(text=printable(f"{one.query.watch}: {params or 'everything'}"), tone="head")
    covered = one.covered
    bar = coverage_bar(covered, one.query.bounds.floor, LONG_BAR)
    if covered.last_complete_sweep_before and covered.last_seen_max:
        span_words = f"{covered.last_complete_sweep_before:%Y-%m-%d} .. {covered.last_seen_max:%Y-%m-%d}"
        yield Record(text=f"  {bar}  {span_words}, {_counts(one)}")
    else:
        yield Record(text=f"  {bar}  nothing collected yet")
    if one.state and one.state.last_error and one.is_failing:
        yield Record(text=printable(f"  failed: {one.state.last_error}"), tone="bad")
    for warning in one.warnings:
        yield Record(text=printable(f"  noted: {warning}"))
    yield Record(text=f"  {last_success(one.state.last_success_at if one.state else None, now)}", tone="faint")


def _counts(one: QueryStanding) -> str:
    gaps = counted(len(one.gaps), "gap") if one.gaps else "no gaps"
    return f"{counted(one.covered.count, 'entry', 'entries')}, {gaps}"
