"""Matches as JSON, in one array or one a line, in the shape of `radar items --json`."""

from collections.abc import Iterable, Iterator

import msgspec

from inforadar.interfaces.harmless import harmless_json
from inforadar.interfaces.shapes import item_json
from inforadar.store.matches import MatchView


def json_text(matches: Iterable[MatchView]) -> Iterator[str]:
    """One array, an element a line."""
    before = "[\n"
    for match in matches:
        yield before + _record(match)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def json_lines(matches: Iterable[MatchView]) -> Iterator[str]:
    """One object a line."""
    return (_record(match) + "\n" for match in matches)


def _record(match: MatchView) -> str:
    return harmless_json(msgspec.json.encode(item_json(match)).decode())
