"""Tokens of applications: fetched when needed, renewed in time, kept where nobody else reads them."""

import json
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Request
from inforadar.sources.authorization import Authorized
from inforadar.sources.ebay import SALES_PATH, ebay_client

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
BASE = "https://api.test"
ASKED = Request(path="/list")
SECRET = "s3cret-value"


class FakeClock:
    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def mono(self) -> float:
        return self.at.timestamp()


class Server:
    """Gives tokens t1, t2, ... and takes those that were not revoked."""

    def __init__(self) -> None:
        self.given = 0
        self.asked: list[Request] = []
        self.revoked: set[str] = set()
        self.token_answer: Callable[[], Answer] = self._token

    def send(self, _base_url: str, request: Request) -> Answer:
        if request.method == "POST":
            self.given += 1
            return self.token_answer()
        self.asked.append(request)
        bearer = request.headers["Authorization"].removeprefix("Bearer ")
        return answer({}, 401 if bearer in self.revoked or not bearer.startswith("t") else 200)

    def _token(self) -> Answer:
        return answer({"access_token": f"t{self.given}", "expires_in": 7200})


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status=status, headers=headers, body=json.dumps(body).encode(), url=BASE)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def transport(server: Server, clock: FakeClock, kept_at: Path | None = None, secret: str = SECRET) -> Authorized:
    return Authorized(transport=server, client=ebay_client("app", secret), clock=clock, kept_at=kept_at)


def test_one_token_serves_many_requests(server, clock):
    asking = transport(server, clock)
    for _ in range(3):
        assert asking.send(BASE, ASKED).status == 200
    assert server.given == 1
    assert {request.headers["Authorization"] for request in server.asked} == {"Bearer t1"}


def test_a_token_is_renewed_before_it_ends(server, clock):
    asking = transport(server, clock)
    asking.send(BASE, ASKED)
    clock.at += timedelta(seconds=7200 - 301)
    asking.send(BASE, ASKED)
    assert server.given == 1
    clock.at += timedelta(seconds=2)
    asking.send(BASE, ASKED)
    assert server.given == 2


@pytest.mark.parametrize("life_s", [60, 290, 301])
def test_a_short_lived_token_serves_for_most_of_its_life(server, clock, tmp_path, life_s):
    server.token_answer = lambda: answer({"access_token": f"t{server.given}", "expires_in": life_s})
    asking = transport(server, clock, tmp_path / "token.json")
    for _ in range(5):
        asking.send(BASE, ASKED)
    transport(server, clock, tmp_path / "token.json").send(BASE, ASKED)
    clock.at += timedelta(seconds=life_s * 0.7)
    asking.send(BASE, ASKED)
    assert server.given == 1
    clock.at += timedelta(seconds=life_s * 0.1)
    asking.send(BASE, ASKED)
    assert server.given == 2


def test_a_refused_token_is_replaced_once_and_the_request_made_again(server, clock):
    asking = transport(server, clock)
    asking.send(BASE, ASKED)
    server.revoked.add("t1")
    assert asking.send(BASE, ASKED).status == 200
    assert server.given == 2
    server.revoked |= {"t2", "t3"}
    assert asking.send(BASE, ASKED).status == 401
    assert server.given == 3


def test_a_token_is_kept_for_the_next_process_where_only_its_owner_reads_it(server, clock, tmp_path):
    kept_at = tmp_path / "radar-ebay-token.json"
    transport(server, clock, kept_at).send(BASE, ASKED)
    assert stat.S_IMODE(kept_at.stat().st_mode) == 0o600
    assert SECRET not in kept_at.read_text()
    assert [path.name for path in tmp_path.iterdir()] == [kept_at.name]
    transport(server, clock, kept_at).send(BASE, ASKED)
    assert server.given == 1


def test_a_kept_token_is_not_used_for_other_credentials_or_another_server(server, clock, tmp_path):
    kept_at = tmp_path / "token.json"
    transport(server, clock, kept_at).send(BASE, ASKED)
    transport(server, clock, kept_at, secret="another").send(BASE, ASKED)
    transport(server, clock, kept_at).send("https://other.test", ASKED)
    assert server.given == 3


def test_another_scope_gets_another_token(server, clock, tmp_path):
    asking = transport(server, clock, tmp_path / "token.json")
    asking.send(BASE, ASKED)
    asking.send(BASE, Request(path=SALES_PATH))
    assert [request.headers["Authorization"] for request in server.asked] == ["Bearer t1", "Bearer t2"]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"x": 1}', b"\xff", b'{"x": {"token": 5, "expires_at": "now"}}'])
def test_a_damaged_file_is_as_good_as_none(server, clock, tmp_path, content):
    kept_at = tmp_path / "token.json"
    kept_at.write_bytes(content)
    assert transport(server, clock, kept_at).send(BASE, ASKED).status == 200
    assert server.given == 1


def test_a_file_that_cannot_be_written_stops_nothing(server, clock, tmp_path):
    assert transport(server, clock, tmp_path / "no-such-folder" / "token.json").send(BASE, ASKED).status == 200


def test_a_token_from_another_clock_is_not_believed(server, clock, tmp_path):
    kept_at = tmp_path / "token.json"
    clock.at = NOON + timedelta(days=400)
    transport(server, clock, kept_at).send(BASE, ASKED)
    clock.at = NOON
    transport(server, clock, kept_at).send(BASE, ASKED)
    assert server.given == 2


@pytest.mark.parametrize(
    ("refusal", "kind", "said"),
    [
        (answer({"error": "invalid_client", "error_description": SECRET}, 401), Refused, "client_secret"),
        (answer({"error": "unsupported_grant_type"}, 400), Refused, "unsupported_grant_type"),
        (answer({"error": "invalid_scope"}, 400), BadQuery, "Marketplace Insights"),
        (answer({}, 429, **{"retry-after": "60"}), RateLimited, "slow down"),
        (answer({"error": "rate_limit"}, 429), RateLimited, "slow down"),
        (answer({}, 503), Unavailable, "503"),
        (answer({"error": "temporarily_unavailable"}, 503), Unavailable, "503"),
        (answer({"error": "server_error"}, 500), Unavailable, "500"),
        (answer({"error": "timeout"}, 408), Unavailable, "408"),
        (answer({"error": "temporarily_unavailable"}, 400), Unavailable, "temporarily_unavailable"),
        (answer({"access_token": "", "expires_in": 5}), Unreadable, "no token"),
        (answer(["t"]), Unreadable, "no token"),
    ],
)
def test_without_a_token_nothing_is_asked_and_the_reason_is_told(server, clock, refusal, kind, said):
    server.token_answer = lambda: refusal
    with pytest.raises(kind, match=said) as caught:
        transport(server, clock).send(BASE, ASKED)
    assert server.asked == []
    assert SECRET not in str(caught.value)


def test_missing_credentials_are_told_without_asking_anybody(server, clock):
    with pytest.raises(Refused, match="needs the credentials"):
        transport(server, clock, secret="").send(BASE, ASKED)
    assert server.given == 0


def test_no_representation_shows_a_secret(server, clock):
    asking = transport(server, clock)
    asking.send(BASE, ASKED)
    assert SECRET not in repr(vars(asking))
    assert "'t1'" not in repr(vars(asking))


def test_errors_of_the_wire_pass_through(server, clock):
    def fail() -> Answer:
        raise Unavailable("no connection")

    server.token_answer = fail
    with pytest.raises(SourceError, match="no connection"):
        transport(server, clock).send(BASE, ASKED)
