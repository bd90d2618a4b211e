"""The `:` line and the screens behind it: sources, jobs, runs, the story of a listing, prices."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from inforadar.bootstrap import App
from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.job_lines import job_row, read_titles
from inforadar.interfaces.tui.columns import fitted
from inforadar.interfaces.tui.commands import COMMANDS, completed, completions, named, read_command
from inforadar.interfaces.tui.coverage_bar import coverage_bar
from inforadar.interfaces.tui.fetch_screen import FetchScreen
from inforadar.interfaces.tui.help_dialog import KEYS
from inforadar.interfaces.tui.jobs_report import read_jobs_report
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.program import Program
from inforadar.interfaces.tui.prompt_bar import PromptBar
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.report import Report
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.interfaces.tui.row_field import RowField
from inforadar.interfaces.tui.story_lines import read_story
from inforadar.interfaces.tui.text_screen import TextScreen
from inforadar.pipeline.routes import deliver_job
from inforadar.service.periodic import sweep_job
from inforadar.simulator.entry import Salary
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store import jobs, matches, tombstones
from interfaces.command_line import CONFIG
from interfaces.tui_rig import NOON, engine, fetched, list_shown, played, screen_text, until, until_foot, until_shown
from store.samples_of_rows import a_tombstone

PRICES = """
[sources.ebay]
base_url = "{ebay}"
rate_limit_per_minute = 6000
client_id = "id"
client_secret = "secret"

