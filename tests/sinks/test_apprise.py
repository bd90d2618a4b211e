"""Apprise: what arrives at a channel, what each failure means, and that no address is ever told."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from inforadar.bootstrap import OUTLETS, open_app
from inforadar.domain.delivery import DIGEST_SIZE
from inforadar.domain.errors import Refused, Unavailable
from inforadar.observe.secrets import Secret
from inforadar.sinks.apprise import AppriseSink
from inforadar.sinks.plain_words import render
from interfaces.hostile_texts import HOSTILE
from sinks.cards import card, notice
from sinks.receiver import Receiver, config, receiving

TOKEN = "t0ken-of-the-channel"

# what the library itself imports when it loads its channels
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and slated for removal:DeprecationWarning")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def other() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def channel(receiver: Receiver, **asked: str) -> Secret:
    """The address of a receiver as Apprise writes it."""
    host = receiver.url.split("/")[2]
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return Secret(f"json://{host}/{TOKEN}" + (f"?{query}" if query else ""))


def titles(receiver: Receiver) -> list[str]:
    return [post.json["title"] for post in receiver.posts]


def test_a_match_arrives_with_a_title_and_a_body_of_plain_words(receiver):
    AppriseSink(urls=[channel(receiver)]).send(notice(card()))
    (post,) = receiver.posts
    assert post.path == f"/{TOKEN}"
    assert post.json["title"] == "Senior Python developer"
    assert post.json["message"].splitlines() == [
        "Acme & Sons · Madrid, remote · 200,000–300,000 RUB net · 3–6 years",
        "Score 0.82: Python and PostgreSQL",
        "python-madrid · hh · 3 h ago",
        "https://hh.ru/vacancy/1",
    ]


def test_many_arrive_as_one_digest(receiver):
    cards = [card(number) for number in range(1, DIGEST_SIZE + 3)]
    AppriseSink(urls=[channel(receiver)]).send(notice(*cards))
    (post,) = receiver.posts
    assert post.json["title"] == "12 matches"
    assert post.json["message"].count("https://hh.ru/vacancy/") == DIGEST_SIZE
    assert post.json["message"].endswith("and 2 more: radar items")


def test_markdown_is_written_so_that_a_listing_cannot_write_any(receiver):
    hostile = card(title="[free](http://evil.example) *now*", reason="[x](http://evil.example) <b>`code`</b> # big")
    AppriseSink(urls=[channel(receiver, format="markdown")], form="markdown").send(notice(hostile))
    (post,) = receiver.posts
    unescaped = re.sub(r"\\.", "", post.json["message"])
    assert not re.search(r"[\[\]`*#]", unescaped)
    assert "<https://hh.ru/vacancy/1>" in unescaped
    assert "[" not in post.json["title"]


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("call", ["@everyone", "@here", "<@123>", "<@&42>", "<!channel>", "<#C1>", "@Ann"])
def test_no_listing_can_call_people(form, call):
    hostile = card(title=f"Dev {call}", company=call, reason=f"because {call}", url=f"https://x.example/{call}")
    for words in (render(notice(hostile), form), render(notice(hostile, card(2)), form)):
        shown = f"{words.title}\n{words.body}".replace("\\", "")
        assert call not in shown
        assert "Dev" in shown


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_hostile_texts_stay_lines_of_a_bounded_length_and_link_nothing(form):
    for text in HOSTILE:
        words = render(notice(card(title=text, company=text, reason=text, url=text, watch=text)), form)
        assert "\n" not in words.title
        assert len(words.title) <= 260
        assert len(words.body.splitlines()) <= 5
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", words.body)
        *_, last = words.body.splitlines()
        assert last.endswith("3 h ago") or last.strip("<>").startswith("http://")


def test_a_reminder_and_a_decision_are_told():
    assert render(notice(card(is_reminder=True))).body.startswith("⏰ You asked to see this again")
    assert "✓ Applied" in render(notice(card(status="APPLIED"))).body
    assert render(notice(card(status="IN_ARCHIVE"))).title.endswith("(closed)")


@pytest.mark.parametrize(("status", "error"), [(401, Refused), (404, Refused), (429, Unavailable), (500, Unavailable)])
def test_a_channel_that_does_not_take_it_is_told_by_its_number_and_not_by_its_address(receiver, status, error, capfd):
    receiver.queue(status, body=b"no " + TOKEN.encode())
    sink = AppriseSink(urls=[channel(receiver)])
    with pytest.raises(error) as told:
        sink.send(notice(card()))
    assert type(told.value) is error
    assert str(told.value) == f"channel 1 (JSON) did not take it (HTTP {status})"
    assert TOKEN not in repr(sink)
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_nobody_there_is_unavailable():
    with pytest.raises(Unavailable, match=r"channel 1 \(JSON\) did not take it"):
        AppriseSink(urls=[Secret(f"json://127.0.0.1:9/{TOKEN}")]).send(notice(card()))


def test_a_channel_that_hangs_is_given_up_in_time(receiver):
    hang = threading.Event()
    receiver.answers.append(lambda: hang.wait(20))
    sink = AppriseSink(urls=[channel(receiver, rto="15")], timeout_s=0.2)
    with pytest.raises(Unavailable, match=r"did not answer within 0.2 s"):
        sink.send(notice(card()))
    hang.set()


@pytest.mark.parametrize("url", ["nosuch://channel/", "json://", f"discord://{TOKEN}", "", "x"])
def test_an_address_that_apprise_does_not_know_is_refused_with_the_remedy(receiver, url):
    with pytest.raises(Refused, match=r"channel 2 of \[apprise\] urls is no address") as told:
        AppriseSink(urls=[channel(receiver), Secret(url)]).send(notice(card()))
    assert TOKEN not in str(told.value)
    assert receiver.posts == []


def test_a_channel_that_took_it_does_not_get_it_again_while_another_is_out_of_order(receiver, other):
    sink = AppriseSink(urls=[channel(receiver), channel(other)])
    one, two = card(1, title="one", sending_id="s1"), card(2, title="two", sending_id="s2")
    other.queue(500)
    other.queue(500)
    with pytest.raises(Unavailable, match="channel 2"):
        sink.send(notice(one))
    with pytest.raises(Unavailable, match="channel 2"):
        sink.send(notice(one, two))
    sink.send(notice(one, two))
    assert titles(receiver) == ["one", "two"]
    assert titles(other) == ["one", "2 matches", "2 matches"]
    assert sink.taken == {}


def test_a_reminder_is_another_sending(receiver):
    sink = AppriseSink(urls=[channel(receiver)])
    first = sink.send(notice(card(sending_id="s1")))
    again = sink.send(notice(card(sending_id="s2", is_reminder=True)))
    assert first != again
    assert len(receiver.posts) == 2


def test_what_was_sent_stays_as_it_is(receiver):
    sink = AppriseSink(urls=[channel(receiver)])
    sink.edit(sink.send(notice(card())), notice(card(status="APPLIED")))
    assert len(receiver.posts) == 1


def test_the_outlet_is_made_of_the_settings_and_every_address_is_a_secret(sqlite_url, receiver):
    url = channel(receiver).reveal()
    table = f'urls = ["{url}", {{ env = "NOT_SET" }}]\nquiet_hours = "22:00-08:00"\nformat = "markdown"\ngather_s = 7'
    read = config("apprise", table, deliver='deliver = ["apprise"]', store=sqlite_url)
    assert any("NOT_SET" in warning for warning in read.warnings)
    assert {url, TOKEN} <= set(read.secrets())
    assert TOKEN not in repr(read)
    with open_app(read) as app:
        outlet = OUTLETS["apprise"](app)
    assert (outlet.gather_for.total_seconds(), outlet.can_edit, outlet.sink.form) == (7, False, "markdown")
    assert outlet.quiet_hours is not None
    with open_app(config("apprise", "urls = []", store=sqlite_url)) as app:
        assert OUTLETS["apprise"](app) is None


@pytest.mark.parametrize("urls", ['"json://x"', "5", "[5]", '[""]', "[{ nope = 1 }]"])
def test_addresses_that_are_no_list_of_secrets_are_a_mistake_with_its_line(urls):
    with pytest.raises(Exception, match="line 5"):
        config("apprise", f"urls = {urls}")


def test_the_library_is_loaded_only_when_something_is_sent():
    probe = "import sys, inforadar.bootstrap; sys.exit('apprise' in sys.modules or 'requests' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False, timeout=30).returncode == 0
