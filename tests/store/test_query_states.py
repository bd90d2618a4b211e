"""Query states and runs, on both databases."""

from datetime import date

import pytest

from inforadar.domain.errors import StoreError
from inforadar.domain.run import Counters, StopReason
from inforadar.store import query_states, runs
from inforadar.store.database import Database
from store.samples_of_rows import LATER, NOW, a_query


def test_a_query_begins_idle_and_keeps_its_history_when_its_words_change(db: Database) -> None:
    query = a_query()
    with db.transaction() as tx:
        query_states.ensure(tx, query, NOW)
        query_states.save_coverage(tx, query, [["a", "b", 3]])
        query_states.ensure(tx, a_query(text="Python"), LATER)
        state = query_states.get(tx, query)
    assert state is not None
    assert (state.status, state.sweeps, state.consecutive_failures, state.coverage) == ("IDLE", 0, 0, [["a", "b", 3]])
    assert state.params == {"text": "Python"}
    assert state.last_run_at is None


def test_two_watches_that_ask_the_same_have_a_history_each(db: Database) -> None:
    mine, theirs = a_query(watch="w"), a_query(watch="v")
    with db.transaction() as tx:
        query_states.ensure(tx, mine, NOW)
        query_states.ensure(tx, theirs, NOW)
        query_states.start(tx, mine, NOW)
        assert [(state.watch, state.sweeps) for state in query_states.all(tx)] == [("v", 0), ("w", 1)]
        assert query_states.get(tx, a_query("unknown")) is None


def test_a_sweep_counts_and_its_end_is_remembered(db: Database) -> None:
    query = a_query()
    with db.transaction() as tx:
        query_states.ensure(tx, query, NOW)
        started = query_states.start(tx, query, NOW)
        query_states.fail(tx, query, NOW, "no answer")
        query_states.start(tx, query, LATER)
        query_states.fail(tx, query, LATER, "no answer again")
        failed = query_states.get(tx, query)
        query_states.start(tx, query, LATER)
        query_states.succeed(tx, query, LATER, date(2026, 1, 3))
        query_states.succeed(tx, query, LATER, None)
        done = query_states.get(tx, query)
    assert (started.status, started.sweeps, started.last_run_at) == ("RUNNING", 1, NOW)
    assert failed is not None
    assert (failed.status, failed.consecutive_failures, failed.last_error) == ("ERROR", 2, "no answer again")
    assert done is not None
    assert (done.status, done.sweeps, done.consecutive_failures, done.last_error) == ("SUCCESS", 3, 0, None)
    assert (done.last_success_at, done.last_error_at, done.last_processed_date) == (LATER, LATER, date(2026, 1, 3))


def test_a_query_nobody_saved_cannot_start(db: Database) -> None:
    with pytest.raises(StoreError, match="radar fetch"), db.transaction() as tx:
        query_states.start(tx, a_query(), NOW)


def test_what_a_dead_process_left_running_is_closed(db: Database) -> None:
    query, other = a_query(), a_query("q2")
    with db.transaction() as tx:
        for one in (query, other):
            query_states.ensure(tx, one, NOW)
        query_states.start(tx, query, NOW)
        run_id = runs.start(tx, query.key, query.watch, query.source, NOW)
        runs.add(tx, run_id, Counters(pages=1))
    with db.transaction() as tx:
        assert query_states.clean_up(tx, LATER, source="linkedin") == 0
        assert runs.clean_up(tx, LATER, source="linkedin") == 0
        assert query_states.clean_up(tx, LATER) == 1
        assert runs.clean_up(tx, LATER) == 1
        assert query_states.clean_up(tx, LATER) == 0
        state = query_states.get(tx, query)
        (run,) = runs.recent(tx)
    assert state is not None
    assert (state.status, state.last_error, state.consecutive_failures) == ("ERROR", "interrupted", 0)
    assert (run.status, run.stop_reason, run.finished_at) == ("ERROR", StopReason.INTERRUPTED, LATER)
    assert run.counters == Counters(pages=1)


def test_a_run_adds_up_its_pages_and_says_why_it_stopped(db: Database) -> None:
    page = Counters(
        pages=1, requests=2, seen=3, unseen=4, known=5, added=6, updated=7, filtered=8, errors=9, http_429=10
    )
    with db.transaction() as tx:
        first = runs.start(tx, "q1", "w", "hh", NOW)
        second = runs.start(tx, "q2", "w", "hh", NOW)
        runs.add(tx, first, page)
        runs.add(tx, first, page)
        reason = StopReason.LIMIT_REACHED
        runs.finish(tx, first, LATER, status="PARTIAL", stop_reason=reason, left=3, notes=["a"], warnings=["b"])
        assert [run.id for run in runs.recent(tx)] == [second, first]
        assert [run.id for run in runs.recent(tx, limit=1)] == [second]
        (run,) = runs.recent(tx, "q1")
    assert run.counters == page + page
    assert (run.status, run.stop_reason, run.left) == ("PARTIAL", StopReason.LIMIT_REACHED, 3)
    assert (run.notes, run.warnings, run.started_at, run.finished_at) == (("a",), ("b",), NOW, LATER)
