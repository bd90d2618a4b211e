"""`radar status`: queries, sources, services, jobs, deliveries, who runs what, events, the next step; on one screen."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

import click

from inforadar.collect.fetch import RUN_LEASE
from inforadar.domain.coverage import Coverage
from inforadar.domain.offline import OFFLINE, may_be_the_query
from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.standing_words import last_success, state_words, success_words
from inforadar.interfaces.cli.table import print_table, tell, wrapped
from inforadar.interfaces.cli.waiting import waiting_words
from inforadar.interfaces.cli.wording import ago, counted, listed, span
from inforadar.interfaces.source_standing import WELL, QueryStanding, SourceStanding
from inforadar.interfaces.standing import TELEGRAM, ServiceStanding, Standing, read_standing, told_events
from inforadar.interfaces.standing_shape import to_json
from inforadar.observe import process
from inforadar.observe.printable import printable
from inforadar.service.buttons import UPDATES_LEASE
from inforadar.service.recovery import ATTEMPTS, DELETED, LEFT_ALONE, RECOVERED
from inforadar.service.scheduler import SCHEDULER_LEASE

QUERY_HEADERS = ("WATCH", "SOURCE", "STATE", "LAST SUCCESS", "COVERED", "GAPS", "QUERY")
SOURCE_HEADERS = ("SOURCE", "STATE", "LAST SUCCESS", "REQUESTS", "A MINUTE")
SERVICE_HEADERS = ("SERVICE", "STATE", "LAST SUCCESS", "REQUESTS", "WHAT")
RECOVERY_WORDS = {"brought back": RECOVERED, "deleted": DELETED, "left alone": LEFT_ALONE}
MOST_EDITS = 3
TELEGRAM_STATES = {"never asked": "nothing sent yet", "no answer yet": "to be tried"}
COLOURS = {
    "SUCCESS": "green",
    "ok": "green",
    "built in": "green",
    "ERROR": "red",
    "failing": "red",
    "refused": "red",
    "RUNNING": "cyan",
    "never run": "yellow",
    "disabled": "yellow",
    "paused": "yellow",
    "partly failing": "yellow",
    "to be tried": "yellow",
}


@click.command(
    "status",
    help="""Where everything stands: queries and coverage, sources, judge and sinks with their pauses, jobs,
    deliveries, who runs, latest events.

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
    _show_services(standing)
    _show_work(standing, is_continuous)
    _show_events(standing)
    tell(_next_step(standing))


def _show_queries(standing: Standing) -> None:
    rows = [_query_row(one, standing.now) for one in standing.queries]
    print_table(QUERY_HEADERS, rows, flexible=(0, 6), spare=(6, 4), colours=COLOURS)
    reasons = {one.name: one.why(standing.now) for one in standing.sources}
    for one in standing.queries:
        if one.is_failing:
            _show_failure(one, reasons.get(one.asks, ""), standing.now)
        elif one.is_active and one.warnings:
            _show_named(f"{one.query.watch} / {one.query.source}", f"noted: {'; '.join(one.warnings)}", colour="yellow")


def _query_row(one: QueryStanding, now: datetime) -> list[str]:
    status = one.state.status if one.state else "never run"
    return [
        one.query.watch,
        one.query.source,
        "paused" if one.is_paused else status if one.is_enabled else "disabled",
        ago(one.state.last_success_at if one.state else None, now),
        _covered(one.covered),
        str(len(one.gaps)),
        one.query.key,
    ]


def _covered(covered: Coverage) -> str:
    lowest, highest = covered.last_complete_sweep_before, covered.last_seen_max
    if lowest is None or highest is None:
        return "nothing yet"
    return f"{lowest:%Y-%m-%d} .. {highest:%Y-%m-%d}"


def _show_failure(one: QueryStanding, why_source: str, now: datetime) -> None:
    """What a query failed of, unless its source failed of the same and tells it below."""
    assert one.state is not None
    failures, error = one.state.consecutive_failures, one.state.last_error or "no reason is known"
    times = f" {failures} times in a row" if failures > 1 else ""
    told = f"failed{times}, {last_success(one.state.last_success_at, now)}"
    is_told_below = bool(why_source) and why_source in error
    _show_named(
        f"{one.query.watch} / {one.query.source}",
        f"{told}: {f'see {one.asks} below' if is_told_below else error}",
    )


