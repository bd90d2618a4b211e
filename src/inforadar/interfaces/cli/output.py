"""How commands speak: data on stdout, everything else on stderr, nothing from outside unwashed."""

import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import click
import msgspec

from inforadar.interfaces.harmless import harmless_json
from inforadar.observe.printable import printable


class ReaderGone(Exception):
    """Whoever read our output has closed it, as `head` does."""


def show(line: str) -> None:
    """One line of data on stdout; texts from outside must have been washed."""
    _put(line, is_data=True)


def print_json(value: Any) -> None:
    """One JSON value on stdout, indented."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    show(harmless_json(text))


def print_bytes(chunks: Iterable[bytes]) -> None:
    """Data on stdout as it is, whatever the encoding of the terminal."""
    try:
        sys.stdout.flush()
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error


def say(line: str) -> None:
    """One line on stderr that is not data."""
    _put(printable(line, keep="\n"), is_data=False)


def log_line(sentence: str, at: datetime) -> str:
    """A sentence as a line of a log in JSON."""
    told_at = at.astimezone(UTC).isoformat(timespec="milliseconds")
    washed = printable(sentence, keep="\n")  # before it is JSON, of which an escape sequence would take a part with it
    return msgspec.json.encode({"room": "cli", "event": washed, "level": "info", "at": told_at}).decode()


def complain(sentence: str) -> None:
    """One sentence on stderr about what went wrong."""
    _put(click.style("radar: ", fg="red", bold=True) + printable(sentence, keep="\n"), is_data=False)


def may_colour() -> bool:
    """Whether the user lets us colour what goes to a terminal."""
    return not os.environ.get("NO_COLOR")


def write_aside(text: str) -> None:
    """Write to stderr as it is now; a reader that has gone (`2>&1 | head`) is no reason to stop a sweep."""
    try:
        sys.stderr.write(text)
        # bars hold half a line back until it is whole; flushed before that, it would come out without its colours
        if text.endswith("\n"):
            sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _put(line: str, *, is_data: bool) -> None:
    """Write to whatever the stream is now: while bars are shown, they put a line on stderr above themselves."""
    stream = sys.stdout if is_data else sys.stderr
    is_styled = stream.isatty() and may_colour()
    text = (line if is_styled else click.unstyle(line)) + "\n"
    if not is_data:
        write_aside(text)
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error
