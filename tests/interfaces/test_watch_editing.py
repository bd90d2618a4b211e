"""Watches are added, changed and removed in a file that a person wrote, and everything else in it stays."""

import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.config.editing import change_file
from inforadar.config.toml_text import toml_text
from inforadar.config.watch_editing import (
    watch_line,
    watch_names,
    with_more,
    with_pause,
    with_query,
    with_watch,
    with_watch_setting,
    without_watch,
)
from inforadar.domain.errors import ConfigError

TEXT = """\
# my radar
[store]
url = "sqlite:///radar.db"   # here

# jobs
[[watch]]
name = "jobs"                # the first
kind = "vacancy"
ban_words = [
  "junior",   # not me
  're:\\bintern\\b', # nor this, [really]
]
  [[watch.query]]
  source = "hh"
  params = { text = "python" }

  # [[watch.query]]
  # source = "linkedin"

# articles
[[watch]]
name = "articles"
kind = "article"
  [[watch.query]]
  source = "habr"
[telegram]
chat_id = 1
"""
QUERY = {"source": "feed", "params": {"url": "https://example.org/a?b=1", "text": ['a "b"', "c\\d"]}}
ENDS = pytest.mark.parametrize("end", ["\n", "\r\n"])


def kept(before: str, after: str) -> bool:
    """Whether every line of a text is still there, in order."""
    lines = iter(after.splitlines())
    return all(line in lines for line in before.splitlines())


@ENDS
def test_a_watch_is_added_below_everything(end):
    text = TEXT.replace("\n", end)
    changed = with_watch(text, {"name": "new", "kind": "article", "query": [QUERY]})
    assert changed.startswith(text)
    assert watch_names(changed) == ["jobs", "articles", "new"]
    assert changed.count("\n") == changed.count(end)


@pytest.mark.parametrize("text", ["", "# only a comment", "[store]\nurl = 'sqlite:///a.db'"])
def test_a_watch_is_added_to_a_file_without_any(text):
    changed = with_watch(text, {"name": "new", "kind": "article", "query": [QUERY]})
    assert changed.startswith(text)
    assert tomllib.loads(changed)["watch"][0]["query"] == [QUERY]


@ENDS
@pytest.mark.parametrize("index", [0, 1])
def test_a_query_is_added_to_its_own_watch(index, end):
    text = TEXT.replace("\n", end)
    changed = with_query(text, index, QUERY)
    assert kept(text, changed)
    assert [len(one["query"]) for one in tomllib.loads(changed)["watch"]] == [1 + (index == 0), 1 + (index == 1)]
    assert changed.index("[telegram]") > changed.index("example.org")


def test_a_watch_that_is_resumed_reads_as_before_it_was_paused():
    paused = with_pause(TEXT, 1, is_paused=True)
    assert 'name = "articles"\npaused = true\n' in paused
    assert kept(TEXT, paused)
    assert with_pause(paused, 1, is_paused=False) == TEXT


def test_a_comment_beside_the_flag_outlasts_the_end_of_a_pause():
    paused = with_pause(TEXT, 1, is_paused=True).replace("paused = true", "paused = true  # until spring")
    resumed = with_pause(paused, 1, is_paused=False)
    assert resumed == paused.replace("paused = true", "paused = false")
    assert with_pause(resumed, 1, is_paused=True) == paused


def test_a_word_is_added_to_a_list_of_several_lines_with_comments():
    changed = with_more(TEXT, 0, "ban_words", ["1С", 're:\\d+"'])
    assert tomllib.loads(changed)["watch"][0]["ban_words"] == ["junior", "re:\\bintern\\b", "1С", 're:\\d+"']
    assert all(comment in changed for comment in ("# not me", "# nor this, [really]"))


@pytest.mark.parametrize(
    "written", ["[]", "[ ]", '["a"]', '["a",]', '["a" , # b\n]', "[\n  # none yet\n]", "['''a''', \"b]\"]"]
)
def test_a_word_is_added_to_a_list_however_it_is_written(written):
    text = f'[[watch]]\nname = "x"\nban_words = {written} # end\nkind = "article"\n'
    before = tomllib.loads(text)["watch"][0]["ban_words"]
    assert tomllib.loads(with_more(text, 0, "ban_words", ["z"]))["watch"][0]["ban_words"] == [*before, "z"]


def test_a_word_is_added_where_there_is_no_list_yet():
    assert tomllib.loads(with_more(TEXT, 1, "ban_words", ["z"]))["watch"][1]["ban_words"] == ["z"]


def test_a_watch_is_removed_with_its_queries_and_nothing_else():
    changed = without_watch(TEXT, 0)
    assert watch_names(changed) == ["articles"]
    assert all(part in changed for part in ("# my radar", "# articles", "[telegram]", "# here"))
    assert "python" not in changed
    assert watch_names(without_watch(TEXT, 1)) == ["jobs"]


@pytest.mark.parametrize("text", ['watch = [{ name = "a", kind = "article" }]', '[[watch]]\nname = "a"\n[[other]]\n'])
def test_what_is_written_in_another_way_is_left_alone(text):
    for changed in (with_query(text, 0, QUERY), with_watch_setting(text, 0, "paused", True), without_watch(text, 0)):
        assert changed is None or kept("[[other]]", changed)


def test_of_several_changes_at_once_none_is_lost(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_text(TEXT)

    def add(number):
        change_file(path, lambda text: with_more(text, 0, "ban_words", [f"w{number}"]), tomllib.loads)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    assert set(tomllib.loads(path.read_text())["watch"][0]["ban_words"]) >= {f"w{number}" for number in range(40)}


def test_a_change_that_is_no_configuration_is_not_written(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_text(TEXT)
    with pytest.raises(ZeroDivisionError):
        change_file(path, lambda text: text + "\n# more", lambda _text: 1 // 0)
    with pytest.raises(ConfigError, match="not changed by a program"):
        change_file(path, lambda _text: None, tomllib.loads)
    assert path.read_text() == TEXT


def test_a_watch_is_found_by_its_line():
    assert TEXT.splitlines()[watch_line(TEXT, 1) - 1] == "[[watch]]"


VALUES = st.recursive(
    st.text() | st.booleans() | st.integers(-1000, 1000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_whatever_is_written_reads_as_it_was_meant(values):
    assert tomllib.loads(f"it = {toml_text(values)}")["it"] == values


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=3))
def test_any_words_can_be_added_to_a_list(words):
    assert tomllib.loads(with_more(TEXT, 0, "ban_words", words))["watch"][0]["ban_words"][2:] == words
