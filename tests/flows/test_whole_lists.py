"""Whole lists through the collector: what feeds remember and lose, what closing does to matches, on both databases."""

from contextlib import suppress
from datetime import timedelta

import pytest

from flows.mortal import Fate, MortalDriver, ProcessDied
from flows.rig import NOON, rows
from inforadar.domain.errors import Unavailable
from inforadar.domain.ports import Answer
from inforadar.domain.run import StopReason
from inforadar.domain.status import Status
from inforadar.simulator.faults import Fault
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.store import companies, deliveries, events, jobs, matches
from inforadar.store.archiving import CLOSED
from inforadar.store.database import Database
from sources.whole_lists import BOARD_CASES, WholeListTrial, board, feed

RSS = feed("/news.rss")


@pytest.fixture
def news(sqlite_db):
    return WholeListTrial(RSS, sqlite_db)


def requests(trial):
    """The status of every answer so far."""
    return [line.status for line in trial.internet.log]


def told(trial):
    """What was told of the query, oldest first: kinds alone."""
    with trial.database.reading() as tx:
        return [event.kind for event in reversed(events.recent(tx))]


def test_an_unchanged_feed_is_asked_for_with_its_validators_and_costs_nothing(news):
    assert not news.sweep().is_unchanged
    report = news.sweep()
    assert requests(news) == [200, 304]
    assert (report.is_unchanged, report.ending) == (True, "not changed")
    assert (report.status, report.left, report.counters.seen) == ("SUCCESS", 0, 0)
    assert report.stop_reason is StopReason.END_OF_FEED
    assert report.last_seen_max is not None
    assert told(news) == []
    news.add()
    assert news.sweep().counters.added == 1


def test_validators_wait_until_everything_is_stored(sqlite_db):
    trial = WholeListTrial(RSS, sqlite_db, limit=5)
    trial.sweep(times=2)
    assert requests(trial) == [200, 200]
    trial.sweep(times=2)
    assert requests(trial) == [200, 200, 200, 304]
    assert trial.stored == trial.visible


def test_validators_of_a_document_with_an_unreadable_entry_are_not_kept(news):
    news.faults(Fault(kind="unreadable_entry", count=1))
    news.sweep(times=2)
    assert requests(news) == [200, 200]
    assert news.stored == news.visible


@pytest.mark.parametrize("loses_reply", [False, True])
@pytest.mark.parametrize("case", [RSS, board("greenhouse", Greenhouse)], ids=lambda case: case.name)
def test_a_process_may_die_at_any_call_and_the_next_sweep_has_everything_once(sqlite_db, case, loses_reply):
    trial = WholeListTrial(case, sqlite_db)
    trial.sweep()
    for number in range(1, 60):
        new = trial.add(NOON + number * timedelta(minutes=1))
        trial.take_off(0)
        fate = Fate(dies_at=number, loses_reply=loses_reply)
        mortal = Database(MortalDriver(sqlite_db.driver, fate))
        trial.radar = trial.process(database=mortal, holder=f"mortal {number}")
        with suppress(ProcessDied):
            trial.radar.fetch_one(trial.watch, trial.query)
        mortal.close()
        trial.radar = trial.process(holder=f"heir {number}", dead=[f"mortal {number}"])
        trial.sweep()
        assert trial.case.key_of(new.id) in trial.stored
        if not fate.is_dead:
            break
    assert not fate.is_dead
    trial.sweep_later()
    archived = [key for key, status in trial.statuses().items() if status == "IN_ARCHIVE"]
    assert archived == ([trial.key(0)] if case.is_board else [])


def test_a_watch_that_lets_in_more_reads_an_unchanged_feed_again(sqlite_db):
    trial = WholeListTrial(RSS, sqlite_db)
    word = trial.entries[0].title.split()[0]
    wide = trial.watch
    trial.watch = type(wide)(name=wide.name, kind=wide.kind, ban_words=(word,), queries=wide.queries)
    trial.sweep(times=2)
    before = trial.stored
    trial.watch = wide
    trial.sweep()
    assert requests(trial) == [200, 304, 200]
    assert before < trial.stored == trial.visible


