"""The configuration file: what it means, and every mistake at once with its line and remedy."""

import os
from datetime import date, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.bootstrap import known_sources
from inforadar.config import find_config, load, parse, sample_config
from inforadar.config.lines import key_lines, line_of
from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import ParamRule
from inforadar.domain.watch import Bounds

CANARY = "CANARY-7f3a"


class FakeSource:
    """As much of a source as a configuration needs."""

    def __init__(self, name, kind, **rules):
        self.name = name
        self.kind = kind
        self.param_rules = rules
        self.default_base_url = f"https://{name}.example"
        self.default_rate_limit_per_minute = 60

    def check(self, params):
        unknown = [name for name in params if name not in self.param_rules]
        return tuple(f"{self.name} does not know `{name}`: leave it out." for name in unknown)


SOURCES = {
    "hh": FakeSource("hh", "vacancy", text=ParamRule(ignores_case=True), area=ParamRule(is_list=True)),
    "linkedin": FakeSource("linkedin", "vacancy", keywords=ParamRule(), location=ParamRule()),
    "habr": FakeSource("habr", "article", hub=ParamRule()),
}
WATCH = '[[watch]]\nname = "w"\nkind = "vacancy"\n[[watch.query]]\nsource = "hh"\nparams = { text = "python" }\n'
DESIGNED = """\
[store]
url = "postgresql://me:pass-word@db/radar"
[sources.hh]
base_url = "http://127.0.0.1:8001/"
rate_limit_per_minute = 30
token = { env = "HH_TOKEN" }
[judge]
kind = "ollama"
[telegram]
token = { env = "TELEGRAM_TOKEN" }
chat_id = -100
[sheets]
spreadsheet_id = "abc"
window = "23:00-6:00 Europe/Madrid"
[[watch]]
name = "python-madrid"
kind = "vacancy"
profile = "Senior Python developer"
ban_words = ["1С", "junior", "re:\\\\bintern(ship)?\\\\b"]
min_score = 1
deliver = ["telegram", "sheets"]
first_run = "baseline"
  [[watch.query]]
  source = "hh"
  params = { text = "Python", area = 1 }
  limit = 100
  cutoff_date = 2026-01-01
  lookback_days = 2
  max_pages = 40
  rule = "limit"
[[watch]]
name = "articles"
kind = "article"
  [[watch.query]]
  source = "habr"
  topic = "db"
  params.hub = "postgresql"
"""


def no_file(name):
    raise ConfigError(f"{name} does not exist")


def read(text, env=None, read_file=no_file):
    return parse(text, SOURCES, env or {}, read_file)


def mistakes(text, env=None):
    with pytest.raises(ConfigError) as caught:
        read(text, env)
    assert caught.value.mistakes
    for mistake in caught.value.mistakes:
        assert mistake.remedy
        assert mistake.line
        assert str(mistake) in str(caught.value)
    return caught.value.mistakes


def only_mistake(text, env=None):
    (mistake,) = mistakes(text, env)
    return mistake


def test_the_designed_file_means_what_it_says():
    config = read(DESIGNED, {"HH_TOKEN": CANARY})
    first, second = config.watches
    (query,) = first.queries
    assert query.bounds == Bounds(limit=100, cutoff_date=date(2026, 1, 1), lookback_days=2, max_pages=40)
    assert (query.watch, query.source, query.params) == ("python-madrid", "hh", {"text": "Python", "area": 1})
    assert query.rule == "limit"
    assert query.key.startswith("hh-")
    assert (first.max_experience_years, first.min_score, first.deliver) == (6, 1.0, ("telegram", "sheets"))
    assert first.first_run == "baseline"
    assert first.ban_words[2] == r"re:\bintern(ship)?\b"
    assert (second.max_experience_years, second.queries[0].topic) == (None, "db")
    assert second.queries[0].params == {"hub": "postgresql"}
    assert second.queries[0].bounds == Bounds(window_days=30)
    hh = config.sources["hh"]
    assert (hh.base_url, hh.rate_limit_per_minute, hh.enabled) == ("http://127.0.0.1:8001", 30, True)
    assert hh.token.reveal() == CANARY
    assert config.telegram.chat_id == "-100"
    assert (config.sheets.window.start, config.sheets.window.end) == (time(23), time(6))
    assert (config.judge.base_url, config.judge.model) == ("http://127.0.0.1:11434", "qwen3:8b")
    assert config.store.shown_url == "postgresql://me:***@db/radar"


