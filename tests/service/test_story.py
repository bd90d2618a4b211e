"""The story of a listing, however it is asked for; read on both databases, put in words by pure functions."""

from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.bootstrap import SOURCES
from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.delivery import PUT_OFF
from inforadar.domain.errors import RateLimited
from inforadar.domain.health import after_failure
from inforadar.domain.item import Change, Item, ItemId
from inforadar.domain.run import StopReason
from inforadar.domain.status import Status
from inforadar.domain.verdict import Verdict
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.pipeline.routes import deliver_job
from inforadar.service import story_words
from inforadar.service.story import Facts, read_question, tell
from inforadar.service.triage import Triage
from inforadar.sources.addresses import ADDRESSES, ANYWHERE, recognise
from inforadar.store import (
    acts,
    analyses,
    deliveries,
    item_changes,
    items,
    jobs,
    matches,
    query_states,
    runs,
    sources,
    tombstones,
)
from inforadar.store.tombstones import Tombstone
from service.conftest import AT

HOUR = timedelta(hours=1)
HH = Query(watch="jobs", source="hh", params={"text": "python"}, bounds=Bounds(), key="hh-1")
OTHER = Query(watch="remote", source="hh", params={"text": "go"}, bounds=Bounds(), key="hh-2")
FACTS = Facts(
    watches=[Watch(name="jobs", kind="vacancy", queries=(HH,)), Watch(name="remote", kind="vacancy", queries=(OTHER,))],
    sources={"hh": True, "linkedin": True, "habr": True},
)


class Now:
    """A clock that stands still."""

    def now(self):
        return AT

    def mono(self):
        return 0.0


def ask(tx, text, now=AT, facts=FACTS):
    """The story of what was asked after."""
    return tell(tx, read_question(text, facts.sources), facts, now)


def hold(tx, key="4711", *, watch="jobs", source="hh", url="https://hh.ru/vacancy/4711"):
    """Hold a listing for a watch, found by a run; the id of its match."""
    item = Item(
        source=source,
        key=key,
        kind="vacancy",
        url=url,
        title="Senior Python developer",
        company="Acme",
        company_key=None,
        published_at=AT - HOUR,
        first_seen_at=AT,
        last_seen_at=AT,
        data={},
    )
    run_id = runs.start(tx, HH.key, watch, source, AT)
    ids = items.insert(tx, [item])
    (match_id,) = matches.create(tx, watch, HH.key, list(ids.values()), AT, "machine", "found").values()
    runs.finish(tx, run_id, AT, status="SUCCESS", stop_reason=StopReason.END_OF_FEED, left=0)
    return match_id


def swept(tx, query, *stretches, left=0, stop=StopReason.END_OF_FEED):
    """A query with what it has covered and a finished run."""
    query_states.ensure(tx, query, AT)
    query_states.start(tx, query, AT)
    query_states.save_coverage(tx, query, coverages.to_json(Coverage(stretches=stretches)))
    query_states.succeed(tx, query, AT, None)
    run_id = runs.start(tx, query.key, query.watch, query.source, AT)
    runs.finish(tx, run_id, AT, status="SUCCESS", stop_reason=stop, left=left)


def covered(hours_from, hours_to, *, is_ended=True):
    return Stretch(upto=AT - HOUR * hours_to, after=AT - HOUR * hours_from, count=5, is_ended=is_ended)


