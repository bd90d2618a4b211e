"""Filters at the door: ban words that hit what a person sees, and required experience."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Literal

import regex  # type: ignore[import-untyped]

from inforadar.domain.errors import Mistake
from inforadar.domain.folding import views, visible, without_accents
from inforadar.domain.item import Draft

PATTERN_PREFIX = "re:"
LONGEST_WORD = 200
PATTERN_TIMEOUT_S = 0.05
SLOW_TEXTS_ALLOWED = 3
MOST_REPEATS = 10_000
BETWEEN_VIEWS = "\0"

SCREENED_DATA = ("snippet", "tags", "hubs", "skills", "key_skills", "author", "place", "address")
NOT_TEXT = frozenset({"id", "url"})

# The least years each of hh's answers asks for; the last one asks for more than that.
EXPERIENCE_FLOORS = {"noExperience": 0, "between1And3": 1, "between3And6": 3, "moreThan6": 6}
OPEN_ENDED = "moreThan6"

_COUNT = regex.compile(r"\{[\d\s,]*\d[\d\s,]*\}")
_NUMBER = regex.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A ban word found: the word as the user wrote it, and the field it stands in."""

    word: str
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Why a draft is not collected."""

    reason: Literal["ban word", "experience"]
    word: str
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainWord:
    """A word or phrase: `needles` are found fast, `edges` proves that one stands as a word of its own."""

    word: str
    needles: tuple[str, ...]
    edges: regex.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternWord:
    """A `re:` pattern of the user."""

    word: str
    pattern: regex.Pattern[str]

    def is_in(self, variants: Sequence[str]) -> bool:
        """Whether one variant of a text matches; raises TimeoutError after PATTERN_TIMEOUT_S in all."""
        timeout_s = PATTERN_TIMEOUT_S / len(variants)
        return any(self.pattern.search(variant, timeout=timeout_s) for variant in variants)


class BanList:
    """The ban words of one watch.

    A pattern that runs out of time counts as no hit and is counted in `timeouts`; after SLOW_TEXTS_ALLOWED of
    them it is set aside for the life of this list, so that one bad pattern cannot hold up a sweep.
    """

    def __init__(self, plain: Sequence[PlainWord], patterns: Sequence[PatternWord]) -> None:
        self._plain = tuple(plain)
        self._needles = tuple(needle for word in plain for needle in word.needles)
        self._patterns = tuple(patterns)
        self.timeouts: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing can hit."""
        return not self._plain and not self._patterns

    def hit(self, fields: Mapping[str, str]) -> Hit | None:
        """The first ban word in the first field that holds one."""
        folded = {field: _folded(text) for field, text in fields.items()}
        together = BETWEEN_VIEWS.join(folded.values())
        may_hold_plain = any(map(together.__contains__, self._needles))
        for field, text in fields.items():
            word = self._plain_in(folded[field]) if may_hold_plain else None
            word = word or self._pattern_in(text)
            if word is not None:
                return Hit(word=word, field=field)
        return None

    def _plain_in(self, folded: str) -> str | None:
        return next((plain.word for plain in self._plain if plain.edges.search(folded)), None)

    def _pattern_in(self, text: str) -> str | None:
        if not self._patterns:
            return None
        seen = visible(text)
        variants = [seen] if seen.isascii() else list(dict.fromkeys((seen, without_accents(seen), *views(seen))))
        return next((pattern.word for pattern in self._patterns if self._matches(pattern, variants)), None)

    def _matches(self, pattern: PatternWord, variants: Sequence[str]) -> bool:
        if self.timeouts.get(pattern.word, 0) >= SLOW_TEXTS_ALLOWED:
            return False
        try:
            return pattern.is_in(variants)
        except TimeoutError:
            self.timeouts[pattern.word] = self.timeouts.get(pattern.word, 0) + 1
            return False


def compile_ban_words(words: Iterable[str]) -> tuple[BanList, tuple[Mistake, ...]]:
    """The list that screens by the usable ones of `words`, and one mistake for each of the others."""
    plain, patterns, mistakes = [], [], []
    for word in dict.fromkeys(words):
        compiled = _compile_pattern(word) if word.startswith(PATTERN_PREFIX) else _compile_plain(word)
        if isinstance(compiled, PlainWord):
            plain.append(compiled)
        elif isinstance(compiled, PatternWord):
            patterns.append(compiled)
        else:
            mistakes.append(compiled)
    return BanList(plain, patterns), tuple(mistakes)


