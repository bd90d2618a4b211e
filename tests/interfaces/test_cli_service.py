"""What a person sees of the running service: sources, jobs and metrics, and how they mend them by hand."""

import http.client
import os
import re
import signal
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from inforadar.domain.job import NewJob
from inforadar.domain.watch import Bounds, Query
from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import hurry, stopped_by_signals
from inforadar.interfaces.cli.wording import span
from inforadar.observe.clock import SystemClock
from inforadar.observe.metrics import create_metrics
from inforadar.observe.process import holder
from inforadar.service.meter import Meter
from inforadar.service.periodic import sweep_job
from inforadar.service.steps import KINDS
from inforadar.simulator.faults import Fault
from inforadar.store import jobs, leases, queue, schedules
from inforadar.store.database import Database, open_database
from inforadar.store.queue import Terms
from inforadar.workers.worker import Worker
from interfaces.command_line import NOON, CommandLine

SLOW_DOWN = Fault(kind="rate_limited", source="hh", seconds=60)
SOURCE_KEYS = {
    *("name", "enabled", "state", "rate_limit_per_minute", "requests_total", "queries", "failing_queries"),
    *("last_success_at", "last_failure_at", "last_error", "failure_streak", "paused_until", "pause_reason"),
    *("outage", "outage_since"),
}


@pytest.fixture
def store(radar: CommandLine) -> Iterator[Database]:
    """The user's database."""
    radar("status")
    database = open_database(f"sqlite:///{radar.folder / 'radar.db'}")
    yield database
    database.close()


def sources(radar):
    return {source["name"]: source for source in radar("status", "--json").json["sources"]}


def test_status_tells_of_a_paused_source_why_how_long_and_how_to_end_it(radar, simulator):
    simulator.switch(SLOW_DOWN)
    radar("fetch")
    hh = sources(radar)["hh"]
    assert set(hh) == SOURCE_KEYS
    assert (hh["state"], hh["pause_reason"], hh["outage"]) == ("paused", "rate limited", "rate limited")
    assert hh["paused_until"] > "2026-01-05T17:59"
    ran = radar("status")
    assert "paused, 6 h" in ran.out
    assert re.search(r"^hh  .*(slow down|too many|429)", ran.out, re.MULTILINE)
    assert "`radar fetch --source hh --now` ends it at once" in ran.err


def test_a_person_ends_a_pause_and_the_next_answer_ends_the_outage(radar, simulator):
    simulator.switch(SLOW_DOWN)
    radar("fetch", "--source", "hh")
    simulator.switch()
    asked = len(simulator.log)
    assert radar("fetch", "--source", "hh").code == 3
    assert len(simulator.log) == asked, "a pause is kept when nobody says otherwise"
    assert radar("fetch", "--source", "hh", "--now").code == 0
    assert sources(radar)["hh"]["state"] == "ok"
    assert "recovery  hh answers again" in radar("status").out


def test_a_source_that_still_wants_a_pause_gets_one(radar, simulator):
    simulator.switch(SLOW_DOWN)
    radar("fetch", "--source", "hh")
    radar("fetch", "--source", "hh", "--now")
    assert sources(radar)["hh"]["state"] == "paused"


def test_status_names_sources_that_refuse_fail_or_were_never_asked(radar, simulator):
    used = {one["state"] for one in sources(radar).values() if one["queries"]}
    assert (used, sources(radar)["feed"]["state"]) == ({"never asked"}, "not used")
    simulator.switch(Fault(kind="oauth", source="hh"), Fault(kind="unreadable_page", source="linkedin"))
    radar("fetch", "jobs")
    states = sources(radar)
    assert (states["hh"]["state"], states["hh"]["outage"]) == ("refused", "refused")
    assert (states["linkedin"]["state"], states["linkedin"]["failure_streak"]) == ("failing", 1)
    assert states["hh"]["requests_total"] >= 1


def test_status_says_who_runs_the_schedule_and_when_the_next_fetch_is_due(radar, store):
    assert "Nothing is scheduled now: start radar run." in radar("status").out
    with store.transaction() as tx:
        leases.acquire(tx, "scheduler", "box:1:2", 60, lambda _name: False)
        leases.acquire(tx, "run:hh", "box:1:2", 60, lambda _name: False)
        schedules.ran(tx, "fetch", NOON - timedelta(minutes=3))
    out = radar("status").out
    assert "Scheduled by process 1 on box; next fetch in 1" in out
    assert "A sweep of hh is under way in process 1 on box." in out


