"""Feeds stand on servers that have nothing to do with one another: one that is down holds up no other one."""

from textwrap import dedent

import pytest

from inforadar.bootstrap import open_app, read_config
from inforadar.domain.errors import Unavailable
from inforadar.domain.health import after_failure
from inforadar.domain.offline import NOT_RESOLVED
from inforadar.store import query_states, sources
from interfaces.command_line import NOON

DEAD = "http://127.0.0.1:9/news.rss"
DEAD_GATE = "feed@127.0.0.1:9"


@pytest.fixture
def feeds(radar, simulator):
    watches = "".join(
        dedent(f"""
        [[watch]]
        name = "{name}"
        kind = "article"
          [[watch.query]]
          source = "feed"
          params = {{ url = "{url}" }}
        """)
        for name, url in (("dead", DEAD), ("alive", f"{simulator.base_urls['feed']}/news.rss"))
    )
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text() + watches + "[http]\ndeadline_s = 5\n")
    return radar


def states(radar) -> dict[str, str]:
    return {one["name"]: one["state"] for one in radar("status", "--json").json["sources"]}


def test_a_server_that_is_down_is_left_alone_by_itself(feeds):
    for _ in range(5):
        assert feeds("fetch", "dead").code != 0
    assert states(feeds)["feed@127.0.0.1:9"] == "paused"
    assert states(feeds)["feed"] != "paused"
    assert "is left alone until" in feeds("fetch", "dead").out
    ran = feeds("fetch", "alive")
    assert (ran.code, "left alone" in ran.out, "1 request" in ran.out) == (0, False, True)


def test_a_feed_that_says_it_is_the_same_is_reported_as_not_changed_and_not_as_empty(feeds):
    assert " added on 1 page; end of feed" in feeds("fetch", "alive").out
    assert feeds("fetch", "alive").out.splitlines()[0] == "alive / feed  not changed"


def test_the_doctor_tells_which_server_is_left_alone_and_how_to_ask_it_again(feeds):
    for _ in range(5):
        feeds("fetch", "dead")
    findings = {one["area"]: one for one in feeds("doctor", "--json").json["findings"]}
    told = findings["feed@127.0.0.1:9"]
    assert (told["state"], "left alone until" in told["what"]) == ("warning", True)
    assert "radar fetch --source feed --now" in told["remedy"]


def test_status_tells_how_to_ask_a_server_that_is_left_alone_by_the_name_of_its_source(feeds):
    for _ in range(5):
        feeds("fetch", "dead")
    assert "`radar fetch --source feed --now` ends it at once" in feeds("status").err


def test_one_that_fails_in_a_run_ends_no_query_of_another_server(feeds):
    ran = feeds("fetch", "dead", "alive", "--json").json
    assert [one["stop_reason"] == "unavailable" for one in ran["queries"]] == [True, False]


def test_a_person_ends_the_pause_of_all_servers_of_a_source(feeds):
    for _ in range(5):
        feeds("fetch", "dead")
    feeds("fetch", "--source", "feed", "--now")
    assert states(feeds).get("feed@127.0.0.1:9") != "paused"


def lose(radar, *gates):
    """Whoever stands behind these gates, and every query that asks there, fails because its name leads nowhere."""
    with open_app(read_config(radar.folder / "radar.toml")) as app, app.database.transaction() as tx:
        asks = app.ways.gate_names()
        for name in gates:
            error = Unavailable(f"{name}: {NOT_RESOLVED}")
            sources.register(tx, name, rate_limit_per_minute=6000, enabled=True, paced_at=NOON)
            sources.change(tx, name, NOON, lambda health, error=error: after_failure(health, error, NOON, 0))
            for query in (query for watch in app.config.watches for query in watch.queries):
                if asks[query.watch, query.key] == name:
                    query_states.ensure(tx, query, NOON)
                    query_states.fail(tx, query, NOON, str(error))


def found(radar, area):
    """What the doctor says of one area."""
    return [(one["state"], one["what"]) for one in radar("doctor", "--json").json["findings"] if one["area"] == area]


def test_a_source_of_many_servers_is_told_by_those_that_its_queries_ask(feeds):
    feeds("fetch", "alive")
    ((state, what),) = found(feeds, "feed")
    assert (state, what) == ("ok", "answered last at 2026-01-05 12:00 UTC, 1 of its 2 servers not asked yet")
    assert states(feeds)["feed"] == "ok"
    lose(feeds, DEAD_GATE)
    assert (states(feeds)["feed"], states(feeds)["feed@127.0.0.1:9"]) == ("partly failing", "failing")
    assert {one["name"]: one["state"] for one in feeds("sources", "--json").json}["feed"] == "partly failing"
    assert found(feeds, "feed@127.0.0.1:9")[0][0] == "failure"
    assert found(feeds, "feed") == [("ok", "answered last at 2026-01-05 12:00 UTC")]


