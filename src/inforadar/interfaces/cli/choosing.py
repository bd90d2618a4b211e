"""Which queries the user means by watches, sources and topics."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import Query, Watch
from inforadar.store import query_states

Chosen = list[tuple[Watch, Query]]


def choose(
    config: Config, watches: Sequence[str], sources: Sequence[str], topics: Sequence[str], limit: int | None
) -> Chosen:
    """The enabled queries the user named, all if none; raises ConfigError when a name fits nothing."""
    queries = [query for watch in config.watches for query in watch.queries]
    require_known(watches, [watch.name for watch in config.watches], "watch")
    require_known(sources, list(config.sources), "source")
    wanted = {topic.casefold() for topic in topics}
    require_known(sorted(wanted), sorted({topic for query in queries for topic in _topics(query)}), "topic")
    chosen = [
        (watch, _limited(query, limit))
        for watch in config.watches
        if not watch.paused
        if not watches or watch.name in watches
        for query in watch.queries
        if config.sources[query.source].enabled
        if not sources or query.source in sources
        if not topics or _topics(query) & wanted
    ]
    paused = [watch.name for watch in config.watches if watch.paused and (not watches or watch.name in watches)]
    if not chosen and paused:
        raise ConfigError(f"{', '.join(paused)}: paused, so nothing is asked. To go on: radar watch resume {paused[0]}")
    if not chosen:
        raise ConfigError("No enabled query fits all of that. `radar status` lists the queries with their sources.")
    return chosen


def require_known(names: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise ConfigError for a name that is not among the known ones, with the one that was probably meant."""
    for name in names:
        if name not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"There is no {what} {name!r}.{hint} Known: {', '.join(known) or 'none'}.")


def require_known_watches(app: App, names: Iterable[str]) -> None:
    """The same for watches: those of the configuration, and those the store has from earlier ones."""
    with app.database.reading() as tx:
        stored = [state.watch for state in query_states.all(tx)]
    require_known(names, dict.fromkeys((*(one.name for one in app.config.watches), *stored)), "watch")


def _topics(query: Query) -> set[str]:
    """What a topic filter may call this query: its `topic`, its hub, its flow."""
    named = (query.topic, query.params.get("hub"), query.params.get("flow"))
    return {str(name).casefold() for name in named if name}


def _limited(query: Query, limit: int | None) -> Query:
    return query if limit is None else replace(query, bounds=replace(query.bounds, limit=limit))
