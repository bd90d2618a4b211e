"""Matches as CSV that a spreadsheet shows and does not obey.

A spreadsheet runs a cell that begins with a sign of OWASP's list (`=`, `+`, `-`, `@`, tab, carriage return, and their
full-width twins), also behind blanks, and also behind a `;` where that is the separator of its country: such a text
gets an apostrophe in front. Numbers are left alone.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from inforadar.domain.money import money_of, place_of
from inforadar.interfaces.harmless import harmless_json
from inforadar.interfaces.shapes import item_json
from inforadar.observe.printable import printable
from inforadar.store.matches import MatchView

COLUMNS = (
    *("id", "item_id", "watch", "source", "key", "url", "title", "company"),
    *("published_at", "status", "score", "reason", "also_on", "data"),
)
READ_OUT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "place": place_of,
    "salary": money_of,
    "author": lambda data: str(data.get("author") or ""),
}
"""Columns of what a person would else have to look for in `data`, as a person reads it."""
BYTE_ORDER_MARK = "\ufeff"

_OBEYED = re.compile(r"(^|;)(?=[\t\r\n]|[\s'\"]*[=+\-@＝＋－＠﹢﹣﹦﹫])")


def csv_text(matches: Iterable[MatchView], *, is_raw: bool = False, has_mark: bool = False) -> Iterator[str]:
    """A header and a line for each match; `is_raw` leaves texts without the apostrophe, `has_mark` is for Excel."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow((*COLUMNS, *READ_OUT))
    yield (BYTE_ORDER_MARK if has_mark else "") + _taken(written)
    for match in matches:
        told = item_json(match)
        values = (*(told[column] for column in COLUMNS), *(read(match.data) for read in READ_OUT.values()))
        writer.writerow([_cell(value, is_raw) for value in values])
        yield _taken(written)


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it and does not obey it."""
    is_plain = text[:1].isalnum() and ";" not in text
    return text if is_plain else _OBEYED.sub(r"\1'", text)


def _cell(value: Any, is_raw: bool) -> Any:
    if not isinstance(value, (str, dict, list)):
        return value
    text = printable(value) if isinstance(value, str) else harmless_json(msgspec.json.encode(value).decode())
    return text if is_raw else safe_cell(text)


def _taken(written: io.StringIO) -> str:
    text = written.getvalue()
    written.seek(0)
    written.truncate()
    return text
