"""Clocks, chance, log, metrics and secrets."""

import io
import json
import logging
import pickle
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from inforadar.domain.errors import ConfigError
from inforadar.observe.chance import chance
from inforadar.observe.clock import FakeClock, SystemClock
from inforadar.observe.log import get_log, set_up_log
from inforadar.observe.metrics import create_metrics
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret, Secrets

MOMENT = datetime(2026, 1, 5, 12, tzinfo=UTC)
TOKEN = "tok/en+CANARY 7"


@pytest.fixture
def log_into():
    """Set the log up on a stream, and leave no trace of it afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def set_up(**options):
        stream = io.StringIO()
        set_up_log(clock=FakeClock(MOMENT), secrets=Secrets([TOKEN]), stream=stream, **options)
        return stream

    yield set_up
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize("text", ["2026-01-05T12:00:00Z", "2026-01-05T12:00:00", "2026-01-05T13:00:00+01:00"])
def test_the_process_believes_it_started_at_radar_now_and_time_runs_on(text):
    clock = SystemClock.from_env({"RADAR_NOW": text})
    first, second = clock.now(), clock.now()
    assert timedelta(0) <= first - MOMENT < timedelta(seconds=5)
    assert first <= second
    assert first.tzinfo is UTC


def test_without_radar_now_the_clock_is_the_machines():
    assert abs(SystemClock.from_env({}).now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert SystemClock().mono() <= SystemClock().mono()


def test_a_bad_radar_now_is_named():
    with pytest.raises(ConfigError, match="RADAR_NOW='soon'"):
        SystemClock.from_env({"RADAR_NOW": "soon"})


def test_a_fake_clock_moves_only_when_told():
    clock = FakeClock(MOMENT)
    clock.advance(90)
    assert (clock.now(), clock.mono()) == (MOMENT + timedelta(seconds=90), 90)


def test_a_seed_fixes_chance():
    assert chance("7").random() == chance(7).random()
    assert chance("7").random() != chance("8").random()
    assert chance().random() != chance("").random()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u0451 text", "plain \u0451 text"),
        ("a\nb\tc", "a b c"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jgone", "gone"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("\x1bc\x00\x08x", "x"),
        ("a\u202eb\u2066c\u200bd\ufeff", "abcd"),
        ("a\ud800b", "ab"),
        ("a\u2028b", "a b"),
    ],
)
def test_text_from_outside_cannot_move_the_cursor_or_forge_a_line(text, shown):
    assert printable(text) == shown


def test_line_ends_stay_where_they_are_wanted():
    assert printable("a\nb\x1b[1m\tc", keep="\n") == "a\nb c"


def test_a_secret_never_shows_itself():
    secret = Secret(TOKEN)
    assert {repr(secret), str(secret), f"{secret}", f"{[secret]}"[1:-1]} == {"***"}
    assert secret.reveal() == TOKEN
    assert secret == Secret(TOKEN)
    with pytest.raises(TypeError):
        pickle.dumps(secret)


@pytest.mark.parametrize(
    "text",
    [
        f"got {TOKEN}!",
        "?t=tok/en%2BCANARY%207",
        "?t=tok%2Fen%2BCANARY+7",
        repr(f"x {TOKEN}"),
        json.dumps(TOKEN),
    ],
)
def test_secrets_are_masked_in_every_spelling(text):
    scrubbed = Secrets([TOKEN]).scrub(text)
    assert "CANARY" not in scrubbed
    assert "***" in scrubbed


def test_the_longer_of_two_secrets_is_masked_whole_and_short_values_are_left():
    secrets = Secrets(["abcd", "abcdef", "x"])
    assert secrets.scrub("abcdef x abcd") == "*** x ***"


@pytest.mark.parametrize("is_json", [True, False])
def test_no_secret_and_no_control_character_reaches_the_log(log_into, is_json):
    stream = log_into(is_json=is_json)
    log = get_log("collect").bind(bound=TOKEN)
    log.info(f"asked {TOKEN}", url=f"http://x/{TOKEN}", nested={"k": [TOKEN, {"t": TOKEN}]}, odd=Secret(TOKEN))
    log.warning("title", title="\x1b[2Jx\u202e\nforged", **{f"key {TOKEN}": 1})
    log.info("split", text="tok/en+\x1b[0mCANARY 7")
    try:
        raise ValueError(f"refused {TOKEN}")
    except ValueError:
        log.exception("failed")
    logging.getLogger("library").warning("GET %s", TOKEN)
    written = stream.getvalue()
    assert "CANARY" not in written
    assert "ValueError: refused ***" in written
    assert "GET ***" in written
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert not any(line.startswith("forged") for line in written.splitlines())


def test_json_lines_carry_the_event_its_level_time_and_values(log_into):
    stream = log_into(is_json=True)
    get_log("collect").info("sweep ended", pages=3, share=0.5, left=None)
    assert json.loads(stream.getvalue()) == {
        "event": "sweep ended", "level": "info", "at": "2026-01-05T12:00:00.000+00:00",
        "room": "collect", "pages": 3, "share": 0.5, "left": None,
    }  # fmt: skip


def test_library_events_are_json_lines_too_and_quiet_below_warning(log_into):
    stream = log_into(is_json=True)
    logging.getLogger("library").info("chatter")
    logging.getLogger("library").error("broken")
    event = json.loads(stream.getvalue())
    assert (event["event"], event["level"]) == ("broken", "error")


def test_the_level_is_obeyed(log_into):
    stream = log_into(level="WARNING")
    get_log("x").info("quiet")
    get_log("x").warning("loud")
    assert "quiet" not in stream.getvalue()
    assert "loud" in stream.getvalue()


def test_metrics_are_rendered_under_their_names():
    metrics = create_metrics()
    metrics.sweeps.labels(source="hh", stop_reason="end of feed").inc()
    metrics.items_added.labels(source="hh").inc(3)
    metrics.request_seconds.labels(source="hh").observe(0.2)
    text = metrics.render().decode()
    assert 'radar_sweeps_total{source="hh",stop_reason="end of feed"} 1.0' in text
    assert 'radar_items_added_total{source="hh"} 3.0' in text
    assert 'radar_request_seconds_count{source="hh"} 1.0' in text
    assert 'source="hh"' not in create_metrics().render().decode()
