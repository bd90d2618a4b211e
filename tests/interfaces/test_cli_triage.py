"""Deciding, undoing and asking why at the command line, as a person would: typed, read, piped."""

import io
import re
from dataclasses import replace
from datetime import timedelta

import apsw
import pytest
from rich.cells import cell_len

from inforadar.domain.errors import RateLimited
from inforadar.domain.health import after_failure
from inforadar.domain.status import Status
from inforadar.domain.verdict import Verdict
from inforadar.service.buttons import UNHEARD, UPDATES_LEASE
from inforadar.store import analyses, cursors, deliveries, jobs, leases, matches, sources, totals
from inforadar.store.database import open_database
from interfaces.command_line import NOON

ATTACK = "\x1b[2J\x1b]0;owned\x07\x9b31mPay\r\nroll\u202egnp.exe\x7f\u200b 數據工程師 🚀"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
TELEGRAM = '\n[telegram]\ntoken = "1:secret-of-the-bot"\nchat_id = 1\nlater_hours = 3\n'


@pytest.fixture
def fetched(radar):
    """A user who has collected 30 vacancies of hh."""
    radar("fetch", "--source", "hh")
    return radar


@pytest.fixture
def store(fetched):
    """The user's database."""
    database = open_database(f"sqlite:///{fetched.folder}/radar.db")
    yield database
    database.close()


def statuses(radar, *ids: int) -> list[str]:
    return [radar("show", str(one), "--json").json["status"] for one in ids]


@pytest.mark.parametrize("words", [["1", "2", "applied"], ["applied", "1", "2"], ["1", "2", "APPLIED"]])
def test_the_decision_may_stand_before_or_after_the_ids(fetched, words):
    ran = fetched("-q", "mark", *words)
    assert ran.code == 0
    assert "Marked 2 matches: applied" in ran.out
    assert "`radar undo` takes it back" in ran.err
    assert statuses(fetched, 1, 2, 3) == ["APPLIED", "APPLIED", "QUEUED"]


def test_every_decision_can_be_typed(fetched):
    assert fetched("mark", "1", "not-interested").code == fetched("mark", "2", "later").code == 0
    assert statuses(fetched, 1, 2) == ["NOT_INTERESTED", "QUEUED"]


def test_what_stands_so_already_is_told_and_is_no_failure(fetched):
    fetched("mark", "1", "applied")
    ran = fetched("-q", "mark", "1", "applied")
    assert (ran.code, ran.err) == (0, "")
    assert "1  stays as it is: it is applied already" in ran.out


def test_unknown_ids_are_told_and_the_others_decided(fetched):
    some = fetched("mark", "1", "4711", "applied")
    assert some.code == 3
    assert "\nThere is no match 4711.\n" in some.out
    assert statuses(fetched, 1) == ["APPLIED"]
    assert fetched("mark", "4711", "4712", "applied").code == 1


def test_what_was_decided_on_cannot_be_put_off(fetched):
    fetched("mark", "1", "applied")
    assert fetched("mark", "1", "later").code == 1
    assert fetched("mark", "1", "2", "later").code == 3


def test_a_misspelt_decision_gets_the_one_that_was_meant(fetched):
    ran = fetched("mark", "1", "aplied")
    assert (ran.code, ran.out) == (2, "")
    assert "'aplied' is no decision. Did you mean 'applied'?" in ran.err
    assert "Did you mean 'not-interested'?" in fetched("mark", "not-intrested", "1").err
    assert "Say what you decided" in fetched("mark", "1", "2").err
    assert statuses(fetched, 1) == ["QUEUED"]


@pytest.mark.parametrize("arguments", [["applied"], ["0", "applied"], ["-1", "applied"], ["1", "x", "applied"], []])
def test_what_is_no_id_is_a_usage_error(fetched, arguments):
    assert fetched("mark", *arguments).code == 2


def test_what_is_missing_of_a_decision_is_named(fetched):
    assert "Say what you decided before or after the ids" in fetched("mark", "1").err
    assert "Name the matches too: radar mark ID... applied" in fetched("mark", "applied").err


def test_bytes_on_stdin_are_refused_in_words(fetched, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO(b"\x89PNG\xff 1"), encoding="utf-8", errors="surrogateescape")
    monkeypatch.setattr("sys.stdin", text)
    ran = fetched("mark", "-", "applied")
    assert (ran.code, "What came on stdin is no text" in ran.err, "udc" in ran.err) == (2, True, False)


