"""The OpenAPI document and the server say the same: asked by schemathesis, on both databases."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import positive_data_acceptance

from interfaces.api_server import TOKEN, Api, furnish, running_api

OPERATIONS = 21
EXAMPLES = 12
# A schema cannot say which texts are cursors, nor that no minute has 61 seconds: those are refused, as documented.
LEFT_OUT = [positive_data_acceptance]
DATA = {"application/json", "text/plain", "application/rss+xml", "application/atom+xml"}
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}".encode()}
BODIES = {"/api/items/mark": {"ids": [1, 2, 999], "verb": "applied"}, "/api/undo": {"act_id": None}}
QUERIES = {"/api/why": {"q": "1"}}


@pytest.fixture
def furnished(database_url: str) -> Iterator[Api]:
    """A server over a store with something of everything."""
    with running_api(database_url) as api:
        furnish(api.app.database)
        yield api


def document(api: Api) -> schemathesis.BaseSchema:
    """What the server says of itself."""
    return schemathesis.openapi.from_url(f"{api.address}/openapi.json", headers=AUTHORIZED)


def forget_wrong_tokens(api: Api) -> None:
    """Schemathesis shows some with every case, to see whether they are refused."""
    api.door.attempts._tries.clear()


def test_the_document_tells_every_answer_of_every_route(api):
    document = api.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert len(document["paths"]) == OPERATIONS
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            answers = set(operation["responses"])
            assert operation["description"], path
            assert answers >= {"200", "401", "403", "421", "429", "500", "503"}, path
            assert method == "get" or answers >= {"413", "415"}, path
            assert ("422" in answers) == bool("requestBody" in operation or operation.get("parameters")), path
            assert operation["security"] == [{"HTTPBearer": []}], path
            for status, answer in operation["responses"].items():
                expected = DATA if status == "200" else {"application/problem+json"}
                assert set(answer.get("content", ())) <= expected, path
                assert "content" in answer or status == "304", path
    assert "HTTPValidationError" not in api.get("/openapi.json").text


def test_every_route_and_every_filter_is_explained_and_no_other(api):
    told = api.get("/openapi.json").json()["paths"]
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([A-Z]+ /[^`]*)` \| (.*) \|$", page, re.MULTILINE))
    routes = {f"{method.upper()} {path}": one for path, methods in told.items() for method, one in methods.items()}
    assert set(rows) == set(routes)
    for route, operation in routes.items():
        filters = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        assert {name for name in filters if f"`{name}`" in rows[route]} == filters, route


def test_what_is_there_is_shown_as_documented(furnished):
    for result in document(furnished).get_all_operations():
        operation = result.ok()
        ids = {**dict.fromkeys(("match_id", "vacancy_id", "job_id"), 1), "watch": "w"}
        wanted = {name: ids[name] for name in ids if f"{{{name}}}" in operation.path}
        body = {"body": BODIES[operation.path], "media_type": "application/json"} if operation.path in BODIES else {}
        case = operation.Case(path_parameters=wanted, query=QUERIES.get(operation.path, {}), **body)
        forget_wrong_tokens(furnished)
        response = case.call_and_validate(headers=AUTHORIZED)
        assert response.status_code == 200, operation.label


@pytest.mark.parametrize("mode", GenerationMode)
def test_schemathesis_finds_no_server_error_and_no_answer_that_is_not_documented(furnished, mode):
    schema = document(furnished)
    asked: Counter[str] = Counter()
    answered: Counter[int] = Counter()

    def ask(case: Case) -> None:
        forget_wrong_tokens(furnished)
        response = case.call_and_validate(headers=AUTHORIZED, excluded_checks=LEFT_OUT)
        asked[case.operation.label] += 1
        answered[response.status_code] += 1

    for result in schema.get_all_operations():
        cases = result.ok().as_strategy(generation_mode=mode)
        relaxed = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        seed(1)(relaxed(given(case=cases)(ask)))()
    assert len(asked) == OPERATIONS
    assert not answered[429]
    assert answered[200] if mode == GenerationMode.POSITIVE else answered[422]
