"""From a page of listings to one valuation: points in the page's transaction, a job, a value, an alert."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.rig import rows
from inforadar.collect.saving import PageSaver
from inforadar.domain.coin import Coin
from inforadar.domain.errors import Stopped, Unavailable, Unreadable
from inforadar.domain.health import Closed
from inforadar.domain.item import Draft
from inforadar.domain.job import Job, JobId
from inforadar.domain.ports import Answer, Request
from inforadar.domain.screening import compile_ban_words
from inforadar.domain.valuation import value
from inforadar.domain.walk import Sorted
from inforadar.domain.watch import Bounds, Query, ValuationTerms, Watch
from inforadar.pipeline.asking import Asking
from inforadar.pipeline.pricing import MetalDesk, Pricing, weighed
from inforadar.service.revaluation import Rereading, put_values
from inforadar.sources.metals import Metals
from inforadar.store import deliveries, jobs, matches, price_points, runs, valuations
from inforadar.store.database import Database
from inforadar.workers.step import Context
from pipeline.inbox import Clock, Door, Inbox

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
COIN = Coin(year=1921, series="Morgan", denomination="dollar")
WATCH = Watch(name="morgan", kind="price", coin=COIN)
DOUBLES = """
SELECT intake_id, source_id, dedupe_key, COUNT(*) AS count
FROM price_points GROUP BY intake_id, source_id, dedupe_key HAVING COUNT(*) > 1
"""


def listing(key, cents, *, title="1921 Morgan Dollar", kind="ask", currency="USD", **changed) -> Draft:
    return Draft(
        key=str(key),
        rank=NOON - timedelta(days=3),
        url=f"https://www.ebay.com/itm/{key}",
        title=title,
        data={"price_cents": cents, "currency": currency, "price_type": kind},
        **changed,
    )


@dataclass
class Desk:
    """One watch after another over a database; pages are given as drafts."""

    db: Database
    clock: Clock = field(default_factory=lambda: Clock(at=NOON))
    told: list[tuple[str, str]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    metals: MetalDesk | None = None
    listings: int = 0

    def save(
        self,
        *new: Draft,
        watch: Watch = WATCH,
        seen: tuple[Draft, ...] = (),
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Save one page as a sweep does; `then` happens before it is committed."""
        query = Query(watch=watch.name, source="ebay", params={}, bounds=Bounds(), key=f"q-{watch.name}")
        with self.db.transaction() as tx:
            run_id = runs.start(tx, query.key, watch.name, "ebay", self.clock.now())
        saver = PageSaver(
            watch=watch,
            query=query,
            ban_list=compile_ban_words(watch.ban_words)[0],
            run_id=run_id,
            now=self.clock.now(),
        )
        with self.db.transaction() as tx:
            saver.save(tx, Sorted(new=new, seen=seen, prefix=(*new, *seen), untaken=(), too_old=0))
            then()

    def value(self, watch: Watch = WATCH, *, is_stopping: bool = False) -> valuations.StoredValuation:
        """Run the job that values a watch, and settle it."""
        job = Job(id=JobId(1), kind="value", args={"watch": watch.name}, attempt=1, max_attempts=5, retry_count=0)
        context = Context(database=self.db, clock=self.clock, is_stopping=lambda: is_stopping, is_lost=lambda: False)
        rereading = Rereading(database=self.db, clock=self.clock, watches={watch.name: watch}, at_once=2)
        outcome = rereading.before(self.pricing(watch).run)(job, context)
        with self.db.transaction() as tx:
            outcome.effects(tx)
            tx.run_text("UPDATE jobs SET status = 'succeeded' WHERE kind = 'value'")
        return self.stored(watch)

    def pricing(self, watch: Watch = WATCH) -> Pricing:
        return Pricing(
            database=self.db,
            clock=self.clock,
            watches={watch.name: watch},
            rates=self.rates,
            tell=lambda _tx, source, message: self.told.append((source, message)),
            metals=self.metals,
        )

    def stored(self, watch: Watch = WATCH) -> valuations.StoredValuation:
        with self.db.reading() as tx:
            found = valuations.get(tx, watch.name)
        assert found is not None
        return found

    def points(self, watch: Watch = WATCH) -> list[tuple[str, int]]:
        with self.db.reading() as tx:
            return [(one.item_key, one.price.cents) for one in price_points.recent(tx, watch.name, limit=1000)]

    def jobs(self) -> list[str]:
        with self.db.reading() as tx:
            return [job.unique_key for job in jobs.search(tx, kind="value", status="pending")]


