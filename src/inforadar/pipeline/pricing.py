"""Prices: a listing of a price watch is weighed by its title alone, and the points of a watch are valued together.

process ──> ANALYZED, its score is how well it fits; nobody is asked, and nothing is sent of single listings
value   ──> what an ounce costs, if the coin's metal is stated ──> one valuation, its history, an alert if it moved
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from inforadar.domain.coin import METALS, match_strength
from inforadar.domain.errors import SourceError
from inforadar.domain.job import Done, Job, Outcome
from inforadar.domain.ports import Clock
from inforadar.domain.price import MetalPrice, PricePoint
from inforadar.domain.status import Status
from inforadar.domain.valuation import Amount, Rates, Valuation, alert_words, horizon, movement, value
from inforadar.domain.watch import Watch
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking
from inforadar.store import matches, price_points, valuations
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

FRESH = timedelta(hours=1)
LONGEST_USED = timedelta(days=7)

PRICES = "prices"

Tell = Callable[[Tx, str, str], None]
"""Lets a person know what happened, under the name of who tells it, in the transaction that found it out."""

log = get_log("pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetalDesk:
    """Where metal prices are asked for, and the gate before it."""

    price: Callable[[str], MetalPrice]
    asking: Asking


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """Values watches; without `metals` there is no melt value."""

    database: Database
    clock: Clock
    watches: Mapping[str, Watch]
    rates: Rates
    tell: Tell
    metals: MetalDesk | None = None

    def run(self, job: Job, _context: Any) -> Outcome:
        """Value one watch; one that is gone from the configuration keeps what it has."""
        watch = self.watches.get(str(job.args["watch"]))
        if watch is None or watch.kind != "price":
            return Done()
        with self.database.reading() as tx:
            points = self._points(tx, watch)
        # titles are weighed once and remembered, so that the transaction that writes need not take that long
        weighed(points, watch)
        melt = self._melt(watch)
        return Done(effects=lambda tx: self._value(tx, watch, melt))

    def _value(self, tx: Tx, watch: Watch, melt: Amount | None) -> None:
        if not valuations.lock(tx, watch.name):
            return
        now = self.clock.now()
        today = now.date()
        points = weighed(self._points(tx, watch), watch)
        valuation = value(points, watch.valuation, today=today, rates=self.rates, melt=melt)
        valuations.save(tx, watch.name, valuation, now)
        self._alert(tx, watch, valuation)
        log.info("valued", watch=watch.name, median_cents=valuation.median_cents, points=valuation.count)

    def _points(self, tx: Tx, watch: Watch) -> list[PricePoint]:
        return price_points.since(tx, watch.name, horizon(watch.valuation, self.clock.now().date()))

    def _alert(self, tx: Tx, watch: Watch, valuation: Valuation) -> None:
        stored = valuations.get(tx, watch.name)
        if stored is None or valuation.median_cents is None or valuation.currency is None:
            return
        before, after = stored.alerted, Amount(cents=valuation.median_cents, currency=valuation.currency)
        if before is None or before.currency != after.currency:
            valuations.alerted(tx, watch.name, after)
        elif movement(before.cents, after.cents, watch.valuation.alert_percent) is not None:
            valuations.alerted(tx, watch.name, after)
            self.tell(tx, PRICES, alert_words(watch.name, before, valuation))

    def _melt(self, watch: Watch) -> Amount | None:
        """What the coin's metal is worth, by the newest price that is to be had."""
        coin = watch.coin
        if coin is None or not coin.metal or not coin.fine_oz or self.metals is None:
            return None
        metal = self._metal(self.metals, METALS[coin.metal])
        if metal is None:
            return None
        return Amount(cents=round(metal.ounce_cents * coin.fine_oz), currency=metal.currency)

    def _metal(self, desk: MetalDesk, symbol: str) -> MetalPrice | None:
        now = self.clock.now()
        with self.database.reading() as tx:
            known = valuations.metal(tx, symbol)
        if known is not None and now - known.at < FRESH:
            return known
        try:
            told = desk.asking.ask(lambda: desk.price(symbol))
        except SourceError as error:
            log.warning("no metal price", symbol=symbol, error=str(error))
            return known if known is not None and now - known.at < LONGEST_USED else None
        # its time is when we asked: a market that is closed tells the same price all weekend
        told = replace(told, at=now)
        with self.database.transaction() as tx:
            valuations.put_metal(tx, told)
        return told


def weighed(points: list[PricePoint], watch: Watch) -> list[PricePoint]:
    """The points with how well they fit the coin as it is stated now."""
    fits = ((point, match_strength(watch.coin, point.title)) for point in points)
    return [replace(point, match_strength=fit.score, why=fit.why) for point, fit in fits]


def priced(match: MatchView, watch: Watch, clock: Clock) -> Done:
    """A listing is analyzed at once: its score is how well its title fits the coin."""
    fit = match_strength(watch.coin, match.title)

    def effects(tx: Tx) -> None:
        now = clock.now()
        if not matches.lock(tx, [match.id]):
            return
        matches.judged(tx, match.id, score=fit.score, reason=fit.why, now=now)
        why = f"fits by {fit.score:.2f}: {fit.why}"
        matches.move(tx, match.id, Status.QUEUED, Status.ANALYZED, who="machine", why=why, now=now)

    return Done(effects=effects)
