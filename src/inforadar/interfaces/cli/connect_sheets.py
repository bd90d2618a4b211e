"""`radar connect sheets`: try a service account on a spreadsheet, and tell or write the lines that name both."""

import re
import stat
from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from pathlib import Path
from typing import Any

import click

from inforadar.bootstrap import App
from inforadar.config import Config, SheetsSettings
from inforadar.domain.errors import ConfigError
from inforadar.domain.schedule import DailyWindow
from inforadar.interfaces.cli.connect_lines import config_so_far, show_lines, toml_lines, toml_text, write_lines
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.session import Session
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret

GOOGLE_SHEETS = "https://sheets.googleapis.com"
NIGHT = DailyWindow(start=time(3), end=time(6), zone="Europe/Madrid")
LARGEST_KEY = 64 * 1024
OTHERS = stat.S_IRWXG | stat.S_IRWXO
_ID_IN_ADDRESS = re.compile(r"/spreadsheets/d/([A-Za-z0-9_-]{1,200})")
_ID = re.compile(r"[A-Za-z0-9_-]{20,200}")
NO_ID = """This is neither the address nor the id of a spreadsheet. Open it in the browser and copy the address:
  radar connect sheets key.json 'https://docs.google.com/spreadsheets/d/1AbC.../edit'"""


@click.command(
    "sheets",
    short_help="Try a service account on your Google spreadsheet.",
    help="""Try a service account on your Google spreadsheet, and say with whom it must be shared.
    Nothing is written there.

    KEY_FILE is the JSON key of the service account, SPREADSHEET the address of the spreadsheet or its id.

    \b
    Examples:
      radar connect sheets key.json 'https://docs.google.com/spreadsheets/d/1AbC.../edit'
      radar connect sheets key.json 1AbC... --write
    """,
)
@click.argument("key_file", type=click.Path(path_type=Path))
@click.argument("spreadsheet")
@click.option("--write", "writes", is_flag=True, help="Write the lines into the configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def sheets_command(session: Session, key_file: Path, spreadsheet: str, writes: bool, as_json: bool) -> None:
    """Read the key, open the spreadsheet, tell the lines."""
    config = config_so_far(session)
    key, spreadsheet_id = Secret(_text_of(key_file)), _id_of(spreadsheet)
    is_private = not key_file.stat().st_mode & OTHERS
    if not is_private:
        say(f"Others can read {key_file}, and whoever has it can write to your spreadsheet. Close it:")
        say(f"  chmod 600 {key_file}")
    with session.looking(_with_sheets(config, key, spreadsheet_id)) as app:
        found = _tried(app)
    settings = _settings(config, key, key_file, spreadsheet_id)
    found |= {"is_private": is_private, "toml": toml_lines("sheets", settings)}
    if not as_json:
        show_lines(config, "sheets", settings, writes=writes)
    found["is_written"] = writes and write_lines(config, "sheets", settings)
    if as_json:
        print_json(found)
        return
    say('A watch with deliver = ["sheets"] is written there at night; at once by: radar sheets sync --now')


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_KEY).decode("utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror}). It is the JSON key of a service account: docs/sheets.md tells "
            "how to create one."
        ) from error


def _id_of(text: str) -> str:
    found = _ID_IN_ADDRESS.search(text)
    if found:
        return found[1]
    if not _ID.fullmatch(text):
        raise ConfigError(NO_ID)
    return text


def _with_sheets(config: Config, key: Secret, spreadsheet_id: str) -> Config:
    known = config.sheets or SheetsSettings(base_url=GOOGLE_SHEETS, spreadsheet_id="", window=NIGHT)
    return replace(config, sheets=replace(known, credentials=key, spreadsheet_id=spreadsheet_id))


def _tried(app: App) -> dict[str, Any]:
    """Who the account is, and what it finds in the spreadsheet; raises SourceError with the remedy."""
    api = app.sheets_api()
    email = api.account.email
    say(f"The service account is {email}: share the spreadsheet with it, as an editor.")
    tabs = [printable(tab.title) for tab in api.tabs()]
    say(f"The spreadsheet can be opened. Its tabs: {', '.join(tabs)}.")
    return {"service_account": email, "spreadsheet_id": api.spreadsheet_id, "tabs": tabs}


def _settings(config: Config, key: Secret, key_file: Path, spreadsheet_id: str) -> Mapping[str, str]:
    """The lines of [sheets]; credentials that are named already, in whatever way, stay as they are."""
    known = config.sheets.credentials if config.sheets else None
    is_named = known is not None and known.reveal().strip() == key.reveal().strip()
    credentials = {} if is_named else {"credentials": f"{{ file = {toml_text(key_file.resolve())} }}"}
    return {"spreadsheet_id": toml_text(spreadsheet_id), **credentials}
