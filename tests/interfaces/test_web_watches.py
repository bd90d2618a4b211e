"""Watches are added, paused and kept from words on the page, without script, and written as the commands write them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from inforadar.config.watch_editing import watch_names, with_list
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.store import items, matches
from interfaces.api_server import Api
from interfaces.command_line import CommandLine
from interfaces.web_rig import proof_of, running_web
from store.samples_of_rows import an_item

REST = '{"url": "http://rebind.example:8480/x", "list": "list", "id": "id", "title": "t", "token_header": "X-T"}'
SEARCH = "https://hh.ru/search/vacancy?text=&strange=yes&page=3"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "radar.toml"


@pytest.fixture
def web(database_url: str, file: Path, simulator: Simulator) -> Iterator[Api]:
    """A page with a configuration file, over each database, whose hh is the simulator."""
    sources = f'[sources.hh]\nbase_url = "{simulator.base_urls["hh"]}"\nrate_limit_per_minute = 6000\n'
    with running_web(database_url, file=file, extra=sources) as running:
        yield running


def send(api: Api, path: str, **fields: str):
    return api.client.post(path, data={"proof": proof_of(api.client.get("/watches")), **fields})


def stored(api: Api, *titles: str, watch: str = "w") -> None:
    now = api.app.clock.now()
    with api.app.database.transaction() as tx:
        ids = items.insert(tx, [an_item(f"{watch}{n}", title=title) for n, title in enumerate(titles)])
        matches.create(tx, watch, "q", list(ids.values()), now, "machine", "found")


def test_an_address_is_looked_at_before_it_is_saved(web, file):
    before = file.read_text()
    page = send(web, "/watches/new", url=SEARCH, words="developer", act="look")
    assert page.status_code == 200, page.text
    text = LexborHTMLParser(page.text).css_first("main").text()
    assert "Not asked for: strange=yes" in text
    assert "Newest entries" in text
    assert len(LexborHTMLParser(page.text).css("li a")) == 10
    assert file.read_text() == before


def test_an_entry_that_is_looked_at_tells_its_age_and_its_place(web):
    page = LexborHTMLParser(send(web, "/watches/new", url=SEARCH, act="look").text)
    entries = page.css(".events li")
    assert entries
    assert all(entry.css_first("time[datetime]") for entry in entries)
    assert all(len(entry.css(".none bdi")) == 2 for entry in entries)


def test_what_would_be_left_out_is_marked(web):
    plain = LexborHTMLParser(send(web, "/watches/new", url=SEARCH, act="look").text)
    assert "1 of these would be left out" in plain.css_first("main").text(), "too much experience"
    word = plain.css_first("li > a").text().split()[-1]
    tree = LexborHTMLParser(send(web, "/watches/new", url=SEARCH, words=word, act="look").text)
    assert len(tree.css("li del")) > 1
    assert f"left out by {word}" in {one.text() for one in tree.css("li .state.warn")}


@pytest.mark.parametrize("run", ["baseline", "24h", "all"])
def test_what_is_saved_is_what_radar_add_writes(web, file, run, tmp_path, capsys, monkeypatch):
    before = file.read_text()
    page = send(web, "/watches/new", url=SEARCH, act="look")
    fields = {
        one.attributes["name"]: one.attributes["value"] or ""
        for one in LexborHTMLParser(page.text).css(".stack input[type=hidden], .stack input[type=checkbox][checked]")
        if one.attributes["name"] != "proof"
    }
    sent = fields | {"name": "mine", "words": "junior\nстажёр", "profile": "python", "first_run": run, "act": "save"}
    answer = send(web, "/watches/new", **sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/watches")
    assert 'deliver = ["telegram"]' in file.read_text().removeprefix(before), "the channel that is set up is ticked"
    other = tmp_path / "cli"
    other.mkdir()
    (other / "radar.toml").write_text(before)
    (other / "radar.toml").chmod(0o600)
    words = ["--ban", "junior", "--ban", "стажёр", "--first-run", run, "--profile", "python"]
    ran = CommandLine(other, capsys, monkeypatch)("add", SEARCH, "--yes", "--name", "mine", *words)
    assert ran.code == 0, ran.err
    assert file.read_text() == (other / "radar.toml").read_text() != before
    shown = web.client.get("/watches").text
    assert "mine" in shown
    assert "this server is about to read it" in shown


def test_a_watch_whose_channels_are_unticked_is_shown_on_the_page_alone(web, file):
    before = file.read_text()
    sent = {"url": SEARCH, "name": "mine", "sinks": "1", "act": "save"}
    assert send(web, "/watches/new", **sent).status_code == 303
    assert "deliver" not in file.read_text().removeprefix(before)


def test_a_query_is_added_to_a_watch_there_is(web, file):
    sent = {"url": "https://hh.ru/search/vacancy?text=go", "watch": "other", "act": "save"}
    assert send(web, "/watches/new", **sent).status_code == 303
    assert file.read_text().count("[[watch.query]]") == 4
    assert watch_names(file.read_text()) == ["w", "other", "morgan"]


def test_only_watches_of_the_kind_that_the_source_serves_are_offered(web):
    tree = LexborHTMLParser(send(web, "/watches/new", url=SEARCH, act="look").text)
    assert [one.text() for one in tree.css("select[name=watch] option")] == ["a new one", "w", "other"]


@pytest.mark.parametrize("act", ["look", "save"])
def test_a_query_for_a_watch_of_another_kind_is_refused_without_blaming_the_file_and_still_shown(web, file, act):
    before = file.read_text()
    answer = send(web, "/watches/new", url=SEARCH, watch="morgan", act=act)
    tree = LexborHTMLParser(answer.text)
    told = tree.css_first("[role=alert]").text()
    assert answer.status_code == 422
    assert told.startswith('This cannot be added: watch "morgan"')
    assert '"hh" is a source of kind "vacancy", the watch is "price"' in told
    assert "line" not in told.split()
    assert "mistake" not in told
    assert "Newest entries" in tree.css_first("main").text()
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"url": ""}, "Paste the address"),
        ({"url": "https://hh.ru/vacancy/1"}, "listing"),
        ({"url": "x" * 2001}, "Paste the address"),
        ({"url": "http://127.0.0.1:1/feed"}, "local network"),
        ({"url": "http://localhost/feed.xml"}, "local network"),
        ({"url": "http://192.168.1.1/"}, "local network"),
        ({"url": "http://[::1]/"}, "local network"),
        ({"url": "rest"}, "Write it into radar.toml yourself"),
        ({"url": "x", "source": "rest", "params": REST}, "neither an address nor a source"),
        ({"url": "hh python django"}, 'radar add hh "python django"'),
        ({"url": SEARCH, "source": "rest", "params": REST}, "changed on its way"),
        ({"url": SEARCH, "source": "feed", "params": '{"url": "http://10.0.0.1/"}'}, "changed on its way"),
        ({"url": SEARCH, "source": "hh", "params": '{"text": "other"}'}, "changed on its way"),
        ({"url": SEARCH, "source": "hh", "params": "[" * 9_000}, "changed on its way"),
        ({"url": SEARCH, "source": "hh"}, "changed on its way"),
        ({"url": SEARCH, "name": "w"}, "w"),
        ({"url": SEARCH, "watch": "gone"}, "no watch"),
        ({"url": SEARCH, "words": "re:("}, "re:("),
        ({"url": SEARCH, "first_run": "x"}, "first run"),
    ],
)
@pytest.mark.parametrize("act", ["look", "save"])
def test_what_cannot_be_added_is_told_and_nothing_is_written(web, file, sent, told, act):
    before = file.read_text()
    answer = send(web, "/watches/new", **sent, act=act)
    assert answer.status_code == 422, answer.text
    assert told in LexborHTMLParser(answer.text).css_first("main").text()
    assert file.read_text() == before


def test_a_source_that_does_not_answer_can_be_saved_all_the_same(web, file, simulator):
    simulator.switch(Fault(kind="forbidden", source="hh"))
    page = send(web, "/watches/new", url=SEARCH, act="look")
    assert "It could not be looked at" in page.text
    assert send(web, "/watches/new", url=SEARCH, name="blind", act="save").status_code == 303
    assert "blind" in watch_names(file.read_text())


def test_a_watch_is_paused_and_resumed_in_the_file(web, file):
    before = file.read_text()
    for path, is_paused in (("/watches/pause", True), ("/watches/pause", True), ("/watches/resume", False)):
        assert send(web, path, watch="w").status_code == 303
        assert ("paused = true" in file.read_text()) is is_paused
    assert file.read_text() == before
    assert send(web, "/watches/pause", watch="nobody").status_code == 404


def test_a_paused_watch_is_told_by_the_api_and_by_the_pages(sqlite_url):
    resting = """[[watch]]
