"""Changes the watches of a configuration text and nothing else: comments, order and line ends stay.

Each function gives the new text, or None where the file is written in a way that is not safely changed. A change is
given only if the new text reads as exactly the wanted values.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from inforadar.config.lines import key_lines
from inforadar.config.toml_text import toml_text

_HEADER = re.compile(r"[ \t]*\[")
_OF_A_WATCH = re.compile(r"[ \t]*(?:\[\[?[ \t]*watch[ \t]*\.|\[\[?[ \t]*\"watch\"[ \t]*\.)")
PAUSED = "paused"
_FLAG = re.compile(r"(=[ \t]*)(?:true|false)\b")
_BARE_FLAG = re.compile(r"\s*[\w\"']+\s*=\s*(?:true|false)\s*")
_EMPTY = re.compile(r"[ \t]*(?:#.*)?\r?\n?")
_TOKEN = re.compile(
    r'(?P<string>"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<comment>#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<space>\s+)|(?P<other>[^\s,\[\]{}#\"']+)",
    re.DOTALL,
)


def watch_names(text: str) -> list[str]:
    """The names of the watches of a valid text, in its order."""
    return [str(one.get("name", "")).strip() for one in _watches(tomllib.loads(text))]


def watch_line(text: str, index: int) -> int | None:
    """The line a watch begins at, counted from 1."""
    return key_lines(text).get(("watch", index))


def with_watch(text: str, watch: Mapping[str, Any]) -> str | None:
    """The text with one more watch at its end; its queries are tables of their own."""
    end = _line_end(text)
    settings = [f"{name} = {toml_text(value)}" for name, value in watch.items() if name != "query"]
    lines = ["[[watch]]", *settings]
    for query in watch.get("query", ()):
        lines += ["", *_query_lines(query, "  ")]
    gap = "" if not text else end if text.endswith("\n") else end * 2
    changed = text + gap + end.join(lines) + end

    def wanted(values: dict[str, Any]) -> None:
        values.setdefault("watch", []).append(deepcopy(dict(watch)))

    return _checked(text, changed, wanted)


def with_query(text: str, index: int, query: Mapping[str, Any]) -> str | None:
    """The text with one more query of a watch, below its others."""
    place = _block(text, index)
    if place is None:
        return None
    lines, (_, last) = _lines(text), place
    end = _line_end(text)
    lines[last - 1] = lines[last - 1].rstrip("\r\n") + end
    lines[last:last] = [end, *(line + end for line in _query_lines(query, "  "))]

    def wanted(values: dict[str, Any]) -> None:
        values["watch"][index].setdefault("query", []).append(deepcopy(dict(query)))

    return _checked(text, "".join(lines), wanted)


def with_watch_setting(text: str, index: int, name: str, value: Any) -> str | None:
    """The text with one setting of a watch: added, or where it is a flag changed."""
    place = _block(text, index)
    if place is None:
        return None
    lines, end = _lines(text), _line_end(text)
    at = key_lines(text).get(("watch", index, name))
    if at is not None:
        lines[at - 1] = _FLAG.sub(lambda found: f"{found[1]}{toml_text(value)}", lines[at - 1], count=1)
    else:
        at = (key_lines(text).get(("watch", index, "name")) or place[0]) - 1
        lines[at] = lines[at].rstrip("\r\n") + end
        lines.insert(at + 1, f"{_indent(lines[at])}{name} = {toml_text(value)}{end}")

    def wanted(values: dict[str, Any]) -> None:
        values["watch"][index][name] = value

    return _checked(text, "".join(lines), wanted)


def with_pause(text: str, index: int, *, is_paused: bool) -> str | None:
    """The text with a watch paused, or going on: its flag is taken out then, unless a comment stands beside it."""
    at = key_lines(text).get(("watch", index, PAUSED))
    lines = _lines(text)
    if is_paused or at is None or not _BARE_FLAG.fullmatch(lines[at - 1]):
        return with_watch_setting(text, index, PAUSED, is_paused)

    def wanted(values: dict[str, Any]) -> None:
        del values["watch"][index][PAUSED]

    return _checked(text, "".join(lines[: at - 1] + lines[at:]), wanted)


def with_more(text: str, index: int, name: str, entries: Sequence[str]) -> str | None:
    """The text with more entries at the end of a list of a watch; those it holds stay as they are written."""
    at = key_lines(text).get(("watch", index, name))
    if at is None:
        return with_watch_setting(text, index, name, list(entries))
    begin = sum(map(len, _lines(text)[: at - 1]))
    found = _end_of_list(text, text.index("=", begin) + 1)
    if found is None:
        return None
    written = ", ".join(map(toml_text, entries))
    place, kind = found
    added = {"value": f", {written}", "comma": f" {written},", "open": written}[kind]

    def wanted(values: dict[str, Any]) -> None:
        values["watch"][index][name] = [*values["watch"][index][name], *entries]

    return _checked(text, text[:place] + added + text[place:], wanted)


def with_list(text: str, index: int, name: str, entries: Sequence[str]) -> str | None:
    """The text with another list of a watch; what only grows is added to, and a list with comments is not rewritten."""
    stored = _watches(tomllib.loads(text))[index].get(name, [])
    if entries[: len(stored)] == stored:
        return with_more(text, index, name, entries[len(stored) :]) if len(entries) > len(stored) else text
    begin = sum(map(len, _lines(text)[: key_lines(text)[("watch", index, name)] - 1]))
    span = _span_of_list(text, text.index("=", begin) + 1)
    if span is None:
        return None

    def wanted(values: dict[str, Any]) -> None:
        values["watch"][index][name] = list(entries)

    return _checked(text, f"{text[: span[0]]}{toml_text(list(entries))}{text[span[1] :]}", wanted)


def without_watch(text: str, index: int) -> str | None:
    """The text without a watch; comments above it and above what follows stay."""
    place = _block(text, index)
    if place is None:
        return None
    lines, (first, last) = _lines(text), place
    rest = lines[last:]
    while rest and not rest[0].strip() and (first == 1 or not lines[first - 2].strip()):
        rest.pop(0)

    def wanted(values: dict[str, Any]) -> None:
        del values["watch"][index]
        if not values["watch"]:
            del values["watch"]

    return _checked(text, "".join([*lines[: first - 1], *rest]), wanted)


def _block(text: str, index: int) -> tuple[int, int] | None:
    """The first and the last line that belong to a watch, counted from 1; comments below its last key do not."""
    first = watch_line(text, index)
    lines = _lines(text)
    if first is None or not _HEADER.match(lines[first - 1]):
        return None
    starts = sorted({line for path, line in key_lines(text).items() if _HEADER.match(lines[line - 1])})
    others = [line for line in starts if line > first and not _OF_A_WATCH.match(lines[line - 1])]
    last = others[0] - 1 if others else len(lines)
    while last > first and _EMPTY.fullmatch(lines[last - 1]):
        last -= 1
    return first, last


def _query_lines(query: Mapping[str, Any], indent: str) -> list[str]:
    return [f"{indent}[[watch.query]]", *(f"{indent}{name} = {toml_text(value)}" for name, value in query.items())]


def _end_of_list(text: str, begin: int) -> tuple[int, str] | None:
    """Where the last entry of the list that begins there ends, and what stands there: a value, a comma, the bracket."""
    depth, place, kind, at = 0, begin, "", begin
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found.lastgroup in ("comment", "space"):
            continue
        depth += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
        if depth == 0:
            return (place, kind) if kind else None
        place, kind = at, _standing(found.lastgroup, depth)
    return None


def _span_of_list(text: str, begin: int) -> tuple[int, int] | None:
    """Where the list that begins there stands, None where it holds comments."""
    depth, first, at = 0, begin, begin
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found.lastgroup == "comment":
            return None
        first = found.start() if found.lastgroup == "open" and depth == 0 else first
        depth += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
        if depth == 0 and found.lastgroup == "close":
            return first, at
    return None


def _standing(token: str | None, depth: int) -> str:
    if token == "open" and depth == 1:
        return "open"
    return "comma" if token == "comma" and depth == 1 else "value"


def _lines(text: str) -> list[str]:
    """The lines with their ends, as TOML counts them."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _watches(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    told = values.get("watch", [])
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _checked(text: str, changed: str, change: Callable[[dict[str, Any]], None]) -> str | None:
    """The changed text if it reads as the values of the old one with that change, and nothing else."""
    wanted = tomllib.loads(text)
    try:
        change(wanted)
        return changed if tomllib.loads(changed) == wanted else None
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        return None