def test_ids_are_read_from_stdin(fetched, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1, 2\n3\n\n2\n"))
    assert fetched("mark", "-", "4", "not-interested", "--json").json["changed"] == [1, 2, 3, 4]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ran = fetched("-q", "mark", "-", "applied")
    assert (ran.code, ran.out, ran.err) == (0, "", "No ids came on stdin: nothing to decide on.\n")
    assert fetched("mark", "-", "applied", "--json").json["changed"] == []


def test_a_decision_for_all_watches_reaches_the_same_item_everywhere(fetched, store):
    with store.transaction() as tx:
        item_id = matches.get(tx, 1).item_id
        (other,) = matches.create(tx, "elsewhere", "hh-2", [item_id], NOON, "machine", "found").values()
    assert fetched("mark", "1", "applied", "--json").json["changed"] == [1]
    ran = fetched("mark", "1", "not-interested", "--all-watches", "--json")
    assert ran.json["changed"] == [1, other]


def test_the_json_of_a_decision_names_its_act(fetched):
    ran = fetched("mark", "1", "4711", "applied", "--json")
    assert ran.json == {
        "act_id": 1,
        "verb": "applied",
        "changed": [1],
        "unchanged": [{"id": 4711, "why": "there is no such match"}],
    }


def test_undo_tells_what_it_took_back_and_when_that_was(fetched):
    fetched("mark", "1", "2", "3", "applied")
    fetched.env["RADAR_NOW"] = (NOON + timedelta(minutes=5, seconds=30)).isoformat()
    ran = fetched("-q", "undo")
    assert (ran.code, ran.out) == (0, "Taken back: applied on 3 matches, 5 min ago\n")
    assert statuses(fetched, 1, 2, 3) == ["QUEUED"] * 3
    nothing = fetched("-q", "undo")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err.startswith("Nothing to undo.")


def test_a_named_act_is_undone_as_far_as_nothing_newer_was_decided(fetched):
    fetched("mark", "1", "2", "applied")
    fetched("mark", "2", "not-interested")
    assert [row.split()[-1] for row in fetched("undo", "--list").out.splitlines()[1:]] == ["yes", "2"]
    partly = fetched("undo", "1")
    assert partly.code == 3
    assert "2  stays as it is: decided anew since" in partly.out
    assert statuses(fetched, 1, 2) == ["QUEUED", "NOT_INTERESTED"]


def test_the_list_of_acts_says_what_can_be_undone(fetched):
    fetched("mark", "1", "applied")
    fetched("mark", "1", "not-interested")
    assert "no: decided anew since" in fetched("undo", "--list").out
    assert [act["can_undo"] for act in fetched("undo", "--list", "--json").json] == [True, False]
    fetched("undo")
    listed = fetched("undo", "--list").out
    assert "undone by act 3" in listed
    assert "no: an undo itself" in listed
    again = fetched("-q", "undo", "2")
    assert (again.code, again.err) == (0, "Act 2 was undone before, by act 3.\n")


@pytest.mark.parametrize(("act", "told"), [("4711", "There is no act 4711"), ("2", "Act 2 is an undo itself")])
def test_what_cannot_be_undone_is_told(fetched, act, told):
    fetched("mark", "1", "applied")
    fetched("undo")
    ran = fetched("undo", act)
    assert ran.code == 1
    assert told in ran.err


def test_undo_json_tells_the_act_that_was_taken_back(fetched):
    fetched("mark", "1", "applied")
    told = fetched("undo", "--json").json
    assert (told["changed"], told["undone"]["id"], told["undone"]["verb"]) == ([1], 1, "applied")
    assert fetched("undo", "--json").json["undone"] is None
    assert fetched("undo", "1", "--list").code == 2


def test_what_is_put_off_is_hidden_until_its_time_has_come(newcomer, simulator):
    newcomer.configure(simulator, TELEGRAM)
    newcomer("fetch", "--source", "hh")
    newcomer("mark", "1", "later")

    def ids(*arguments: str) -> list[int]:
        return [item["id"] for item in newcomer("items", "--json", *arguments).json]

    assert 1 not in ids()
    assert 1 in ids("--all")
    assert 1 in ids("--status", "QUEUED")
    assert ids("--later") == [1]
    listed = newcomer("items", "--later").out
    assert "PUT OFF" in listed
    assert re.search(r" in [23] h ", listed)
    assert "Some more are put off: --later shows them." in newcomer("items", "--limit", "2").err
    newcomer.env["RADAR_NOW"] = (NOON + timedelta(hours=3, minutes=1)).isoformat()
    assert 1 in ids()
    assert ids("--later") == []


def test_what_was_left_out_is_listed_with_the_word_and_the_field(newcomer, simulator):
    path = newcomer.configure(simulator)
    path.write_text(
        path.read_text().replace(
            "max_experience_years = 0", 'max_experience_years = 0\nban_words = ["python", "re:(go|java)"]'
        )
    )
    newcomer("fetch", "--source", "hh")
    found = newcomer("items", "--filtered", "--json").json
    assert found
    assert list(found[0]) == ["watch", "source", "key", "reason", "word", "field", "title", "url", "at"]
    assert "'python' in " in newcomer("items", "--filtered").out
    titles = newcomer("items", "--filtered", "--text", found[0]["title"].upper(), "--json").json
    assert found[0] in titles
    assert newcomer("items", "--filtered", "--source", "linkedin").err.endswith("Nothing fits these filters.\n")
    story = newcomer("why", found[0]["url"])
    assert f"ban word '{found[0]['word']}' in {found[0]['field']}" in story.out.replace("\n", " ")
    assert newcomer("why", found[0]["url"], "--json").json["left_out"][0] == found[0]


@pytest.mark.parametrize(
    "arguments", [["--filtered", "--status", "NEW"], ["--filtered", "--later"], ["--later", "--all"]]
)
def test_choices_of_items_that_exclude_one_another_are_usage_errors(fetched, arguments):
    assert fetched("items", *arguments).code == 2


def work_on(store, match_id: int, *, state: deliveries.DeliveryState, why: str | None = None) -> None:
    """Judge a match and put it in the outbox."""
    with store.transaction() as tx:
        verdict = Verdict(judge="words", score=0.82, reason="Python fits", skills=("python", "sql"))
        analyses.add(tx, match_id, verdict, is_relevant=True, substance="s", now=NOON)
        matches.judged(tx, match_id, score=0.82, reason="Python fits", now=NOON)
        matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="judged good", now=NOON)
        due_at = NOON + timedelta(hours=8)
        delivery_id = deliveries.add(tx, match_id, "telegram", state="waiting", due_at=due_at, now=NOON)
        stored = deliveries.get(tx, delivery_id)
        deliveries.write(tx, stored, replace(stored, state=state, why=why), NOON)