@pytest.mark.parametrize("other", ["box:1:2", None])
def test_a_second_run_on_a_database_tells_who_schedules_it(radar, store, monkeypatch, other):
    monkeypatch.setattr(Worker, "run", lambda _worker: None)
    with store.transaction() as tx:
        leases.acquire(tx, "scheduler", other or holder(), 60, lambda _name: False)
    ran = radar("run")
    told = "Process 1 on box already schedules this database; this one helps with its work."
    assert (ran.code, told in ran.err) == (0, other is not None)
    assert "already schedules" not in ran.err.replace(told, "")


def test_a_lease_of_a_process_that_is_gone_is_nobodys(radar, store):
    gone = holder().rpartition(":")[0] + ":0"
    with store.transaction() as tx:
        leases.acquire(tx, "scheduler", gone, 60, lambda _name: False)
    assert "Nothing is scheduled now" in radar("status").out


@pytest.fixture
def queued(store):
    """Four jobs: one stuck, one that waits for its retry, one failed, one pending with a long key; ids by name."""
    kinds = {"stuck": "prune", "later": "fulltext", "broken": "sweep"}
    terms = {kind: Terms(max_attempts=5) for kind in kinds.values()}
    query = Query(watch="w" * 60, source="hh", params={}, bounds=Bounds(), key="hh-123456789abc")
    with store.transaction() as tx:
        jobs.put(tx, [NewJob(kind=kind, unique_key=name) for name, kind in kinds.items()])
        queue.claim(tx, "worker@box:77:5#1", terms, 10)
        jobs.put(tx, [sweep_job(query)])
        old, ahead = "2026-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"
        tx.run_text(f"UPDATE jobs SET heartbeat_at = '{old}' WHERE unique_key = 'stuck'")
        tx.run_text(f"UPDATE jobs SET status = 'retryable', run_at = '{ahead}' WHERE unique_key = 'later'")
        tx.run_text("UPDATE jobs SET status = 'failed', error_message = 'no such page' WHERE unique_key = 'broken'")
        return {job.unique_key if job.unique_key in kinds else job.kind: job.id for job in jobs.search(tx)}


def test_jobs_shows_what_each_is_about_and_marks_stuck_ones(radar, queued):
    lines = {line.split()[2]: line for line in radar("jobs").out.splitlines()}
    assert "STUCK" in lines["stuck"]
    assert "no sign of life for" in lines["stuck"]
    assert "box:77" in lines["stuck"]
    assert "again in" in lines["later"]
    assert "no such page" in lines["broken"]
    assert f"{'w' * 60} / hh " in lines["w" * 60]


def test_a_long_key_gives_way_on_a_narrow_terminal(radar, queued):
    radar.env["COLUMNS"] = "90"
    lines = radar("jobs", "list").out.splitlines()
    assert max(map(len, lines)) <= 90
    assert all("STUCK" in line or "stuck" not in line for line in lines)


def test_jobs_are_narrowed_and_paged(radar, queued):
    def ids(*options: str) -> list[int]:
        return [job["id"] for job in radar("jobs", "list", "--json", *options).json]

    assert ids("--status", "failed") == [queued["broken"]]
    assert ids("--kind", "sweep") == [queued["sweep"], queued["broken"]]
    assert ids("--stuck") == [queued["stuck"]]
    first = ids("--limit", "2")
    assert first + ids("--before", str(first[-1])) == sorted(queued.values(), reverse=True)
    assert f"--before {first[-1]}" in radar("jobs", "list", "--limit", "2").err


def test_the_options_of_the_list_may_stand_right_behind_jobs(radar, queued):
    assert [job["id"] for job in radar("jobs", "--json", "--status", "FAILED").json] == [queued["broken"]]
    behind, named = (radar(*words, "--before", str(queued["sweep"])).out for words in (["jobs"], ["jobs", "list"]))
    assert without_ages(behind) == without_ages(named)
    assert radar("jobs", "--help").out.startswith("Usage: radar jobs [OPTIONS] COMMAND")


def without_ages(table: str) -> str:
    """A table as it is at any second."""
    return re.sub(r"\b\d+ (s|min)\b", "AGE", table)


def test_one_match_that_waits_is_spoken_of_as_one(radar):
    radar("fetch", "--source", "hh", "--limit", "1")
    assert "1 match waits to be looked at; radar run or radar work goes on with it." in radar("status").out


def test_jobs_of_matches_are_shown_like_all_others_and_done_by_a_worker_of_their_kind(radar):
    radar("fetch", "--source", "hh")
    assert "30 matches wait to be looked at" in radar("status").out
    shown = [job for job in radar("jobs", "--limit", "50", "--json").json if job["kind"] == "process"]
    assert len(shown) == 30
    assert radar("jobs", "--kind", "process", "--limit", "50", "--json").json == shown
    assert "as soon as a worker is free" in radar("jobs", "retry", "1").err
    assert radar("work", "--until-idle", "--kinds", "process").code == 0
    assert {job["status"] for job in radar("jobs", "--kind", "process", "--limit", "50", "--json").json} == {
        "succeeded"
    }
    assert "wait to be looked at" not in radar("status").out


