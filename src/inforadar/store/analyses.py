"""The table `analyses`: what judges said of matches; the same substance is judged once."""

from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.verdict import Verdict
from inforadar.store.database import Tx
from inforadar.store.encoding import json_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One verdict on one match; `substance` is the digest of what was judged."""

    at: datetime
    judge: str
    score: float
    is_relevant: bool
    reason: str
    skills: tuple[str, ...]
    substance: str


def add(tx: Tx, match_id: int, verdict: Verdict, *, is_relevant: bool, substance: str, now: datetime) -> None:
    """Keep a verdict; the first one on the same substance stays."""
    tx.run(
        "analysis_insert",
        match_id=match_id,
        at=now,
        judge=verdict.judge,
        score=verdict.score,
        is_relevant=is_relevant,
        reason=verdict.reason,
        skills=json_of(list(verdict.skills)),
        substance=substance,
    )


def of_match(tx: Tx, match_id: int) -> list[Analysis]:
    """The verdicts on one match, newest first."""
    rows = tx.rows("analysis_search", match_id=match_id)
    return [
        Analysis(**{**row, "is_relevant": bool(row["is_relevant"]), "skills": tuple(row["skills"])}) for row in rows
    ]
