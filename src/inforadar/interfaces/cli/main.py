"""The table of commands, and how a call of one ends: with an exit code and, if it went wrong, one sentence.

Exit codes: 0 well, 1 failed, 2 usage or configuration, 3 partly, 130 interrupted.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import click

# The one place where a command is registered: its module has its name and holds `command`.
COMMANDS = {
    "init": "write a commented radar.toml to start from",
    "add": "a query from the address of a search page, looked at first",
    "watch": "list, edit, pause, resume or remove watches",
    "ban": "try a ban word on what is stored, then add it",
    "fetch": "one sweep of each chosen query now",
    "run": "scheduler and worker in one process: the normal way to run it",
    "serve": "the web page and REST API alone; `radar run` has them too",
    "work": "a worker; any number of them on one PostgreSQL",
    "jobs": "look at the queue, and mend it by hand",
    "runs": "the latest sweeps: what each brought, why it stopped, what it noted",
    "items": "list what was found",
    "show": "everything known of one match",
    "why": "the whole story of one listing, also of one that was never collected",
    "prices": "what the listings of a price watch are worth together",
    "companies": "who offers what was found, and how much of it",
    "mark": "decide on matches: applied, not-interested, later",
    "undo": "take back a decision",
    "status": "queries, coverage, sources and jobs at a glance",
    "doctor": "what is wrong, each with the command that mends it",
    "sources": "every source: what it needs, what it caps, how it answers",
    "paths": "where the configuration, the database and the log are",
    "log": "the latest lines of the log file, and what comes",
    "export": "matches as CSV, JSON or a feed",
    "fulltext": "get the full text of articles that have none yet",
    "connect": "connect Telegram, Google Sheets or Ollama, and try it",
    "sheets": "bring your Google spreadsheet up to date now, or look whether it can be",
    "db": "upgrade, back up or check the database",
    "sim": "a local internet to try things on",
    "demo": "the whole product on the local internet",
    "completion": "the script that completes commands in your shell",
}

INTERRUPTED = 130

# click's words that only a programmer reads
PLAIN_WORDS = {
    "is not a valid integer range": "is not a whole number",
    "is not a valid integer": "is not a whole number",
    "is not a valid float range": "is not a number",
    "is not a valid float": "is not a number",
}

EXAMPLES = """\b
Examples:
  radar demo                      see it work, offline
  radar add "https://..."         begin with the address of a search page or a feed
  radar init                      write ./radar.toml, then edit it
  radar fetch                     collect everything new
  radar fetch python-madrid --limit 20
  radar items --status QUEUED --json
"""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Load the module of a command."""
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"inforadar.interfaces.cli.{name}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table as it stands, without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; a misspelt one gets a suggestion."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " See `radar --help`."
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    help=f"Info Radar: every new item of your saved searches exactly once, none lost.\n\n{EXAMPLES}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--config", metavar="FILE", help="Configuration; else RADAR_CONFIG, ./radar.toml, the XDG place.")
@click.option("-v", "--verbose", is_flag=True, help="Log every request and decision (on stderr).")
@click.option("-q", "--quiet", is_flag=True, help="Log warnings only; so it is on a terminal anyway.")
@click.option("--log-json", is_flag=True, help="Log as JSON lines.")
@click.version_option(package_name="inforadar", prog_name="radar")
@click.pass_context
def root(ctx: click.Context, config: str | None, verbose: bool, quiet: bool, log_json: bool) -> None:
    """Common options; without a command: where things stand, or how to begin."""
    from inforadar.interfaces.cli.session import Session

    level = "DEBUG" if verbose else "WARNING" if quiet else None
    ctx.obj = Session(config_path=config, log_level=level, is_log_json=log_json)
    if ctx.invoked_subcommand is None:
        _where_things_stand(ctx)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code."""
    _open_closed_streams()
    _allow_any_letter()
    try:
        result = root.main(args=list(arguments), prog_name="radar", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.Abort:
        return _interrupted()
    except click.ClickException as error:
        _put_in_plain_words(error)
        error.show()
        _hint(error)
        return error.exit_code
    except Exception as error:
        return _failed(error)


def _put_in_plain_words(error: click.ClickException) -> None:
    for words, plain in PLAIN_WORDS.items():
        error.message = error.message.replace(words, plain)  # type: ignore[misc]  # nobody else holds it


def _open_closed_streams() -> None:
    """A stream that was closed before we started is one that nobody reads; its number must not go to a socket."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 - open until the end


def _allow_any_letter() -> None:
    """A letter that the terminal's encoding lacks is shown as its code, instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _where_things_stand(ctx: click.Context) -> None:
    from inforadar.bootstrap import NO_CONFIG, has_config
    from inforadar.interfaces.cli.terminals import is_at_a_terminal

    if has_config(ctx.obj.config_path) and is_at_a_terminal():
        importlib.import_module("inforadar.interfaces.tui.program").open_program(ctx.obj)
    elif has_config(ctx.obj.config_path):
        ctx.invoke(importlib.import_module("inforadar.interfaces.cli.status").command)
    else:
        click.echo(NO_CONFIG)


def _interrupted() -> int:
    from inforadar.interfaces.cli.output import complain

    complain("interrupted. What was saved stays, and the next run goes on from there.")
    return INTERRUPTED


def _hint(error: click.ClickException) -> None:
    """Help whoever wrote a common option behind the command."""
    if isinstance(error, click.NoSuchOption) and any(error.option_name in option.opts for option in root.params):
        click.echo(f"{error.option_name} goes before the command: radar {error.option_name} ...", err=True)


def _failed(error: Exception) -> int:
    from inforadar.domain.errors import RadarError
    from inforadar.interfaces.cli.output import ReaderGone, complain
    from inforadar.interfaces.cli.table import wrapped

    if isinstance(error, ReaderGone):
        # what is still in the buffer of stdout must not fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if not isinstance(error, RadarError):
        raise error
    complain("\n".join(line for part in str(error).split("\n") for line in wrapped(part, len("radar: "))))
    return error.exit_code