@pytest.mark.parametrize(
    ("text", "source", "key"),
    [
        ("https://hh.ru/vacancy/4711", "hh", "4711"),
        ("http://www.hh.ru/vacancy/4711/?query=python&hhtmFrom=list#top", "hh", "4711"),
        ("HTTPS://SPB.HH.RU/vacancy/4711", "hh", "4711"),
        ("hh.ru/vacancy/4711", "hh", "4711"),
        ("hh:4711", "hh", "4711"),
        ("HH:4711", "hh", "4711"),
        ("https://es.linkedin.com/jobs/view/senior-dev-at-acme-4012345678?refId=x&trk=y", "linkedin", "4012345678"),
        ("linkedin.com/jobs/view/4012345678/", "linkedin", "4012345678"),
        ("https://www.linkedin.com/jobs/search/?keywords=x&currentJobId=99", "linkedin", "99"),
        ("https://habr.com/ru/companies/otus/articles/700001/comments/#c1", "habr", "700001"),
        ("https://habr.com/en/post/5", "habr", "5"),
        ("https://m.habr.com/ru/news/t/5/?utm_source=x", "habr", "5"),
        ("https://hh.ru/employer/4", "hh", None),
        ("https://www.infojobs.net/madrid/programador/of-i237d0995b54317bf?x=1", "infojobs", "237d0995b54317bf"),
        ("https://www.ebay.com/itm/1921-Morgan-Dollar/136942131869?hash=x", "ebay", "136942131869"),
        ("ebay.co.uk/itm/136942131869", "ebay", "136942131869"),
        ("https://notebay.com/itm/136942131869", None, None),
        ("https://evilhh.ru/vacancy/1", None, None),
        ("http://[::1", None, None),
    ],
)
def test_a_listing_is_recognised_however_its_address_is_written(text, source, key):
    question = read_question(text, FACTS.sources)
    assert (question.source, question.key) == (source, key)


@pytest.mark.parametrize("text", ["", "python", "myspace:4711", "-4", "٤٢", "hh:"])
def test_what_is_no_question_is_not_read(text):
    assert read_question(text, FACTS.sources) is None


def test_every_source_has_its_addresses():
    assert set(ADDRESSES) | ANYWHERE == set(SOURCES)
    assert all(recognise(make_url(name)).source == name for name in ADDRESSES)


def make_url(name):
    return {
        "hh": "https://hh.ru/",
        "linkedin": "https://linkedin.com/",
        "habr": "https://habr.com/",
        "infojobs": "https://www.infojobs.net/",
        "ebay": "https://www.ebay.co.uk/",
    }[name]


