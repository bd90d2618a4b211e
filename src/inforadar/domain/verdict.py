"""Questions to a judge and its verdicts: how well one item fits what the user wants."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

LONGEST_REASON = 300
MOST_SKILLS = 40
LONGEST_SKILL = 60

_SPACE = re.compile(r"\W+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a judge is asked: the user's profile and the item as plain text, which is data and never an order."""

    profile: str
    title: str
    company: str = ""
    place: str = ""
    money: str = ""
    skills: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's answer: `score` from 0 to 1, one sentence that says why, and the skills it read in the text."""

    judge: str
    score: float
    reason: str
    skills: tuple[str, ...] = ()

    def is_relevant(self, min_score: float) -> bool:
        """Whether it is good enough for a watch."""
        return self.score >= min_score


def substance(question: Question) -> str:
    """A digest of what a verdict rests on: it stays when only case, spacing or punctuation change."""
    parts = (question.profile, question.title, question.company, question.place, question.money, question.text)
    folded = "\n".join(_SPACE.sub(" ", unicodedata.normalize("NFKC", part).casefold()).strip() for part in parts)
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def tidy(judge: str, score: float, reason: str, skills: tuple[str, ...]) -> Verdict:
    """A verdict cut to what may be stored and shown; the score must be in range already."""
    plain = _printable(reason)
    kept = dict.fromkeys(filter(None, (_printable(skill)[:LONGEST_SKILL].rstrip() for skill in skills)))
    cut = plain if len(plain) <= LONGEST_REASON else plain[: LONGEST_REASON - 1].rstrip() + "…"
    return Verdict(judge=judge, score=score, reason=cut, skills=tuple(kept)[:MOST_SKILLS])


def _printable(text: str) -> str:
    """One line without control characters and those that turn the reading order."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
