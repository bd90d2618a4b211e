"""`radar add`: what is typed or pasted becomes a query that was looked at, and is saved only as it was wished."""

import stat
import threading
import tomllib
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.bootstrap import known_sources
from inforadar.domain.errors import ConfigError
from inforadar.domain.query_key import normalise
from inforadar.interfaces.cli.add_words import wanted_by
from inforadar.service.adding import Wish, with_asked
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.sources.search_urls import Asked
from interfaces.command_line import NOON
from interfaces.typing_user import typed

SOURCES = known_sources()
LINKEDIN = "https://www.linkedin.com/jobs/search/?keywords=python&f_ZZ=3&currentJobId=1"
RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>
<item><title>An entry</title><guid>1</guid><link>http://x.test/1</link></item></channel></rss>"""
MOVED = "moved"
PAGES = {
    "/feed.xml": ("application/rss+xml", RSS),
    "/blog": ("text/html", '<html><link rel="alternate" type="application/rss+xml" href="/feed.xml"></html>'),
    "/careers": (
        "text/html",
        '<html><iframe src="https://boards.greenhouse.io/embed/job_board?for=acme"></iframe></html>',
    ),
    "/nothing": ("text/html", "<html><p>Hello</p></html>"),
}


@contextmanager
def serving(pages, asked=None):
    """A site of these pages on this machine; `asked` is told the paths it was asked for."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            if asked is not None:
                asked.append(self.path)
            kind, text = pages.get(self.path, ("text/plain", ""))
            self.send_response(302 if kind == MOVED else 200 if self.path in pages else 404)
            self.send_header("Location" if kind == MOVED else "Content-Type", text if kind == MOVED else kind)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def site():
    with serving(PAGES) as address:
        yield address


def written(radar):
    return tomllib.loads((radar.folder / "radar.toml").read_text(encoding="utf-8"))


def test_a_preview_shows_the_newest_entries_and_names_what_was_not_understood(radar):
    ran = radar("add", LINKEDIN, "--preview")
    assert ran.code == 0
    assert 'linkedin  keywords = "python"' in ran.out
    assert "Not asked for: f_ZZ=3" in ran.out
    assert "currentJobId=1" in ran.out
    assert "AGE" in ran.out
    assert len(written(radar)["watch"]) == 2


def test_a_preview_heads_companies_and_authors_as_the_list_of_items_does(radar):
    assert " COMPANY/AUTHOR " in radar("add", LINKEDIN, "--preview").out
    radar("fetch", "jobs")
    assert " COMPANY/AUTHOR " in radar("items").out


def test_a_preview_tells_which_word_would_leave_out_what(radar):
    entries = radar("add", LINKEDIN, "--preview", "--json").json["entries"]
    word = entries[0]["title"].split()[0]
    told = radar("add", LINKEDIN, "--preview", "--json", "--ban", word).json
    banned = [one for one in told["entries"] if one["excluded"]]
    assert banned[0]["excluded"] == {"reason": "ban word", "word": word, "field": "title"}
    assert told["excluded"] == len(banned)
    assert f'"{word}"' in radar("add", LINKEDIN, "--preview", "--ban", word).out


def test_experience_counts_in_a_preview_as_it_does_in_a_sweep(radar):
    told = radar("add", "hh", "--preview", "--json").json
    assert {one["excluded"]["reason"] for one in told["entries"] if one["excluded"]} <= {"experience"}
    assert told["kind"] == "vacancy"


def test_a_preview_shows_what_the_fetch_after_it_collects(radar):
    told = radar("add", LINKEDIN, "--yes", "--json", "--name", "py").json
    assert radar("fetch", "py").code == 0
    stored = {one["url"] for one in radar("items", "--watch", "py", "--json").json}
    assert {one["url"] for one in told["entries"] if not one["excluded"]} <= stored


def test_a_new_user_gets_a_file_of_their_own_and_a_look_makes_no_database(newcomer, site):
    look = newcomer("add", f"{site}/feed.xml", "--preview")
    assert look.code == 0
    assert list(newcomer.folder.iterdir()) == []
    ran = newcomer("add", f"{site}/feed.xml", "--yes", "--name", "news", "--first-run", "baseline")
    assert ran.code == 0
    assert [one.name for one in newcomer.folder.iterdir()] == ["radar.toml"]
    assert stat.S_IMODE((newcomer.folder / "radar.toml").stat().st_mode) == 0o600
    watch = written(newcomer)["watch"][0]
    assert (watch["name"], watch["kind"], watch["first_run"]) == ("news", "article", "baseline")
    assert newcomer("fetch").code == 0


def test_a_page_leads_to_its_feed_and_a_careers_page_to_its_board(newcomer, site):
    assert newcomer("add", f"{site}/blog", "--preview", "--json").json["params"] == {"url": f"{site}/feed.xml"}
    ran = newcomer("add", f"{site}/nothing", "--preview")
    assert ran.code == 1
    assert "is no feed and links to none" in ran.err


def test_an_address_that_answers_with_json_leads_to_the_source_that_reads_any(newcomer):
    with serving({"/api": ("application/json", '{"items": [{"id": 1, "name": "a"}]}')}, []) as api:
        ran = newcomer("add", f"{api}/api", "--preview")
        assert ran.code == 1
        assert "radar add rest --url ADDRESS --list PATH --id PATH --title PATH" in " ".join(ran.err.split())
        args = ("--url", f"{api}/api", "--list", "items", "--id", "id", "--title", "name")
        assert newcomer("add", "rest", *args, "--preview", "--json").json["entries"][0]["title"] == "a"


def test_a_page_leads_nowhere_else_in_the_users_network(newcomer):
    asked: list[str] = []
    with serving({"/admin.xml": PAGES["/feed.xml"]}, asked) as intranet:
        links = f'<html><link rel="alternate" type="application/rss+xml" href="{intranet}/admin.xml"></html>'
        redirects = '<html><link rel="alternate" type="application/rss+xml" href="/moved.xml"></html>'
        pages = {
            "/blog": ("text/html", links),
            "/elsewhere": ("text/html", redirects),
            "/moved.xml": (MOVED, f"{intranet}/admin.xml"),
            "/moved": (MOVED, f"{intranet}/admin.xml"),
        }
        with serving(pages) as outside:
            for path in ("/blog", "/elsewhere", "/moved"):
                ran = newcomer("add", f"{outside}{path}", "--preview")
                assert ran.code == 1, path
                assert "An entry" not in ran.out
    assert asked == []


def test_a_board_on_a_page_of_the_company_is_found(site, radar):
    with Simulator(still_world(1, NOON, {"greenhouse": 20})) as boards:
        radar.configure(boards, f'\n[sources.greenhouse]\nbase_url = "{boards.base_urls["greenhouse"]}"\n')
        told = radar("add", f"{site}/careers", "--preview", "--json").json
    assert (told["source"], told["params"]) == ("greenhouse", {"board": "acme"})


def test_saving_keeps_every_line_of_the_file(radar):
    path = radar.folder / "radar.toml"
    path.write_text("# mine\n" + path.read_text() + "# the end", encoding="utf-8")
    before = path.read_text()
    ran = radar("add", "hh", "python", "--area", "1", "--area", "2", "--yes")
    assert ran.code == 0
    assert path.read_text().startswith(before)
    assert written(radar)["watch"][-1]["query"] == [{"source": "hh", "params": {"text": "python", "area": ["1", "2"]}}]
    assert written(radar)["watch"][-1]["name"] == "python"


def test_a_query_can_go_into_a_watch_that_is_there(radar):
    assert radar("add", "hh", "go", "--watch", "jobs", "--yes").code == 0
    assert [len(one["query"]) for one in written(radar)["watch"]] == [3, 2]
    ran = radar("add", "hh", "go", "--watch", "jobs", "--yes")
    assert ran.code == 2
    assert "jobs asks for exactly this already" in ran.err


def test_a_name_that_is_taken_is_not_proposed_again(radar):
    names = [radar("add", *words, "--yes", "--json").json["watch"] for words in (("hh", "python"), (LINKEDIN,))]
    assert names == ["python", "python-2"]


def test_what_a_watch_asks_already_is_told_and_not_saved_twice(radar, simulator):
    assert radar("add", "hh", "python", "--name", "hhpy", "--yes").code == 0
    before, asked = (radar.folder / "radar.toml").read_text(), len(simulator.log)
    ran = radar("add", "hh", "--text", " python ", "--yes")
    assert ran.code == 0
    assert "hhpy asks for exactly this already" in ran.err
    assert len(simulator.log) == asked
    ran = radar("add", "hh", "python", "--yes", "--json")
    assert (ran.code, ran.json["saved_in"]) == (0, None)
    assert "hhpy asks for exactly this already" in ran.err
    assert (radar.folder / "radar.toml").read_text() == before
    assert radar("add", "hh", "python", "--preview").code == 0
    assert radar("add", "hh", "python", "--yes", "--name", "strict", "--ban", "junior").code == 0


def test_the_name_of_a_watch_that_is_there_leads_to_the_option_that_adds_to_it(radar):
    ran = radar("add", "hh", "python", "--name", "Jobs", "--yes")
    assert ran.code == 2
    assert "jobs exists already; --watch jobs adds to it" in " ".join(ran.err.split())
    assert "line" not in ran.err


def test_without_a_terminal_nothing_is_asked_and_nothing_is_saved(radar):
    before = (radar.folder / "radar.toml").read_text()
    ran = radar("add", LINKEDIN)
    assert ran.code == 2
    assert "--yes" in ran.err
    assert (radar.folder / "radar.toml").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Say what to add"),
        (["hhh", "x"], "Did you mean 'hh'?"),
        (["hh", "x", "--aera", "1"], "Did you mean --area?"),
        (["hh", "x", "--area"], "needs a value"),
        (["hh", "x", "-z"], "no option '-z'"),
        (["hh", "x", "--page", "2"], "set by Radar itself"),
        (["hh", "x", "--text", "y", "--text", "z"], "given twice"),
        (["hh", "x", "--watch", "jbos"], "Did you mean 'jobs'?"),
        (["hh", "x", "--watch", "jobs", "--name", "y"], "--watch adds to a watch that is there"),
        (["hh", "x", "--watch", "articles"], 'source of kind "vacancy"'),
        (["hh", "x", "--name", "Jobs", "--yes"], "--watch jobs adds to it"),
        (["hh", "x", "--ban", "re:(", "--yes"], "is not a pattern"),
        (["https://hh.ru/vacancy/1"], "one listing"),
        (["https://hh.ru/search/vacancy?text=a", "b"], "in quotes"),
        (["http://"], "address"),
        (["rest", "https://x.test/", "--fields", "a"], "is a table"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(radar, arguments, told):
    before = (radar.folder / "radar.toml").read_text()
    ran = radar("add", *arguments)
    assert ran.code == 2
    assert told in " ".join(ran.err.split())
    assert (radar.folder / "radar.toml").read_text() == before


def test_a_source_that_fails_is_told_and_the_query_saved_only_if_the_user_is_sure(radar, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    assert radar("add", LINKEDIN, "--preview").code == 1
    ran = radar("add", LINKEDIN, "--yes")
    assert ran.code == 3
    assert "could not be looked at" in ran.err
    assert written(radar)["watch"][-1]["name"] == "python"


@pytest.mark.parametrize("does_it_answer", [True, False])
def test_what_a_source_needs_in_practice_and_lacks_is_told_with_the_look(radar, simulator, does_it_answer):
    if not does_it_answer:
        simulator.switch(Fault(kind="unauthorized", source="hh"))
    arguments = ("add", "https://hh.ru/search/vacancy?text=python", "--yes", "--name", "py")
    assert "without a token" not in radar(*arguments[:2], "--preview").out
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text().replace('token = "secret-of-hh"\n', ""))
    told = " ".join(radar(*arguments).out.split())
    assert "hh answers hardly anybody without a token: put one into [sources.hh] of radar.toml" in told
    assert "docs/sources/hh.md" in told


def test_where_the_look_says_that_there_is_no_such_list_it_is_said_that_nothing_was_saved(radar):
    before = written(radar)
    ran = radar("add", "https://habr.com/ru/hubs/no-such-hub/articles/", "--yes")
    assert ran.code == 1
    assert "Nothing was saved." in ran.err
    assert "Nothing was saved." not in radar("add", "habr", "--hub", "no-such-hub", "--preview").err
    assert written(radar) == before


def test_a_board_that_is_not_there_is_never_saved(radar):
    with Simulator(still_world(1, NOON, {"greenhouse": 5})) as boards:
        radar.configure(boards, f'\n[sources.greenhouse]\nbase_url = "{boards.base_urls["greenhouse"]}"\n')
        ran = radar("add", "greenhouse", "nobody-has-this", "--yes")
    assert ran.code == 1
    assert len(written(radar)["watch"]) == 2


CHANNEL = '\n[telegram]\ntoken = "1:secret"\nchat_id = 1\n\n[webhook]\nurl = "https://me.test/hook"\n'


@pytest.mark.parametrize(
    ("told", "deliver", "sentence"),
    [
        ([], ["telegram", "webhook"], "what fits is sent to telegram and webhook."),
        (["--deliver", "webhook"], ["webhook"], "what fits is sent to webhook."),
        (["--deliver", "nobody"], None, "sent nowhere"),
    ],
)
def test_what_fits_a_new_watch_goes_to_every_channel_there_is_unless_told_otherwise(
    radar, simulator, told, deliver, sentence
):
    radar.configure(simulator, CHANNEL)
    ran = radar("add", LINKEDIN, "--yes", "--name", "mine", *told)
    assert written(radar)["watch"][-1].get("deliver") == deliver, ran.err
    assert sentence in " ".join(ran.err.split())


def test_listings_of_a_price_watch_are_sent_nowhere():
    asked = Asked(source="ebay", params={"q": "morgan"})
    assert "deliver" not in with_asked(CHANNEL, asked, Wish(), "coins", SOURCES["ebay"])


def test_without_a_channel_a_new_watch_says_that_it_is_sent_nowhere(radar):
    ran = radar("add", LINKEDIN, "--yes", "--name", "mine")
    assert "sent nowhere" in " ".join(ran.err.split())
    assert "deliver" not in written(radar)["watch"][-1]


def test_a_preview_says_why_experience_leaves_out_what_nobody_banned(radar):
    ran = radar("add", "hh", "python", "--preview")
    assert "more than 6 years" in " ".join(ran.out.split())


def test_at_a_terminal_the_name_and_the_first_run_are_asked_for(radar):
    code, screen = typed(radar, ["add", LINKEDIN], [('Save as "python"? [Y/n]', ""), ("sent to you?", "b")])
    assert code == 0, screen
    assert written(radar)["watch"][-1]["first_run"] == "baseline"
    assert max(len(line) for line in screen.splitlines()) <= 80


def test_at_a_terminal_another_name_can_be_typed_and_a_no_saves_nothing(radar):
    code, screen = typed(radar, ["add", LINKEDIN, "--first-run", "all"], [("[Y/n]", "snakes")])
    assert code == 0, screen
    assert written(radar)["watch"][-1]["name"] == "snakes"
    before = (radar.folder / "radar.toml").read_text()
    code, screen = typed(radar, ["add", "hh", "python"], [("[Y/n]", "n")])
    assert code == 0
    assert "Nothing was saved." in screen
    assert (radar.folder / "radar.toml").read_text() == before


@pytest.mark.parametrize(
    "words", ["{{7*7}} {0.__class__} %s ${HOME}", "\"quoted\" 'and' \\ back", "\x1b[31mred\x7f \u202e"]
)
def test_words_are_taken_as_they_are(radar, words):
    told = radar("add", "hh", words, "--yes", "--json").json
    assert told["params"] == {"text": words}
    assert written(radar)["watch"][-1]["query"][0]["params"] == {"text": words}
    shown = radar("add", "hh", words, "--preview").out
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("typed_as_one", "told"),
    [
        ("hh python django", 'radar add hh "python django"'),
        ("HH python", 'radar add hh "python"'),
        (' hh "senior python"', "radar add hh '\"senior python\"'"),
    ],
)
def test_a_source_and_its_words_in_one_pair_of_quotes_are_told_how_they_are_written(radar, typed_as_one, told):
    refused = radar("add", typed_as_one)
    assert refused.code == 2
    assert refused.err.rstrip().endswith(told), refused.err


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.text(max_size=20) | st.sampled_from(["http://", "--", "hh", "https://hh.ru/search/vacancy?"]), max_size=4
    )
)
def test_whatever_is_typed_is_understood_or_refused_with_a_sentence(words):
    with suppress(ConfigError):
        wanted = wanted_by(words, SOURCES)
        assert wanted.asked is not None or wanted.address


def test_the_key_of_a_preview_is_that_of_the_saved_query(radar):
    told = radar("add", "hh", "Python", "--yes", "--json").json
    assert normalise(told["params"], {}) == {"text": "Python"}
    stored = {one["query_key"] for one in radar("status", "--json").json["queries"]}
    assert told["query_key"] in stored
