"""Ban words are tried together on what is stored, in bounded time, and each is told what it alone would hide."""

from datetime import UTC, datetime

import pytest

from inforadar.domain.errors import ConfigError
from inforadar.domain.item import Draft
from inforadar.observe.clock import FakeClock, SystemClock
from inforadar.service.ban_trial import try_word, try_words
from inforadar.store.watched import Watched

NOW = datetime(2026, 11, 16, tzinfo=UTC)
TITLES = ("Junior Python developer", "Lead Java developer", "Стажёр", "Junior lead")
WORDS = ("junior", "lead", "стажер", "re:^Jun", "nothing")


class TickingClock(FakeClock):
    """A clock on which every question takes a second."""

    def mono(self) -> float:
        self.advance(1)
        return super().mono()


def stored(*titles: str) -> list[Watched]:
    return [
        Watched(
            id=number,
            watch="w",
            status="QUEUED",
            draft=Draft(key=str(number), rank=NOW, url="https://x.example", title=title, company="Acme", data={}),
        )
        for number, title in enumerate(titles)
    ]


def test_words_tried_together_hide_what_each_hides_alone():
    matches = stored(*TITLES)
    together = {
        one.word: [hidden.match.id for hidden in one.hidden] for one in try_words(WORDS, matches, FakeClock(NOW))
    }
    assert together == {word: [one.match.id for one in try_word(word, matches).hidden] for word in WORDS}
    assert together["junior"] == together["re:^Jun"] == [0, 3]


def test_a_trial_that_runs_out_of_time_says_how_many_it_looked_at():
    (one,) = try_words(["junior"], stored(*["Junior"] * 50), TickingClock(NOW), within_s=20)
    assert 0 < one.looked_at < one.of_all == 50
    assert len(one.hidden) == one.looked_at
    assert one.is_cut_short
    assert one.timeouts == 0


def test_many_slow_patterns_take_no_longer_than_one():
    clock = SystemClock()
    began = clock.mono()
    trials = try_words([f"re:(x{n}|a|aa)+$" for n in range(100)], stored(*TITLES), clock)
    assert clock.mono() - began < 5
    assert [bool(one.timeouts) for one in trials[:2]] == [True, False]


def test_a_word_that_cannot_be_used_is_refused():
    with pytest.raises(ConfigError):
        try_words(["fine", "re:("], [], FakeClock(NOW))
