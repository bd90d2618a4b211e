"""`radar log`: the latest lines of the log file, and what comes."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import click

from inforadar.domain.errors import ConfigError, RadarError
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.observe.printable import printable

LOOK_S = 0.3
NO_FILE = """There is no log file: everything is logged to stderr. To keep it as well, write this into radar.toml:
  [log]
  file = "radar.log\""""


@click.command(
    "log",
    help="""The latest lines of the log file that `[log] file` names; -f goes on with what comes, until Ctrl-C.

    \b
    Examples:
      radar log
      radar log -f
      radar log --lines 200
    """,
)
@click.option("-f", "--follow", "follows", is_flag=True, help="Go on with what comes.")
@click.option("--lines", "number", type=WHOLE, default=20, metavar="N", help="Begin so many lines before the end; 20.")
@click.pass_obj
def command(session: Session, follows: bool, number: int) -> None:
    """Print lines as they are, washed."""
    path = session.config().log.file
    if path is None:
        raise ConfigError(NO_FILE)
    if not path.exists() and not follows:
        raise RadarError(f"{path} is not there yet: the next command writes it.")
    with suppress(KeyboardInterrupt):  # that is how following ends
        for line in lines_of(path, number, follows=follows, wait=threading.Event().wait):
            show(printable(line))


def lines_of(path: Path, number: int, *, follows: bool, wait: Callable[[float], bool]) -> Iterator[str]:
    """The last lines of a file and, if it is followed, what is written from then on; also in the file that comes
    after it when it is put aside. `wait` says True when that is enough."""
    file = _opened(path)
    if file is not None:
        yield from (line.decode("utf-8", "replace").rstrip("\n") for line in deque(file, maxlen=number))
    try:
        while follows:
            if file is not None:
                yield from _whole_lines(file)
            if file is None or not _is_same(file, path):
                rest = list(_whole_lines(file)) if file else []
                yield from rest
                newer = _opened(path)
                if newer is not None:
                    file = _exchanged(file, newer)
                    continue
            if wait(LOOK_S):
                return
    finally:
        if file is not None:
            file.close()


def _whole_lines(file: BinaryIO) -> Iterator[str]:
    """Lines up to the last whole one; half a line is read again."""
    while line := file.readline():
        if not line.endswith(b"\n"):
            file.seek(-len(line), 1)
            return
        yield line.decode("utf-8", "replace").rstrip("\n")


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RadarError(f"{path} cannot be read ({error.strerror}).") from error


def _is_same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _exchanged(old: BinaryIO | None, new: BinaryIO) -> BinaryIO:
    if old is not None:
        old.close()
    return new