def test_a_number_is_a_match_id_first_and_then_the_number_of_a_listing(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        assert ask(tx, str(match_id)).question.read_as == "match"
        by_number = ask(tx, "4711")
        assert (by_number.question.read_as, by_number.source, by_number.key) == ("number", "hh", "4711")
        assert by_number.matches[0].match.id == match_id


def test_a_listing_whose_number_is_also_a_match_id_is_named(db):
    with db.transaction() as tx:
        first = hold(tx)
        hold(tx, str(first), url="https://hh.ru/vacancy/1")
        story = ask(tx, str(first))
    assert (story.key, story.also) == ("4711", [f"hh:{first}"])


@pytest.mark.parametrize("text", ["999", "9" * 400])
def test_a_number_nobody_knows_is_told(db, text):
    with db.transaction() as tx:
        story = ask(tx, text)
    assert story.source is None
    assert "there is no match" in story_words.headline(story)


def test_a_page_of_no_source_that_we_hold_is_found_by_its_address(db):
    with db.transaction() as tx:
        hold(tx, url="https://jobs.example.org/a")
        assert ask(tx, "https://jobs.example.org/a/?utm_source=x").key == "4711"
        assert (
            story_words.headline(ask(tx, "https://jobs.example.org/b")) == "no source of this program has this address"
        )


def test_never_seen_names_the_queries_that_should_have_shown_it_and_how_far_they_read(db):
    with db.transaction() as tx:
        swept(tx, HH, covered(30, 20), covered(60, 40), left=12, stop=StopReason.LIMIT_REACHED)
        story = ask(tx, "https://hh.ru/vacancy/1")
    assert story_words.headline(story) == "never seen: no query has shown hh:1"
    one, other = story.queries
    assert (one.query.watch, len(one.gaps), one.last_run.left) == ("jobs", 1, 12)
    told = story_words.coverage_sentence(one)
    assert "covered 2026-01-03 00:00 UTC to 2026-01-04 16:00 UTC, 1 gap" in told
    assert "limit reached, at least 12 left" in told
    assert "`radar fetch jobs --source hh` goes on there" in story_words.query_advice(one, story)
    assert "never asked: `radar fetch remote --source hh`" in story_words.query_advice(other, story)


def test_a_list_read_without_a_gap_is_not_blamed_on_us(db):
    with db.transaction() as tx:
        swept(tx, HH, covered(30, 20))
        story = ask(tx, "hh:1")
    advice = story_words.query_advice(story.queries[0], story)
    assert "read without a gap and did not show this listing" in advice
    assert "or is newer, and then it comes with `radar fetch jobs --source hh`" in advice


def test_a_query_whose_list_was_empty_is_not_told_as_never_asked(db):
    with db.transaction() as tx:
        swept(tx, HH)
        story = ask(tx, "hh:1")
    advice = story_words.query_advice(story.queries[0], story)
    assert advice == "its list was empty on 2026-01-05 12:00 UTC: `radar fetch jobs --source hh` asks again"


def test_a_query_that_was_stopped_before_it_read_anything_says_so(db):
    with db.transaction() as tx:
        swept(tx, HH, stop=StopReason.STOPPED_BY_USER)
        story = ask(tx, "hh:1")
    assert "its last sweep covered nothing (stopped by user)" in story_words.query_advice(story.queries[0], story)


def test_a_query_that_failed_or_whose_source_is_paused_or_switched_off_says_so(db):
    with db.transaction() as tx:
        swept(tx, HH, covered(30, 20))
        query_states.fail(tx, HH, AT, "captcha")
        story = ask(tx, "hh:1")
        assert "its last sweep failed (captcha)" in story_words.query_advice(story.queries[0], story)
        sources.register(tx, "hh", rate_limit_per_minute=60, enabled=True, paced_at=AT)
        sources.change(tx, "hh", AT, lambda health: after_failure(health, RateLimited("slow down"), AT, 0))
        story = ask(tx, "hh:1")
        advice = story_words.query_advice(story.queries[0], story)
        assert advice.startswith("hh is left alone until 2026-01-05 18:00 UTC (slow down)")
        assert "`radar fetch jobs --source hh --now`" in advice
        off = ask(tx, "hh:1", facts=Facts(watches=FACTS.watches, sources={"hh": False}))
        assert "switched off" in story_words.query_advice(off.queries[0], off)


def test_a_query_whose_own_server_is_left_alone_says_so(db):
    feed = Query(watch="news", source="feed", params={"url": "https://a.example/rss"}, bounds=Bounds(), key="feed-1")
    facts = Facts(
        watches=[Watch(name="news", kind="article", queries=(feed,))],
        sources={"feed": True},
        asks={("news", "feed-1"): "feed@a.example"},
    )
    with db.transaction() as tx:
        sources.register(tx, "feed@a.example", rate_limit_per_minute=60, enabled=True, paced_at=AT)
        sources.change(tx, "feed@a.example", AT, lambda health: after_failure(health, RateLimited("slow down"), AT, 0))
        story = ask(tx, "feed:1", facts=facts)
    advice = story_words.query_advice(story.queries[0], story)
    assert advice.startswith("feed@a.example is left alone until 2026-01-05 18:00 UTC (slow down)")


def test_a_source_nobody_asks_has_no_queries(db):
    with db.transaction() as tx:
        assert ask(tx, "https://habr.com/ru/articles/1/").queries == []


@pytest.mark.parametrize(
    ("stretch", "bounds", "expected"),
    [
        (covered(30, 0), Bounds(), "does not fit what it asks for"),
        (covered(30, 20), Bounds(), "has not read up to this date yet"),
        (covered(0, -1, is_ended=False), Bounds(cutoff_date=(AT + HOUR * 24).date()), "older than its cutoff_date"),
        (covered(0, -1, is_ended=False), Bounds(), "has not read this date yet"),
    ],
)
def test_a_watch_that_was_not_shown_a_listing_others_hold_says_why_by_its_date(db, stretch, bounds, expected):
    other = replace(OTHER, bounds=bounds)
    facts = Facts(watches=[FACTS.watches[0], replace(FACTS.watches[1], queries=(other,))], sources=FACTS.sources)
    with db.transaction() as tx:
        match_id = hold(tx)
        swept(tx, other, stretch)
        story = ask(tx, str(match_id), facts=facts)
    assert [one.query.watch for one in story.queries] == ["remote"]
    assert expected in story_words.query_advice(story.queries[0], story)


def test_what_is_known_since_when_by_which_run_and_with_which_changes(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        view = matches.get(tx, match_id)
        item_changes.add(tx, None, AT, [(ItemId(view.item_id), Change(field="salary", old=1, new=2))])
        items.check(tx, view.item_id, now=AT, gone_seen_at=None)
        runs.start(tx, HH.key, "jobs", "hh", AT + HOUR)
        runs.start(tx, HH.key, "remote", "hh", AT)
        story = ask(tx, "https://hh.ru/vacancy/4711")
    (one,) = story.matches
    assert (one.found_by.watch, one.found_by.stop_reason) == ("jobs", StopReason.END_OF_FEED)
    assert [(past.change.old, past.change.new) for past in story.known.changes] == [(1, 2)]
    assert story.known.checked.checked_at == AT


def test_a_match_made_while_no_run_was_under_way_is_ascribed_to_none(db):
    with db.transaction() as tx:
        hold(tx)
        later = runs.start(tx, HH.key, "jobs", "hh", AT + HOUR)
        runs.finish(tx, later, AT + HOUR, status="SUCCESS", stop_reason=StopReason.END_OF_FEED)
        items.insert(tx, [replace(items.find(tx, "hh", ["4711"])["4711"], id=None, key="5")])
        item = items.find(tx, "hh", ["5"])["5"]
        matches.create(tx, "jobs", HH.key, [item.id], AT + HOUR * 2, "machine", "by hand")
        assert ask(tx, "hh:5").matches[0].found_by is None


def test_what_was_left_out_names_the_word_the_field_and_the_watch(db):
    stone = Tombstone(
        watch="jobs", source="hh", key="7", reason="ban word", word="junior", field="title", title="t", url="u", at=AT
    )
    with db.transaction() as tx:
        tombstones.add(tx, [stone])
        story = ask(tx, "hh.ru/vacancy/7")
        assert ask(tx, "7").source == "hh", "the number of a listing that was left out is known too"
    assert story_words.headline(story) == "left out of jobs on 2026-01-05 12:00 UTC: ban word 'junior' in title"
    assert [one.query.watch for one in story.queries] == ["remote"]


def test_the_story_of_one_match_tells_all_watches_of_its_item(db):
    with db.transaction() as tx:
        first = hold(tx)
        view = matches.get(tx, first)
        (second,) = matches.create(tx, "remote", "hh-2", [view.item_id], AT, "machine", "found").values()
        Triage(clock=Now()).mark(tx, [second], "applied", "terminal")
        story = ask(tx, str(first))
    assert [one.match.watch for one in story.matches] == ["jobs", "remote"]
    assert story.matches[1].last_act is not None
    assert story.queries == []
    assert "2 watches hold it" in story_words.headline(story)


def test_a_queued_match_tells_of_its_job_and_of_a_judge_that_is_out(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        assert "nothing works on it yet" in story_words.headline(ask(tx, str(match_id)))
        jobs.put(tx, [jobs.process_job(match_id, published_at=AT)])
        story = ask(tx, str(match_id), now=tx.store_now())
        assert "waits for its turn" in story_words.headline(story)
        jobs.cancel(tx, story.matches[0].job.id, who="user")
        told = story_words.headline(ask(tx, str(match_id)))
        assert "cancelled by user" in told
        assert f"`radar jobs retry {story.matches[0].job.id}`" in told
        sources.register(tx, "judge", rate_limit_per_minute=60, enabled=True, paced_at=AT)
        sources.change(tx, "judge", AT, lambda health: after_failure(health, RateLimited("busy"), AT, 0))
        assert "waits for the judge: judge is left alone until" in story_words.headline(ask(tx, str(match_id)))


def test_a_job_is_told_by_the_clock_of_who_asks_where_the_store_has_another(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        jobs.put(tx, [jobs.process_job(match_id, published_at=AT)])
        assert "waits for its turn" in story_words.headline(ask(tx, str(match_id))), "months before the store's time"
        queue_at = tx.store_now() + 3 * HOUR
        tx.run_text(f"UPDATE jobs SET run_at = '{queue_at:%Y-%m-%dT%H:%M:%S.%fZ}'")
        (one,) = ask(tx, str(match_id)).matches
        assert abs(one.job.run_at - (AT + 3 * HOUR)) < HOUR / 60
        (one,) = ask(tx, str(match_id), now=tx.store_now()).matches
        assert one.job.run_at == queue_at


def judged(tx, match_id, status, score=0.82, reason="Python fits"):
    verdict = Verdict(judge="words", score=score, reason=reason, skills=("python",))
    analyses.add(tx, match_id, verdict, is_relevant=score >= 0.6, substance="s", now=AT)
    matches.judged(tx, match_id, score=score, reason=verdict.reason, now=AT)
    matches.move(tx, match_id, Status.QUEUED, status, who="machine", why="judged", now=AT)


def test_a_match_that_is_not_suitable_tells_score_and_reason(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.NOT_SUITABLE, 0.31)
        story = ask(tx, str(match_id))
    assert story_words.headline(story) == "does not fit: score 0.31, Python fits"
    assert story.matches[0].analyses[0].skills == ("python",)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (Status.NOT_SUITABLE, "does not fit: score 0.31, It is PHP"),
        (Status.ANALYZED, "found good: score 0.31, It is PHP; its watch delivers to nobody"),
    ],
)
def test_a_reason_that_ends_with_a_full_stop_brings_no_second_one(db, status, told):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, status, 0.31, "It is PHP.")
        assert story_words.headline(ask(tx, str(match_id))) == told


def test_a_match_that_goes_nowhere_says_that_its_watch_delivers_to_nobody(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.ANALYZED)
        assert "delivers to nobody" in story_words.headline(ask(tx, str(match_id)))


def test_a_match_of_a_watch_that_was_removed_says_that_the_watch_is_gone(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.ANALYZED)
        told = story_words.headline(ask(tx, str(match_id), facts=replace(FACTS, watches=FACTS.watches[1:])))
    assert told == "found good: score 0.82, Python fits; the watch jobs is not in the configuration any more"


@pytest.mark.parametrize(
    ("state", "why", "tries", "expected"),
    [
        ("held", "quiet hours", 0, "held for telegram until 2026-01-05 13:00 UTC: quiet hours"),
        ("sent", None, 0, "sent to telegram on 2026-01-05 12:00 UTC"),
        ("left out", "first run", 0, "not sent to telegram: first run"),
        ("failed", "chat not found", 1, "telegram did not take it: chat not found"),
        ("sending", None, 1, "being sent to telegram since 2026-01-05 12:00 UTC"),
        ("waiting", None, 0, "waits to be sent to telegram; next try 2026-01-05 13:00 UTC"),
        ("waiting", "HTTP 502", 3, "3 tries came to nothing (HTTP 502); next try 2026-01-05 13:00 UTC"),
    ],
)
def test_a_delivery_tells_where_it_stands(db, state, why, tries, expected):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.ANALYZED)
        delivery_id = deliveries.add(tx, match_id, "telegram", state="waiting", due_at=AT + HOUR, now=AT)
        stored = deliveries.get(tx, delivery_id)
        deliveries.write(tx, stored, replace(stored, state=state, why=why, tries=tries), AT)
        assert expected in story_words.headline(ask(tx, str(match_id)))


