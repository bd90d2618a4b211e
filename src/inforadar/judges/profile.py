"""A profile as weighted words: what is wanted, in the order of importance, and what is not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from inforadar.domain.folding import views
from inforadar.judges.stemming import WORD
from inforadar.judges.vocabulary import EMPTY_WORDS, GENERIC, JOINED, NEGATIONS, ONLY, TURNS, meaning

LONGEST_PROFILE = 20_000
MOST_TERMS = 200
GENERIC_WEIGHT = 0.15
FIRST_WEIGHT = 1.0
WEIGHT_STEP = 0.1
LEAST_WEIGHT = 0.5

_CLAUSE_END = re.compile(r"[,;:!?()\[\]|•]|\.\s")
# Years of experience say nothing; the year of a coin says nearly all.
_SMALL_NUMBER = re.compile(r"\d{1,2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word of a profile: as it is shown, and what it means; `forms` are its spellings in both scripts."""

    word: str
    forms: frozenset[str]
    is_generic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A wanted term and how much it counts."""

    term: Term
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a user wants, and what they do not want; a term in both is not wanted."""

    wanted: tuple[Wish, ...]
    unwanted: tuple[Term, ...]


@lru_cache(maxsize=256)
def read_profile(text: str) -> Profile:
    """The weighted words of a profile; words after a negation, to the end of its clause, are unwanted."""
    told = dict.fromkeys(_terms(text[:LONGEST_PROFILE]))
    unwanted = {form: term for term, is_wanted in told if not is_wanted for form in term.forms}
    kept = [term for term, is_wanted in told if is_wanted and not term.forms & unwanted.keys()]
    first = {min(term.forms): term for term in reversed(kept)}
    ordered = [term for term in kept if first[min(term.forms)] is term]
    return Profile(
        wanted=tuple(_weighted(ordered[:MOST_TERMS])),
        unwanted=tuple(dict.fromkeys(unwanted.values()))[:MOST_TERMS],
    )


def _weighted(terms: Sequence[Term]) -> Iterator[Wish]:
    """What is named first matters most; words that fit half of all vacancies matter least."""
    weight = FIRST_WEIGHT
    for term in terms:
        yield Wish(term=term, weight=GENERIC_WEIGHT if term.is_generic else weight)
        if not term.is_generic:
            weight = max(LEAST_WEIGHT, round(weight - WEIGHT_STEP, 2))


def _terms(text: str) -> Iterator[tuple[Term, bool]]:
    """Every term of a profile and whether it is wanted."""
    for line in text.splitlines():
        is_wanted = True
        words = _words(line)
        for number, (word, forms, gap) in enumerate(words):
            if _CLAUSE_END.search(gap) or forms & TURNS:
                is_wanted = True
            if forms & NEGATIONS:
                is_wanted = _is_more_than(words[number + 1 : number + 2]) or _is_joined(words, number)
            elif (term := _term(word, forms)) is not None:
                yield term, is_wanted


def _is_more_than(following: Sequence[tuple[str, frozenset[str], str]]) -> bool:
    """Whether a negation is none: "not only", "не менее"."""
    return any(forms & ONLY for _, forms, _ in following)


def _is_joined(words: Sequence[tuple[str, frozenset[str], str]], number: int) -> bool:
    """Whether a negation is the first half of a compound, as in "no-code"."""
    return any(gap == "-" for _, _, gap in words[number + 1 : number + 2])


def _words(line: str) -> list[tuple[str, frozenset[str], str]]:
    """Each word of a line: as shown, its forms in both scripts, and what stands before it."""
    found = [list(WORD.finditer(view)) for view in views(line)]
    if len({len(matches) for matches in found}) > 1:
        found = found[-1:]
    words, end = [], 0
    for matches in zip(*found, strict=True):
        last = matches[-1]
        words.append((last[0], frozenset(match[0] for match in matches), last.string[end : last.start()]))
        end = last.end()
    return _joined(words)


def _joined(words: list[tuple[str, frozenset[str], str]]) -> list[tuple[str, frozenset[str], str]]:
    """Words that stand for one thing together, as one: "back end"."""
    merged: list[tuple[str, frozenset[str], str]] = []
    for word, forms, gap in words:
        name = JOINED.get((merged[-1][0], word)) if merged and gap in (" ", "-") else None
        if name is None:
            merged.append((word, forms, gap))
        else:
            merged[-1] = (name, frozenset({name}), merged[-1][2])
    return merged


def _term(word: str, forms: frozenset[str]) -> Term | None:
    if forms & (EMPTY_WORDS | TURNS) or _SMALL_NUMBER.fullmatch(word):
        return None
    meanings = frozenset(meaning(form) for form in forms)
    return Term(word=word, forms=meanings, is_generic=bool(meanings & GENERIC))