def _show_named(name: str, sentence: str, *, colour: str = "red") -> None:
    """A sentence about something that is not well, its name in a colour."""
    washed = printable(name)
    first, *rest = wrapped(f"{washed}  {printable(sentence)}", 2)
    show(first.replace(washed, click.style(washed, fg=colour, bold=True), 1))
    for line in rest:
        show(f"  {line}")


def _show_sources(standing: Standing) -> None:
    told = [one for one in standing.sources if one.queries or (one.known and one.known.requests_total)]
    if not told:
        return
    show("")
    print_table(SOURCE_HEADERS, [_source_row(one, standing.now) for one in told], spare=(4, 3), colours=COLOURS)
    for one in told:
        if why := one.why(standing.now):
            _show_named(one.name, why)


def _show_services(standing: Standing) -> None:
    """The judge and the sinks, each with what it is."""
    show("")
    rows = [_service_row(one, standing.now) for one in standing.services]
    print_table(SERVICE_HEADERS, rows, flexible=(4,), spare=(3,), colours=COLOURS)
    for one in standing.services:
        if one.asked and (why := one.asked.why(standing.now)):
            _show_named(one.name, why)


def _service_row(one: ServiceStanding, now: datetime) -> list[str]:
    if one.asked is None:
        return [one.name, one.state(now), "", "", one.about]
    name, state, *counts = _source_row(one.asked, now)[:4]
    return [name, _service_state(one.name, state), *counts, one.about]


def _service_state(name: str, state: str) -> str:
    """How a service stands: a bot whose buttons are heard may have had nothing to send yet."""
    return TELEGRAM_STATES.get(state, state) if name == TELEGRAM else state


def _source_row(one: SourceStanding, now: datetime) -> list[str]:
    return [
        one.name,
        state_words(one, now),
        success_words(one, now),
        str(one.known.requests_total if one.known else 0),
        str(one.rate_limit_per_minute),
    ]


def _show_work(standing: Standing, is_continuous: bool) -> None:
    stuck = f" ({standing.stuck} stuck: radar jobs list --stuck)" if standing.stuck else ""
    show("")
    _show_sentence(
        f"{counted(standing.items, 'item')}; matches: {listed(standing.matches)}; jobs: {listed(standing.jobs)}{stuck}"
    )
    for sentence in waiting_words(standing):
        _show_sentence(sentence)
    if standing.deliveries:
        _show_sentence(f"Deliveries: {listed(standing.deliveries)}{_due(standing)}")
    if tried := standing.totals.get(ATTEMPTS, 0):
        _show_sentence(_recovered(tried, standing.totals))
    for kind in standing.paused_kinds:
        _show_sentence(f"Jobs of kind {kind.kind} are paused ({kind.reason}): radar jobs resume {kind.kind}")
    _show_sentence(_schedule(standing, is_continuous))
    for name, held in standing.leases.items():
        lease, _, of_source = name.partition(":")
        if lease == RUN_LEASE:
            _show_sentence(
                f"A sweep{' of ' + of_source if of_source else ''} is under way in {process.told(held.holder)}."
            )
        elif lease == UPDATES_LEASE:
            _show_sentence(_heard(process.told(held.holder), standing))


def _heard(by: str, standing: Standing) -> str:
    """Who hears Telegram's buttons, or tries to."""
    if standing.unheard_since is None:
        return f"Telegram's buttons are heard by {by}."
    vain_s = (standing.now - standing.unheard_since).total_seconds()
    return f"Telegram's buttons are not heard: {by} has asked for them in vain for {span(vain_s)}."


