"""Full texts: fetched apart, one by one, never overwritten by nothing."""

from datetime import timedelta
from itertools import pairwise

import pytest

from flows.rig import WorldClock, rows
from flows.scenes import Scene
from inforadar.collect.fulltext import FullTexts
from inforadar.collect.governor import StoppedByUser
from inforadar.domain.fulltext import UNAVAILABLE
from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, NOT_FETCHED
from inforadar.simulator.faults import Fault
from inforadar.store.database import Database

HOUR = timedelta(hours=1)


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def texts(scene: Scene) -> FullTexts:
    return FullTexts(
        database=scene.database,
        clock=WorldClock(scene.internet),
        sources=scene.sources,
        governors=scene.process().governors,
    )


def data_of(scene: Scene, key: str) -> dict:
    (row,) = rows(scene.database, "SELECT data FROM items WHERE key = :key", key=key)
    return row["data"]


def test_an_article_starts_without_its_text_and_gets_it_later(scene):
    articles = scene.publish(3, "habr")
    scene.sweep(scene.ask("habr"))
    assert all(data_of(scene, article.id)[FULL_TEXT_STATE] == NOT_FETCHED for article in articles)
    report = texts(scene).get(limit=2)
    assert (report.fetched, report.gone, report.left, report.errors) == (2, 0, 1, ())
    newest = data_of(scene, articles[0].id)
    assert newest[FULL_TEXT_STATE] == FETCHED
    assert len(newest[FULL_TEXT]) > 100
    assert texts(scene).get().left == 0


def test_a_sweep_after_it_leaves_the_text_alone(scene):
    (article,) = scene.publish(1, "habr")
    asked = scene.ask("habr")
    scene.sweep(asked)
    texts(scene).get()
    before = data_of(scene, article.id)
    scene.world.edit("habr", article.id, title="Another title")
    scene.sweep(asked)
    after = data_of(scene, article.id)
    assert (after[FULL_TEXT], after[FULL_TEXT_STATE]) == (before[FULL_TEXT], FETCHED)


def test_an_article_that_is_gone_is_marked_and_not_asked_for_again(scene):
    (article,) = scene.publish(1, "habr")
    scene.sweep(scene.ask("habr"))
    scene.world.withdraw("habr", article.id, "deleted")
    report = texts(scene).get()
    assert (report.gone, report.left) == (1, 0)
    asked = len(scene.internet.log)
    texts(scene).get()
    assert len(scene.internet.log) == asked


def test_a_source_that_turns_us_away_is_left_alone_for_the_rest_of_the_run(scene):
    scene.publish(3, "habr")
    scene.sweep(scene.ask("habr"))
    scene.internet.reset_log()
    scene.faults(Fault(kind="rate_limited", source="habr", scope="detail"))
    report = texts(scene).get()
    assert (report.fetched, report.left) == (0, 3)
    assert len(scene.internet.log) == 1
    assert len(report.errors) == 1


def test_an_outage_of_one_article_does_not_stop_the_others(scene):
    scene.publish(3, "habr")
    scene.sweep(scene.ask("habr"))
    scene.faults(Fault(kind="server_error", source="habr", scope="detail", count=4))
    report = texts(scene).get()
    assert (report.fetched, report.left, len(report.errors)) == (2, 1, 1)


def test_a_hopeless_article_is_asked_for_less_and_less_often_and_given_up(scene):
    (article,) = scene.publish(1, "habr")
    scene.sweep(scene.ask("habr"))
    scene.faults(Fault(kind="server_error", source="habr", scope="detail"))
    asked_at = []
    for _ in range(24 * 4):
        scene.internet.reset_log()
        texts(scene).get(only_due=True)
        asked_at += [scene.world.now] if scene.internet.log else []
        scene.internet.advance(3600)
    pauses = [round((later - earlier) / HOUR) for earlier, later in pairwise(asked_at)]
    assert pauses == [1, 2, 4, 8, 16]
    assert data_of(scene, article.id)[FULL_TEXT_STATE] == UNAVAILABLE
    scene.sweep(scene.ask("habr"))
    assert data_of(scene, article.id)[FULL_TEXT_STATE] == UNAVAILABLE


def test_a_person_may_ask_again_for_what_was_put_off_or_given_up(scene):
    (article,) = scene.publish(1, "habr")
    scene.sweep(scene.ask("habr"))
    scene.faults(Fault(kind="server_error", source="habr", scope="detail"))
    for _ in range(7):
        assert texts(scene).get().left == 1
    assert data_of(scene, article.id)[FULL_TEXT_STATE] == UNAVAILABLE
    assert texts(scene).get(only_due=True).left == 0
    scene.faults()
    assert texts(scene).get().fetched == 1
    assert data_of(scene, article.id)[FULL_TEXT_STATE] == FETCHED
    assert rows(scene.database, "SELECT * FROM full_text_tries") == []


def test_an_article_tried_in_vain_lets_the_others_go_first(scene):
    newest, *others = scene.publish(3, "habr")
    scene.sweep(scene.ask("habr"))
    scene.faults(Fault(kind="forbidden", source="habr", scope="detail", count=1))
    assert texts(scene).get().fetched == 0, "a refusal ends the round"
    scene.faults()
    assert texts(scene).get(limit=2).fetched == 2
    assert data_of(scene, newest.id)[FULL_TEXT_STATE] == NOT_FETCHED
    assert all(data_of(scene, other.id)[FULL_TEXT_STATE] == FETCHED for other in others)


def test_an_outage_of_the_source_is_not_held_against_its_articles(scene):
    scene.publish(1, "habr")
    scene.sweep(scene.ask("habr"))
    scene.faults(Fault(kind="rate_limited", source="habr", scope="detail"))
    texts(scene).get()
    assert rows(scene.database, "SELECT * FROM full_text_tries") == []


def test_full_texts_end_at_the_article_before_which_they_are_stopped(scene):
    scene.publish(4, "habr")
    scene.sweep(scene.ask("habr"))
    pulses = []

    def pulse():
        pulses.append(1)
        if len(pulses) == 3:
            raise StoppedByUser

    with pytest.raises(StoppedByUser):
        texts(scene).get(pulse=pulse)
    assert texts(scene).get(limit=0).left == 2
