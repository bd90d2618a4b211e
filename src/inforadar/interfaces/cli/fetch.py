"""`radar fetch`: one sweep of each chosen query now, with progress, then the report."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

import click

from inforadar.bootstrap import App
from inforadar.collect.report import to_json
from inforadar.config import Config
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import Query, Watch
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.progress import listener
from inforadar.interfaces.cli.report import print_report
from inforadar.interfaces.cli.session import Session

Chosen = list[tuple[Watch, Query]]


@click.command(
    help="""One sweep of each chosen query now, one after another; prints what was added, updated, filtered and left.

    \b
    Examples:
      radar fetch
      radar fetch python-madrid --limit 20
      radar fetch --source habr --topic python --json
    """
)
@click.argument("watches", metavar="[WATCH]...", nargs=-1)
@click.option("--source", "sources", metavar="S", multiple=True, help="Only queries to this source; may be repeated.")
@click.option("--topic", "topics", metavar="T", multiple=True, help="Only article queries of this hub or topic.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N unseen items a query, this time.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.pass_obj
def command(
    session: Session,
    watches: Sequence[str],
    sources: Sequence[str],
    topics: Sequence[str],
    limit: int | None,
    as_json: bool,
) -> int:
    """Sweep and report; the exit code says whether all went well."""
    with session.app() as app, _stopped_by_signals(app):
        chosen = choose(app.config, watches, sources, topics, limit)
        with listener(is_shown=sys.stderr.isatty()) as watcher:
            report = app.fetcher(watcher).fetch(chosen)
    for warning in app.config.warnings:
        say(warning)
    if as_json:
        print_json(to_json(report))
    elif report.held_by:
        say(f"Another run is under way ({report.held_by}); nothing to do. Try again when it has ended.")
    else:
        print_report(report)
    return report.exit_code


def choose(
    config: Config, watches: Sequence[str], sources: Sequence[str], topics: Sequence[str], limit: int | None
) -> Chosen:
    """The queries the user named; raises ConfigError when a name fits nothing."""
    _require_known(watches, [watch.name for watch in config.watches], "watch")
    _require_known(sources, list(config.sources), "source")
    chosen = [
        (watch, _limited(query, limit))
        for watch in config.watches
        if not watches or watch.name in watches
        for query in watch.queries
        if config.sources[query.source].enabled and _is_chosen(query, sources, topics)
    ]
    if not chosen:
        raise ConfigError("No query fits. `radar status` lists them with their sources; topics are hubs or `topic`.")
    return chosen


def _require_known(names: Sequence[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"There is no {what} {name!r}. Known: {', '.join(known)}.")


def _is_chosen(query: Query, sources: Sequence[str], topics: Sequence[str]) -> bool:
    if sources and query.source not in sources:
        return False
    return not topics or bool(_topics(query) & {topic.casefold() for topic in topics})


def _topics(query: Query) -> set[str]:
    """What a topic filter may call this query: its `topic`, its hub, its flow."""
    named = (query.topic, query.params.get("hub"), query.params.get("flow"))
    return {str(name).casefold() for name in named if name}


def _limited(query: Query, limit: int | None) -> Query:
    return query if limit is None else replace(query, bounds=replace(query.bounds, limit=limit))


@contextmanager
def _stopped_by_signals(app: App) -> Iterator[None]:
    """The first signal ends the sweep after the page under way, the second ends the process; nothing is lost."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        if app.stop.is_set():
            raise KeyboardInterrupt
        app.stop.set()
        say("Stopping after the page under way; once more to stop at once.")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
