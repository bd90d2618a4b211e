"""Recovery of skipped matches: within its window, by its rules, a bounded number of times; on both databases."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import pytest

from inforadar.domain.errors import NoVerdict, Refused, Unavailable
from inforadar.domain.health import Closed, after_failure, after_success
from inforadar.domain.ports import Detail
from inforadar.domain.status import Status
from inforadar.observe.metrics import create_metrics
from inforadar.service.judge_watch import JudgeWatch
from inforadar.service.meter import Meter
from inforadar.service.periodic import requeue
from inforadar.service.recovery import JUDGE, MOST_RECOVERIES, is_judge_well
from inforadar.store import items, jobs, matches, sources, totals
from inforadar.store.database import open_database
from pipeline.inbox import NOON, Inbox
from store.test_jobs_locks import is_somebody_waiting, until


@pytest.fixture
def inbox(db):
    return Inbox(db)


def skip(inbox, *keys):
    """Matches that were skipped because the judge was busy."""
    ids = inbox.store(*keys)
    inbox.model.error = Unavailable("busy")
    for one in ids:
        inbox.process(one)
    inbox.model.error = None
    return ids


def counted(inbox):
    with inbox.db.reading() as tx:
        return totals.all(tx)


def test_a_skipped_match_goes_by_new_to_queued_and_gets_a_job(inbox):
    (one,) = skip(inbox, "1")
    inbox.recover()
    assert inbox.moves(one)[-2:] == [("SKIPPED", "NEW"), ("NEW", "QUEUED")]
    with inbox.db.reading() as tx:
        assert [job.args for job in jobs.search(tx, kind="process")] == [{"match_id": one}]
    inbox.process(one)
    assert inbox.status(one) == "ANALYZED"
    assert counted(inbox) == {
        "recovery_attempts": 1,
        "recovery_deleted": 0,
        "recovery_recovered": 1,
        "recovery_skipped": 0,
    }


def test_one_that_an_analysis_found_irrelevant_is_left_alone_and_counted(inbox):
    (one,) = inbox.store("1")
    inbox.model.score = 0.1
    inbox.process(one)
    with inbox.db.transaction() as tx:
        tx.run_text("UPDATE matches SET status = 'SKIPPED'")
    inbox.recover()
    assert inbox.status(one) == "SKIPPED"
    assert counted(inbox)["recovery_skipped"] == 1


def test_one_that_is_left_alone_is_counted_and_told_once_for_each_time_it_was_skipped(inbox):
    (one,) = inbox.store("1")
    inbox.model.score = 0.1
    inbox.process(one)

    def skip_again():
        with inbox.db.transaction() as tx:
            tx.run_text("UPDATE matches SET status = 'QUEUED'")
            matches.move(tx, one, Status.QUEUED, Status.SKIPPED, who="machine", why="busy", now=inbox.clock.now())

    skip_again()
    for _ in range(3):
        inbox.recover()
        inbox.clock.pass_by(minutes=5)
    assert (counted(inbox)["recovery_attempts"], counted(inbox)["recovery_skipped"]) == (1, 1)
    skip_again()
    for _ in range(2):
        inbox.recover()
    assert (counted(inbox)["recovery_attempts"], counted(inbox)["recovery_skipped"]) == (2, 2)
    with inbox.db.reading() as tx:
        told = [event.why for event in matches.events(tx, one) if event.who == "recovery"]
    assert told == ["left alone: its latest analysis says irrelevant"] * 2


def test_one_with_a_ban_word_is_deleted(inbox):
    (one,) = skip(inbox, "1")
    inbox.for_watch(ban_words=("postgresql",))
    inbox.recover()
    assert inbox.status(one) is None
    assert counted(inbox)["recovery_deleted"] == 1


def test_several_with_a_ban_word_are_deleted_beside_a_sweep_that_shows_them(postgres_url):
    with closing(open_database(postgres_url)) as db:
        inbox = Inbox(db)
        (older,) = skip(inbox, "1")
        inbox.clock.pass_by(minutes=1)
        (newer,) = skip(inbox, "2")
        inbox.for_watch(ban_words=("postgresql",))
        with ThreadPoolExecutor(1) as pool:
            with db.transaction() as tx:
                items.find_to_change(tx, "hh", ["1"])
                recovered = pool.submit(inbox.recover)
                until(lambda: is_somebody_waiting(tx))
                items.find_to_change(tx, "hh", ["2"])
            recovered.result()
        assert [inbox.status(one) for one in (older, newer)] == [None, None]


def test_what_was_skipped_longer_ago_than_the_window_is_left(inbox):
    (one,) = skip(inbox, "1")
    inbox.clock.pass_by(hours=48, minutes=1)
    inbox.recover()
    assert inbox.status(one) == "SKIPPED"


def test_an_outage_of_the_judge_does_not_use_up_the_window(inbox):
    (one,) = skip(inbox, "1")
    inbox.clock.pass_by(days=9)
    inbox.recover(since=(NOON - timedelta(hours=48)).isoformat())
    assert inbox.status(one) == "QUEUED"


@pytest.mark.parametrize(
    "final", ["NOT_SUITABLE", "IN_ARCHIVE", "APPLIED", "NOT_INTERESTED", "ANALYZED", "SENT_TO_USER"]
)
def test_no_other_status_is_touched(inbox, final):
    (one,) = skip(inbox, "1")
    with inbox.db.transaction() as tx:
        tx.run_text(f"UPDATE matches SET status = '{final}'")
    inbox.recover()
    assert inbox.status(one) == final


def test_a_match_that_is_skipped_again_and_again_is_recovered_a_bounded_number_of_times(inbox):
    (one,) = inbox.store("1")
    inbox.model.error = Unavailable("busy")
    for _ in range(MOST_RECOVERIES + 5):
        inbox.process(one)
        inbox.clock.pass_by(hours=40)
        inbox.recover()
    assert inbox.status(one) == "SKIPPED"
    assert counted(inbox)["recovery_recovered"] == MOST_RECOVERIES


def test_hundreds_are_recovered_newest_first_in_one_round(inbox):
    ids = inbox.store(*(str(number) for number in range(450)))
    with inbox.db.transaction() as tx:
        tx.run_text("UPDATE matches SET status = 'SKIPPED', status_at = created_at")
    inbox.recover()
    assert {inbox.status(one) for one in ids} == {"QUEUED"}


def test_the_metrics_agree_with_the_store(inbox):
    skip(inbox, "1", "2")
    inbox.recover()
    text = Meter(metrics=create_metrics(), database=inbox.db, clock=inbox.clock).render().decode()
    assert "radar_recovery_attempts_total 2.0" in text
    assert "radar_recovery_recovered_total 2.0" in text
    assert "radar_recovery_deleted_total 0.0" in text
    assert 'radar_matches{status="QUEUED"} 2.0' in text


def ail(inbox, *errors):
    """The judge's row after these answers."""
    with inbox.db.transaction() as tx:
        sources.register(tx, JUDGE, rate_limit_per_minute=600, enabled=True, paced_at=NOON)
        for error in errors:
            now = inbox.clock.now()
            sources.change(
                tx,
                JUDGE,
                now,
                lambda health, error=error, now=now: (
                    after_failure(health, error, now, 0.0) if error else after_success(health, now)
                ),
            )