def test_a_feed_that_rolled_over_is_a_gap_that_is_told_once(sqlite_db):
    trial = WholeListTrial(feed("/news.rss?n=8"), sqlite_db, entries=8)
    trial.sweep()
    for number in range(9):
        trial.add(NOON + number * timedelta(minutes=1))
    trial.internet.advance(3600)
    report = trial.sweep()
    assert any("may be lost" in warning for warning in report.warnings)
    assert told(trial) == ["gap"]
    assert report.counters.added == 8
    assert not trial.sweep().warnings
    assert told(trial) == ["gap"]


def test_while_a_feed_rolls_over_again_and_again_every_gap_is_recorded_and_one_alarm_sounds(sqlite_db):
    trial = WholeListTrial(feed("/news.rss?n=8"), sqlite_db, entries=8)
    sounded: list[str] = []
    trial.radar.sound_gap = lambda _tx, _query, message: sounded.append(message)

    def roll_over(hours):
        for number in range(9):
            trial.add(NOON + timedelta(hours=hours, minutes=number))
        trial.internet.advance(3600)
        return trial.sweep().warnings

    trial.sweep()
    assert [len(roll_over(hours)) for hours in (1, 2, 3)] == [1, 1, 1]
    assert len(sounded) == 1
    assert told(trial) == ["gap", "gap"]
    trial.sweep()
    roll_over(4)
    assert len(sounded) == 2


def test_a_feed_that_still_shows_one_known_entry_has_no_gap(sqlite_db):
    trial = WholeListTrial(feed("/news.json?n=8"), sqlite_db, entries=8)
    trial.sweep()
    for number in range(7):
        trial.add(NOON + number * timedelta(minutes=1))
    assert not trial.sweep().warnings
    assert told(trial) == []


def test_what_leaves_a_feed_is_not_closed(news):
    news.sweep()
    news.take_off(0, 1, 2)
    news.sweep(times=3)
    assert news.missed() == set()
    assert set(news.statuses().values()) == {"QUEUED"}


def test_a_feed_that_is_suddenly_empty_is_told_and_so_is_its_return(news):
    news.sweep()
    news.faults(Fault(kind="empty_page"))
    news.sweep(times=2)
    assert told(news) == ["outage"]
    news.faults()
    news.sweep()
    assert told(news) == ["outage", "recovery"]


def test_entries_without_dates_are_dated_by_their_first_sight_and_never_bumped(sqlite_db):
    trial = WholeListTrial(feed("/news.rss?dates=none"), sqlite_db)
    trial.sweep()
    trial.internet.advance(7200)
    trial.add()
    report = trial.sweep()
    assert (report.counters.added, report.counters.updated) == (1, 0)
    dates = {str(row["published_at"]) for row in rows(sqlite_db, "SELECT published_at FROM items")}
    assert len(dates) == 2
    assert not rows(sqlite_db, "SELECT key FROM items WHERE data LIKE '%bumped_at%'")


def test_without_guids_the_link_is_the_identity_whatever_tracking_it_carries(sqlite_db):
    trial = WholeListTrial(feed("/news.rss?guids=none&tracking=new"), sqlite_db)
    trial.sweep()
    report = trial.sweep()
    assert (report.counters.added, report.counters.known) == (0, 12)


CHANGELOG = """<rss version="2.0"><channel><title>Releases</title>{items}</channel></rss>"""
RELEASE = (
    "<item><title>Release {n}</title><link>https://x.test/changes</link>"
    "<pubDate>Mon, 05 Jan 2026 0{n}:00:00 GMT</pubDate></item>"
)


class OneDocument:
    """A server whose feed is what the test says."""

    def __init__(self, shown):
        self.shown = shown

    def send(self, _base_url, request):
        body = CHANGELOG.format(items="".join(RELEASE.format(n=n) for n in self.shown))
        return Answer(url=request.url or "", status=200, headers={}, body=body.encode())


