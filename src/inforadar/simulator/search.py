"""What a query asks for, freed from the site's parameter names, and which entries it sees."""

import re
from dataclasses import dataclass

from inforadar.simulator.entry import Entry
from inforadar.simulator.vocabulary import HUBS_BY_ALIAS

WORD = re.compile(r"[\w.+#-]*\w[\w.+#-]*|\.\w+")
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One standing question to a site; an empty set leaves that side open.

    `any_of`: alternatives of words, all words of one must be there. `areas` are the site's own place codes,
    `place_words` parts of a place's name.
    """

    source: str
    any_of: tuple[frozenset[str], ...] = ()
    none_of: frozenset[str] = NOTHING
    areas: frozenset[str] = NOTHING
    place_words: frozenset[str] = NOTHING
    experiences: frozenset[str] = NOTHING
    work_formats: frozenset[str] = NOTHING
    employers: frozenset[str] = NOTHING
    kinds: frozenset[str] = NOTHING
    hubs: frozenset[str] = NOTHING
    flows: frozenset[str] = NOTHING
    langs: frozenset[str] = NOTHING


def words_of(text: str) -> frozenset[str]:
    """The words of a text as the search index holds them: whole and lower-case, `vue.js` is not `vue`."""
    return frozenset(word.strip(".-") or word for word in WORD.findall(text.lower()))


def query_words(text: str) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The wanted alternatives and the unwanted words of a query like `python OR go NOT intern`."""
    alternatives: list[frozenset[str]] = []
    unwanted: set[str] = set()
    for alternative in re.split(r"\bOR\b", text):
        wanted = re.sub(r"\bAND\b|\b[A-Z_]+:", " ", alternative)
        for refused in re.findall(r"\bNOT\s+(\S+)", wanted):
            unwanted |= words_of(refused)
        words = words_of(re.sub(r"\bNOT\s+\S+", " ", wanted))
        if words:
            alternatives.append(words)
    return tuple(alternatives), frozenset(unwanted)


def matches(search: Search, entry: Entry) -> bool:
    """Whether the search sees this entry while it is visible; nothing that can be edited decides it."""
    return (
        (not search.any_of or any(words <= entry.words for words in search.any_of))
        and not search.none_of & entry.words
        and _open_or_in(search.areas, _area_codes(entry))
        and all(word in _place_text(entry) for word in search.place_words)
        and _open_or_in(search.experiences, (entry.experience,))
        and _open_or_in(search.work_formats, (entry.work_format,))
        and _open_or_in(search.employers, (entry.company.id,))
        and _open_or_in(search.kinds, (entry.kind,))
        and _open_or_in(search.hubs, entry.hubs)
        and _open_or_in(search.flows, _flows(entry))
        and _open_or_in(search.langs, (entry.lang,))
    )


def _open_or_in(asked: frozenset[str], held: tuple[str, ...]) -> bool:
    return not asked or not asked.isdisjoint(held)


def _area_codes(entry: Entry) -> tuple[str, ...]:
    return entry.place.geo if entry.source == "linkedin" else entry.place.hh


def _place_text(entry: Entry) -> str:
    return f"{entry.place.city}, {entry.place.region}, {entry.place.country}".lower()


def _flows(entry: Entry) -> tuple[str, ...]:
    return tuple(HUBS_BY_ALIAS[alias].flow for alias in entry.hubs)