def test_a_source_none_of_whose_servers_answers_is_not_told_as_never_asked(feeds):
    feeds("watch", "remove", "alive", "--yes")
    lose(feeds, DEAD_GATE)
    assert states(feeds)["feed"] == "failing"
    told = feeds("status").out
    assert "see feed@127.0.0.1:9 below" in told
    assert "Correct it" not in told
    assert found(feeds, "feed") == []


def test_what_no_active_query_asks_is_not_told_as_failing(feeds):
    lose(feeds, DEAD_GATE)
    feeds("watch", "pause", "dead")
    told = feeds("status")
    assert "feed@127.0.0.1:9" not in states(feeds)
    assert "127.0.0.1:9" not in told.out
    assert "Correct it" not in told.err + told.out
    assert "127.0.0.1:9" not in feeds("doctor").out
    feeds("watch", "remove", "dead", "--yes")
    assert "127.0.0.1:9" not in feeds("status").out


def test_a_source_that_fails_and_is_asked_by_nobody_any_more_is_a_quiet_row(radar):
    radar("fetch")
    lose(radar, "habr", "hh")
    assert states(radar)["habr"] == "failing"
    radar("watch", "pause", "articles")
    assert states(radar)["habr"] == "not used"
    assert "habr: the name" not in radar("status").out


def test_a_source_that_answered_and_is_asked_by_nobody_any_more_is_not_used_wherever_it_is_told(radar):
    radar("fetch")
    assert states(radar)["habr"] == "ok"
    radar("watch", "pause", "articles")
    assert states(radar)["habr"] == "not used"
    assert {one["name"]: one["state"] for one in radar("sources", "--json").json}["habr"] == "not used"


def test_a_machine_that_is_offline_is_one_matter_and_no_fault_of_any_query(radar):
    radar("fetch")
    lose(radar, "hh", "linkedin", "habr")
    failures = [one for one in radar("doctor", "--json").json["findings"] if one["state"] == "failure"]
    assert [(one["area"], one["what"]) for one in failures] == [
        ("network", "no source can be reached: this machine seems to be offline")
    ]
    assert not [one for one in failures if "watch edit" in one["remedy"]]
    told = radar("status")
    assert "No source can be reached: this machine seems to be offline." in told.err + told.out
    assert "Correct it" not in told.err + told.out


def test_a_query_is_not_to_be_corrected_because_of_the_network_or_a_death(radar):
    radar("fetch")
    with open_app(read_config(radar.folder / "radar.toml")) as app, app.database.transaction() as tx:
        first, second = (query for watch in app.config.watches[:1] for query in watch.queries)
        query_states.fail(tx, first, NOON, f"hh.ru: {NOT_RESOLVED}")
        query_states.fail(tx, second, NOON, "interrupted")
    told = radar("status")
    assert "Correct it" not in told.err + told.out
    about = [one["remedy"] for one in radar("doctor", "--json").json["findings"] if one["area"] == "jobs"]
    assert any(one.startswith("radar fetch jobs") for one in about)
    assert not [one for one in about if "watch edit" in one]


def spoil(radar, number):
    """So many feeds fail by their own fault, each in a watch of its own."""
    path = radar.folder / "radar.toml"
    watches = "".join(
        f'[[watch]]\nname = "bad {n}"\nkind = "article"\n'
        f'[[watch.query]]\nsource = "feed"\nparams = {{ url = "https://bad.example/{n}.rss" }}\n'
        for n in range(number)
    )
    path.write_text(path.read_text() + watches)
    with open_app(read_config(path)) as app, app.database.transaction() as tx:
        for query in (query for watch in app.config.watches[-number:] for query in watch.queries):
            query_states.ensure(tx, query, NOON)
            query_states.fail(tx, query, NOON, "that is no feed")


@pytest.mark.parametrize(
    ("number", "ending"),
    [
        (1, "Correct it: radar watch edit 'bad 0', then radar fetch"),
        (2, "Correct them: radar watch edit 'bad 0', radar watch edit 'bad 1', then radar fetch"),
        (5, "radar watch edit 'bad 2' and 2 more, told above, then radar fetch"),
    ],
)
def test_status_names_each_watch_that_wants_correcting_or_how_many_more(radar, number, ending):
    spoil(radar, number)
    assert ending in " ".join(radar("status").err.split())
