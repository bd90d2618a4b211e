"""hh.ru: what is asked, what its answers mean."""

import json
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.errors import RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.paging import Page, Position, Window
from inforadar.domain.ports import Answer
from inforadar.sources.hh import Hh

TOP = Position(size=100)
LISTS = [
    "hh/list_2024-09_area-72_per_page-1.json",
    "hh/list_2025-04_text-go_per_page-1.json",
    "hh/list_items_2026-03_rostov.json",
]


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, headers=headers, body=raw, url="https://api.hh.ru/vacancies")


def vacancy(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {"id": str(number), "name": "Go developer", "published_at": "2026-03-14T14:07:24+0300", **fields}


def listing(*items: Any, **envelope: Any) -> Answer:
    return answer({"items": items, "found": len(items), "pages": 1, "page": 0, "per_page": 100, **envelope})


def read(*items: Any, **envelope: Any) -> Page:
    return Hh().read(listing(*items, **envelope), TOP)


def data_of(**fields: Any) -> Any:
    return read(vacancy(**fields)).drafts[0].data


@pytest.mark.parametrize("name", LISTS)
def test_the_recorded_lists_give_the_expected_values(samples: Path, name: str) -> None:
    expected = json.loads((samples / "jobboards" / "EXPECTED.json").read_text())[name]
    body = json.loads((samples / "jobboards" / name).read_text())
    page = Hh().read(answer(body if isinstance(body, dict) else {"items": body}), TOP)
    envelope, first, draft = expected["envelope"], expected["first"], page.drafts[0]
    assert (len(page.drafts), page.unreadable, page.undated) == (expected["n"], 0, 0)
    assert len({d.key for d in page.drafts}) == expected["unique_ids"]
    assert page.total == (envelope["found"] if envelope else None)
    assert (draft.key, draft.title, draft.company) == (first["id"], first["name"], first["employer"])
    assert draft.rank == datetime.fromisoformat(first["published_at"])
    assert draft.url == f"https://hh.ru/vacancy/{draft.key}"
    assert sum("salary" not in d.data for d in page.drafts) == expected["null_salary"]
    assert [d.key for d in page.drafts if d.company and d.company_key is None] == expected["anonymous"]


def test_every_recorded_item_has_clean_plain_fields(samples: Path) -> None:
    items = json.loads((samples / "jobboards" / LISTS[2]).read_text())
    for item, draft in zip(items, Hh().read(answer({"items": items}), TOP).drafts, strict=True):
        assert draft.data["place"] == item["area"]["name"]
        assert draft.data["experience"] == item["experience"]["id"]
        assert draft.data["remote"] == any(f["id"] == "REMOTE" for f in item["work_format"])
        assert "\u00a0" not in json.dumps(draft.data, ensure_ascii=False) + draft.title
        assert "highlighttext" not in draft.data.get("snippet", "")
        assert draft.data.get("salary", {}).get("currency") in (None, "RUB", "USD", "EUR")


def test_a_list_is_always_asked_newest_first_and_by_page() -> None:
    params = {"text": "python", "area": ["1", "2"], "only_with_salary": True, "order_by": "relevance", "per_page": "7"}
    request = Hh(token="t", user_agent="Me/1 (a@b.c)").request(params, Position(offset=300, size=100))
    assert request.path == "/vacancies"
    assert request.params == (
        ("text", "python"),
        ("area", "1"),
        ("area", "2"),
        ("only_with_salary", "true"),
        ("order_by", "publication_time"),
        ("per_page", "100"),
        ("page", "3"),
    )
    assert request.headers["Authorization"] == "Bearer t"
    assert request.headers["HH-User-Agent"] == "Me/1 (a@b.c)"


def test_without_a_token_no_authorization_is_sent() -> None:
    assert "Authorization" not in Hh().request({}, TOP).headers


def dates(params: dict[str, Any], after: datetime | None = None, upto: datetime | None = None) -> tuple[Any, Any]:
    sent = dict(Hh().request(params, Position(size=100, window=Window(after=after, upto=upto))).params)
    return sent.get("date_from"), sent.get("date_to")


def test_a_window_is_rounded_outwards_to_five_minutes() -> None:
    after, upto = datetime(2026, 1, 5, 11, 58, 1, tzinfo=UTC), datetime(2026, 1, 5, 12, 0, 1, tzinfo=UTC)
    assert dates({}, after, upto) == ("2026-01-05T11:55:00+0000", "2026-01-05T12:05:00+0000")
    aligned = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    assert dates({}, aligned, aligned) == ("2026-01-05T12:00:00+0000", "2026-01-05T12:00:00+0000")
    assert dates({}, None, aligned) == (None, "2026-01-05T12:00:00+0000")


def test_a_window_narrows_the_users_own_dates_and_never_widens_them() -> None:
    user = {"date_from": date(2026, 1, 3), "date_to": "2026-01-09T00:00:00+03:00"}
    assert dates(user, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 31, tzinfo=UTC)) == (
        "2026-01-03T00:00:00+0000",
        "2026-01-08T21:00:00+0000",
    )
    assert dates(user, datetime(2026, 1, 5, tzinfo=UTC), None)[0] == "2026-01-05T00:00:00+0000"


