"""What becomes of an item when its source shows it again.

Invariant: a non-empty field never becomes empty.
Invariant: replaying an item's changes from its first version gives the tracked fields of the current one.
Tracked are `title`, `company` and every key of `data` but the silent ones; no data key bears those two names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, NOT_FETCHED, Change, Draft, Item, Kind

BUMPED_AT = "bumped_at"
SILENT = frozenset({BUMPED_AT, FULL_TEXT_STATE})
NOT_OF_DETAILS = frozenset({"title", "company", "posted", "closed", "full_render", FULL_TEXT, FULL_TEXT_STATE})
"""What an item's own page tells of itself, or tells anew each time: never kept as a field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """An item after a sighting: what changed in it, and whether the source had moved it up again."""

    item: Item
    changes: tuple[Change, ...] = ()
    is_bump: bool = False


def create(draft: Draft, source: str, kind: Kind, now: datetime) -> Item:
    """The item a draft becomes when it is seen for the first time; empty values are left out."""
    data = _filled_fields(draft.data)
    if kind == "article":
        data.setdefault(FULL_TEXT_STATE, FETCHED if FULL_TEXT in data else NOT_FETCHED)
    return Item(
        source=source,
        key=draft.key,
        kind=kind,
        url=_filled(draft.url) or "",
        title=_filled(draft.title) or "",
        company=_filled(draft.company),
        company_key=_filled(draft.company_key),
        published_at=draft.rank,
        first_seen_at=now,
        last_seen_at=now,
        data=data,
    )


def merge(stored: Item, draft: Draft, now: datetime) -> Merged:
    """The stored item after its source showed `draft`: newer non-empty values are taken, empty ones never."""
    if stored.key != draft.key:
        raise ValueError(f"cannot merge {draft.key!r} into {stored.key!r}")
    data, changes = _merge_data(stored.data, draft.data)
    title = _filled(draft.title) or stored.title
    company = _filled(draft.company) or stored.company
    own = (("title", stored.title, title), ("company", stored.company, company))
    changes = [Change(field=name, old=old, new=new) for name, old, new in own if old != new] + changes
    rank = draft.rank if draft.is_dated else stored.published_at
    is_bump = rank > _last_rank(stored)
    if is_bump:
        data = {**data, BUMPED_AT: rank.isoformat()}
    item = Item(
        id=stored.id,
        source=stored.source,
        key=stored.key,
        kind=stored.kind,
        url=_filled(draft.url) or stored.url,
        title=title,
        company=company,
        company_key=_filled(draft.company_key) or stored.company_key,
        published_at=min(stored.published_at, rank),
        first_seen_at=stored.first_seen_at,
        last_seen_at=max(stored.last_seen_at, now),
        data=data,
    )
    return Merged(item=item, changes=tuple(changes), is_bump=is_bump)


def add_detail(stored: Item, text: str | None, shown: Mapping[str, Any]) -> Merged:
    """The stored item after its own page was read; the first full text is no change, another one is."""
    told = {name: value for name, value in shown.items() if name not in NOT_OF_DETAILS}
    data, changes = _merge_data(stored.data, told)
    old = stored.data.get(FULL_TEXT)
    if text and text != old:
        data = {**data, FULL_TEXT: text, FULL_TEXT_STATE: FETCHED}
        changes += [Change(field=FULL_TEXT, old=old, new=text)] if old else []
    return Merged(item=replace(stored, data=data), changes=tuple(changes))


def _last_rank(stored: Item) -> datetime:
    """The newest place in the feed this item is known to have had."""
    bumped_at = stored.data.get(BUMPED_AT)
    if not isinstance(bumped_at, str):
        return stored.published_at
    return max(stored.published_at, datetime.fromisoformat(bumped_at))


def _merge_data(stored: Mapping[str, Any], shown: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Change]]:
    # Most fields of most sightings are as they were: only the others are worth a closer look.
    different = {name: new for name, new in shown.items() if not _is_identical(stored.get(name), new)}
    if not different:
        return stored, []
    data, changes = dict(stored), []
    for name, new in _filled_fields(different).items():
        old = stored.get(name)
        if name == FULL_TEXT_STATE and new == NOT_FETCHED and old:
            continue
        merged = _merge_value(old, new)
        if _same(old, merged):
            continue
        data[name] = merged
        if name not in SILENT:
            changes.append(Change(field=name, old=old, new=merged))
    return data, changes


def _merge_value(old: Any, new: Any) -> Any:
    """`new` laid over `old`: inside a table, fields that are not shown keep what they had."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return {**old, **{name: _kept_or_merged(old.get(name), value) for name, value in new.items()}}


def _kept_or_merged(old: Any, new: Any) -> Any:
    merged = _merge_value(old, new)
    return old if _same(old, merged) else merged


def _same(old: Any, new: Any) -> bool:
    """Whether two values say the same; lists of plain values are sets, `true` is not 1."""
    if isinstance(old, (dict, list)):
        old, new = _comparable(old), _comparable(new)
    is_equal: bool = old == new
    return is_equal and isinstance(old, bool) == isinstance(new, bool)


def _is_identical(old: Any, new: Any) -> bool:
    """Whether two values are the same in every part, type and order."""
    kind = type(new)
    if type(old) is not kind:
        return False
    if kind is dict:
        return old.keys() == new.keys() and all(_is_identical(old[name], part) for name, part in new.items())
    if kind is list:
        return len(old) == len(new) and all(map(_is_identical, old, new))
    is_equal: bool = old == new
    return is_equal


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _comparable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        entries = [_comparable(entry) for entry in value]
        return entries if any(isinstance(entry, (dict, list, frozenset)) for entry in entries) else frozenset(entries)
    return (isinstance(value, bool), value)


def _filled_fields(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a draft that say something; where an item was bumped to is ours to write."""
    if BUMPED_AT not in shown and all(map(_is_full, shown.values())):
        return dict(shown)
    filled = {name: _filled(value) for name, value in shown.items() if name != BUMPED_AT}
    return {name: value for name, value in filled.items() if value is not None}


def _is_full(value: Any) -> bool:
    """Whether a value has no empty part, so that it can be taken as it is."""
    kind = type(value)
    if kind is str:
        return bool(value) and not value.isspace()
    if kind is dict:
        return bool(value) and all(map(_is_full, value.values()))
    if kind is list:
        return bool(value) and all(map(_is_full, value))
    return kind is int or kind is bool or kind is float


def _filled(value: Any) -> Any:
    """The value without its empty parts; None when nothing is left. 0 and False are values."""
    if isinstance(value, str):
        return value if value and not value.isspace() else None
    if isinstance(value, dict):
        parts = {name: _filled(inner) for name, inner in value.items()}
        return {name: part for name, part in parts.items() if part is not None} or None
    if isinstance(value, (list, tuple)):
        return [part for part in map(_filled, value) if part is not None] or None
    return value
