"""`radar paths`: which files this radar uses, and whether they are there."""

import os
from pathlib import Path
from typing import Any

import click

from inforadar.bootstrap import AUTHORIZED, read_config
from inforadar.config import Config, find_config
from inforadar.config.loading import FILE_NAME
from inforadar.config.store_url import SQLITE, beside_store
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table
from inforadar.observe.secrets import Secrets

HEADERS = ("WHAT", "STATE", "WHERE")


@click.command(
    "paths",
    help="""Where the configuration, the database, the cache, the log and kept tokens are.

    \b
    Examples:
      radar paths
      radar paths --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(session: Session, as_json: bool) -> None:
    """One line for each place."""
    found = find_config(session.config_path, os.environ, Path.cwd())
    places = [_place("config", found or Path.cwd() / FILE_NAME)]
    if found is not None and found.exists():
        places += _places(read_config(session.config_path))
    if as_json:
        print_json(places)
        return
    rows = [[one["what"], one["state"], one["where"]] for one in places]
    print_table(HEADERS, rows)


def _places(config: Config) -> list[dict[str, Any]]:
    folder = config.path.resolve().parent if config.path else Path.cwd()
    is_file = config.store.url.startswith(SQLITE)
    secrets = Secrets(config.secrets())
    store = (
        _place("database", Path(config.store.url.removeprefix(SQLITE)))
        if is_file
        else {"what": "database", "where": secrets.scrub(config.store.shown_url), "state": "server"}
    )
    tokens = [
        _place(f"{name} token", beside_store(config.store.url, folder, f"{name}-token.json")) for name in AUTHORIZED
    ]
    log = _place("log", config.log.file) if config.log.file else {"what": "log", "where": "", "state": "not set"}
    return [store, _place("cache", Path(config.cache.path)), log, *tokens]


def _place(what: str, path: Path) -> dict[str, Any]:
    return {"what": what, "where": str(path), "state": "there" if path.exists() else "not yet"}