def test_a_delivery_whose_job_failed_names_the_way_to_try_again(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.ANALYZED)
        delivery_id = deliveries.add(tx, match_id, "telegram", state="waiting", due_at=AT, now=AT)
        jobs.put(tx, [replace(deliver_job(delivery_id, "telegram"), run_at=tx.store_now() + HOUR)])
        job = jobs.search(tx, kind="deliver")[0]
        at = f"next try {job.run_at:%Y-%m-%d %H:%M} UTC"
        told = story_words.headline(ask(tx, str(match_id), now=tx.store_now()))
        assert at in told, "what waits for its job waits as long as that does"
        jobs.cancel(tx, job.id, who="user")
        assert f"`radar jobs retry {job.id}`" in story_words.headline(ask(tx, str(match_id)))


def test_what_the_user_decided_comes_before_everything_else(db):
    triage = Triage(clock=Now())
    with db.transaction() as tx:
        match_id = hold(tx)
        triage.mark(tx, [match_id], "later", "terminal")
        assert story_words.headline(ask(tx, str(match_id))) == "you put it off until 2026-01-06 12:00 UTC"
        triage.mark(tx, [match_id], "not interested", "terminal")
        assert "you marked it as not interested on" in story_words.headline(ask(tx, str(match_id)))


def test_skipped_and_archived_matches_tell_why(db):
    with db.transaction() as tx:
        first, second = hold(tx), hold(tx, "2", url="https://hh.ru/vacancy/2")
        matches.move(tx, first, Status.QUEUED, Status.SKIPPED, who="machine", why="the judge is out", now=AT)
        matches.move(tx, second, Status.QUEUED, Status.IN_ARCHIVE, who="machine", why="closed at hh", now=AT)
        assert "skipped on 2026-01-05 12:00 UTC: the judge is out" in story_words.headline(ask(tx, str(first)))
        assert story_words.headline(ask(tx, str(second))) == "archived on 2026-01-05 12:00 UTC: closed at hh"


