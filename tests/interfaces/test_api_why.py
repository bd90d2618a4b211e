"""`GET /api/why`: the story of a listing over the REST API, the same that `radar why --json` prints."""

import json

import pytest

from inforadar.domain.status import Status
from inforadar.interfaces.story_asked import story_of
from inforadar.interfaces.story_shape import story_json
from inforadar.interfaces.web.shown_story import StoryShown
from inforadar.store import matches, tombstones
from inforadar.store.tombstones import Tombstone
from interfaces.api_server import furnish
from interfaces.hostile_texts import HOSTILE
from store.samples_of_rows import NOW, an_item


def test_the_story_of_a_match_is_the_one_the_command_line_tells(api_on_both):
    furnish(api_on_both.app.database)
    answer = api_on_both.get("/api/why", q="1")
    assert answer.status_code == 200, answer.text
    story = answer.json()
    assert story == json.loads(json.dumps(story_json(story_of(api_on_both.app, "1"))))
    StoryShown.model_validate(story)
    (match,) = story["matches"]
    assert (match["watch"], match["score"], match["found_by"]["added"]) == ("w", 0.5, 20)
    assert [one["sink"] for one in match["deliveries"]] == ["telegram"]
    assert [job["error_message"] for job in match["jobs"]] == ["cancelled by user"]


def test_a_listing_is_found_by_its_address_its_number_and_its_source(api):
    (match_id,) = api.seed(an_item("4711000"))
    for asked in ("4711000", "hh:4711000", "https://hh.ru/vacancy/4711000?from=main", "hh.ru/vacancy/4711000/"):
        story = api.get("/api/why", q=asked).json()
        assert [one["id"] for one in story["matches"]] == [match_id], asked
        assert story["is_known"], asked


def test_a_listing_that_was_never_seen_is_an_answer_with_the_query_that_should_have_shown_it(api):
    story = api.get("/api/why", q="https://hh.ru/vacancy/999").json()
    StoryShown.model_validate(story)
    assert (story["is_known"], story["source"], story["key"]) == (False, "hh", "999")
    assert [(one["watch"], bool(one["advice"])) for one in story["queries"]] == [("w", True)]


def test_a_listing_that_a_watch_left_out_is_told_with_word_and_field(api):
    stone = Tombstone(
        watch="w", source="hh", key="5", reason="ban word", word="junior", field="title", title="t", url="u", at=NOW
    )
    with api.app.database.transaction() as tx:
        tombstones.add(tx, [stone])
    story = api.get("/api/why", q="hh:5").json()
    StoryShown.model_validate(story)
    assert [(one["word"], one["field"]) for one in story["left_out"]] == [("junior", "title")]


@pytest.mark.parametrize(("asked", "status"), [("q=123456789", 404), ("q=nonsense", 422), ("q=", 422), ("", 422)])
def test_what_nobody_knows_is_404_and_what_nobody_can_mean_is_422(api, asked, status):
    answer = api.client.get(f"/api/why?{asked}")
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert status == 404 or [one["where"] for one in answer.json()["errors"]] == ["query.q"]


def test_hostile_questions_change_nothing_and_break_nothing(api_on_both):
    (match_id,) = api_on_both.seed_one()
    with api_on_both.app.database.transaction() as tx:
        before = matches.get(tx, match_id)
    for text in HOSTILE:
        for asked in (text, f"hh:{text}", f"https://hh.ru/{text}", f"https://hh.ru/vacancy/{text}"):
            status = api_on_both.client.get("/api/why", params={"q": asked[:2000]}).status_code
            assert status in (200, 404, 422), asked
    with api_on_both.app.database.transaction() as tx:
        after = matches.get(tx, match_id)
    assert before == after
    assert after is not None
    assert after.status == Status.QUEUED
