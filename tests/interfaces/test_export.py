"""`radar export`: everything comes out once, nothing is obeyed by a spreadsheet, files are whole or not there."""

import csv
import io
import json
import os
import stat
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.bootstrap import open_store, read_config
from inforadar.domain.errors import RadarError
from inforadar.domain.status import Status
from inforadar.interfaces.export.files import write_whole
from inforadar.interfaces.export.reading import every_match
from inforadar.interfaces.export.records import json_lines
from inforadar.interfaces.export.tables import COLUMNS, READ_OUT, csv_text, safe_cell
from inforadar.interfaces.shapes import item_json
from inforadar.store import items, matches
from interfaces.hostile_texts import HOSTILE
from interfaces.strict_feeds import read_atom, read_rss, shown
from store.samples_of_rows import NOW, an_item

OBEYED = "=+-@＝＋－＠"
CONFIG = """
[[watch]]
name = "w"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
[[watch]]
name = "v"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = { text = "x" }
"""


@pytest.fixture
def radar(newcomer):
    """A user with two watches."""
    (newcomer.folder / "radar.toml").write_text(CONFIG)
    return newcomer


@contextmanager
def store_of(radar):
    database = open_store(read_config(str(radar.folder / "radar.toml"), {}))
    yield database
    database.close()


def seed(radar, *wanted, watch="w", status=None):
    """Stored matches; their ids."""
    with store_of(radar) as database, database.transaction() as tx:
        ids = items.insert(tx, wanted)
        created = list(matches.create(tx, watch, "q1", list(ids.values()), NOW, "machine", "found").values())
        for match_id in created if status else ():
            matches.move(tx, match_id, Status.QUEUED, status, who="machine", why="so", now=NOW)
    return created


