"""eBay: what is asked, what its answers mean."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.paging import Page, Position, Window
from inforadar.domain.ports import Answer
from inforadar.sources.ebay import Ebay, EbaySales
from sources.odd_numbers import ODD_NUMBERS, examples

TOP = Position(size=200)


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, headers=headers, body=raw, url="https://api.ebay.com/buy")


def item(**fields: Any) -> dict[str, Any]:
    price = {"value": "82.28", "currency": "USD"}
    told = {"itemId": "v1|136942131869|0", "title": " 1921 Morgan Dollar", "price": price}
    return {**told, "itemCreationDate": "2026-01-12T16:57:43.000Z", "buyingOptions": ["FIXED_PRICE"], **fields}


def read(*items: Any, position: Position = TOP, **envelope: Any) -> Page:
    return Ebay().read(answer({"total": len(items), "itemSummaries": items, **envelope}), position)


def data_of(**fields: Any) -> Any:
    return read(item(**fields)).drafts[0].data


def error(error_id: int, message: str = "said eBay") -> dict[str, Any]:
    return {"errors": [{"errorId": error_id, "domain": "X", "message": message}]}


def test_an_item_is_read_with_its_price_in_cents() -> None:
    draft = read(
        item(
            condition="Ungraded",
            conditionId="4000",
            seller={"username": "argyris-numismatique", "feedbackScore": 386},
            itemLocation={"postalCode": "S20***", "country": "GB"},
            itemWebUrl="https://www.ebay.fr/itm/136942131869?_skw=2+euro&hash=item1fe&amdata=enc",
            itemEndDate="2026-01-19T16:57:43.000Z",
        )
    ).drafts[0]
    assert (draft.key, draft.title) == ("136942131869", "1921 Morgan Dollar")
    assert draft.rank == datetime(2026, 1, 12, 16, 57, 43, tzinfo=UTC)
    assert draft.url == "https://www.ebay.fr/itm/136942131869"
    assert draft.data == {
        "price_cents": 8228,
        "currency": "USD",
        "price_type": "ask",
        "condition": "Ungraded",
        "condition_id": "4000",
        "buying_options": ["FIXED_PRICE"],
        "ends_at": "2026-01-19T16:57:43+00:00",
        "seller": "argyris-numismatique",
        "location": "S20***, GB",
    }


def test_what_the_seller_asks_is_kept_and_not_what_ebay_made_of_it_today() -> None:
    price = {"value": "82.28", "currency": "GBP", "convertedFromValue": "99.99", "convertedFromCurrency": "USD"}
    data = data_of(price=price)
    assert (data["price_cents"], data["currency"]) == (9999, "USD")


def test_an_auction_without_a_fixed_price_has_a_bid() -> None:
    bid = {"value": "10.00", "currency": "USD"}
    auction = data_of(buyingOptions=["AUCTION"], currentBidPrice=bid, price=None)
    assert (auction["price_cents"], auction["price_type"]) == (1000, "bid")
    both = data_of(buyingOptions=["AUCTION", "FIXED_PRICE"], currentBidPrice=bid)
    assert (both["price_cents"], both["price_type"]) == (8228, "ask")
    fixed = data_of(currentBidPrice=bid)
    assert fixed["price_type"] == "ask"


@pytest.mark.parametrize("value", ["", "abc", "-1", "NaN", "Infinity", "1e400", None, 5, "9" * 40])
def test_a_price_that_is_none_is_left_out(value: Any) -> None:
    assert "price_cents" not in data_of(price={"value": value, "currency": "USD"})


def test_variations_of_one_listing_are_items_of_their_own() -> None:
    one, other = (item(itemId=f"v1|111|{number}", legacyItemId="111") for number in (222, 333))
    drafts = read(one, other).drafts
    assert [draft.key for draft in drafts] == ["111-222", "111-333"]
    assert [draft.data["listing"] for draft in drafts] == ["111", "111"]
    assert drafts[0].url == "https://www.ebay.com/itm/111?var=222"
    assert Ebay().detail_request("111-222", "").path == "/buy/browse/v1/item/v1%7C111%7C222"
    assert Ebay().detail_request("111", "").path == "/buy/browse/v1/item/v1%7C111%7C0"


def test_the_recorded_search_is_read(samples: Path) -> None:
    body = json.loads((samples / "articles_sinks" / "ebay" / "kirill5k_search-success-response.json").read_text())
    page = Ebay().read(answer(body), Position(size=50))
    assert (page.entries, page.undated, page.is_last) == (5, 5, True)
    dated = [{**one, "itemCreationDate": "2019-12-30T18:29:20.617Z"} for one in body["itemSummaries"]]
    first = Ebay().read(answer({**body, "itemSummaries": dated}), Position(size=50)).drafts[0]
    assert (first.key, first.data["price_cents"], first.data["currency"]) == ("item-1", 12000, "GBP")
    assert first.data["buying_options"] == ["FIXED_PRICE", "BEST_OFFER"]


def test_an_empty_search_has_no_list_at_all(samples: Path) -> None:
    body = (samples / "articles_sinks" / "ebay" / "kirill5k_search-empty-response.json").read_bytes()
    page = Ebay().read(answer(body), TOP)
    assert (page.entries, page.is_last) == (0, True)


def test_the_recorded_coins_have_the_keys_of_their_listings(samples: Path) -> None:
    runs = json.loads((samples / "articles_sinks" / "ebay" / "eurio_coins_2026-04-13.json").read_text())
    kept = {one["item_id"]: one for run in runs for one in run["kept"]}
    entries = [
        item(
            itemId=key,
            title=one["title"],
            itemCreationDate=one["origin_date"],
            price={"value": str(one["price"]), "currency": one["currency"]},
        )
        for key, one in kept.items()
    ]
    page = read(*entries)
    assert (len({draft.key for draft in page.drafts}), page.unreadable, page.undated) == (len(kept), 0, 0)
    prices = [round(one["price"] * 100) for one in kept.values()]
    assert [draft.data["price_cents"] for draft in page.drafts] == prices


def test_the_recorded_items_are_alive_with_their_text(samples: Path) -> None:
    for number in ("1", "2", "3-no-aspects"):
        body = (samples / "articles_sinks" / "ebay" / f"kirill5k_get-item-{number}-success-response.json").read_bytes()
        detail = Ebay().read_detail(answer(body))
        assert detail.availability == "alive"
        assert detail.full_text
        assert detail.data["price_cents"] > 0


def test_a_recorded_item_that_is_not_found_is_gone(samples: Path) -> None:
    body = (samples / "articles_sinks" / "ebay" / "kirill5k_get-item-notfound-error-response.json").read_bytes()
    assert Ebay().read_detail(answer(body, 404)).availability == "gone"
    refused = (samples / "articles_sinks" / "ebay" / "kirill5k_get-item-unauthorized-error-response.json").read_bytes()
    with pytest.raises(Refused):
        Ebay().read_detail(answer(refused, 401))


def test_a_search_is_asked_newest_first_inside_the_window() -> None:
    window = Window(after=datetime(2026, 1, 5, 11, 58, 1, 5, tzinfo=UTC), upto=datetime(2026, 1, 5, 12, tzinfo=UTC))
    params = {"q": "morgan dollar", "marketplace": "EBAY_GB", "filter": "buyingOptions:{AUCTION}", "sort": "price"}
    request = Ebay().request(params, Position(offset=199, size=200, window=window))
    assert request.path == "/buy/browse/v1/item_summary/search"
    dates = "itemStartDate:[2026-01-05T11:58:01.000Z..2026-01-05T12:00:01.000Z]"
    assert dict(request.params) == {
        "q": "morgan dollar",
        "filter": f"buyingOptions:{{AUCTION}},{dates}",
        "sort": "newlyListed",
        "limit": "200",
        "offset": "199",
    }
    assert request.headers["X-EBAY-C-MARKETPLACE-ID"] == "EBAY_GB"


@pytest.mark.parametrize(
    ("window", "written"),
    [
        (Window(after=datetime(2026, 1, 5, tzinfo=UTC)), "itemStartDate:[2026-01-05T00:00:00.000Z]"),
        (Window(upto=datetime(2026, 1, 5, tzinfo=UTC)), "itemStartDate:[..2026-01-05T00:00:01.000Z]"),
        (Window(), None),
        (None, None),
    ],
)
def test_a_window_may_be_open_on_either_side(window: Window | None, written: str | None) -> None:
    request = Ebay().request({"q": "x"}, Position(size=200, window=window))
    assert dict(request.params).get("filter") == written


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"q": "coin", "filter": "price:[1..5],priceCurrency:USD"}, ""),
        ({"q": "coin", "filter": "price:[1..5]"}, "priceCurrency"),
        ({"q": "coin", "filter": "itemStartDate:[2020-01-01T00:00:00Z]"}, "cutoff_date"),
        ({"query": "coin"}, "no parameter `query`"),
        ({}, "something to search for"),
        ({"q": "coin", "sort": "price"}, "must stay `newlyListed`"),
        ({"q": "coin", "limit": "5"}, "set by Radar itself"),
        ({"q": "coin", "marketplace": "ebay.com"}, "EBAY_US"),
        ({"q": "coin", "sold": True}, "category_ids"),
        ({"q": "coin", "sold": True, "category_ids": "11116"}, ""),
        ({"q": "coin", "sold": "maybe"}, "true or false"),
    ],
)
def test_wrong_parameters_are_told_before_anything_is_asked(params: dict[str, Any], said: str) -> None:
    sentences = Ebay().check(params)
    assert bool(sentences) == bool(said)
    assert said in " ".join(sentences)


def test_a_list_with_a_warning_is_not_the_list_that_was_asked_for() -> None:
    warning = {"errorId": 12008, "message": "The 'sort' value is invalid."}
    with pytest.raises(BadQuery, match="12008 The 'sort' value"):
        read(item(), warnings=[warning])


def test_past_the_cap_is_an_empty_last_page_with_a_note() -> None:
    page = Ebay().read(answer(error(12029), 400), Position(offset=9900, size=200))
    assert (page.drafts, page.is_last) == ((), True)
    assert "10000" in page.notes[0]
    with pytest.raises(BadQuery):
        Ebay().read(answer(error(12029), 400), TOP)


@pytest.mark.parametrize(
    ("entries", "total", "is_last"), [(200, 1000, False), (200, 200, True), (3, 3, True), (3, 5, None), (0, 5, None)]
)
def test_a_total_that_promises_more_than_a_short_page_is_an_estimate(
    entries: int, total: int, is_last: bool | None
) -> None:
    assert read(*[item()] * entries, total=total).is_last is is_last


def test_the_daily_quota_is_waited_for_until_midnight_in_california(samples: Path) -> None:
    body = (samples / "articles_sinks" / "ebay" / "ebay_429_quota.json").read_bytes()
    with pytest.raises(RateLimited, match="daily quota") as caught:
        Ebay().read(answer(body, 429, date="Mon, 05 Jan 2026 12:00:00 GMT"), TOP)
    assert caught.value.retry_at == datetime(2026, 1, 6, 8, tzinfo=UTC)
    with pytest.raises(RateLimited) as summer:
        Ebay().read(answer(body, 429, date="Sun, 05 Jul 2026 06:59:00 GMT"), TOP)
    assert summer.value.retry_at == datetime(2026, 7, 5, 7, tzinfo=UTC)
    with pytest.raises(RateLimited) as told:
        Ebay().read(answer(body, 429, date="Mon, 05 Jan 2026 12:00:00 GMT", **{"retry-after": "60"}), TOP)
    assert told.value.retry_at is None


@pytest.mark.parametrize(
    ("body", "status", "kind", "said"),
    [
        (error(1001), 401, Refused, "client_secret"),
        (error(1100), 403, Refused, "1100"),
        (error(12001), 400, BadQuery, "12001 said eBay"),
        (error(12019), 409, BadQuery, "12019"),
        (error(12000), 500, Unavailable, "12000"),
        (b"<html>", 503, Unavailable, "503"),
        (b"", 429, RateLimited, "slow down"),
        ({"itemSummaries": []}, 200, Unreadable, "no list"),
        ({"itemSummaries": {}, "total": 1}, 200, Unreadable, "no list"),
    ],
)
def test_errors_say_what_to_do(body: Any, status: int, kind: type[SourceError], said: str) -> None:
    with pytest.raises(kind, match=said):
        Ebay().read(answer(body, status), TOP)


def test_sold_prices_are_another_list_kept_apart() -> None:
    source = Ebay().serving({"sold": True, "category_ids": "11116"}, {})
    assert isinstance(source, EbaySales)
    request = source.request({"sold": True, "category_ids": "11116"}, TOP)
    assert request.path == "/buy/marketplace_insights/v1_beta/item_sales/search"
    assert dict(request.params) == {"category_ids": "11116", "sort": "price", "limit": "200", "offset": "0"}
    sale = item(lastSoldDate="2026-01-03T10:00:00.000Z", lastSoldPrice={"value": "50.00", "currency": "USD"})
    draft = source.read(answer({"total": 1, "itemSales": [{**sale, "totalSoldQuantity": 2}]}), TOP).drafts[0]
    assert (draft.key, draft.rank) == ("sold-136942131869", datetime(2026, 1, 3, 10, tzinfo=UTC))
    assert (draft.data["price_cents"], draft.data["price_type"], draft.data["sold_quantity"]) == (5000, "sold", 2)
    assert source.detail_request(draft.key, "").path.endswith("v1%7C136942131869%7C0")


def test_a_key_that_may_not_see_sold_prices_is_told_so_and_holds_up_nothing_else() -> None:
    with pytest.raises(BadQuery, match="only to keys it has approved"):
        EbaySales().read(answer(error(1100), 403), TOP)


def test_an_ordinary_query_is_served_by_the_source_itself() -> None:
    source = Ebay()
    assert source.serving({"q": "coin"}, {}) is source


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | ODD_NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
MONEY = st.one_of(
    st.fixed_dictionaries({}, optional=dict.fromkeys(["value", "currency", "convertedFromValue"], JSON)),
    st.builds(lambda value: {"value": value, "currency": "USD"}, ODD_NUMBERS),
)
ITEM = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys([*item(), "itemWebUrl", "lastSoldDate", "seller"], JSON)
    | dict.fromkeys(["price", "lastSoldPrice", "currentBidPrice"], MONEY),
)


@settings(max_examples=examples(1000), deadline=None)
@given(st.binary(max_size=200), st.sampled_from([200, 400, 403, 404, 409, 429, 500]))
def test_any_bytes_give_a_page_or_one_of_our_errors(body: bytes, status: int) -> None:
    for read_answer in (lambda given: Ebay().read(given, TOP), Ebay().read_detail):
        with suppress(SourceError):
            read_answer(answer(body, status))


@settings(max_examples=examples(300), deadline=None)
@given(ODD_NUMBERS, ODD_NUMBERS)
def test_any_number_is_a_price_in_cents_or_no_price(value: Any, converted: Any) -> None:
    told = {"value": value, "currency": "USD", "convertedFromValue": converted, "convertedFromCurrency": "EUR"}
    data = data_of(price=told)
    assert 0 <= data.get("price_cents", 0) <= 10**14


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(ITEM | JSON, max_size=4), JSON, JSON, st.text(max_size=30))
def test_any_json_gives_a_page_or_one_of_our_errors(items: list[Any], total: Any, errors: Any, date: str) -> None:
    for source, name in ((Ebay(), "itemSummaries"), (EbaySales(), "itemSales")):
        with suppress(SourceError):
            assert source.read(answer({"total": total, name: items}), TOP).entries == len(items)
        for status in (400, 429):
            with suppress(SourceError):
                source.read(answer({"errors": errors, "warnings": errors}, status, date=date), TOP)
    for one in items:
        with suppress(SourceError):
            Ebay().read_detail(answer(one))
