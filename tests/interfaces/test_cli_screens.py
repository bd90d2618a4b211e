"""What a person sees: tables that line up, words that agree, the next step, and nothing that attacks the terminal."""

import json
import re
from datetime import timedelta

import apsw
import pytest
from rich.cells import cell_len

from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.table import print_table, shorten
from inforadar.interfaces.cli.wording import age, ago, counted
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import moving_world
from inforadar.simulator.server import Simulator
from interfaces.command_line import NOON

ATTACK = "\x1b[2J\x1b]0;owned\x07\x9b31mPay\r\nroll\u202egnp.exe\x7f\u200b 數據工程師 🚀"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


@pytest.mark.parametrize(
    ("passed", "old", "since"),
    [
        (timedelta(seconds=59), "now", "now"),
        (timedelta(seconds=60), "1 min", "1 min ago"),
        (timedelta(hours=23, minutes=59), "23 h", "23 h ago"),
        (timedelta(days=400), "400 d", "400 d ago"),
        (-timedelta(minutes=90), "in 1 h", "in 1 h"),
    ],
)
def test_ages_are_told_in_the_largest_fitting_unit(passed, old, since):
    assert (age(NOON - passed, NOON), ago(NOON - passed, NOON)) == (old, since)


def test_what_never_happened_is_never():
    assert ago(None, NOON) == "never"


def test_nouns_agree_with_their_numbers():
    assert counted(1, "page") == "1 page"
    assert counted(0, "page") == "0 pages"
    assert counted(2, "query", "queries") == "2 queries"


@pytest.mark.parametrize("text", ["データ工程師の仕事です", "Работа 🚀🚀🚀 сегодня", "plain letters only"])
def test_a_text_is_cut_by_the_cells_it_takes(text):
    for width in range(2, 30):
        cut = shorten(text, width)
        assert cell_len(cut) <= width
        assert cut == text or cut.endswith("…")


def test_columns_line_up_under_wide_characters(capsys):
    print_table(["TITLE", "PLACE"], [["數據工程師", "東京"], ["Go 🚀", "x"], ["plain", "y"]])
    lines = capsys.readouterr().out.splitlines()
    starts = [cell_len(line[: re.search(r"\s{2,}", line).end()]) for line in lines]
    assert starts == [12, 12, 12, 12]


