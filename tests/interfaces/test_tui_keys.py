"""Keys that come faster than the program draws: each is done before the next, and none goes astray."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from inforadar.bootstrap import App
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.match_list import MatchList
from inforadar.interfaces.tui.program import Program
from inforadar.interfaces.tui.prompt_bar import PromptBar
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.stored_matches import fill
from interfaces.tui_rig import NOON, engine, list_shown, played, until


@pytest.fixture
def radar(tmp_path: Path) -> Iterator[App]:
    """A radar with some matches."""
    with Simulator(still_world(1, NOON)) as internet, engine(tmp_path, internet) as app:
        fill(app, 50)
        yield app


def type_at_once(pilot: Pilot, *keys: str) -> None:
    """Keys as a terminal hands them over that had to wait: one behind the other, whatever becomes of the first."""
    for key in keys:
        pilot.app.post_message(Key(key, key if len(key) == 1 else None))


def held_up(monkeypatch: pytest.MonkeyPatch, field: type[Widget], held: str) -> None:
    """Let a part of the screen take its time over a key."""

    async def busy(_field: Widget, event: Key) -> None:
        if event.key == held:
            await asyncio.sleep(0.3)

    monkeypatch.setattr(field, "on_key", busy, raising=False)


def test_letters_arrive_in_the_order_in_which_they_are_typed(radar: App, monkeypatch: pytest.MonkeyPatch):
    held_up(monkeypatch, MatchList, "s")

    async def play(pilot):
        main = await list_shown(pilot)
        line = main.query_one(PromptBar)
        type_at_once(pilot, "colon", "s")
        while not line.is_open:
            await asyncio.sleep(0)  # a pause of the pilot would wait for the list
        type_at_once(pilot, "o")
        await until(pilot, lambda: len(line.query_one(Input).value) == 2, "both letters")
        assert line.query_one(Input).value == "so"

    played(Program(radar), play)


def test_keys_behind_the_one_that_opens_a_dialog_are_for_the_dialog(radar: App):
    async def play(pilot):
        main = await list_shown(pilot)
        type_at_once(pilot, "F", "j", "j", "space", "enter")
        await until(pilot, lambda: main.narrowing.sources, "the filter")
        assert main.narrowing.sources == ("habr",)

    played(Program(radar), play)


def test_a_key_that_closes_a_screen_lets_the_next_one_through(radar: App):
    async def play(pilot):
        main = await list_shown(pilot)
        type_at_once(pilot, "question_mark", "escape", "j", "question_mark", "j", "escape", "j", "j")
        await until(pilot, lambda: pilot.app.screen is main and main.matches.cursor == 3, "the fourth match")

    played(Program(radar), play)


def test_a_command_and_the_keys_of_its_screen_can_be_typed_in_one_go(radar: App):
    async def play(pilot):
        await list_shown(pilot)
        type_at_once(pilot, "colon", *"sources", "enter", "tab")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReportScreen), "the screen")
        await until(pilot, lambda: pilot.app.focused and pilot.app.focused.id == "detail", "the details")

    played(Program(radar), play)


def test_an_enter_pressed_before_the_program_had_the_terminal_carries_the_command_out(radar: App):
    async def play(pilot):
        await list_shown(pilot)
        type_at_once(pilot, "colon", *"sources", "ctrl+j")  # the terminal itself made a line feed of it
        await until(pilot, lambda: isinstance(pilot.app.screen, ReportScreen), "the screen")

    played(Program(radar), play)


def test_what_is_typed_behind_the_end_of_a_line_is_not_for_that_line(radar: App):
    async def play(pilot):
        main = await list_shown(pilot)
        type_at_once(pilot, "slash", *"python", "escape", "j", "j")
        await until(pilot, lambda: main.matches.cursor == 2, "the third match")
        assert main.query_one(Input).value == "python"
        assert not main.narrowing.is_active

    played(Program(radar), play)


def test_what_has_the_focus_may_go_while_a_key_is_on_its_way_to_it(radar: App, monkeypatch: pytest.MonkeyPatch):
    held_up(monkeypatch, LineField, "j")

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.focused, LineField), "the help")
        dialog = pilot.app.screen
        type_at_once(pilot, "j", "k")
        dialog.dismiss()
        await until(pilot, lambda: not dialog.is_attached, "the end of the help")
        type_at_once(pilot, "j", "j")
        await until(pilot, lambda: main.matches.cursor == 2, "the third match")

    played(Program(radar), play)


def test_keys_that_come_when_the_program_has_ended_are_let_go(radar: App):
    program = Program(radar)
    played(program, list_shown)
    on_its_way, late = Key("j", "j"), Key("j", "j")
    on_its_way._set_forwarded()

    async def come() -> None:
        await program.on_event(on_its_way)
        await program.on_event(late)

    asyncio.run(come())
    assert not late.is_forwarded
