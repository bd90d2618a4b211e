"""An owner who edits while a sync is under way: nothing of theirs is written over, and no row of ours gets lost."""

from collections.abc import Callable, Iterator

import pytest

from inforadar.domain.errors import Refused, Unavailable
from inforadar.domain.ports import Request
from inforadar.store import events
from service.sheets_rig import Rig, rig_over

WRITES = "values:batchUpdate"


@pytest.fixture
def rig(sqlite_db) -> Iterator[Rig]:
    with rig_over(sqlite_db) as made:
        yield made


def is_write(request: Request) -> bool:
    return request.path.endswith(WRITES)


def once(rig: Rig, when: Callable[[int, Request], bool], deed: Callable[[], None]) -> list[Request]:
    """Let the owner do something once, right before the request of which `when` is true; the requests are noted."""
    asked: list[Request] = []

    def meanwhile(request: Request) -> None:
        if request.url is None:
            asked.append(request)
            if when(len(asked), request):
                rig.meanwhile = None
                deed()

    rig.meanwhile = meanwhile
    return asked


def typed(rig: Rig, tab: str = "Offers") -> dict[tuple[int, int], str]:
    return {
        (row, column): cell.value for name, row, column, cell in rig.sheet.cells() if name == tab and is_typed(cell)
    }


def is_typed(cell) -> bool:
    return cell.option == "typed"


def inserts_a_column(rig: Rig, at: int = 1) -> Callable[[], None]:
    def deed() -> None:
        rig.sheet.add_column("Offers", "mine", at)
        for row in range(2, 6):
            rig.sheet.type("Offers", row, at, f"my text {row}")

    return deed


MY_TEXTS = {(1, 1): "mine", **{(row, 1): f"my text {row}" for row in range(2, 6)}}


def requests_of_a_sync(rig: Rig) -> list[Request]:
    rig.store("1", "2")
    rig.run()
    rig.store("1", watch="v")
    rig.store("3")
    asked = once(rig, lambda *_: False, lambda: None)
    rig.run()
    return asked


def test_a_column_inserted_before_any_request_but_a_write_shifts_nothing(sqlite_db):
    """Between the look that belongs to a write and the write itself nobody can look."""
    with rig_over(sqlite_db) as rig:
        asked = requests_of_a_sync(rig)
        reads = [number for number, request in enumerate(asked, 1) if not is_write(request)]
        assert len(reads) > 4
        for turn, number in enumerate(reads):
            rig.store("1", watch=f"w{turn}")
            rig.store(f"new{turn}")
            columns = len(rig.sheet.header("Offers"))
            before = typed(rig)
            once(rig, lambda at, _request, number=number: at == number, inserts_a_column(rig, 1))
            rig.run()
            rig.meanwhile = None
            rig.run()
            moved = {(row, column + 1): text for (row, column), text in before.items()}
            assert typed(rig) == moved | MY_TEXTS, number
            assert len(rig.sheet.header("Offers")) == columns + 1
            keys = ["hh:1", "hh:2", "hh:3", *(f"hh:new{one}" for one in range(turn + 1))]
            assert list(filter(None, rig.keys())) == keys
            assert rig.rows()[0]["title"] == "Python developer 1"
            assert rig.rows()[0]["watch"].endswith(f"w{turn}")


@pytest.mark.parametrize("column", ["title", "key", "note"])
def test_a_column_moved_or_deleted_in_the_middle_of_a_sync_is_followed(rig, column):
    rig.store("1")
    rig.run()
    rig.sheet.move_column("Offers", "key", 17)
    rig.store("1", watch="v")
    rig.store("2")
    once(rig, lambda number, _request: number == 4, lambda: rig.sheet.delete_column("Offers", "reason"))
    rig.run()
    rig.store("3")
    once(rig, lambda number, _request: number == 4, lambda: rig.sheet.move_column("Offers", column, 1))
    rig.run()
    assert [(row["key"], row["watch"], row["title"]) for row in rig.rows()] == [
        ("hh:1", "w, v", "Python developer 1"),
        ("hh:2", "w", "Python developer 2"),
        ("hh:3", "w", "Python developer 3"),
    ]


def test_a_tab_renamed_in_the_middle_of_a_sync_is_followed(rig):
    rig.store("1")
    rig.run()
    rig.store("2")
    once(rig, lambda number, _request: number == 4, lambda: rig.sheet.rename_tab("Offers", "My jobs"))
    rig.run()
    assert rig.keys("My jobs") == ["hh:1", "hh:2"]