@pytest.fixture
def desk(db):
    return Desk(db)


def test_a_page_of_listings_makes_points_and_one_job_for_their_watch(desk):
    desk.save(listing(1, 4500), listing(2, 5000))
    desk.save(listing(3, 5500))
    assert desk.points() == [("3", 5500), ("2", 5000), ("1", 4500)]
    assert desk.jobs() == ["value:morgan"]


def test_seeing_the_same_prices_again_makes_neither_points_nor_work(desk):
    page = (listing(1, 4500), listing(2, 5000))
    desk.save(*page)
    desk.value()
    desk.clock.pass_by(days=2)
    desk.save(seen=page)
    desk.save(*page)
    assert len(desk.points()) == 2
    assert desk.jobs() == []


def test_a_changed_price_is_a_new_point_and_alone_counts(desk):
    terms = replace(WATCH, valuation=ValuationTerms(min_points=1))
    desk.save(listing(1, 9000), watch=terms)
    desk.value(terms)
    desk.clock.pass_by(days=1)
    for _ in range(2):
        desk.save(seen=(listing(1, 4500),), watch=terms)
    assert desk.points() == [("1", 4500), ("1", 9000)]
    assert desk.jobs() == ["value:morgan"]
    assert desk.value(terms).valuation.median_cents == 4500


def test_a_price_that_goes_up_and_down_is_followed(desk):
    desk.save(listing(1, 100))
    for cents in (200, 100, 300):
        desk.clock.pass_by(days=1)
        desk.save(seen=(listing(1, cents),))
    assert desk.points() == [("1", 300), ("1", 100), ("1", 200), ("1", 100)]


def test_a_price_that_goes_back_and_forth_within_a_day_keeps_the_last_truth(desk):
    terms = replace(WATCH, valuation=ValuationTerms(min_points=1))
    desk.save(listing(1, 80), watch=terms)
    for cents in (100, 90, 100, 90, 80):
        desk.clock.pass_by(hours=1)
        desk.save(seen=(listing(1, cents),), watch=terms)
        assert desk.jobs() == ["value:morgan"]
        assert desk.value(terms).valuation.median_cents == cents
        assert desk.points()[0] == ("1", cents)
    assert sorted(desk.points()) == [("1", 80), ("1", 90), ("1", 100)]


def test_each_sale_of_one_listing_is_a_point_and_seen_again_it_is_none(desk):
    sales = [replace(listing(1, 4500, kind="sold"), rank=NOON - timedelta(days=days)) for days in (80, 40, 10)]
    desk.save(sales[0])
    for sale in (sales[0], sales[1], sales[1], sales[2]):
        desk.clock.pass_by(days=1)
        desk.save(seen=(sale,))
    desk.save(seen=(sales[2],))
    assert desk.points() == [("1", 4500)] * 3
    with desk.db.reading() as tx:
        days = [one.observed_on for one in price_points.recent(tx, WATCH.name, limit=10)]
    assert days == [sale.rank.date() for sale in reversed(sales)]


def test_the_same_number_in_another_currency_is_another_price(desk):
    desk.save(listing(1, 100))
    for currency in ("EUR", "USD", "EUR"):
        desk.clock.pass_by(hours=1)
        desk.save(seen=(listing(1, 200, currency=currency),))
        with desk.db.reading() as tx:
            points = price_points.recent(tx, WATCH.name, limit=10)
        assert (points[0].price.cents, points[0].price.currency) == (200, currency)
    assert len(points) == 3


SIGHTINGS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["USD", "EUR"]), st.sampled_from(["ask", "bid"]), st.integers(-3, 30)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sightings=SIGHTINGS)
def test_whatever_a_listing_does_no_price_of_a_day_is_double_and_the_last_one_is_the_latest(desk, sightings):
    """I22: the same item, price and currency once a day."""
    desk.listings += 1
    for cents, currency, kind, hours in sightings:
        desk.clock.pass_by(hours=hours)
        desk.save(listing(desk.listings, cents * 100, currency=currency, kind=kind))
        with desk.db.reading() as tx:
            points = [
                one for one in price_points.recent(tx, WATCH.name, limit=1000) if one.item_key == str(desk.listings)
            ]
        assert len({(one.price, one.observed_on) for one in points}) == len(points)
        latest = max(points, key=lambda one: (one.seen_at, one.id))
        assert (latest.price.cents, latest.price.currency, latest.price.type) == (cents * 100, currency, kind)


