"""Full texts: fetched apart, one by one, never overwritten by nothing."""

import pytest

from flows.rig import WorldClock, rows
from flows.scenes import Scene
from inforadar.collect.fulltext import FullTexts
from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, NOT_FETCHED
from inforadar.simulator.faults import Fault
from inforadar.store.database import Database


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
