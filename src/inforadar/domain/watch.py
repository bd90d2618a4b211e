"""Watches and queries: what the user wants to know, and how it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal

from inforadar.domain.coin import Coin
from inforadar.domain.item import Kind

FirstRun = Literal["baseline", "24h", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far and how much one sweep of a query may read; None = no bound.

    `limit`: unseen items a sweep; `cutoff_date`: nothing older is ever collected; `window_days`: the newest days
    that every sweep re-reads in full; `lookback_days`: how old a late arrival may be (None = the source's own);
    `max_pages`: pages asked a sweep; `max_items`: unseen entries a sweep, as a safety beside `limit`.
    """

    limit: int | None = None
    cutoff_date: date | None = None
    window_days: int | None = None
    lookback_days: int | None = None
    max_pages: int | None = None
    max_items: int | None = None

    @property
    def floor(self) -> datetime | None:
        """The moment below which nothing is collected."""
        return datetime.combine(self.cutoff_date, time(), UTC) if self.cutoff_date else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question of a watch to one source; `params` are as the user wrote them.

    `topic`: the name `--topic` selects it by; `rule`: the preset of the sweep the user named.
    """

    watch: str
    source: str
    params: Mapping[str, Any]
    bounds: Bounds
    key: str
    topic: str | None = None
    rule: Literal["limit", "window", "cutoff"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuationTerms:
    """How a price watch wants to be valued; `currency` None = the one most of its points are in.

    `alert_percent`: by how much the value must move to be told; 0 = never.
    """

    currency: str | None = None
    min_points: int = 5
    half_life_days: float = 90.0
    alert_percent: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What the user wants to know about; `first_run` says how much of the first sweep is delivered.

    `coin`, `valuation`: what a price watch looks for, and how that is valued. `paused`: nothing is asked for it now.
    """

    name: str
    kind: Kind
    profile: str = ""
    ban_words: tuple[str, ...] = ()
    max_experience_years: int | None = None
    min_score: float = 0.6
    deliver: tuple[str, ...] = ()
    first_run: FirstRun = "24h"
    queries: tuple[Query, ...] = ()
    coin: Coin | None = None
    valuation: ValuationTerms = ValuationTerms()
    paused: bool = False