[[watch]]
name = "morgan"
kind = "price"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan dollar" }}
"""
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"hh": 30, "linkedin": 25, "habr": 30})) as simulator:
        yield simulator


@pytest.fixture
def radar(tmp_path: Path, internet: Simulator) -> Iterator[App]:
    """A radar that has collected jobs, from a LinkedIn that shows its login wall, and articles."""
    internet.switch(Fault(kind="authwall", source="linkedin"))
    with engine(tmp_path, internet, CONFIG + PRICES) as app:
        fetched(app, "hh", "linkedin", "habr")
        yield app


async def ready(pilot) -> Program:
    """The program, with its first matches."""
    await list_shown(pilot)
    return pilot.app


async def typed(pilot, line: str) -> None:
    """Type a command."""
    await pilot.press("colon")
    await until(pilot, lambda: any(one.is_open for one in pilot.app.screen.query(PromptBar)), "the command line")
    await pilot.press(*("space" if letter == " " else letter for letter in line), "enter")


def test_tab_completes_a_command_and_up_recalls_it(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await pilot.press("colon", "s", "o")
        field = program.main.query_one(PromptBar).query_one(Input)
        await until_shown(pilot, "sources")
        await pilot.press("tab")
        await until(pilot, lambda: field.value == "sources", "the whole word")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(program.screen, ReportScreen), "the screen")
        await pilot.press("colon")
        await until(pilot, lambda: program.screen.query_one(PromptBar).is_open, "the command line over the screen")
        over = program.screen.query_one(PromptBar)
        await pilot.press("up")
        await until(pilot, lambda: over.query_one(Input).value == "sources", "what was typed before")
        await pilot.press("escape")
        await until(pilot, lambda: program.focused.id == "rows", "the rows")
        assert not over.is_open
        await pilot.press("escape")
        await until(pilot, lambda: program.screen is program.main and program.main.matches.has_focus, "the list")

    played(Program(radar), play)


def test_a_command_typed_over_a_screen_takes_its_place_or_is_told_there_why_not(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "sources")
        await until_shown(pilot, "linkedin")
        await typed(pilot, "sorces")
        await until_shown(pilot, "There is no command :sorces. Did you mean :sources?")
        await typed(pilot, "xyz")
        await until(pilot, lambda: ":help, :q." in screen_text(program), "a long sentence to its end")
        await typed(pilot, "fetch nowhere")
        await until_shown(pilot, "'nowhere' is no watch, no source and no topic.", "SOURCE")
        await typed(pilot, "help")
        await until_shown(pilot, "Esc closes")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(program.screen, ReportScreen), "the sources again")
        await typed(pilot, "why 1")
        await until(pilot, lambda: isinstance(program.screen, TextScreen), "the story")
        await typed(pilot, "runs")
        await until_shown(pilot, "STOPPED")
        await pilot.press("escape")
        await until(pilot, lambda: program.screen is program.main, "the list")
        await typed(pilot, "runs")
        await until_shown(pilot, "STOPPED")
        await typed(pilot, "items python")
        await until(pilot, lambda: program.screen is program.main, "the list")
        await until(pilot, lambda: program.main.narrowing == Narrowing(text="python"), "the filter")

    played(Program(radar), play)


def test_a_misspelt_command_is_told_with_what_was_meant(radar: App):
    async def play(pilot):
        await ready(pilot)
        await typed(pilot, "sorces")
        await until_shown(pilot, "There is no command :sorces. Did you mean :sources?")

    played(Program(radar), play)


def test_fetch_by_command_takes_the_names_it_is_given(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "fetch habr Admins")
        await until(pilot, lambda: isinstance(program.screen, FetchScreen), "the fetch screen")
        await until_shown(pilot, "Fetch  [source: habr · topic: admins]")
        await until(pilot, lambda: program.screen._feed.is_over, "the end")
        await pilot.press("escape")
        await typed(pilot, "fetch nowhere")
        await until_shown(pilot, "'nowhere' is no watch, no source and no topic.")

    played(Program(radar), play)


def test_fetch_by_command_alone_fetches_what_the_filter_shows(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        program.main.narrow(Narrowing(sources=("habr",), topics=("admins",)))
        await until_shown(pilot, "Info Radar  [source: habr · topic: admins]", line=0)
        await typed(pilot, "fetch")
        await until(pilot, lambda: isinstance(program.screen, FetchScreen), "the fetch screen")
        await until_shown(pilot, "Fetch  [source: habr · topic: admins]", line=0)
        await until(pilot, lambda: program.screen._feed.is_over, "the end")

    played(Program(radar), play)


def test_items_by_command_shows_what_contains_the_text_and_q_quits(radar: App):
    program = Program(radar)

    async def play(pilot):
        await ready(pilot)
        await typed(pilot, "items python")
        await until_shown(pilot, "[text: 'python']")
        await typed(pilot, "q")

    played(program, play)
    assert not program.is_running


def test_the_sources_screen_shows_health_and_coverage(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "sources")
        await until_shown(pilot, "\n hh ", "\n linkedin ")
        lines = screen_text(program).splitlines()
        healthy = next(line for line in lines if line.strip().startswith("hh "))
        broken = next(line for line in lines if line.strip().startswith("linkedin "))
        assert " ok " in healthy
        assert "█" in healthy
        assert " ok " not in broken
        await pilot.press("j")
        await until_shown(pilot, "its login wall")
        await pilot.press("escape")
        await until(pilot, lambda: program.screen is program.main, "the list")

    played(Program(radar), play)


def test_a_pause_counts_down(radar: App):
    with radar.database.transaction() as tx:
        tx._connection.run(
            "UPDATE sources SET paused_until = '2026-01-05T13:30:00.000000Z', pause_reason = 'rate limited' "
            "WHERE name = 'habr'",
            {},
        )

    async def play(pilot):
        await ready(pilot)
        await typed(pilot, "sources")
        await until_shown(pilot, "paused, 1 h 30 min left")

    played(Program(radar), play)


def test_the_jobs_and_runs_screens_list_what_there_is(radar: App):
    async def play(pilot):
        await ready(pilot)
        await typed(pilot, "jobs")
        await until_shown(pilot, "process", "match_id = ", "pending, put ")
        await typed(pilot, "runs")
        await until_shown(pilot, "SUCCESS", "ERROR", "articles", "end of")

    played(Program(radar), play)


def test_a_job_says_what_it_is_about_and_who_does_it(radar: App):
    query = radar.config.watches[0].queries[0]
    with radar.database.transaction() as tx:
        found = jobs.search(tx, kind="process", limit=2)
        jobs.put(tx, [sweep_job(query), jobs.aggregate_job(7), deliver_job(99, "telegram")])
        title = matches.titles(tx, [found[0].args["match_id"]])[found[0].args["match_id"]]
        claimed = {"by": "worker@vm/62b4d651-4026531836:1234:567#1", "id": found[0].id}
        tx._connection.run("UPDATE jobs SET locked_by = :by WHERE id = :id", claimed)
        listed = jobs.search(tx, limit=100)
        titles = read_titles(tx, listed)
    rows = {job.id: job_row(job, titles, is_stuck=False, has_failed=False, now=NOON) for job in listed}
    assert rows[found[0].id][2] == title
    assert rows[found[0].id][6] == "vm:1234"
    about = {(row[1], row[2]) for row in rows.values()}
    assert {("sweep", f"{query.watch} / {query.source}"), ("aggregate", "run 7"), ("deliver", "delivery 99")} <= about


def job_of(radar: App, job_id: int):
    with radar.database.reading() as tx:
        return jobs.get(tx, job_id)


def test_a_job_is_cancelled_and_tried_again_by_a_key(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "jobs")
        await until_shown(pilot, "match_id = ")
        await pilot.press("j")
        await until(pilot, lambda: program.screen.query_one("#rows", RowField).cursor == 1, "the second job")
        job_id = program.screen.row_id
        assert job_of(radar, job_id).status == "pending"
        await until_foot(pilot, "Try again", "Cancel")
        await pilot.press("c")
        await until_shown(pilot, f"Job {job_id} is cancelled; t lets it run after all.")
        assert job_of(radar, job_id).status == "failed"
        await until_shown(pilot, "cancelled by user")
        await pilot.press("c")
        await until_shown(pilot, f"Job {job_id} is finished.")
        await pilot.press("t")
        await until_shown(pilot, f"Job {job_id} runs as soon as a worker is free")
        assert job_of(radar, job_id).status == "pending"
        assert program.screen.row_id == job_id

    played(Program(radar), play)


def test_however_many_jobs_are_listed_the_jobs_screen_asks_the_store_as_often(radar: App):
    asked: list[str] = []

    class Listening:
        @contextmanager
        def reading(self):
            with radar.database.reading() as tx:
                tell = tx.rows
                tx.rows = lambda name, /, **params: asked.append(name) or tell(name, **params)
                yield tx

    assert len(read_jobs_report(replace(radar, database=Listening()), 80).rows) > 20
    assert len(asked) < 10, asked


def test_the_story_of_a_listing_that_was_left_out_begins_with_its_title_and_address(radar: App):
    with radar.database.transaction() as tx:
        tombstones.add(tx, [a_tombstone("gone", watch="jobs", source="hh")])
        (stone,) = tombstones.find(tx, source="hh", key="gone")
    assert [record.text for record in read_story(radar, "hh:gone")[:2]] == [stone.title, stone.url]


def test_why_tells_the_story_of_the_match_under_the_cursor(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        title = program.main.matches.row.title
        await typed(pilot, "why")
        await until(pilot, lambda: isinstance(program.screen, TextScreen), "the screen")
        await until_shown(pilot, title, "created -> queued")
        await typed(pilot, "why nonsense")
        await until_shown(pilot, "is no id and no address")

    played(Program(radar), play)


def test_why_tells_a_verdict_once_and_values_in_words(radar: App):
    radar.worker(kinds=("process",)).run(until_idle=True)

    async def play(pilot):
        program = await ready(pilot)
        await pilot.press("slash", *"python", "enter")
        await until_shown(pilot, "text: 'python'", line=0)
        await until(pilot, lambda: program.main.matches.row, "the list")
        judged = next(row for row in program.main.matches.grid.pages[0] if row.score is not None)
        await typed(pilot, f"why {judged.id}")
        await until_shown(pilot, f"Why  {judged.id}", "words: score")
        told = "\n".join(one.text for one in program.screen.query_one(LineField).records)
        assert told.count("words: ") == 1
        assert "['" not in told
        assert "None" not in told

    played(Program(radar), play)


def test_the_screens_fit_eighty_columns_with_every_header(radar: App):
    async def play(pilot):
        await ready(pilot)
        for name, last in {"sources": "QUERIES", "jobs": "NOTE", "runs": "STOPPED"}.items():
            await typed(pilot, name)
            await until_shown(pilot, last, line=1)

    played(Program(radar), play)


def test_prices_shows_what_a_watch_is_worth(radar: App):
    async def play(pilot):
        await ready(pilot)
        await typed(pilot, "prices")
        await until_shown(pilot, "Prices  morgan")
        await until_shown(pilot, "No prices yet")
        await typed(pilot, "prices jobs")
        await until_shown(pilot, "There is no price watch 'jobs'")

    played(Program(radar), play)


def test_an_offer_shows_its_price_in_its_row_and_in_its_details(tmp_path: Path):
    world = still_world(1, NOON, {})
    price = Salary(low=17182, high=None, currency="USD", gross=False, mode="FIXED_PRICE")
    world.add("ebay", id="1", title="1921 Morgan Dollar", published_at=NOON, salary=price)
    with Simulator(world) as shops, engine(tmp_path, shops, CONFIG + PRICES) as app:
        fetched(app, "ebay")
        program = Program(app)

        async def play(pilot):
            main = (await ready(pilot)).main
            await until(
                pilot, lambda: any("171.82 USD · ebay" in one.text for one in main.detail.records), "the details"
            )
            await until_shown(pilot, "COMPANY", line=1)
            await until_shown(pilot, "171.82 USD", line=2)
            names, row = screen_text(program).splitlines()[1:3]
            assert row.index("171.82 USD") == names.index("COMPANY")
            assert row.index("ebay") == names.index("SOURCE")

        played(program, play)


def test_prices_with_data_show_quantiles_a_chart_and_the_newest_prices(tmp_path: Path):
    world = still_world(1, NOON, {"ebay": 200})
    with Simulator(world) as shops, engine(tmp_path, shops, CONFIG + PRICES) as app:
        fetched(app, "ebay")
        app.worker(kinds=("process", "value")).run(until_idle=True)
        app.scheduler().once()
        app.worker(kinds=("process", "value")).run(until_idle=True)
        program = Program(app)

        async def play(pilot):
            await ready(pilot)
            await typed(pilot, "prices morgan")
            await until_shown(pilot, "Prices  morgan", "Rests on", "OBSERVED", "2026-01-05  ")
            lines = screen_text(program).splitlines()
            assert lines[0].strip() == "Prices  morgan"
            assert re.search(r"10 % \d+\.\d\d +25 % \d+\.\d\d +median \d+\.\d\d .* USD", lines[1])
            assert re.search(r"Rests on \d+ .*; valued ", lines[2])
            assert any(re.search(r"\d+\.\d\d [│┤]", line) for line in lines), "a chart"
            first = lines[next(number for number, line in enumerate(lines) if "OBSERVED" in line) + 1]
            assert re.search(r"2026-01-05  \d+\.\d\d USD +(ask|bid) +\d\.\d\d  .*Morgan", first)
            assert all(cell_len(line) <= 80 for line in lines)

        played(program, play)


def test_the_cursor_stays_on_its_job_while_the_jobs_are_read_again_and_again(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "jobs")
        await until_shown(pilot, "match_id = ")
        rows = program.screen.query_one("#rows", RowField)
        await pilot.press("j", "j")
        await until(pilot, lambda: rows.cursor == 2, "the third job")
        for _ in range(2):
            report = program.screen._report
            await until(pilot, lambda report=report: program.screen._report is not report, "the next look")
        assert rows.cursor == 2

    played(Program(radar), play)


def test_the_cursor_stays_on_its_source_when_the_sources_are_read_again(radar: App):
    async def play(pilot):
        program = await ready(pilot)
        await typed(pilot, "sources")
        await until_shown(pilot, "\n linkedin ")
        rows = program.screen.query_one("#rows", RowField)
        for number in (1, 2):
            await pilot.press("j")
            await until(pilot, lambda number=number: rows.cursor == number, "the next source")
            await program.screen._reload()
        assert rows.cursor == 2

    played(Program(radar), play)


def test_details_stay_where_they_were_scrolled_to_when_they_are_read_again(radar: App):
    times = count()

    def changing(_app: App, _width: int) -> Report:
        details = [Record(text=f"read {next(times)} times"), *(Record(text=str(number)) for number in range(50))]
        return Report(headers="", rows=[Record(text="one"), Record(text="two")], details=[details, details])

    async def play(pilot):
        program = await ready(pilot)
        screen = ReportScreen(program.desk, "Changing", changing, "")
        await program.push_screen(screen)
        detail = screen.query_one("#detail", LineField)
        await until(pilot, lambda: detail.records, "the details")
        await pilot.press("tab", "j", "j")
        await until(pilot, lambda: detail.scroll_offset.y == 2, "the third line")
        was = detail.records[0]
        await screen._reload()
        await until(pilot, lambda: detail.records[0] != was, "the details as they are now")
        assert detail.scroll_offset.y == 2
        screen.query_one("#rows", RowField).go(1)
        await until(pilot, lambda: detail.scroll_offset.y == 0, "the details of another row, from the first on")

    played(Program(radar), play)


def test_a_command_may_be_cut_short_where_only_one_fits():
    assert read_command("ru").name == "runs"
    assert read_command("why  42 ").rest == "42"
    assert read_command("quit").name == "q"
    assert read_command("  ") is None
    with pytest.raises(RadarError, match="There is no command :zzz"):
        read_command("zzz")


def test_completions_hold_the_names_of_the_configuration(radar: App):
    known = completions(radar.config, {"python"})
    assert {"fetch habr", "fetch python", "fetch jobs", "prices morgan", "q"} <= set(known)
    assert "prices jobs" not in known


def test_of_several_names_the_last_one_is_completed():
    known = ["fetch", "items", "fetch habr", "fetch hh", "prices morgan"]
    assert completed(known, "f") == "fetch"
    assert completed(known, "fetch h") == "fetch habr"
    assert completed(known, "fetch habr h") == "fetch habr hh"
    assert completed(known, "fetch habr hh") is None
    assert completed(known, "fetch hh ") is None
    assert completed(known, "") is None


def test_words_are_told_apart_as_watches_sources_and_topics(radar: App):
    chosen = named(radar.config, {"python", "admins"}, ["jobs", "hh", "Admins"])
    assert chosen == Narrowing(watches=("jobs",), sources=("hh",), topics=("admins",))


def test_a_coverage_bar_shows_gaps_and_what_is_not_reached():
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    low = Stretch(after=begin, upto=begin + 2 * DAY, count=5)
    high = Stretch(after=begin + 6 * DAY, upto=begin + 10 * DAY, count=5)
    covered = Coverage(stretches=(high, low))
    assert coverage_bar(covered, None, 10) == "██░░░░████"
    assert coverage_bar(covered, begin - 10 * DAY, 10) == "░░░░░█░░██"
    assert coverage_bar(Coverage(), None, 4) == "░░░░"


def test_columns_give_way_until_they_fit():
    head, lines = fitted(("A", "TITLE"), [("1", "x" * 50), ("2", "short")], 20, flexible=(1,))
    assert head == "A  TITLE"
    assert max(map(len, lines)) <= 20
    assert lines[0].endswith("…")


def test_every_command_and_every_key_is_documented():
    told = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"| `:{name}" in told
    for keys in KEYS.values():
        for words in keys:
            assert all(f"`{key}" in told for key in words.split(" ")), words
