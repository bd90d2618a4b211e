"""Any JSON list: paths, what is checked when a configuration is loaded, what is asked, what is read."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.coverage import Coverage
from inforadar.domain.errors import BadQuery, NoVerdict, SourceError, Unavailable, Unreadable
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Bounds
from inforadar.sources.rest import Rest
from inforadar.sources.rest_entry import plain, read_date
from inforadar.sources.rest_paths import find, parse_path
from inforadar.sources.rest_plan import own_origin
from sources.odd_numbers import ODD_NUMBERS, examples

TOP = Position(size=20)
PARAMS = {"url": "https://api.test/v1/items?lang=en", "id": "id", "title": "name", "date": "at"}


def source(**params: Any) -> Rest:
    return Rest().serving({**PARAMS, **params}, {})


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, headers=headers, body=raw, url="https://api.test/v1/items")


def entry(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {"id": number, "name": f"thing {number}", "at": "2026-01-05T12:00:00Z", **fields}


def read(*entries: Any, position: Position = TOP, **params: Any) -> Page:
    return source(**params).read(answer(list(entries)), position)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", ()),
        ("items", ("items",)),
        ("data.items", ("data", "items")),
        ("links[0].href", ("links", 0, "href")),
        ("[2][-1]", (2, -1)),
        ("@graph", ("@graph",)),
        ("first name.x-y", ("first name", "x-y")),
        ("a..b", None),
        ("a.", None),
        (".a", None),
        ("a[x]", None),
        ("a[0", None),
        ("a]b", None),
        ("a[0]b", None),
        ("a.[0]", None),
        ("a" * 300, None),
    ],
)
def test_a_path_is_names_and_places_and_nothing_else(text: str, steps: tuple[str | int, ...] | None) -> None:
    assert parse_path(text) == steps


def test_a_path_that_leads_nowhere_finds_nothing() -> None:
    value = {"a": [{"b": 1}], "c": None}
    assert find(value, ("a", 0, "b")) == 1
    for steps in (("a", 1), ("a", "b"), ("c", "d"), ("a", 0, 0), ("x",)):
        assert find(value, steps) is None
    assert find("text", ("__class__",)) is None


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_none(text: str) -> None:
    steps = parse_path(text)
    assert steps is None or find({"a": [1]}, steps) in ({"a": [1]}, [1], 1, None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"url": ""}, "needs its `url`"),
        ({"url": "ftp://api.test/x"}, "not a web address"),
        ({"url": "https://"}, "not a web address"),
        ({"url": "//api.test/x"}, "not a web address"),
        ({"url": "https://me:pw@api.test/x"}, "user name"),
        ({"url": "/items"}, ""),
        ({"id": ""}, "`id` is missing"),
        ({"title": None}, "`title` is missing"),
        ({"list": "data..items"}, "`list` is not a path"),
        ({"page": "pages"}, "`page` is one of page, offset, cursor, link, none"),
        ({"page": "cursor"}, "`next` is missing"),
        ({"page": "cursor", "next": "next", "stable": True}, ""),
        ({"page": "link", "stable": "yes"}, "`stable` is true or false"),
        ({"page": "page", "stable": True}, "`stable` is about a cursor"),
        ({"order": "oldest"}, "`order` is one of"),
        ({"order": "newest", "date": None}, "`date` is missing"),
        ({"page_size": 0}, "`page_size` is a whole number from 1 to 1000"),
        ({"page_size": "many"}, "`page_size`"),
        ({"first_page": 2}, "`first_page`"),
        ({"fields": "price"}, "`fields` is a table"),
        ({"fields": {"Price": "p"}}, "small letters"),
        ({"fields": {"bumped_at": "p"}}, "cannot be used"),
        ({"fields": {"price": "a..b"}}, "no path for 'price'"),
        ({"headers": {"Authorization": "Bearer x"}}, "[sources.rest] token"),
        ({"headers": {"X-Api-Key": "x"}}, 'token_header = "X-Api-Key"'),
        ({"headers": {"Accept-Language": "es"}}, ""),
        ({"query": {"api_key": "x"}}, 'token_param = "api_key"'),
        ({"url": "https://api.test/x?access_token=1"}, 'token_param = "access_token"'),
        ({"query": {"keyword": "x"}, "token_param": "api_key"}, ""),
        ({"url": "https://api.test/x?key=1"}, 'token_param = "key"'),
        ({"query": {"auth": "1"}}, 'token_param = "auth"'),
        ({"query": {"app_key": "1"}}, 'token_param = "app_key"'),
        ({"headers": {"X-Auth": "1"}}, 'token_header = "X-Auth"'),
        ({"query": {"author": "x", "sort_key": "date", "authority": "x"}}, ""),
        ({"headers": {"Bad Name": "es"}}, "HTTP cannot carry"),
        ({"link": "https://site.test/all"}, "without {id}"),
        ({"link": "https://site.test/{id}"}, ""),
        ({"date_format": "%d.%m.%Y"}, ""),
        ({"date_format": "german"}, "`date_format` is iso, unix"),
        ({"lsit": "x"}, "did you mean `list`"),
    ],
)
def test_a_configuration_is_checked_with_clear_sentences(changed: dict[str, Any], said: str) -> None:
    sentences = Rest().check({**PARAMS, **changed})
    assert bool(sentences) == bool(said)
    assert said in " ".join(sentences)


def test_an_entry_is_read_by_the_paths_of_the_configuration() -> None:
    told = {"name": "<b>Senior</b> developer", "link": {"href": "/jobs/7"}, "owner": {"name": "Acme"}}
    fields = {"company": "owner.name", "tags": "tags", "text": "body", "price": "cost", "currency": "unit"}
    more = {"tags": ["a", "", "b"], "body": "<p>Long</p><p>text</p>", "cost": "12.50", "unit": "EUR"}
    page = read(entry(7, **told, **more), link="link.href", fields=fields)
    draft = page.drafts[0]
    assert draft.key == "api.test/v1/items#7"
    assert (draft.title, draft.company) == ("Senior developer", "Acme")
    assert draft.url == "https://api.test/jobs/7"
    assert draft.rank == datetime(2026, 1, 5, 12, tzinfo=UTC)
    assert draft.data == {
        "tags": ["a", "b"],
        "full_text": "Long\ntext",
        "full_text_state": "fetched",
        "price_cents": 1250,
        "price_type": "ask",
        "currency": "EUR",
    }


@pytest.mark.parametrize(
    ("fields", "told", "data"),
    [
        ({}, "€ 1,50", {"price_cents": 150, "currency": "EUR", "price_type": "ask"}),
        ({"currency": "unit"}, "1,50", {"price_cents": 150, "currency": "GBP", "price_type": "ask"}),
        ({"currency": "unit"}, "$1.50", {"price_cents": 150, "currency": "GBP", "price_type": "ask"}),
        ({"currency": "none"}, "$1.50", {"price_cents": 150, "currency": "USD", "price_type": "ask"}),
        ({"price_type": "kind"}, 2, {"price_cents": 200, "price_type": "sold"}),
        ({}, "on request", {"price_text": "on request"}),
        ({}, "1.234 EUR", {"price_text": "1.234 EUR"}),
        ({}, None, {}),
        ({}, {"amount": 1}, {}),
    ],
)
def test_a_price_is_read_with_its_currency_or_kept_as_it_was_written(fields: Any, told: Any, data: Any) -> None:
    page = read(entry(cost=told, unit="GBP", kind="sold"), fields={"price": "cost", **fields})
    assert page.drafts[0].data == data | {"full_text_state": "fetched"}


@pytest.mark.parametrize(
    ("fields", "currency", "said"),
    [
        ({"price": "p"}, None, "no `currency`"),
        ({"price": "p"}, "EUR", ""),
        ({"price": "p", "currency": "c"}, None, ""),
        ({"currency": "c"}, "EUR", "no `price`"),
        (None, "EUR", "no `price`"),
    ],
)
def test_a_query_that_can_bring_no_price_is_told(fields: Any, currency: str | None, said: str) -> None:
    told = " ".join(Rest().check_prices({**PARAMS, "fields": fields}, currency))
    assert (said in told, bool(told)) == (True, bool(said))


@pytest.mark.parametrize(
    ("link", "told", "url"),
    [
        (None, None, "https://api.test/v1/items#1"),
        ("href", "https://site.test/1", "https://site.test/1"),
        ("href", "javascript:alert(1)", "https://api.test/v1/items#1"),
        ("href", "http://[", "https://api.test/v1/items#1"),
        ("href", None, "https://api.test/v1/items#1"),
        ("https://site.test/{id}?x", None, "https://site.test/1?x"),
    ],
)
def test_an_entry_has_an_address_whatever_its_link_says(link: str | None, told: Any, url: str) -> None:
    assert read(entry(href=told), **({"link": link} if link else {})).drafts[0].url == url


def test_nothing_in_a_template_is_executed() -> None:
    link = "https://site.test/{id}?a={{7*7}}&b={0.__class__}&c=%s"
    assert read(entry(), link=link).drafts[0].url == link.replace("{id}", "1")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'[{"id":' + b"9" * 5000 + b"}]", b"[NaN]", b'{"a":1}{'])
def test_a_hostile_body_is_one_of_our_errors_or_nothing(body: bytes) -> None:
    with suppress(SourceError):
        assert source().read(answer(body), TOP).drafts == ()


@pytest.mark.parametrize("link", [None, "https://x.test/{id}"])
def test_an_id_of_half_a_character_is_read_and_can_be_kept(link: str | None) -> None:
    params = {"link": link} if link else {}
    page = read(entry(id="a\ud800b"), entry(2), **params)
    assert len(page.drafts) == 2
    page.drafts[0].url.encode()


def test_two_lists_with_the_same_ids_are_kept_apart() -> None:
    one, other = (source(url=url).read(answer([entry()]), TOP) for url in ("https://a.test/x", "https://b.test/x"))
    assert one.drafts[0].key != other.drafts[0].key


@pytest.mark.parametrize(
    ("value", "written", "read_as"),
    [
        ("2026-01-05T13:00:00+01:00", "iso", datetime(2026, 1, 5, 12, tzinfo=UTC)),
        (1767614400, "unix", datetime(2026, 1, 5, 12, tzinfo=UTC)),
        ("1767614400", "unix", datetime(2026, 1, 5, 12, tzinfo=UTC)),
        (1767614400000, "unix_ms", datetime(2026, 1, 5, 12, tzinfo=UTC)),
        ("05.01.2026 12:00", "%d.%m.%Y %H:%M", datetime(2026, 1, 5, 12, tzinfo=UTC)),
        ("05.01.2026 12:00 +0100", "%d.%m.%Y %H:%M %z", datetime(2026, 1, 5, 11, tzinfo=UTC)),
        ("soon", "iso", None),
        (True, "unix", None),
        (10**30, "unix", None),
        ("1e400", "unix", None),
        ("0001-01-01", "%Y-%m-%d", None),
    ],
)
def test_dates_are_read_as_the_list_writes_them(value: Any, written: str, read_as: datetime | None) -> None:
    assert read_date(value, written) == read_as


def test_an_entry_without_its_date_has_no_place_in_the_order_and_is_told_apart() -> None:
    page = read(entry(1), entry(2, at="soon"), entry(3, id=None))
    assert (len(page.drafts), page.undated, page.unreadable, page.entries) == (1, 1, 1, 3)
    assert [(one.title, one.is_dated) for one in page.loose] == [(read(entry(2)).drafts[0].title, False)]


@pytest.mark.parametrize(
    "told", [{}, {"date": "Mon, 05 Jan 1998 12:00:00 GMT"}, {"date": "Mon, 05 Jan 2099 12:00:00 GMT"}]
)
def test_a_list_without_dates_is_collected_whole_whatever_the_cutoff_and_the_answers_own_date(told: Any) -> None:
    now = datetime(2026, 1, 5, 12, tzinfo=UTC)
    made = Rest().serving({name: value for name, value in PARAMS.items() if name != "date"}, {})
    sweep = Sweep(Coverage(), made.paging, Bounds(cutoff_date=now.date()), now, 1)
    assert sweep.position is not None
    stored = sweep.take(made.read(answer([entry(number) for number in range(5)], **told), sweep.position), set())
    assert [draft.rank for draft in stored.new] == [now] * 5
    assert (sweep.position, sweep.left) == (None, 0)


def test_paging_is_asked_for_as_configured() -> None:
    def asked(position: Position, **params: Any) -> dict[str, str]:
        return dict(source(query={"q": ["a"]}, **params).request({}, position).params)

    second = Position(offset=20, size=20)
    known = {"lang": "en", "q": "a"}
    assert asked(second) == known
    assert asked(second, page="page") == {**known, "page": "2"}
    assert asked(second, page="page", first_page=0, page_param="p", size_param="n") == {**known, "n": "20", "p": "1"}
    assert asked(second, page="offset", size_param="limit") == {**known, "limit": "20", "offset": "20"}
    assert asked(TOP, page="cursor", next="next") == known


def test_a_stable_cursor_leads_from_page_to_page_and_a_passed_place_is_asked_again() -> None:
    cursored = source(page="cursor", next="next", list="items", stable=True)
    size = Position(size=2)
    cursored.read(answer({"items": [entry(1), entry(2)], "next": "abc"}), size)
    on = Position(offset=1, size=2)
    assert dict(cursored.request({}, on).params)["cursor"] == "abc"
    page = cursored.read(answer({"items": [entry(3), entry(4)], "next": None}), on)
    assert [draft.title for draft in page.drafts] == ["thing 2", "thing 3", "thing 4"]
    assert page.is_last is True
    assert dict(cursored.request({}, Position(offset=3, size=2)).params)["cursor"] == "abc"
    assert "cursor" not in dict(cursored.request({}, Position(offset=1, size=2)).params)
    assert "cursor" not in dict(cursored.request({}, size).params)


def test_any_other_cursor_shows_what_its_page_holds_and_nothing_from_memory() -> None:
    cursored = source(page="cursor", next="next", list="items", page_size=2)
    first, second, third = (Position(offset=offset, size=2) for offset in (0, 2, 4))
    cursored.read(answer({"items": [entry(1), entry(2)], "next": "abc"}), first)
    assert dict(cursored.request({}, second).params)["cursor"] == "abc"
    page = cursored.read(answer({"items": [entry(4), entry(5)], "next": "def"}), second)
    assert [draft.title for draft in page.drafts] == ["thing 4", "thing 5"]
    assert page.is_last is False
    assert "cursor" not in dict(cursored.request({}, first).params)
    cursored.read(answer({"items": [entry(2), entry(3)], "next": "new"}), first)
    assert dict(cursored.request({}, second).params)["cursor"] == "new"
    assert dict(cursored.request({}, third).params)["cursor"] == "def"


def test_a_place_below_what_was_followed_comes_nearer_and_shows_nothing_yet() -> None:
    cursored = source(page="cursor", next="next", list="items", page_size=2)
    deep = Position(offset=8, size=2)
    assert "cursor" not in dict(cursored.request({}, deep).params)
    page = cursored.read(answer({"items": [entry(1), entry(2)], "next": "abc"}), deep)
    assert (page.entries, page.is_last) == (0, False)
    assert dict(cursored.request({}, deep).params)["cursor"] == "abc"


@pytest.mark.parametrize(("is_stable", "offset"), [(True, 1), (False, 2)])
def test_a_cursor_that_leads_to_itself_ends_the_list(is_stable: bool, offset: int) -> None:
    cursored = source(page="cursor", next="next", list="items", stable=is_stable)
    cursored.read(answer({"items": [entry(1)], "next": "abc"}), Position(size=2))
    page = cursored.read(answer({"items": [entry(2)], "next": "abc"}), Position(offset=offset, size=2))
    assert page.is_last is True


@pytest.mark.parametrize(
    ("link", "path", "params"),
    [
        ('<https://api.test/v1/items?after=9&lang=en>; rel="next"', "/v1/items", {"after": "9", "lang": "en"}),
        ("<?after=9>; title=x; rel=next, <?x=1>; rel=last", "/v1/items", {"after": "9"}),
        ('<?x=1>; rel="prev", </v2/more?after=9>; rel="next"', "/v2/more", {"after": "9"}),
    ],
)
def test_a_link_to_the_next_page_is_followed(link: str, path: str, params: dict[str, str]) -> None:
    linked = source(page="link")
    assert linked.read(answer([entry()], link=link), TOP).is_last is False
    request = linked.request({}, Position(offset=20, size=20))
    assert (request.path, dict(request.params)) == (path, params)


@pytest.mark.parametrize("link", ["https://evil.test/x", "http://169.254.169.254/", "//evil.test", "http://api.test/"])
def test_a_link_that_leaves_the_users_own_site_is_not_followed(link: str) -> None:
    with pytest.raises(Unreadable, match="another site"):
        source(page="link", next="next", list="items").read(answer({"items": [entry()], "next": link}), TOP)


def test_without_a_link_the_list_has_ended() -> None:
    assert source(page="link").read(answer([entry()], link='<?x>; rel="prev"'), TOP).is_last is True


def test_a_page_size_that_is_not_the_lists_own_is_told() -> None:
    paged = {"page": "page", "list": "items", "total": "total"}
    with pytest.raises(BadQuery, match="page_size = 3"):
        source(**paged).read(answer({"items": [entry(n) for n in range(3)], "total": 50}), TOP)
    with pytest.raises(BadQuery, match="page_size = 30"):
        source(**paged).read(answer({"items": [entry(n) for n in range(30)], "total": 50}), TOP)
    last = Position(offset=40, size=20)
    assert source(**paged).read(answer({"items": [entry(n) for n in range(3)], "total": 43}), last).total == 43


@pytest.mark.parametrize(
    ("body", "status", "kind", "said"),
    [
        ({"items": []}, 200, Unreadable, "no list at the path"),
        (b"<html>", 200, Unreadable, "JSON"),
        ([{"x": 1}] * 3, 200, Unreadable, "none of the 3 entries"),
        ({}, 404, BadQuery, "check url"),
        ({}, 422, BadQuery, "check url"),
        ({}, 503, Unavailable, "503"),
    ],
)
def test_errors_say_what_to_do(body: Any, status: int, kind: type[SourceError], said: str) -> None:
    with pytest.raises(kind, match=said):
        source().read(answer(body, status), TOP)


def test_a_page_past_the_end_that_is_not_found_is_the_end_and_noted() -> None:
    page = source(page="page").read(answer({}, 404), Position(offset=40, size=20))
    assert (page.entries, page.is_last) == (0, True)
    assert "after 40 entries" in page.notes[0]


def test_the_token_goes_only_where_a_query_names_its_header() -> None:
    made = Rest(token="s3cret")
    assert "s3cret" not in str(made.serving(PARAMS, {}).request({}, TOP).headers)
    bearer = made.serving({**PARAMS, "token_header": "Authorization"}, {}).request({}, TOP).headers
    assert bearer["Authorization"] == "Bearer s3cret"
    key = made.serving({**PARAMS, "token_header": "X-Api-Key"}, {}).request({}, TOP).headers
    assert key["X-Api-Key"] == "s3cret"
    asked = made.serving({**PARAMS, "token_param": "key"}, {}).request({}, TOP)
    assert dict(asked.params)["key"] == "s3cret"
    assert "s3cret" not in str(asked.headers)


def test_only_an_origin_that_the_user_wrote_may_be_private() -> None:
    assert own_origin({**PARAMS, "url": "http://10.0.0.5:8080/x"}) == "http://10.0.0.5:8080"
    assert own_origin({**PARAMS, "url": "/x"}) is None
    assert own_origin({**PARAMS, "url": "ftp://10.0.0.5/"}) is None


def test_an_entry_has_no_page_of_its_own() -> None:
    with pytest.raises(NoVerdict):
        source().detail_request("1", "")
    with pytest.raises(NoVerdict):
        source().read_detail(answer({}))


def test_values_are_kept_plain_and_not_nested_without_end() -> None:
    deep: Any = "bottom"
    for _ in range(50):
        deep = [deep]
    assert plain({"a": "x\x00y", "b": 10**400, "c": deep, "d": None})["a"] == "xy"
    assert "bottom" not in str(plain(deep))
    assert isinstance(plain(10**400), str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ENTRY = st.fixed_dictionaries({}, optional=dict.fromkeys(["id", "name", "at", "href", "x"], JSON | ODD_NUMBERS))
KINDS = st.sampled_from(
    [
        {},
        {"page": "page", "total": "n"},
        {"page": "offset"},
        {"page": "cursor", "next": "next"},
        {"page": "cursor", "next": "next", "stable": True},
        {"page": "link"},
    ]
)
OFFSETS = st.sampled_from([0, 1, 20, 40])


@settings(max_examples=examples(1000), deadline=None)
@given(st.binary(max_size=200), st.sampled_from([200, 404, 500]), KINDS, OFFSETS)
def test_any_bytes_give_a_page_or_one_of_our_errors(body: bytes, status: int, kind: Any, offset: int) -> None:
    with suppress(SourceError):
        source(**kind).read(answer(body, status), Position(offset=offset, size=20))


@settings(max_examples=examples(300), deadline=None)
@given(ODD_NUMBERS, ODD_NUMBERS, st.sampled_from(["iso", "unix", "unix_ms", "%d.%m.%Y"]))
def test_any_number_is_a_price_a_date_or_neither(price: Any, date: Any, written: str) -> None:
    made = source(fields={"price": "cost"}, date="at", date_format=written)
    page = made.read(answer([{"id": "1", "name": "x", "cost": price, "at": date}]), TOP)
    assert page.entries == 1
    page = source(fields={"price": "cost"}).read(answer([entry(cost=price)]), TOP)
    assert len(page.drafts) == 1
    assert all(0 <= draft.data.get("price_cents", 0) <= 2**53 for draft in page.drafts)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(ENTRY | JSON, max_size=4), JSON, JSON, st.text(max_size=40), KINDS, OFFSETS)
def test_any_json_gives_a_page_or_one_of_our_errors(
    entries: list[Any], following: Any, total: Any, link: str, kind: Any, offset: int
) -> None:
    fields = {"company": "x", "price": "x", "text": "x", "other": "x", "href": "href"}
    made = source(list="items", link="href", fields=fields, **kind)
    body = {"items": entries, "next": following, "n": total}
    with suppress(SourceError):
        page = made.read(answer(body, link=link, date=link), Position(offset=offset, size=20))
        json.dumps([dict(draft.data) for draft in page.drafts], allow_nan=False)


@given(st.dictionaries(st.sampled_from([*PARAMS, "list", "page", "next", "fields", "headers", "link", "x"]), JSON))
def test_any_configuration_is_checked_without_falling_over(params: dict[str, Any]) -> None:
    if not Rest().check(params):
        Rest().serving(params, {}).request(params, TOP)


def _circle(query: dict[str, str]) -> dict[str, Any]:
    place = int(query.get("cursor", "0"))
    return {"items": [entry(10 * place + number) for number in range(10)], "next": (place + 1) % 3}


def _same(_query: dict[str, str]) -> dict[str, Any]:
    return {"items": [entry(number) for number in range(10)], "next": "on"}


def _empty(query: dict[str, str]) -> dict[str, Any]:
    return {"items": [], "next": int(query.get("cursor", "0")) + 1}


@pytest.mark.parametrize("serve", [_circle, _same, _empty])
@pytest.mark.parametrize("order", ["newest", "none"])
@pytest.mark.parametrize(
    "paging", [{"page": "cursor"}, {"page": "cursor", "stable": True}, {"page": "page"}, {"page": "offset"}]
)
def test_a_list_that_leads_round_in_a_circle_is_given_up(serve: Any, order: str, paging: Any) -> None:
    made = source(list="items", next="next", page_size=10, order=order, **paging)
    sweep = Sweep(Coverage(), made.paging, Bounds(), datetime(2026, 1, 6, tzinfo=UTC), 1)
    for _ in range(100):
        if sweep.position is None:
            break
        asked = dict(made.request({}, sweep.position).params)
        sweep.take(made.read(answer(serve(asked)), sweep.position), set())
    assert sweep.position is None