def test_every_kind_of_job_there_is_a_step_for_can_be_named(radar):
    with Session(config_path=str(radar.folder / "radar.toml")).app() as app:
        assert set(KINDS) - set(app.worker().steps) <= {"sheets"}, "there is no [sheets] here"
        assert set(app.worker().steps) <= set(KINDS)
    for kind in KINDS:
        assert radar("jobs", "--kind", kind).code == 0
        assert radar("jobs", "pause", kind).code == radar("jobs", "resume", kind).code == 0
        assert kind in radar("work", "--help").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Info Radar works: jobs of every kind, 4 at once. Ctrl-C stops it."),
        (["--kinds", "sweep", "--concurrency", "2"], "Info Radar works: jobs of the kind sweep, 2 at once."),
        (["--kinds", "sweep", "--kinds", "edit"], "Info Radar works: jobs of the kinds sweep, edit, 4 at once."),
    ],
)
def test_a_worker_that_goes_on_says_at_the_start_what_it_does(radar, monkeypatch, arguments, told):
    monkeypatch.setattr(Worker, "run", lambda _worker, **_options: None)
    worked = radar("work", *arguments)
    assert (worked.code, worked.out) == (0, "")
    assert worked.err.startswith(told), worked.err
    assert "Info Radar works" not in radar("work", "--until-idle", *arguments).err


def test_a_sweep_job_whose_sweep_failed_says_where_to_look(radar, store, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    for one in radar("status", "--json").json["queries"][:2]:
        query = Query(watch="jobs", source=one["source"], params={}, bounds=Bounds(), key=one["query_key"])
        with store.transaction() as tx:
            jobs.put(tx, [sweep_job(query)])
    radar("work", "--until-idle", "--kinds", "sweep")
    shown = radar("jobs", "--kind", "sweep").out.splitlines()[1:]
    lines = {line.split()[4]: line for line in shown}  # ID KIND `jobs / hh`
    assert "sweep failed: see radar status" in lines["linkedin"]
    assert "failed" not in lines["hh"]


def test_the_json_of_jobs_has_the_names_of_the_table(radar, queued):
    by_id = {job["id"]: job for job in radar("jobs", "list", "--json").json}
    assert by_id[queued["stuck"]]["is_stuck"] is True
    assert by_id[queued["stuck"]]["locked_by"] == "worker@box:77:5#1"
    assert by_id[queued["later"]]["next_retry_at"] == "2999-01-01T00:00:00Z"
    assert by_id[queued["sweep"]]["args"] == {"watch": "w" * 60, "query_key": "hh-123456789abc"}


def test_no_jobs_and_no_such_jobs_are_told_apart(radar, store):
    assert "No jobs yet. `radar run` puts them" in radar("jobs").err
    radar("fetch", "--source", "hh")
    assert "No such jobs." in radar("jobs", "list", "--stuck").err


def test_a_job_is_cancelled_retried_and_shown_with_what_was_done_to_it(radar, queued):
    number = str(queued["sweep"])
    assert radar("jobs", "cancel", number).code == 0
    assert radar("jobs", "retry", number).code == 0
    shown = radar("jobs", "show", number)
    assert "cancelled by user" in shown.out
    assert "retry by hand" in shown.out
    events = [event["event"] for event in radar("jobs", "show", number, "--json").json["history"]]
    assert events == ["cancel", "retry by hand"]


def test_several_jobs_are_changed_all_or_none(radar, queued):
    ran = radar("jobs", "cancel", str(queued["sweep"]), str(queued["broken"]))
    assert (ran.code, "is finished; nothing was changed" in ran.err) == (1, True)
    assert radar("jobs", "show", str(queued["sweep"]), "--json").json["status"] == "pending"
    assert "There is no job 999" in radar("jobs", "retry", "999").err
    assert radar("jobs", "show", "999").code == 1


def test_a_kind_is_paused_and_resumed_and_everybody_is_told(radar, store):
    radar("jobs", "pause", "sweep", "--reason", "moving house")
    assert "Jobs of kind sweep are paused (moving house)" in radar("jobs").err
    assert "radar jobs resume sweep" in radar("status").out
    assert "go on" in radar("jobs", "resume", "sweep").err
    assert "were not paused" in radar("jobs", "resume", "sweep").err
    assert radar("jobs", "pause", "swep").code == 2


def test_work_until_idle_does_what_waits_and_ends(radar, store, simulator):
    keys = [one["query_key"] for one in radar("status", "--json").json["queries"] if one["source"] == "hh"]
    query = Query(watch="jobs", source="hh", params={}, bounds=Bounds(), key=keys[0])
    with store.transaction() as tx:
        jobs.put(tx, [sweep_job(query)])
    ran = radar("work", "--until-idle", "--kinds", "sweep")
    assert (ran.code, "Nothing is left to do now." in ran.err) == (0, True)
    assert len(radar("items", "--json", "--source", "hh").json) == 30


def test_work_until_idle_takes_what_a_dead_worker_had_before_it_can_be_idle(radar, store, monkeypatch):
    dead = f"worker@{holder().rpartition(':')[0]}:1#1"
    with store.transaction() as tx:
        jobs.put(tx, [NewJob(kind="prune")])
        queue.claim(tx, dead, {"prune": Terms(max_attempts=5)}, 1)
    found = []

    def look(_worker: Worker, **_options: object) -> None:
        with store.reading() as tx:
            found.extend(job.status for job in jobs.search(tx, kind="prune"))

    monkeypatch.setattr(Worker, "run", look)
    assert radar("work", "--until-idle", "--kinds", "prune").code == 0
    assert found == ["pending"]


def test_work_tells_what_the_judge_left_and_the_next_takes_it_up(radar, simulator):
    path = radar.folder / "radar.toml"
    plain = path.read_text().replace("[[watch]]\n", '[[watch]]\nprofile = "developer"\n')
    path.write_text(plain + '[judge]\nkind = "ollama"\nmodel = "x"\nbase_url = "http://127.0.0.1:9/"\n')
    radar("fetch", "--source", "hh")
    worked, standing = radar("work", "--until-idle"), radar("status").out
    assert "wait for another try: the judge failed (127.0.0.1:9: the connection was refused)" in worked.err
    assert "radar doctor looks at it" in standing
    path.write_text(plain)
    assert "wait for another try" not in radar("work", "--until-idle").err
    assert "SKIPPED" not in radar("status").out


@pytest.fixture
def visitor(store: Database, capsys: pytest.CaptureFixture[str]) -> Iterator[http.client.HTTPConnection]:
    """Somebody on this machine who asks for metrics."""
    meter = Meter(metrics=create_metrics(), database=store, clock=SystemClock())
    with metrics_served(meter, 0, say):
        port = re.search(r":(\d+)/metrics", capsys.readouterr().err)
        assert port
        connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=20)
        yield connection
        connection.close()


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/metrics", None, 200),
        ("GET", "/metrics", "localhost:1", 200),
        ("GET", "/", None, 404),
        ("GET", "/metrics/../secret", None, 404),
        ("GET", "/metrics", "evil.example:80", 403),
        ("POST", "/metrics", None, 501),
        ("DELETE", "/metrics", None, 501),
    ],
)
def test_metrics_are_got_by_programs_of_this_machine_and_nothing_else_is(visitor, method, path, host, status):
    visitor.request(method, path, headers={"Host": host} if host else {})
    assert visitor.getresponse().status == status