def test_each_watch_has_its_own_points_also_of_a_price_that_another_saw_change(desk):
    other = replace(WATCH, name="any-dollar", coin=None)
    desk.save(listing(1, 9000))
    desk.save(listing(1, 9000), watch=other)
    desk.clock.pass_by(days=1)
    desk.save(seen=(listing(1, 4500),))
    desk.save(seen=(listing(1, 4500),), watch=other)
    assert desk.points() == desk.points(other) == [("1", 4500), ("1", 9000)]


def test_what_a_watch_left_out_makes_no_point(desk):
    picky = replace(WATCH, ban_words=("cleaned",))
    desk.save(listing(1, 4500, title="1921 Morgan Dollar cleaned"), listing(2, 4500), watch=picky)
    desk.save(seen=(listing(1, 4000, title="1921 Morgan Dollar cleaned"),), watch=picky)
    assert desk.points() == [("2", 4500)]


def test_other_kinds_of_watches_make_no_points(desk):
    desk.save(listing(1, 4500), watch=replace(WATCH, kind="vacancy"))
    assert desk.points() == []


def test_the_points_and_the_job_of_a_page_that_is_undone_are_undone_with_it(desk):
    class Broken(Exception):
        pass

    def break_down() -> None:
        raise Broken

    with pytest.raises(Broken):
        desk.save(listing(1, 4500), then=break_down)
    assert (desk.points(), desk.jobs()) == ([], [])


def test_the_valuation_is_the_pure_function_of_the_points(desk):
    desk.rates = {"EUR": 1.08}
    desk.save(*(listing(n, 4000 + 100 * n) for n in range(12)), listing(50, 3700, currency="EUR"))
    desk.save(listing(98, 100, title="1921 Morgan Dollar REPLICA"), listing(99, 10**9))
    found = desk.value()
    with desk.db.reading() as tx:
        points = weighed(price_points.recent(tx, "morgan", limit=100), WATCH)
    assert found.valuation == value(points, WATCH.valuation, today=NOON.date(), rates=desk.rates)
    assert (found.valuation.count, found.valuation.outliers, found.valued_at) == (13, 1, NOON)
    assert found.valuation.left_out == {"not what is looked for": 1}


def test_an_edited_coin_counts_from_the_next_valuation_on(desk):
    desk.save(*(listing(n, 4500) for n in range(6)))
    assert desk.value().valuation.count == 6
    edited = replace(WATCH, coin=replace(COIN, year=1922))
    assert desk.value(edited).valuation.left_out == {"not what is looked for": 6}


def test_a_watch_without_prices_or_gone_from_the_configuration_is_not_valued(desk):
    job = Job(id=JobId(1), kind="value", args={"watch": "gone"}, attempt=1, max_attempts=5, retry_count=0)
    outcomes = [desk.pricing().run(replace(job, args={"watch": watch}), None) for watch in ("gone", "morgan")]
    with desk.db.transaction() as tx:
        for outcome in outcomes:
            outcome.effects(tx)
        assert valuations.watches(tx) == []


def test_every_watch_with_prices_is_valued_again_each_day(desk):
    desk.save(listing(1, 4500))
    desk.save(listing(1, 4500), watch=replace(WATCH, name="other"))
    desk.value()
    with desk.db.transaction() as tx:
        assert put_values(tx, ["new"]) == 3
        assert put_values(tx, ["new", "morgan"]) == 0


def test_a_currency_that_is_stated_later_makes_points_of_the_listings_that_named_none(desk):
    euros = replace(WATCH, valuation=ValuationTerms(currency="EUR"))
    nameless = [listing(n, 4000 + n, currency=None) for n in range(7)]
    desk.save(*nameless)
    assert desk.points() == []
    desk.clock.pass_by(days=2)
    assert desk.value(euros).valuation.currency == "EUR"
    assert sorted(desk.points()) == [(str(n), 4000 + n) for n in range(7)]
    told = rows(desk.db, "SELECT DISTINCT currency, observed_on FROM price_points")
    assert [(row["currency"], str(row["observed_on"])[:10]) for row in told] == [("EUR", "2026-01-05")]
    # what is seen again is no other price, and nothing is read twice
    desk.save(seen=tuple(nameless), watch=euros)
    desk.value(euros)
    assert len(desk.points()) == 7


