"""What others rely on: the keys of the JSON, the exit codes, which stream says what, what is chosen."""

import json
import re
from datetime import UTC, datetime

import pytest

from inforadar.bootstrap import open_app, read_config
from inforadar.collect.fetch import RUN_LEASE
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.store import leases
from inforadar.store.database import open_database
from interfaces.command_line import CommandLine

FETCH_KEYS = {
    *("run_id", "started_at", "finished_at", "added_count", "updated_count", "errors_count"),
    *("added_articles", "updated_articles", "updated_fields_map", "queries"),
}
QUERY_KEYS = {
    *("watch", "source", "query_key", "status", "stop_reason", "pages", "requests", "seen", "unseen", "known"),
    *("duplicate_share", "added", "updated", "errors", "left"),
    *("last_seen_max", "last_complete_sweep_before", "last_processed_date"),
}
ITEM_KEYS = {
    *("id", "item_id", "watch", "source", "key", "url", "title", "company", "published_at", "status", "score"),
    *("reason", "also_on", "others", "data"),
}
SUMMARY_KEYS = {
    *("query_key", "pages", "unseen", "duplicate_share", "stop_reason"),
    *("last_seen_max", "last_complete_sweep_before"),
}
REFUSAL = {"hh": "captcha", "linkedin": "authwall", "habr": "ddos_guard"}


def refuse(simulator: Simulator, *sources: str) -> None:
    """Let these sources turn every visitor away."""
    simulator.switch(*(Fault(kind=REFUSAL[source], source=source) for source in sources))


def test_fetch_json_has_exactly_the_promised_keys(radar):
    report = radar("fetch", "--json").json
    assert set(report) == FETCH_KEYS
    assert [set(query) for query in report["queries"]] == [QUERY_KEYS] * 4


def test_the_numbers_of_fetch_json_agree_with_one_another(radar):
    report = radar("fetch", "--json").json
    assert report["added_count"] == len(report["added_articles"]) == sum(q["added"] for q in report["queries"]) > 0
    assert all(query["seen"] == query["unseen"] + query["known"] for query in report["queries"])
    assert (report["errors_count"], report["updated_articles"], report["updated_fields_map"]) == (0, [], {})


def test_a_changed_field_is_told_with_its_old_and_its_new_value(radar, simulator):
    radar("fetch", "--source", "habr")
    simulator.advance(3600)
    report = radar("fetch", "--source", "habr", "--json").json
    assert report["updated_count"] == len(report["updated_articles"]) > 0
    assert list(report["updated_fields_map"]) == report["updated_articles"]
    changes = [change for fields in report["updated_fields_map"].values() for change in fields.values()]
    assert all(len(change) == 2 and change[0] != change[1] for change in changes)


def test_items_json_has_exactly_the_promised_keys(radar):
    radar("fetch")
    items = radar("items", "--json", "--limit", "500").json
    assert len(items) > 50
    assert all(set(item) == ITEM_KEYS for item in items)
    assert {item["status"] for item in items} == {"QUEUED"}


def test_status_json_tells_queries_sources_jobs_and_deliveries(radar):
    radar("fetch", "--source", "hh")
    status = radar("status", "--json").json
    assert list(status)[:4] == ["queries", "sources", "jobs", "deliveries"]
    assert [query["status"] for query in status["queries"]] == ["SUCCESS", "IDLE", "IDLE", "IDLE"]
    assert [source["name"] for source in status["sources"]][:3] == ["hh", "linkedin", "habr"]
    assert status["jobs"] == {"pending": 30, "succeeded": 1}


def test_show_json_is_an_item_with_its_history(radar):
    radar("fetch", "--source", "hh", "--limit", "1")
    shown = radar("show", "1", "--json").json
    assert set(shown) == ITEM_KEYS | {"changes", "events", "analyses", "deliveries", "note"}
    assert [(event["from"], event["to"]) for event in shown["events"]] == [(None, "QUEUED")]


def test_every_moment_is_utc_to_the_second_and_follows_radar_now(radar):
    radar.env["RADAR_NOW"] = "2026-02-03T14:00:00+02:00"
    report = radar("fetch", "--json").json
    assert report["started_at"] == "2026-02-03T12:00:00Z"
    assert radar("show", "1", "--json").json["events"][0]["at"].startswith("2026-02-03T12:00:0")


def test_a_radar_now_that_is_no_moment_is_a_usage_error(radar):
    radar.env["RADAR_NOW"] = "yesterday"
    assert "RADAR_NOW='yesterday' is not a moment" in (ran := radar("fetch")).err
    assert ran.code == 2


def test_radar_seed_fixes_chance(radar, monkeypatch):
    config = read_config(str(radar.folder / "radar.toml"))

    def draw() -> float:
        with open_app(config) as app:
            return app.fetcher().sweepers["hh"].governor.chance.random()

    monkeypatch.setenv("RADAR_SEED", "7")
    seventh = draw()
    assert seventh == draw()
    monkeypatch.setenv("RADAR_SEED", "8")
    assert draw() != seventh


