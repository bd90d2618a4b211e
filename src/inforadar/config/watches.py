"""Builds watches and their queries from the tables of a configuration."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, time
from typing import Any

from inforadar.config.lines import Path, line_of
from inforadar.config.prices import read_coin, read_valuation
from inforadar.config.reading import Reading, did_you_mean
from inforadar.config.schema import (
    ARTICLE_WINDOW_DAYS,
    QUERY,
    RULE_NEEDS,
    VACANCY_EXPERIENCE_YEARS,
    WATCH,
)
from inforadar.domain.item import Kind
from inforadar.domain.ports import Source
from inforadar.domain.query_key import query_key
from inforadar.domain.screening import compile_ban_words
from inforadar.domain.watch import Bounds, Query, Watch

LONGEST_NAME = 64
NO_PRICES_REMEDY = 'Use "ebay", or "rest" with a `price` in its `fields`; or put the query into a watch of another kind'
_QUOTED = re.compile(r"`([^`]+)`")

Sources = Mapping[str, Source]


def read_watches(reading: Reading, raw: Any, sources: Sources) -> tuple[Watch, ...]:
    """Every watch of the file; names are unique, letter case aside."""
    tables = _tables(reading, raw, ("watch",))
    if not tables and not reading.mistakes:
        reading.complain(
            ("watch",), "there is no watch", "Add one: `radar add URL` with the address of a search page or feed"
        )
    watches = [_watch(reading, table, ("watch", index), sources) for index, table in tables]
    _check_unique(reading, {("watch", index): table.get("name") for index, table in tables})
    return tuple(watches)


def _tables(reading: Reading, raw: Any, path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    """The entries of an array of tables that are tables, with their places."""
    entries = [] if raw is None else raw
    if not isinstance(entries, list):
        reading.complain(path, "is not a list of tables", f"Write [[{_dotted(path)}]] with double brackets")
        return []
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            reading.complain((*path, index), "is not a table", f"Write it as [[{_dotted(path)}]]")
    return [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, Mapping)]


def _dotted(path: Path) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def _check_unique(reading: Reading, names: Mapping[Path, Any]) -> None:
    first: dict[str, Path] = {}
    for path, name in names.items():
        if not isinstance(name, str) or not name.strip():
            continue
        other = first.setdefault(name.strip().casefold(), path)
        if other is not path:
            line = line_of(reading.lines, (*other, "name"))
            reading.complain((*path, "name"), f"the watch of line {line} has the same name", "Give it another name")


def _watch(reading: Reading, raw: Mapping[str, Any], path: Path, sources: Sources) -> Watch:
    reading.label(path, raw.get("name"))
    values = reading.table(raw, WATCH, path, also=("query", "coin", "valuation"))
    name, kind = values["name"] or "", values["kind"]
    _check_name(reading, name, (*path, "name"))
    _check_ban_words(reading, values["ban_words"], (*path, "ban_words"))
    valuation = read_valuation(reading, raw, path, kind)
    if kind == "price":
        _check_prices(reading, raw.get("query"), (*path, "query"), valuation.currency, sources)
    years = values["max_experience_years"]
    if years is None and kind == "vacancy":
        years = VACANCY_EXPERIENCE_YEARS
    return Watch(
        name=name,
        kind=kind,
        profile=values["profile"],
        ban_words=values["ban_words"],
        max_experience_years=years or None,
        min_score=values["min_score"],
        deliver=tuple(dict.fromkeys(values["deliver"])),
        first_run=values["first_run"],
        paused=values["paused"],
        queries=_queries(reading, raw.get("query"), path, name, kind, sources),
        coin=read_coin(reading, raw, path, kind),
        valuation=valuation,
    )


def _check_name(reading: Reading, name: str, path: Path) -> None:
    if len(name) > LONGEST_NAME:
        reading.complain(path, f"has {len(name)} characters", f"Use at most {LONGEST_NAME}")
    if name.startswith("-") or not name.isprintable():
        remedy = "Use letters, digits and dashes: the name is typed on the command line"
        reading.complain(path, "begins with a dash or holds control characters", remedy)


def _check_ban_words(reading: Reading, words: tuple[str, ...], path: Path) -> None:
    for index, word in enumerate(words):
        for mistake in compile_ban_words([word])[1]:
            reading.complain((*path, index), f"{mistake.where} {mistake.problem}", mistake.remedy)


def _queries(
    reading: Reading, raw: Any, path: Path, watch: str, kind: Kind | None, sources: Sources
) -> tuple[Query, ...]:
    tables = _tables(reading, raw, (*path, "query"))
    if not tables and not raw:
        reading.complain(path, "asks nothing", "Add a [[watch.query]] with source and params")
    queries: dict[str, Query] = {}
    places: dict[str, Path] = {}
    for index, table in tables:
        at = (*path, "query", index)
        for query in _sliced(_query(reading, table, at, watch, kind, sources), sources):
            if query.key in queries:
                line = line_of(reading.lines, places[query.key])
                reading.complain(at, f"asks the same as the query of line {line}", "Remove one of them")
            else:
                queries[query.key], places[query.key] = query, at
    return tuple(queries.values())


def _without_the_watch_s(reading: Reading, raw: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A query's table without settings of its watch, which whoever adds a line at the end of the file writes there."""
    misplaced = {one.name for one in WATCH} - {one.name for one in QUERY}
    for name in raw:
        if name in misplaced:
            remedy = "Write it above the first [[watch.query]] of the watch"
            reading.complain((*path, name), "belongs to the watch, not to one of its queries", remedy)
    return {name: value for name, value in raw.items() if name not in misplaced}