def test_every_key_but_the_watches_has_a_default():
    config = read(WATCH)
    assert config.store.url == "sqlite:///radar.db"
    assert (config.http.connect_timeout_s, config.http.read_timeout_s, config.http.deadline_s) == (10, 20, 60)
    assert config.sources["habr"].base_url == "https://habr.example"
    assert config.sources["habr"].rate_limit_per_minute == 60
    assert (config.judge.kind, config.telegram, config.sheets, config.warnings) == ("words", None, None, ())
    assert config.watches[0].queries[0].bounds == Bounds()


def test_zero_switches_a_filter_off():
    text = WATCH.replace('kind = "vacancy"', 'kind = "vacancy"\nmax_experience_years = 0') + "window_days = 0\n"
    assert read(text).watches[0].max_experience_years is None
    assert read(text).watches[0].queries[0].bounds.window_days is None


def test_the_same_question_in_other_words_has_the_same_key():
    other = WATCH.replace('{ text = "python" }', '{ area = [], text = " PYTHON " }')
    assert read(WATCH).watches[0].queries[0].key == read(other).watches[0].queries[0].key


def test_dates_may_be_texts_and_dates_in_params_become_texts():
    config = read(WATCH.replace('"python"', "2026-01-05") + 'cutoff_date = "2026-02-03"\n')
    query = config.watches[0].queries[0]
    assert query.bounds.cutoff_date == date(2026, 2, 3)
    assert query.params == {"text": "2026-01-05"}


def test_the_sample_loads_as_it_is_and_needs_no_key():
    config = parse(sample_config(), known_sources(), {}, no_file)
    assert config.warnings == ()
    asked = {query.source for watch in config.watches for query in watch.queries}
    assert asked == {"linkedin", "habr", "greenhouse", "feed"}


def test_the_commented_parts_of_the_sample_load_too():
    lines = [line.replace("# ", "", 1) if line.lstrip().startswith(("# [", "# s", "# p", "# t", "# c")) else line
             for line in sample_config().splitlines()]  # fmt: skip
    config = parse("\n".join(lines), known_sources(), {"HH_TOKEN": CANARY, "TELEGRAM_TOKEN": CANARY}, no_file)
    assert config.sources["hh"].token.reveal() == CANARY
    assert config.telegram.token.reveal() == CANARY
    assert config.watches[0].queries[2].source == "hh"


def test_every_mistake_is_named_at_once_in_the_order_of_the_lines():
    found = mistakes(
        """\
        stroe = 1
        [http]
        deadline_s = "soon"
        [sources.hhh]
        [sources.hh]
        rate_limit_per_minute = 0
        base_url = "ftp://x"
        [[watch]]
        name = "one"
        kind = "vacancy"
        ban_words = [
          "fine",
          "re:(",   # a comment, with "quotes"
        ]
        min_scor = 0.5
        deliver = ["telegram"]
          [[watch.query]]
          source = "habr"
          [[watch.query]]
          source = "hh"
          params = { txt = "python" }
          limit = -3
          cutoff_date = "yesterday"
        [[watch]]
        name = "ONE"
        kind = "vacanci"
        """
    )
    assert [(mistake.line, mistake.where) for mistake in found] == [
        (1, "stroe"),
        (3, "http.deadline_s"),
        (4, "sources.hhh"),
        (6, "sources.hh.rate_limit_per_minute"),
        (7, "sources.hh.base_url"),
        (13, 'watch "one", ban_words 2'),
        (15, 'watch "one", min_scor'),
        (16, 'watch "one", deliver'),
        (18, 'watch "one", query 1, source'),
        (21, 'watch "one", query 2, params, txt'),
        (22, 'watch "one", query 2, limit'),
        (23, 'watch "one", query 2, cutoff_date'),
        (24, 'watch "ONE"'),
        (25, 'watch "ONE", name'),
        (26, 'watch "ONE", kind'),
    ]
    said = [f"{mistake.problem}. {mistake.remedy}" for mistake in found]
    assert "Did you mean `store`?" in said[0]
    assert "Did you mean `hh`?" in said[2]
    assert "Did you mean `min_score`?" in said[6]
    assert "Add a [telegram] table" in said[7]
    assert 'kind "article"' in said[8]
    assert said[9] == "hh does not know `txt`. Leave it out"
    assert "Write 1 or more" in said[10]
    assert "line 9" in said[13]
    assert '"vacancy", "article", "price"' in said[14]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[store\nurl = 1", 1, "Expected"),
        ('a = "x\nb = 1', 1, "Illegal character"),
        ("a = 1\na = 2", 2, "overwrite"),
        ("\n\na = ", 3, "Invalid value"),
        ("a = [1,\n2,", 2, "Invalid value"),
        ("a = 1" + "0" * 5000, 1, "integer"),
    ],
)
def test_a_syntax_error_is_named_with_its_line(text, line, words):
    mistake = only_mistake(text)
    assert mistake.line == line
    assert words in mistake.problem
    assert "(at" not in mistake.problem


