"""InfoJobs: what is asked, what its answers mean."""

import base64
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.errors import BadQuery, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.merge import create, merge
from inforadar.domain.paging import Page, Position, Window
from inforadar.domain.ports import Answer
from inforadar.sources.infojobs import DEPTH, InfoJobs

TOP = Position(size=40)
EMPTY = {"id": 0, "value": ""}
LISTS = (
    "list_v9_2023-05_q-desarrollador-web.json",
    "alvarobernalg_mock.offer.json",
    "alvarobernalg_mock.offer.pages.1.json",
    "alvarobernalg_mock.offer.pages.2.json",
    "alvarobernalg_mock.offer.pages.3.json",
    "alvarobernalg_mock.offer.query.json",
)


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, headers=headers, body=raw, url="https://api.infojobs.net/api/9/offer")


def offer(**fields: Any) -> dict[str, Any]:
    dates = {"published": "2023-05-17T11:18:32.000Z", "updated": "2023-05-17T11:39:26.000Z"}
    return {"id": "c033f703384465a9152d727c92568e", "title": "Desarrollador web", **dates, **fields}


def read(*offers: Any, position: Position = TOP, **envelope: Any) -> Page:
    body = {"offers": offers, "items": offers, "totalResults": len(offers), "sortBy": "updated-desc", **envelope}
    return InfoJobs().read(answer(body), position)


def data_of(**fields: Any) -> Any:
    return read(offer(**fields)).drafts[0].data


@pytest.mark.parametrize("name", LISTS)
def test_the_recorded_lists_give_the_expected_values(samples: Path, name: str) -> None:
    expected = json.loads((samples / "jobboards" / "EXPECTED.json").read_text())[f"infojobs/{name}"]
    body = json.loads((samples / "jobboards" / "infojobs" / name).read_text())
    page = InfoJobs().read(answer({**body, "sortBy": "updated-desc"}), Position(size=20))
    assert (len(page.drafts), page.unreadable, page.undated) == (expected["n"], 0, 0)
    assert [draft.key for draft in page.drafts] == expected["ids"]
    assert page.total == expected["envelope"]["totalResults"]
    bumped = [draft for draft in page.drafts if draft.rank.isoformat() != draft.data["initial_created_at"]]
    assert len(bumped) == expected["bumped"]


def test_a_recorded_offer_has_clean_plain_fields(samples: Path) -> None:
    body = json.loads((samples / "jobboards" / "infojobs" / LISTS[0]).read_text())
    draft = InfoJobs().read(answer({**body, "sortBy": "updated-desc"}), Position(size=20)).drafts[1]
    assert draft.rank == datetime(2023, 5, 17, 11, 39, 26, tzinfo=UTC)
    assert (draft.company, draft.company_key) == ("LIGHTBOX ACADEMY SL.", "30806176450")
    assert draft.url == "https://www.infojobs.net/madrid/desarrollador-web/of-ic033f703384465a9152d727c92568e"
    assert draft.data["place"] == "Madrid"
    assert draft.data["salary"] == {"from": 1200, "to": 1200, "currency": "EUR", "gross": True, "mode": "MONTH"}
    assert (draft.data["experience"], draft.data["experience_years_min"]) == ("Al menos 1 año", 1)
    assert (draft.data["work_format"], draft.data["remote"]) == (["ON_SITE"], False)
    assert draft.data["roles"] == ["Informática y telecomunicaciones", "Programación"]
    assert "applications" not in draft.data


def test_the_recorded_offer_page_brings_the_full_text(samples: Path) -> None:
    body = (samples / "jobboards" / "infojobs" / "detail_v7_2023-05_ad2e4aae.json").read_bytes()
    detail = InfoJobs().read_detail(answer(body))
    assert detail.availability == "alive"
    assert "TECNICO SENIOR EN CONTABILIDAD" in detail.full_text
    assert "PERFIL DESEADO" in detail.full_text
    assert detail.data["salary"] == {"from": 27000, "to": 33000, "currency": "EUR", "gross": True, "mode": "YEAR"}
    assert detail.data["languages"] == ["Inglés (Intermedio)"]
    assert detail.data["key_skills"][0] == "Tesorería"
    assert detail.data["initial_created_at"] == "2023-04-30T07:22:33+00:00"