def test_a_fetch_that_finds_nothing_new_is_well(radar):
    assert radar("fetch").code == 0
    again = radar("fetch", "--json")
    assert (again.code, again.json["added_count"]) == (0, 0)


def test_a_partial_fetch_ends_with_3_and_the_others_go_on(radar, simulator):
    refuse(simulator, "linkedin")
    ran = radar("fetch", "--json")
    assert ran.code == 3
    by_source = {query["source"]: query for query in ran.json["queries"]}
    assert by_source["linkedin"]["stop_reason"] == "refused"
    assert by_source["linkedin"]["left"] >= 1
    assert by_source["hh"]["status"] == by_source["habr"]["status"] == "SUCCESS"


def test_a_fetch_in_which_everything_failed_ends_with_1(radar, simulator):
    refuse(simulator, "hh", "linkedin", "habr")
    ran = radar("fetch")
    assert ran.code == 1
    assert "4 of 4 queries failed" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["fetch", "--no-such-flag"],
        ["fetch", "--limit", "0"],
        ["fetch", "nowhere"],
        ["fetch", "--source", "myspace"],
        ["fetch", "--topic", "cooking"],
        ["fulltext", "nowhere"],
        ["items", "--status", "LOST"],
        ["items", "--watch", "nowhere"],
        ["items", "--source", "myspace"],
        ["items", "--before", "0"],
        ["items", "--limit", "9" * 5000],
        ["jobs", "--kind", "prune-all"],
        ["show", "first"],
        ["fetsh"],
        ["--config", "absent.toml", "status"],
    ],
)
def test_what_nobody_can_mean_is_a_usage_error_and_asks_nobody(radar, simulator, arguments):
    ran = radar(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
    assert simulator.log == []


def test_a_name_that_fits_nothing_is_answered_with_those_that_do(radar):
    assert "There is no watch 'jbos'. Did you mean 'jobs'? Known: jobs, articles." in radar("fetch", "jbos").err
    assert "There is no source 'linkdin'. Did you mean 'linkedin'?" in radar("fetch", "--source", "linkdin").err
    assert "There is no topic 'cooking'. Known: admin, admins, python." in radar("fetch", "--topic", "cooking").err
    assert "Did you mean 'fetch'?" in radar("fetsh").err


def test_a_common_option_behind_the_command_is_told_its_place(radar):
    ran = radar("fetch", "--config", "radar.toml")
    assert ran.code == 2
    assert "--config goes before the command" in ran.err


def test_asking_for_a_match_that_is_not_there_fails(radar):
    ran = radar("show", "4711")
    assert ran.code == 1
    assert "There is no match 4711" in ran.err


def chosen(radar: CommandLine, *arguments: str) -> list[tuple[str, str]]:
    """The watch and source of every query that was swept, in order."""
    return [(query["watch"], query["source"]) for query in radar("fetch", "--json", *arguments).json["queries"]]


def test_a_watch_chooses_its_queries(radar):
    assert chosen(radar, "jobs") == [("jobs", "hh"), ("jobs", "linkedin")]
    assert len(chosen(radar, "jobs", "articles")) == 4


def test_a_source_chooses_the_queries_to_it(radar):
    assert chosen(radar, "--source", "habr") == [("articles", "habr")] * 2
    assert chosen(radar, "--source", "hh", "--source", "linkedin") == [("jobs", "hh"), ("jobs", "linkedin")]


def test_several_topics_are_one_sweep_each_and_letter_case_does_not_matter(radar):
    assert len(chosen(radar, "--topic", "Python")) == 1
    assert len(chosen(radar, "--topic", "admin")) == len(chosen(radar, "--topic", "ADMINS")) == 1
    assert len(chosen(radar, "--topic", "python", "--topic", "admins")) == 2


def test_choices_that_exclude_one_another_are_told(radar):
    ran = radar("fetch", "jobs", "--source", "habr")
    assert ran.code == 2
    assert "No enabled query fits all of that" in ran.err


def test_a_disabled_source_is_not_asked(radar, simulator):
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text().replace('token = "secret-of-hh"', "enabled = false"))
    assert ("jobs", "hh") not in chosen(radar)
    assert radar("status").out.count("disabled") == 2, "once as a query and once as a source"


def test_limit_takes_exactly_so_many_unseen_items_and_says_that_more_are_left(radar):
    (query,) = radar("fetch", "--source", "hh", "--limit", "7", "--json").json["queries"]
    assert (query["unseen"], query["stop_reason"]) == (7, "limit reached")
    assert query["left"] > 0
    assert len(radar("items", "--json").json) == 7


