"""Price points and valuations: one row per key whoever writes, the stronger match wins, one valuation per watch."""

import threading
from dataclasses import replace
from datetime import date, timedelta

import pytest

from flows.rig import rows
from inforadar.domain.price import MetalPrice, Price, PricePoint
from inforadar.domain.valuation import QUANTILES, Amount, Summary, Valuation
from inforadar.store import items, jobs, matches, price_points, valuations
from store.samples_of_rows import LATER, NOW, an_item

DOUBLES = """
SELECT intake_id, source_id, dedupe_key, COUNT(*) AS count
FROM price_points
GROUP BY intake_id, source_id, dedupe_key
HAVING COUNT(*) > 1
"""
"""The check of seed 004, as it is written there."""

POINT = PricePoint(
    watch="morgan",
    source="ebay",
    dedupe_key="ext_1",
    item_key="1",
    url="https://www.ebay.com/itm/1",
    title="1921 Morgan Dollar",
    price=Price(cents=4500, currency="USD", type="ask"),
    observed_on=NOW.date(),
    match_strength=0.8,
    why="year 1921",
)
VALUED = Valuation(
    currency="USD",
    basis="ask",
    quantiles=dict(zip(QUANTILES, (4000, 4200, 4500, 4800, 5200), strict=True)),
    count=12,
    outliers=1,
    by_type={"ask": Summary(count=12, outliers=1, median_cents=4500)},
    left_out={"too old": 3},
    melt_cents=2300,
)


def save(db, *points, now=NOW):
    with db.transaction() as tx:
        return price_points.save(tx, points, now)


def stored(db, watch="morgan"):
    with db.reading() as tx:
        return price_points.recent(tx, watch, limit=1000)


def test_a_point_comes_back_as_it_was_saved(db):
    assert save(db, POINT) == 1
    (found,) = stored(db)
    assert replace(found, id=None, seen_at=None) == POINT


def test_the_same_point_again_changes_nothing(db):
    save(db, POINT)
    assert save(db, POINT, replace(POINT, price=replace(POINT.price, cents=1)), now=LATER) == 0
    (found,) = stored(db)
    assert found.price.cents == 4500


def test_of_two_points_with_one_key_the_stronger_match_wins(db):
    save(db, POINT)
    stronger = replace(POINT, match_strength=0.9, title="1921 Morgan Silver Dollar", why="every word")
    assert save(db, stronger) == 1
    assert save(db, replace(POINT, match_strength=0.5)) == 0
    (found,) = stored(db)
    assert replace(found, id=None, seen_at=None) == stronger


def test_the_stronger_of_two_wins_inside_one_batch_too(db):
    weak, strong = replace(POINT, match_strength=0.2), replace(POINT, match_strength=0.7)
    save(db, weak, strong, weak)
    (found,) = stored(db)
    assert found.match_strength == 0.7


def test_watches_and_sources_have_points_of_their_own(db):
    assert save(db, POINT, replace(POINT, watch="peace"), replace(POINT, source="rest")) == 3


def test_points_are_listed_newest_first_and_from_a_day_on(db):
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(5)]
    save(db, *(replace(POINT, dedupe_key=f"ext_{day}", observed_on=day) for day in days))
    with db.reading() as tx:
        assert [one.observed_on for one in price_points.since(tx, "morgan", days[2])] == days[:1:-1]
        assert len(price_points.recent(tx, "morgan", limit=2)) == 2
        assert price_points.count(tx, "morgan") == 5


def test_only_what_the_watch_has_is_standing_with_its_latest_point(db):
    with db.transaction() as tx:
        found = items.insert(tx, [an_item(key, source="ebay", kind="price") for key in ("1", "2", "3")])
        matches.create(tx, "morgan", "q1", [found["1"], found["2"]], NOW, "machine", "found")
        matches.create(tx, "peace", "q2", [found["3"]], NOW, "machine", "found")
        later = replace(POINT, dedupe_key="hash_later", price=replace(POINT.price, cents=4000))
        price_points.save(tx, [POINT], NOW)
        price_points.save(tx, [later], NOW)
        price_points.save(tx, [replace(POINT, watch="peace", dedupe_key="ext_other")], NOW)
        standing = price_points.standing(tx, "morgan", "ebay", ["1", "2", "3", "4"], NOW.date())
    assert standing["1"].dedupe_key == "hash_later"
    assert standing["1"].price == later.price
    assert standing["2"] is None
    assert standing.keys() == {"1", "2"}
    assert set(standing["1"].had.values()) == {"ext_1", "hash_later"}


def test_a_point_that_is_taken_up_again_is_the_latest_and_never_by_an_older_clock(db):
    with db.transaction() as tx:
        found = items.insert(tx, [an_item("1", source="ebay", kind="price")])
        matches.create(tx, "morgan", "q1", [found["1"]], NOW, "machine", "found")
    later = replace(POINT, dedupe_key="hash_later", price=replace(POINT.price, cents=4000))
    save(db, POINT)
    save(db, later, now=LATER)

    def latest(taken_at):
        with db.transaction() as tx:
            price_points.take_up(tx, [replace(POINT, seen_at=taken_at)], LATER)
            known = price_points.standing(tx, "morgan", "ebay", ["1"], LATER.date())["1"]
        return known.price.cents, stored(db)[0].price.cents

    assert latest(NOW) == (4000, 4000)
    assert latest(LATER + timedelta(seconds=1)) == (4500, 4500)
    assert len(stored(db)) == 2