def test_a_narrow_terminal_shortens_the_flexible_columns_only(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    print_table(["ID", "TITLE", "SOURCE"], [["12345", "t" * 60, "linkedin"]], flexible=(1,))
    header, row = capsys.readouterr().out.splitlines()
    assert cell_len(row) == 40
    assert row.startswith("12345  ttt")
    assert row.endswith("…  linkedin")
    assert header.index("SOURCE") == row.index("linkedin")


def test_the_first_flexible_column_gives_way_last(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "62")
    print_table(["TITLE", "COMPANY"], [["t" * 60, "c" * 60]], flexible=(0, 1))
    title, company = capsys.readouterr().out.splitlines()[1].split()
    assert (len(title), len(company)) == (40, 20)


def test_a_narrow_terminal_leaves_spare_columns_out_before_it_shortens_others(capsys, monkeypatch):
    def shown(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        print_table(
            ["ID", "TITLE", "COMPANY", "WATCH"], [["1", "t" * 30, "c" * 15, "w" * 10]], flexible=(1, 2), spare=(3, 2)
        )
        return capsys.readouterr().out.splitlines()[0].split()

    assert shown(63) == ["ID", "TITLE", "COMPANY", "WATCH"]
    assert shown(62) == ["ID", "TITLE", "COMPANY"]
    assert shown(50) == ["ID", "TITLE"]


def test_a_spare_column_stays_while_the_others_can_be_read_shortened(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    print_table(["ID", "TITLE", "COMPANY"], [["1", "t" * 100, "c" * 15]], flexible=(1, 2), spare=(2,))
    assert "COMPANY" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80])
def test_every_screen_fits_a_narrow_terminal(radar, simulator, columns):
    radar("fetch")
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar("fetch", "--source", "linkedin")
    radar.env["COLUMNS"] = str(columns)
    for arguments in (["status"], ["items"], ["jobs"], ["jobs", "--kind", "process"], ["items", "--source", "myspace"]):
        ran = radar("-q", *arguments)
        assert max(cell_len(line) for line in (ran.out + ran.err).splitlines()) <= columns, arguments
    assert "TITLE" in radar("items").out


def test_long_sentences_are_wrapped_between_words(radar, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar.env["COLUMNS"] = "70"
    out = radar("fetch", "--source", "linkedin").out + radar("status").out
    told = out[out.index("  failed: ") : out.index("  left: ")]
    assert len(told.splitlines()) > 1
    assert all(cell_len(line) <= 70 for line in told.splitlines())
    assert "instead of the jobs" in " ".join(told.split())


def test_nothing_is_cut_where_no_terminal_reads(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(["TITLE", "SOURCE"], [["t" * 500, "hh"]], flexible=(0,))
    assert "t" * 500 in capsys.readouterr().out


def test_json_keeps_every_value_and_shows_none_of_the_unsafe_characters(capsys):
    print_json({"title": ATTACK})
    out = capsys.readouterr().out
    assert not UNSAFE.search(out)
    assert json.loads(out) == {"title": ATTACK}


def test_a_hostile_title_in_the_store_never_reaches_the_terminal(radar):
    radar("fetch", "--source", "hh")
    with apsw.Connection(str(radar.folder / "radar.db")) as database:
        database.execute("UPDATE items SET title = ?, data = json_set(data, '$.snippet', ?)", (ATTACK, ATTACK))
        database.execute("UPDATE query_state SET status = 'ERROR', last_error = ?", (ATTACK,))
    for arguments in (["items"], ["show", "1"], ["status"], ["items", "--json"], ["show", "1", "--json"]):
        ran = radar(*arguments)
        assert ran.code == 0
        assert "數據工程師" in ran.out
        assert not UNSAFE.search(ran.out + ran.err), arguments


def test_a_hostile_world_never_reaches_the_terminal(newcomer):
    counts = {"hh": 60, "linkedin": 40, "habr": 60}
    with Simulator(moving_world(3, NOON, counts, {}, hostile_share=1.0)) as simulator:
        newcomer.configure(simulator)
        calls = (["-v", "fetch"], ["fetch", "--json"], ["items", "--limit", "500"], ["items", "--json"], ["show", "1"])
        for arguments in calls:
            ran = newcomer(*arguments)
            assert ran.code == 0
            assert not UNSAFE.search(ran.out + ran.err), arguments


def test_the_report_tells_each_query_and_the_sum_in_words_that_agree(radar):
    out = radar("fetch", "jobs").out
    assert "jobs / hh  30 added on 1 page; end of feed" in out
    assert re.search(r"jobs / linkedin  25 added on \d pages; end of feed", out)
    assert re.search(
        r"^55 added, 0 updated, 0 filtered, 0 of 2 queries failed, nothing left; \d+ requests in ", out, re.M
    )
    assert "radar items lists them" in out


def test_the_report_shows_changes_as_old_and_new_within_the_width_of_the_terminal(radar, simulator):
    radar("fetch", "articles", "--topic", "python")
    simulator.advance(3 * 3600)
    radar.env["COLUMNS"] = "90"
    lines = [line for line in radar("fetch", "--topic", "python").out.splitlines() if line.startswith("  ~ http")]
    assert lines
    assert all(re.search(r"views: \d+ -> \d+", line) for line in lines)
    assert all(cell_len(line) <= 90 for line in lines)
    assert any(re.search(r"\(\+\d fields?\)$", line) for line in lines)


def test_the_report_says_what_was_filtered_and_why(newcomer, simulator):
    path = newcomer.configure(simulator)
    path.write_text(path.read_text().replace("max_experience_years = 0", "ban_words = ['python', 're:\\w']"))
    out = newcomer("fetch", "--source", "hh").out
    assert "jobs / hh  0 added, 30 filtered on 1 page" in out
    assert re.search(r"  - \d+ filtered by ban word", out)


def test_a_failing_source_is_named_with_its_remedy_in_report_and_status(radar, simulator):
    radar("fetch")
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar.env["RADAR_NOW"] = (NOON + timedelta(hours=3, minutes=1)).isoformat()
    assert "jobs / linkedin  no page read; refused\n  failed: LinkedIn shows its login wall" in radar("fetch").out
    radar("fetch", "--source", "linkedin")
    status = radar("status")
    assert "jobs / linkedin  failed 2 times in a row, last success 3 h ago: see linkedin below" in status.out
    assert "\nlinkedin  LinkedIn shows its login wall" in status.out
    assert "Do what is said of linkedin" in status.err


def test_status_tells_why_a_source_is_out_once_and_older_outages_as_events(radar, simulator):
    radar("fetch", "--source", "linkedin")
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar("fetch", "--source", "linkedin")
    assert radar("status").out.count("shows its login wall") == 1
    assert "LATEST EVENTS" not in radar("status").out
    simulator.switch()
    radar("fetch", "--source", "linkedin")
    status = radar("status")
    assert status.out.count("shows its login wall") == 1
    assert status.out.index("LATEST EVENTS") < status.out.index("shows its login wall")


def test_empty_states_tell_the_next_step(radar):
    assert "Next: radar fetch" in radar("status").err
    nothing = radar("items")
    assert (nothing.code, nothing.out) == (0, "")
    assert "`radar fetch` collects" in nothing.err
    assert radar("items", "--topic", "cooking").err == "Nothing fits these filters.\n"
    radar("fetch")
    assert "Next: radar items" in radar("status").err


def test_no_command_without_a_configuration_gives_three_ways_to_begin(newcomer):
    ran = newcomer()
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]] == [
        ["radar", "demo"],
        ["radar", "add"],
        ["radar", "init"],
    ]


def test_a_command_without_a_configuration_is_an_error_that_tells_the_same(newcomer):
    ran = newcomer("fetch")
    assert (ran.code, ran.out) == (2, "")
    assert "radar init" in ran.err


def test_no_command_with_a_configuration_tells_where_things_stand(radar):
    assert radar().out == radar("status").out


def test_nothing_is_coloured_off_a_terminal(radar):
    ran = radar("fetch")
    assert "\x1b" not in ran.out + ran.err