name = "resting"
kind = "vacancy"
paused = true
  [[watch.query]]
  source = "hh"
  params = { text = "rust" }
"""
    with running_web(sqlite_url, extra=resting) as web:
        for path in ("/api/queries", "/api/status"):
            told = {one["watch"]: one["paused"] for one in web.get(path).json()["queries"]}
            assert told == {"w": False, "other": False, "morgan": False, "resting": True}
        for path in ("/watches", "/queries"):
            assert "paused" in {one.text() for one in LexborHTMLParser(web.client.get(path).text).css(".state")}


def test_new_ban_words_say_what_they_would_hide_before_they_are_saved(web, file):
    stored(web, "Junior dev", "Senior dev", "Sales lead", "Leadership")
    stored(web, "A lead of others", watch="other")
    before = file.read_text()
    page = send(web, "/watches/words", watch="w", words="junior\nlead\nre:^sen")
    text = LexborHTMLParser(page.text).css_first("main").text()
    assert '"lead" would hide 1 of 4 stored matches.' in text
    assert '"re:^sen" would hide 1 of 4' in text
    assert "Sales lead" in text
    assert '"junior" would hide' not in text, "it is banned already"
    assert file.read_text() == before
    assert send(web, "/watches/words", watch="w", words="junior\nlead", act="save").status_code == 303
    assert 'ban_words = ["junior", "lead"]' in file.read_text()


def test_the_page_says_what_a_word_would_hide_as_radar_ban_test_does(web, file, capsys, monkeypatch):
    stored(web, "Junior dev", "Sales lead")
    page = send(web, "/watches/words", watch="w", words="junior\nlead")
    ran = CommandLine(file.parent, capsys, monkeypatch)("ban", "test", "lead", "--watch", "w")
    assert LexborHTMLParser(page.text).css_first("h2").text() == ran.out.strip()


def test_what_was_typed_for_a_new_watch_stays_when_something_is_wrong_with_it(web):
    typed = {"name": "w", "profile": "python, remote", "words": "junior\nre:(", "first_run": "all"}
    for sent in (typed, typed | {"words": "junior"}):
        page = send(web, "/watches/new", url=SEARCH, act="save", **sent)
        tree = LexborHTMLParser(page.text)
        assert (page.status_code, tree.css_first(".problem") is not None) == (422, True)
        assert tree.css_first("input[name=name]").attributes["value"] == "w"
        assert [one.text() for one in tree.css("textarea")] == ["python, remote", sent["words"]]
        assert "checked" in tree.css_first("input[value=all]").attributes


def test_a_watch_is_removed_after_a_question_as_radar_watch_remove_does_it(web, file, tmp_path, capsys, monkeypatch):
    before = file.read_text()
    link = next(
        one for one in LexborHTMLParser(web.client.get("/watches").text).css("article a") if "Remove" in one.text()
    )
    question = web.client.get(link.attributes["href"])
    assert "Remove w?" in question.text
    assert file.read_text() == before, "asking changes nothing"
    answer = send(web, "/watches/remove", watch="w")
    assert (answer.status_code, answer.headers["location"]) == (303, "/watches")
    other = tmp_path / "cli"
    other.mkdir()
    (other / "radar.toml").write_text(before)
    (other / "radar.toml").chmod(0o600)
    assert CommandLine(other, capsys, monkeypatch)("watch", "remove", "w", "--yes").code == 0
    assert file.read_text() == (other / "radar.toml").read_text() != before


def test_the_only_watch_and_one_that_is_not_there_are_not_removed(web, file):
    for name in ("w", "other"):
        assert send(web, "/watches/remove", watch=name).status_code == 303
    before = file.read_text()
    assert "only watch" in web.client.get("/watches/remove?watch=morgan").text
    assert send(web, "/watches/remove", watch="morgan").status_code == 409
    assert web.client.get("/watches/remove?watch=w").status_code == 404
    assert send(web, "/watches/remove", watch="w").status_code == 404
    assert file.read_text() == before


def test_ban_words_are_taken_away(web, file):
    page = send(web, "/watches/words", watch="w", words="")
    assert "No longer banned: junior" in " ".join(LexborHTMLParser(page.text).css_first("main").text().split())
    send(web, "/watches/words", watch="w", words="", act="save")
    assert "ban_words = []" in file.read_text()


def test_a_word_that_cannot_be_used_is_not_saved(web, file):
    before = file.read_text()
    for words in ("re:(", "x" * 501, "\n".join(map(str, range(201)))):
        told = send(web, "/watches/words", watch="w", words=words, act="save")
        assert told.status_code == 422
        tree = LexborHTMLParser(told.text)
        assert tree.css_first(".problem") is not None
        assert tree.css_first("textarea").text() == words, "it can be mended"
    slow = send(web, "/watches/words", watch="w", words="re:(a|aa)+$", act="save")
    assert "ran out of time" in slow.text
    assert file.read_text() == before


def test_a_file_with_mistakes_is_shown_and_not_written(web, file):
    file.write_text(file.read_text() + "\n[[watch]]\nname = 3\n")
    before = file.read_text()
    page = web.client.get("/watches")
    assert "has mistakes" in page.text
    assert "Pause" not in page.text
    proof = proof_of(web.client.get("/watches/new"))
    assert web.client.post("/watches/pause", data={"proof": proof, "watch": "w"}).status_code == 409
    assert file.read_text() == before


def test_without_a_file_there_is_nothing_to_change(sqlite_url):
    with running_web(sqlite_url) as web:
        assert "Pause" not in web.client.get("/watches").text
        proof = proof_of(web.client.get("/watches/new"))
        assert web.client.post("/watches/pause", data={"proof": proof, "watch": "w"}).status_code == 409


LISTED = '[[watch]]\nname = "a"\nban_words = [{}]\nkind = "article" # here\n'


@pytest.mark.parametrize("written", ['"x", \'y\', "z"', '\n  "x",\n  "y",\n  "z",\n', '"x","y" , "z" '])
def test_a_list_is_rewritten_and_nothing_else_is(written):
    text = LISTED.format(written)
    assert with_list(text, 0, "ban_words", ["x", "z"]) == LISTED.format('"x", "z"')
    assert with_list(text, 0, "ban_words", []) == LISTED.format("")
    assert with_list(text, 0, "ban_words", ["x", "y", "z"]) == text
    grown = with_list(text, 0, "ban_words", ["x", "y", "z", "new"])
    assert written.rstrip(" \n,") in grown


def test_a_list_with_comments_is_added_to_but_not_rewritten():
    text = '[[watch]]\nname = "a"\nban_words = [\n"x", # because\n"y"\n]\n'
    assert with_list(text, 0, "ban_words", ["x"]) is None
    assert "# because" in with_list(text, 0, "ban_words", ["x", "y", "z"])
