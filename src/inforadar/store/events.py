"""The table `events`: what is worth telling a person, once."""

from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.health import News, NewsKind
from inforadar.store.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a source, or to one query of it."""

    id: int
    at: datetime
    kind: NewsKind
    source: str
    query_key: str | None
    message: str


def add(tx: Tx, news: News, source: str, now: datetime, query_key: str | None = None) -> None:
    """Write down what happened, in the transaction that found it out."""
    tx.run("event_add", at=now, kind=news.kind, source=source, query_key=query_key, message=news.message)


def recent(tx: Tx, *, source: str | None = None, limit: int = 20) -> list[Event]:
    """The latest events, newest first."""
    return [Event(**row) for row in tx.rows("event_recent", source=source, limit=limit)]


def prune(tx: Tx, *, before: datetime, limit: int = 1000) -> int:
    """Forget at most `limit` events from before a moment, but never the last of a source or query; how many."""
    return tx.run("event_prune", before=before, n=limit)


def is_told_empty(tx: Tx, source: str, query_key: str) -> bool:
    """Whether the last that was told of a query is that it shows nothing."""
    row = tx.row("event_last_of_query", source=source, query_key=query_key)
    return row is not None and row["kind"] == "outage"
