"""`radar watch`: the watches of the configuration, one by one."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from inforadar.config.editing import change_file
from inforadar.config.watch_editing import watch_line, watch_names, with_pause, without_watch
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import Watch
from inforadar.interfaces.cli.asking import confirmed, is_terminal
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.list_first import ListFirst
from inforadar.interfaces.cli.output import complain, print_json, say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.cli.written_config import WrittenConfig, shown_path
from inforadar.store import watched

HEADERS = ("WATCH", "KIND", "STATE", "SOURCES", "MATCHES", "BAN WORDS", "SENT TO")
COLOURS = {"active": "green", "paused": "yellow"}
TAKES_A_LINE = frozenset(
    ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg")
)
ONLY_ONE = "{name!r} is the only watch; a configuration without any is no use. To let it rest: radar watch pause {name}"


@click.group(
    "watch",
    cls=ListFirst,
    help="""Your watches: list, edit, pause, resume, remove. `radar add` makes new ones.

    \b
    Examples:
      radar watch
      radar watch pause python-madrid
    """,
)
def command() -> None:
    """Without a subcommand: the list."""


@command.command(
    "list",
    short_help="All watches with what they ask and found.",
    help="""All watches: what they ask, whether they are paused, how many matches they have.

    \b
    Examples:
      radar watch list
      radar watch list --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_command(session: Session, as_json: bool) -> None:
    """One line for each watch."""
    with session.app() as app, app.database.reading() as tx:
        counts, watches = watched.counts(tx), app.config.watches
    found = {watch.name: counts.get(watch.name, 0) for watch in watches}
    if as_json:
        print_json([_json(watch, found[watch.name]) for watch in watches])
        return
    rows = [_row(watch, found[watch.name]) for watch in watches]
    print_table(HEADERS, rows, flexible=(0, 3, 6), spare=(6, 5), colours=COLOURS)


@command.command(
    "edit",
    short_help="Open your editor at a watch, and check what was written.",
    help="""Open $VISUAL or $EDITOR on radar.toml at this watch; what was written is checked when it closes.

    \b
    Example:
      radar watch edit python-madrid
    """,
)
@click.argument("name", metavar="NAME")
@click.pass_obj
def edit_command(session: Session, name: str) -> None:
    """Edit until the file is in order, or the user gives up."""
    written = WrittenConfig.existing(session)
    require_known([name], written.watch_names, "watch")
    line = watch_line(written.text, watch_names(written.text).index(name)) or 1
    while True:
        _edit(written.path, line)
        try:
            changed = WrittenConfig.existing(session)
        except ConfigError as error:
            if not is_terminal():
                raise
            complain(str(error))
            if not confirmed("Open it again?", default=True):
                raise
            line = next((one.line for one in error.mistakes if one.line), line)
        else:
            tell(f"{shown_path(written.path)} is in order." if changed.text != written.text else "Nothing was changed.")
            return


@command.command(
    "pause",
    short_help="Ask nothing for this watch until it is resumed.",
    help="""Ask nothing for this watch until it is resumed; what was found stays and is worked on.

    \b
    Example:
      radar watch pause python-madrid
    """,
)
@click.argument("name", metavar="NAME")
@click.pass_obj
def pause_command(session: Session, name: str) -> None:
    """Write `paused = true`."""
    _set_paused(session, name, is_paused=True)


@command.command(
    "resume",
    short_help="Go on with a paused watch.",
    help="""Go on with a paused watch: the next fetch collects what came meanwhile.

    \b
    Example:
      radar watch resume python-madrid
    """,
)
@click.argument("name", metavar="NAME")
@click.pass_obj
def resume_command(session: Session, name: str) -> None:
    """Take `paused = true` out."""
    _set_paused(session, name, is_paused=False)


@command.command(
    "remove",
    short_help="Take a watch out of the configuration; what it found stays.",
    help="""Take a watch out of radar.toml. What it found stays in the database, and so does what you decided on it.

    \b
    Example:
      radar watch remove python-madrid --yes
    """,
)
@click.argument("name", metavar="NAME")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove_command(session: Session, name: str, is_sure: bool) -> None:
    """Ask, then cut its lines out."""
    written = WrittenConfig.existing(session)
    require_known([name], written.watch_names, "watch")
    if len(written.watch_names) == 1:
        raise ConfigError(ONLY_ONE.format(name=name))
    if not is_sure and not is_terminal():
        raise ConfigError("Nothing was removed: there is no terminal to ask in. Add --yes.")
    if not is_sure and not confirmed(f'Remove "{name}" from {shown_path(written.path)}?', default=False):
        say("Nothing was removed.")
        return
    change_file(written.path, lambda text: without_watch(text, watch_names(text).index(name)), written.parse)
    tell(f"Removed {name!r} from {shown_path(written.path)}. What it found is still there: radar items --watch {name}")
    _tell_running()


def _set_paused(session: Session, name: str, *, is_paused: bool) -> None:
    written = WrittenConfig.existing(session)
    require_known([name], written.watch_names, "watch")
    config = written.parse(written.text)
    if next(watch.paused for watch in config.watches if watch.name == name) == is_paused:
        say(f"{name!r} is {'paused' if is_paused else 'not paused'} already.")
        return
    change_file(
        written.path,
        lambda text: with_pause(text, watch_names(text).index(name), is_paused=is_paused),
        written.parse,
    )
    tell(
        f"Paused {name!r}. To go on: radar watch resume {name}"
        if is_paused
        else f"{name!r} goes on. Next: radar fetch {name}"
    )
    _tell_running()


def _tell_running() -> None:
    say("A `radar run` that is under way reads it by itself.")


def _edit(path: Path, line: int) -> None:
    """Let the user edit; raises ConfigError where there is no editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor and not is_terminal():
        raise ConfigError("There is no terminal to edit in, and neither VISUAL nor EDITOR is set.")
    words = shlex.split(editor or "vi")
    place = [f"+{line}"] if Path(words[0]).name in TAKES_A_LINE else []
    sys.stdout.flush()
    try:
        subprocess.run([*words, *place, str(path)], check=True)
    except OSError as error:
        raise ConfigError(f"The editor {words[0]!r} cannot be started. Set EDITOR to another one.") from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"The editor {words[0]!r} ended with an error; the file is as it left it.") from error


def _row(watch: Watch, found: int) -> list[str]:
    sources = dict.fromkeys(query.source for query in watch.queries)
    return [
        watch.name,
        watch.kind,
        "paused" if watch.paused else "active",
        f"{', '.join(sources)} ({counted(len(watch.queries), 'query', 'queries')})",
        str(found),
        str(len(watch.ban_words)),
        ", ".join(watch.deliver) or "nobody",
    ]


def _json(watch: Watch, found: int) -> dict[str, Any]:
    return {
        "name": watch.name,
        "kind": watch.kind,
        "paused": watch.paused,
        "profile": watch.profile,
        "ban_words": watch.ban_words,
        "max_experience_years": watch.max_experience_years,
        "min_score": watch.min_score,
        "deliver": watch.deliver,
        "first_run": watch.first_run,
        "matches": found,
        "queries": [{"source": one.source, "params": one.params, "query_key": one.key} for one in watch.queries],
    }
