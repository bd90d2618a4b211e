"""The world of labelled vacancies: what each was meant to be is what a visitor finds, and what the model thinks."""

from collections import Counter
from collections.abc import Iterator
from html import unescape

import pytest

from inforadar.simulator.making import full_text
from inforadar.simulator.ollama.scorer import opinion_on
from inforadar.simulator.phrases import BAN_WORDS, PROFILE
from inforadar.simulator.scenarios import vacancy_world
from inforadar.simulator.search import Search
from inforadar.simulator.server import Simulator
from inforadar.simulator.vacancies import Shares, labelled, place_vacancy
from inforadar.simulator.world import World
from sim.simulator_client import NOON, Reply, control
from sim.test_simulator_pages import page

LABELS = {"fitting", "unfitting", "banned", "closed", "gone", "flaky", "silent"}
MIN_SCORE = 0.6


@pytest.fixture(scope="module")
def world() -> World:
    return vacancy_world(1, NOON)


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(vacancy_world(2, NOON, {"hh": 40, "linkedin": 40})) as simulator:
        yield simulator


def holds_ban_word(text: str) -> bool:
    return any(word.casefold() in text.casefold() for word in BAN_WORDS)


def visited(simulator: Simulator, label: str) -> list[Reply]:
    found = [key for key, held in simulator.world.labels.items() if held == label]
    assert found
    return [page(simulator, source, entry_id) for source, entry_id in found]


def test_there_are_hundreds_in_three_languages_with_every_label_all_found_by_one_search(world):
    counted = Counter(world.labels.values())
    assert set(counted) == LABELS
    assert all(count >= 5 for count in counted.values())
    entries = [world.entry(*key) for key in world.labels]
    assert len(entries) == 320
    assert {entry.lang for entry in entries} == {"ru", "en", "es"}
    found = {source: Search(source=source, any_of=(frozenset(("python",)),)) for source in ("hh", "linkedin")}
    assert {(source, entry_id) for source in found for entry_id in world.visible_ids(found[source])} == set(
        world.labels
    )


def test_the_same_seed_gives_the_same_vacancies_and_another_seed_others(world):
    again, other = vacancy_world(1, NOON), vacancy_world(2, NOON)
    assert again.labels == world.labels
    assert [again.entry(*key) for key in again.labels] == [world.entry(*key) for key in world.labels]
    assert other.labels != world.labels


def test_ban_words_stand_in_the_full_text_of_the_banned_alone(world):
    for key, label in world.labels.items():
        entry = world.entry(*key)
        assert holds_ban_word(unescape(full_text(entry))) == (label == "banned")
        assert not holds_ban_word(" ".join((entry.title, entry.company.name, *entry.snippet, *entry.tags)))


def test_the_model_finds_fitting_what_was_meant_to_fit(world):
    for key, label in world.labels.items():
        entry = world.entry(*key)
        opinion = opinion_on(world.seed, PROFILE, f"{entry.title}\n{entry.place.city}\n{full_text(entry)}")
        assert (opinion.score >= MIN_SCORE) == (label != "unfitting"), (label, opinion)


def test_closed_gone_flaky_and_silent_pages_behave_as_they_are_called(simulator):
    for reply in visited(simulator, "closed"):
        assert b'"archived":true' in reply.body or b"closed-job__flavor--closed" in reply.body
    assert {reply.status for reply in visited(simulator, "gone")} == {404}
    assert {reply.status for reply in visited(simulator, "gone")} == {404}
    assert {reply.status for reply in visited(simulator, "flaky")} == {404}
    assert {reply.status for reply in visited(simulator, "flaky")} == {200}
    silent = [reply for _ in range(2) for reply in visited(simulator, "silent")]
    assert not {404, 410} & {reply.status for reply in silent}
    assert all(reply.status == 200 and reply.body for reply in visited(simulator, "silent"))


def test_shares_can_be_chosen():
    shares = Shares(unfitting=0.0, banned=1.0)
    assert set(vacancy_world(1, NOON, {"hh": 20}, shares=shares).labels.values()) == {"banned"}
    walls = Shares(unfitting=0.0, banned=0.0, closed=0.0, gone=0.0, flaky=0.0, silent=1.0, silent_states=("captcha",))
    world = vacancy_world(1, NOON, {"hh": 5}, shares=walls)
    assert {world.page_state(*key) for key in world.labels} == {"captcha"}


def test_one_more_vacancy_can_be_placed_with_its_label_and_seen_at_the_door(simulator):
    simulator.advance(60)
    entry = place_vacancy(simulator.world, "hh", "gone", title="Python, and gone")
    assert (entry.title, entry.published_at) == ("Python, and gone", simulator.world.now)
    assert entry.id in labelled(simulator.world, "gone", "hh")
    assert control(simulator, "labels").json["hh"][entry.id] == "gone"
    assert page(simulator, "hh", entry.id).status == 404
