"""The main screen at its keys: the list from the store, the details, filters, decisions and undo, and Esc."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual.app import App as TextualApp
from textual.widgets import Input

from inforadar.bootstrap import App, read_config
from inforadar.config import Config, SourceSettings
from inforadar.domain.errors import StoreError
from inforadar.domain.ports import Source
from inforadar.domain.status import Status
from inforadar.interfaces.standing import read_queries
from inforadar.interfaces.tui.chat_screen import ChatMessage, ChatScreen
from inforadar.interfaces.tui.commands import named
from inforadar.interfaces.tui.config_file import ConfigFile
from inforadar.interfaces.tui.demo_program import DemoProgram
from inforadar.interfaces.tui.desk import Around
from inforadar.interfaces.tui.fetch_screen import FetchScreen
from inforadar.interfaces.tui.filter_dialog import FilterDialog
from inforadar.interfaces.tui.help_dialog import KEYS, HelpDialog
from inforadar.interfaces.tui.jobs_screen import JobsScreen
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.main_screen import MainScreen
from inforadar.interfaces.tui.match_grid import MatchGrid
from inforadar.interfaces.tui.match_lines import detail_lines
from inforadar.interfaces.tui.match_list import MatchList
from inforadar.interfaces.tui.narrowing import TO_DECIDE, Narrowing
from inforadar.interfaces.tui.opening import has_windows, web_address
from inforadar.interfaces.tui.program import Program
from inforadar.interfaces.tui.told_line import ToldLine
from inforadar.interfaces.tui.triage_pane import TriagePane
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store import matches
from inforadar.store.analyses import Analysis
from interfaces.hostile_texts import HOSTILE
from interfaces.stored_matches import fill
from interfaces.tui_rig import (
    NOON,
    PATIENCE_S,
    at_rest,
    fetched,
    foot,
    list_shown,
    played,
    screen_text,
    until,
    until_foot,
    until_shown,
)

COUNTS = {"hh": 250, "linkedin": 25, "habr": 60}


@pytest.fixture(scope="module")
def internet() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        yield simulator


@pytest.fixture
def radar(empty: App) -> App:
    """A radar that has collected everything there is."""
    fetched(empty)
    return empty


def filled(radar: App, count: int) -> Program:
    """A program over a store of so many matches."""
    fill(radar, count)
    return Program(radar)


class EmptyChat:
    """A chat nobody has written to."""

    def messages(self) -> list[ChatMessage]:
        return []

    def press(self, message_id: int, button: int) -> None:
        raise ValueError(f"message {message_id} has no button {button}")


def status_of(radar: App, match_id: int) -> str:
    with radar.database.reading() as tx:
        match = matches.get(tx, match_id)
    assert match
    return match.status


async def shown_everything(pilot) -> MainScreen:
    """The main screen of a program that opens on what is to be decided, with every match."""
    main = pilot.app.main
    await until(pilot, lambda: main.is_mounted and main.narrowing.is_active, "the opening")
    main.narrow(Narrowing())
    return await list_shown(pilot)


async def rows_of(pilot, main: MainScreen, is_so) -> None:
    await until(pilot, lambda: main.matches.row and is_so(), "the narrowed list")


def sources_shown(main: MainScreen) -> set[str]:
    return {row.source for page in main.matches.grid.pages.values() for row in page}


def test_it_lists_matches_with_the_details_of_the_one_under_the_cursor(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        row = main.matches.row
        await until(pilot, lambda: row.title[:30] in "\n".join(one.text for one in main.detail.records), "the details")
        assert "created -> queued" in "\n".join(one.text for one in main.detail.records)
        await until_shown(pilot, "Info Radar", line=0)
        await until_shown(pilot, "STATUS", "SCORE", "AGE", "TITLE", "COMPANY", "PLACE", "SOURCE", row.url)

    played(program, play)


@pytest.mark.parametrize("size", [(80, 24), (97, 30), (140, 40)], ids=str)
def test_the_names_of_the_columns_stand_above_their_columns(empty: App, size: tuple[int, int]):
    program = filled(empty, 3)

    async def play(pilot):
        await until_shown(pilot, "STATUS", "Title 1 ")
        lines = screen_text(program).splitlines()
        names = next(line for line in lines if "STATUS" in line)
        first = lines[lines.index(names) + 1]
        for name, begin in {
            "STATUS": "queued",
            "AGE": "1 h",
            "TITLE": "Title 1",
            "PLACE": "Madrid",
            "SOURCE": "hh",
        }.items():
            assert first.index(begin) == names.index(name), name

    played(program, play, size)


def test_every_key_of_the_demo_fits_eighty_columns_while_a_decision_can_be_undone(radar: App):
    program = DemoProgram(radar, EmptyChat(), "http://127.0.0.1:1", "")

    async def play(pilot):
        main = await shown_everything(pilot)
        main.narrow(Narrowing(sources=("habr",)))
        await rows_of(pilot, main, lambda: sources_shown(main) == {"habr"})
        await pilot.press("x")
        await until_foot(pilot, "z Undo", "⎋ ")
        keys = foot(program).split()
        assert keys[-2:] == ["c", "Chat"], keys
        assert {"/", "F", "⎋", "?", "q"} <= set(keys)

    played(program, play)


def test_the_demo_shows_the_key_of_its_page_in_eighty_columns_also_once_something_was_decided(radar: App):
    program = DemoProgram(radar, EmptyChat(), "http://127.0.0.1:1", "")

    async def play(pilot):
        await shown_everything(pilot)
        await until_foot(pilot, "c Chat", "w Page")
        await pilot.press("x")
        await until_foot(pilot, "z Undo", "c Chat", "w Page")

    played(program, play)


def test_a_narrow_terminal_keeps_the_titles_and_whole_dialogs(empty: App):
    program = filled(empty, 3)

    async def play(pilot):
        await until_shown(pilot, "Title 1")
        for key, title in (("question_mark", "Keys"), ("F", "Show only")):
            await pilot.press(key)
            await until_shown(pilot, f"─ {title} ─")
            frame = next(line for line in screen_text(program).splitlines() if f"─ {title} ─" in line)
            assert frame.endswith("╮")
            await pilot.press("escape")
            await until_shown(pilot, "Title 1", without=["╮"])

    played(program, play, (40, 14))


def test_a_long_filter_leaves_a_gap_before_the_count(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(watches=("jobs", "articles"), sources=("hh", "habr", "linkedin"), text="python and more"))
        await until(pilot, lambda: main.matches.is_complete, "the narrowed list")
        await until_shown(pilot, "…  0 of 0", line=0)

    played(program, play)


def test_only_the_command_line_has_a_key_to_complete(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("slash")
        await until_foot(pilot, "Cancel", without=["Complete"])
        line = main.query_one(Input)
        await pilot.press("tab", "p")
        await until(pilot, lambda: line.value == "p", "the letter behind the key that completes nothing")
        assert program.focused is line
        await pilot.press("escape", "colon")
        await until_foot(pilot, "Complete")
        await pilot.press(*"fetch", "space", *"hh", "space", *"ha", "tab")
        await until(pilot, lambda: line.value == "fetch hh habr", "the name")

    played(program, play)


def test_a_fresh_start_says_what_to_do(empty: App):
    program = Program(empty)

    async def play(pilot):
        await until_shown(pilot, "Nothing found yet: f fetches.")
        await at_rest(pilot)
        await until_foot(pilot, "Fetch", without=["Applied", "Undo"])

    played(program, play)


def test_the_footer_shows_only_the_keys_valid_now(radar: App):
    program = Program(radar)

    async def play(pilot):
        await list_shown(pilot)
        await at_rest(pilot)
        await until_foot(pilot, "Applied", without=["Undo", "Back"])
        await pilot.press("a")
        await until_foot(pilot, "Undo")

    played(program, play)


def test_the_keys_of_a_match_are_in_the_footer_whenever_one_is_under_the_cursor(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("slash", *"python", "enter")
        await rows_of(pilot, main, lambda: main.narrowing.text == "python")
        await pilot.press("F")
        await until(pilot, lambda: isinstance(program.screen, FilterDialog), "the dialog")
        await pilot.press("space", "enter")
        await rows_of(pilot, main, lambda: main.narrowing.watches)
        await pilot.press("escape", "escape")
        await rows_of(pilot, main, lambda: not main.narrowing.is_active)
        await until_foot(pilot, "Applied", "Later")

    played(program, play)


def test_a_list_that_is_read_anew_never_leaves_the_keys_of_the_one_before(empty: App):
    program = filled(empty, 3)

    async def play(pilot):
        main = await list_shown(pilot)
        await until_foot(pilot, "Applied")
        main.matches._begin(MatchGrid())
        main.refresh_bindings()  # as a dialog that closes does, before the list has come
        await until_foot(pilot, without=["Applied"])
        main.narrow(Narrowing())
        await until_foot(pilot, "Applied")

    played(program, play)


def test_nothing_found_leaves_no_details_of_the_match_before(empty: App):
    program = filled(empty, 3)

    async def play(pilot):
        main = await list_shown(pilot)
        await until(pilot, lambda: main.detail.records, "the details")
        program.carry_out("items foo")
        await until_shown(pilot, "Nothing fits")
        await until(pilot, lambda: not main.detail.records, "an empty pane")
        await until_foot(pilot, "Fetch", without=["Applied"])

    played(program, play)


def test_an_entry_dated_ahead_is_new_in_its_row_and_in_its_details(empty: App):
    program = filled(empty, 2)
    with empty.database.transaction() as tx:
        tx._connection.run("UPDATE items SET published_at = '2026-01-06T00:00:00.000000Z' WHERE id = 1", {})

    async def play(pilot):
        main = await list_shown(pilot)
        await until(pilot, lambda: main.detail.records, "the details")
        assert " · now · " in main.detail.records[1].text
        await until_shown(pilot, " now ", line=2)

    played(program, play)


def test_the_ages_in_the_list_and_in_the_details_go_on_together_and_nothing_scrolls(empty: App):
    program = filled(empty, 3)
    later = [NOON]
    program.desk.now = lambda: later[0]  # type: ignore[method-assign]

    async def play(pilot):
        main = await list_shown(pilot)
        main.matches._now = lambda: later[0]
        await until(pilot, lambda: main.detail.records, "the details")
        await pilot.press("enter")
        await until(pilot, lambda: main.detail.has_focus, "the details")
        main.detail.move_to(1)
        top = main.detail.scroll_offset.y
        later[0] += timedelta(hours=4)
        await until_shown(pilot, "5 h ")
        await until(pilot, lambda: " · 5 h ago · " in main.detail.records[1].text, "the age in the details")
        assert main.detail.scroll_offset.y == top

    played(program, play)


def judge(radar: App, *ids: int) -> None:
    """Let these matches wait for a decision."""
    with radar.database.transaction() as tx:
        for number in ids:
            tx._connection.run("UPDATE matches SET status = 'ANALYZED' WHERE id = :id", {"id": number})


def test_it_opens_on_what_is_to_be_decided_esc_shows_everything_and_d_goes_back(empty: App):
    program = filled(empty, 5)
    judge(empty, 2, 4)
    with empty.database.transaction() as tx:
        until_then = {"at": "2026-02-01T00:00:00.000000Z"}
        tx._connection.run("UPDATE matches SET later_until = :at WHERE id = 4", until_then)

    async def play(pilot):
        main = await list_shown(pilot)
        assert [main.matches.row_at(number).id for number in range(main.matches.known)] == [2]
        await until_shown(pilot, "Info Radar  [to decide]", line=0)
        await until_foot(pilot, "Back")
        await pilot.press("escape")
        await rows_of(pilot, main, lambda: main.matches.known == 4)
        await until_shown(pilot, "Info Radar", line=0, without=["to decide"])
        await pilot.press("d")
        await rows_of(pilot, main, lambda: main.matches.known == 1)

    played(program, play)


def test_where_nothing_is_to_be_decided_it_opens_on_everything(empty: App):
    program = filled(empty, 5)

    async def play(pilot):
        main = await list_shown(pilot)
        assert main.matches.known == 5
        assert not main.narrowing.is_active
        await pilot.press("d")
        await until_shown(pilot, "Nothing to decide: Esc shows everything.")

    played(program, play)


def test_a_text_chooses_no_query_and_the_fetch_screen_says_so(empty: App):
    program = filled(empty, 2)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(text="Title"))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(program.screen, FetchScreen), "the fetch screen")
        told = program.screen._feed.records
        await until(pilot, lambda: any("The text 'Title' chooses no query" in one.text for one in told), "the words")
        await pilot.press("escape", "escape")

    played(program, play)


def test_a_decision_is_stored_the_row_stays_and_the_cursor_goes_on(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        first = main.matches.row
        await pilot.press("a")
        await until(pilot, lambda: main.matches.cursor == 1, "the next one")
        await until(pilot, lambda: main.matches.row_at(0).status == "APPLIED", "the decision")
        assert main.matches.row_at(0).id == first.id
        await pilot.press("x")
        await until(pilot, lambda: main.matches.row_at(1).status == "NOT_INTERESTED", "the decision")
        await pilot.press("l")
        await until(pilot, lambda: main.matches.row_at(2).later_until, "the decision")
        await until_shown(pilot, " later ")
        assert status_of(radar, first.id) == "APPLIED"

    played(program, play)


def test_a_decision_that_the_database_does_not_take_is_told_first_and_the_cursor_is_on_its_row(radar: App, monkeypatch):
    program = Program(radar)
    away = "The connection to postgresql://me@db:5432/radar failed. Check that the server runs"
    long = f"{away}. (connection failed: " + "Connection refused\n" * 5 + ")"

    async def fail(*_args, **_more):
        raise StoreError(long)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("j")
        await until(pilot, lambda: main.matches.cursor == 1, "the second match")
        await at_rest(pilot)
        row = main.matches.row
        monkeypatch.setattr(program.desk, "write", fail)
        monkeypatch.setattr(program.desk, "read", fail)
        told = main.query_one(ToldLine)
        await pilot.press("a")
        await until(pilot, lambda: told.told.startswith("Not saved"), "the sentence")
        assert told.told == "Not saved: The connection to postgresql://me@db:5432/radar failed."
        await until(pilot, lambda: main.matches.row == row, "the match that was not decided on")
        main._refused(StoreError(long))
        main.pane._failed(StoreError(long))
        await pilot.pause()
        assert told.told.startswith("Not saved"), "what the screen itself finds does not take its place"
        await pilot.press("k")
        await until(pilot, lambda: told.told == f"{away}.", "that the database is away, at no length")

    played(program, play)


def test_marks_stay_on_what_could_not_be_saved_unless_others_were_made_or_shown_since(radar: App, monkeypatch):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def fail(*_args, **_more):
            await answer
            raise StoreError("The disk is full. Make room")

        monkeypatch.setattr(program.desk, "write", fail)
        told = main.query_one(ToldLine)
        await pilot.press("space", "space")
        await until(pilot, lambda: len(main.matches.marked) == 2, "the marks")
        marked = dict(main.matches.marked)
        answer.set_result(None)
        await pilot.press("x")
        await until(pilot, lambda: told.told == "Not saved: The disk is full.", "the sentence")
        assert main.matches.marked == marked
        answer = asyncio.get_running_loop().create_future()
        await pilot.press("x")
        await until(pilot, lambda: not main.matches.marked, "the decision")
        await pilot.press("space")
        await until(pilot, lambda: main.matches.marked, "another mark")
        others = dict(main.matches.marked)
        answer.set_result(None)
        await until(pilot, lambda: told.told == "Not saved: The disk is full.", "the sentence")
        assert main.matches.marked == others != marked
        answer = asyncio.get_running_loop().create_future()
        await pilot.press("x")
        await until(pilot, lambda: not main.matches.marked, "the decision")
        main.narrow(Narrowing(sources=("hh",)))
        answer.set_result(None)
        await until(pilot, lambda: told.told == "Not saved: The disk is full.", "the sentence")
        assert not main.matches.marked, "nothing that a filter hides may be decided on"

    played(program, play)


def elsewhere(radar: App, match_id: int, verb: str) -> None:
    """Somebody decides on a match through another door."""
    with radar.database.transaction() as tx:
        assert radar.triage().mark(tx, [match_id], verb, "web").changed


def test_a_match_that_was_decided_on_elsewhere_stays_and_its_new_state_is_told_and_shown(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        row = main.matches.row
        await until(pilot, lambda: main._news, "the first news")
        main._news = None  # nothing is heard of it before the key
        elsewhere(radar, row.id, "applied")
        await pilot.press("x")
        told = "was changed meanwhile: it is applied now."
        await until(pilot, lambda: told in " ".join(screen_text(program).split()), "the conflict")
        await until_shown(pilot, row.title[:20], line=-2)
        assert main.matches.row_at(0).status == "APPLIED"
        assert status_of(radar, row.id) == "APPLIED"
        await pilot.press("k", "x")
        await until_shown(pilot, "1 match: not interested. z undoes it.")
        assert status_of(radar, row.id) == "NOT_INTERESTED"

    played(program, play)


def test_of_marked_matches_only_those_that_stand_as_they_were_marked_are_decided_on(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("space", "space", "space")
        await until(pilot, lambda: len(main.matches.marked) == 3, "the marks")
        ids = list(main.matches.marked)
        elsewhere(radar, ids[1], "applied")
        await pilot.press("x")
        told = "2 matches: not interested, 1 changed meanwhile and stays as it is. z undoes it."
        await until(pilot, lambda: told in " ".join(screen_text(program).split()), "the conflict")
        assert [status_of(radar, one) for one in ids] == ["NOT_INTERESTED", "APPLIED", "NOT_INTERESTED"]

    played(program, play)


def test_a_match_that_was_sent_meanwhile_may_be_decided_on(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        match_id = main.matches.row.id
        with radar.database.transaction() as tx:
            matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="judged", now=NOON)
        await pilot.press("r")
        await until(pilot, lambda: main.matches.row and main.matches.row.status == "ANALYZED", "the verdict")
        with radar.database.transaction() as tx:
            matches.move(tx, match_id, Status.ANALYZED, Status.SENT_TO_USER, who="machine", why="sent", now=NOON)
        await pilot.press("a")
        await until_shown(pilot, "1 match: applied. z undoes it.")

    played(program, play)


def test_marked_matches_are_decided_on_together_and_undone_together(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("space", "space", "space")
        await until(pilot, lambda: len(main.matches.marked) == 3, "the marks")
        ids = list(main.matches.marked)
        await pilot.press("x")
        await until_shown(pilot, "3 matches: not interested")
        assert {status_of(radar, one) for one in ids} == {"NOT_INTERESTED"}
        assert not main.matches.marked
        await pilot.press("z")
        await until_shown(pilot, "Taken back: not interested on 3 matches")
        assert {status_of(radar, one) for one in ids} == {"QUEUED"}
        assert {main.matches.row_at(number).status for number in range(3)} == {"QUEUED"}

    played(program, play)


def test_undo_puts_the_cursor_back_on_what_was_taken_back(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("j", "x", "j", "j")
        await until(pilot, lambda: main.matches.row_at(1).status == "NOT_INTERESTED", "the decision")
        await pilot.press("z")
        await until_shown(pilot, "Taken back: not interested on 1 match.")
        assert main.matches.cursor == 1
        await pilot.press("a")
        await until(pilot, lambda: main.matches.row_at(1).status == "APPLIED", "the decision taken anew")

    played(program, play)


def test_undo_of_a_batch_puts_the_cursor_on_its_first_match(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("j", "space", "j", "space", "x")
        await until_shown(pilot, "2 matches: not interested")
        await pilot.press("j", "j", "z")
        await until_shown(pilot, "Taken back: not interested on 2 matches.")
        assert main.matches.cursor == 1

    played(program, play)


def test_what_was_looked_up_before_a_decision_does_not_take_its_undo_away(radar: App):
    program = Program(radar)
    look, go_on = program.desk.around, asyncio.Event()

    async def slow() -> Around:
        program.desk.around = look
        around = await look()
        await go_on.wait()
        return around

    program.desk.around = slow

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("x")
        await until_foot(pilot, "Undo")
        go_on.set()
        await at_rest(pilot)
        assert main.pane.check_action("undo", ())

    played(program, play)


def test_undo_with_nothing_to_undo_says_so(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("x")
        await until(pilot, lambda: main.matches.row_at(0).status == "NOT_INTERESTED", "the decision")
        await pilot.press("z")
        await until_shown(pilot, "Taken back:")
        await until_foot(pilot, without=["Undo"])
        await pilot.press("z")
        await until_shown(pilot, "There is nothing to undo.", without=["Taken back"])

    played(program, play)


def test_what_was_told_goes_with_the_next_key(radar: App):
    program = Program(radar)

    async def play(pilot):
        await list_shown(pilot)
        await pilot.press("colon", *"nonsense", "enter")
        await until_shown(pilot, "There is no command :nonsense")
        await pilot.press("j")
        await until_shown(pilot, "STATUS", without=["nonsense"])

    played(program, play)


def test_what_was_told_goes_after_a_while_and_what_it_opens_with_stays(empty: App):
    class Lines(TextualApp[None]):
        def compose(self):
            yield ToldLine("Welcome.", stays_s=0.01)

    program = Lines()

    async def play(pilot):
        line = program.query_one(ToldLine)
        await until_shown(pilot, "Welcome.")
        line.tell("There is no command :nonsense.")
        await until(pilot, lambda: not line.told and not screen_text(program).strip(), "the empty line")

    played(program, play)


def test_esc_drops_the_text_before_the_rest_of_the_filter_and_no_mark(radar: App):
    judge(radar, *range(1, 31))
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("slash", *"python", "enter")
        await rows_of(pilot, main, lambda: main.narrowing.text and main.matches.known < 30)
        await until_shown(pilot, "[to decide · text: 'python']", line=0)
        await pilot.press("space")
        await until(pilot, lambda: main.matches.marked, "the mark")
        await pilot.press("escape")
        await rows_of(pilot, main, lambda: main.matches.known == 30)
        assert main.narrowing == TO_DECIDE
        assert len(main.matches.marked) == 1
        await pilot.press("escape")
        await rows_of(pilot, main, lambda: not main.narrowing.is_active and main.matches.known > 30)
        assert len(main.matches.marked) == 1

    played(program, play)


def test_the_skills_of_a_listing_are_called_so(empty: App):
    fill(empty, 1)
    verdict = Analysis(
        at=NOON,
        judge="words",
        score=1,
        is_relevant=True,
        reason="no profile",
        skills=("Docker", "Python"),
        substance="",
    )
    with empty.database.reading() as tx:
        match = matches.get(tx, 1)
    assert match
    lines = [one.text for one in detail_lines(match, [], [], [verdict], [], NOON)]
    assert "Skills: Docker, Python" in lines


def test_esc_at_once_after_typing_leaves_no_filter_behind(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        before = main.narrowing
        await pilot.press("slash", *"python", "escape")
        await until(pilot, lambda: main.query_one(Input).value == "python" and main.matches.has_focus, "the list")
        await at_rest(pilot)
        assert main.narrowing == before

    played(program, play)


def test_a_filter_takes_marks_away_so_that_nothing_hidden_is_decided_on(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("space")
        await until(pilot, lambda: main.matches.marked, "the mark")
        await pilot.press("d")
        await until_shown(pilot, "The marks were taken away")
        assert not main.matches.marked

    played(program, play)


def test_slash_filters_by_text_while_it_is_typed_and_esc_takes_it_back(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        before = main.matches.known
        await pilot.press("slash", *"python")
        await rows_of(pilot, main, lambda: main.narrowing.text == "python" and main.matches.known < before)
        await pilot.press("enter")
        await until(pilot, lambda: main.matches.has_focus, "the list")
        await until_shown(pilot, "Info Radar  [text: 'python']", line=0)
        await rows_of(pilot, main, lambda: main.matches.known < before)
        titles = [main.matches.row_at(number).title.lower() for number in range(min(5, main.matches.known))]
        assert all("python" in title for title in titles)
        await pilot.press("escape")
        await rows_of(pilot, main, lambda: main.matches.known == before)
        await until_shown(pilot, "Info Radar  ", line=0, without=["text"])

    played(program, play)


def test_several_sources_and_a_status_are_chosen_at_once_and_shown_in_the_header(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(program.screen, FilterDialog), "the dialog")
        await pilot.press("j", "j", "space", "j", "space", "enter")
        await rows_of(pilot, main, lambda: main.narrowing.sources == ("habr", "linkedin"))
        await until(pilot, lambda: sources_shown(main) == {"habr", "linkedin"}, "both sources")
        await until_shown(pilot, "Info Radar  [source: habr, linkedin]", line=0)
        places = [main.matches.row_at(number).place for number in range(main.matches.known)]
        assert places == sorted(places, reverse=True)
        await pilot.press("F")
        await until_shown(pilot, "[x] source  habr")
        await pilot.press("escape")
        await until(pilot, lambda: program.screen is main, "the list")
        assert main.narrowing.sources == ("habr", "linkedin")

    played(program, play)


def test_a_topic_shows_what_its_query_found(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(topics=("admins",)))
        await rows_of(pilot, main, lambda: main.matches.is_complete and sources_shown(main) == {"habr"})
        with radar.database.reading() as tx:
            keys = {matches.get(tx, main.matches.row_at(n).id).query_key for n in range(main.matches.known)}
        assert len(keys) >= 1

    played(program, play)


def test_f_fetches_what_the_filter_shows_and_the_list_has_it_after(empty: App, internet: Simulator):
    program = Program(empty)

    async def play(pilot):
        main = program.main
        await until(pilot, lambda: main.is_mounted and main.matches.is_complete, "the list")
        main.narrow(Narrowing(sources=("habr",)))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(program.screen, FetchScreen), "the fetch screen")
        fetch = program.screen
        await until_shown(pilot, "Fetch  [source: habr]", line=0)
        await until(pilot, lambda: fetch._feed.is_over, "the end")
        await pilot.press("escape")
        await rows_of(pilot, main, lambda: program.screen is main and sources_shown(main) == {"habr"})

    played(program, play)


def test_esc_closes_the_topmost_thing_then_the_filter_then_the_marks_and_never_the_program(radar: App):
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(sources=("hh",)))
        await rows_of(pilot, main, lambda: sources_shown(main) == {"hh"})
        await pilot.press("space", "question_mark")
        await until(pilot, lambda: isinstance(program.screen, HelpDialog), "the help")
        await pilot.press("escape")
        await until(pilot, lambda: program.screen is main, "the list")
        await pilot.press("enter")
        await until(pilot, lambda: main.detail.has_focus, "the details")
        await pilot.press("escape")
        await until(pilot, lambda: main.matches.has_focus, "the list")
        assert main.narrowing.is_active
        await pilot.press("escape")
        await until(pilot, lambda: not main.narrowing.is_active, "everything")
        assert main.matches.marked
        await pilot.press("escape")
        await until(pilot, lambda: not main.matches.marked, "no mark")
        await pilot.press("escape", "escape", "question_mark")
        await until(pilot, lambda: isinstance(program.screen, HelpDialog), "a program that goes on")

    played(program, play)


def test_q_quits_while_a_fetch_is_under_way_and_nothing_hangs(empty: App, internet: Simulator):
    internet.switch(Fault(kind="slow_start", seconds=30.0))
    program = Program(empty)

    async def play(pilot):
        await until(pilot, lambda: program.main.is_mounted and program.main.matches.is_complete, "the list")
        await pilot.press("f")
        await until_shown(pilot, "Counting")
        await pilot.press("ctrl+c")

    played(program, play)
    fetch = program.desk._fetch
    fetch.join(PATIENCE_S)
    assert fetch.is_over
    assert not [one for one in fetch.records if "cannot be counted" in one.text], "it did not wait for the source"


def test_a_source_that_does_not_answer_is_told_whatever_the_filter(radar: App, internet: Simulator):
    internet.switch(Fault(kind="authwall", source="linkedin"))
    fetched(radar, "linkedin")
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(sources=("hh",)))
        await until_shown(pilot, "! linkedin: ", "(:sources tells why)", line=1)
        await until_foot(pilot, ": Go")

    played(program, play)


def test_keys_that_run_ahead_of_the_store_are_not_lost(empty: App):
    program = filled(empty, 500)

    async def play(pilot):
        main = await list_shown(pilot)
        for _ in range(250):
            main.matches.action_move(1)
        main.matches.action_move(-1)
        await until(pilot, lambda: main.matches.cursor == 249, "the 250th match")
        await until(pilot, lambda: main.matches.row and main.matches.row.title == "Title 250", "its row")

    played(program, play)


def test_reading_again_keeps_the_cursor_on_its_match(empty: App):
    program = filled(empty, 500)

    async def play(pilot):
        main = await list_shown(pilot)
        half = main.matches.size.height // 2
        await pilot.press(*["ctrl+d"] * 15)
        await until(pilot, lambda: main.matches.row and main.matches.cursor == 15 * half, "the row")
        row = main.matches.row
        with empty.database.transaction() as tx:
            tx._connection.run("UPDATE items SET published_at = '2026-01-05T11:30:00.000000Z' WHERE id = 400", {})
        number = main.matches.cursor
        await pilot.press("r")
        await until(pilot, lambda: main.matches.row and main.matches.cursor == number + 1, "the same match")
        assert main.matches.row.id == row.id

    played(program, play)


def test_titles_that_attack_are_shown_harmless(empty: App):
    program = filled(empty, len(HOSTILE))
    with empty.database.transaction() as tx:
        for number, text in enumerate(HOSTILE, 1):
            stored = text.replace("\x00", "").encode("utf-8", "replace").decode()
            tx._connection.run("UPDATE items SET title = :title WHERE id = :id", {"title": stored, "id": number})

    async def play(pilot):
        main = await list_shown(pilot)
        for key in ("j", "ctrl+d", "ctrl+d", "G"):
            await pilot.press(key)
            await at_rest(pilot)
            assert is_harmless(screen_text(program))
        await until_shown(pilot, f"{len(HOSTILE)} of {len(HOSTILE)}", line=0)
        assert is_harmless(screen_text(program))
        for page in main.matches.grid.pages.values():
            assert all(is_harmless(row.title) for row in page)
        for number in range(1, len(HOSTILE) + 1):
            assert all(is_harmless(one.text) for one in await program.desk.detail(number))

    played(program, play)


def is_harmless(text: str) -> bool:
    """Whether a terminal would only show it."""
    return not any(ord(letter) < 32 and letter != "\n" for letter in text) and not set(text) & set(
        "\x7f\x9b\u202e\u2066\u200f"
    )


def test_y_copies_the_address_and_o_shows_it_where_no_window_can_come_up(radar: App, monkeypatch: pytest.MonkeyPatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    program = Program(radar)

    async def play(pilot):
        main = await list_shown(pilot)
        url = main.matches.row.url
        await pilot.press("y")
        await until_shown(pilot, f"Copied {url}")
        assert program.clipboard == url
        await pilot.press("o")
        await until_shown(pilot, f" {url}", line=-2, without=["Copied"])

    played(program, play)


def test_every_key_of_the_help_is_a_key_and_every_key_is_in_the_help():
    bound = {
        key
        for binding in (*MainScreen.BINDINGS, *TriagePane.BINDINGS, *MatchList.BINDINGS)
        for key in binding.key.split(",")
    }
    told = {key for keys in KEYS.values() for words in keys for key in words.split(" ")}
    names = {"/": "slash", ":": "colon", "Esc": "escape", "Enter": "enter", "Space": "space"}
    told_keys = {names.get(key, key.replace("ctrl-", "ctrl+")) for key in told}
    assert told_keys <= bound
    arrows = {"up", "down", "home", "end", "pageup", "pagedown"}
    assert bound - told_keys - arrows == {"question_mark"}


def test_the_help_of_the_demo_lists_the_keys_of_the_demo_and_that_of_the_program_does_not(empty: App):
    demo = DemoProgram(empty, EmptyChat(), "http://127.0.0.1:1/", "")
    assert {key for keys in demo.MORE_KEYS.values() for key in keys} == {one.key for one in DemoProgram.BINDINGS}

    async def play(pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(demo.focused, LineField), "the help")
        records = demo.focused.records
        assert [one.text for one in records if "the simulated Telegram" in one.text]

    played(demo, play)
    assert not Program.MORE_KEYS


def test_the_keys_in_the_documentation_are_the_keys_there_are():
    text = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
    table = text.split("## Keys", 1)[1].split("\n## ", 1)[0]
    told = {key for row in re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE) for key in re.findall(r"`(\S+?)`", row)}
    names = {"/": "slash", ":": "colon", "?": "question_mark", "Esc": "escape", "Enter": "enter", "Space": "space"}
    parts = (Program, MainScreen, TriagePane, MatchList)
    bound = {key for part in parts for binding in part.BINDINGS for key in binding.key.split(",")}
    arrows = {"up", "down", "home", "end", "pageup", "pagedown"}
    assert {names.get(key, key.replace("ctrl-", "ctrl+")) for key in told} == bound - arrows
    jobs = re.search(r"^\| `:jobs` \| (.*)", text, re.MULTILINE)
    assert jobs
    assert set(re.findall(r"`(\w)`", jobs[1])) == {binding.key for binding in JobsScreen.BINDINGS}
    demo = text.split("## In the demo", 1)[1].split("\n## ", 1)[0]
    keys = {binding.key for part in (DemoProgram, ChatScreen) for binding in part.BINDINGS}
    assert {"c", "w", "1", "4"} <= set(re.findall(r"`(\w)`", demo)) <= keys


MORE = """
[[watch]]
name = "brand-new"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = {{ text = "golang" }}
"""


def test_a_watch_that_was_added_meanwhile_can_be_chosen_and_fetched(empty: App, internet: Simulator):
    program = Program(empty)

    async def play(pilot):
        main = program.main
        await until(pilot, lambda: main.is_mounted and main.matches.is_complete, "the list")
        path = empty.config.path
        path.write_text(path.read_text(encoding="utf-8") + MORE.format(), encoding="utf-8")
        await until_shown(pilot, "The configuration was changed and is read anew.")
        await pilot.press("F")
        await until_shown(pilot, "watch   brand-new")
        assert named(empty.config, program.desk.topics, ["brand-new"]) == Narrowing(watches=("brand-new",))

    played(program, play)


def test_a_broken_configuration_changes_nothing_and_is_told_once(empty: App):
    renewed: list[Config] = []
    file = ConfigFile(empty, renewed.append)
    path, before = empty.config.path, empty.config
    assert path
    good = path.read_text(encoding="utf-8")
    path.write_text(good + "[[watch]]\nnmae = 1\n", encoding="utf-8")
    assert file.look() == ""  # it may be half written
    assert file.look().startswith("The configuration was changed, but cannot be used; the one from before goes on.")
    assert file.look() == file.look() == ""
    assert empty.config is before
    path.write_text(good + MORE.format(), encoding="utf-8")
    assert [file.look() for _ in range(3)] == ["", "The configuration was changed and is read anew.", ""]
    assert [watch.name for watch in empty.config.watches] == [*(watch.name for watch in before.watches), "brand-new"]
    assert len(renewed) == 1


def test_a_configuration_that_is_read_anew_in_the_middle_of_a_look_breaks_nothing(empty: App):
    path, make = empty.config.path, empty.tables.sources["habr"]
    assert path
    path.write_text(path.read_text(encoding="utf-8") + MORE.format(), encoding="utf-8")

    def renew(settings: SourceSettings) -> Source:
        empty.config = read_config(str(path))
        return make(settings)

    empty.tables = replace(empty.tables, sources={**empty.tables.sources, "habr": renew})
    with empty.database.reading() as tx:
        assert [one.query.watch for one in read_queries(empty, tx)][-1] == "brand-new"


def test_another_database_needs_another_start(empty: App):
    file = ConfigFile(empty, lambda _: None)
    path, store = empty.config.path, empty.config.store
    assert path
    other = '[store]\nurl = "sqlite:///other.db"\n'
    path.write_text(path.read_text(encoding="utf-8") + MORE.format() + other, encoding="utf-8")
    file.look()
    assert file.look().endswith("but for the database: start radar again for that.")
    assert empty.config.store == store
    assert empty.config.watches[-1].name == "brand-new"


def test_only_plain_web_addresses_are_opened_and_no_browser_takes_the_terminal():
    assert web_address("https://hh.ru/vacancy/1") == "https://hh.ru/vacancy/1"
    assert web_address("javascript:alert(1)") is None
    assert web_address("file:///etc/passwd") is None
    assert not has_windows({"TERM": "xterm"}, platform="linux")
    assert not has_windows({"SSH_CONNECTION": "1 2 3 4"}, platform="darwin")
    assert has_windows({"DISPLAY": ":0"}, platform="linux")
