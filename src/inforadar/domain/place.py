"""Places: when two texts name the same one. Only the town counts: sources add regions and countries as they like."""

import re
from collections.abc import Iterable
from functools import lru_cache

from inforadar.domain.folding import in_latin

_SAME: dict[str, tuple[str, ...]] = {
    "moscow": ("moskva", "msk", "moscu"),
    "saint petersburg": ("sankt peterburg", "st petersburg", "sankt petersburg", "spb", "peterburg", "san petersburgo"),
    "kyiv": ("kiev", "kiyev", "kyyiv", "kiyv"),
    "yekaterinburg": ("ekaterinburg",),
    "nizhny novgorod": ("nizhniy novgorod", "nizhnii novgorod"),
    "rostov on don": ("rostov na donu",),
    "kharkiv": ("kharkov", "harkov", "harkiv"),
    "almaty": ("alma ata",),
    "tbilisi": ("tiflis",),
    "yerevan": ("erevan",),
    "belgrade": ("beograd", "belgrad"),
    "warsaw": ("warszawa", "varshava", "varsovia"),
    "prague": ("praha", "praga"),
    "vienna": ("wien", "viena", "vena"),
    "munich": ("munchen", "muenchen", "myunhen"),
    "cologne": ("koln", "koeln", "colonia"),
    "london": ("londres",),
    "paris": ("parizh",),
    "lisbon": ("lisboa", "lissabon"),
    "milan": ("milano",),
    "rome": ("roma",),
    "seville": ("sevilla",),
    "zaragoza": ("saragossa",),
    "bilbao": ("bilbo",),
    "san sebastian": ("donostia", "donostia san sebastian"),
    "a coruna": ("la coruna", "coruna"),
    "new york": ("nueva york", "new york city", "nyc"),
    "barcelona": ("barselona",),
    "valencia": ("valensiya",),
    "spain": ("espana", "ispaniya"),
    "germany": ("alemania", "deutschland", "germaniya"),
    "russia": ("rossiya", "russian federation", "rusia", "rf"),
    "united kingdom": ("uk", "great britain", "reino unido", "velikobritaniya"),
    "united states": ("usa", "us", "estados unidos", "ssha"),
}
_NAMES = {other: name for name, others in _SAME.items() for other in others}
_WAYS: dict[str, re.Pattern[str]] = {
    "remote": re.compile(
        r"\b(?:(?:100 )?remote(?:ly)?(?: work| job| only)?|(?:en |100 )?remoto|a distancia|(?:100 )?teletrabajo|"
        r"udalenno|udalenka|udalennaya rabota|worldwide|anywhere|home office)\b"
    ),
    "hybrid": re.compile(r"\b(?:hybrid|hibrid[oa]|gibrid(?:no)?|gibridnyy format)\b"),
    "on site": re.compile(r"\b(?:presencial|on site|onsite|in office|en oficina|(?:v )?ofise?)\b"),
}
"""How work is done, where a source tells that in the place of a place."""
_AROUND = re.compile(
    r"\b(?:greater|metropolitan|metro|area metropolitana de|area|y alrededores|provincia de|provincia|province|capital|"
    r"city of|ciudad de|gorod|g)\b"
)
_BRACKETS = re.compile(r"[()\[\]]")
_BETWEEN = re.compile(r"[^\w/|;]+|_")


@lru_cache(maxsize=4096)  # sources name few towns, and each again and again
def place_key(text: str | None) -> str:
    """One spelling for the names of one town; the country where no town is told, the way to work where neither is."""
    folded = in_latin(text or "")
    # a dash between words parts them as a comma does: "Remote - Spain"
    parts = [_town(part) for part in re.split(r",|\s-\s", _BRACKETS.sub(",", folded))]
    town = next((part for part in parts if part), "")
    return town or _way(_plain(folded))


def may_name(words: Iterable[str], town: str) -> bool:
    """Whether `place_key` of some of these words may be this town: a quick look that says no to nearly all others."""
    names = _words_of(town)
    return town in _WAYS or any(not names.isdisjoint(_latin_words(word)) for word in words)


@lru_cache(maxsize=4096)
def _words_of(town: str) -> frozenset[str]:
    return frozenset(word for name in (town, *_SAME.get(town, ())) for word in name.split())


@lru_cache(maxsize=4096)
def _latin_words(word: str) -> tuple[str, ...]:
    return tuple(_plain(in_latin(word)).split())


def _way(words: str) -> str:
    return next((way for way, told in _WAYS.items() if told.search(words)), "")


def _plain(text: str) -> str:
    return " ".join(_BETWEEN.sub(" ", text).split())


def _town(part: str) -> str:
    there = _plain(part)
    for told in _WAYS.values():
        there = " ".join(told.sub(" ", there).split())
    plain = " ".join(_AROUND.sub(" ", there).split()) or there
    return _NAMES.get(plain, plain)
