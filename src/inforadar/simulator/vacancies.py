"""Vacancies that were meant for something, so that a test knows what should become of each.

    fitting     open, its text full of the profile's words
    unfitting   open, found by the same search, nothing of the profile in its text
    banned      fitting, with a ban word that stands in the full text alone
    closed      still listed, its own page says it is closed
    gone        still listed, its own page is not found
    flaky       its own page is not found once and comes back
    silent      its own page gives no verdict for a while, and comes back

The label of each is in `world.labels`; the same seed gives the same vacancies.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from random import Random
from typing import Any

from inforadar.simulator import phrases
from inforadar.simulator.entry import Entry
from inforadar.simulator.making import make_entry, places_of
from inforadar.simulator.vocabulary import JOB_PHRASES
from inforadar.simulator.world import World

SILENT_STATES = ("withheld", "empty", "unavailable")
MOST_SILENT_VISITS = 2
NOTES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The share of each label; what is left over is fitting. `silent_states` are those silent pages take in turn."""

    unfitting: float = 0.25
    banned: float = 0.12
    closed: float = 0.08
    gone: float = 0.06
    flaky: float = 0.04
    silent: float = 0.05
    silent_states: tuple[str, ...] = SILENT_STATES

    def label(self, drawn: float) -> str:
        """The label for a number drawn from 0 to 1."""
        for field in fields(self):
            share = getattr(self, field.name)
            if isinstance(share, float):
                drawn -= share
                if drawn < 0:
                    return field.name
        return "fitting"


def stock_vacancies(world: World, source: str, count: int, days: float, shares: Shares | None = None) -> None:
    """Fill a job site with labelled vacancies of the days before now."""
    chance = world.chance(f"{source}/vacancies")
    moments = sorted(world.now - timedelta(days=chance.uniform(0, days)) for _ in range(count))
    for moment in moments:
        label = (shares or Shares()).label(chance.random())
        place_vacancy(world, source, label, moment, chance, shares)


def place_vacancy(
    world: World,
    source: str,
    label: str,
    published_at: datetime | None = None,
    chance: Random | None = None,
    shares: Shares | None = None,
    **given: Any,
) -> Entry:
    """Publish one vacancy with this label, now unless a moment is given; what is `given` replaces what is made up."""
    drawn = chance or world.chance(f"{source}/{label}/{len(world.labels)}")
    at = published_at or world.now
    entry_id = world.next_id(source, drawn)
    entry = make_entry(source, entry_id, at, drawn, **{**_content(source, label, drawn), **given})
    world.place(entry, visible_at=at)
    world.labels[source, entry.id] = label
    _set_page(world, entry, label, drawn, (shares or Shares()).silent_states)
    return entry


def labelled(world: World, label: str, source: str | None = None) -> frozenset[str]:
    """The ids of all vacancies with this label."""
    return frozenset(
        entry_id for (site, entry_id), held in world.labels.items() if held == label and source in (None, site)
    )


def _content(source: str, label: str, chance: Random) -> Mapping[str, Any]:
    is_fitting = label != "unfitting"
    place = chance.choice(places_of(source))
    lang = place.lang if chance.random() < 0.8 else "en"
    titles = phrases.FITTING_TITLES if is_fitting else phrases.UNFITTING_TITLES
    sentences = phrases.FITTING_PHRASES if is_fitting else phrases.UNFITTING_PHRASES
    tags = phrases.FITTING_TAGS if is_fitting else phrases.UNFITTING_TAGS
    notes = chance.sample(sentences[lang], k=NOTES)
    if label == "banned":
        notes.insert(1, chance.choice(phrases.BAN_PHRASES[lang]))
    return {
        "place": place,
        "lang": lang,
        "title": chance.choice(titles[lang]),
        "snippet": tuple(chance.sample(JOB_PHRASES[lang], k=2)),
        "tags": ("Python", *chance.sample(tags[1:], k=2)),
        "notes": tuple(notes),
    }


def _set_page(world: World, entry: Entry, label: str, chance: Random, silent_states: tuple[str, ...]) -> None:
    if label in ("closed", "gone"):
        world.set_page(entry.source, entry.id, label)
    elif label == "flaky":
        world.set_page(entry.source, entry.id, "gone", visits=1)
    elif label == "silent":
        state, visits = chance.choice(silent_states), chance.randint(1, MOST_SILENT_VISITS)
        world.set_page(entry.source, entry.id, state, visits=visits)