def _sliced(query: Query | None, sources: Sources) -> list[Query]:
    """The queries a query stands for: a source may split one whose list is longer than it shows."""
    if query is None:
        return []
    source = sources[query.source]
    slices = getattr(source, "slices", lambda params: (params,))(query.params)
    keyed = [(params, query_key(source.name, params, source.param_rules)) for params in slices]
    return [replace(query, params=params, key=key) for params, key in keyed]


def _query(
    reading: Reading, raw: Mapping[str, Any], path: Path, watch: str, kind: Kind | None, sources: Sources
) -> Query | None:
    values = reading.table(_without_the_watch_s(reading, raw, path), QUERY, path)
    _check_rule(reading, values, path)
    params = _plain(values["params"] or {})
    source = _source(reading, values["source"], (*path, "source"), kind, sources)
    if source is None:
        return None
    _check_params(reading, source, params, (*path, "params"))
    return Query(
        watch=watch,
        source=source.name,
        params=params,
        bounds=_bounds(values, kind),
        key=query_key(source.name, params, source.param_rules),
        topic=values["topic"] or None,
        rule=values["rule"],
    )


def _bounds(values: Mapping[str, Any], kind: Kind | None) -> Bounds:
    window_days = values["window_days"]
    if window_days is None and kind == "article":
        window_days = ARTICLE_WINDOW_DAYS
    return Bounds(
        limit=values["limit"],
        cutoff_date=values["cutoff_date"],
        window_days=window_days or None,
        lookback_days=values["lookback_days"],
        max_pages=values["max_pages"],
        max_items=values["max_items"],
    )


def _source(reading: Reading, name: str | None, path: Path, kind: Kind | None, sources: Sources) -> Source | None:
    if name is None:
        return None
    source = sources.get(name)
    if source is None:
        known = ", ".join(f'"{other}"' for other in sorted(sources))
        reading.complain(path, f'there is no source "{name}"', f"{did_you_mean(name, sources)} Known are {known}")
    elif kind and source.kind != kind and not getattr(source, "takes_any_kind", False):
        remedy = f'Use a source of kind "{kind}", or put the query into a watch of kind "{source.kind}"'
        reading.complain(path, f'"{name}" is a source of kind "{source.kind}", the watch is "{kind}"', remedy)
    return source


def _check_rule(reading: Reading, values: Mapping[str, Any], path: Path) -> None:
    needs = RULE_NEEDS.get(values["rule"] or "", ())
    if needs and all(values[name] is None for name in needs):
        remedy = f"Add {' or '.join(needs)} to the query"
        reading.complain((*path, "rule"), f'the rule "{values["rule"]}" lacks its bound', remedy)


def _check_prices(reading: Reading, raw: Any, path: Path, currency: str | None, sources: Sources) -> None:
    """Complain of queries that can bring a price watch no price at all."""
    for index, table in enumerate(raw if isinstance(raw, list) else ()):
        name, params = (table.get("source"), table.get("params")) if isinstance(table, Mapping) else (None, None)
        source = sources.get(name) if isinstance(name, str) else None
        if not getattr(source, "tells_prices", True):
            reading.complain((*path, index, "source"), f'"{name}" tells no prices', NO_PRICES_REMEDY)
        check = getattr(source, "check_prices", None)
        if source is not None and check is not None and isinstance(params, Mapping):
            _complain_of(reading, source, params, (*path, index, "params"), check(params, currency))


def _check_params(reading: Reading, source: Source, params: Mapping[str, Any], path: Path) -> None:
    _complain_of(reading, source, params, path, source.check(params))


def _complain_of(
    reading: Reading, source: Source, params: Mapping[str, Any], path: Path, sentences: tuple[str, ...]
) -> None:
    for sentence in sentences:
        named = next((name for name in _QUOTED.findall(sentence) if name in params), None)
        problem, _, remedy = sentence.rstrip(".").partition(": ")
        at = path if named is None else (*path, named)
        reading.complain(at, problem, remedy[:1].upper() + remedy[1:] or f"See docs/sources/{source.name}.md")


def _plain(value: Any) -> Any:
    """The parameters as JSON can hold them: dates become the text the user wrote."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, (date, time)) else value
