"""Who gets through the door of the REST API, and what every answer carries; most of it asked of a real server."""

import re
import socket
from collections.abc import Iterator

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.responses import StreamingResponse
from structlog.testing import capture_logs

from inforadar.config.model import WebSettings
from inforadar.domain.errors import ConfigError
from inforadar.interfaces.web.attempts import MOST, WITHIN_S, visitor_at
from inforadar.interfaces.web.guard import LARGEST_BODY, Guard, Visit, guard_of, host_name, is_loopback
from inforadar.interfaces.web.pages.routes import PAGES
from inforadar.interfaces.web.server import require_safe
from inforadar.observe.secrets import Secret
from interfaces.api_server import TOKEN, Api, running_api

HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server with a token, for all tests of this module."""
    with running_api(f"sqlite:///{tmp_path_factory.mktemp('api')}/radar.db") as running:
        yield running


@pytest.fixture(scope="module")
def open_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server without a token, for all tests of this module."""
    with running_api(f"sqlite:///{tmp_path_factory.mktemp('open')}/radar.db", token=None) as running:
        yield running


@pytest.fixture
def mortal_api(sqlite_url: str) -> Iterator[Api]:
    """A server without a token, for one test to break."""
    with running_api(sqlite_url, token=None) as running:
        yield running


OWN_PAGES = {route.path for router in PAGES for route in router.routes}


def routes(api: Api) -> list[tuple[str, str]]:
    """Every method and path there is, with an id where one is wanted; the tests of the pages walk theirs."""
    assert isinstance(api.door.inner, FastAPI)
    table = [route for route in iter_route_contexts(api.door.inner.routes) if route.path not in OWN_PAGES]
    return [(method, re.sub(r"{\w+}", "1", route.path)) for route in table for method in route.methods]


