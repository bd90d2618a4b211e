"""The client of Google Sheets: recorded answers are understood, every error is one of ours, nothing is told of keys."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.auth import crypt
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Request
from inforadar.net.http import HttpClient
from inforadar.observe.secrets import Secret
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.service import SPREADSHEET
from inforadar.sinks.sheets_account import GOOGLE_TOKENS, read_account, token_uri
from inforadar.sinks.sheets_api import REQUEST_S, SheetsApi, Tab, Token
from inforadar.sinks.sheets_cells import Block

NOW = datetime(2026, 1, 6, 2, 30, tzinfo=UTC)
TOKEN = b'{"access_token": "ya29.x", "expires_in": 3599, "token_type": "Bearer"}'


@dataclass
class Clock:
    at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def mono(self) -> float:
        return self.at.timestamp()


@dataclass
class Recorded:
    """Answers a token, then whatever was recorded, and keeps the requests."""

    answers: list[tuple[int, bytes]]
    token: tuple[int, bytes] = (200, TOKEN)
    asked: list[Request] = field(default_factory=list)

    def send(self, base_url: str, request: Request) -> Answer:
        self.asked.append(request)
        is_token = request.url is not None
        status, body = self.token if is_token else self.answers.pop(0)
        return Answer(status=status, headers={}, body=body, url=request.url or base_url)


@pytest.fixture(scope="module")
def key_file() -> Iterator[str]:
    with Simulator(still_world(1, NOW, {"hh": 1})) as simulator:
        yield simulator.sheets_key_file


@pytest.fixture
def api_with(key_file):
    def make(*answers: tuple[int, bytes], **how: Any) -> SheetsApi:
        return SheetsApi(
            transport=Recorded(list(answers), **how),
            base_url="https://sheets.googleapis.com",
            spreadsheet_id="1qFopcWEGi_JqeOGvSs93SyFdsSI8J30NzrX92_HZBR0",
            credentials=Secret(key_file),
            clock=Clock(),
        )

    return make


@pytest.fixture
def recorded(samples):
    """The recorded answers of a cassette to requests whose address ends so."""

    def find(cassette: str, part: str, method: str = "GET") -> list[tuple[int, bytes]]:
        tape = json.loads((samples / "articles_sinks" / "gsheets" / f"{cassette}.json").read_text())
        found = [
            (one["response"]["status"]["code"], one["response"]["body"]["string"].encode())
            for one in tape["interactions"]
            if part in one["request"]["uri"] and one["request"]["method"] == method
        ]
        assert found
        return found

    return find


def test_the_tabs_of_a_recorded_spreadsheet_are_read(api_with, recorded):
    answers = recorded("WorksheetTest.test_append_row", "includeGridData=false")
    assert api_with(answers[0]).tabs() == [Tab(id=0, title="Sheet1", rows=1000, columns=26)]


def test_recorded_columns_are_read_and_an_empty_range_has_none(api_with, recorded):
    (answer, *_) = recorded("SpreadsheetTest.test_values_batch_get", "values:batchGet")
    assert api_with(answer).read(["A:A", "B:B", "C:C"], by="ROWS") == [
        [["🍇"], ["🍐"]],
        [["🍉"], ["🍎"]],
        [["🍋"], ["🍓"]],
    ]
    empty = b'{"spreadsheetId": "x", "valueRanges": [{"range": "Sheet1!A1:A10", "majorDimension": "ROWS"}]}'
    assert api_with((200, empty)).read(["A:A"], by="ROWS") == [[]]


def test_a_recorded_write_is_taken(api_with, recorded):
    (answer, *_) = recorded("WorksheetTest.test_batch_update", "values:batchUpdate", "POST")
    api = api_with(answer)
    api.write([Block(range="'Sheet1'!A1:D1", values=[["A1", "=1+1", None, 4]])])
    told = json.loads(api.transport.asked[-1].body)
    assert told["valueInputOption"] == "RAW"
    assert told["data"] == [{"range": "'Sheet1'!A1:D1", "majorDimension": "ROWS", "values": [["A1", "=1+1", None, 4]]}]


def test_a_recorded_new_tab_is_read(api_with, recorded):
    answer = next(one for one in recorded("SpreadsheetTest.test_add_del_worksheet", ":batchUpdate", "POST"))
    made = api_with(answer).add_tab("test_add_del_worksheet 1", rows=1, columns=1)
    assert made == Tab(id=1877059582, title="test_add_del_worksheet 1", rows=1, columns=1)


def test_the_recorded_refusals_name_what_a_person_must_do(api_with, recorded):
    private = recorded("ClientTest.test_access_private_spreadsheet", "includeGridData=false")[-1]
    with pytest.raises(Refused, match="share the spreadsheet with info-radar@simulated"):
        api_with(private).tabs()
    missing = recorded("ClientTest.test_access_non_existing_spreadsheet", "spreadsheets/test?")[0]
    with pytest.raises(Refused, match="check \\[sheets\\] spreadsheet_id"):
        api_with(missing).tabs()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, BadQuery),
        (500, Unavailable),
        (502, Unavailable),
        (503, Unavailable),
        (408, Unavailable),
        (200, Unreadable),
    ],
)
def test_every_status_is_one_of_our_errors(api_with, status, error):
    with pytest.raises(error):
        api_with((status, b"<html>no JSON</html>")).tabs()


def test_an_api_that_is_not_enabled_is_told_as_such(api_with):
    why = "Google Sheets API has not been used in project 4 before or it is disabled."
    told = {"error": {"code": 403, "message": why, "status": "PERMISSION_DENIED"}}
    with pytest.raises(Refused, match="enable the Google Sheets API"):
        api_with((403, json.dumps(told).encode())).tabs()


def test_the_quota_is_over_after_a_minute(api_with):
    told = {"error": {"code": 429, "message": "Quota exceeded for quota metric 'Read requests'", "status": "X"}}
    with pytest.raises(RateLimited, match="Quota exceeded") as raised:
        api_with((429, json.dumps(told).encode())).tabs()
    assert raised.value.retry_at == NOW + timedelta(minutes=1)


def test_a_token_is_asked_for_once_and_again_before_it_ends(api_with):
    body = (200, b'{"sheets": []}')
    api = api_with(body, body, body)
    api.tabs()
    api.tabs()
    assert [request.url for request in api.transport.asked].count(None) == 2
    assert len(api.transport.asked) == 3
    api.clock.at += timedelta(minutes=59, seconds=30)
    api.tabs()
    assert len(api.transport.asked) == 5


def test_a_short_lived_token_serves_for_most_of_its_life(api_with):
    body = (200, b'{"sheets": []}')
    api = api_with(body, body, body, token=(200, b'{"access_token": "ya29.x", "expires_in": 40}'))
    api.tabs()
    api.clock.at += timedelta(seconds=29)
    api.tabs()
    assert len(api.transport.asked) == 3
    api.clock.at += timedelta(seconds=2)
    api.tabs()
    assert len(api.transport.asked) == 5


def test_a_token_that_does_not_hold_is_replaced_once(api_with):
    refused = (401, b'{"error": {"code": 401, "message": "invalid", "status": "UNAUTHENTICATED"}}')
    assert api_with(refused, (200, b'{"sheets": []}')).tabs() == []
    with pytest.raises(Refused, match="check \\[sheets\\] credentials"):
        api_with(refused, refused).tabs()


@pytest.mark.parametrize(
    ("token", "error"),
    [
        ((400, b'{"error": "invalid_grant", "error_description": "Invalid JWT Signature."}'), Refused),
        ((503, b""), Unavailable),
        ((500, b'{"error": "internal_failure"}'), Unavailable),
        ((408, b'{"error": "timeout"}'), Unavailable),
        ((400, b'{"error": "temporarily_unavailable"}'), Unavailable),
        ((429, b'{"error": "rate_limit_exceeded"}'), RateLimited),
        ((429, b"{}"), RateLimited),
        ((200, b"<html>Wi-Fi login</html>"), Unavailable),
        ((404, b"<html>not here</html>"), Unavailable),
    ],
)
def test_a_token_that_is_not_given_is_one_of_our_errors(api_with, token, error):
    with pytest.raises(error):
        api_with((200, b"{}"), token=token).tabs()


@pytest.mark.parametrize("credentials", ["", "not JSON", "[]", "{}", '{"client_email": "a@b"}', "[" * 100_000])
def test_credentials_that_are_no_key_file_are_refused_with_the_remedy(credentials):
    with pytest.raises(Refused, match="JSON of a service account"):
        read_account(Secret(credentials))


def test_a_key_that_cannot_sign_is_refused_and_not_told(api_with):
    api = api_with((200, b"{}"))
    api.credentials = Secret(json.dumps({"client_email": "a@b", "private_key": "-----BEGIN secret"}))
    with pytest.raises(Refused) as raised:
        api.tabs()
    assert "BEGIN secret" not in str(raised.value)
    assert "BEGIN secret" not in repr(api)


def test_a_key_is_read_once_however_many_tokens_are_asked_for(monkeypatch):
    with Simulator(still_world(1, NOW)) as simulator:
        key = Secret(simulator.sheets_key_file)
    read = []
    from_info = crypt.RSASigner.from_service_account_info
    monkeypatch.setattr(crypt.RSASigner, "from_service_account_info", lambda info: read.append(1) or from_info(info))
    bodies = {read_account(key).token_request(NOW + timedelta(hours=hours)) for hours in range(3)}
    assert len(bodies) == 3
    assert len(read) <= 1  # none where another test has signed with this key


def test_without_credentials_or_an_id_nobody_is_asked(api_with):
    api = api_with()
    api.credentials = None
    with pytest.raises(Refused, match="credentials are missing"):
        api.tabs()
    other = api_with()
    other.spreadsheet_id = "https://docs.google.com/spreadsheets/d/1"
    with pytest.raises(Refused, match="spreadsheet_id"):
        other.tabs()
    assert api.transport.asked == other.transport.asked == []


@pytest.mark.parametrize("uri", ["", "ftp://x", "http://a b", 5, "https://user:pw@host/", "https://host/?x"])
def test_an_odd_address_for_tokens_is_not_asked(uri):
    assert token_uri(Secret(json.dumps({"token_uri": uri}))) == GOOGLE_TOKENS


NAMES = ("properties", "gridProperties", "addSheet", "values", "sheetId", "title", "rowCount", "columnCount")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
)


@given(
    body=st.binary(max_size=200)
    | JSON_VALUES.map(lambda one: json.dumps({"sheets": one, "valueRanges": one, "replies": one}).encode())
)
@settings(max_examples=1000)
def test_no_answer_raises_anything_but_our_errors(key_file_of_session, body):
    calls = (
        lambda api: api.tabs(),
        lambda api: api.read(["A:A"], by="COLUMNS"),
        lambda api: api.add_tab("x", rows=1, columns=1),
    )
    for call in calls:
        api = SheetsApi(
            transport=Recorded([(200, body)]),
            base_url="https://x",
            spreadsheet_id="x",
            credentials=Secret(key_file_of_session),
            clock=Clock(),
        )
        api._token = Token("known", NOW + timedelta(hours=1))
        try:
            call(api)
        except SourceError:
            continue


def test_every_request_has_its_time_and_a_token_is_shared_by_all_ways_to_send(api_with):
    api = api_with((200, b'{"sheets": []}'), (401, b"{}"), (200, b'{"sheets": []}'))
    api.tabs()
    other = Recorded(api.transport.answers)
    api.through(other).tabs()
    assert [request.url is not None for request in api.transport.asked] == [True, False]
    assert [request.url is not None for request in other.asked] == [False, True, False]
    assert {request.timeout_s for request in (*api.transport.asked, *other.asked)} == {REQUEST_S}


@pytest.fixture(scope="session")
def key_file_of_session() -> str:
    return json.dumps({"client_email": "a@b", "private_key": "x"})


def test_the_simulator_answers_in_the_recorded_shapes(recorded):
    """Every name the simulator uses stands in the recording of the same call."""
    with (
        Simulator(still_world(1, NOW, {"hh": 1})) as simulator,
        HttpClient(clock=Clock(), allow=[simulator.url]) as http,
    ):
        base = simulator.service_urls["sheets"]
        api = SheetsApi(
            transport=http,
            base_url=base,
            spreadsheet_id=SPREADSHEET,
            credentials=Secret(simulator.sheets_key_file),
            clock=Clock(),
        )
        made = api._call("POST", ":batchUpdate", {"requests": [{"addSheet": {"properties": {"title": "T"}}}]})
        block = {"range": "'T'!A1:B1", "values": [["a", "b"]]}
        written = api._call("POST", "/values:batchUpdate", {"valueInputOption": "RAW", "data": [block]})
        read = api._call("GET", "/values:batchGet", params=(("ranges", "'T'!A:B"), ("ranges", "'T'!D:D")))
        opened = api._call("GET", "")
    assert names(made) == names(recorded("SpreadsheetTest.test_add_del_worksheet", ":batchUpdate", "POST")[0][1])
    assert names(written) == names(recorded("WorksheetTest.test_batch_update", "values:batchUpdate", "POST")[0][1])
    assert names(read) == names(recorded("SpreadsheetTest.test_values_batch_get", "values:batchGet")[0][1])
    assert names(opened) <= names(recorded("WorksheetTest.test_append_row", "includeGridData=false")[0][1])
    assert (read["valueRanges"][0]["values"], "values" in read["valueRanges"][1]) == ([["a", "b"]], False)


def names(told: Any, path: str = "") -> set[str]:
    """The paths of all names in a JSON value."""
    value = json.loads(told) if isinstance(told, bytes) else told
    if isinstance(value, dict):
        return {f"{path}.{name}" for name in value}.union(
            *(names(one, f"{path}.{name}") for name, one in value.items())
        )
    if isinstance(value, list):
        return set().union(*(names(one, path) for one in value))
    return set()