def test_metrics_show_the_store_as_it_is_now(visitor, store):
    for waiting in (1, 2):
        with store.transaction() as tx:
            jobs.put(tx, [NewJob(kind="a")])
        visitor.request("GET", "/metrics")
        assert f'radar_jobs{{status="pending"}} {float(waiting)}' in visitor.getresponse().read().decode()


def test_metrics_say_so_when_the_store_is_away(visitor, store):
    os.truncate(store.name, 10)
    visitor.request("GET", "/metrics")
    answer = visitor.getresponse()
    assert (answer.status, answer.read()) == (503, b"The database does not answer.\n")


def test_a_port_that_is_taken_is_a_sentence(radar, visitor):
    ran = radar("work", "--until-idle", "--metrics-port", str(visitor.port))
    assert ran.code == 2
    assert f"Port {visitor.port} cannot be used" in ran.err


class Stopping:
    """The two events signals set."""

    def __init__(self) -> None:
        self.stop, self.hurry = threading.Event(), threading.Event()


def test_signals_stop_then_hurry_then_end(capsys):
    app = Stopping()
    with stopped_by_signals(app, "Stopping.", say, hurry):
        signal.raise_signal(signal.SIGTERM)
        assert (app.stop.is_set(), app.hurry.is_set()) == (True, False)
        signal.raise_signal(signal.SIGINT)
        assert app.hurry.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert capsys.readouterr().err.count("Stopping.") == 1


def test_the_first_signal_after_another_reason_to_stop_is_still_the_first(capsys):
    app = Stopping()
    with stopped_by_signals(app, "Stopping.", say, hurry) as asked:
        app.stop.set()
        assert not asked.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert (asked.is_set(), app.hurry.is_set()) == (True, False)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3_725, "1 h 2 min"),
        (90_000, "1 d 1 h"),
        (86_460, "1 d"),
        (-5, "0 s"),
    ],
)
def test_spans_are_told_in_their_two_largest_units(seconds, words):
    assert span(seconds) == words
