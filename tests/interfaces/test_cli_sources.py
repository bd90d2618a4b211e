"""`radar sources` lists every source with its needs and health, with and without a configuration."""

from pathlib import Path

from inforadar.bootstrap import known_sources

DOCS = Path(__file__).parents[2]


def test_every_source_is_listed_with_a_page_that_exists(newcomer):
    told = newcomer("sources", "--json").json
    assert [one["name"] for one in told] == list(known_sources())
    assert all((DOCS / one["docs"]).is_file() for one in told)
    assert list(newcomer.folder.iterdir()) == []


def test_needs_are_told_as_missing_until_they_are_set(radar):
    told = {one["name"]: one for one in radar("sources", "--json").json}
    assert told["hh"]["needs"] == ["token"]
    assert told["hh"]["missing"] == []
    assert told["infojobs"]["missing"] == ["client_id", "client_secret"]
    assert told["greenhouse"]["needs"] == []
    assert "key pair: missing" in radar("sources").out


def test_health_is_what_the_store_knows(radar):
    assert {one["name"]: one["state"] for one in radar("sources", "--json").json}["hh"] == "never asked"
    radar("fetch", "--source", "hh", "--limit", "1")
    told = {one["name"]: one for one in radar("sources", "--json").json}
    assert told["hh"]["state"] == "ok"
    assert told["hh"]["queries"] == 1
    assert told["hh"]["last_success_at"]


def test_the_table_fits_a_terminal(radar):
    radar.env["COLUMNS"] = "80"
    assert max(map(len, radar("sources").out.splitlines())) <= 80
