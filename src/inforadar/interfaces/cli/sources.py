"""`radar sources`: every source there is, what it needs, what it caps, how it has answered."""

from typing import Any

import click

from inforadar.bootstrap import has_config, known_sources, plugins
from inforadar.config import SourceSettings
from inforadar.domain.ports import Source
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import ago
from inforadar.interfaces.standing import Standing, read_standing
from inforadar.interfaces.standing_shape import source_json

HEADERS = ("SOURCE", "KIND", "NEEDS", "SHOWS", "STATE", "LAST SUCCESS", "A MINUTE")
COLOURS = {
    "ok": "green",
    "broken": "red",
    "failing": "red",
    "refused": "red",
    "disabled": "yellow",
    "paused": "yellow",
    "partly failing": "yellow",
    "to be tried": "yellow",
}
IN_PRACTICE = {"hh": ("token",)}
"""What a source does not ask for by itself, but answers hardly anybody without."""


@click.command(
    "sources",
    help="""Every source: what it needs, how much of a list it shows, how it has answered.

    \b
    Examples:
      radar sources
      radar sources --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(session: Session, as_json: bool) -> None:
    """One line for each source; without a configuration too."""
    standing: Standing | None = None
    settings: dict[str, SourceSettings] = {}
    if has_config(session.config_path):
        with session.app() as app:
            standing, settings = read_standing(app), dict(app.config.sources)
    told = [_told(source, settings.get(name), standing) for name, source in known_sources().items()]
    for plugin in plugins():
        if plugin.flaw:
            tell(plugin.flaw)
    if as_json:
        print_json(told)
        return
    rows = [_row(one, standing) for one in told]
    print_table(HEADERS, rows, flexible=(3, 2), spare=(6, 1, 5), colours=COLOURS)
    tell("What a source takes and caps: docs/sources/NAME.md. To add one: radar add --help")


def missing_in_practice(source: str, settings: SourceSettings) -> tuple[str, ...]:
    """What a source answers hardly anybody without and the user has not set."""
    return tuple(need for need in IN_PRACTICE.get(source, ()) if getattr(settings, need) is None)


def _told(source: Source, settings: SourceSettings | None, standing: Standing | None) -> dict[str, Any]:
    """One source for programs; how it has answered is None where that is not known."""
    needs = getattr(source, "needs", ()) or IN_PRACTICE.get(source.name, ())
    found = next((one for one in standing.sources if one.name == source.name), None) if standing else None
    health = source_json(found, standing.now) if found and standing else {}
    plugin = next((one for one in plugins() if one.name == source.name and one.is_known), None)
    return {
        "name": source.name,
        "kind": "any" if getattr(source, "takes_any_kind", False) else source.kind,
        "needs": list(needs),
        "missing": [need for need in needs if settings is None or getattr(settings, need) is None],
        "is_needed_in_practice_only": source.name in IN_PRACTICE,
        "depth": source.paging.depth,
        "filters_by_date": source.paging.filters_by_date,
        "is_whole_list": source.paging.absence_closes,
        "rate_limit_per_minute": settings.rate_limit_per_minute if settings else source.default_rate_limit_per_minute,
        "docs": None if plugin else f"docs/sources/{source.name}.md",
        "package": plugin.package if plugin else None,
        "flaw": plugin.flaw if plugin else None,
        "queries": health.get("queries", 0),
        "state": health.get("state", "not used"),
        "last_success_at": health.get("last_success_at"),
        "last_error": health.get("last_error"),
    }


def _row(one: dict[str, Any], standing: Standing | None) -> list[str]:
    found = next((known for known in standing.sources if known.name == one["name"]), None) if standing else None
    return [
        one["name"],
        one["kind"],
        _needs(one),
        _shows(one),
        "broken" if one["flaw"] else one["state"],
        ago(found.last_success_at, standing.now) if found and standing else "never",
        str(one["rate_limit_per_minute"]),
    ]


def _needs(one: dict[str, Any]) -> str:
    if not one["needs"]:
        return "nothing"
    needed = one["needs"][0] if len(one["needs"]) == 1 else "key pair"
    return f"{needed}: missing" if one["missing"] else f"{needed}: set"


def _shows(one: dict[str, Any]) -> str:
    if one["is_whole_list"]:
        return "whole boards"
    if one["depth"] is None:
        return "all it has"
    return f"all, by dates ({one['depth']:,} a list)" if one["filters_by_date"] else f"{one['depth']:,} a list"