def test_items_are_filtered_by_watch_source_topic_text_and_status(radar):
    radar("fetch")
    every = radar("items", "--json", "--limit", "500").json
    hh = radar("items", "--json", "--limit", "500", "--source", "hh", "--watch", "jobs").json
    assert hh == [item for item in every if item["source"] == "hh"]
    title = every[0]["title"]
    assert every[0] in radar("items", "--json", "--text", title.upper()).json
    assert radar("items", "--json", "--status", "applied").json == []


def test_items_of_an_unknown_name_are_an_error_that_names_the_one_that_was_meant(radar):
    assert "There is no watch 'job'. Did you mean 'jobs'?" in radar("items", "--watch", "job").err
    assert "There is no source 'LinkdIn'. Did you mean 'linkedin'?" in radar("items", "--source", "LinkdIn").err


def test_items_of_a_watch_that_left_the_configuration_are_still_shown(radar):
    radar("fetch", "--source", "hh")
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text().replace('name = "jobs"', 'name = "work"'))
    assert len(radar("items", "--watch", "jobs", "--json").json) == 30
    assert "Did you mean 'jobs'?" in radar("items", "--watch", "jbs").err


def test_items_are_found_by_the_author_of_an_article(radar):
    radar("fetch", "articles")
    every = radar("items", "--json", "--limit", "500").json
    author = every[0]["data"]["author"]
    found = radar("items", "--json", "--limit", "500", "--text", author.upper()).json
    assert [item["id"] for item in found] == [item["id"] for item in every if item["data"]["author"] == author]


def test_a_refused_value_is_told_in_plain_words_and_as_it_is_written_elsewhere(radar):
    assert "'x' is not a whole number from 1 on." in radar("items", "--limit", "x").err
    assert "'x' is not a whole number." in radar("fetch", "--limit", "x").err
    assert "'lost' is not one of NEW, QUEUED," in radar("items", "--status", "lost").err
    assert "922337" not in radar("items", "--help").out + radar("jobs", "list", "--help").out


def test_items_show_the_newest_publication_first_and_go_on_below_an_id(radar):
    radar("fetch")
    first = radar("items", "--json", "--limit", "5").json
    second = radar("items", "--json", "--limit", "5", "--before", str(first[-1]["id"])).json
    shown = [(item["published_at"], item["id"]) for item in first + second]
    assert shown == sorted(set(shown), reverse=True)
    assert len(shown) == 10


def test_data_is_on_stdout_and_the_log_on_stderr(radar):
    ran = radar("--log-json", "fetch", "--json")
    assert set(ran.json) == FETCH_KEYS
    ended = [line for line in map(json.loads, ran.err.splitlines()) if line["event"] == "sweep ended"]
    assert len(ended) == 4
    assert all(set(line) >= SUMMARY_KEYS for line in ended)


def test_where_the_log_is_json_the_end_of_a_worker_is_told_in_json(radar):
    ran = radar("--log-json", "work", "--until-idle")
    assert json.loads(ran.err.splitlines()[-1])["event"] == "Nothing is left to do now."


def test_quiet_leaves_the_summary_out_and_verbose_adds_the_trace_without_secrets(radar):
    assert radar("-q", "fetch").err == ""
    trace = radar("-v", "fetch").err
    assert "asking" in trace
    assert "secret-of-hh" not in trace


def test_a_run_that_another_process_holds_is_told_and_is_no_failure(radar):
    radar("status")
    database = open_database(f"sqlite:///{radar.folder}/radar.db")
    with database.transaction() as tx:
        leases.acquire(tx, RUN_LEASE, "otherhost:17:1", 60, lambda _: False)
    database.close()
    ran = radar("fetch")
    assert (ran.code, ran.out) == (0, "")
    assert "Another run is under way (process 17 on otherhost); it fetches now, so this one did nothing." in ran.err
    as_json = radar("fetch", "--json")
    assert (as_json.code, as_json.json["run_id"], as_json.json["queries"]) == (0, None, [])
    assert "process 17 on otherhost" in as_json.err


def test_full_texts_are_fetched_apart_and_counted(radar):
    radar("fetch", "articles")
    ran = radar("fulltext", "articles", "--limit", "1")
    assert (ran.code, ran.out.split(",")[0]) == (0, "1 text fetched")
    assert list(radar("fulltext", "--limit", "1", "--json").json) == ["fetched", "gone", "errors", "left"]


def test_a_run_that_says_nothing_of_time_uses_the_clock_of_the_machine(radar):
    del radar.env["RADAR_NOW"]
    started_at = datetime.fromisoformat(radar("fetch", "--source", "hh", "--json").json["started_at"])
    assert abs((datetime.now(UTC) - started_at).total_seconds()) < 60


def test_fetch_says_that_nobody_judges_what_waits(radar):
    ran = radar("fetch", "--source", "habr")
    told = r"\d+ matches wait to be judged: `radar run` or `radar work` does that\.$"
    assert re.search(told, ran.out.strip())
    as_json = radar("fetch", "--source", "habr", "--json")
    assert "to be judged" not in as_json.out
