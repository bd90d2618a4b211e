"""Pages of hh as bytes, a hundred entries of about 1 KB each, made one by one so that none is kept."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from inforadar.simulator import hh_shape
from inforadar.simulator.making import make_entry

PAGE = 100
PAGES_PER_SWEEP = 100
COMPANIES = 5_000
CHANGED_EVERY = 10
FIRST_KEY = 130_000_000
NEWEST = datetime(2026, 1, 1, tzinfo=UTC)
FILLER = "Проектируем, пишем и сопровождаем сервисы, отвечаем за их работу. " * 4


def templates() -> list[dict[str, Any]]:
    """A hundred different entries, in hh's wire shape."""
    chance = Random(1)
    entries = [make_entry("hh", str(FIRST_KEY + number), NEWEST, chance) for number in range(PAGE)]
    return [deepcopy(hh_shape.item(entry, frozenset())) for entry in entries]


def body(shapes: list[dict[str, Any]], first: int, total: int, *, is_changed: bool = False) -> bytes:
    """The page that begins with entry number `first`; of a changed one every tenth title is another."""
    entries = [_entry(shape, first + place, is_changed) for place, shape in enumerate(shapes)]
    pages = -(-total // PAGE)
    return msgspec.json.encode({"items": entries, "found": total, "pages": pages, "page": 0, "per_page": PAGE})


def _entry(shape: dict[str, Any], number: int, is_changed: bool) -> dict[str, Any]:
    key, company = str(FIRST_KEY + number), str(1_000 + number % COMPANIES)
    mark = " (снова)" if is_changed and number % CHANGED_EVERY == 0 else ""
    return shape | {
        "id": key,
        "name": f"{shape['name']} {number}{mark}",
        "published_at": (NEWEST - timedelta(seconds=number)).isoformat(),
        "alternate_url": f"https://hh.ru/vacancy/{key}",
        "employer": {
            "id": company,
            "name": f"Компания {company}",
            "alternate_url": f"https://hh.ru/employer/{company}",
        },
        "snippet": shape["snippet"] | {"responsibility": f"{number} {FILLER}"},
    }
