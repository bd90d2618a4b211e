"""The story of a listing as JSON: the same for the command line and the page."""

from typing import Any

from inforadar.collect.report import moment
from inforadar.interfaces.shapes import history_json, item_json, job_json, run_json, tombstone_json, work_json
from inforadar.service.story import MatchStory, Pause, QueryStory, Story
from inforadar.service.story_words import headline, query_advice, standing
from inforadar.store.jobs import JobView


def story_json(story: Story) -> dict[str, Any]:
    """Everything there is to tell of one listing; `is_known`: some watch holds it."""
    return {
        "asked": story.question.text,
        "read_as": story.question.read_as,
        "source": story.source,
        "key": story.key,
        "also": list(story.also),
        "headline": headline(story),
        "is_known": story.known is not None,
        "item": _item(story),
        "left_out": [tombstone_json(stone) for stone in story.left_out],
        "matches": [_match(one, story) for one in story.matches],
        "queries": [_query(one, story) for one in story.queries],
        "pauses": [_pause(pause) for pause in story.pauses.values()],
    }


def _item(story: Story) -> dict[str, Any] | None:
    if story.known is None:
        return None
    item, checked = story.known.item, story.known.checked
    return {
        "url": item.url,
        "title": item.title,
        "company": item.company,
        "published_at": moment(item.published_at),
        "first_seen_at": moment(item.first_seen_at),
        "last_seen_at": moment(item.last_seen_at),
        "checked_at": moment(checked.checked_at),
        "gone_seen_at": moment(checked.gone_seen_at),
        "changes": history_json(story.known.changes, ())["changes"],
    }


def _match(one: MatchStory, story: Story) -> dict[str, Any]:
    shown = {
        name: value
        for name, value in item_json(one.match).items()
        if name in ("id", "watch", "status", "also_on", "others")
    }
    return {
        **shown,
        "standing": standing(one, story),
        "score": one.match.score,
        "reason": one.match.reason,
        "created_at": moment(one.match.created_at),
        "sent_at": moment(one.match.sent_at),
        "later_until": moment(one.match.later_until),
        "recoveries": one.match.recoveries,
        "undo_act_id": one.last_act,
        "found_by": run_json(one.found_by) if one.found_by else None,
        "events": history_json((), one.events)["events"],
        **work_json(one.analyses, one.deliveries),
        "jobs": [_job(job) for job in one.jobs.values()],
    }


def _job(job: JobView) -> dict[str, Any]:
    return {name: value for name, value in job_json(job, is_stuck=False).items() if name != "is_stuck"}


def _query(one: QueryStory, story: Story) -> dict[str, Any]:
    state = one.state
    return {
        "watch": one.query.watch,
        "source": one.query.source,
        "query_key": one.query.key,
        "params": dict(one.query.params),
        "enabled": one.is_enabled,
        "status": state.status if state else "IDLE",
        "last_error": state.last_error if state else None,
        "covered_from": moment(one.covered.last_complete_sweep_before),
        "covered_to": moment(one.covered.last_seen_max),
        "gaps": [
            {"newer_than": moment(gap.below.upto if gap.below else None), "older_than": moment(gap.above.after)}
            for gap in one.gaps
        ],
        "last_run": run_json(one.last_run) if one.last_run else None,
        "advice": query_advice(one, story),
    }


def _pause(pause: Pause) -> dict[str, Any]:
    return {"name": pause.name, "until": moment(pause.until), "reason": pause.reason, "error": pause.error}
