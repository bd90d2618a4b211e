"""The sync with the spreadsheet: one row a key, the user's columns and rows untouched, TRUST I24 and X12."""

import contextlib
from collections.abc import Iterator
from datetime import timedelta

import pytest

from inforadar.domain.errors import LeaseLost, RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.sheet_columns import COMPANY_COLUMNS, OFFER_COLUMNS
from inforadar.domain.status import Status
from inforadar.service.sheets import Busy
from inforadar.service.sheets_table import Unsettled
from inforadar.simulator.faults import Fault
from inforadar.store import leases, matches
from inforadar.store.leases import Lease
from service.sheets_rig import Rig, rig_over

AMBIGUOUS = ("reply_lost", "cut_body", "empty_body", "timeout")


@pytest.fixture
def rig(sqlite_db) -> Iterator[Rig]:
    with rig_over(sqlite_db) as made:
        yield made


@pytest.fixture
def rig_on_both(db) -> Iterator[Rig]:
    with rig_over(db) as made:
        yield made


def lost_write(kind: str = "reply_lost", **more) -> Fault:
    """The answer to a write of cells never comes; the first one writes the header."""
    return Fault(kind=kind, source="sheets", method="values.batchUpdate", count=1, **more)


def test_a_first_sync_makes_the_tabs_and_writes_every_row_that_is_due(rig_on_both):
    rig = rig_on_both
    one, two = rig.store("1", "2")
    report = rig.run()
    assert (report.offers.added, report.offers.updated) == (2, 0)
    assert rig.sheet.titles() == ["Sheet1", "Offers", "Companies"]
    assert rig.sheet.header("Offers") == [*OFFER_COLUMNS, "feedback", "note"]
    assert rig.sheet.header("Companies") == list(COMPANY_COLUMNS)
    assert rig.rows()[0] == {
        "key": "hh:1",
        "title": "Python developer 1",
        "company": "Acme",
        "place": "",
        "money": "from 100",
        "published": "2026-01-05 12:00",
        "first seen": "2026-01-05",
        "last seen": "2026-01-05",
        "status": "open",
        "score": "0.9",
        "reason": "it fits",
        "link": "https://hh.ru/vacancy/1",
        "source": "hh",
        "watch": "w",
        "also on": rig.rows()[0]["also on"],
        "feedback": "",
        "note": "",
    }
    assert [rig.delivery(match_id).state for match_id in (one, two)] == ["sent", "sent"]
    assert [rig.match(match_id).status for match_id in (one, two)] == ["SENT_TO_USER", "SENT_TO_USER"]


def test_a_second_sync_without_news_writes_nothing(rig):
    rig.store("1", "2")
    rig.run()
    before = rig.writes()
    report = rig.run()
    assert (report.offers.added, report.offers.updated, rig.writes()) == (0, 0, before)


def test_a_changed_item_is_updated_in_its_own_row(rig):
    rig.store("1", "2")
    rig.run()
    rig.sheet.reverse_rows("Offers")
    rig.store("1", watch="v")
    report = rig.run()
    assert (report.offers.added, report.offers.updated) == (0, 1)
    assert [(row["key"], row["watch"]) for row in rig.rows()] == [("hh:2", "w"), ("hh:1", "w, v")]