def test_a_worker_that_stops_reads_no_more_listings_again(desk):
    euros = replace(WATCH, valuation=ValuationTerms(currency="EUR"))
    desk.save(*[listing(n, 4000 + n, currency=None) for n in range(7)])
    with pytest.raises(Stopped):
        desk.value(euros, is_stopping=True)
    assert desk.points() == []
    desk.value(euros)
    assert len(desk.points()) == 7


def test_another_currency_is_believed_of_listings_that_name_none_and_of_no_other(desk):
    euros, pounds = (replace(WATCH, valuation=ValuationTerms(currency=code)) for code in ("EUR", "GBP"))
    desk.save(listing(1, 100, currency=None), listing(2, 200), watch=euros)
    desk.value(euros)
    desk.clock.pass_by(days=1)
    desk.value(pounds)
    latest = {one.item_key: one.price.currency for one in reversed(_points(desk))}
    assert latest == {"1": "GBP", "2": "USD"}
    desk.clock.pass_by(days=1)
    desk.value(pounds)
    assert len(_points(desk)) == 3


def _points(desk):
    with desk.db.reading() as tx:
        return sorted(price_points.recent(tx, "morgan", limit=10), key=lambda one: one.seen_at, reverse=True)


def test_a_person_is_told_when_the_value_moved_enough_since_they_were_last_told(desk):
    desk.save(*(listing(n, 5000) for n in range(6)))
    desk.value()
    assert desk.told == []
    for step, cents in enumerate((5300, 5490, 5600, 5700, 5000), start=1):
        desk.clock.pass_by(days=1)
        desk.save(seen=tuple(listing(n, cents) for n in range(6)))
        desk.value()
        assert len(desk.told) == (0, 0, 0, 1, 1, 2)[step]
    assert desk.told == [
        ("prices", "morgan: the value rose by 12.0 % to 56.00 USD, from 50.00 USD; it rests on 6 asking prices."),
        ("prices", "morgan: the value fell by 10.7 % to 50.00 USD, from 56.00 USD; it rests on 6 asking prices."),
    ]


def test_another_currency_is_no_movement(desk):
    desk.save(*(listing(n, 5000) for n in range(6)))
    desk.value()
    desk.value(replace(WATCH, valuation=ValuationTerms(currency="EUR")))
    desk.rates = {"EUR": 2.0}
    desk.value(replace(WATCH, valuation=ValuationTerms(currency="EUR")))
    assert desk.told == []


def test_the_history_keeps_every_value_that_differed(desk):
    for day, cents in enumerate((5000, 5000, 5200)):
        desk.clock.at = NOON + timedelta(days=day)
        page = tuple(listing(n, cents) for n in range(6))
        desk.save(*page, seen=page)
        desk.value()
    with desk.db.reading() as tx:
        past = valuations.history(tx, "morgan", limit=10)
    assert [(one.at, one.quantiles[50]) for one in past] == [(NOON, 5000), (NOON + timedelta(days=2), 5200)]


@dataclass
class Spot:
    """A server of metal prices."""

    body: bytes = b'{"currency":"USD","name":"Silver","price":30.5,"symbol":"XAG","updatedAt":"2026-01-05T11:59:29Z"}'
    status: int = 200
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def send(self, base_url: str, request: Request) -> Answer:
        self.asked.append(base_url + request.path)
        if self.error:
            raise self.error
        return Answer(status=self.status, headers={}, body=self.body, url="")


SILVER = replace(WATCH, coin=replace(COIN, metal="silver", fine_oz=0.77344))


@pytest.fixture
def spot(desk):
    server = Spot()
    metals = Metals(transport=server, clock=desk.clock, base_url="http://metals.test")
    asking = Asking(gate=Door(), clock=desk.clock, wait=lambda _s: False)
    desk.metals = MetalDesk(price=metals.price, asking=asking)
    return server


def test_the_metal_is_the_floor_of_the_value_and_is_asked_for_once_an_hour(desk, spot):
    desk.save(*(listing(n, 1500) for n in range(6)), watch=SILVER)
    found = desk.value(SILVER).valuation
    assert (found.melt_cents, found.median_cents) == (2359, 2359)
    desk.value(SILVER)
    assert spot.asked == ["http://metals.test/price/XAG"]
    desk.clock.pass_by(hours=2)
    desk.value(SILVER)
    assert len(spot.asked) == 2