@pytest.mark.parametrize(
    ("text", "is_hinted"),
    [('a = "x\nb = 1', True), ('a = "x\r\nb = 1', True), ("a = 1\na = 2", False), ("a = ", False)],
)
def test_a_quote_that_is_not_closed_is_told_as_one(text, is_hinted):
    assert ("a quote may be missing at its end" in only_mistake(text).remedy) is is_hinted


@pytest.mark.parametrize(
    ("change", "where", "words"),
    [
        (("[[watch]]", "[watch]"), "watch", "[[watch]]"),
        (("[[watch.query]]", "[watch.query]"), 'watch "w", query', "[[watch.query]]"),
        (('name = "w"', 'name = " "'), "watch 1, name", "is empty"),
        (('name = "w"\n', ""), "watch 1, name", "is missing"),
        (('name = "w"', 'name = "-w"'), 'watch "-w", name', "dash"),
        (('name = "w"', f'name = "{"w" * 65}"'), f'watch "{"w" * 65}", name', "65 characters"),
        (('name = "w"', "name = 7"), "watch 1, name", "the number 7"),
        (('kind = "vacancy"\n', ""), 'watch "w", kind', '"vacancy" or "article" or "price"'),
        (('source = "hh"', 'source = "headhunter"'), 'watch "w", query 1, source', "Known are"),
        (('source = "hh"\n', ""), 'watch "w", query 1, source', "is missing"),
        (('{ text = "python" }', '"python"'), 'watch "w", query 1, params', "Write a table"),
        (("params =", "limit = true\nparams ="), 'watch "w", query 1, limit', "the flag true"),
        (("params =", "max_pages = 1.5\nparams ="), 'watch "w", query 1, max_pages', "whole number"),
        (("params =", "cutoff_date = 7\nparams ="), 'watch "w", query 1, cutoff_date', "2026-01-31"),
        (("params =", 'rule = "limit"\nparams ='), 'watch "w", query 1, rule', "Add limit"),
        (("params =", 'rule = "cutoff"\nparams ='), 'watch "w", query 1, rule', "Add cutoff_date"),
        (("params =", 'rule = "window"\nparams ='), 'watch "w", query 1, rule', "window_days or cutoff_date"),
        (("[[watch]]", "[[watch]]\nmin_score = nan"), 'watch "w", min_score', "Write a number"),
        (("[[watch]]", "[[watch]]\nmin_score = 1.5"), 'watch "w", min_score', "0 to 1"),
        (("[[watch]]", '[[watch]]\nban_words = "junior"'), 'watch "w", ban_words', "Write a list"),
        (("[[watch]]", "[[watch]]\nban_words = [\n1]"), 'watch "w", ban_words 1', "in quotes"),
        (("[[watch]]", '[[watch]]\ndeliver = ["telegramm"]'), 'watch "w", deliver 1', '"telegram"'),
        (("[[watch]]", "sources = 1\n[[watch]]"), "sources", "[sources.hh]"),
        (("[[watch]]", "[sources]\nhh = 1\n[[watch]]"), "sources.hh", "not a table"),
        (("[[watch]]", "store = 1\n[[watch]]"), "store", "not a table"),
        (("[[watch]]", '[store]\nurl = "mysql://x"\n[[watch]]'), "store.url", "sqlite:///"),
        (("[[watch]]", '[store]\nurl = "sqlite://radar.db"\n[[watch]]'), "store.url", "sqlite:///radar.db"),
        (("[[watch]]", '[store]\nurl = "sqlite:///:memory:"\n[[watch]]'), "store.url", "forget"),
        (("[[watch]]", '[store]\nurl = { env = "NO" }\n[[watch]]'), "store.url", "NO is not set"),
        (("[[watch]]", '[judge]\nkind = "openai"\n[[watch]]'), "judge.model", "is missing"),
        (("[[watch]]", '[sheets]\nwindow = "3-6"\n[[watch]]'), "sheets.window", "03:00-06:00"),
        (("[[watch]]", '[sheets]\nwindow = "03:00-06:00 Mars/X"\n[[watch]]'), "sheets.window", "Europe"),
        (("[[watch]]", '[sheets]\nfeedback_column = "Status"\n[[watch]]'), "sheets.feedback_column", "'status'"),
        (("[[watch]]", '[sheets]\nnote_column = "key"\n[[watch]]'), "sheets.note_column", "'key'"),
        (("[[watch]]", '[sheets]\nnote_column = " Feedback"\n[[watch]]'), "sheets.note_column", "feedback_column"),
        (("[[watch]]", '[sheets]\noffers_sheet = "companies"\n[[watch]]'), "sheets.companies_sheet", "offers_sheet"),
        (("[[watch]]", '[sheets]\nnote_column = " "\n[[watch]]'), "sheets.note_column", "empty"),
        (("[[watch]]", '[sources.hh]\nbase_url = "http://a b"\n[[watch]]'), "sources.hh.base_url", "web address"),
        (("[[watch]]", '[sources.hh]\nbase_url = "http://u:p@h"\n[[watch]]'), "sources.hh.base_url", "user name"),
        (("[[watch]]", '[sources.hh]\nbase_url = "http://h:x"\n[[watch]]'), "sources.hh.base_url", "web address"),
        (("[[watch]]", "[sources.hh]\ntoken = 7\n[[watch]]"), "sources.hh.token", "env ="),
        (("[[watch]]", '[sources.hh]\ntoken = { environ = "X" }\n[[watch]]'), "sources.hh.token", "env ="),
        (("[[watch]]", '[sources.hh]\ntoken = { env = "X" }\n[[watch]]'), "sources.hh.token", "X is not set"),
        (("[[watch]]", '[sources.hh]\ntoken = { file = "x" }\n[[watch]]'), "sources.hh.token", "does not exist"),
    ],
)
def test_each_mistake_says_where_what_and_what_to_do(change, where, words):
    assert change[0] in WATCH
    mistake = only_mistake(WATCH.replace(*change, 1))
    assert mistake.where == where
    assert words in f"{mistake.problem}. {mistake.remedy}"