@given(
    st.timedeltas(timedelta(0), timedelta(days=36_000)),
    st.timedeltas(timedelta(0), timedelta(days=9)),
)
def test_the_dates_sent_always_hold_the_whole_window(since: timedelta, length: timedelta) -> None:
    after = datetime(2000, 1, 1, tzinfo=UTC) + since
    low, high = (datetime.fromisoformat(text) for text in dates({}, after, after + length))
    assert after - timedelta(minutes=5) < low <= after
    assert after + length <= high < after + length + timedelta(minutes=5)
    assert low.minute % 5 == high.minute % 5 == low.second == high.second == 0


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"txt": "python"}, "`text`"),
        ({"zzz": 1}, "`zzz`"),
        ({"order_by": "relevance"}, "`order_by`"),
        ({"period": 7}, "`cutoff_date`"),
        ({"per_page": 20}, "`per_page`"),
        ({"date_from": "yesterday"}, "`date_from`"),
    ],
)
def test_wrong_parameters_are_named_with_a_remedy(params: dict[str, Any], words: str) -> None:
    sentences = Hh().check(params)
    assert len(sentences) == 1
    assert words in sentences[0]


def test_good_parameters_pass() -> None:
    assert (
        Hh().check({"text": "python", "area": [1, 2], "experience": "moreThan6", "date_from": date(2026, 1, 1)}) == ()
    )


def test_a_salary_by_the_hour_is_told_from_one_by_the_month() -> None:
    month = {"from": 800, "to": None, "currency": "RUR", "gross": True}
    assert data_of(salary=month)["salary"] == {"from": 800, "currency": "RUB", "gross": True}
    hour = {**month, "mode": {"id": "HOUR", "name": "За час"}, "frequency": None}
    assert data_of(salary=month, salary_range=hour)["salary"]["mode"] == "HOUR"
    assert data_of(salary={**month, "currency": "BYR"})["salary"]["currency"] == "BYN"
    assert "salary" not in data_of(salary=None, salary_range=None)
    assert "salary" not in data_of(salary={"from": None, "to": None, "currency": "RUR", "gross": None})


def test_an_anonymous_employer_has_a_name_and_no_key() -> None:
    draft = read(vacancy(employer={"name": "Завод", "trusted": True})).drafts[0]
    assert (draft.company, draft.company_key) == ("Завод", None)


def test_a_missing_address_is_made_from_the_number() -> None:
    assert read(vacancy(7, alternate_url=None)).drafts[0].url == "https://hh.ru/vacancy/7"


def test_an_old_answers_archived_text_is_a_boolean() -> None:
    assert data_of(archived="false")["archived"] is False


def test_broken_entries_are_counted_and_the_rest_is_kept() -> None:
    page = read(
        vacancy(1), {"id": "2"}, vacancy(3, published_at=None), "nonsense", vacancy(4, published_at="soon"), vacancy(5)
    )
    assert [draft.key for draft in page.drafts] == ["1", "5"]
    assert (page.unreadable, page.undated, page.entries) == (2, 2, 6)


def test_a_page_of_which_nothing_can_be_read_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="changed its shape"):
        read({}, {}, {})


def test_the_last_page_is_told_by_pages() -> None:
    assert read(vacancy(), found=150, pages=2).is_last is False
    assert Hh().read(listing(vacancy(), found=150, pages=2), Position(offset=100, size=100)).is_last is True
    assert read(found=0, pages=0).is_last is True


def test_at_the_cap_more_is_known_to_exist() -> None:
    page = Hh().read(listing(vacancy(), found=2907, pages=20), Position(offset=1900, size=100))
    assert page.is_last is False
    assert page.total == 2907
    assert page.notes == ()


def test_a_corrected_search_text_is_noted() -> None:
    assert "python" in read(vacancy(), fixes={"original": "pyhton", "fixed": "<b>python</b>"}).notes[0]


def test_past_the_cap_is_an_end_with_a_note(samples: Path) -> None:
    body = (samples / "jobboards/hh/error_400_depth.json").read_bytes()
    page = Hh().read(answer(body, 400), Position(offset=2000, size=100))
    assert (page.drafts, page.is_last) == ((), True)
    assert "depth cap" in page.notes[0]
    with pytest.raises(Refused, match="`page`"):
        Hh().read(answer(body, 400), TOP)


def error_of(body: Any, status: int, token: str | None = None, **headers: str) -> SourceError:
    with pytest.raises(SourceError) as on_list:
        Hh(token=token).read(answer(body, status, **headers), TOP)
    with pytest.raises(SourceError) as on_detail:
        Hh(token=token).read_detail(answer(body, status, **headers))
    assert type(on_list.value) is type(on_detail.value)
    return on_list.value


def errors(kind: str, value: str | None = None, **more: Any) -> dict[str, Any]:
    return {"errors": [{"type": kind, "value": value, **more}], "request_id": "1"}


