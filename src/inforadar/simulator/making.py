"""How new entries are made up from the vocabulary, by given chance."""

from dataclasses import replace
from datetime import datetime
from html import escape
from random import Random
from typing import Any

from inforadar.simulator import vocabulary
from inforadar.simulator.entry import Entry, Salary
from inforadar.simulator.listings import make_listing
from inforadar.simulator.search import words_of
from inforadar.simulator.vocabulary import Place

EXPERIENCES = ("noExperience", "between1And3", "between3And6", "moreThan6")
WORK_FORMATS = ("ON_SITE", "REMOTE", "HYBRID")
FREQUENCIES = (None, "MONTHLY", "TWICE_PER_MONTH", "WEEKLY")


def make_entry(
    source: str,
    entry_id: str,
    published_at: datetime,
    chance: Random,
    hostile_share: float = 0.0,
    **given: Any,
) -> Entry:
    """A new entry of a site; what is `given` replaces what chance chose, the title decides what finds it."""
    make = MAKERS.get(source, _vacancy)
    entry = make(source, entry_id, published_at.replace(microsecond=0), chance)
    if chance.random() < hostile_share:
        entry = replace(entry, title=chance.choice(vocabulary.HOSTILE_TITLES))
    entry = replace(entry, **given)
    return replace(entry, words=words_of(" ".join((entry.title, entry.company.name, *entry.tags))))


def copy_entry(entry: Entry, source: str, entry_id: str, published_at: datetime, **given: Any) -> Entry:
    """The same job again under another id: a repost, another city, another site."""
    at = published_at.replace(microsecond=0)
    again: dict[str, Any] = {
        "source": source,
        "id": entry_id,
        "published_at": at,
        "created_at": at,
        "closing": "open",
    }
    return replace(entry, **{**again, **given})


def places_of(source: str) -> tuple[Place, ...]:
    """The places a site knows."""
    if source in ("linkedin", "infojobs"):
        return tuple(place for place in vocabulary.PLACES if place.geo)
    return tuple(place for place in vocabulary.PLACES if place.hh)


def full_text(entry: Entry) -> str:
    """The long text of an entry as HTML; the same entry always has the same one."""
    chance = Random(f"text/{entry.source}/{entry.id}")
    by_lang = vocabulary.JOB_PHRASES if entry.kind == "vacancy" else vocabulary.ARTICLE_PHRASES
    phrases = by_lang[entry.lang]
    paragraphs = [" ".join(chance.sample(phrases, k=min(3, len(phrases)))) for _ in range(4)]
    paragraphs += [escape(note, quote=False) for note in entry.notes]
    skills = "".join(f"<li>{tag}</li>" for tag in entry.tags)
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs) + f"<ul>{skills}</ul>"


def _vacancy(source: str, entry_id: str, at: datetime, chance: Random) -> Entry:
    place = chance.choice(places_of(source))
    technology, skills = chance.choice(vocabulary.TECHNOLOGIES)
    lang = place.lang if chance.random() < 0.8 else "en"
    title = chance.choice(vocabulary.JOB_TITLES[lang]).format(
        level=chance.choice(vocabulary.LEVELS[lang]), tech=technology
    )
    return Entry(
        source=source,
        id=entry_id,
        kind="vacancy",
        published_at=at,
        created_at=at,
        title=title.strip(),
        snippet=_two_phrases(vocabulary.JOB_PHRASES[lang], chance),
        lang=lang,
        words=frozenset(),
        place=place,
        company=chance.choice(vocabulary.COMPANIES),
        tags=tuple(chance.sample(skills, k=min(3, len(skills)))),
        salary=_salary(chance),
        experience=chance.choice(EXPERIENCES),
        work_format=chance.choice(WORK_FORMATS),
        is_anonymous=chance.random() < 0.02,
        is_promoted=chance.random() < 0.08,
        popularity=chance.randint(20, 400),
    )


def _article(source: str, entry_id: str, at: datetime, chance: Random) -> Entry:
    technology, skills = chance.choice(vocabulary.TECHNOLOGIES)
    lang = "en" if chance.random() < 0.1 else "ru"
    return Entry(
        source=source,
        id=entry_id,
        kind="news" if chance.random() < 0.1 else "article",
        published_at=at,
        created_at=at,
        title=chance.choice(vocabulary.ARTICLE_TITLES[lang]).format(tech=technology),
        snippet=_two_phrases(vocabulary.ARTICLE_PHRASES[lang], chance),
        lang=lang,
        words=frozenset(),
        place=vocabulary.PLACES[0],
        company=chance.choice(vocabulary.COMPANIES),
        tags=tuple(dict.fromkeys((technology, *chance.sample(skills, k=2)))),
        author=chance.choice(vocabulary.AUTHORS),
        hubs=vocabulary.HUBS_OF_TECHNOLOGY.get(technology, ("programming",)),
        popularity=chance.randint(200, 20_000),
        liking=chance.uniform(-0.002, 0.02),
    )


def _two_phrases(phrases: tuple[str, ...], chance: Random) -> tuple[str, str]:
    first, second = chance.sample(phrases, k=2)
    return first, second


def _salary(chance: Random) -> Salary | None:
    shown = chance.random()
    if shown < 0.33:
        return None
    is_hourly = shown > 0.95
    low = chance.randint(4, 30) * 100 if is_hourly else chance.randint(6, 40) * 10_000
    ends = chance.choice(("from", "from", "from to", "from to", "to"))
    return Salary(
        low=low if "from" in ends else None,
        high=low * 3 // 2 if "to" in ends else None,
        currency="RUR",
        gross=chance.random() < 0.5,
        mode="HOUR" if is_hourly else "MONTH",
        frequency=chance.choice(FREQUENCIES),
    )


MAKERS = {"habr": _article, "feed": _article, "ebay": make_listing}
