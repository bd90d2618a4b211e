"""What a ban word would hide of what is stored, before it is banned."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import Clock
from inforadar.domain.screening import PATTERN_PREFIX, BanList, Hit, compile_ban_words, screened_texts
from inforadar.store.watched import Watched

TRIAL_S = 3.0
"""How long the trial of all words of a page may take together."""
# What patterns with nested repetitions take longest for: much of the same, and then something else.
PROBES = ("a" * 200 + "!", "0" * 200 + "!", "a " * 100 + "!", "a1 B_-" * 50 + "!", " " * 200 + "!")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A stored match that the word is in, and where."""

    match: Watched
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How a word did on stored matches; `timeouts`: on how many texts, also made-up ones, it ran out of time.

    `of_all`: how many matches there were to look at, where the trial may have run out of time before the last.
    """

    word: str
    looked_at: int
    hidden: tuple[Hidden, ...]
    timeouts: int
    of_all: int | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether some matches were not looked at."""
        return self.of_all is not None and self.looked_at < self.of_all


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


def try_words(words: Sequence[str], matches: Sequence[Watched], clock: Clock, within_s: float = TRIAL_S) -> list[Trial]:
    """Try several words on matches together, in the time given; the first slow pattern ends it. Raises ConfigError."""
    for word in words:
        check_word(word)
    ends_at = clock.mono() + within_s
    own = {word: compile_ban_words([word])[0] for word in words}
    slow = _slow_one(own, lambda: clock.mono() > ends_at)
    hidden: dict[str, list[Hidden]] = {word: [] for word in words}
    looked_at = 0
    plain, _ = compile_ban_words(word for word in words if not word.startswith(PATTERN_PREFIX))
    for match in matches if slow is None else ():
        hits = _hits(match, own, plain, lambda: clock.mono() > ends_at)
        if hits is None:
            break
        looked_at += 1
        for hit in hits:
            hidden[hit.word].append(Hidden(match=match, hit=hit))
    return [
        Trial(
            word=word,
            looked_at=looked_at,
            hidden=tuple(hidden[word]),
            timeouts=sum(own[word].timeouts.values()) or int(word == slow),
            of_all=len(matches),
        )
        for word in words
    ]


def _slow_one(own: dict[str, BanList], is_late: Callable[[], bool]) -> str | None:
    """The first word that runs out of time on made-up texts, its own or that of all."""
    for word, ban_list in own.items():
        for text in PROBES:
            ban_list.hit({"made up": text})
            if ban_list.timeouts or is_late():
                return word
    return None


def _hits(match: Watched, own: dict[str, BanList], plain: BanList, is_late: Callable[[], bool]) -> list[Hit] | None:
    """Every word that is in a match; None = the time was over before all were tried."""
    texts = screened_texts(match.draft)
    may_be_plain = not plain.is_empty and plain.hit(texts) is not None
    tried = [one for word, one in own.items() if may_be_plain or word.startswith(PATTERN_PREFIX)]
    found = []
    for ban_list in tried:
        hit = ban_list.hit(texts)
        found += [hit] if hit else []
        if is_late():
            return None
    return None if is_late() else found