def watch_of(inbox):
    return JudgeWatch(
        database=inbox.db,
        judge=inbox.model,
        asking=inbox.processing.judging.asking,
        window=timedelta(hours=48),
    )


def recover_jobs(inbox):
    with inbox.db.reading() as tx:
        return jobs.search(tx, kind="recover")


def test_recovery_is_put_only_while_the_judge_is_well(inbox):
    with inbox.db.reading() as tx:
        assert is_judge_well(tx, inbox.clock.now())
    ail(inbox, *[Unavailable("down")] * 5)
    with inbox.db.reading() as tx:
        assert not is_judge_well(tx, inbox.clock.now())
    inbox.clock.pass_by(minutes=6)
    ail(inbox, None)
    with inbox.db.reading() as tx:
        assert is_judge_well(tx, inbox.clock.now())


def test_when_the_judge_comes_back_recovery_starts_by_itself_and_once(inbox):
    ail(inbox, *[Unavailable("down")] * 5)
    assert not watch_of(inbox).once()
    inbox.clock.pass_by(hours=3)
    ail(inbox, None)
    assert watch_of(inbox).once()
    assert not watch_of(inbox).once()
    (job,) = recover_jobs(inbox)
    assert job.args == {"since": (NOON - timedelta(hours=48)).isoformat()}


