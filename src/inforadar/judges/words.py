"""The embedded judge: the profile's weighted words against title, skills and text; it needs nothing else.

The score is the better of two views. *Subject*: half is what title and skills say, half is everything that hits,
each measured against a need that is capped, so that a long profile is not a long list of demands. *Coverage*: a
text that names nearly everything the profile names fits, whatever its title. An unwanted word divides the score.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inforadar.domain.folding import views
from inforadar.domain.verdict import Question, Verdict, tidy
from inforadar.judges.profile import Profile, Term, Wish, read_profile
from inforadar.judges.stemming import words
from inforadar.judges.vocabulary import JOINED, meaning

NAME = "words"
LONGEST_TEXT = 100_000
LONGEST_LINE = 5_000
MOST_MISSES = 6

TITLE, SKILLS, TEXT = "title", "skills", "text"
STRENGTH = {TITLE: 1.0, SKILLS: 0.8, TEXT: 0.6}
SUBJECT_STRENGTH = {TITLE: 1.0, SKILLS: 0.6, TEXT: 0.0}
UNWANTED_FACTOR = {TITLE: 0.3, SKILLS: 0.6, TEXT: 0.8}
SUBJECT_NEED = 1.2
HITS_NEED = 2.5
COVERAGE_NEED = 2.0
COVERAGE_WORTH = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A wanted term that an item holds, and the best place it was found in."""

    wish: Wish
    where: str


class WordsJudge:
    """Judges by words alone: instant, offline, the same answer every time."""

    name = NAME

    def judge(self, question: Question) -> Verdict:
        """Its verdict; it always has one."""
        return judge_by_words(question)

    def ping(self) -> None:
        """It can always judge."""


def judge_by_words(question: Question) -> Verdict:
    """How well an item's words fit a profile's, with the words that decided it as the reason."""
    profile = read_profile(question.profile)
    if not profile.wanted and not profile.unwanted:
        return tidy(NAME, 1.0, "no profile: everything fits", question.skills)
    places = _places(question)
    hits = [Hit(wish=wish, where=where) for wish in profile.wanted if (where := _where(wish.term, places))]
    against = {term.word: where for term in profile.unwanted if (where := _where(term, places))}
    score = fit(profile, hits) * _discount(against.values())
    return tidy(NAME, round(score, 3), _reason(profile, hits, against), _skills(question, hits))


def fit(profile: Profile, hits: Sequence[Hit]) -> float:
    """How much of what is wanted was found, from 0 to 1; a profile that only refuses wants everything else."""
    if not profile.wanted:
        return 1.0
    return min(1.0, max(_subject(profile, hits), _coverage(profile, hits)))


def _subject(profile: Profile, hits: Sequence[Hit]) -> float:
    total = sum(wish.weight for wish in profile.wanted)
    subject = sum(hit.wish.weight * SUBJECT_STRENGTH[hit.where] for hit in hits) / min(total, SUBJECT_NEED)
    everything = sum(hit.wish.weight * STRENGTH[hit.where] for hit in hits) / min(total, HITS_NEED)
    return (min(1.0, subject) + min(1.0, everything)) / 2


def _coverage(profile: Profile, hits: Sequence[Hit]) -> float:
    total = sum(wish.weight for wish in profile.wanted if not wish.term.is_generic)
    found = sum(hit.wish.weight for hit in hits if not hit.wish.term.is_generic)
    return COVERAGE_WORTH * found / total * min(1.0, found / COVERAGE_NEED) if total else 0.0


def _discount(places: Iterable[str]) -> float:
    factor = 1.0
    for where in places:
        factor *= UNWANTED_FACTOR[where]
    return factor


def _where(term: Term, places: Mapping[str, frozenset[str]]) -> str:
    """The best place that holds a term, or nothing."""
    return next((where for where, held in places.items() if term.forms & held), "")


def _places(question: Question) -> dict[str, frozenset[str]]:
    """What the words of an item mean, best place first. Where it is, is not what it is about."""
    location = _meanings(question.place)
    return {
        TITLE: _meanings(question.title) - location,
        SKILLS: _meanings("\n".join(question.skills)) - location,
        TEXT: _meanings(question.text, LONGEST_TEXT) | location,
    }


def _meanings(text: str, most: int = LONGEST_LINE) -> frozenset[str]:
    found: set[str] = set()
    for view in views(text[:most]):
        ordered = list(words(view))
        found |= set(ordered) | {JOINED[pair] for pair in pairwise(ordered) if pair in JOINED}
    return frozenset(map(meaning, found))


def _skills(question: Question, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The skills the source named, and the words of the profile that are neither a rank nor a place."""
    named = {skill.casefold() for skill in question.skills}
    found = (hit.wish.term.word for hit in hits if not hit.wish.term.is_generic)
    return (*question.skills, *(word for word in found if word not in named))


def _reason(profile: Profile, hits: Sequence[Hit], against: Mapping[str, str]) -> str:
    hit_words = {hit.wish.term.word for hit in hits}
    missed = [wish.term.word for wish in profile.wanted if wish.term.word not in hit_words]
    shown = ", ".join(missed[:MOST_MISSES]) + (f" and {len(missed) - MOST_MISSES} more" * (len(missed) > MOST_MISSES))
    parts = (
        ("against", _by_place(against)),
        ("hits", _by_place({hit.wish.term.word: hit.where for hit in hits})),
        ("misses", shown),
    )
    return "; ".join(f"{name}: {told}" for name, told in parts if told) or "holds nothing the profile refuses"


def _by_place(found: Mapping[str, str]) -> str:
    told = ((where, [word for word, place in found.items() if place == where]) for where in STRENGTH)
    return "; ".join(f"{', '.join(listed)} in {where}" for where, listed in told if listed)
