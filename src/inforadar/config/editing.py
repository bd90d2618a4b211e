"""Changes one setting in a configuration file and nothing else: comments, order and line ends stay."""

import fcntl
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inforadar.config.changes_told import change_in_words
from inforadar.config.lines import key_lines
from inforadar.domain.errors import ConfigError

MARK = "\ufeff"

_VALUE = re.compile(
    r"(?P<key>[^=]*=[ \t]*)(?P<value>\"[^\"\\]*\"|'[^']*'|\[[^\]\"'#]*\]|[^\s#\"'\[{]+)(?P<rest>[ \t]*(?:#.*)?)"
)


def with_setting(text: str, table: str, name: str, value: str) -> str | None:
    """The text with `name = value` in a top-level table, replaced or added; None where that is not safely done."""
    before = tomllib.loads(text)
    stored = before.get(table, {})
    if not isinstance(stored, dict):
        return None
    changed = _changed(text, table, name, value)
    wanted = {**before, table: {**stored, name: tomllib.loads(f"it = {value}")["it"]}}
    return changed if changed is not None and _reads_as(changed, wanted) else None


def write_settings(path: Path, table: str, settings: Mapping[str, str], keep: Collection[str] = ()) -> None:
    """Set these values, as TOML writes them, in a top-level table of a file; all or none.

    Names in `keep` are left alone where the file sets them. Of several at once each changes what the last one wrote.
    Raises ConfigError.
    """
    with _alone_with(path):
        text = _text_of(path)
        stored = tomllib.loads(text.removeprefix(MARK)).get(table, {})
        open_ones = [pair for pair in settings.items() if pair[0] not in keep or pair[0] not in stored]
        for name, value in reversed(open_ones):
            changed = with_setting(text.removeprefix(MARK), table, name, value)
            if changed is None:
                raise ConfigError(
                    f"{path} writes [{table}] in a way that is not changed by a program. Write it yourself."
                )
            text = MARK + changed if text.startswith(MARK) else changed
        _replace_file(path, text)


def change_file(path: Path, change: Callable[[str], str | None], check: Callable[[str], object]) -> None:
    """Put a changed text in a file's place, or nothing: `check` raises where the new text is no configuration.

    Raises ConfigError where `change` finds no safe way (None). Of several at once each changes what the last one wrote.
    """
    with _alone_with(path):
        text = _text_of(path)
        changed = change(text.removeprefix(MARK))
        if changed is None:
            raise ConfigError(f"{path} is written in a way that is not changed by a program. Change it yourself.")
        check(changed)
        by_hand = f"Change it yourself:\n{change_in_words(text.removeprefix(MARK), changed)}"
        _replace_file(path, MARK + changed if text.startswith(MARK) else changed, by_hand)


def create_file(path: Path, text: str) -> None:
    """Write a configuration that is not there yet, readable by its owner alone; raises ConfigError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ConfigError(f"{path} is there already. Edit it, or name another file: radar init OTHER.toml") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}). Name a file in a folder of yours.") from error
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Wait for others that change this file; each puts a new one in its place, so the lock may be on an old one."""
    try:
        while True:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    yield
                    return
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}).") from error


def _replace_file(path: Path, text: str, by_hand: str = "Paste the lines yourself.") -> None:
    """Put a text in place of a file's at once or not at all, with the same permissions; `by_hand`: what else to do."""
    target = path.resolve()
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
        descriptor, written = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                os.fchmod(file.fileno(), mode)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, target)
        except BaseException:
            Path(written).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}). {by_hand}") from error


def _text_of(path: Path) -> str:
    """The text with its line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read. Paste the lines yourself.") from error


def _changed(text: str, table: str, name: str, value: str) -> str | None:
    places = key_lines(text)
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    if (table, name) in places:
        at = places[table, name] - 1
        found = _VALUE.fullmatch(lines[at].rstrip("\r\n"))
        if found is None:
            return None
        ending = lines[at][len(lines[at].rstrip("\r\n")) :]
        lines[at] = f"{found['key']}{value}{found['rest']}{ending}"
    elif (table,) in places:
        at = places[table,] - 1
        lines[at] = lines[at].rstrip("\r\n") + end
        lines.insert(at + 1, f"{name} = {value}{end}")
    else:
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else end if text.endswith("\n") else end * 2
        lines.append(f"{gap}[{table}]{end}{name} = {value}{end}")
    return "".join(lines)


def _reads_as(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False