def test_a_list_is_always_asked_newest_first_with_basic_credentials() -> None:
    source = InfoJobs(client_id="app", client_secret="s:ecret")
    params = {"q": "python", "province": ["madrid", "toledo"], "order": "title", "split": "province"}
    request = source.request(params, Position(offset=80, size=40))
    assert request.path == "/api/9/offer"
    assert request.params == (
        ("q", "python"),
        ("province", "madrid"),
        ("province", "toledo"),
        ("order", "updated-desc"),
        ("maxResults", "40"),
        ("page", "3"),
    )
    assert base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")) == b"app:s:ecret"
    assert "Authorization" not in InfoJobs().request({}, TOP).headers


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"q": "python", "sinceDate": "ANY"}, ""),
        ({"q": "python", "sinceDate": "_7_DAYS"}, "set cutoff_date"),
        ({"provinces": "madrid"}, "did you mean `province`"),
        ({"order": "title"}, "must stay `updated-desc`"),
        ({"page": "2"}, "set by Radar itself"),
        ({"sinceDate": "_3_DAYS"}, "chosen by Radar"),
        ({"split": "q", "q": "python"}, "one of province, category"),
        ({"split": "province"}, "needs the values"),
        ({"split": "province", "province": ["madrid"]}, ""),
    ],
)
def test_wrong_parameters_are_told_before_anything_is_asked(params: dict[str, Any], said: str) -> None:
    sentences = InfoJobs().check(params)
    assert bool(sentences) == bool(said)
    assert said in " ".join(sentences)


@pytest.mark.parametrize(("age", "bucket"), [(1, "_24_HOURS"), (7, "_7_DAYS"), (15, "_15_DAYS")])
def test_a_list_cut_at_an_age_is_asked_for_by_its_bucket(age: int, bucket: str) -> None:
    position = Position(size=40, window=Window(age=timedelta(days=age)))
    assert ("sinceDate", bucket) in InfoJobs().request({"q": "python"}, position).params
    assert timedelta(days=age) in InfoJobs.paging.buckets


def test_the_whole_list_is_asked_for_without_a_bucket_whatever_the_user_wrote() -> None:
    request = InfoJobs().request({"q": "python", "sinceDate": "ANY"}, TOP)
    assert "sinceDate" not in dict(request.params)


def test_a_split_query_is_one_question_for_each_value() -> None:
    params = {"q": "python", "province": ["madrid", "toledo", "madrid"], "split": "province"}
    assert InfoJobs().slices(params) == ({"q": "python", "province": "madrid"}, {"q": "python", "province": "toledo"})
    assert InfoJobs().slices({"q": "python"}) == ({"q": "python"},)


def test_empty_dictionary_values_are_left_out() -> None:
    fields = ("province", "category", "contractType", "experienceMin", "workDay", "study", "salaryMin", "salaryMax")
    data = data_of(**dict.fromkeys(fields, EMPTY), salaryDescription="Salario no disponible", requirementMin="")
    assert set(data) == {"initial_created_at"}


def test_whether_work_can_be_done_from_home_may_not_be_told() -> None:
    assert "remote" not in data_of()
    assert data_of(teleworking={"id": 2, "value": "Solo teletrabajo"})["remote"] is True


def test_a_raised_offer_is_no_change() -> None:
    now = datetime(2023, 5, 20, tzinfo=UTC)
    stored = create(read(offer()).drafts[0], "infojobs", "vacancy", now)
    raised = read(offer(updated="2023-05-19T08:30:02.000Z", applications="61")).drafts[0]
    merged = merge(stored, raised, now)
    assert merged.is_bump
    assert merged.changes == ()


def test_another_order_or_size_than_asked_for_is_not_read() -> None:
    with pytest.raises(Unreadable, match="relevancia-desc"):
        read(offer(), sortBy="relevancia-desc")
    with pytest.raises(Unreadable, match="pages of 20"):
        read(offer(), pageSize=20)


