"""Cards and notices to render."""

from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.domain.delivery import Card, Notice

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
TOKEN = "123456:ABC-secret_token"


def card(number: int = 1, **changes: Any) -> Card:
    """A vacancy that waits for a decision."""
    facts: dict[str, Any] = {
        "match_id": number,
        "source": "hh",
        "key": f"key-{number}",
        "kind": "vacancy",
        "watch": "python-madrid",
        "url": f"https://hh.ru/vacancy/{number}",
        "title": "Senior Python developer",
        "company": "Acme & Sons",
        "published_at": NOW - timedelta(hours=3),
        "status": "SENT_TO_USER",
        "score": 0.824,
        "reason": "Python and PostgreSQL",
        "data": {
            "place": "Madrid",
            "remote": True,
            "salary": {"from": 200_000, "to": 300_000, "currency": "RUB", "gross": False, "mode": "MONTH"},
            "experience": "between3And6",
        },
    }
    return Card(**(facts | changes))


def notice(*cards: Card) -> Notice:
    return Notice(cards=cards, now=NOW)
