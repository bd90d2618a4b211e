"""The webhook: what is posted and signed, how a repetition is known, and what each answer means for the outbox."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inforadar.bootstrap import OUTLETS, open_app
from inforadar.domain.errors import BadQuery, RateLimited, Refused, Unavailable
from inforadar.net.http import HttpClient
from inforadar.observe.secrets import Secret
from inforadar.sinks.webhook import WebhookSink
from net.local_internet import WallClock
from sinks.cards import NOW, card, notice
from sinks.receiver import Receiver, config, receiving

SECRET = "a long text that both sides know"
ANSWERS = [
    (400, (), BadQuery),
    (401, (), Refused),
    (403, (), Refused),
    (404, (), Refused),
    (408, (), Unavailable),
    (409, (), Unavailable),
    (410, (), Refused),
    (413, (), BadQuery),
    (422, (), BadQuery),
    (429, (), RateLimited),
    (500, (), Unavailable),
    (503, (), Unavailable),
    (503, (("Retry-After", "90"),), RateLimited),
    (302, (("Location", "http://127.0.0.1:9/"),), Refused),
]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@dataclass
class StoodClock(WallClock):
    """A clock whose moment is chosen."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> StoodClock:
    return StoodClock()


@pytest.fixture
def sink(receiver, clock) -> Iterator[WebhookSink]:
    with HttpClient(clock=clock, allow=[receiver.url]) as http:
        yield WebhookSink(transport=http, clock=clock, url=Secret(receiver.url), secret=Secret(SECRET))


def test_a_match_is_posted_with_all_its_fields_to_the_whole_address(sink, receiver):
    reference = sink.send(notice(card(sending_id="s1", act_id=5)))
    (post,) = receiver.posts
    assert post.path == "/hooks/radar?token=t0ken-in-the-query"
    assert post.headers["content-type"] == "application/json"
    told = post.json
    assert (told["version"], told["event"], told["reference"]) == (1, "matches", reference)
    (match,) = told["matches"]
    assert match == {
        "id": 1,
        "sending_id": "s1",
        "watch": "python-madrid",
        "kind": "vacancy",
        "source": "hh",
        "key": "key-1",
        "url": "https://hh.ru/vacancy/1",
        "title": "Senior Python developer",
        "company": "Acme & Sons",
        "published_at": "2026-01-05T09:00:00Z",
        "status": "SENT_TO_USER",
        "score": 0.824,
        "reason": "Python and PostgreSQL",
        "is_reminder": False,
        "also_on": [],
        "later_until": None,
        "act_id": 5,
        "data": card().data,
    }


