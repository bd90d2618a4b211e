"""What a ban word would hide of what is stored, before it is banned."""

from collections.abc import Iterable
from dataclasses import dataclass

from inforadar.domain.errors import ConfigError
from inforadar.domain.screening import Hit, compile_ban_words, screened_texts
from inforadar.store.watched import Watched

# What patterns with nested repetitions take longest for: much of the same, and then something else.
PROBES = ("a" * 200 + "!", "0" * 200 + "!", "a " * 100 + "!", "a1 B_-" * 50 + "!", " " * 200 + "!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A stored match that the word is in, and where."""

    match: Watched
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How a word did on stored matches; `timeouts`: on how many texts, also made-up ones, it ran out of time."""

    word: str
    looked_at: int
    hidden: tuple[Hidden, ...]
    timeouts: int


def check_word(word: str) -> None:
    """Raise ConfigError for a word that cannot be used."""
    _, mistakes = compile_ban_words([word])
    if mistakes:
        one = mistakes[0]
        raise ConfigError(f"The {one.where} {one.problem}. {one.remedy}.")


def try_word(word: str, matches: Iterable[Watched]) -> Trial:
    """Try a word on matches; a slow pattern is given up after some texts, as in a sweep. Raises ConfigError."""
    check_word(word)
    ban_list, _ = compile_ban_words([word])
    for text in PROBES:
        ban_list.hit({"made up": text})
    hidden, looked_at = [], 0
    for match in matches:
        looked_at += 1
        hit = ban_list.hit(screened_texts(match.draft))
        if hit is not None:
            hidden.append(Hidden(match=match, hit=hit))
    timeouts = sum(ban_list.timeouts.values())
    return Trial(word=word, looked_at=looked_at, hidden=tuple(hidden), timeouts=timeouts)