def test_the_kinds_of_refusal_are_told_apart() -> None:
    captcha = error_of(
        errors("captcha_required", "captcha_required", captcha_url="https://hh.ru/account/captcha?s=1"), 403
    )
    assert isinstance(captcha, Refused)
    assert "https://hh.ru/account/captcha?s=1" in str(captcha)
    assert "[sources.hh] token" in str(captcha)
    assert "[sources.hh] token" in str(error_of(errors("forbidden"), 403))
    assert "revoked" in str(error_of(errors("oauth", "token_revoked"), 403, token="t"))
    assert "expired" in str(error_of(errors("oauth", "token_expired"), 403, token="t"))
    assert "[sources.hh] user_agent" in str(error_of(errors("bad_user_agent", "blacklisted"), 400))
    assert "`area`" in str(error_of(errors("bad_argument", "area"), 400))


def test_the_recorded_refusals_are_understood(samples: Path) -> None:
    folder = samples / "jobboards/hh"
    for path in folder.glob("error_403_forbidden_*.json"):
        assert "token" in str(error_of(path.read_bytes(), 403))
    oauth = error_of((folder / "error_403_oauth_bad_authorization_2024-03.json").read_bytes(), 403, token="t")
    assert "does not accept the token" in str(oauth)
    assert isinstance(error_of((folder / "error_5xx_bad_gateway_2016-12.json").read_bytes(), 502), Unavailable)


def test_a_protection_page_is_an_outage_and_no_refusal() -> None:
    assert isinstance(error_of(b"<html>DDoS-Guard</html>", 403, server="ddos-guard"), Unavailable)
    assert isinstance(error_of(b"<html>502</html>", 502), Unavailable)


def test_too_many_requests_is_a_rate_limit() -> None:
    assert isinstance(error_of(b"", 429), RateLimited)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"items": {}}',
        b'{"items":[',
        b"[" * 100_000,
        b'{"a":NaN}',
        b'{"items":[1e999]}',
    ],
)
def test_what_is_no_list_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        Hh().read(answer(body), TOP)


def test_a_live_vacancy_gives_its_text_and_skills(samples: Path) -> None:
    body = (samples / "jobboards/hh/detail_2022-10_71164587.json").read_bytes()
    detail = Hh().read_detail(answer(body))
    assert detail.availability == "alive"
    assert detail.full_text is not None
    assert detail.full_text.startswith("Ищем будущих коллег")
    assert "<" not in detail.full_text
    assert detail.data["key_skills"] == ["Python", "Git", "SQL"]
    assert detail.data["initial_created_at"] == "2022-10-14T22:01:22+00:00"


def test_archived_and_not_found_are_gone() -> None:
    assert Hh().read_detail(answer(vacancy(archived=True))).availability == "gone"
    assert Hh().read_detail(answer(vacancy(archived=False))).availability == "alive"
    assert Hh().read_detail(answer(errors("not_found"), 404)).availability == "gone"


def test_a_detail_that_is_no_vacancy_says_nothing() -> None:
    with pytest.raises(Unreadable):
        Hh().read_detail(answer({"items": []}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [
    "id", "name", "published_at", "area", "salary", "salary_range", "employer", "snippet", "work_format", "schedule",
    "professional_roles", "archived", "alternate_url", "key_skills", "description", "address", "experience",
]  # fmt: skip


@given(st.binary(max_size=200), st.sampled_from([200, 400, 403, 404, 429, 500, 302]))
def test_no_bytes_break_the_parser(body: bytes, status: int) -> None:
    for reading in (lambda a: Hh().read(a, TOP), Hh().read_detail):
        with suppress(SourceError):
            reading(answer(body, status))


@given(
    st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON) | JSON, max_size=4),
    st.dictionaries(st.sampled_from(["found", "pages", "fixes", "errors"]), JSON),
    st.sampled_from([200, 400, 403]),
)
def test_no_json_breaks_the_parser(items: list[Any], envelope: dict[str, Any], status: int) -> None:
    for entry in items:
        if isinstance(entry, dict):
            entry |= {name: value for name, value in vacancy().items() if name not in entry}
    body = json.dumps({"items": items, **envelope}).encode()
    with suppress(SourceError):
        page = Hh().read(answer(body, status), TOP)
        assert page.entries == len(items)
    for entry in items:
        with suppress(SourceError):
            Hh().read_detail(answer(entry))


def test_half_a_character_in_one_title_does_not_make_the_page_unreadable() -> None:
    body = b'{"items": [{"id": "1", "name": "Python \\ud83d", "published_at": "2026-01-05T12:00:00+0300"}], "found": 1}'
    page = Hh().read(answer(body), TOP)
    assert [draft.title for draft in page.drafts] == ["Python"]


@pytest.mark.parametrize("year", ["0001", "1970", "9999"])
def test_an_impossible_year_is_no_date(year: str) -> None:
    page = read(vacancy(published_at=f"{year}-01-01T00:00:00+0300"), vacancy())
    assert (len(page.drafts), page.undated) == (1, 1)
