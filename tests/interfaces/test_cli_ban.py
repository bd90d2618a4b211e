"""`radar ban`: a word is tried on what is stored, and hides only what comes after it was added."""

import tomllib

import pytest


@pytest.fixture
def fetched(radar):
    radar("fetch", "jobs")
    return radar


def common_word(radar) -> str:
    """A word of several stored titles."""
    titles = [one["title"] for one in radar("items", "--watch", "jobs", "--limit", "100", "--json").json]
    words = [word for title in titles for word in title.split() if word.isalpha()]
    return max(set(words), key=words.count)


def bans(radar):
    return [one.get("ban_words", []) for one in tomllib.loads((radar.folder / "radar.toml").read_text())["watch"]]


def test_a_trial_counts_what_a_word_would_hide_and_shows_it(fetched):
    word = common_word(fetched)
    items = fetched("items", "--watch", "jobs", "--limit", "1000", "--json").json
    told = fetched("ban", "test", word, "--watch", "jobs", "--json").json
    assert told["stored"] == len(items)
    assert told["hidden"] == len(told["items"]) > 0
    assert (
        f"would hide {told['hidden']} of {told['stored']} stored matches"
        in fetched("ban", "test", word, "--watch", "jobs").out
    )
    assert told["items"][0]["title"] in fetched("ban", "test", word, "--show").out
    assert bans(fetched) == [[], []]


def test_an_added_word_stands_in_every_watch_or_in_one(fetched):
    ran = fetched("ban", "add", "foo", "re:\\bbar\\b")
    assert ran.code == 0
    assert bans(fetched) == [["foo", "re:\\bbar\\b"], ["foo", "re:\\bbar\\b"]]
    fetched("ban", "add", "baz", "--watch", "jobs")
    assert bans(fetched) == [["foo", "re:\\bbar\\b", "baz"], ["foo", "re:\\bbar\\b"]]
    assert "banned already" in fetched("ban", "add", "baz", "--watch", "jobs").err


def test_a_word_for_all_watches_names_them_and_the_command_that_takes_it_back(radar):
    before = (radar.folder / "radar.toml").read_text()
    ran = radar("ban", "add", "two words")
    assert 'jobs: banned "two words"' in ran.err
    assert 'articles: banned "two words"' in ran.err
    assert "It holds in every watch; --watch NAME bans in one alone." in ran.err
    assert "radar ban remove 'two words'" in ran.err
    ran = radar("ban", "remove", "two words")
    assert ran.code == 0
    assert bans(radar) == [[], []]
    assert "jobs, articles" in ran.err
    ran = radar("ban", "remove", "two words")
    assert ran.code == 2
    assert "not banned" in ran.err
    assert before.splitlines()[0] == (radar.folder / "radar.toml").read_text().splitlines()[0]


def test_a_word_is_taken_back_in_one_watch_alone(radar):
    radar("ban", "add", "foo", "bar")
    assert radar("ban", "remove", "foo", "--watch", "jobs").code == 0
    assert bans(radar) == [["bar"], ["foo", "bar"]]


def test_one_stored_match_with_the_word_is_spoken_of_in_the_singular(radar):
    radar("fetch", "--source", "hh", "--limit", "1")
    told = " ".join(radar("ban", "add", common_word(radar)).err.split())
    assert "1 of 1 stored match has" in told
    assert "it stays, unless it still waits for the judge" in told


def test_what_is_stored_stays_and_what_comes_is_left_out(radar, simulator):
    radar("fetch", "--source", "hh", "--limit", "10")
    before = len(radar("items", "--limit", "1000", "--json").json)
    word = common_word(radar)
    ran = radar("ban", "add", word)
    assert "they stay" in " ".join(ran.err.split())
    assert radar("fetch", "--source", "hh").code == 0
    told = radar("ban", "test", word, "--json").json
    assert len(radar("items", "--limit", "1000", "--json").json) > before
    assert all(one["id"] <= before for one in told["items"])


@pytest.mark.parametrize("word", ["re:(", "re:.*", " ", "x" * 300, "re:(a{1000}){1000}"])
@pytest.mark.parametrize("act", ["test", "add"])
def test_a_word_that_cannot_be_used_is_refused_with_its_reason(radar, act, word):
    ran = radar("ban", act, word)
    assert ran.code == 2
    assert "ban word" in ran.err
    assert bans(radar) == [[], []]


def test_a_pattern_that_runs_out_of_time_is_not_added(fetched):
    slow = "re:(a|aa)+$"
    ran = fetched("ban", "add", slow)
    assert ran.code == 2
    assert "ran out of time" in " ".join(ran.err.split())
    assert bans(fetched) == [[], []]
    assert fetched("ban", "test", slow, "--json").json["timeouts"] > 0


def test_the_list_tells_how_much_each_word_left_out(radar):
    assert "No word is banned" in radar("ban").err
    word = "Python"
    radar("ban", "add", word, "--watch", "jobs")
    ran = radar("fetch", "jobs", "--json")
    told = radar("ban", "list", "--json").json
    assert told == [{"watch": "jobs", "word": word, "left_out": told[0]["left_out"]}]
    left_out = sum(one["unseen"] - one["added"] for one in ran.json["queries"])
    assert told[0]["left_out"] == left_out > 0
    assert word in radar("ban").out


def test_an_unknown_watch_is_named(radar):
    for act in ("test", "add"):
        assert "Did you mean 'jobs'?" in radar("ban", act, "x", "--watch", "jbos").err