def test_a_row_deleted_in_the_middle_of_a_sync_is_not_brought_back(rig):
    rig.store("1", "2")
    rig.run()
    rig.store("1", "2", watch="v")
    once(rig, lambda number, _request: number == 4, lambda: rig.sheet.delete_row("Offers", "hh:1"))
    rig.run()
    assert [(row["key"], row["watch"]) for row in rig.rows()] == [("hh:2", "w, v")]
    assert rig.run().offers.deleted_by_user == 1


@pytest.mark.parametrize("at", [1, 2, 5])
def test_a_column_inserted_in_the_moment_of_a_write_is_noticed_and_our_rows_are_put_right(rig, at, capsys):
    """The one moment in which a cell may be hit: afterwards every key has its row, with all its cells."""
    rig.store("1", "2")
    rig.run()
    rig.store("1", watch="v")
    once(rig, lambda _number, request: is_write(request), lambda: rig.sheet.add_column("Offers", "mine", at))
    rig.run()
    rig.run()
    rows = {row["key"]: row for row in rig.rows() if row["key"].startswith("hh:")}
    assert sorted(rows) == ["hh:1", "hh:2"]
    assert (rows["hh:1"]["title"], rows["hh:1"]["watch"]) == ("Python developer 1", "w, v")
    assert rig.delivery(1).state == "sent"
    assert "moved while" in capsys.readouterr().out


def test_rows_sorted_in_the_moment_of_a_write_lose_no_item(rig, capsys):
    rig.store("1", "2", "3")
    rig.run()
    rig.store("1", watch="v")
    once(rig, lambda _number, request: is_write(request), lambda: rig.sheet.reverse_rows("Offers"))
    rig.run()
    rig.run()
    assert set(rig.keys()) == {"hh:1", "hh:2", "hh:3"}
    assert "moved while" in capsys.readouterr().out


def test_somebody_who_never_stops_moving_columns_ends_the_try_and_not_the_night(rig):
    rig.store("1")
    rig.run()
    rig.store("2")
    rig.meanwhile = lambda request: rig.sheet.add_column("Offers", "mine", 1) if is_write(request) else None
    with pytest.raises(Unavailable, match="moved"):
        rig.run()
    rig.meanwhile = None
    rig.pass_by(seconds=201)
    rig.run()
    assert {"hh:1", "hh:2"} <= set(rig.keys())


def test_two_columns_of_one_name_are_both_left_alone_and_told_of_once(rig):
    rig.store("1")
    rig.run()
    rig.sheet.add_column("Offers", "status", 1)
    rig.sheet.type("Offers", 2, 1, "phoned them")
    for watch in ("v", "u"):
        rig.store("1", watch=watch)
        rig.run()
    assert typed(rig) == {(1, 1): "status", (2, 1): "phoned them"}
    assert rig.rows()[0]["watch"] == "w, v, u"
    assert told(rig) == [
        "the tab 'Offers' of the spreadsheet has two columns called 'status': radar writes to neither of them until "
        "one has another name"
    ]
    rig.sheet.delete_column("Offers", "status")
    rig.store("1", watch="t")
    rig.run()
    rig.sheet.add_column("Offers", "status", 1)
    rig.run()
    assert len(told(rig)) == 2


def test_a_column_of_nearly_the_same_name_is_the_users_and_ours_is_kept_up(rig):
    (match_id,) = rig.store("1")
    rig.run()
    rig.sheet.add_column("Offers", "Status", 1)
    rig.sheet.type("Offers", 2, 1, "phoned them")
    with rig.db.transaction() as tx:
        rig.sync().triage.mark(tx, [match_id], "applied", "cli")
    rig.run()
    assert typed(rig) == {(1, 1): "Status", (2, 1): "phoned them"}
    assert rig.rows()[0]["status"] == "applied"
    assert told(rig) == []


def test_two_key_columns_are_refused_since_nobody_knows_which_names_the_rows(rig):
    rig.store("1")
    rig.run()
    rig.sheet.add_column("Offers", "key", 1)
    with pytest.raises(Refused, match="two columns called 'key'"):
        rig.run()
    rig.sheet.type("Offers", 1, 1, "mine")
    assert rig.run().offers.deleted_by_user == 0


def told(rig: Rig) -> list[str]:
    with rig.db.reading() as tx:
        return [event.message for event in events.recent(tx, source="sheets")]