@pytest.mark.parametrize("bad", [{"price": replace(POINT.price, cents=0)}, {"match_strength": 1.5}])
def test_the_database_refuses_what_is_no_point(db, bad):
    with pytest.raises(Exception, match=r"(?i)check"):
        save(db, replace(POINT, **bad))


def test_many_who_write_the_same_points_at_once_leave_each_once_and_the_strongest(db):
    """The concurrency check of seed 004: workers on overlapping listings, again and again."""
    begin, errors = threading.Barrier(4), []

    def work(worker: int) -> None:
        try:
            begin.wait(10)
            for repeat in range(3):
                keys = range(60) if worker % 2 else reversed(range(60))
                strength = (worker + repeat) / 10
                batch = [replace(POINT, dedupe_key=f"ext_{key}", match_strength=strength) for key in keys]
                with db.transaction() as tx:
                    valuations.touch(tx, "morgan", NOW)
                    price_points.save(tx, batch, NOW)
                    jobs.put(tx, [valuations.value_job("morgan")])
                with db.transaction() as tx:
                    valuations.lock(tx, "morgan")
                    valuations.save(tx, "morgan", VALUED, NOW)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert rows(db, DOUBLES) == []
    assert len(stored(db)) == 60
    assert {one.match_strength for one in stored(db)} == {0.5}
    assert rows(db, "SELECT count(*) AS n FROM valuations") == [{"n": 1}]
    assert rows(db, "SELECT count(*) AS n FROM valuation_history") == [{"n": 1}]
    assert rows(db, "SELECT count(*) AS n FROM jobs WHERE kind = 'value'") == [{"n": 1}]


def test_a_valuation_comes_back_as_it_was_saved(db):
    with db.transaction() as tx:
        valuations.touch(tx, "morgan", NOW)
        valuations.save(tx, "morgan", VALUED, LATER)
        valuations.alerted(tx, "morgan", Amount(cents=4400, currency="USD"))
        found = valuations.get(tx, "morgan")
    assert (found.watch, found.changed_at, found.valued_at) == ("morgan", NOW, LATER)
    assert found.valuation == VALUED
    assert found.alerted == Amount(cents=4400, currency="USD")


def test_points_that_nobody_has_valued_yet_are_told_so(db):
    with db.transaction() as tx:
        assert valuations.lock(tx, "morgan") is False
        valuations.touch(tx, "morgan", NOW)
        assert valuations.lock(tx, "morgan") is True
        found = valuations.get(tx, "morgan")
        assert (found.valued_at, found.valuation, found.alerted) == (None, Valuation(), None)
        assert valuations.get(tx, "peace") is None
        assert valuations.watches(tx) == ["morgan"]


def test_only_a_valuation_that_differs_goes_into_the_history(db):
    higher = replace(VALUED, quantiles={q: cents + 100 for q, cents in VALUED.quantiles.items()})
    with db.transaction() as tx:
        valuations.touch(tx, "morgan", NOW)
        for valuation in (VALUED, VALUED, higher, replace(higher, left_out={}), Valuation(), higher):
            valuations.save(tx, "morgan", valuation, NOW)
        past = valuations.history(tx, "morgan", limit=10)
        assert [one.quantiles[50] for one in past] == [4500, 4600, 4600]
        assert [one.quantiles[50] for one in valuations.history(tx, "morgan", limit=2)] == [4600, 4600]
        assert (past[0].currency, past[0].basis, past[0].count, past[0].melt_cents) == ("USD", "ask", 12, 2300)


def test_whoever_values_waits_for_whoever_writes(postgres_url):
    """Else a point could be committed after it was looked for, while its job was swallowed by the one that looked."""
    from inforadar.store.database import open_database

    db = open_database(postgres_url)
    seen, may_value = [], threading.Event()

    def valuer() -> None:
        may_value.wait(10)
        with db.transaction() as tx:
            valuations.lock(tx, "morgan")
            seen.extend(price_points.recent(tx, "morgan", limit=10))

    with db.transaction() as tx:
        valuations.touch(tx, "morgan", NOW)
    thread = threading.Thread(target=valuer)
    thread.start()
    with db.transaction() as tx:
        valuations.touch(tx, "morgan", NOW)
        may_value.set()
        thread.join(0.3)
        assert thread.is_alive()
        price_points.save(tx, [POINT], NOW)
    thread.join(10)
    assert len(seen) == 1
    db.close()


def test_what_a_metal_costs_is_kept_once(db):
    silver = MetalPrice(symbol="XAG", ounce_cents=3012, currency="USD", at=NOW)
    with db.transaction() as tx:
        assert valuations.metal(tx, "XAG") is None
        valuations.put_metal(tx, silver)
        valuations.put_metal(tx, replace(silver, ounce_cents=3100, at=LATER))
        assert valuations.metal(tx, "XAG") == replace(silver, ounce_cents=3100, at=LATER)