def test_a_setting_of_the_watch_below_a_query_is_told_where_it_belongs():
    mistake = only_mistake(WATCH + 'deliver = ["telegram"]\n')
    assert mistake.problem == "belongs to the watch, not to one of its queries"
    assert mistake.remedy == "Write it above the first [[watch.query]] of the watch"


def test_a_part_of_a_setting_s_name_leads_to_it():
    mistake = only_mistake(WATCH + '[judge]\nkind = "ollama"\nmodel = "x"\nurl = "http://127.0.0.1:1/"\n')
    assert (mistake.where, mistake.remedy) == ("judge.url", "Did you mean `base_url`?")


def test_an_empty_file_says_how_to_begin():
    with pytest.raises(ConfigError, match="radar add URL"):
        read("")


def test_a_watch_without_queries_asks_nothing():
    assert only_mistake('[[watch]]\nname = "w"\nkind = "vacancy"').problem == "asks nothing"


def test_two_queries_that_ask_the_same_are_one_too_many():
    mistake = only_mistake(WATCH + '[[watch.query]]\nsource = "hh"\nparams = { text = "PYTHON " }\n')
    assert (mistake.line, mistake.where) == (7, 'watch "w", query 2')
    assert "line 4" in mistake.problem


def test_two_watches_may_ask_the_same():
    assert len(read(WATCH + WATCH.replace('"w"', '"v"')).watches) == 2