def skipped(tx, key="4711"):
    match_id = hold(tx, key, url=f"https://hh.ru/vacancy/{key}")
    matches.move(tx, match_id, Status.QUEUED, Status.SKIPPED, who="machine", why="the judge is out", now=AT)
    return match_id


def test_a_skipped_match_tells_truly_whether_recovery_brings_it_back(db):
    with db.transaction() as tx:
        match_id = skipped(tx)
        assert told(tx, match_id, now=AT + 48 * HOUR).endswith("; recovery gives it another chance")
        late = AT + 49 * HOUR
        assert told(tx, match_id, now=late).endswith(
            "; longer ago than recovery looks back (recovery_hours under [schedule])"
        )
        patient = replace(FACTS, recovery=72 * HOUR)
        assert told(tx, match_id, now=late, facts=patient).endswith("; recovery gives it another chance")
        sources.register(tx, "judge", rate_limit_per_minute=60, enabled=True, paced_at=AT)
        sources.change(tx, "judge", AT, lambda health: after_failure(health, RateLimited("busy"), AT, 0))
        assert told(tx, match_id, now=late).endswith("; recovery gives it another chance")
        matches.note(
            tx,
            match_id,
            Status.SKIPPED,
            Status.SKIPPED,
            who="recovery",
            why="left alone: its latest analysis says irrelevant",
            now=AT,
        )
        assert told(tx, match_id).endswith("; recovery left it alone: its latest analysis says irrelevant")


