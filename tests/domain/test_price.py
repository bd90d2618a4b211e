"""Price points: their keys, what a sighting makes, and how well a title fits the coin."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.coin import Coin, match_strength
from inforadar.domain.item import Draft
from inforadar.domain.price import LastPoint, Price, dedupe_key, point_of, price_in
from inforadar.domain.watch import ValuationTerms, Watch

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = NOON.date()
MORGAN = Coin(year=1921, series="Morgan", denomination="dollar")
WATCH = Watch(name="morgan", kind="price", coin=MORGAN)
ASK = Price(cents=4500, currency="USD", type="ask")
DRAFT = Draft(
    key="1001",
    rank=datetime(2025, 12, 1, 9, tzinfo=UTC),
    url="https://www.ebay.com/itm/1001?hash=item1#top",
    title="1921 Morgan Dollar",
    data={"price_cents": 4500, "currency": "USD", "price_type": "ask"},
)


def key(url="https://shop.test/coin/1", title="1921 Morgan", price=ASK, on=DAY):
    return dedupe_key(None, url=url, title=title, price=price, observed_on=on)


def test_an_id_of_the_source_is_the_key():
    assert dedupe_key("v1|42|0", url="u", title="t", price=ASK, observed_on=DAY) == "ext_v1|42|0"


def test_without_an_id_the_key_is_a_short_digest_of_what_was_seen():
    assert key() == "hash_" + key().removeprefix("hash_")
    assert len(key()) == len("hash_") + 16


@pytest.mark.parametrize(
    "same",
    [
        {"url": "https://shop.test/coin/1?utm_source=x&page=2"},
        {"url": "HTTPS://SHOP.test:443/coin/1/#photos"},
        {"title": "  1921   MORGAN "},
    ],
)
def test_the_key_does_not_depend_on_what_only_looks_different(same):
    assert key(**same) == key()


@pytest.mark.parametrize(
    "other",
    [
        {"price": replace(ASK, currency="EUR")},
        {"url": "https://shop.test/coin/2"},
        {"title": "1921 Morgan dollar"},
        {"price": replace(ASK, cents=4501)},
        {"price": replace(ASK, type="sold")},
        {"on": date(2026, 1, 6)},
    ],
)
def test_the_key_depends_on_address_title_price_currency_type_and_day(other):
    assert key(**other) != key()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"price_cents": 0, "currency": "USD"},
        {"price_cents": -1, "currency": "USD"},
        {"price_cents": True, "currency": "USD"},
        {"price_cents": "4500", "currency": "USD"},
        {"price_cents": 10**15, "currency": "USD"},
        {"price_cents": 4500},
        {"price_cents": 4500, "currency": "dollars"},
        {"price_cents": 4500, "currency": "USD", "price_type": "estimate"},
    ],
)
def test_what_is_no_price_is_none(data):
    assert price_in(data) is None


def test_a_price_without_a_currency_is_in_the_watch_s_own_and_signs_are_understood():
    assert price_in({"price_cents": 4500}, "EUR") == Price(cents=4500, currency="EUR", type="ask")
    assert price_in({"price_cents": 4500, "currency": "€"}) == Price(cents=4500, currency="EUR", type="ask")


def test_the_first_sighting_of_a_listing_has_the_source_s_id_as_its_key():
    point = point_of(WATCH, "ebay", DRAFT, None, NOON)
    assert (point.dedupe_key, point.price, point.observed_on) == ("ext_1001", ASK, DAY)
    assert (point.match_strength, point.why) == (1.0, "year 1921; series morgan; denomination dollar")


def test_the_same_price_seen_again_is_the_same_point():
    last = LastPoint(dedupe_key="hash_of_an_earlier_day", price=ASK, seen_at=NOON)
    assert point_of(WATCH, "ebay", DRAFT, last, NOON).dedupe_key == "hash_of_an_earlier_day"


def test_a_changed_price_is_a_new_point_of_its_day():
    last = LastPoint(dedupe_key="ext_1001", price=replace(ASK, cents=5000), seen_at=NOON)
    first, again = (point_of(WATCH, "ebay", DRAFT, last, NOON) for _ in range(2))
    assert first == again
    assert first.dedupe_key.startswith("hash_")


def test_a_price_the_listing_had_before_on_the_same_day_is_the_same_point():
    last = LastPoint(dedupe_key="hash_2", price=replace(ASK, cents=5000), seen_at=NOON, had={(ASK, DAY): "ext_1001"})
    assert point_of(WATCH, "ebay", DRAFT, last, NOON).dedupe_key == "ext_1001"
    assert last.is_before("ext_1001")
    assert not last.is_before("hash_2")
    assert point_of(WATCH, "ebay", DRAFT, last, NOON - timedelta(hours=1)).seen_at > last.seen_at
    tomorrow = point_of(WATCH, "ebay", DRAFT, last, NOON + timedelta(days=1))
    assert tomorrow.dedupe_key.startswith("hash_")


def test_changed_prices_of_two_listings_that_look_alike_stay_two_points():
    last = LastPoint(dedupe_key="ext_1", price=replace(ASK, cents=5000), seen_at=NOON)
    alike = [replace(DRAFT, key=number, url="https://shop.test/list") for number in ("1", "2")]
    assert len({point_of(WATCH, "rest", draft, last, NOON).dedupe_key for draft in alike}) == 2


def test_an_address_is_no_id():
    draft = replace(DRAFT, key="https://shop.test/coin/1")
    assert point_of(WATCH, "feed", draft, None, NOON).dedupe_key.startswith("hash_")


def test_a_sale_was_observed_on_its_own_day_and_an_offer_when_it_was_seen():
    sold = replace(DRAFT, data={**DRAFT.data, "price_type": "sold"})
    assert point_of(WATCH, "ebay", sold, None, NOON).observed_on == DRAFT.rank.date()
    assert point_of(WATCH, "ebay", DRAFT, None, NOON).observed_on == DAY


def test_a_later_sale_at_the_same_price_is_a_point_of_its_own_and_the_same_sale_seen_again_is_not():
    keys, last = [], None
    for day in range(0, 90, 10):
        rank = DRAFT.rank + timedelta(days=day)
        sold = replace(DRAFT, rank=rank, data={**DRAFT.data, "price_type": "sold"})
        for hours in (0, 30):
            at = rank + timedelta(hours=hours)
            point = point_of(WATCH, "ebay", sold, last, at)
            keys.append(point.dedupe_key)
            had = {**(last.had if last else {}), (point.price, point.observed_on): point.dedupe_key}
            last = LastPoint(dedupe_key=point.dedupe_key, price=point.price, seen_at=at, had=had)
    assert (len(set(keys)), len(keys)) == (9, 18)
    assert keys[0] == "ext_1001"


def test_a_sale_without_a_date_of_its_own_is_one_sale_however_often_it_is_seen():
    sold = replace(DRAFT, data={**DRAFT.data, "price_type": "sold"}, is_dated=False)
    last = LastPoint(dedupe_key="ext_1001", price=replace(ASK, type="sold"), seen_at=NOON)
    tomorrow = NOON + timedelta(days=1)
    assert point_of(WATCH, "rest", replace(sold, rank=tomorrow), last, tomorrow).dedupe_key == "ext_1001"


def test_a_listing_without_a_price_makes_no_point():
    assert point_of(WATCH, "ebay", replace(DRAFT, data={}), None, NOON) is None


def test_a_watch_without_fields_trusts_its_queries():
    plain = Watch(name="any", kind="price", valuation=ValuationTerms(currency="EUR"))
    assert point_of(plain, "ebay", DRAFT, None, NOON).match_strength == 1.0


FULL = Coin(year=1921, mintmark="D", denomination="dollar", series="Morgan", grade="MS63")


@pytest.mark.parametrize(
    "title",
    [
        "1921-D Morgan Dollar MS63 PCGS",
        "1921 D Morgan Silver Dollar MS-63",
        "1921 Morgan $1 Denver MS 63 NGC",
        "MORGAN DOLLAR 1921D BU",
    ],
)
def test_a_title_that_says_everything_fits_wholly(title):
    assert match_strength(FULL, title).score == 1.0


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("1922-D Morgan Dollar MS63", "another year: 1922"),
        ("1921-S Morgan Dollar MS63", "another mint mark: S"),
        ("1921 Morgan Dollar MS63", "mint mark D not named"),
        ("1921-D Peace Dollar MS63", "another series: peace"),
        ("1921-D Morgan Half Dollar MS63", "another denomination: half dollar"),
        ("1921-D Morgan Dollar MS63 REPLICA", 'a copy: "replica"'),
        ("1921-D Morgan Dollar copy MS63", 'a copy: "copy"'),
        ("Lot of 5 1921-D Morgan Dollars MS63", 'several coins: "lot"'),
        ("1921-D Morgan Dollar MS63 x10", 'several coins: "x10"'),
        ("1921-D Morgan Dollar pendant MS63", 'altered: "pendant"'),
    ],
)
def test_a_contradiction_makes_it_too_weak_to_count_and_is_told(title, why):
    strength = match_strength(FULL, title)
    assert strength.score < 0.5
    assert why in strength.why


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("1921-D Morgan Dollar", "grade not named"),
        ("1921-D Morgan Dollar MS64", "a near grade"),
        ("1921-D Morgan MS63", "denomination not named"),
    ],
)
def test_what_is_merely_not_named_weakens_a_little(title, why):
    strength = match_strength(FULL, title)
    assert 0.5 <= strength.score < 1.0
    assert why in strength.why


def test_coins_of_philadelphia_bear_no_mark():
    coin = replace(FULL, mintmark="P")
    assert match_strength(coin, "1921 Morgan Dollar MS63").score == 1.0
    assert match_strength(coin, "1921-S Morgan Dollar MS63").score < 0.5


def test_a_price_or_a_longer_number_is_no_year():
    assert "no year named" in match_strength(MORGAN, "Morgan Dollar $1921 item 119210").why


def test_euro_coins_are_told_apart_by_their_value():
    coin = Coin(denomination="2 euro", year=2007)
    assert match_strength(coin, "2 Euro 2007 Deutschland").score == 1.0
    assert match_strength(coin, "1 Euro 2007 Deutschland").score < 0.5
    assert match_strength(coin, "50 Cent 2007 Deutschland").score < 0.5


def test_words_of_a_copy_do_not_count_against_who_looks_for_one():
    assert match_strength(Coin(title="replica Morgan"), "Morgan replica").score == 1.0


@given(st.text(max_size=200))
def test_any_title_at_all_has_a_strength_and_a_reason(title):
    strength = match_strength(FULL, title)
    assert 0 <= strength.score <= 1
    assert strength.why


@given(st.sampled_from(["replica", "lot of 5", "pendant", "kopie"]), st.sampled_from(["1921-D Morgan Dollar", "1921"]))
def test_a_suspicious_word_never_makes_it_fit_better(word, title):
    assert match_strength(FULL, f"{title} {word}").score < match_strength(FULL, title).score