@pytest.mark.parametrize("setting", ["enabled = false\n", ""])
def test_a_secret_nobody_needs_may_be_missing(setting):
    asked = "linkedin" if not setting else "hh"
    text = f'[sources.hh]\n{setting}token = {{ env = "HH_TOKEN" }}\n' + WATCH.replace(
        'source = "hh"\nparams = { text = "python" }',
        f'source = "{asked}"',
    )
    config = read(text)
    assert config.sources["hh"].token is None
    assert [("switched off" in warning) for warning in config.warnings] == ([True] if setting else [])


def test_a_missing_secret_of_a_sink_in_use_is_a_warning():
    (warning,) = read(DESIGNED, {"HH_TOKEN": CANARY}).warnings
    assert warning.startswith("line 10, telegram.token: the environment variable TELEGRAM_TOKEN is not set")


def test_no_secret_shows_in_any_representation():
    text = DESIGNED.replace('{ env = "HH_TOKEN" }', f'"{CANARY}"')
    config = read(text, {"TELEGRAM_TOKEN": CANARY + "2"})
    assert CANARY not in repr(config)
    assert "pass-word" not in repr(config)
    assert set(config.secrets()) == {"pass-word", CANARY, CANARY + "2"}
    with pytest.raises(ConfigError) as caught:
        read(text.replace("limit = 100", "limit = 0"))
    assert CANARY not in str(caught.value)


def test_a_mistake_in_the_store_url_does_not_show_its_password():
    mistake = only_mistake(f'[store]\nurl = "mysql://u:{CANARY}@h/db"\n' + WATCH)
    assert CANARY not in str(mistake)


def written(folder, content, mode=0o600):
    path = folder / "radar.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def test_relative_paths_start_at_the_file(tmp_path):
    (tmp_path / "token").write_text(f"{CANARY}\n")
    path = written(tmp_path, '[sources.hh]\ntoken = { file = "token" }\n' + WATCH)
    config = load(path, SOURCES, {})
    assert config.sources["hh"].token.reveal() == CANARY
    assert config.store.url == f"sqlite:///{tmp_path}/radar.db"
    assert config.path == path


def test_an_absolute_store_path_stays(tmp_path):
    config = load(written(tmp_path, '[store]\nurl = "sqlite:////var/x.db"\n' + WATCH), SOURCES, {})
    assert config.store.url == "sqlite:////var/x.db"


@pytest.mark.parametrize(
    "content", ["\ufeff" + WATCH, WATCH.replace("\n", "\r\n"), "\ufeff" + WATCH.replace("\n", "\r\n")]
)
def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path, content):
    assert load(written(tmp_path, content), SOURCES, {}).watches == read(WATCH).watches


def test_windows_line_ends_count_as_one_line():
    assert only_mistake(WATCH.replace("params =", "limit = 0\nparams =").replace("\n", "\r\n")).line == 6


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (WATCH.encode("utf-16"), "line 1: this is not UTF-8"),
        (WATCH.encode() + b"# \xff", "line 7: this is not UTF-8"),
        (b"#" * (1024 * 1024 + 1), "larger than 1024 KiB"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"", "there is no watch"),
        (b"\0", "has a mistake"),
    ],
)
def test_a_file_that_is_none_of_ours_gets_a_sentence(tmp_path, content, words):
    with pytest.raises(ConfigError, match=words):
        load(written(tmp_path, content), SOURCES, {})


def test_a_missing_file_and_a_folder_get_a_sentence(tmp_path):
    with pytest.raises(ConfigError, match="does not exist"):
        load(tmp_path / "no.toml", SOURCES, {})
    with pytest.raises(ConfigError, match="is a folder"):
        load(tmp_path, SOURCES, {})


@pytest.mark.parametrize(("mode", "is_open"), [(0o644, True), (0o640, True), (0o600, False)])
def test_a_file_with_secrets_that_others_can_read_is_warned_of(tmp_path, mode, is_open):
    path = written(tmp_path, f'[sources.hh]\ntoken = "{CANARY}"\n' + WATCH, mode)
    warnings = load(path, SOURCES, {}).warnings
    assert [f"chmod 600 {path}" in warning for warning in warnings] == ([True] if is_open else [])


def test_an_open_file_without_secrets_is_fine(tmp_path):
    assert load(written(tmp_path, '[store]\nurl = "sqlite:///a.db"\n' + WATCH, 0o644), SOURCES, {}).warnings == ()


