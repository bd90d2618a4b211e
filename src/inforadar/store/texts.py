"""The table `item_texts`: what the text filter looks through, one folded text an item, with an index of its grams.

SQLite keeps it as a full-text table of trigrams, PostgreSQL as a table with an inverted index of the same trigrams;
neither needs anything installed. The index finds candidates; that the needle stands in a text is looked up after.
Invariant: an item's text is what `haystack` says of its title, its company's name and its author; whoever changes one
of them writes the text in the same transaction.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from inforadar.domain.finding import GRAM, Needle, grams, haystack, needle
from inforadar.domain.item import Item, ItemId
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import containing, json_of, key_set, storable

# More candidates than this are not sorted: whoever walks the items in their order soon meets enough of them.
MOST_CANDIDATES = 5_000
# Each of them brings a whole item into memory, its full text too.
AT_ONCE = 200
_SIGN = re.compile(r"([\\%_])")
_BEHIND_STROKE = r"\\\1"


def add(tx: Tx, items: Iterable[tuple[ItemId, Item, str | None]]) -> None:
    """Write the texts of new items, each with its id and its company's name; one that is there already stays."""
    tx.many("text_add", [_text(item_id, item.title, company, item.data) for item_id, item, company in items])


def change(tx: Tx, item_ids: Collection[ItemId]) -> None:
    """Write the texts of stored items anew, where they differ."""
    rows = tx.rows("text_parts", ids=key_set(item_ids))
    made = map(_text_of, rows)
    tx.many("text_put", [new for row, new in zip(rows, made, strict=True) if new["text"] != row["text"]])


def rename(tx: Tx, company_ids: Collection[int]) -> None:
    """Write the texts of these companies' items anew, now that the companies have other names."""
    for company_id in sorted(company_ids):
        after_id = 0
        while rows := tx.rows("text_parts_of_company", company_id=company_id, after_id=after_id, limit=AT_ONCE):
            tx.many("text_put", map(_text_of, rows))
            after_id = rows[-1]["id"]


def forget(tx: Tx, item_id: ItemId) -> None:
    """Forget the text of an item that is gone."""
    tx.run("text_forget", id=item_id)


def patterns(wanted: Needle | None) -> dict[str, str | None]:
    """What the text of an item must be LIKE, either of them; None = there is nothing to look for."""
    return {
        "text": containing(wanted.text) if wanted else None,
        "latin": containing(wanted.latin) if wanted and wanted.latin else None,
    }


def naming(topic: str) -> set[str]:
    """What the data of an item may be LIKE, in small letters, that name a topic.

    SQLite makes only ASCII letters small: others are looked for as people write names, small, in capitals or with them.
    """
    forms = (topic.lower(), topic.capitalize(), topic.title(), topic.upper())
    return {f"%{_SIGN.sub(_BEHIND_STROKE, _small(json.dumps(form, ensure_ascii=False)))}%" for form in forms}


def sought(tx: Tx, text: str | None) -> dict[str, Any]:
    """The parameters of a search narrowed by a text: its patterns, and the items it may be in if they are few."""
    wanted = needle(text) if text else None
    found = candidates(tx, wanted) if wanted else None
    return {**patterns(wanted), "item_ids": key_set(found) if found is not None else None}


def candidates(tx: Tx, wanted: Needle) -> list[ItemId] | None:
    """The items whose texts may hold the needle; None = too many to be named, or nothing narrows them down."""
    found: dict[ItemId, None] = {}
    for text in wanted.texts:
        parts = grams(text)
        if not parts:
            return None
        rows = tx.rows("text_find", grams=json_of(parts), matching=_all_of(parts), limit=MOST_CANDIDATES + 1)
        found |= {ItemId(row["id"]): None for row in rows}
    return list(found) if len(found) <= MOST_CANDIDATES else None


def fill(tx: Tx) -> None:
    """Write the texts of all items there are; for the upgrade of a store that is older than this table."""
    after_id = 0
    while rows := tx.rows("text_parts_behind", after_id=after_id, limit=AT_ONCE):
        tx.many("text_add", map(_text_of, rows))
        after_id = rows[-1]["id"]


def _text_of(row: Row) -> Row:
    return _text(row["id"], row["title"], row["company"], row["data"])


def _text(item_id: ItemId, title: str, company: str | None, data: Mapping[str, Any]) -> Row:
    author = data.get("author")
    parts = (title, company, author if isinstance(author, str) else None)
    return {"id": item_id, "text": haystack(*map(storable, parts))}


def _small(text: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _all_of(parts: Sequence[str]) -> str:
    """A full-text question for all of these, each quoted."""
    assert all(len(gram) == GRAM for gram in parts)
    return " AND ".join('"' + gram.replace('"', '""') + '"' for gram in parts)
