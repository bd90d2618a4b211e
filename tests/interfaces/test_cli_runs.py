"""`radar runs`: what each sweep brought and noted, for whoever only has the command line."""

from inforadar.bootstrap import open_store, read_config
from inforadar.domain.run import StopReason
from inforadar.simulator.faults import Fault
from inforadar.store import query_states, runs
from interfaces.command_line import NOON


def noted(radar, watch, note):
    """A run that noted something."""
    database = open_store(read_config(str(radar.folder / "radar.toml"), {}))
    with database.transaction() as tx:
        run_id = runs.start(tx, "q", watch, "hh", NOON)
        runs.finish(tx, run_id, NOON, status="PARTIAL", stop_reason=StopReason.LIMIT_REACHED, left=3, warnings=[note])
    database.close()
    return run_id


def test_every_sweep_is_a_line_with_what_it_brought_and_why_it_stopped(radar):
    radar("fetch", "jobs")
    ran = radar("runs")
    assert ran.code == 0, ran.err
    header, *lines = ran.out.splitlines()
    assert header.split() == ["RUN", "AGE", "WATCH", "SOURCE", "STATUS", "NEW", "UPD", "LEFT", "STOPPED", "BY"]
    assert {tuple(line.split()[2:5]) for line in lines} == {("jobs", "hh", "SUCCESS"), ("jobs", "linkedin", "SUCCESS")}
    assert all("end of feed" in line for line in lines)


def test_what_a_sweep_noted_stands_below_with_its_number(radar, simulator):
    number = noted(radar, "jobs", "2 entries had no date\x1b[31m")
    assert f"\nrun {number}: 2 entries had no date" in radar("runs").out
    assert "\x1b" not in radar("runs").out
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar("fetch", "--source", "linkedin")
    assert "login wall" in radar("runs").out


def test_a_watch_and_a_limit_narrow_it_and_a_wrong_name_is_told(radar):
    radar("fetch", "jobs")
    number = noted(radar, "articles", "a note")
    assert [run["id"] for run in radar("runs", "articles", "--json").json] == [number]
    assert len(radar("runs", "--limit", "1", "--json").json) == 1
    ran = radar("runs", "jbos")
    assert ran.code == 2
    assert "Did you mean 'jobs'?" in ran.err


def test_programs_get_the_runs_as_the_api_gives_them(radar):
    number = noted(radar, "jobs", "a note")
    (run,) = radar("runs", "--json").json
    assert (run["id"], run["status"], run["stop_reason"], run["left"]) == (number, "PARTIAL", "limit reached", 3)
    assert (run["warnings"], run["added"]) == (["a note"], 0)


def test_before_the_first_sweep_the_way_to_it_is_told(radar):
    ran = radar("runs")
    assert (ran.code, ran.out) == (0, "")
    assert "radar fetch" in ran.err
    assert radar("runs", "--json").json == []


def test_what_the_latest_run_of_a_query_left_out_stands_in_the_status_until_a_run_leaves_nothing_out(radar):
    radar("fetch", "jobs", "--source", "hh")
    database = open_store(read_config(str(radar.folder / "radar.toml"), {}))

    def run(*warnings):
        with database.transaction() as tx:
            (query,) = (one for one in query_states.all(tx) if one.source == "hh")
            run_id = runs.start(tx, query.query_key, query.watch, "hh", NOON)
            runs.finish(tx, run_id, NOON, status="SUCCESS", stop_reason=StopReason.END_OF_FEED, warnings=warnings)

    run("entries without a valid date: 2; 2 are skipped\x1b[31m")
    told = radar("status").out
    assert "\njobs / hh  noted: entries without a valid date: 2; 2 are skipped" in told
    assert "\x1b" not in told
    (shown,) = (one for one in radar("status", "--json").json["queries"] if one["source"] == "hh")
    assert shown["warnings"] == ["entries without a valid date: 2; 2 are skipped\x1b[31m"]
    run()
    assert "noted" not in radar("status").out
    database.close()