def test_scores_are_shown_where_there_are_any(fetched, store):
    assert "SCORE" not in fetched("items").out
    work_on(store, 1, state="waiting")
    shown = fetched("items").out
    assert "SCORE" in shown
    assert "0.82" in shown


def test_show_tells_verdicts_deliveries_and_acts(fetched, store):
    work_on(store, 1, state="held", why="quiet hours")
    fetched("mark", "1", "applied")
    out = fetched("show", "1").out
    assert "words: score 0.82, relevant: Python fits" in out
    assert "skills: python, sql" in out
    assert "Deliveries:" in out
    assert "ANALYZED -> APPLIED  applied, by terminal (act 1)" in out
    told = fetched("show", "1", "--json").json
    assert told["analyses"][0]["skills"] == ["python", "sql"]
    assert told["deliveries"][0]["sink"] == "telegram"
    assert [event["act_id"] for event in told["events"]] == [None, None, 1]


def test_status_tells_deliveries_services_and_recovery(newcomer, simulator):
    newcomer.configure(
        simulator, TELEGRAM + '[judge]\nkind = "ollama"\nbase_url = "http://127.0.0.1:9"\nmodel = "qwen3:8b"\n'
    )
    newcomer("fetch", "--source", "hh")
    database = open_database(f"sqlite:///{newcomer.folder}/radar.db")
    work_on(database, 1, state="held", why="quiet hours")
    with database.transaction() as tx:
        sources.register(tx, "judge", rate_limit_per_minute=600, enabled=True, paced_at=NOON)
        sources.change(tx, "judge", NOON, lambda health: after_failure(health, RateLimited("model is busy"), NOON, 0))
        totals.add(tx, {"recovery_attempts": 3, "recovery_recovered": 2, "recovery_deleted": 1})
    database.close()
    status = newcomer("status")
    assert re.search(r"Deliveries: 1 held; the oldest waits for \d+ s, the next is due in (8 h|7 h 59 min)", status.out)
    assert re.search(r"^judge +paused, 5 h 59 min left .*ollama qwen3:8b$", status.out, re.M)
    assert "\njudge  model is busy" in status.out
    assert re.search(r"^telegram +nothing sent yet +never +0 +chat 1$", status.out, re.M)
    assert "Recovery tried 3 skipped matches: 2 brought back, 1 deleted, 0 left alone" in status.out
    assert "--source judge" not in status.err
    told = newcomer("status", "--json").json
    assert told["deliveries"] == {"held": 1}
    assert told["unsent"]["next_due_at"] == "2026-01-05T20:00:00Z"
    assert told["matches"] == {"ANALYZED": 1, "QUEUED": 29}
    assert [one["name"] for one in told["sources"]][:3] == ["hh", "linkedin", "habr"]
    assert [(one["name"], one["state"]) for one in told["services"]] == [
        ("judge", "paused"),
        ("telegram", "never asked"),
    ]
    assert told["totals"]["recovery_recovered"] == 2


