"""Reading an answer: its JSON as plain values, by lookups that never trust a shape."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from inforadar.domain.errors import Gone, RateLimited, SourceError, Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page
from inforadar.domain.ports import Answer
from inforadar.net.statuses import status_error

# Beyond this JSON numbers are not exact any more, and no counter of a site is that large.
LARGEST_INT = 2**53
ENTRIES_TO_JUDGE_A_PAGE = 3
EARLIEST_YEAR, LATEST_YEAR = 1990, 2100
# The rank of an entry without a date; whoever sweeps dates it by its first sight.
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
# A page may quote a broken character or two; one in another encoding has hundreds.
BAD_CHARACTERS_TAKEN = 5

Entry = TypeVar("Entry")
_ANY_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
_BOM = b"\xef\xbb\xbf"
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(body: bytes) -> Any:
    """The JSON value of a body; raises Unreadable for anything that is not clean JSON."""
    body = body.removeprefix(_BOM)
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        if _HALF_CHARACTER.search(body):
            return _read_loosely(body)
        raise Unreadable(f"the answer is not the JSON it should be: {error}") from error


def _read_loosely(body: bytes) -> Any:
    """JSON with half a character in it, as servers write it that cut texts in the middle of an emoji."""
    try:
        return json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the answer is not the JSON it should be: {error}") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def failure(answer: Answer) -> SourceError:
    """The error of an answer whose status is not 200, for a list: what is not there cannot be read.

    A source has no clock: whoever asked reads Retry-After against the present moment.
    """
    error = status_error(answer, _ANY_MOMENT)
    if isinstance(error, RateLimited):
        return RateLimited(str(error))
    if error is None or isinstance(error, Gone):
        return Unreadable(f"no list there (HTTP {answer.status}): check the source's base_url")
    return error


def decoded(answer: Answer) -> str:
    """The body as text; raises Unreadable when it is not the UTF-8 that every source here writes."""
    text = answer.body.removeprefix(_BOM).decode("utf-8", "replace")
    if text.count("\ufffd") > BAD_CHARACTERS_TAKEN:
        raise Unreadable("the page is not written in UTF-8: its words would be stored broken")
    return text


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> Sequence[Any]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_text(value: Any) -> str:
    """The value when it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def as_int(value: Any) -> int | None:
    """The value when it is a whole number of a sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if abs(value) <= LARGEST_INT else None


def as_digits(value: Any) -> str | None:
    """A numeric id, whether it came as text or as a number."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else as_text(value).strip()
    return text if text.isascii() and text.isdigit() and len(text) <= 20 else None


def read_time(value: Any) -> datetime | None:
    """A moment written in ISO 8601, in UTC; one without an offset is taken as UTC, an impossible year as no date."""
    try:
        moment = datetime.fromisoformat(as_text(value).strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None


def read_day(value: Any) -> datetime | None:
    """A day (`2026-06-04`, with or without a time after it) as its first moment in UTC."""
    moment = read_time(as_text(value).strip()[:10])
    return None if moment is None else moment - timedelta(hours=moment.hour, minutes=moment.minute)


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Only what a source told: no None, no empty text, list or object."""
    return {name: value for name, value in values.items() if value is not None and value not in ("", [], {})}


def unknown_params(params: Mapping[str, Any], known: Collection[str], sentence: str, page: str) -> list[str]:
    """A sentence for each parameter a source does not know; `sentence` has {name}, `page` lists the names."""
    sentences = []
    for name in params:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"see {page} for the names."
            sentences.append(f"{sentence.replace('{name}', name)}: {hint}")
    return sentences


def param_values(value: Any) -> tuple[str, ...]:
    """A query's parameter as the texts to send: a list gives several, an empty value none."""
    values = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    return tuple(text for text in map(_param_text, values) if text)


def read_page(
    entries: Sequence[Entry],
    read_entry: Callable[[Entry], Draft | None],
    *,
    total: int | None = None,
    is_last: bool | None = None,
    notes: tuple[str, ...] = (),
    key_of: Callable[[Entry], str | None] = lambda _: None,
    is_by_date: bool = False,
) -> Page:
    """The page of its entries: `read_entry` gives None for one to be skipped and raises Unreadable for a broken one.

    `is_by_date`: the list is sorted by dates, and an entry without one has no place in it. `key_of`: the key of an
    entry that could not be read, where it tells one. Raises Unreadable when not one of several entries could be read.
    """
    read: list[Draft | None] = []
    broken: list[str | None] = []
    for entry in entries:
        try:
            read.append(read_entry(entry))
        except Unreadable:
            broken.append(key_of(entry))
    if not read and len(entries) >= ENTRIES_TO_JUDGE_A_PAGE:
        raise Unreadable(f"none of the {len(entries)} entries could be read: the site has changed its shape")
    found = [draft for draft in read if draft is not None]
    drafts = tuple(draft for draft in found if draft.is_dated or not is_by_date)
    return Page(
        drafts=drafts,
        total=total,
        is_last=is_last,
        unreadable=len(broken),
        unreadable_keys=tuple(key for key in broken if key is not None),
        undated=len(read) - len(drafts),
        loose=tuple(draft for draft in found if is_by_date and not draft.is_dated),
        notes=notes,
    )


def _param_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value).strip()
