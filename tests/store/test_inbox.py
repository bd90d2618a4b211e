"""What the web page asks of the store, on both databases."""

from dataclasses import replace
from datetime import timedelta

from inforadar.domain.status import Status
from inforadar.domain.verdict import Verdict
from inforadar.store import analyses, inbox, items, matches, sessions
from inforadar.store.inbox import Wanted
from store.samples_of_rows import NOW, an_item


def matched(tx, count, watch="w", **differing):
    wanted = [replace(an_item(f"{watch}{n}", published_at=NOW - timedelta(hours=n)), **differing) for n in range(count)]
    ids = items.insert(tx, wanted)
    created = matches.create(tx, watch, "q", list(ids.values()), NOW, "machine", "found")
    return [created[ids[item.key]] for item in wanted]


def test_counts_go_no_further_than_the_limit(db, monkeypatch):
    with db.transaction() as tx:
        matched(tx, 6)
        assert inbox.count(tx, ["QUEUED", "NEW"]) == inbox.Count(number=6, is_more=False)
        monkeypatch.setattr(inbox, "MOST_COUNTED", 5)
        assert inbox.count(tx, ["QUEUED", "NEW"]) == inbox.Count(number=5, is_more=True)


def test_few_and_many_are_found_alike_in_order_and_page_by_page(db, monkeypatch):
    with db.transaction() as tx:
        ids = matched(tx, 9)
        matches.put_off(tx, ids[3], NOW + timedelta(days=1), NOW)
        for most in (1000, 2):
            monkeypatch.setattr(inbox, "MOST_COUNTED", most)
            wanted = Wanted(statuses=("QUEUED",), due_at=NOW, watch="w", source="hh", min_score=None)
            first = inbox.search(tx, wanted, limit=4)
            rest = inbox.search(tx, wanted, below=(first[-1].published_at, first[-1].id), limit=9)
            assert [one.id for one in (*first, *rest)] == [one for one in ids if one != ids[3]]
        later = inbox.search(tx, Wanted(put_off_at=NOW))
        assert [one.id for one in later] == [ids[3]]
        assert inbox.count_put_off(tx, NOW).number == 1
        assert len(inbox.search(tx, Wanted())) == 9


def test_a_walk_for_the_last_few_is_broken_off_and_goes_on_where_it_ended(db, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_COUNTED", 2)
    monkeypatch.setattr(inbox, "MOST_WALKED", 3)
    with db.transaction() as tx:
        ids = matched(tx, 10)
        matches.judged(tx, ids[7], score=0.9, reason="r", now=NOW)
        matches.judged(tx, ids[3], score=0.9, reason="r", now=NOW)
        wanted, below, found, parts = Wanted(min_score=0.9), None, [], 0
        while parts < 10:
            part = inbox.page(tx, wanted, below=below, limit=5)
            found += [one.id for one in part.found]
            parts += 1
            if part.walked_to is None:
                break
            below = (part.walked_to, 2**63 - 1)
        assert (found, parts) == ([ids[3], ids[7]], 4)
        assert inbox.page(tx, Wanted(), limit=5).walked_to is None, "without a filter every item is a hit"
        assert inbox.page(tx, Wanted(text="nowhere"), limit=5) == inbox.Page(found=[]), "the index knows at once"


def test_a_walk_that_would_stand_still_goes_on_to_the_end(db, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_WALKED", 3)
    with db.transaction() as tx:
        held = items.insert(tx, [an_item(str(n), published_at=NOW) for n in range(9)])
        matches.create(tx, "w", "q", list(held.values()), NOW, "machine", "found")
        first = inbox.page(tx, Wanted(watch="nobody"), limit=5)
        assert first.walked_to == NOW
        assert inbox.page(tx, Wanted(watch="w"), below=(NOW, 2**63 - 1), limit=20).walked_to is None
        assert len(inbox.page(tx, Wanted(watch="w"), below=(NOW, 2**63 - 1), limit=20).found) == 9


def test_each_filter_narrows(db):
    with db.transaction() as tx:
        ids = matched(tx, 3)
        other = matched(tx, 1, "v", source="habr", title="100% Ω", data={"hubs": ["kites"]})
        queued = Wanted(statuses=("QUEUED",))
        for narrowed in (
            replace(queued, watch="v"),
            replace(queued, source="habr"),
            replace(queued, text="100% ω"),
            replace(queued, topic="kites"),
        ):
            assert [one.id for one in inbox.search(tx, narrowed)] == other, narrowed
        recent = replace(queued, watch="w", published_after=NOW - timedelta(hours=1, minutes=30))
        assert [one.id for one in inbox.search(tx, recent)] == ids[:2]
        matches.judged(tx, ids[2], score=0.7, reason="r", now=NOW)
        assert [one.id for one in inbox.search(tx, replace(queued, min_score=0.7))] == [ids[2]]


def test_the_places_of_matches_are_told_and_the_newest_event(db):
    with db.transaction() as tx:
        assert inbox.last_event(tx) == 0
        first, second = matched(tx, 2)
        before = inbox.last_event(tx)
        matches.move(tx, first, Status.QUEUED, Status.ANALYZED, who="machine", why="x", now=NOW)
        assert inbox.last_event(tx) > before
        standing = inbox.places(tx, [first, second, 999])
        assert {one.id: one.status for one in standing.values()} == {first: "ANALYZED", second: "QUEUED"}


def test_the_newest_verdict_says_what_was_found(db):
    with db.transaction() as tx:
        (match_id,) = matched(tx, 1)
        for substance, skill in (("a", "sql"), ("b", "python")):
            verdict = Verdict(judge="words", score=0.5, reason="r", skills=(skill,))
            analyses.add(tx, match_id, verdict, is_relevant=True, substance=substance, now=NOW)
        assert inbox.skills(tx, [match_id]) == {match_id: ("python",)}
        assert inbox.skills(tx, []) == {}
        assert [one.skills for one in inbox.recent_findings(tx, limit=5)] == [("python",), ("sql",)]


def test_a_session_lets_in_until_it_ends_or_is_revoked(db):
    with db.transaction() as tx:
        sessions.add(tx, "one", now=NOW, ends_at=NOW + timedelta(hours=1))
        assert sessions.is_live(tx, "one", NOW)
        assert not sessions.is_live(tx, "two", NOW)
        assert not sessions.is_live(tx, "one", NOW + timedelta(hours=1))
        sessions.add(tx, "two", now=NOW + timedelta(minutes=1), ends_at=NOW + timedelta(hours=1))
        sessions.revoke(tx, "two")
        assert not sessions.is_live(tx, "two", NOW)
        assert sessions.is_live(tx, "one", NOW)