def test_where_nothing_waits_an_ailing_judge_is_asked_how_it_is(inbox):
    ail(inbox, Refused("no such model"))
    inbox.model.error = Refused("no such model")
    inbox.clock.pass_by(minutes=6)
    watch_of(inbox).once()
    assert inbox.door.told == ["failed: Refused"]
    inbox.model.error = None
    watch_of(inbox).once()
    assert inbox.door.told[-1] == "succeeded"


def test_where_matches_wait_an_ailing_judge_is_tried_by_one_of_them_and_not_by_its_name(inbox):
    skip(inbox, "1", "2", "3")
    ail(inbox, Refused("no money"))
    assert not watch_of(inbox).once()
    assert recover_jobs(inbox) == []
    inbox.clock.pass_by(minutes=6)
    told = len(inbox.door.told)
    watch_of(inbox).once()
    assert len(inbox.door.told) == told
    assert len(recover_jobs(inbox)) == 1
    inbox.recover()
    with inbox.db.reading() as tx:
        assert matches.counts(tx) == {"QUEUED": 1, "SKIPPED": 2}


def test_a_match_that_was_not_even_tried_keeps_its_chance(inbox):
    (one,) = skip(inbox, "1")
    for _ in range(MOST_RECOVERIES + 5):
        inbox.recover()
        inbox.door.shut = Closed(name="judge", until=NOON + timedelta(days=9), outage="unavailable")
        inbox.process(one)
        inbox.door.shut = None
    inbox.recover()
    inbox.process(one)
    assert inbox.status(one) == "ANALYZED"


def test_each_chance_comes_later_than_the_one_before(inbox):
    (one,) = skip(inbox, "1")
    inbox.recover()
    inbox.model.error = Unavailable("busy")
    inbox.process(one)
    inbox.recover()
    assert inbox.status(one) == "SKIPPED"
    inbox.clock.pass_by(minutes=5)
    inbox.recover()
    assert inbox.status(one) == "QUEUED"


def test_a_queued_match_whose_job_was_given_up_is_skipped_and_one_whose_job_was_cancelled_is_not(inbox):
    one, other = inbox.store("1", "2")
    with inbox.db.transaction() as tx:
        jobs.put(tx, [jobs.process_job(match, published_at=NOON) for match in (one, other)])
        cancelled = next(job for job in jobs.search(tx) if job.args["match_id"] == other)
        jobs.cancel(tx, cancelled.id, who="a person")
        tx.run_text("UPDATE jobs SET status = 'failed', error_message = 'worker lost' WHERE status = 'pending'")
        requeue(tx, NOON)
    assert (inbox.status(one), inbox.status(other)) == ("SKIPPED", "QUEUED")


def test_a_judge_that_is_well_is_not_asked(inbox):
    ail(inbox, None)
    watch_of(inbox).once()
    assert inbox.door.told == []


def test_new_matches_get_into_the_queue_with_those_that_lost_their_job(inbox):
    (one,) = skip(inbox, "1")
    with inbox.db.transaction() as tx:
        tx.run_text("UPDATE matches SET status = 'NEW'")
        requeue(tx, NOON)
        assert matches.get(tx, one).status == "QUEUED"
        assert [job.args for job in jobs.search(tx, kind="process")] == [{"match_id": one}]
        assert requeue(tx, NOON) == 0


def test_what_was_skipped_for_its_page_is_looked_up_again(inbox):
    (one,) = inbox.store("1")
    inbox.pages.says = NoVerdict("wall")
    inbox.process(one, attempt=5)
    inbox.pages.says = Detail(availability="gone", is_closed=True)
    inbox.recover()
    inbox.process(one)
    assert inbox.status(one) == "IN_ARCHIVE"