def numbered(count, prefix=""):
    return [an_item(f"{prefix}{n}", published_at=NOW + timedelta(seconds=n // 3)) for n in range(count)]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_json_and_jsonl_tell_the_same_as_items(radar):
    seed(radar, *numbered(7))
    listed = radar("items", "--json").json
    assert json.loads(radar("export", "--format", "json").out) == listed
    assert [json.loads(line) for line in radar("export", "--format", "jsonl").out.splitlines()] == listed
    told = rows(radar("export", "--format", "csv").out)
    as_json = ("also_on", "data")
    assert [
        {**{name: row[name] for name in COLUMNS}, **{name: json.loads(row[name]) for name in as_json}} for row in told
    ] == [
        {
            **{name: "" if item[name] is None else str(item[name]) for name in COLUMNS},
            **{name: item[name] for name in as_json},
        }
        for item in listed
    ]


@pytest.mark.parametrize(("kind", "read"), [("rss", read_rss), ("atom", read_atom)])
def test_every_format_says_where_else_the_same_job_is(radar, kind, read):
    postings = {source: {"source": source, "url": f"https://{source}.example/1"} for source in ("hh", "linkedin")}
    for one in postings.values():
        seed(radar, an_item("1", data={"place": "Madrid"}, **one), status=Status.ANALYZED)
    for line in rows(radar("export", "--format", "csv").out):
        (other,) = json.loads(line["also_on"])
        assert other["url"] == postings["hh" if line["source"] == "linkedin" else "linkedin"]["url"]
    told = [shown(entry.content) for entry in read(radar("export", "--format", kind).out)]
    assert len(told) == 2
    assert all("Also on " in text for text in told)


def test_the_columns_are_those_of_the_contract(radar):
    seed(radar, an_item("1"))
    with store_of(radar) as database:
        (match,) = every_match(database)
    assert [name for name in item_json(match) if name in COLUMNS] == list(COLUMNS)
    assert radar("export").out.splitlines()[0] == ",".join((*COLUMNS, *READ_OUT))


def test_csv_tells_place_salary_and_author_in_columns_of_their_own_behind_the_others(radar):
    job = {"place": "Madrid", "remote": True, "salary": {"from": 50_000, "to": 60_000, "currency": "EUR"}}
    seed(radar, an_item("1", data=job))
    seed(radar, an_item("2", data={"author": "=anna"}, company=None))
    told = {row["key"]: (row["place"], row["salary"], row["author"]) for row in rows(radar("export").out)}
    assert told == {"1": ("Madrid, remote", "50,000–60,000 EUR", ""), "2": ("", "", "'=anna")}
    assert list(READ_OUT) == ["place", "salary", "author"]


def test_a_feed_that_holds_nothing_says_why(radar):
    def told():
        return " ".join(radar("export", "--format", "rss", "-o", "feed.xml").err.split())

    assert told() == "Wrote 0 matches to feed.xml. Nothing was found yet. To look: radar fetch"
    seed(radar, an_item("1"))
    assert "nothing has been judged to fit yet. To judge what waits: radar work --until-idle" in told()
    assert "judged" not in radar("export", "--format", "rss", "--status", "APPLIED").err
    assert "judged" not in radar("export", "v", "--format", "rss").err
    with store_of(radar) as database, database.transaction() as tx:
        matches.move(tx, 1, Status.QUEUED, Status.NOT_SUITABLE, who="machine", why="so", now=NOW)
    assert "--status STATUS" in told()
    seed(radar, an_item("2"), status=Status.ANALYZED)
    assert told() == "Wrote 1 match to feed.xml."


def test_an_export_of_nothing_is_an_empty_one(radar):
    assert radar("export", "--format", "json").json == []
    assert radar("export", "--format", "jsonl").out == ""
    assert rows(radar("export", "--format", "csv").out) == []
    assert read_rss(radar("export", "--format", "rss").out) == []


def test_watches_and_statuses_narrow_it_and_several_watches_come_in_one_order(radar):
    seed(radar, *numbered(5), watch="w")
    seed(radar, *numbered(4, "v"), watch="v", status=Status.ANALYZED)
    everything = [row["id"] for row in rows(radar("export").out)]
    assert [row["id"] for row in rows(radar("export", "v", "w", "v").out)] == everything
    assert {row["watch"] for row in rows(radar("export", "w").out)} == {"w"}
    assert len(rows(radar("export", "--status", "analyzed", "--status", "SKIPPED").out)) == 4
    assert [row["id"] for row in rows(radar("export", "--limit", "3").out)] == everything[:3]


def test_unknown_watches_statuses_and_flags_that_do_not_fit_are_refused(radar):
    for arguments, said in (
        (["nobody"], "There is no watch 'nobody'"),
        (["--status", "LOST"], "is not one of"),
        (["--format", "parquet"], "is not one of csv, json, jsonl, rss, atom"),
        (["--format", "json", "--bom"], "--raw and --bom go with --format csv"),
    ):
        ran = radar("export", *arguments)
        assert (ran.code, ran.out) == (2, ""), arguments
        assert said in ran.err


@pytest.mark.parametrize("page", [1, 2, 3, 7, 100])
def test_every_match_comes_once_however_the_pages_fall(radar, page):
    seed(radar, *numbered(20))
    with store_of(radar) as database:
        places = [(match.published_at, match.id) for match in every_match(database, page=page)]
    assert sorted(places, reverse=True) == places
    assert len(set(places)) == 20


def test_pages_are_read_one_at_a_time_and_no_transaction_stays_open(radar):
    """Memory is that of a page: nothing is asked for before what was read is used up."""
    seed(radar, *numbered(9))
    with store_of(radar) as database:
        watched = Counting(database)
        found = every_match(watched, page=3)
        assert watched.begun == 0
        seen = [(next(found).id, watched.begun, watched.open) for _ in range(9)]
    assert [begun for _, begun, _ in seen] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert {still_open for _, _, still_open in seen} == {0}


def test_a_hundred_thousand_matches_need_no_more_memory_than_a_page(radar):
    (template,) = seed(radar, an_item("0", data={"description": "d" * 500}))
    with store_of(radar) as database:
        _multiply(database, template, 100_000)
        blocks = [
            sys.getallocatedblocks()
            for number, _ in enumerate(json_lines(every_match(database)), 1)
            if number % 997 == 0
        ]
    assert len(blocks) == 100_001 // 997
    # a page is 500 matches of about fifty blocks each; what earlier tests left may be given back meanwhile
    assert max(blocks[3:]) - blocks[3] < 60_000


def test_matches_that_share_one_publication_cost_the_database_little_more_than_others(radar):
    """Counted in steps of the database, which depend on no clock."""
    (template,) = seed(radar, an_item("0"))
    with store_of(radar) as database:
        _multiply(database, template, 20_000)
        apart = _steps(database)
        with database.transaction() as tx:
            tx._connection.run("UPDATE items SET published_at = (SELECT min(published_at) FROM items)", {})
        together = _steps(database)
    assert together < 1.5 * apart


def _steps(database):
    """How many thousand steps the database takes for an export."""
    taken = []
    with database.reading() as tx:
        raw = tx._connection._raw
    raw.set_progress_handler(lambda: taken.append(1) is not None, 1000)
    assert sum(1 for _ in every_match(database)) == 20_001
    raw.set_progress_handler(None)
    return len(taken)


def _multiply(database, match_id, count):
    """Many matches like one, written by the database itself."""
    numbers = f"WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})"
    items_columns = "source, kind, url, title, company_id, first_seen_at, last_seen_at, data"
    moment = "substr(published_at, 1, 20) || printf('%06d', n) || substr(published_at, 27)"
    matches_columns = "watch, query_key, status, created_at, updated_at"
    with database.transaction() as tx:
        tx._connection.run(
            f"{numbers} INSERT INTO items (key, published_at, {items_columns}) "
            f"SELECT 'n' || n, {moment}, {items_columns} FROM items, n",
            {},
        )
        tx._connection.run(
            f"INSERT INTO matches (item_id, {matches_columns}) SELECT i.id, {matches_columns} "
            f"FROM items i, (SELECT {matches_columns} FROM matches WHERE id = {match_id}) WHERE i.key LIKE 'n%'",
            {},
        )


class Counting:
    """A database that counts its transactions."""

    def __init__(self, database):
        self.database, self.begun, self.open = database, 0, 0

    @contextmanager
    def reading(self):
        self.begun += 1
        self.open += 1
        with self.database.reading() as tx:
            yield tx
        self.open -= 1


def test_what_arrives_and_vanishes_meanwhile_doubles_nothing_and_hides_nothing(radar):
    ids = seed(radar, *numbered(9))
    with store_of(radar) as database:
        found = every_match(database, page=3)
        first = [next(found).id for _ in range(3)]
        with database.transaction() as tx:
            matches.delete(tx, first[-1])
        seed(radar, an_item("new", published_at=NOW + timedelta(days=1)))
        rest = [match.id for match in found]
    assert first + rest == sorted(ids, reverse=True)


@pytest.mark.parametrize("sign", [*OBEYED, "\t", "\r", "\n", " =", "\u00a0=", "\u3000＝", "'=", '"=', "\t+"])
def test_a_text_that_a_spreadsheet_would_obey_gets_an_apostrophe(sign):
    assert safe_cell(f"{sign}1+1").startswith("'")


@pytest.mark.parametrize("text", ["", "Python", "C++", "a-b", "ann@example.com", "1 = 1", "«=»", "5;6", "привет"])
def test_a_text_that_it_would_not_obey_stays_as_it_is(text):
    assert safe_cell(text) == text


@given(st.text(alphabet=st.sampled_from(f"{OBEYED}\t\r\n ;,\"'ab\u200b\ufeff\u00a0"), max_size=12))
def test_no_cell_is_obeyed_by_whatever_separator_it_is_read(text):
    (line,) = csv.reader(io.StringIO("".join(csv_text([a_match(text)])).split("\r\n", 1)[1]))
    for cell in (line[COLUMNS.index("title")], line[COLUMNS.index("data")]):
        for part in cell.split(";"):
            assert not part.strip(" \u00a0\"'").startswith(tuple(OBEYED)) or part.startswith("'")


def a_match(text):
    known = {"id": 1, "item_id": 1, "published_at": NOW, "status": "QUEUED", "also_on": (), "data": {"place": text}}
    names = matches.MatchView.__dataclass_fields__
    given = dict.fromkeys(names) | {name: value for name, value in known.items() if name in names}
    return matches.MatchView(**(given | {"title": text}))


def test_hostile_titles_come_back_as_text_and_raw_switches_the_apostrophe_off(radar):
    seed(radar, *(an_item(str(n), title=title) for n, title in enumerate(HOSTILE)))
    safe, raw = (rows(radar("export", *flags).out) for flags in ([], ["--raw"]))
    assert len(safe) == len(raw) == len(HOSTILE)
    assert not any(row["title"].lstrip().startswith(tuple(OBEYED)) for row in safe)
    assert '=HYPERLINK("http://evil","x")' in [row["title"] for row in raw]
    assert all("\x1b" not in value and "\u202e" not in value for row in raw for value in row.values())


def test_json_holds_hostile_titles_as_they_are_and_no_character_that_a_terminal_obeys(radar):
    titles = {str(n): title for n, title in enumerate(HOSTILE)}
    seed(radar, *(an_item(key, title=title) for key, title in titles.items()))
    text = radar("export", "--format", "jsonl").out
    assert not any(sign in text for sign in "\x1b\x07\x9b\u202e\u2028\u200b\x7f")
    assert {one["key"]: one["title"] for one in map(json.loads, text.split("\n")[:-1])} == titles


def test_a_byte_order_mark_is_there_when_asked_for(radar):
    seed(radar, an_item("1", title="Разработчик"))
    for flags, mark in (([], b"id,"), (["--bom"], b"\xef\xbb\xbfid,")):
        radar("export", *flags, "-o", "out.csv")
        written = (radar.folder / "out.csv").read_bytes()
        assert written.startswith(mark)
        assert "Разработчик".encode() in written


def test_stdout_is_utf8_whatever_the_terminal_says(radar):
    seed(radar, an_item("1", title="Разработчик"))
    radar.env |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    out, _ = radar.start("export", "-o", "-").communicate(timeout=60)
    assert "Разработчик".encode() in out


def test_a_reader_that_leaves_is_no_error(radar):
    seed(radar, *numbered(3000))
    ran = radar.start("export", "--format", "jsonl")
    ran.stdout.readline()
    ran.stdout.close()
    assert ran.wait(60) == 0
    assert b"Traceback" not in ran.stderr.read()
    ran.stderr.close()


def test_a_file_is_for_its_owner_alone_and_its_count_is_told(radar):
    seed(radar, *numbered(3))
    ran = radar("export", "--output", "out.csv")
    assert (ran.code, ran.out) == (0, "")
    assert "Wrote 3 matches to out.csv." in ran.err
    assert stat.S_IMODE((radar.folder / "out.csv").stat().st_mode) == 0o600
    assert {path.name for path in radar.folder.iterdir()} >= {"out.csv"}
    assert not list(radar.folder.glob(".radar-export-*"))


def test_an_export_that_fails_leaves_the_old_file_and_no_rest(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")

    def broken():
        yield b"new"
        assert target.read_text() == "old"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(target, broken())
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    write_whole(target, [b"new"])
    assert target.read_text() == "new"


def test_no_directory_pipe_or_missing_folder_is_written_to(tmp_path, radar):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for target in ("folder", "pipe", "missing/out.csv", "pipe/out.csv"):
        with pytest.raises(RadarError, match="Name another file"):
            write_whole(tmp_path / target, [b"x"])
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("h")) == ["folder", "pipe"]
    ran = radar("export", "--output", str(tmp_path / "folder"))
    assert ran.code == 1
    assert "is a directory" in ran.err


def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path):
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.write_text("mine")
    link.symlink_to(kept)
    write_whole(link, [b"new"])
    assert (kept.read_text(), link.read_text(), link.is_symlink()) == ("mine", "new", False)


@pytest.mark.parametrize(("kind", "read"), [("rss", read_rss), ("atom", read_atom)])
def test_a_feed_holds_what_was_found_relevant_and_more_when_asked(radar, kind, read):
    seed(radar, *numbered(105), status=Status.ANALYZED)
    seed(radar, *(an_item(f"q{n}", title=text) for n, text in enumerate(HOSTILE)))
    assert len(read(radar("export", "w", "--format", kind).out)) == 100
    assert len(read(radar("export", "--format", kind, "--limit", "500").out)) == 105
    hostile = read(radar("export", "--format", kind, "--status", "QUEUED", "--limit", "500").out)
    assert len(hostile) == len(HOSTILE)
    ran = radar("export", "w", "--format", kind, "-o", "feed.xml")
    assert len(read(Path(radar.folder / "feed.xml").read_text(encoding="utf-8"))) == 100
    assert ran.code == 0
