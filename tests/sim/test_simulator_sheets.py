"""The simulated Google Sheets: signatures, tokens, quotas, ranges and the option every cell was entered by."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from inforadar.domain.errors import BadQuery, Refused
from inforadar.net.http import HttpClient
from inforadar.observe.clock import FakeClock
from inforadar.observe.secrets import Secret
from inforadar.simulator.control import steer
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.account import Account
from inforadar.simulator.sheets.service import SPREADSHEET
from inforadar.sinks.sheets_api import SheetsApi
from inforadar.sinks.sheets_cells import Block

NOW = datetime(2026, 1, 6, 2, 30, tzinfo=UTC)
PATH = f"/v4/spreadsheets/{SPREADSHEET}"


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOW, {"hh": 1})) as running:
        yield running


@pytest.fixture
def api(simulator) -> Iterator[SheetsApi]:
    with HttpClient(clock=FakeClock(NOW), allow=[simulator.url]) as http:
        yield SheetsApi(
            transport=http,
            base_url=simulator.service_urls["sheets"],
            spreadsheet_id=SPREADSHEET,
            credentials=Secret(simulator.sheets_key_file),
            clock=FakeClock(NOW),
        )


def called(simulator: Simulator, verb: str, path: str, token: str = "", body: bytes = b"", **params: str):
    answer = simulator.internet.call(
        "sheets", verb, path, tuple(params.items()), {"authorization": f"Bearer {token}"}, body
    )
    return answer.status, json.loads(answer.body)


def token_of(api: SheetsApi) -> str:
    api.tabs()
    return api._token.text


def test_a_word_signed_with_another_key_gets_no_token(simulator, api):
    stranger = Account().key_file(json.loads(simulator.sheets_key_file)["token_uri"])
    api.credentials = Secret(json.dumps(stranger))
    with pytest.raises(Refused, match="Invalid JWT Signature"):
        api.tabs()


def test_without_a_token_nobody_enters(simulator):
    status, told = called(simulator, "GET", PATH, token="ya29.made-up")
    assert (status, told["error"]["status"]) == (401, "UNAUTHENTICATED")


def test_another_grant_is_refused(simulator):
    status, told = called(simulator, "POST", "/token", body=urlencode({"grant_type": "password"}).encode())
    assert (status, told["error"]) == (400, "invalid_grant")


def test_a_minute_has_sixty_reads_and_sixty_writes(simulator, api):
    token = token_of(api)
    statuses = [called(simulator, "GET", PATH, token)[0] for _ in range(60)]
    assert statuses == [200] * 59 + [429]
    body = json.dumps({"valueInputOption": "RAW", "data": []}).encode()
    assert called(simulator, "POST", f"{PATH}/values:batchUpdate", token, body)[0] == 200
    _, told = called(simulator, "GET", PATH, token)
    assert told["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert told["error"]["message"].startswith(
        "Quota exceeded for quota metric 'Read requests' and limit 'Read requests"
    )
    assert told["error"]["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED"
    simulator.advance(61)
    assert called(simulator, "GET", PATH, token)[0] == 200


def test_what_is_entered_as_typed_becomes_a_formula_and_raw_does_not(simulator, api):
    token = token_of(api)
    for option in ("RAW", "USER_ENTERED"):
        data = [{"range": f"Sheet1!{'A' if option == 'RAW' else 'B'}1", "values": [["=4/2"]]}]
        body = json.dumps({"valueInputOption": option, "data": data}).encode()
        assert called(simulator, "POST", f"{PATH}/values:batchUpdate", token, body)[0] == 200
    assert [(cell.option, cell.is_formula) for *_, cell in simulator.sheets.cells()] == [
        ("RAW", False),
        ("USER_ENTERED", True),
    ]


def test_a_write_that_does_not_fit_changes_nothing(simulator, api):
    blocks = [Block(range="'Sheet1'!A1:A1", values=[["x"]]), Block(range="'Sheet1'!A1001:A1001", values=[["y"]])]
    with pytest.raises(BadQuery, match="exceeds grid limits"):
        api.write(blocks)
    assert simulator.sheets.cells() == []


def test_a_null_leaves_a_cell_alone_and_an_empty_text_empties_it(simulator, api):
    api.write([Block(range="'Sheet1'!A1:C1", values=[["a", "b", "c"]])])
    api.write([Block(range="'Sheet1'!A1:C1", values=[[None, "", "C"]])])
    assert api.read(["'Sheet1'!1:1"], by="ROWS") == [[["a", "", "C"]]]


def test_two_tabs_of_one_title_are_refused(api):
    api.add_tab("Jobs", rows=10, columns=5)
    with pytest.raises(BadQuery, match="already exists"):
        api.add_tab("jobs", rows=10, columns=5)


def test_a_tab_grows(api):
    tab = api.add_tab("Jobs", rows=1, columns=1)
    api.grow(tab, "ROWS", 4)
    api.grow(tab, "COLUMNS", 2)
    assert [(one.rows, one.columns) for one in api.tabs() if one.title == "Jobs"] == [(5, 3)]


def test_faults_go_by_the_method(simulator):
    sheets = simulator.sheets
    assert [sheets.method_of(path) for path in ("/token", PATH, f"{PATH}:batchUpdate", f"{PATH}/values:batchGet")] == [
        *("token", "get", "batchUpdate", "values.batchGet")
    ]
    assert Fault(kind="late_effect", source="sheets", method="batchUpdate").concerns("sheets", method="batchUpdate")


def test_the_owner_can_be_played_through_the_door(simulator, api):
    def door(path: str, **body):
        internet: Internet = simulator.internet
        answer = steer(internet, "POST", path, (), body)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    api.add_tab("Jobs", rows=10, columns=3)
    api.write([Block(range="'Jobs'!A1:C2", values=[["key", "title", "note"], ["k", "=1", ""]])])
    door("sheets/fill", tab="Jobs", key="k", column="note", text="mine")
    door("sheets/move_column", tab="Jobs", name="note", to=1)
    door("sheets/add_column", tab="Jobs", name="new", at=2)
    assert simulator.sheets.rows("Jobs") == [{"note": "mine", "new": "", "key": "k", "title": "=1"}]
    told = json.loads(steer(simulator.internet, "GET", "sheets/cells", (), None).body)["cells"]
    assert {"tab": "Jobs", "row": 2, "column": 1, "value": "mine", "option": "typed", "is_formula": False} in told
    door("sheets/delete_row", tab="Jobs", key="k")
    door("sheets/share", is_shared=False)
    assert simulator.sheets.rows("Jobs") == []
    with pytest.raises(Refused, match="share the spreadsheet"):
        api.tabs()
    assert door("sheets/key_file", base_url="http://x")["token_uri"] == "http://x/token"