def test_an_entry_of_one_feed_is_one_item_whichever_watch_reads_it_and_whatever_words_it_asks_for(db):
    trial = WholeListTrial(RSS, db)
    feed_of = {"url": "https://x.test/changes.rss"}
    watches = [
        trial.asking(feed_of, watch="early"),
        trial.asking(feed_of, watch="late"),
        trial.asking({**feed_of, "text": ["release"]}, watch="wordy"),
    ]
    server = OneDocument([1])
    trial.radar = trial.process(transport=server)
    for shown, asking in [([1], 0), ([1, 2], 1), ([2], 2), ([1, 2, 3], 0), ([3], 1), ([1, 2, 3], 2), ([1, 2, 3], 1)]:
        server.shown = shown
        assert trial.radar.fetch(watches[asking]).queries[0].status == "SUCCESS"
    titles = [row["title"] for row in rows(db, "SELECT title FROM items ORDER BY title")]
    assert titles == ["Release 1", "Release 2", "Release 3"]
    found = rows(db, "SELECT watch, count(*) AS n FROM matches GROUP BY watch ORDER BY watch")
    assert [(row["watch"], row["n"]) for row in found] == [("early", 3), ("late", 3), ("wordy", 3)]


def test_words_narrow_a_feed(sqlite_db):
    trial = WholeListTrial(RSS, sqlite_db)
    trial.world.edit("feed", trial.entries[0].id, title="Databases without tears")
    trial.watch, trial.query = trial.asking({"url": "/news.rss", "text": ["databases TEARS", "nothing such"]})
    trial.sweep()
    assert trial.stored == {trial.key(0)}


@pytest.mark.parametrize(("status", "seconds"), [("forbidden", None), ("rate_limited", 3600), ("rate_limited", None)])
def test_a_feed_that_turns_us_away_does_not_stop_the_others(sqlite_db, status, seconds):
    trial = WholeListTrial(RSS, sqlite_db)
    other = trial.asking({"url": "/news.json"}, watch="other")
    trial.faults(Fault(kind=status, count=1, seconds=seconds))
    refused, fine = trial.radar.fetch((trial.watch, trial.query), other).queries
    assert (refused.status, refused.is_bad_query) == ("ERROR", True)
    assert (fine.status, fine.counters.added) == ("SUCCESS", 12)


@pytest.mark.parametrize(("seconds", "hours"), [(48 * 3600, 48), (None, 6), (120, 6)])
def test_a_server_of_feeds_that_wants_to_be_left_alone_is_by_every_process_until_its_time_has_come(db, seconds, hours):
    trial = WholeListTrial(feed("https://feed.test/news.rss"), db)
    other = trial.asking({"url": "https://feed/news.rss"}, watch="other")
    trial.faults(Fault(kind="rate_limited", count=1, seconds=seconds, source="feed"))
    trial.radar = trial.process(per_minute=600)
    report = trial.sweep()
    assert (report.status, report.stop_reason, report.is_bad_query) == ("ERROR", StopReason.RATE_LIMITED, False)
    trial.radar = trial.process(per_minute=600, holder="after a restart")
    asked = len(trial.internet.log)
    trial.internet.advance(3600 * hours - 60)
    assert "left alone until" in (trial.radar.fetch_one(trial.watch, trial.query).error or "")
    assert len(trial.internet.log) == asked
    assert trial.radar.fetch(other).queries[0].counters.added == 12
    trial.internet.advance(3600 * hours)
    assert trial.sweep().counters.added == 12


def test_a_short_retry_after_of_a_feed_is_waited_for(news):
    news.faults(Fault(kind="rate_limited", count=1, seconds=5))
    assert news.sweep().status == "SUCCESS"
    assert news.radar.waiting.waits == [pytest.approx(5)]


def test_closing_archives_what_is_in_work_or_in_the_inbox_and_nothing_else(db):
    trial = WholeListTrial(board("greenhouse", Greenhouse), db)
    trial.sweep()
    sent, waiting, applied = (_match(db, trial.key(place)) for place in (1, 2, 3))
    with db.transaction() as tx:
        for one in (sent, waiting):
            matches.move(tx, one, Status.QUEUED, Status.ANALYZED, who="machine", why="fits", now=NOON)
            deliveries.add(tx, one, "telegram", state="waiting", due_at=NOON, now=NOON)
        (delivery,) = deliveries.of_match(tx, sent)
        told = type(delivery)(**{**_fields(delivery), "state": "sent", "reference": "1:2"})
        deliveries.add_message(tx, "1:2", [delivery.id])
        deliveries.write(tx, delivery, told, NOON)
        matches.move(tx, applied, Status.QUEUED, Status.APPLIED, who="user", why="me", now=NOON)
    trial.take_off(0, 1, 2, 3)
    trial.sweep()
    trial.sweep_later()
    statuses = trial.statuses()
    assert [statuses[trial.key(place)] for place in range(4)] == ["IN_ARCHIVE"] * 3 + ["APPLIED"]
    with db.reading() as tx:
        assert [one.why for one in deliveries.of_match(tx, waiting)] == [CLOSED]
        edits = [job for job in jobs.search(tx, limit=100) if job.kind == "edit"]
    assert [job.args["reference"] for job in edits] == ["1:2"]
    assert statuses[trial.key(5)] == "QUEUED"


