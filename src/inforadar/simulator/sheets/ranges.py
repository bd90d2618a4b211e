"""A1 notation: which rectangle of which tab a range means. Rows and columns count from 1; None = to the end."""

import re
from dataclasses import dataclass

from inforadar.simulator.sheets.problems import invalid

_END = re.compile(r"([A-Za-z]*)([0-9]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A rectangle of a tab."""

    tab: str
    top: int = 1
    left: int = 1
    bottom: int | None = None
    right: int | None = None


def read_range(text: str) -> Area:
    """The area a range names: `Sheet1`, `'My sheet'!A1:B2`, `Sheet1!A2:A`, `Sheet1!1:1`."""
    tab, cells = _split(text)
    if not cells:
        return Area(tab=tab)
    first, colon, last = cells.partition(":")
    left, top = _corner(first, text)
    right, bottom = _corner(last, text) if colon else (left, top)
    return Area(tab=tab, top=top or 1, left=left or 1, bottom=bottom, right=right)


def write_range(area: Area) -> str:
    """A whole area in A1 notation, its tab quoted only where that is needed."""
    tab = area.tab if re.fullmatch(r"\w+", area.tab, re.ASCII) else "'" + area.tab.replace("'", "''") + "'"
    first, last = f"{letters(area.left)}{area.top}", f"{letters(area.right or 1)}{area.bottom}"
    return f"{tab}!{first}" if first == last else f"{tab}!{first}:{last}"


def letters(column: int) -> str:
    """The letters of a column: 1 is A, 27 is AA."""
    text = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        text = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest] + text
    return text


def _split(text: str) -> tuple[str, str]:
    quoted = re.fullmatch(r"'((?:[^']|'')+)'(?:!(.*))?", text)
    if quoted:
        return quoted[1].replace("''", "'"), quoted[2] or ""
    tab, _, cells = text.partition("!")
    return tab, cells


def _corner(text: str, whole: str) -> tuple[int | None, int | None]:
    found = _END.fullmatch(text)
    if not found or not text:
        raise invalid(f"Unable to parse range: {whole}")
    return _column(found[1]) if found[1] else None, int(found[2]) if found[2] else None


def _column(text: str) -> int:
    column = 0
    for letter in text.upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return column
