"""Judging: a verdict on a match, by an existing analysis where there is one, else by the judge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inforadar.domain.health import Closed
from inforadar.domain.item import FULL_TEXT
from inforadar.domain.money import money_of, place_of
from inforadar.domain.ports import Judge
from inforadar.domain.verdict import Question, Verdict, substance
from inforadar.domain.watch import Watch
from inforadar.judges.prompt import harmless
from inforadar.judges.words import judge_by_words
from inforadar.pipeline.asking import Asking
from inforadar.store.analyses import Analysis
from inforadar.store.matches import MatchView

SUSPICIOUS = "judge_suspicious"
"""The total of verdicts on items that seem to speak to their judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Asks the judge; `asking` is None for a judge that lives in this process and cannot be out of order.

    Where a watch has no profile there is nothing to ask: everything fits, whoever the judge is.
    """

    judge: Judge
    asking: Asking | None = None

    def closed(self, profile: str) -> Closed | None:
        """Whether the judge is needed for this profile and must not be asked now."""
        return self.asking.closed() if self.asking and harmless(profile) else None

    def verdict(self, question: Question) -> Verdict:
        """What the judge says; raises SourceError or Stopped."""
        if not harmless(question.profile):
            return judge_by_words(question)
        if self.asking is None:
            return self.judge.judge(question)
        return self.asking.ask(lambda: self.judge.judge(question))


def question_of(match: MatchView, watch: Watch) -> Question:
    """What the judge is asked about a match."""
    data = match.data
    return Question(
        profile=watch.profile,
        title=match.title,
        company=match.company or "",
        place=place_of(data),
        money=money_of(data),
        skills=_texts(data, "key_skills", "skills", "tags", "hubs"),
        text=_text_of(data),
    )


def known_verdict(analyses: list[Analysis], question: Question) -> Verdict | None:
    """The verdict on exactly this substance, if one was given before."""
    wanted = substance(question)
    found = next((one for one in analyses if one.substance == wanted), None)
    return Verdict(judge=found.judge, score=found.score, reason=found.reason, skills=found.skills) if found else None


def _text_of(data: Mapping[str, Any]) -> str:
    full = data.get(FULL_TEXT)
    if isinstance(full, str) and full.strip():
        return full
    parts = (data.get(name) for name in ("snippet", "requirement", "responsibility", "description", "lead"))
    return "\n".join(part for part in parts if isinstance(part, str))


def _texts(data: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    listed = (entry for name in names for entry in _entries(data.get(name)))
    return tuple(dict.fromkeys(listed))


def _entries(value: Any) -> list[str]:
    entries = value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, str)]