@pytest.mark.parametrize(
    "title",
    ["=IMPORTXML(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "\r=1", " =1", "＝1+1", "＋1", "－1", "＠A1", "'=1"],
)
def test_no_title_becomes_a_formula(rig, title):
    rig.store("1", title=title, company=title)
    rig.run()
    ours = [cell for _, _, _, cell in rig.sheet.cells() if cell.option != "typed"]
    assert {cell.option for cell in ours} == {"RAW"}
    assert not any(cell.is_formula for cell in ours)
    assert rig.rows()[0]["title"] == title.strip()


def test_columns_that_the_user_moved_stay_where_they_are(rig):
    rig.store("1")
    rig.run()
    rig.sheet.move_column("Offers", "status", 1)
    rig.sheet.move_column("Offers", "key", 9)
    header = rig.sheet.header("Offers")
    rig.store("2")
    rig.run()
    assert rig.sheet.header("Offers") == header
    assert [(row["key"], row["status"], row["title"]) for row in rig.rows()] == [
        ("hh:1", "open", "Python developer 1"),
        ("hh:2", "open", "Python developer 2"),
    ]


def test_columns_of_the_user_are_never_written_to(rig):
    rig.store("1")
    rig.run()
    rig.sheet.add_column("Offers", "my rating", 3)
    rig.sheet.add_column("Offers", "", 5)
    rig.sheet.type("Offers", 2, 3, "5 stars")
    rig.sheet.type("Offers", 2, 5, "=A2")
    rig.store("1", watch="v")
    rig.store("2")
    rig.run()
    typed = {(row, column): cell.value for tab, row, column, cell in rig.sheet.cells() if cell.option == "typed"}
    assert typed == {(1, 3): "my rating", (2, 3): "5 stars", (2, 5): "=A2"}
    assert [(row["key"], row["watch"]) for row in rig.rows()] == [("hh:1", "w, v"), ("hh:2", "w")]


def test_a_column_that_the_user_deleted_stays_away(rig):
    rig.store("1")
    rig.run()
    rig.sheet.delete_column("Offers", "reason")
    rig.store("2")
    rig.run()
    assert "reason" not in rig.sheet.header("Offers")
    assert [row["link"] for row in rig.rows()] == ["https://hh.ru/vacancy/1", "https://hh.ru/vacancy/2"]


def test_rows_that_the_user_wrote_below_ours_are_not_written_over(rig):
    rig.store("1")
    rig.run()
    rig.sheet.type("Offers", 3, 2, "my own row")
    rig.sheet.type("Offers", 5, 2, "another one")
    rig.store("2", "3")
    rig.run()
    assert [row["title"] for row in rig.rows()] == [
        *("Python developer 1", "my own row", "", "another one", "Python developer 2", "Python developer 3")
    ]


def test_a_row_that_the_user_deleted_stays_away(rig):
    first, _ = rig.store("1", "2")
    rig.run()
    rig.sheet.delete_row("Offers", "hh:1")
    report = rig.run()
    assert report.offers.deleted_by_user == 1
    (again,) = rig.store("1", watch="v")
    rig.run()
    assert rig.keys() == ["hh:2"]
    assert (rig.delivery(again).state, rig.delivery(again).why) == ("left out", "its row was deleted in the sheet")
    assert rig.delivery(first).state == "sent"


def test_a_tab_that_was_renamed_is_followed_and_one_that_was_deleted_is_made_anew(rig):
    rig.store("1")
    rig.run()
    rig.sheet.rename_tab("Offers", "My jobs")
    rig.store("2")
    rig.run()
    assert (rig.sheet.titles(), rig.keys("My jobs")) == (["Sheet1", "My jobs", "Companies"], ["hh:1", "hh:2"])
    rig.sheet.delete_tab("My jobs")
    rig.run()
    assert rig.keys("Offers") == ["hh:1", "hh:2"]


def test_rows_that_are_there_already_are_taken_up_and_not_doubled(rig, tmp_path):
    """The database was lost, the spreadsheet was not."""
    rig.store("1", "2")
    rig.run()
    with rig.db.transaction() as tx:
        tx.run("sheet_rows_forget", tab="offers")
    rig.store("3")
    report = rig.run()
    assert (report.offers.added, report.offers.updated) == (1, 2)
    assert rig.keys() == ["hh:1", "hh:2", "hh:3"]


def test_a_tab_without_our_key_is_refused_and_the_other_one_is_written(rig):
    rig.store("1")
    rig.run()
    with rig.db.transaction() as tx:
        tx.run("sheet_tab_put", name="offers", spreadsheet_id="another", tab_id=0)
    rig.sheet.type("Offers", 1, 1, "number")
    with pytest.raises(Refused, match="no column 'key'"):
        rig.run()
    assert len(rig.rows("Companies")) == 1


def test_a_company_has_one_row_with_its_counts(rig):
    rig.store("1", "2")
    rig.store("3", company="Umbrella", company_key="c2")
    rig.run()
    assert [(row["key"], row["company"], row["offers"], row["open"]) for row in rig.rows("Companies")] == [
        ("hh:c1", "Acme", "2", "2"),
        ("hh:c2", "Umbrella", "1", "1"),
    ]
    rig.store("4")
    report = rig.run()
    assert (report.companies.added, report.companies.updated) == (0, 1)
    assert [row["offers"] for row in rig.rows("Companies")] == ["3", "1"]


def test_many_rows_make_the_sheet_grow(rig):
    rig.store(*(str(number) for number in range(1300)))
    rig.run()
    assert len(set(rig.keys())) == len(rig.keys()) == 1300


def test_a_spreadsheet_that_is_full_is_told_with_the_remedy_and_what_is_there_is_kept_up(rig):
    rig.store("1", "2")
    rig.run()
    book = rig.sheet.book
    book.tab("Offers").rows = 3
    book.most_cells = sum(tab.rows * tab.columns for tab in book.tabs)
    rig.store("1", watch="v")
    rig.store("3")
    with pytest.raises(Refused, match="is full") as told:
        rig.run()
    assert "delete rows" in str(told.value)
    assert [row["watch"] for row in rig.rows()] == ["w, v", "w"]
    assert rig.keys() == ["hh:1", "hh:2"]
    # room for one row, not for five hundred
    book.most_cells += book.tab("Offers").columns
    rig.run()
    assert rig.keys() == ["hh:1", "hh:2", "hh:3"]


def test_a_header_that_was_deleted_is_told_with_what_to_write_and_nothing_is_written(rig):
    rig.store("1", "2")
    rig.run()
    tab = rig.sheet.book.tab("Offers")
    tab.cells = {(row - 1, column): cell for (row, column), cell in tab.cells.items() if row > 1}
    rig.store("3")
    with pytest.raises(Refused, match="insert one that says ") as told:
        rig.run()
    assert "title" in str(told.value)
    header = rig.sheet.header("Offers")
    assert "hh:1" in header
    rig.insert_row(1)
    for column, name in enumerate(rig.sync().offers_plan.names, 1):
        rig.sheet.type("Offers", 1, column, name)
    rig.run()
    assert rig.keys() == ["hh:1", "hh:2", "hh:3"]


def test_an_item_that_was_closed_before_its_first_night_is_left_out(rig):
    (match_id,) = rig.store("1")
    now = rig.clock.now()
    with rig.db.transaction() as tx:
        matches.move(tx, match_id, Status.ANALYZED, Status.IN_ARCHIVE, who="machine", why="gone", now=now)
    rig.run()
    assert (rig.keys(), rig.delivery(match_id).state) == ([], "left out")


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_a_lost_answer_never_doubles_a_row(rig_on_both, kind):
    rig = rig_on_both
    rig.store("0")
    rig.run()
    rig.store("1", "2")
    rig.simulator.switch(lost_write(kind, seconds=None if kind != "timeout" else 0.01))
    with pytest.raises((Unavailable, Unreadable)):
        rig.run()
    with pytest.raises(Unsettled):
        rig.run()
    rig.pass_by(seconds=201)
    rig.run()
    assert rig.keys() == ["hh:0", "hh:1", "hh:2"]


def test_a_write_that_takes_effect_late_is_waited_for(rig):
    """The connection breaks, and Google carries the write out two minutes later, when other rows are due."""
    rig.store("0")
    rig.run()
    (first, _) = rig.store("1", "2")
    rig.simulator.switch(lost_write("late_effect", seconds=120))
    with pytest.raises(Unavailable):
        rig.run()
    now = rig.clock.now()
    with rig.db.transaction() as tx:
        matches.move(tx, first, Status.ANALYZED, Status.IN_ARCHIVE, who="machine", why="gone", now=now)
    rig.store("3")
    for _ in range(5):
        with contextlib.suppress(Unsettled):
            rig.run()
        rig.pass_by(seconds=60)
    assert [(row["key"], row["status"]) for row in rig.rows()] == [
        *(("hh:0", "open"), ("hh:1", "closed"), ("hh:2", "open"), ("hh:3", "open"))
    ]


def test_a_refused_write_can_be_repeated_at_once(rig):
    rig.store("0")
    rig.run()
    rig.store("1")
    rig.simulator.switch(lost_write("rate_limited"))
    with pytest.raises(RateLimited):
        rig.run()
    rig.pass_by(seconds=61)
    rig.run()
    assert rig.keys() == ["hh:0", "hh:1"]


def test_a_lost_answer_to_the_making_of_a_tab_makes_no_second_one(rig):
    rig.store("1")
    rig.simulator.switch(Fault(kind="reply_lost", source="sheets", method="batchUpdate", count=1))
    with pytest.raises(Unavailable):
        rig.run()
    rig.run()
    assert rig.sheet.titles() == ["Sheet1", "Offers", "Companies"]


def test_two_syncs_at_once_take_turns(rig):
    rig.store("1")
    with rig.db.transaction() as tx:
        held = leases.acquire(tx, "sheets", "otherhost/boot/4026:17:99", 300, lambda _holder: False)
    with pytest.raises(Busy, match=r"\(process 17 on otherhost\)"):
        rig.run()
    assert rig.asked_at() == []
    assert isinstance(held, Lease)
    with rig.db.transaction() as tx:
        leases.release(tx, held)
    rig.run()
    assert rig.keys() == ["hh:1"]


def test_a_sync_that_lost_its_lease_while_it_read_writes_nothing(rig):
    rig.store("1")
    rig.run()
    rig.store("2")
    asked = []

    def frozen() -> None:
        asked.append(1)
        if len(asked) == 4:  # the keys are being read: another process takes over and writes
            with rig.db.transaction() as tx:
                tx.run("lease_release", name="sheets", holder="here", token=2, now=tx.store_now())
            rig.sync("another").run(lambda: None, rig.tell, takes_all=True)

    with pytest.raises(LeaseLost):
        rig.sync().run(frozen, rig.tell, takes_all=True)
    assert rig.keys() == ["hh:1", "hh:2"]


def test_a_token_that_is_taken_back_is_replaced(rig):
    rig.store("1")
    sync = rig.sync()
    sync.run(lambda: None, rig.tell, takes_all=True)
    rig.sheet.account.forget_tokens()
    rig.store("2")
    sync.run(lambda: None, rig.tell, takes_all=True)
    assert rig.keys() == ["hh:1", "hh:2"]


def test_a_spreadsheet_that_is_not_shared_is_told_with_the_address_to_share_it_with(rig):
    rig.sheet.share(False)
    with pytest.raises(Refused, match="share the spreadsheet with info-radar@simulated"):
        rig.run()


def test_the_quota_of_a_minute_is_never_used_up(rig):
    rig.store(*(str(number) for number in range(1000)))
    for turn in range(12):
        rig.store(*(f"{turn}-{number}" for number in range(3)))
        rig.run()
    assert not [line for line in rig.simulator.log if line.status == 429]
    for writes in (False, True):  # Google counts reads and writes apart
        paths = [line for line in rig.simulator.log if line.path.startswith("/v4/")]
        asked = [line.world_at for line in paths if line.path.endswith(":batchUpdate") == writes]
        assert len(asked) > (20 if writes else 60)
        assert max(sum(at <= other < at + timedelta(minutes=1) for other in asked) for at in asked) <= 60