def told(tx, match_id, **asked):
    """What the story of a match comes to."""
    return story_words.headline(ask(tx, str(match_id), **asked))


def test_a_queued_match_tells_what_keeps_its_job_from_being_done(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        jobs.put(tx, [jobs.process_job(match_id, published_at=AT, source="hh")])
        off = Facts(watches=FACTS.watches, sources={"hh": False})
        assert told(tx, match_id, facts=off) == (
            "queued, but hh is switched off: set enabled = true under [sources.hh]"
        )
        sources.register(tx, "hh", rate_limit_per_minute=60, enabled=True, paced_at=AT)
        sources.change(tx, "hh", AT, lambda health: after_failure(health, RateLimited("busy"), AT, 0))
        assert told(tx, match_id) == "queued: hh is left alone until 2026-01-05 18:00 UTC (busy)"
        jobs.pause_kind(tx, "process", who="user", reason="moving house")
        assert told(tx, match_id) == (
            "queued, but jobs of kind process are paused (moving house): `radar jobs resume process`"
        )


def test_a_delivery_tells_that_nobody_sends_now(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        judged(tx, match_id, Status.ANALYZED)
        deliveries.add(tx, match_id, "telegram", state="waiting", due_at=AT, now=AT)
        jobs.pause_kind(tx, "deliver", who="user", reason="moving house")
        assert told(tx, match_id).endswith(
            "; jobs of kind deliver are paused (moving house): `radar jobs resume deliver`"
        )


def test_the_latest_job_of_a_key_is_the_one_that_counts(db):
    with db.transaction() as tx:
        match_id = hold(tx)
        key = f"process:{match_id}"
        jobs.put(tx, [jobs.process_job(match_id, published_at=AT)])
        first = jobs.latest(tx, [key])[key]
        jobs.cancel(tx, first.id, who="user")
        jobs.put(tx, [jobs.process_job(match_id, published_at=AT)])
        assert jobs.latest(tx, [key, "process:999"])[key].id > first.id
        assert jobs.latest(tx, []) == {}


def test_what_was_left_out_is_searched_by_watch_source_and_text(db):
    stone = Tombstone(watch="jobs", source="hh", key="1", reason="ban word", title="Младший 100%", url="u", at=AT)
    with db.transaction() as tx:
        tombstones.add(tx, [stone, replace(stone, key="2", watch="remote", title="Other")])
        assert [one.key for one in tombstones.search(tx)] == ["2", "1"]
        assert [one.key for one in tombstones.search(tx, watch="jobs", source="hh")] == ["1"]
        assert [one.key for one in tombstones.search(tx, text="МЛАДШИЙ 100%")] == ["1"]
        assert tombstones.search(tx, text="1_0%") == []
        assert len(tombstones.search(tx, limit=1)) == 1


def test_what_still_has_to_go_out_tells_the_oldest_and_the_next(db):
    with db.transaction() as tx:
        assert deliveries.unsent(tx, AT) is None
        first, second = hold(tx), hold(tx, "2", url="https://hh.ru/vacancy/2")
        deliveries.add(tx, first, "telegram", state="held", due_at=AT + HOUR, now=AT)
        deliveries.add(tx, second, "telegram", state="waiting", due_at=AT + HOUR / 2, now=AT + HOUR / 4)
        deliveries.add(tx, second, "sheets", state="left out", due_at=AT - HOUR, now=AT - HOUR)
        unsent = deliveries.unsent(tx, AT + HOUR / 4)
    assert (unsent.oldest_at, unsent.next_due_at) == (AT, AT + HOUR / 2)


def test_what_the_user_put_off_does_not_wait_until_its_time_has_come(db):
    with db.transaction() as tx:
        first, second = hold(tx), hold(tx, "2", url="https://hh.ru/vacancy/2")
        deliveries.add(tx, first, "telegram", state="held", why=PUT_OFF, due_at=AT + HOUR, now=AT - HOUR)
        alone = deliveries.unsent(tx, AT)
        overdue = deliveries.unsent(tx, AT + HOUR)
        deliveries.add(tx, second, "telegram", state="held", why="quiet hours", due_at=AT + 2 * HOUR, now=AT)
        both = deliveries.unsent(tx, AT)
    assert (alone.oldest_at, alone.next_due_at) == (None, AT + HOUR)
    assert overdue.oldest_at == AT - HOUR
    assert (both.oldest_at, both.next_due_at) == (AT, AT + HOUR)


def test_an_act_whose_matches_are_all_gone_does_not_stand_in_the_way_of_undo(db):
    triage = Triage(clock=Now())
    with db.transaction() as tx:
        first, second = hold(tx), hold(tx, "2", url="https://hh.ru/vacancy/2")
        triage.mark(tx, [first], "applied", "terminal")
        triage.mark(tx, [second], "later", "terminal")
        matches.delete(tx, second)
        assert triage.undo(tx, "terminal").changed == (first,)
        assert acts.latest(tx, only_undoable=True) == []
