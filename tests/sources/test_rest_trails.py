"""Lists that are followed by cursor or link: no entry is lost, whatever a cursor names and whatever comes and goes."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.coverage import Coverage
from inforadar.domain.errors import BadQuery
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer
from inforadar.domain.run import StopReason
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Bounds
from inforadar.sources.rest import Rest
from sources.odd_numbers import examples

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
PARAMS = {"url": "https://a.test/list", "id": "id", "title": "title", "date": "at", "list": "items", "next": "next"}


def entry(number: int) -> dict[str, Any]:
    return {"id": number, "title": f"title {number}", "at": (NOW - timedelta(minutes=number)).isoformat()}


@dataclass
class Api:
    """A list, newest first, whose next cursor is a page number or the last entry; it may go on past its end."""

    size: int = 20
    names_entries: bool = False
    leads_past_the_end: bool = False
    is_empty_in_between: bool = False
    ids: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    before: Callable[[int], None] = lambda _number: None
    repeats_at: int | None = None

    def answer(self, cursor: str | None) -> Answer:
        self.asked.append(cursor or "")
        self.before(len(self.asked))
        if len(self.asked) == self.repeats_at:
            cursor = self.asked[-2]
        start = self._start(cursor)
        shown = self.ids[start : start + self.size]
        has_more = start + self.size < len(self.ids) or (self.leads_past_the_end and shown)
        body = {"items": [entry(one) for one in shown], "next": self._next(cursor, shown) if has_more else None}
        if self.is_empty_in_between and cursor == "1":
            body = {"items": [], "next": "1b"}
        return Answer(status=200, headers={}, body=json.dumps(body).encode(), url="https://a.test/list")

    def _start(self, cursor: str | None) -> int:
        if not cursor:
            return 0
        number = int(cursor.removesuffix("b"))
        if self.names_entries:
            return sum(one <= number for one in self.ids)
        return number * self.size

    def _next(self, cursor: str | None, shown: list[int]) -> str:
        if self.names_entries:
            return str(shown[-1])
        return str(int((cursor or "0").removesuffix("b")) + 1)


@dataclass
class Reader:
    """Somebody who sweeps the list again and again."""

    api: Api
    page: str = "cursor"
    page_size: int = 20
    is_stable: bool = False
    stored: set[int] = field(default_factory=set)
    coverage: Coverage = field(default_factory=Coverage)
    sweeps: int = 0
    notes: tuple[str, ...] = ()

    def sweep(self, **bounds: Any) -> Sweep:
        self.sweeps += 1
        params = {**PARAMS, "page": self.page, "page_size": self.page_size, "stable": self.is_stable}
        source = Rest().serving(params, {})
        now = NOW + timedelta(hours=2 * self.sweeps)
        sweep = Sweep(self.coverage, source.paging, Bounds(**bounds), now, self.sweeps)
        known = {f"a.test/list#{one}" for one in self.stored}
        for _ in range(2000):
            if sweep.position is None:
                break
            asked = dict(source.request(params, sweep.position).params)
            page = source.read(self.api.answer(asked.get("cursor")), sweep.position)
            self.notes += page.notes
            self.stored |= {int(draft.key.rpartition("#")[2]) for draft in sweep.take(page, known).new}
        assert sweep.position is None
        self.coverage = sweep.coverage
        return sweep


@pytest.mark.parametrize("withdrawn_before", [2, 3, 7, 60])
def test_an_entry_that_slides_up_under_a_number_is_found_by_the_same_sweep(withdrawn_before: int) -> None:
    api = Api(ids=list(range(500)))
    api.before = lambda number: api.ids.remove(3) if number == withdrawn_before and 3 in api.ids else None
    reader = Reader(api)
    sweep = reader.sweep()
    assert (sweep.stop_reason, sweep.left) == (StopReason.END_OF_FEED, 0)
    assert set(api.ids) <= reader.stored


def test_a_stable_cursor_needs_one_request_a_page_and_loses_nothing() -> None:
    api = Api(ids=list(range(200)), names_entries=True)
    api.before = lambda number: api.ids.remove(3) if number == 2 else None
    reader = Reader(api, is_stable=True)
    assert reader.sweep().left == 0
    assert set(api.ids) <= reader.stored
    assert len(api.asked) == 10


@pytest.mark.parametrize("is_stable", [False, True])
@pytest.mark.parametrize("length", [40, 47])
def test_a_cursor_that_leads_past_the_end_to_an_empty_page_ends_the_list(is_stable: bool, length: int) -> None:
    api = Api(ids=list(range(length)), leads_past_the_end=True)
    reader = Reader(api, is_stable=is_stable)
    for _ in range(3):
        sweep = reader.sweep()
        assert (sweep.is_complete, sweep.left) == (True, 0)
    assert reader.stored == set(api.ids)


def test_entries_that_slide_below_an_empty_page_while_it_is_doubted_are_not_lost() -> None:
    api = Api(ids=list(range(41)), leads_past_the_end=True)

    def move(number: int) -> None:
        if number == 5:
            del api.ids[:1]
        if number == 8:
            api.ids[:0] = range(-30, 0)

    api.before = move
    reader = Reader(api)
    reader.sweep()
    assert set(range(1, 41)) <= reader.stored


@pytest.mark.parametrize("is_stable", [False, True])
@pytest.mark.parametrize("repeats_at", range(2, 12))
def test_a_page_that_shows_the_one_before_once_more_is_not_the_end(is_stable: bool, repeats_at: int) -> None:
    api = Api(ids=list(range(100)), names_entries=is_stable, repeats_at=repeats_at)
    reader = Reader(api, is_stable=is_stable)
    reader.sweep()
    assert reader.stored == set(api.ids)


@pytest.mark.parametrize("is_stable", [False, True])
def test_a_followed_list_is_read_to_its_end_now_and_then_as_it_cannot_be_jumped_into(is_stable: bool) -> None:
    """The entries are hours apart, so that the look-back ends by date long before the list does."""
    api = Api(ids=list(range(0, 100 * 600, 600)), names_entries=is_stable)
    reader = Reader(api, is_stable=is_stable)
    reader.sweep()
    api.ids.insert(90, 600 * 89 + 1)
    for _ in range(64):
        reader.sweep()
    asked = len(api.asked)
    assert reader.stored == set(api.ids)
    assert asked < 64 * 4


@pytest.mark.parametrize("is_stable", [False, True])
def test_a_list_with_an_empty_page_in_the_middle_is_not_called_complete(is_stable: bool) -> None:
    reader = Reader(Api(ids=list(range(70)), is_empty_in_between=True), is_stable=is_stable)
    sweep = reader.sweep()
    assert (sweep.stop_reason, sweep.is_complete) == (StopReason.UNREADABLE_PAGE, False)


def test_a_page_that_has_gone_is_the_end_and_noted_but_not_the_first() -> None:
    source = Rest().serving({**PARAMS, "page": "cursor"}, {})
    gone = Answer(status=404, headers={}, body=b"", url="")
    items = [entry(number) for number in range(20)]
    body = json.dumps({"items": items, "next": "1"}).encode()
    top, second = Position(size=20), Position(offset=20, size=20)

    def read(answer: Answer, position: Position) -> Page:
        source.request({}, position)
        return source.read(answer, position)

    read(Answer(status=200, headers={}, body=body, url=""), top)
    assert [read(gone, second).is_last for _ in range(2)] == [False, True]
    assert "404" in read(gone, second).notes[0]
    assert read(Answer(status=200, headers={}, body=body, url=""), top).is_last is True


def test_a_page_size_that_is_not_the_list_s_own_is_noted() -> None:
    reader = Reader(Api(size=15, ids=list(range(100))))
    reader.sweep()
    assert reader.stored == set(range(100))
    assert any("page_size = 15" in note for note in reader.notes)


def test_a_page_with_more_entries_than_the_user_said_is_refused_with_the_size() -> None:
    with pytest.raises(BadQuery, match="set page_size = 30"):
        Reader(Api(size=30, ids=list(range(100)))).sweep()


@settings(max_examples=examples(150), deadline=None)
@given(
    st.integers(3, 9),
    st.integers(0, 5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([{}, {"limit": 7}, {"limit": 30}]),
    st.integers(0, 2**32),
)
def test_whatever_comes_and_goes_a_complete_sweep_has_every_entry_that_stayed(
    size: int,
    smaller_by: int,
    names_entries: bool,
    leads_past: bool,
    is_growing: bool,
    bounds: dict[str, int],
    seed: int,
) -> None:
    chance = Random(seed)
    api = Api(size=size, names_entries=names_entries, leads_past_the_end=leads_past, ids=list(range(60)))

    def move(_number: int) -> None:
        if is_growing and chance.random() < 0.1:
            api.ids[:0] = range(min(api.ids) - chance.randint(1, 2 * size), min(api.ids))
        elif not is_growing and chance.random() < 0.1 and len(api.ids) > 5:
            api.ids.remove(chance.choice(api.ids))

    api.before = move
    reader = Reader(api, page_size=size + smaller_by)
    for _ in range(60):
        there = set(api.ids)
        is_complete = reader.sweep(**bounds).is_complete
        if is_complete:
            break
        api.before = move if len(api.ids) < 150 else lambda _number: None
    assert is_complete
    assert there & set(api.ids) <= reader.stored