def test_a_receiver_can_check_the_signature_over_time_and_body(sink, receiver, clock):
    sink.send(notice(card(title="«Разработчик» \u202e \ud83d\ude00")))
    (post,) = receiver.posts
    stamp, sealed = (part.split("=", 1)[1] for part in post.headers["x-radar-signature"].split(","))
    expected = hmac.new(SECRET.encode(), f"{stamp}.".encode() + post.body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(sealed, expected)
    assert datetime.fromtimestamp(int(stamp), UTC) == NOW
    assert SECRET.encode() not in post.body


def test_the_check_of_the_documentation_takes_what_is_posted_and_nothing_else(sink, receiver, clock):
    clock.at = datetime.now(UTC)
    sink.send(notice(card()))
    (post,) = receiver.posts
    page = (Path(__file__).parents[2] / "docs" / "webhook.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    header = post.headers["x-radar-signature"]
    assert names["is_genuine"](SECRET, header, post.body)
    assert not names["is_genuine"](SECRET, header, post.body + b" ")
    assert not names["is_genuine"]("another secret", header, post.body)
    assert not names["is_genuine"](SECRET, header.replace("t=1", "t=2", 1), post.body)


def test_a_repetition_bears_the_same_key_and_body_and_another_signature(sink, receiver, clock):
    receiver.queue(500)
    with pytest.raises(Unavailable):
        sink.send(notice(card(sending_id="s1")))
    clock.at += timedelta(hours=1)
    sink.send(notice(card(sending_id="s1")))
    sink.send(notice(card(sending_id="s2")))
    first, again, other = receiver.posts
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"] == first.json["event_id"]
    assert first.body == again.body
    assert first.headers["x-radar-signature"] != again.headers["x-radar-signature"]
    assert other.headers["idempotency-key"] != first.headers["idempotency-key"]


def test_an_update_names_the_event_it_is_about_and_has_a_key_of_its_own(sink, receiver):
    reference = sink.send(notice(card(1, sending_id="a"), card(2, sending_id="b")))
    decided = notice(card(1, status="APPLIED", act_id=3), card(2))
    sink.edit(reference, decided)
    sink.edit(reference, replace(decided, now=NOW + timedelta(days=1)))
    sink.edit(reference, notice(card(1), card(2)))
    sent, update, again, undone = receiver.posts
    assert [match["status"] for match in update.json["matches"]] == ["APPLIED", "SENT_TO_USER"]
    assert (update.json["event"], update.json["reference"]) == ("update", sent.json["reference"])
    assert update.headers["x-radar-event"] == "update"
    keys = [post.headers["idempotency-key"] for post in receiver.posts]
    assert keys[1] == keys[2]
    assert len(set(keys)) == 3
    assert (again.body, undone.json["matches"][0]["status"]) == (update.body, "SENT_TO_USER")


@pytest.mark.parametrize(("status", "headers", "error"), ANSWERS)
def test_each_answer_means_its_own_for_the_outbox(sink, receiver, status, headers, error):
    receiver.queue(status, *headers, body=b"secret details")
    with pytest.raises(error) as told:
        sink.send(notice(card()))
    assert type(told.value) is error
    assert "secret" not in str(told.value).replace("[webhook] url and secret", "")
    assert "t0ken" not in str(told.value)


def test_a_wait_that_is_asked_for_is_kept(sink, receiver):
    receiver.queue(429, ("Retry-After", "120"))
    with pytest.raises(RateLimited) as told:
        sink.send(notice(card()))
    assert told.value.retry_at == NOW + timedelta(seconds=120)


def test_a_redirect_is_not_followed_with_the_body(sink, receiver):
    receiver.queue(307, ("Location", receiver.url))
    with pytest.raises(Refused):
        sink.send(notice(card()))
    assert len(receiver.posts) == 1


def test_nobody_there_is_unavailable_and_no_error_shows_the_address(receiver, clock):
    with HttpClient(clock=clock, allow=["http://127.0.0.1:9"]) as http:
        url = Secret("http://127.0.0.1:9/hooks/t0ken")
        sink = WebhookSink(transport=http, clock=clock, url=url, secret=Secret(SECRET))
        with pytest.raises(Unavailable) as told:
            sink.send(notice(card()))
        assert "t0ken" not in str(told.value)
        assert "t0ken" not in repr(sink)
        assert SECRET not in repr(sink)


def test_a_private_address_is_reached_only_because_the_user_wrote_it(receiver, clock, sqlite_url):
    with HttpClient(clock=clock) as http:
        stranger = WebhookSink(transport=http, clock=clock, url=Secret(receiver.url), secret=Secret(SECRET))
        with pytest.raises(Refused):
            stranger.send(notice(card()))
    assert receiver.posts == []
    with open_app(config("webhook", f'url = "{receiver.url}"\nsecret = "{SECRET}"', store=sqlite_url)) as app:
        outlet = OUTLETS["webhook"](app)
        outlet.sink.send(notice(card()))
    assert len(receiver.posts) == 1


def test_without_address_or_secret_there_is_no_outlet_and_the_user_is_warned(sqlite_url):
    for table, missing in (('url = "https://x.example/"', "secret"), (f'secret = "{SECRET}"', "url")):
        half = config("webhook", table, deliver='deliver = ["webhook"]', store=sqlite_url)
        assert any("webhook" in warning and missing in warning for warning in half.warnings)
        with open_app(half) as app:
            assert OUTLETS["webhook"](app) is None


def test_address_and_secret_are_among_the_secrets():
    url = "https://x.example/hooks/0123456789abcdef0123?key=fedcba98765432100"
    held = config("webhook", f'url = "{url}"\nsecret = "{SECRET}"').secrets()
    assert {url, SECRET, "0123456789abcdef0123", "fedcba98765432100"} <= set(held)
    assert "x.example" not in held