def test_an_opening_is_open_until_its_closing_is_confirmed_whatever_was_decided_on_it(db):
    trial = WholeListTrial(board("greenhouse", Greenhouse), db)
    trial.sweep()
    decided = ((_match(db, trial.key(1)), Status.APPLIED), (_match(db, trial.key(2)), Status.NOT_INTERESTED))
    with db.transaction() as tx:
        for one, status in decided:
            matches.move(tx, one, Status.QUEUED, status, who="user", why="me", now=NOON)
    taken = {trial.key(place) for place in range(3)}
    trial.take_off(0, 1, 2)
    trial.sweep()
    assert (trial.missed(), closed_offers(db), open_offers(db)) == (taken, set(), 12)
    trial.sweep_later()
    assert (closed_offers(db), open_offers(db)) == (taken, 9)
    assert not trial.sweep_later().warnings


def test_an_opening_that_is_shown_again_is_open_again_and_may_be_closed_once_more(db):
    trial = WholeListTrial(board("greenhouse", Greenhouse), db)
    trial.sweep()
    entry = trial.entries[0].id
    for _ in range(2):
        trial.world.hide("greenhouse", entry)
        trial.sweep()
        trial.sweep_later()
        assert (closed_offers(db), open_offers(db)) == ({trial.key(0)}, 11)
        trial.world.show("greenhouse", entry)
        trial.sweep_later()
        assert (closed_offers(db), open_offers(db)) == (set(), 12)


def closed_offers(db):
    """The keys of the offers that are not open."""
    return {row["offer_id"] for row in rows(db, "SELECT offer_id FROM offers WHERE NOT is_open")}


def open_offers(db):
    """How many open offers the companies have, counted anew as the job after a run does."""
    touched = rows(db, "SELECT DISTINCT run_id FROM stale_companies")
    with db.transaction() as tx:
        for run in touched:
            for one in companies.stale(tx, run["run_id"], 100):
                companies.aggregate(tx, one, NOON)
        return sum(one.offers_open for one in companies.search(tx))


def test_an_opening_whose_list_has_the_text_needs_no_look_and_one_without_does(db):
    for case in (board("greenhouse", Greenhouse), board("smartrecruiters", SmartRecruiters)):
        WholeListTrial(case, db, entries=3).sweep()
    checked = rows(db, "SELECT source, checked_at FROM items ORDER BY source")
    assert [row["checked_at"] is not None for row in checked] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("name", ["greenhouse", "lever", "ashby", "smartrecruiters", "workable", "recruitee"])
def test_the_page_of_an_opening_is_alive_and_gone_when_it_is_withdrawn(sqlite_db, name):
    trial = WholeListTrial(next(case for case in BOARD_CASES if case.name == name), sqlite_db)
    trial.sweep()
    ask = trial.radar.governors[name].detail
    seen = ask(trial.source, trial.key(0), "")
    assert (seen.availability, bool(seen.full_text)) == ("alive", True)
    trial.take_off(0)
    assert ask(trial.source, trial.key(0), "").availability == "gone"


def _match(db, key):
    return rows(db, "SELECT m.id FROM matches m JOIN items i ON i.id = m.item_id WHERE i.key = :key", key=key)[0]["id"]


def _fields(delivery):
    return {name: getattr(delivery, name) for name in type(delivery).__dataclass_fields__}


def test_a_page_that_an_entry_links_to_says_nothing_about_the_feeds(news):
    news.radar = news.process(per_minute=600)
    governor = news.radar.governors["feed"]
    news.faults(Fault(kind="server_error", scope="detail"))
    for _ in range(6):
        with pytest.raises(Unavailable):
            governor.detail(news.source, news.key(0), "https://feed.test/articles/1")
    assert governor.gate.closed() is None
    assert news.sweep().status == "SUCCESS"