def test_the_cap_is_noted_where_a_sweep_comes_to_it() -> None:
    at_cap = Position(offset=DEPTH - 40, size=40)
    assert read(offer(), totalResults=2876).notes == ()
    assert "2280 of 2876" in read(offer(), position=at_cap, totalResults=2876).notes[0]
    assert read(offer(), position=at_cap, totalResults=2280).notes == ()


def test_a_page_past_the_end_is_empty_and_the_last() -> None:
    refused = answer({"error": "306", "error_description": "page"}, 400)
    page = InfoJobs().read(refused, Position(offset=40, size=40))
    assert (page.drafts, page.is_last) == ((), True)
    with pytest.raises(BadQuery):
        InfoJobs().read(refused, TOP)


@pytest.mark.parametrize(
    ("body", "status", "error", "said"),
    [
        ({"error": "101"}, 401, Refused, "needs the credentials"),
        ({"error": "102"}, 401, Refused, "client_secret"),
        ({"error": "301"}, 400, BadQuery, "`province`"),
        ({"error": "303"}, 400, BadQuery, "`category`"),
        ({"error": "202"}, 400, BadQuery, "missing"),
        ({"error": "116"}, 400, Unavailable, "116"),
        ({"error": "1"}, 404, Unreadable, "base_url"),
        ({"status": 500, "requestId": "db0c9329"}, 500, Unavailable, "db0c9329"),
        (b"<html>", 502, Unavailable, "502"),
        (b"<html>", 403, Refused, "403"),
        (b"[]", 200, Unreadable, "no list"),
        ({"offers": {}}, 200, Unreadable, "no list"),
    ],
)
def test_errors_say_what_to_do(body: Any, status: int, error: type[SourceError], said: str) -> None:
    with pytest.raises(error, match=said):
        InfoJobs().read(answer(body, status), TOP)


def test_credentials_that_are_not_accepted_are_not_shown() -> None:
    source = InfoJobs(client_id="app", client_secret="s3cret-value")
    with pytest.raises(Refused, match="does not accept") as caught:
        source.read(answer({"error": "102", "error_description": "s3cret-value"}, 401), TOP)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("field", ["archived", "deleted"])
def test_a_closed_offer_is_definitely_gone(field: str) -> None:
    detail = InfoJobs().read_detail(answer({"id": "c033f703384465a9152d", "active": True, field: True}))
    assert (detail.availability, detail.is_closed) == ("gone", True)


def test_an_offer_that_is_not_found_is_gone_and_a_refusal_says_nothing() -> None:
    assert InfoJobs().read_detail(answer(b"", 404)).availability == "gone"
    assert InfoJobs().read_detail(answer({"error": "313"}, 400)).availability == "gone"
    with pytest.raises(Refused):
        InfoJobs().read_detail(answer({"error": "102"}, 401))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OFFER = st.fixed_dictionaries(
    {}, optional=dict.fromkeys([*offer(), "author", "salaryMin", "experienceMin", "link"], JSON)
)


@settings(max_examples=1000, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([200, 400, 401, 404, 500]))
def test_any_bytes_give_a_page_or_one_of_our_errors(body: bytes, status: int) -> None:
    for read_answer in (lambda given: InfoJobs().read(given, TOP), InfoJobs().read_detail):
        with suppress(SourceError):
            read_answer(answer(body, status))


@settings(max_examples=300, deadline=None)
@given(st.lists(OFFER | JSON, max_size=4), JSON, JSON)
def test_any_json_gives_a_page_or_one_of_our_errors(offers: list[Any], total: Any, error: Any) -> None:
    with suppress(SourceError):
        page = read(*offers, totalResults=total, pageSize=total)
        assert page.entries == len(offers)
    with suppress(SourceError):
        InfoJobs().read(answer({"error": error, "requestId": error}, 400), TOP)
    for one in offers:
        with suppress(SourceError):
            InfoJobs().read_detail(answer(one))