def test_status_does_not_say_that_what_was_put_off_waits(newcomer, simulator):
    newcomer.configure(simulator, TELEGRAM)
    newcomer("fetch", "--source", "hh")
    database = open_database(f"sqlite:///{newcomer.folder}/radar.db")
    work_on(database, 1, state="waiting")
    database.close()
    newcomer("mark", "1", "later")
    status = newcomer("status")
    assert re.search(r"Deliveries: 1 held; the next is due in (3 h|2 h 59 min)", status.out)
    assert newcomer("status", "--json").json["unsent"]["oldest_at"] is None


def test_telegram_is_not_well_while_its_buttons_are_asked_for_in_vain(newcomer, simulator):
    newcomer.configure(simulator, TELEGRAM)
    newcomer("fetch", "--source", "hh", "--limit", "1")
    database = open_database(f"sqlite:///{newcomer.folder}/radar.db")
    with database.transaction() as tx:
        lease = leases.acquire(tx, UPDATES_LEASE, "otherhost:17:1", 900, lambda _: False)
    assert "Telegram's buttons are heard by process 17 on otherhost." in newcomer("status").out
    with database.transaction() as tx:
        cursors.put(tx, UNHEARD, int((NOON - timedelta(minutes=5)).timestamp()))
    failing = newcomer("status")
    assert re.search(r"^telegram +failing", failing.out, re.M)
    told = " ".join(failing.out.split())
    assert "telegram its buttons are not heard since 2026-01-05 11:55 UTC" in told
    assert re.search(r"not heard: process 17 on otherhost has asked for them in vain for \d+ min", told)
    assert newcomer("status", "--json").json["services"][1]["state"] == "failing"
    with database.transaction() as tx:
        leases.release(tx, lease)
    database.close()
    assert "not heard" not in newcomer("status").out, "nobody polls now"


def test_the_embedded_judge_is_told_as_built_in(fetched):
    assert re.search(r"^judge +built in +words$", fetched("status").out, re.M)
    (judge,) = fetched("status", "--json").json["services"]
    assert judge == {"name": "judge", "about": "words", "state": "built in"}


def test_why_tells_a_known_listing_by_id_number_and_address_alike(fetched):
    item = fetched("show", "3", "--json").json
    bare = item["url"].removeprefix("https://")
    stories = [
        fetched("why", asked)
        for asked in (
            "3",
            item["key"],
            f"hh:{item['key']}",
            item["url"],
            f"http://www.{bare}/?utm_source=x&from=y#z",
            bare,
        )
    ]
    assert {story.code for story in stories} == {0}
    assert len({story.out for story in stories}) == 1
    assert "jobs  match 3  QUEUED" in stories[0].out
    assert "by jobs / hh, run 1" in stories[0].out
    assert f"There is no match {item['key']}: this is the listing with that number." in stories[1].err


def test_why_tells_what_became_of_a_match(fetched, store):
    work_on(store, 1, state="held", why="quiet hours")
    out = fetched("why", "1").out
    assert "Held for telegram until 2026-01-05 20:00 UTC: quiet hours." in out
    assert "words: score 0.82, relevant: Python fits\n    skills: python, sql" in out
    with store.transaction() as tx:
        jobs.cancel(tx, jobs.latest(tx, ["process:2"])["process:2"].id, who="user")
    assert "radar jobs retry 2" in fetched("why", "2").out
    fetched("mark", "1", "applied")
    assert "radar undo 1" in fetched("why", "1").out


def test_why_of_a_listing_that_was_never_seen_names_the_queries_and_what_to_do(radar):
    radar("fetch", "--source", "hh", "--limit", "5")
    never = radar("why", "https://hh.ru/vacancy/1")
    assert never.code == 0
    assert "Never seen: no query has shown hh:1." in never.out
    assert "limit reached, at least" in never.out
    assert "`radar fetch jobs --source hh` goes on there" in never.out
    assert "it was never asked: `radar fetch jobs --source linkedin`" in radar("why", "linkedin.com/jobs/view/7").out
    told = radar("why", "hh:1", "--json").json
    assert (told["is_known"], told["item"], told["matches"]) == (False, None, [])
    assert [query["last_run"]["stop_reason"] for query in told["queries"]] == ["limit reached"]
    assert told["queries"][0]["gaps"]