def test_the_file_is_looked_for_in_four_places(tmp_path):
    home, here = tmp_path / "home", tmp_path / "here"
    (home / ".config/inforadar").mkdir(parents=True)
    here.mkdir()
    env = {"HOME": str(home)}
    assert find_config(None, env, here) is None
    (home / ".config/inforadar/radar.toml").touch()
    assert find_config(None, env, here) == home / ".config/inforadar/radar.toml"
    assert find_config(None, env | {"XDG_CONFIG_HOME": str(tmp_path)}, here) is None
    (here / "radar.toml").touch()
    assert find_config(None, env, here) == here / "radar.toml"
    assert find_config(None, env | {"RADAR_CONFIG": "other.toml"}, here) == here / "other.toml"
    assert find_config("/x.toml", env | {"RADAR_CONFIG": "other.toml"}, here) == Path("/x.toml")
    assert find_config(None, {}, here / os.pardir) is None


def test_lines_are_found_in_every_way_to_write_a_key():
    lines = key_lines(
        """\
# [not.a.table]
top = '''
[not.a.table]
x = 1
'''
"quoted key" . 'sub' = { a = 1, b = [ { c = "}" } ] } # = [
[a.b]
list = [ # one
  "x]",
  [1, 2], """
        + '''"""
multi ]
""",
]
[[a.c]]
[[a.c]]
k = 1
[a.c.d]
m = 1979-05-27T07:32:00Z
[[a.c.e]]
n."\\u0041" = "\\""
'''
    )
    assert lines[("top",)] == 2
    assert ("x",) not in lines
    assert lines[("quoted key", "sub", "b", 0, "c")] == 6
    assert lines[("a", "b")] == 7
    assert [lines[("a", "b", "list", index)] for index in range(3)] == [9, 10, 10]
    assert (lines[("a", "c", 0)], lines[("a", "c", 1)], lines[("a", "c", 1, "k")]) == (14, 15, 16)
    assert lines[("a", "c", 1, "d", "m")] == 18
    assert lines[("a", "c", 1, "e", 0, "n", "A")] == 20
    assert line_of(lines, ("a", "c", 1, "missing")) == 15
    assert line_of(lines, ("nowhere",)) is None


@given(st.text("[]{}=.,#\"'\\\n\r ab1", max_size=40))
def test_no_text_breaks_the_reading(text):
    with pytest.raises(ConfigError):
        read(text)


@pytest.mark.parametrize(("token", "is_taken"), [("a", False), ("1234567", False), ("12345678", True)])
def test_a_token_of_the_page_that_can_be_guessed_is_a_mistake(token, is_taken):
    for written, env in ((f'"{token}"', {}), ('{ env = "T" }', {"T": token})):
        text = f"{WATCH}[web]\ntoken = {written}\n"
        if is_taken:
            assert read(text, env).web.token.reveal() == token
        else:
            mistake = only_mistake(text, env)
            assert (mistake.where, "guessed" in mistake.problem) == ("web.token", True)
            assert "characters" in mistake.remedy


def test_a_trusted_proxy_is_named_by_its_address():
    text = f"{WATCH}[web]\ntrusted_proxies = "
    assert read(f'{text}["127.0.0.1", "::1"]\n').web.trusted_proxies == ("127.0.0.1", "::1")
    mistake = only_mistake(f'{text}["127.0.0.1", "nginx"]\n')
    assert (mistake.where, mistake.problem) == ("web.trusted_proxies", "'nginx' is no IP address")


@pytest.mark.parametrize(
    ("written", "flaw"),
    [
        ("2026-13-01", "2026-13-01 is no date: there is no month 13"),
        ("2026-02-30", "2026-02-30 is no date: there is no day 30 in 2026-02"),
        ("2026-00-10", "2026-00-10 is no date: there is no month 00"),
        ("2026-1-5", "2026-1-5 is no date: month and day have two digits each"),
    ],
)
def test_a_date_that_is_none_is_told_with_its_line_and_why(written, flaw):
    (mistake,) = mistakes(f'[[watch]]\nname = "a"\ncutoff_date = {written}\n')
    assert (mistake.line, mistake.where, mistake.problem) == (3, "cutoff_date", flaw)


def test_another_mistake_beside_a_good_date_is_not_blamed_on_the_date():
    (mistake,) = mistakes('[[watch]]\nname = "a"\ncutoff_date = 2026-01-05 x\n')
    assert (mistake.line, mistake.where) == (3, "TOML")