def test_a_metal_server_that_is_away_leaves_the_last_price_for_a_week(desk, spot):
    desk.save(*(listing(n, 1500) for n in range(6)), watch=SILVER)
    desk.value(SILVER)
    spot.error = Unavailable("away")
    desk.clock.pass_by(days=6)
    assert desk.value(SILVER).valuation.melt_cents == 2359
    desk.clock.pass_by(days=2)
    assert desk.value(SILVER).valuation.melt_cents is None
    assert desk.stored(SILVER).valuation.median_cents == 1500


def test_no_metal_is_asked_for_where_none_is_stated(desk, spot):
    desk.save(*(listing(n, 1500) for n in range(6)))
    desk.value()
    assert spot.asked == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"price": "30"}',
        b'{"price": true}',
        b'{"price": -1}',
        b'{"price": 1e300}',
        b'{"price": 30, "symbol": "XAU"}',
    ],
)
def test_what_is_no_price_of_the_metal_is_unreadable(desk, spot, body):
    spot.body = body
    with pytest.raises(Unreadable):
        desk.metals.price("XAG")


def test_an_old_server_that_names_no_currency_means_dollars(desk, spot):
    spot.body = b'{"name":"Silver","price":30.5,"symbol":"XAG","updatedAt":"2026-01-05T11:59:29Z"}'
    assert (desk.metals.price("XAG").currency, desk.metals.price("XAG").ounce_cents) == ("USD", 3050)


def test_workers_at_once_and_again_leave_no_double_and_one_valuation(db):
    """Seed 004: overlapping pages, many writers, valuations between them, repeated runs."""
    desk = Desk(db)
    pages = [tuple(listing(n, 4000 + n) for n in range(start, start + 20)) for start in (0, 10, 20, 30)]
    desk.save(*(draft for draft in pages[0]))
    errors: list[Exception] = []
    begin = threading.Barrier(4)

    def at_work(turn: Callable[[], None]) -> None:
        try:
            begin.wait(10)
            turn()
        except Exception as error:
            errors.append(error)

    def writer(order: tuple[int, ...]) -> Callable[[], None]:
        def write() -> None:
            for page in (*order, *order):
                desk.save(*pages[page])

        return write

    def valuer() -> None:
        for _ in range(6):
            desk.value()

    turns = [writer((0, 1, 2, 3)), writer((3, 2, 1, 0)), writer((1, 3, 0, 2)), valuer]
    threads = [threading.Thread(target=at_work, args=(turn,)) for turn in turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert rows(db, DOUBLES) == []
    assert len(desk.points()) == 50
    assert desk.value().valuation.count == 50
    assert rows(db, "SELECT watch FROM valuations") == [{"watch": "morgan"}]


@pytest.fixture
def inbox(db):
    return Inbox(db, watch=replace(WATCH, name="w", deliver=("telegram",)))


def test_a_listing_is_analyzed_at_once_by_its_title_without_asking_anybody(inbox):
    inbox.door.shut = Closed(name="judge", until=NOON + timedelta(hours=1), outage="unavailable")
    good, bad = (
        inbox.store("1", kind="price", title="1921 Morgan Dollar"),
        inbox.store("2", kind="price", title="x copy"),
    )
    for match_id in (*good, *bad):
        inbox.process(match_id)
        assert inbox.status(match_id) == "ANALYZED"
    assert (inbox.pages.asked, inbox.model.questions) == ([], [])
    with inbox.db.reading() as tx:
        assert deliveries.search(tx, limit=10) == []
        assert matches.get(tx, good[0]).score == 1.0
        assert matches.get(tx, bad[0]).score < 0.1
        assert 'a copy: "copy"' in matches.get(tx, bad[0]).reason
    assert inbox.last_why(good[0]) == "fits by 1.00: year 1921; series morgan; denomination dollar"


def test_a_listing_the_user_decided_on_meanwhile_stays_decided(inbox):
    (match_id,) = inbox.store("1", kind="price", title="1921 Morgan Dollar")
    job = Job(id=JobId(1), kind="any", args={"match_id": match_id}, attempt=1, max_attempts=5, retry_count=0)
    outcome = inbox.processing.run(job, inbox)
    with inbox.db.transaction() as tx:
        inbox.triage.mark(tx, [match_id], "not interested", "user")
    with inbox.db.transaction() as tx:
        outcome.effects(tx)
    assert inbox.status(match_id) == "NOT_INTERESTED"
