"""Old runs and events are forgotten, a few at a time, and nothing that is still needed; on both databases."""

from datetime import datetime, timedelta

from inforadar.domain.health import News
from inforadar.domain.item import Change
from inforadar.domain.run import StopReason
from inforadar.store import events, item_changes, items, query_states, runs
from inforadar.store.database import Database, Tx
from store.samples_of_rows import NOW, a_query, an_item

DAY = timedelta(days=1)


def a_run(tx: Tx, at: datetime, query_key: str = "hh-1", *, is_open: bool = False) -> int:
    """One run; its id."""
    run_id = runs.start(tx, query_key, "w", "hh", at)
    if not is_open:
        runs.finish(tx, run_id, at, status="SUCCESS", stop_reason=StopReason.END_OF_FEED)
    return run_id


def test_old_runs_go_but_the_newest_of_each_query_stay(db: Database) -> None:
    with db.transaction() as tx:
        old = [a_run(tx, NOW - (100 - n) * DAY) for n in range(5)]
        young = [a_run(tx, NOW - DAY)]
        rare = [a_run(tx, NOW - (300 - n) * DAY, "hh-2") for n in range(3)]
        assert runs.prune(tx, before=NOW - 90 * DAY, kept=3, limit=2) == 2
        assert runs.prune(tx, before=NOW - 90 * DAY, kept=3, limit=2) == 1
        assert runs.prune(tx, before=NOW - 90 * DAY, kept=3, limit=2) == 0
        assert {run.id for run in runs.recent(tx)} == {*old[3:], *young, *rare}


def test_a_run_that_goes_on_is_never_forgotten(db: Database) -> None:
    with db.transaction() as tx:
        run_id = a_run(tx, NOW - 500 * DAY, is_open=True)
        a_run(tx, NOW)
        assert runs.prune(tx, before=NOW, kept=0) == 0
        assert run_id in {run.id for run in runs.recent(tx)}


def test_changes_stay_in_the_history_without_their_run(db: Database) -> None:
    with db.transaction() as tx:
        old, young = a_run(tx, NOW - 100 * DAY), a_run(tx, NOW)
        (item_id,) = items.insert(tx, [an_item("1")]).values()
        for run_id in (old, young):
            item_changes.add(tx, run_id, NOW, [(item_id, Change(field="title", old="a", new="b"))])
        assert runs.prune(tx, before=NOW - DAY, kept=0) == 1
        kept = tx.rows("item_change_of_item", item_id=item_id)
    assert [row["run_id"] for row in kept] == [None, young]


def test_old_events_go_but_the_last_word_on_each_source_and_query_stays(db: Database) -> None:
    with db.transaction() as tx:
        for source, query_key in (("hh", None), ("hh", "hh-1"), ("habr", None)):
            for number in range(4):
                news = News(kind="outage", message=f"{source} {query_key} {number}")
                events.add(tx, news, source, NOW - (200 - number) * DAY, query_key)
        events.add(tx, News(kind="recovery", message="young"), "habr", NOW)
        assert events.prune(tx, before=NOW - 90 * DAY, limit=3) == 3
        assert events.prune(tx, before=NOW - 90 * DAY) == 7
        assert events.prune(tx, before=NOW - 90 * DAY) == 0
        assert [event.message for event in events.recent(tx)] == ["young", "hh hh-1 3", "hh None 3"]
        assert events.is_told_empty(tx, "hh", "hh-1")


def test_what_the_latest_finished_run_of_each_query_noted_is_found(db: Database) -> None:
    mine, theirs = a_query(watch="w"), a_query(watch="v")
    with db.transaction() as tx:
        for query, warnings in ((mine, ["old"]), (theirs, ["theirs"]), (mine, ["2 skipped", "cap"])):
            query_states.ensure(tx, query, NOW)
            run_id = runs.start(tx, query.key, query.watch, query.source, NOW)
            runs.finish(tx, run_id, NOW, status="SUCCESS", stop_reason=StopReason.END_OF_FEED, warnings=warnings)
        runs.start(tx, mine.key, mine.watch, mine.source, NOW)
        assert runs.latest_warnings(tx) == {("w", mine.key): ("2 skipped", "cap"), ("v", mine.key): ("theirs",)}
