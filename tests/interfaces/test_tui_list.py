"""The list of matches as pages that come and go: numbered rightly, read sparingly, and kept up to date."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.css.query import NoMatches
from textual.worker import WorkerFailed

from inforadar.bootstrap import App
from inforadar.domain.errors import RadarError, StoreError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.desk import DeskReader
from inforadar.interfaces.tui.live import read_news
from inforadar.interfaces.tui.match_grid import MOST_PAGES, MatchGrid
from inforadar.interfaces.tui.match_lines import list_line
from inforadar.interfaces.tui.match_pages import (
    PAGE,
    Asked,
    MatchRow,
    Window,
    fits,
    query_topics,
    read_above,
    read_page,
    read_part,
    read_window,
)
from inforadar.interfaces.tui.match_reader import Walk
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.program import Program
from inforadar.interfaces.tui.window_finder import WindowFinder
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store import items, matches
from inforadar.store.inbox import MOST_WALKED
from interfaces.stored_matches import fill
from interfaces.tui_rig import NOON, at_rest, engine, fetched, list_shown, played, until, until_shown
from store.samples_of_rows import an_item

MANY = 100_000
FEW = 500
COUNTS = {"hh": 130, "linkedin": 25, "habr": 60}
NARROWINGS = [
    Narrowing(),
    Narrowing(sources=("habr", "linkedin")),
    Narrowing(watches=("jobs",), text="python"),
    Narrowing(text="РАЗРАБОТЧИК"),
    Narrowing(topics=("admins",)),
    Narrowing(statuses=("QUEUED", "SKIPPED"), sources=("hh",)),
]


@pytest.fixture(scope="module")
def internet() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        yield simulator


def a_row(number: int) -> MatchRow:
    """The match that stands at this number of a list."""
    return MatchRow(
        id=10_000 - number,
        status="QUEUED",
        score=None,
        title=f"Title {number}",
        company="",
        where="",
        published_at=datetime(2026, 1, 5, tzinfo=UTC) - timedelta(minutes=number // 3),
        source="hh",
        url="",
        later_until=None,
        version=1,
    )


@pytest.mark.parametrize(
    ("source", "others", "shown"),
    [("hh", 0, "hh"), ("hh", 2, "hh +2"), ("linkedin", 0, "linkedin"), ("linkedin", 1, "link… +1")],
)
def test_a_line_says_in_how_many_other_places_the_job_is(source: str, others: int, shown: str):
    line = list_line(replace(a_row(1), source=source, others=others), NOON, 100, is_marked=False)
    assert line.rstrip().endswith(f" {shown}")


class Stock:
    """So many matches, and how many of them were read."""

    def __init__(self, count: int) -> None:
        self.rows = [a_row(number) for number in range(count)]
        self.read = 0

    def pages(self, way) -> list[MatchRow]:
        limit = way.pages * PAGE
        if way.above is not None:
            found = [row for row in self.rows if row.place > way.above][-limit:]
        else:
            found = [row for row in self.rows if way.below is None or row.place < way.below][:limit]
        self.read += len(found)
        return found


def led_to(grid: MatchGrid, stock: Stock, page: int) -> None:
    """Follow the ways to a page."""
    while page not in grid.pages:
        way = grid.way_to(page)
        grid.hold(way, stock.pages(way))


@pytest.mark.parametrize("wanted", [[0, 1, 2, 11], [0, 1, 5, 2, 8, 11, 0]], ids=str)
def test_every_page_holds_the_rows_of_its_numbers_whatever_the_way(wanted: list[int]):
    stock, grid = Stock(1150), MatchGrid()
    for page in wanted:
        led_to(grid, stock, page)
        assert grid.pages[page] == stock.rows[page * PAGE : (page + 1) * PAGE]
    assert (grid.known, grid.is_complete) == (1150, True)


def test_a_list_entered_at_its_end_is_read_upward_and_the_two_ends_meet():
    stock = Stock(1150)
    with_end = MatchGrid()
    led_to(with_end, stock, 0)
    grid = MatchGrid.of_window(a_window(stock, 1149))
    stock.read = 0
    for page in (9, 8, 0, 1, 7, 4, 3, 2, 5, 6):
        led_to(grid, stock, page)
        assert grid.pages[page] == stock.rows[page * PAGE : (page + 1) * PAGE], page
    assert stock.read <= 1150


def a_window(stock: Stock, number: int) -> Window:
    page = max(0, number // PAGE - 1)
    rows = stock.rows[page * PAGE : (number // PAGE + 1) * PAGE]
    return Window(total=len(stock.rows), number=number, page=page, rows=rows)


def test_only_the_pages_looked_at_last_are_held():
    stock, grid = Stock(6000), MatchGrid()
    for page in range(60):
        led_to(grid, stock, page)
    assert len(grid.pages) == MOST_PAGES
    assert grid.held == MOST_PAGES * PAGE
    led_to(grid, stock, 3)
    assert grid.row_at(345) == stock.rows[345]


def test_a_row_is_never_replaced_by_what_was_read_of_it_before():
    stock, grid = Stock(3), MatchGrid()
    led_to(grid, stock, 0)
    seen = stock.rows[1]
    decided = replace(seen, status="APPLIED", version=seen.version + 1)
    grid.replace([decided])
    grid.replace([seen])
    assert grid.row_at(1) == decided


def walked(tx, asked: Asked, places: int) -> list[MatchRow]:
    """All that walks over so many places each find, one after another."""
    found, below = [], None
    while True:
        part = read_part(tx, asked, below, 50, places)
        found += part.rows
        below = part.walked_to or (part.rows[-1].place if len(part.rows) == 50 else None)
        if below is None:
            return found


def window_at(tx, asked: Asked, every: list[MatchRow], at) -> Window:
    """The window at a place, by the way the desk takes."""
    if not asked.narrowing.topics:
        return read_window(tx, asked, at)
    finder = WindowFinder(at)
    finder.add(every)
    return finder.window()


@pytest.mark.parametrize("number", [0, 1, 99, 100, 199, 200, 250, 1149])
def test_a_window_is_found_by_what_is_shown_of_the_list(number: int):
    stock = Stock(1150)
    finder = WindowFinder(stock.rows[number].place)
    finder.add(stock.rows[:130])
    finder.add(stock.rows[130:])
    assert finder.window() == a_window(stock, number)
    at_end = WindowFinder(None)
    at_end.add(stock.rows)
    assert at_end.window() == a_window(stock, 1149)


def test_a_topic_nobody_names_is_looked_for_in_short_walks(empty: App):
    fill(empty, 5 * MOST_WALKED // 2)
    asked = Asked(narrowing=Narrowing(topics=("nowhere",)), topics={}, now=NOON)
    with empty.database.reading() as tx:
        first = read_part(tx, asked, None, PAGE)
        second = read_part(tx, asked, first.walked_to, PAGE)
        last = read_part(tx, asked, second.walked_to, PAGE)
    assert first.rows == second.rows == last.rows == []
    steps = [first.walked_to[0] - second.walked_to[0], NOON - first.walked_to[0] - timedelta(hours=1)]
    assert all(timedelta(seconds=MOST_WALKED - 2) <= step <= timedelta(seconds=MOST_WALKED + 2) for step in steps)
    assert last.walked_to is None


def test_how_far_it_was_looked_is_told_until_something_is_found(empty: App):
    fill(empty, FEW)
    program = Program(empty)
    held = Held(program.desk)
    program.desk.reader = lambda narrowing: held if narrowing.topics else DeskReader(program.desk, narrowing)

    async def play(pilot):
        main = await list_shown(pilot)
        main.narrow(Narrowing(topics=("admins",)))
        await until_shown(pilot, "Looking: 3 found back to 2025-11-03.")
        held.go_on.set()
        await until_shown(pilot, "Nothing fits this filter")

    played(program, play)


@pytest.mark.parametrize("narrowing", NARROWINGS, ids=str)
def test_pages_windows_and_what_fits_tell_of_the_same_list(empty: App, narrowing: Narrowing):
    fetched(empty)
    asked = Asked(narrowing=narrowing, topics=query_topics(empty.config.watches), now=NOON)
    with empty.database.reading() as tx:
        every = read_page(tx, asked, None, 1000)
        assert len(every) > 2
        assert walked(tx, asked, places=7) == every
        for number in {0, 2, len(every) // 2, len(every) - 1}:
            window = window_at(tx, asked, every, every[number].place)
            assert (window.total, window.number) == (len(every), number)
            assert window.rows == every[window.page * PAGE : (number // PAGE + 1) * PAGE]
            assert read_above(tx, asked, every[number].place, 2) == every[max(0, number - 2) : number]
        assert window_at(tx, asked, every, None).rows[-1] == every[-1]
        held = {row.id for row in every}
        everything = [match for match in matches.search(tx, limit=1000) if fits(match, asked)]
        assert {match.id for match in everything} == held


def test_news_are_the_matches_that_moved_and_those_that_came_and_fit(empty: App):
    fetched(empty, "habr")
    asked = Asked(narrowing=Narrowing(sources=("hh",)), topics={}, now=NOON)
    with empty.database.reading() as tx:
        begin = read_news(tx, asked, None)
        assert not read_news(tx, asked, begin).moved
        old = matches.search(tx, limit=1)[0]
    fetched(empty)
    with empty.database.transaction() as tx:
        empty.triage().mark(tx, [old.id], "applied", "web")
    with empty.database.reading() as tx:
        news = read_news(tx, asked, begin)
        assert {row.id: row for row in news.moved}[old.id].status == "APPLIED"
        assert news.fitting == {match.id for match in matches.search(tx, source="hh", limit=1000)}
        assert not read_news(tx, asked, news).moved


class Held(DeskReader):
    """A reader on a long walk that does not end before it is told."""

    def __init__(self, desk) -> None:
        super().__init__(desk, Narrowing(topics=("admins",)))
        self.go_on = asyncio.Event()
        self.walk = Walk(found=3, back_to=datetime(2025, 11, 3, tzinfo=UTC))

    async def pages(self, way):
        await self.go_on.wait()
        return await super().pages(way)


class SlowWindow(DeskReader):
    """A reader whose windows do not come before it is told."""

    def __init__(self, desk, narrowing) -> None:
        super().__init__(desk, narrowing)
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def window(self, at):
        self.asked.set()
        await self.go_on.wait()
        return await super().window(at)


@pytest.mark.parametrize(("keys", "number"), [(["g"], 0), (["j", "j"], 252), (["k"], 249)], ids=str)
def test_keys_that_come_while_the_list_is_read_again_are_not_taken_back(empty: App, keys: list[str], number: int):
    fill(empty, FEW)
    program = Program(empty)

    async def play(pilot):
        main = await list_shown(pilot)
        main.matches._go(250)
        await until(pilot, lambda: main.matches.cursor == 250 and main.matches.row, "the middle")
        slow = SlowWindow(program.desk, main.narrowing)
        program.desk.reader = lambda _: slow
        await pilot.press("r")
        await slow.asked.wait()
        before = main.matches.grid
        await pilot.press(*keys)
        await until(pilot, lambda: main.matches.cursor == number, "the match")
        slow.go_on.set()
        await until(pilot, lambda: main.matches.grid is not before and main.matches.is_complete, "the list")
        await at_rest(pilot)
        assert main.matches.cursor == number

    played(program, play)


@pytest.mark.parametrize(
    ("keys", "number"), [(["g"], 0), (["k", "k"], FEW - 3), (["k", "j", "j"], FEW - 1), (["g", "G"], FEW - 1)], ids=str
)
def test_keys_that_come_on_the_way_to_the_end_go_on_from_there_or_to_the_top(empty: App, keys: list[str], number: int):
    fill(empty, FEW)
    program = Program(empty)
    readers: list[SlowWindow] = []

    def slow(narrowing: Narrowing) -> SlowWindow:
        readers.append(SlowWindow(program.desk, narrowing))
        return readers[-1]

    program.desk.reader = slow

    async def play(pilot):
        main = await list_shown(pilot)
        assert not main.matches.is_complete
        await pilot.press("G")
        await readers[-1].asked.wait()
        await pilot.press(*keys)
        readers[-1].go_on.set()
        await until(pilot, lambda: main.matches.cursor == number and main.matches.row, "where the keys lead")
        await until(pilot, lambda: not any(one.group == "end" for one in program.workers), "the end of the way")
        assert main.matches.cursor == number

    played(program, play)


@pytest.mark.parametrize("key", ["x", "space"])
def test_what_a_key_does_on_the_way_to_the_end_is_not_done_to_where_the_cursor_was(empty: App, key: str):
    fill(empty, FEW)
    program = Program(empty)

    async def play(pilot):
        main = await list_shown(pilot)
        slow = main.matches._reader = SlowWindow(program.desk, main.narrowing)
        await pilot.press("G")
        await slow.asked.wait()
        await pilot.press(key)
        slow.go_on.set()
        await until(pilot, lambda: main.matches.cursor == FEW - 1 and main.matches.row, "the end")
        await at_rest(pilot)
        assert (main.pane.acts, main.matches.marked) == (0, {})
        await pilot.press(key)
        await until(pilot, lambda: main.pane.acts or main.matches.marked, "what the key does there")

    played(program, play)


class Counted(DeskReader):
    """A reader that counts the rows it has read."""

    rows = 0

    async def pages(self, way):
        found = await super().pages(way)
        Counted.rows += len(found)
        return found

    async def window(self, at):
        found = await super().window(at)
        Counted.rows += len(found.rows)
        return found


def test_the_end_of_a_hundred_thousand_matches_is_reached_by_reading_a_few_pages(empty: App):
    fill(empty, MANY)
    program = Program(empty)
    program.desk.reader = lambda narrowing: Counted(program.desk, narrowing)

    async def play(pilot):
        main = await list_shown(pilot)
        assert main.matches.grid.held == PAGE
        Counted.rows = 0
        await pilot.press("G")
        await until(pilot, lambda: main.matches.cursor == MANY - 1 and main.matches.row, "the end")
        assert main.matches.row.title == f"Title {MANY}"
        await until_shown(pilot, f"{MANY} of {MANY}", line=0)
        half = main.matches.size.height // 2
        await pilot.press(*["ctrl+u"] * 30)
        await until(pilot, lambda: main.matches.cursor == MANY - 1 - 30 * half and main.matches.row, "the page above")
        assert main.matches.row.title == f"Title {main.matches.cursor + 1}"
        number, before = main.matches.cursor, main.matches.grid
        await pilot.press("r")
        await until(pilot, lambda: main.matches.grid is not before, "the list anew")
        await until(pilot, lambda: main.matches.row and main.matches.cursor == number, "the same match")
        await pilot.press("g")
        await until(pilot, lambda: main.matches.row and main.matches.row.title == "Title 1", "the first one again")
        assert Counted.rows < 20 * PAGE
        assert main.matches.grid.held <= MOST_PAGES * PAGE

    played(program, play)


def keys_took(app: App) -> list[float]:
    """How much work each of many keys made, in seconds, the end of the list among them."""
    program, took = Program(app), []

    async def play(pilot):
        main = await list_shown(pilot)
        for key in [*["ctrl+d"] * 20, *"jjkjj", "G", *["ctrl+u"] * 10, "g"]:
            begun = time.process_time()
            await pilot.press(key)
            await until(pilot, lambda: main.matches.row, "the row")
            took.append(time.process_time() - begun)

    played(program, play)
    return took


def test_a_hundred_thousand_matches_scroll_as_quickly_as_five_hundred(tmp_path: Path, internet: Simulator):
    medians = []
    for count in (FEW, MANY):
        folder = tmp_path / str(count)
        folder.mkdir()
        with engine(folder, internet) as app:
            fill(app, count)
            medians.append(sorted(keys_took(app)))
    few, many = medians
    # two hundred times as many: a list that is read or drawn as a whole takes far more than this, a busy machine less
    assert many[len(many) // 2] < 4 * few[len(few) // 2]
    assert sum(many) < 4 * sum(few)


def test_what_others_decide_shows_in_place_and_the_cursor_stays(empty: App):
    fill(empty, FEW)
    program = Program(empty)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("j", "j")
        await until(pilot, lambda: main.matches.cursor == 2, "the third match")
        third = main.matches.row_at(3)
        await until(pilot, lambda: main._news, "the news")
        with empty.database.transaction() as tx:
            empty.triage().mark(tx, [third.id], "applied", "telegram")
        await until(pilot, lambda: main.matches.row_at(3).status == "APPLIED", "the decision of another")
        assert main.matches.cursor == 2
        await at_rest(pilot)
        await until_shown(pilot, "3 of", line=0, without=["new"])

    played(program, play)


def test_new_matches_are_told_and_never_move_the_list_until_r(empty: App):
    fetched(empty, "habr")
    program = Program(empty)

    async def play(pilot):
        main = await list_shown(pilot)
        await pilot.press("j", "j")
        await until(pilot, lambda: main.matches.cursor == 2, "the third match")
        await at_rest(pilot)
        row, known = main.matches.row, main.matches.known
        await until(pilot, lambda: main._news, "the news")
        fetched(empty, "linkedin")
        await until_shown(pilot, "25 new: r shows them", line=0)
        assert (main.matches.row, main.matches.cursor, main.matches.known) == (row, 2, known)
        await pilot.press("r")
        await until(pilot, lambda: main.matches.known > known, "the new ones")
        await until(pilot, lambda: main.matches.row and main.matches.row.id == row.id, "the same match")
        await until_shown(pilot, "Info Radar", line=0, without=["new: r"])

    played(program, play)


def found(app: App, *keys: str) -> None:
    """A watch has found items with these keys."""
    with app.database.transaction() as tx:
        ids = items.insert(tx, [an_item(key) for key in keys])
        matches.create(tx, "jobs", "q", list(ids.values()), app.clock.now(), "machine", "found")


def test_a_list_with_room_fills_by_itself_until_a_key_is_pressed(empty: App):
    program = Program(empty)
    found(empty, "1", "2", "3")

    async def play(pilot):
        main = await list_shown(pilot)
        row = main.matches.row
        await until(pilot, lambda: main._news, "the news")
        found(empty, "4", "5")
        await until(pilot, lambda: main.matches.known == 5, "the new ones")
        await until(pilot, lambda: main.matches.row and main.matches.row.id == row.id, "the same match")
        before = main.matches.cursor
        await pilot.press("j")
        await until(pilot, lambda: main.matches.cursor != before and main._news, "the news")
        found(empty, "6")
        await until_shown(pilot, "1 new: r shows them")
        assert main.matches.known == 5

    played(program, play)


def test_an_empty_list_fills_by_itself(empty: App):
    program = Program(empty)

    async def play(pilot):
        main = program.main
        await until(pilot, lambda: main.is_mounted and main.matches.is_complete and main._news, "the empty list")
        fetched(empty, "habr")
        await until(pilot, lambda: main.matches.row, "the first matches")

    played(program, play)


def test_work_that_misses_a_part_of_a_screen_that_is_there_is_an_error_of_ours(empty: App):
    program = Program(empty)

    async def looks_for_nothing() -> None:
        program.main.query_one("#nothing")

    async def play(pilot):
        await until(pilot, lambda: program.main.is_mounted, "the screen")
        beside(program.main, looks_for_nothing, lambda _: None, group="test")
        await until(pilot, lambda: program._exception, "the error")

    with pytest.raises(WorkerFailed, match="NoMatches"):
        played(program, play)


def test_an_error_that_nobody_is_left_to_be_told_of_breaks_nothing():
    class Leaving:
        """A screen that is being taken down; keeps what it was to do."""

        app = SimpleNamespace(is_running=False)

        def run_worker(self, run, **_more) -> None:
            self.run = run

    async def fails() -> None:
        raise StoreError("gone")

    def tell(_error: RadarError) -> None:
        raise NoMatches("the line for what happened")

    screen = Leaving()
    beside(cast(Any, screen), fails, tell, group="test")
    asyncio.run(screen.run())


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_it_can_be_quit_at_any_moment(empty: App, seconds: float):
    fill(empty, FEW)

    async def play(pilot):
        await pilot.pause(seconds)
        pilot.app.main.look()
        pilot.app.exit()

    played(Program(empty), play)