def test_why_of_a_source_that_nobody_asks_says_so(radar):
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text().split('[[watch]]\nname = "articles"')[0])
    out = radar("why", "https://habr.com/ru/articles/5/").out
    assert "No query of yours asks habr" in out


def test_why_of_pages_that_are_no_listing_is_an_answer(radar):
    refused = radar("why", "foo")
    assert refused.code == 2
    assert "`source:number` as in hh:123456, or an address" in " ".join(refused.err.split())
    assert "No source of this program has this address." in radar("why", "https://example.org/a").out
    page = radar("why", "https://hh.ru/employer/5").out
    assert page == "This page of hh is not one listing: give the address of the listing itself.\n"
    assert radar("why", "https://example.org/a", "--json").json["source"] is None


@pytest.mark.parametrize(("asked", "code"), [("4711", 1), ("9" * 30, 1), ("python", 2), ("myspace:1", 2), ("", 2)])
def test_why_of_what_nobody_can_mean_fails_with_the_ways_to_ask(radar, asked, code):
    ran = radar("why", asked)
    assert (ran.code, ran.out) == (code, "")
    assert "address" in ran.err


def test_a_listing_is_told_with_its_changes_and_every_watch(fetched, store):
    with store.transaction() as tx:
        item_id = matches.get(tx, 1).item_id
        matches.create(tx, "elsewhere", "hh-2", [item_id], NOON, "machine", "found")
    with apsw.Connection(str(fetched.folder / "radar.db")) as database:
        database.execute(
            "INSERT INTO item_changes (item_id, changed_at, field, old, new) VALUES (?, ?, 'salary', '100', '200')",
            (item_id, "2026-01-05T12:00:00.000000Z"),
        )
    out = fetched("why", "1").out
    assert "salary: 100 -> 200" in out
    assert "jobs  match 1  QUEUED" in out
    assert "elsewhere  match 31  QUEUED" in out


@pytest.mark.parametrize("columns", [60, 80])
def test_every_story_and_list_fits_a_narrow_terminal(fetched, store, columns):
    work_on(store, 1, state="failed", why="the chat was not found, " * 5)
    fetched("mark", "2", "3", "later")
    fetched.env["COLUMNS"] = str(columns)
    for arguments in (
        ["why", "1"],
        ["why", "hh:1"],
        ["undo", "--list"],
        ["items", "--later"],
        ["status"],
        ["mark", "4", "9999", "applied"],
    ):
        ran = fetched("-q", *arguments)
        assert max(cell_len(line) for line in (ran.out + ran.err).splitlines()) <= columns, arguments


def test_hostile_texts_in_the_store_never_reach_the_terminal(fetched, store):
    work_on(store, 1, state="failed", why=ATTACK)
    with apsw.Connection(str(fetched.folder / "radar.db")) as database:
        database.execute("UPDATE items SET title = ?", (ATTACK,))
        database.execute("UPDATE analyses SET reason = ?, judge = ?, skills = json_array(?)", (ATTACK,) * 3)
        database.execute("UPDATE match_events SET why = ?, who = ?", (ATTACK, ATTACK))
        database.execute("UPDATE jobs SET error_message = ?, status = 'failed'", (ATTACK,))
        database.execute("UPDATE query_state SET status = 'ERROR', last_error = ?", (ATTACK,))
        database.execute(
            "INSERT INTO tombstones (watch, source, key, reason, word, field, title, url, at)"
            " VALUES ('jobs', 'hh', '77', 'ban word', ?1, ?1, ?1, ?1, '2026-01-05T12:00:00.000000Z')",
            (ATTACK,),
        )
    calls = (
        *(
            ["why", "1"],
            ["why", "hh:77"],
            ["why", "hh:5"],
            ["show", "1"],
            ["items", "--filtered"],
            ["items", "--later"],
        ),
        *(["mark", "1", "2", "later"], ["mark", "1", "later"], ["undo", "--list"], ["undo"], ["status"]),
        *(["why", "1", "--json"], ["why", "hh:77", "--json"], ["items", "--filtered", "--json"]),
    )
    for arguments in calls:
        ran = fetched(*arguments)
        assert ran.code == 0, arguments
        assert not UNSAFE.search(ran.out + ran.err), arguments