def _due(standing: Standing) -> str:
    if standing.unsent is None:
        return ""
    oldest_at = standing.unsent.oldest_at
    waits = f"the oldest waits for {span((standing.now - oldest_at).total_seconds())}, " if oldest_at else ""
    left_s = (standing.unsent.next_due_at - standing.now).total_seconds()
    return f"; {waits}the next is due {f'in {span(left_s)}' if left_s >= 1 else 'now'}"


def _recovered(tried: int, totals: Mapping[str, int]) -> str:
    told = {name: totals.get(total, 0) for name, total in RECOVERY_WORDS.items()}
    return f"Recovery tried {counted(tried, 'skipped match', 'skipped matches')}: {listed(told)}"


def _show_sentence(sentence: str) -> None:
    for line in wrapped(printable(sentence), 0):
        show(line)


def _schedule(standing: Standing, is_continuous: bool) -> str:
    elected = standing.leases.get(SCHEDULER_LEASE)
    if elected is None:
        return "Nothing is scheduled now: start radar run."
    if is_continuous:
        return f"Scheduled by {process.told(elected.holder)}; rounds follow one another."
    at = standing.next_fetch_at
    left_s = (at - standing.now).total_seconds() if at else 0.0
    return f"Scheduled by {process.told(elected.holder)}; next fetch {f'in {span(left_s)}' if left_s >= 1 else 'now'}."


def _show_events(standing: Standing) -> None:
    told = told_events(standing)
    if not told:
        return
    show("")
    show(click.style("LATEST EVENTS", bold=True))
    for event in told:
        first, *rest = wrapped(printable(event.message), 24)
        colour = {"recovery": "green", "alert": "cyan"}.get(event.kind, "red")
        show(f"{ago(event.at, standing.now):>12}  {click.style(f'{event.kind:<8}', fg=colour)}  {first}")
        for line in rest:
            show(f"{'':24}{line}")


def _next_step(standing: Standing) -> str:
    states = {one.name: one.state(standing.now) for one in standing.sources}
    paused = [name for name, state in states.items() if state == "paused"]
    refused = [name for name, state in states.items() if state == "refused"]
    if not any(one.state for one in standing.queries):
        return "Nothing was collected yet. Next: radar fetch"
    if standing.is_offline:
        return f"{OFFLINE[:1].upper()}{OFFLINE[1:]}. Once it is online again, radar fetch goes on where it stopped."
    if paused:
        return _pause_words(paused)
    if refused:
        return f"Do what is said of {' and '.join(refused)}; the `radar fetch` after that goes on where it stopped."
    failing = [one for one in standing.queries if one.is_failing]
    if wrong := [one.query.watch for one in failing if _is_wrong(one, states.get(one.asks, "ok"))]:
        return _correction_words(wrong)
    if failing:
        return "The next `radar fetch` tries the failing ones again; nothing is given up."
    return "Next: radar items to look, radar fetch to collect what is new."


def _pause_words(paused: Sequence[str]) -> str:
    """How pauses end; a server is asked again by the name of its source."""
    chosen = " ".join(dict.fromkeys(f"--source {name.partition('@')[0]}" for name in paused))
    ends = "A pause ends by itself" if len(paused) == 1 else "Pauses end by themselves"
    return f"{ends}; `radar fetch {chosen} --now` ends {'it' if len(paused) == 1 else 'them'} at once."


def _correction_words(wrong: Sequence[str]) -> str:
    """What to do about queries that fail by their own fault, told by their watches."""
    edits = [f"radar watch edit {shlex.quote(name)}" for name in dict.fromkeys(wrong)]
    more = len(edits) - MOST_EDITS
    told = ", ".join(edits[:MOST_EDITS]) + (f" and {more} more, told above" if more > 0 else "")
    if len(wrong) == 1:
        return f"A query fails though its source is well. Correct it: {told}, then radar fetch"
    return f"{len(wrong)} queries fail though their sources are well. Correct them: {told}, then radar fetch"


def _is_wrong(one: QueryStanding, state: str) -> bool:
    """Whether it is the query that must be corrected: whom it asks is well, and the network and we are not to blame."""
    error = one.state.last_error if one.state else None
    return state in WELL and may_be_the_query(error)
