"""What the market asks for over time: the skills that judges found, week by week."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from inforadar.interfaces.web.answers import Radar
from inforadar.interfaces.web.charts.bars import Bar, bars
from inforadar.interfaces.web.pages.rendering import page
from inforadar.sinks.card_words import clean
from inforadar.store import inbox
from inforadar.store.inbox import Found

WEEKS = 26
MOST_READ = 20_000
SHOWN = 24
LONGEST_SKILL = 60

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One skill: how many verdicts named it, in how many of all, and week by week."""

    name: str
    count: int
    share: float
    weeks: list[int]
    bars: list[Bar]


@router.get("/skills")
def show_skills(request: Request, radar: Radar) -> Response:
    """The skills named most, with how that went."""
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        found = inbox.recent_findings(tx, limit=MOST_READ)
    weeks = last_weeks(now.date(), found)
    return page(
        request, "skills.html", now=now, skills=demands(found, weeks), verdicts=len(found), weeks=weeks, most=MOST_READ
    )


def last_weeks(today: date, found: Sequence[Found]) -> list[date]:
    """The Mondays of the weeks that are shown, oldest first: from the first verdict on, at least four."""
    this = _monday(today)
    first = max((this - _monday(one.at.date())).days // 7 for one in found) if found else 0
    return [this - timedelta(weeks=back) for back in range(min(max(first, 3), WEEKS - 1), -1, -1)]


def demands(found: Sequence[Found], weeks: Sequence[date]) -> list[Demand]:
    """The skills named most, whatever their letter case."""
    total: Counter[str] = Counter()
    by_week: dict[str, Counter[date]] = {}
    spelled: dict[str, str] = {}
    for one in found:
        for key, name in {
            name.casefold(): name for skill in one.skills if (name := clean(skill, LONGEST_SKILL))
        }.items():
            total[key] += 1
            by_week.setdefault(key, Counter())[_monday(one.at.date())] += 1
            spelled.setdefault(key, name)
    return [
        _demand(spelled[key], count, len(found), [by_week[key][week] for week in weeks])
        for key, count in total.most_common(SHOWN)
    ]


def _demand(name: str, count: int, verdicts: int, weeks: list[int]) -> Demand:
    return Demand(name=name, count=count, share=count / verdicts, weeks=weeks, bars=bars(weeks))


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