def exclusion(draft: Draft, ban_list: BanList, max_experience_years: int | None) -> Exclusion | None:
    """Why this draft must stay outside, or None."""
    hit = None if ban_list.is_empty else ban_list.hit(screened_texts(draft))
    if hit is not None:
        return Exclusion(reason="ban word", word=hit.word, field=hit.field)
    asked = _too_much_experience(draft.data, max_experience_years or 0)
    return None if asked is None else Exclusion(reason="experience", word=asked, field="experience")


def screened_texts(draft: Draft) -> dict[str, str]:
    """The texts of a draft a person would read in a list, by field; entries of a list stay apart."""
    shown = {"title": draft.title, "company": draft.company or ""}
    shown |= {name: " | ".join(_texts(draft.data[name])) for name in SCREENED_DATA if name in draft.data}
    return {field: text for field, text in shown.items() if text}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in NOT_TEXT:
                yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def _too_much_experience(data: Mapping[str, Any], most: int) -> str | None:
    """What the draft asks for when that is more than `most` years; 0 switches the filter off."""
    if most <= 0:
        return None
    least = data.get("experience_years_min")
    if isinstance(least, (int, float)) and not isinstance(least, bool) and least > most:
        return f"{least:g} years"
    answer = data.get("experience")
    answer = answer.get("id") if isinstance(answer, Mapping) else answer
    floor = EXPERIENCE_FLOORS.get(answer, 0) if isinstance(answer, str) else 0
    if floor > most or (answer == OPEN_ENDED and floor >= most):
        return str(answer)
    return None


def _folded(text: str) -> str:
    """All views of a text in one; no word and no phrase reaches from one view into the next."""
    return BETWEEN_VIEWS.join(views(text))


@lru_cache(maxsize=1024)
def _compile_plain(word: str) -> PlainWord | Mistake:
    if len(word) > LONGEST_WORD:
        return _mistake(word, f"has {len(word)} characters", f"Use at most {LONGEST_WORD}")
    needles = tuple(view for view in views(word) if view)
    if not needles:
        return _mistake(word, "is empty", "Write a word, or remove it")
    return PlainWord(word=word, needles=needles, edges=regex.compile("|".join(map(_with_edges, needles))))


def _with_edges(needle: str) -> str:
    """The needle as a word: "lead" is not in "Leadership", "C" not in "C++", but "C++" is in "C++17"."""
    left = r"(?<![^\W_])" if needle[0].isalnum() else ""
    right = r"(?![^\W_]|\+\+|#)" if needle[-1].isalnum() else ""
    return f"{left}{regex.escape(needle)}{right}"


@lru_cache(maxsize=1024)
def _compile_pattern(word: str) -> PatternWord | Mistake:
    source = word.removeprefix(PATTERN_PREFIX)
    if len(source) > LONGEST_WORD:
        return _mistake(word, f"has {len(source)} characters", f"Use at most {LONGEST_WORD}")
    if _repeats(source) > MOST_REPEATS:
        return _mistake(word, "repeats too much", f"Keep the product of its {{n}} counts below {MOST_REPEATS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = regex.compile(source, regex.IGNORECASE)
        is_everything = pattern.search("", timeout=PATTERN_TIMEOUT_S) is not None
    except (regex.error, TimeoutError, RecursionError, OverflowError, MemoryError, ValueError) as error:
        return _mistake(word, f"is not a pattern: {error}", "Mend the pattern after `re:`, or write the plain word")
    if is_everything:
        return _mistake(word, "matches the empty text and would hide everything", "Ask for at least one character")
    return PatternWord(word=word, pattern=pattern)


def _repeats(source: str) -> int:
    """How large nested counts can blow the pattern up: the engine unrolls them when it compiles."""
    return prod(max(1, *map(int, _NUMBER.findall(count))) for count in _COUNT.findall(source))


def _mistake(word: str, problem: str, remedy: str) -> Mistake:
    shown = word if len(word) <= 40 else word[:40] + "..."
    return Mistake(where=f"ban word {shown!r}", problem=problem, remedy=remedy)