def spoken(port: int, text: str) -> tuple[int, str]:
    """Say this to the server, byte by byte as it stands; its status and everything it said."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(text.replace("\n", "\r\n").encode("latin-1"))
        said = b""
        while part := line.recv(65536):
            said += part
    answer = said.decode("latin-1")
    return int(answer.split(" ")[1]), answer


def is_problem(response) -> bool:
    told = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    always = {"type", "title", "status", "detail"}
    assert always <= set(told) <= always | {"remedy", "errors"}
    return told["status"] == response.status_code


def test_the_route_table_is_the_one_that_was_promised(api):
    found = set(routes(api))
    assert found >= {
        *(("POST", f"/api/vacancies/1/mark-{verb}") for verb in ("applied", "not-interested", "later")),
        *(("GET", f"/api/{name}") for name in ("items", "items/1", "acts", "queries", "sources", "jobs", "jobs/1")),
        *(("GET", path) for path in ("/api/runs", "/api/status", "/metrics", "/healthz", "/openapi.json")),
        *(("POST", f"/api/{name}") for name in ("items/mark", "undo", "jobs/1/retry", "jobs/1/cancel")),
    }
    assert {method for method, _ in found} <= {"GET", "POST", "HEAD"}


UNKNOWN = ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer  x{TOKEN}")


@pytest.mark.parametrize("given", [value.encode() for value in UNKNOWN])
def test_every_route_answers_401_without_the_token(api, given):
    unknown = ["/", "/nope", "/docs", "/redoc", "/api", "/api/items/", "//api/items", "/../api/items", "/favicon.ico"]
    for method, path in [*routes(api), *(("GET", path) for path in unknown), ("PUT", "/api/items"), ("TRACE", "/")]:
        headers = {"Authorization": given} if given else {"Authorization": b""}
        api.door.attempts._tries.clear()
        response = api.client.request(method, path, headers=headers)
        assert response.status_code == 401, (method, path)
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert method == "HEAD" or is_problem(response)
    api.door.attempts._tries.clear()


def test_wrong_tokens_are_counted_with_the_tries_to_sign_in(sqlite_url):
    with running_api(sqlite_url) as api:
        assert api.get("/healthz").status_code == 200
        wrong = [{"Authorization": f"Bearer guess{n}"} for n in range(MOST + 5)]
        statuses = [api.client.get("/api/items", headers=headers).status_code for headers in wrong]
        assert statuses == [401] * MOST + [429] * 5
        right = api.get("/healthz")
        assert right.status_code == 429, "the right token too, else guessing would go on"
        assert is_problem(right)
        assert 1 <= int(right.headers["retry-after"]) <= WITHIN_S
        foreign = api.client.post("/api/undo", headers={"Origin": "http://evil.example"})
        assert foreign.status_code == 429, "nor may another refusal tell that it was right"
        assert api.client.post("/sign-in", data={"token": TOKEN}).status_code == 429
        assert api.client.get("/healthz", headers={"Authorization": b""}).status_code == 401


def test_right_tokens_and_requests_without_any_are_not_counted(sqlite_url):
    with running_api(sqlite_url) as api:
        for _ in range(MOST * 2):
            assert api.client.get("/healthz", headers={"Authorization": b""}).status_code == 401
            assert api.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        *(("2001:db8::1", "2001:db8::ffff:0:0:1", True), ("2001:db8::1", "2001:db8:0:1::1", False)),
        *(("::ffff:10.0.0.1", "10.0.0.1", True), ("10.0.0.1", "10.0.0.2", False), ("fe80::1%eth0", "fe80::2", True)),
        *(("", "x", False), ("", "", True)),
    ],
)
def test_tries_count_by_address_and_of_ipv6_by_network(one, other, is_same):
    assert (visitor_at(one) == visitor_at(other)) == is_same


def test_a_token_in_the_query_string_or_a_cookie_opens_nothing(api):
    for name in ("token", "access_token", "api_key", "Authorization"):
        response = api.client.get("/api/items", params={name: TOKEN}, headers={"Authorization": b""})
        assert response.status_code == 401
    assert api.client.get("/api/items", headers={"Authorization": b"", "Cookie": "token=x"}).status_code == 401


def test_the_token_opens_every_route(api):
    assert all(api.client.request(method, path).status_code not in (401, 403) for method, path in routes(api))
    assert api.client.get("/healthz", headers={"Authorization": f"bearer {TOKEN}".encode()}).status_code == 200


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/api", "/api/items/", "//api/items", "/healthz/"])
def test_there_is_no_page_from_elsewhere_and_no_redirect(api, path):
    answer = api.client.get(path)
    assert answer.status_code == 404
    assert is_problem(answer)


def test_two_tokens_are_none(api):
    one = f"Authorization: Bearer {TOKEN}\n".encode().decode("latin-1")
    head = "GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n"
    assert spoken(api.port, f"{head}{one}\n")[0] == 200
    assert spoken(api.port, f"{head}{one}{one}\n")[0] == 401


def test_without_a_token_configured_none_is_asked_for(open_api):
    assert open_api.get("/api/items").status_code == 200
    assert "security" not in open_api.get("/openapi.json").text


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:9", "radar.example:443"]
)
def test_own_names_are_answered_with_any_port(open_api, host):
    assert spoken(open_api.port, f"GET /healthz HTTP/1.1\nHost: {host}\nConnection: close\n\n")[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "evil.example:8765", "127.0.0.1.nip.io", "localhost."),
        *("[::2]", "0.0.0.0", "127.1", "user@localhost", "localhost:x", "localhost/", "localhost#", "", "[::1"),
        *("localhost, evil.example", "localhost evil.example", "127.0.0.1:80:80", "radar.example.", "xn--localhost"),
    ],
)
def test_a_foreign_host_header_is_turned_away_on_every_path(open_api, host):
    for path in ("/healthz", "/api/items", "/nope"):
        status, answer = spoken(open_api.port, f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")
        assert status == 421
        assert "application/problem+json" in answer
        assert "nosniff" in answer


def test_a_missing_or_doubled_host_header_is_turned_away(open_api):
    assert spoken(open_api.port, "GET /healthz HTTP/1.0\n\n")[0] == 421
    assert spoken(open_api.port, "GET /healthz HTTP/1.1\nConnection: close\n\n")[0] == 400
    assert spoken(open_api.port, "GET /healthz HTTP/1.1\nHost: localhost\nHost: evil\nConnection: close\n\n")[0] == 400


def test_headers_that_speak_for_the_visitor_are_not_believed(api):
    for name in ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "X-Original-URL"):
        foreign = api.client.get("/metrics", headers={"Authorization": b"", name: "127.0.0.1"})
        assert foreign.status_code == 401
    head = "GET /healthz HTTP/1.1\nHost: evil.example\nX-Forwarded-Host: localhost\nConnection: close\n\n"
    assert spoken(api.port, head)[0] == 421


@pytest.mark.parametrize(
    ("headers", "is_foreign"),
    [
        ({}, False),
        ({"Origin": "{own}"}, False),
        ({"Origin": "{own}", "Sec-Fetch-Site": "same-origin"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Origin": "http://evil.example"}, True),
        ({"Origin": "null"}, True),
        ({"Origin": ""}, True),
        ({"Origin": "http://127.0.0.1"}, True),
        ({"Origin": "http://127.0.0.1:1"}, True),
        ({"Origin": "{own}.evil.example"}, True),
        ({"Origin": "file://"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, True),
        ({"Sec-Fetch-Site": "same-site"}, True),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, True),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "{own}"}, True),
    ],
)
def test_a_page_of_another_site_changes_nothing(open_api, headers, is_foreign):
    sent = {name: value.format(own=open_api.address) for name, value in headers.items()}
    for method, path in routes(open_api):
        response = open_api.client.request(method, path, headers=sent)
        is_drawn = sent.get("Sec-Fetch-Site") == "cross-site"
        assert (response.status_code == 403) == (is_drawn or (is_foreign and method == "POST")), (method, path)
    assert (open_api.client.delete("/nope", headers=sent).status_code == 403) == is_foreign


@pytest.mark.parametrize(
    ("mode", "target", "status"),
    [
        *(("navigate", "document", 200), ("navigate", None, 200)),
        *(("no-cors", "image", 403), ("cors", "empty", 403), ("no-cors", "script", 403), (None, None, 403)),
        *(("navigate", "iframe", 403), ("navigate", "object", 403)),
    ],
)
def test_a_page_of_another_site_may_link_here_but_not_ask_unseen(open_api, mode, target, status):
    said = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": target}
    headers = {name: value for name, value in said.items() if value}
    for path in ("/", "/api/status", "/metrics", "/healthz"):
        assert open_api.client.get(path, headers=headers).status_code == status, path
    own = headers | {"Sec-Fetch-Site": "same-origin"}
    assert open_api.client.get("/api/status", headers=own).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "text/plain;application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "json",
        "",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_refused_everywhere(open_api, content_type):
    changing = [path for method, path in routes(open_api) if method == "POST"]
    assert len(changing) >= 7
    for path in changing:
        headers = {"Content-Type": content_type}
        response = open_api.client.post(path, content=b'{"ids": [1], "verb": "applied"}', headers=headers)
        assert response.status_code == 415
        assert is_problem(response)


def test_json_is_taken_with_a_charset_and_in_any_case(open_api):
    (match_id,) = open_api.seed_one()
    for content_type in ("application/json; charset=utf-8", "Application/JSON"):
        body = f'{{"ids": [{match_id}], "verb": "applied"}}'.encode()
        response = open_api.client.post("/api/items/mark", content=body, headers={"Content-Type": content_type})
        assert response.status_code == 200


def test_no_get_changes_anything_and_no_other_site_may_read(open_api):
    (match_id,) = open_api.seed_one()
    for method, path in routes(open_api):
        open_api.client.request("GET", path)
        asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": method}
        answers = [open_api.client.options(path, headers=asked), open_api.client.get(path, headers=asked)]
        assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)
    assert open_api.status(match_id) == "QUEUED"


def test_every_answer_carries_the_safety_headers(api):
    asked = [("GET", "/nope"), ("DELETE", "/api/items"), ("GET", "/api/items?limit=0"), *routes(api)]
    answers = [api.client.request(method, path) for method, path in asked]
    answers += [api.client.get("/api/items", headers={"Authorization": b""})]
    answers += [api.client.get("/api/items", headers={"Host": "evil.example"})]
    assert {answer.status_code for answer in answers} >= {200, 401, 404, 405, 421, 422}
    for answer in answers:
        assert HEADERS.items() <= dict(answer.headers).items()
        assert "server" not in answer.headers


def test_a_body_above_the_limit_is_refused_declared_or_not(open_api):
    body = b'{"ids": [1], "verb": "' + b"x" * LARGEST_BODY + b'"}'
    headers = {"Content-Type": "application/json"}
    declared = open_api.client.post("/api/items/mark", content=body, headers=headers)
    chunked = open_api.client.post("/api/items/mark", content=iter([body[:9], body[9:]]), headers=headers)
    assert [declared.status_code, chunked.status_code] == [413, 413]
    assert is_problem(declared)
    assert is_problem(chunked)
    head = "POST /api/undo HTTP/1.1\nHost: localhost\nContent-Type: application/json\nConnection: close\n"
    assert spoken(open_api.port, f"{head}Content-Length: {'9' * 15}\n\n")[0] == 413


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422),
        (b"[]", 422),
        (b"null", 422),
        (b'{"ids": [], "verb": "applied"}', 422),
        (b'{"ids": ["1"], "verb": "applied"}', 422),
        (b'{"ids": [true], "verb": "applied"}', 422),
        (b'{"ids": [0], "verb": "applied"}', 422),
        (b'{"ids": [9223372036854775808], "verb": "applied"}', 422),
        (b'{"ids": [NaN], "verb": "applied"}', 422),
        (b'{"ids": [1], "verb": "undo"}', 422),
        (b'{"ids": [1], "verb": "\\ud800"}', 422),
        (b'{"ids": [1], "verb": "applied", "\\ud800": 1}', 422),
        (b'{"ids": [1], "verb": "applied", "who": "root"}', 422),
        (b'{"ids": [%s], "verb": "applied"}' % b",".join([b"1"] * 1001), 422),
        (b'{"\xff"}', 400),
        (b"[" * 60_000, 400),
        (b'{"ids": [%s], "verb": "applied"}' % (b"1" * 5000), 400),
    ],
)
def test_a_body_that_is_not_as_documented_is_a_problem(open_api, body, status):
    answer = open_api.client.post("/api/items/mark", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert is_problem(answer)


def test_an_unforeseen_error_says_nothing_of_the_inside(mortal_api):
    def broken() -> None:
        raise RuntimeError("the inside")

    assert isinstance(mortal_api.door.inner, FastAPI)
    mortal_api.door.inner.add_api_route("/broken", broken)
    with capture_logs() as told:
        answer = mortal_api.get("/broken")
    assert answer.status_code == 500
    assert is_problem(answer)
    assert "inside" not in answer.text
    assert [line["event"] for line in told if line["log_level"] == "error"] == ["an error nobody foresaw"]
    assert HEADERS.items() <= dict(answer.headers).items()
    assert mortal_api.get("/healthz").status_code == 200


def test_an_answer_that_breaks_off_is_told_to_the_log_and_the_server_goes_on(mortal_api):
    def torn() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("the inside")

    assert isinstance(mortal_api.door.inner, FastAPI)
    mortal_api.door.inner.add_api_route("/torn", lambda: StreamingResponse(torn()))
    with capture_logs() as told, pytest.raises(httpx2.HTTPError):
        mortal_api.get("/torn")
    assert [line["event"] for line in told if line["log_level"] == "error"] == ["an error nobody foresaw"]
    assert mortal_api.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        *(("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("localhost", True)),
        *(("0.0.0.0", False), ("::", False), ("192.168.0.2", False), ("example.com", False), ("", False)),
        *(("localhost.example.com", False), ("127.0.0.1.example.com", False), ("::ffff:8.8.8.8", False)),
    ],
)
def test_without_a_token_only_this_machine_is_served(host, is_own):
    assert is_loopback(host) == is_own
    settings = WebSettings(enabled=True, host=host, port=0)
    require_safe(WebSettings(enabled=True, host=host, port=0, token=Secret("long enough")))
    if is_own:
        require_safe(settings)
    else:
        with pytest.raises(ConfigError, match="Set one: token"):
            require_safe(settings)


def test_the_configured_host_and_the_allowed_ones_are_own_names():
    settings = WebSettings(enabled=True, host="fd00::5", port=1, allowed_hosts=("Radar.Example:8080", "[2001:DB8::1]"))
    guard = guard_of(settings)
    assert guard.names == {"localhost", "127.0.0.1", "::1", "fd00::5", "radar.example", "2001:db8::1"}
    assert host_name("[FD00:0::5]:80") == "fd00::5"
    assert host_name("a:b@c") is None


def test_a_header_that_comes_twice_counts_for_the_stricter():
    guard = Guard(frozenset({"localhost"}))
    host, own, foreign = (b"host", b"localhost"), (b"origin", b"http://localhost"), (b"origin", b"http://evil")

    def status(*headers: tuple[bytes, bytes]) -> int | None:
        refusal = guard.refusal(Visit(method="POST", path="/api/undo", headers=headers))
        return refusal.status if refusal else None

    assert status(host) is None
    assert status(host, own) is None
    assert status(host, own, foreign) == 403
    assert status(host, (b"host", b"localhost")) == 421
    assert status(host, (b"content-length", b"0")) is None
    assert status(host, (b"content-length", b"2")) == 415
    assert status(host, (b"transfer-encoding", b"chunked")) == 415
    json = (b"content-type", b"application/json")
    assert status(host, (b"content-length", b"2"), json) is None
    assert status(host, (b"content-length", b"2"), json, (b"content-type", b"text/plain")) == 415
