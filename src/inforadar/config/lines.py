"""Where each key of a TOML text stands: the parser of the standard library does not tell."""

import re
from bisect import bisect_right
from collections.abc import Mapping

Path = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[^,\]}\n#]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_SHORT_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of a key, or of the nearest table around it that is written down."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table, key, array entry and inline key; `text` must be valid TOML."""
    return _Scanner(text).scan()


class _Scanner:
    """Walks a text once, remembering where it is and which table it is in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._lines: dict[Path, int] = {}
        self._entries: dict[Path, int] = {}

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip(_GAP) < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _note(self, path: Path) -> None:
        self._lines.setdefault(path, bisect_right(self._starts, self._at))

    def _header(self) -> Path:
        is_entry = self._text.startswith("[[", self._at)
        self._at += 2 if is_entry else 1
        *parents, last = self._key()
        path: Path = ()
        for part in parents:
            path = self._inside((*path, part))
        path = (*path, last)
        self._note(path)
        if is_entry:
            self._entries[path] = self._entries.get(path, -1) + 1
        path = self._inside(path)
        self._note(path)
        self._at += 2 if is_entry else 1
        return path

    def _inside(self, path: Path) -> Path:
        """The last entry of an array of tables, or the table itself."""
        return (*path, self._entries[path]) if path in self._entries else path

    def _pair(self, table: Path) -> None:
        self._skip(_SPACE)
        path = table
        begin = self._at
        for part in self._key():
            path = (*path, part)
            self._lines.setdefault(path, bisect_right(self._starts, begin))
        self._at += 1
        self._value(path)

    def _key(self) -> list[str]:
        """A key up to the sign after it: bare, quoted or dotted."""
        parts = []
        while True:
            self._skip(_SPACE)
            begin = self._at
            quote = self._text[begin]
            self._skip(_STRING if quote in "\"'" else _BARE)
            written = self._text[begin : self._at]
            parts.append(_unquoted(written) if quote in "\"'" else written)
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return parts
            self._at += 1

    def _value(self, path: Path) -> None:
        self._skip(_SPACE)
        opening = self._text[self._at : self._at + 1]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline(path)
        elif opening in ('"', "'"):
            self._skip(_STRING)
        else:
            self._skip(_PLAIN)

    def _array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip(_GAP)] != "]":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._note((*path, index))
            self._value((*path, index))
            index += 1
        self._at += 1

    def _inline(self, path: Path) -> None:
        self._at += 1
        while self._text[self._skip(_GAP)] != "}":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._pair(path)
        self._at += 1


def _unquoted(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    return _ESCAPE.sub(lambda found: _escaped(found[1]), written[1:-1])


def _escaped(code: str) -> str:
    return chr(int(code[1:], 16)) if code[0] in "uU" and len(code) > 1 else _SHORT_ESCAPES.get(code, code)
