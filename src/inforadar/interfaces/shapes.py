"""The JSON of the outer contract: how matches, jobs, runs and acts look to programs, by whichever door they come."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from inforadar.collect.report import moment
from inforadar.service.triage import Act
from inforadar.store.acts import ActView
from inforadar.store.analyses import Analysis
from inforadar.store.deliveries import Delivery
from inforadar.store.item_changes import PastChange
from inforadar.store.jobs import JobEvent, JobView
from inforadar.store.matches import MatchEvent, MatchView
from inforadar.store.runs import Run
from inforadar.store.tombstones import Tombstone


def item_json(match: MatchView) -> dict[str, Any]:
    """One match as lists show it."""
    return {
        "id": match.id,
        "item_id": match.item_id,
        "watch": match.watch,
        "source": match.source,
        "key": match.key,
        "url": match.url,
        "title": match.title,
        "company": match.company,
        "published_at": moment(match.published_at),
        "status": match.status,
        "score": match.score,
        "reason": match.reason,
        "also_on": [{"source": one.source, "url": one.url, "match_id": one.match_id} for one in match.also_shown],
        "others": match.others,
        "data": dict(match.data),
    }


def history_json(changes: Sequence[PastChange], events: Sequence[MatchEvent]) -> dict[str, Any]:
    """What became of one match: the changes of its item and its own status changes, oldest first."""
    return {"changes": [_change(one) for one in changes], "events": [_event(one) for one in events]}


def work_json(analyses: Sequence[Analysis], deliveries: Sequence[Delivery]) -> dict[str, Any]:
    """What was done with one match: what judges said of it and where it was sent."""
    return {"analyses": [_analysis(one) for one in analyses], "deliveries": [_plain(one) for one in deliveries]}


def tombstone_json(stone: Tombstone) -> dict[str, Any]:
    """One entry that a watch left out, and why."""
    return _plain(stone)


def job_json(job: JobView, *, is_stuck: bool) -> dict[str, Any]:
    """One job as plain values, under the names of the table."""
    return {**_plain(job), "next_retry_at": moment(job.next_retry_at), "is_stuck": is_stuck}


def job_event_json(event: JobEvent) -> dict[str, Any]:
    """One line of a job's history."""
    return _plain(event)


def run_json(run: Run) -> dict[str, Any]:
    """One run with its counters."""
    values = _plain(run)
    counters = values.pop("counters")
    return {**values, "stop_reason": run.stop_reason.value if run.stop_reason else None, **counters}


def act_json(act: ActView) -> dict[str, Any]:
    """One act of the user, and whether it can be undone."""
    return {**_plain(act), "can_undo": act.verb != "undo" and act.undone_by is None}


def decision_json(act: Act) -> dict[str, Any]:
    """What came of one decision; `act_id` names it for an undo, null = nothing was changed."""
    return {
        "act_id": act.id,
        "verb": act.verb,
        "changed": list(act.changed),
        "unchanged": [{"id": match_id, "why": why} for match_id, why in sorted(act.unchanged.items())],
    }


def _change(past: PastChange) -> dict[str, Any]:
    return {
        "at": moment(past.changed_at),
        "field": past.change.field,
        "old": past.change.old,
        "new": past.change.new,
        "run_id": past.run_id,
    }


def _event(event: MatchEvent) -> dict[str, Any]:
    return {
        "at": moment(event.at),
        "who": event.who,
        "from": event.from_status,
        "to": event.to_status,
        "why": event.why,
        "act_id": event.act_id,
    }


def _analysis(analysis: Analysis) -> dict[str, Any]:
    values = _plain(analysis)
    del values["substance"]
    return {**values, "skills": list(analysis.skills)}


def _plain(value: Any) -> dict[str, Any]:
    return {name: moment(one) if isinstance(one, datetime) else one for name, one in asdict(value).items()}
