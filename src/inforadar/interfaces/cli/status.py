"""`radar status`: queries, sources, jobs, who runs what, the latest events and the next step, on one screen."""

from datetime import datetime

import click

from inforadar.domain.coverage import Coverage
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.standing import QueryStanding, SourceStanding, Standing, read_standing, to_json
from inforadar.interfaces.cli.table import print_table, wrapped
from inforadar.interfaces.cli.wording import ago, counted, listed, span
from inforadar.observe.printable import printable
from inforadar.service.scheduler import SCHEDULER_LEASE

QUERY_HEADERS = ("WATCH", "SOURCE", "STATE", "LAST SUCCESS", "COVERED", "GAPS", "QUERY")
SOURCE_HEADERS = ("SOURCE", "STATE", "LAST SUCCESS", "REQUESTS", "A MINUTE", "WHY")
COLOURS = {
    "SUCCESS": "green",
    "ok": "green",
    "ERROR": "red",
    "failing": "red",
    "refused": "red",
    "RUNNING": "cyan",
    "never run": "yellow",
    "disabled": "yellow",
    "to be tried": "yellow",
}


@click.command(
    "status",
    help="""Where everything stands: queries and coverage, sources and their pauses, jobs, who runs, latest events.

    \b
    Examples:
      radar status
      radar status --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, as_json: bool = False) -> None:
    """Print the standing of every query and source, and totals."""
    with session.app() as app:
        standing = read_standing(app)
        is_continuous = app.config.schedule.continuous
    if as_json:
        print_json(to_json(standing))
        return
    _show_queries(standing)
    _show_sources(standing)
    _show_work(standing, is_continuous)
    _show_events(standing)
    say(_next_step(standing))


def _show_queries(standing: Standing) -> None:
    rows = [_query_row(one, standing.now) for one in standing.queries]
    print_table(QUERY_HEADERS, rows, flexible=(0, 6), colours=COLOURS)
    for one in standing.queries:
        if one.is_failing:
            _show_failure(one, standing.now)


def _query_row(one: QueryStanding, now: datetime) -> list[str]:
    status = one.state.status if one.state else "never run"
    return [
        one.query.watch,
        one.query.source,
        status if one.is_enabled else "disabled",
        ago(one.state.last_success_at if one.state else None, now),
        _covered(one.covered),
        str(len(one.gaps)),
        one.query.key,
    ]


def _covered(covered: Coverage) -> str:
    lowest, highest = covered.last_complete_sweep_before, covered.last_seen_max
    if lowest is None or highest is None:
        return "nothing yet"
    return f"{lowest:%Y-%m-%d} .. {highest:%Y-%m-%d %H:%M}"


def _show_failure(one: QueryStanding, now: datetime) -> None:
    assert one.state is not None
    failures = one.state.consecutive_failures
    times = f" {failures} times in a row" if failures > 1 else ""
    name = click.style(printable(f"{one.query.watch} / {one.query.source}"), fg="red", bold=True)
    show(f"{name} failed{times}, last success {ago(one.state.last_success_at, now)}:")
    for line in wrapped(printable(one.state.last_error or "no reason is known"), 2):
        show(f"  {line}")


def _show_sources(standing: Standing) -> None:
    rows = [_source_row(one, standing.now) for one in standing.sources if one.queries or one.known]
    if rows:
        show("")
        print_table(SOURCE_HEADERS, rows, flexible=(5,), colours=COLOURS)


def _source_row(one: SourceStanding, now: datetime) -> list[str]:
    state, health = one.state(now), one.health
    if state == "paused" and health.paused_until:
        state_text = f"paused, {span((health.paused_until - now).total_seconds())} left"
    elif state == "failing":
        state_text = "failing" if health.failure_streak == 1 else f"failing, {health.failure_streak} in a row"
    else:
        state_text = state
    return [
        one.name,
        state_text,
        ago(one.last_success_at, now),
        str(one.known.requests_total if one.known else 0),
        str(one.rate_limit_per_minute),
        (health.last_error or "") if state not in ("ok", "disabled") else "",
    ]


def _show_work(standing: Standing, is_continuous: bool) -> None:
    stuck = f" ({standing.stuck} stuck: radar jobs list --stuck)" if standing.stuck else ""
    show("")
    show(
        f"{counted(standing.items, 'item')}; matches: {listed(standing.matches)}; jobs: {listed(standing.jobs)}{stuck}"
    )
    for kind in standing.paused_kinds:
        show(printable(f"Jobs of kind {kind.kind} are paused ({kind.reason}): radar jobs resume {kind.kind}"))
    show(printable(_schedule(standing, is_continuous)))
    for name, held in standing.leases.items():
        if name != SCHEDULER_LEASE:
            of_source = name.partition(":")[2]
            show(printable(f"A sweep{' of ' + of_source if of_source else ''} is under way in {held.holder}."))


def _schedule(standing: Standing, is_continuous: bool) -> str:
    elected = standing.leases.get(SCHEDULER_LEASE)
    if elected is None:
        return "Nobody puts scheduled work now: radar run does."
    if is_continuous:
        return f"Scheduled by {elected.holder}; rounds follow one another."
    at = standing.next_fetch_at
    left_s = (at - standing.now).total_seconds() if at else 0.0
    return f"Scheduled by {elected.holder}; next fetch {f'in {span(left_s)}' if left_s >= 1 else 'now'}."


def _show_events(standing: Standing) -> None:
    if not standing.events:
        return
    show("")
    show(click.style("LATEST EVENTS", bold=True))
    for event in standing.events:
        first, *rest = wrapped(printable(event.message), 24)
        colour = "red" if event.kind == "outage" else "green"
        show(f"{ago(event.at, standing.now):>12}  {click.style(f'{event.kind:<8}', fg=colour)}  {first}")
        for line in rest:
            show(f"{'':24}{line}")


def _next_step(standing: Standing) -> str:
    paused = [one.name for one in standing.sources if one.state(standing.now) == "paused"]
    if not any(one.state for one in standing.queries):
        return "Nothing was collected yet. Next: radar fetch"
    if paused:
        return f"A pause ends by itself; `radar fetch --source {paused[0]} --now` ends it at once."
    if any(one.is_failing for one in standing.queries):
        return "The next `radar fetch` tries the failing ones again; nothing is given up."
    return "Next: radar items to look, radar fetch to collect what is new."
