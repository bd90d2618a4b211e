"""Feeds stand on servers that have nothing to do with one another: one that is down holds up no other one."""

from textwrap import dedent

import pytest

DEAD = "http://127.0.0.1:9/news.rss"


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


def test_the_doctor_tells_which_server_is_left_alone_and_how_to_ask_it_again(feeds):
    for _ in range(5):
        feeds("fetch", "dead")
    findings = {one["area"]: one for one in feeds("doctor", "--json").json["findings"]}
    told = findings["feed@127.0.0.1:9"]
    assert (told["state"], "left alone until" in told["what"]) == ("warning", True)
    assert "radar fetch --source feed --now" in told["remedy"]


def test_one_that_fails_in_a_run_ends_no_query_of_another_server(feeds):
    ran = feeds("fetch", "dead", "alive", "--json").json
    assert [one["stop_reason"] == "unavailable" for one in ran["queries"]] == [True, False]


def test_a_person_ends_the_pause_of_all_servers_of_a_source(feeds):
    for _ in range(5):
        feeds("fetch", "dead")
    feeds("fetch", "--source", "feed", "--now")
    assert states(feeds).get("feed@127.0.0.1:9") != "paused"
