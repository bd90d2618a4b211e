"""The coin a price watch is about, and how well the title of a listing fits it.

Each field that the watch states agrees with the title, is not named there, or is contradicted by it. Agreement is a
share of the field's weight; a contradiction, and words that tell of a copy, of a lot or of jewellery, multiply the
whole by a small factor. Every step is told in words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from inforadar.domain.folding import visible, without_accents

REMEMBERED = 50_000
METALS = {"gold": "XAU", "silver": "XAG", "platinum": "XPT", "palladium": "XPD"}

_YEAR = re.compile(r"(?<![\d.,$€£#])(1[5-9]\d\d|20\d\d)(?!\d|[.,]\d)")
_MARK = re.compile(
    r"(?<!\d)(?:1[5-9]\d\d|20\d\d)[\s/(-]{0,2}(cc|[a-z])\b|\b(cc|[a-z])[\s-]mint\b|mint\s?mark:? (cc|[a-z])\b"
)
_MARKS = frozenset({"cc", "d", "o", "p", "s", "w"})
_NO_MARK = frozenset({"p", "none", "no"})
_MINTS = {
    "denver": "d",
    "san francisco": "s",
    "carson city": "cc",
    "new orleans": "o",
    "philadelphia": "p",
    "west point": "w",
}
_DENOMINATIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\b(double|half|quarter)[\s-]eagles?\b"), lambda found: f"{found[1]} eagle"),
    (re.compile(r"\bhal(?:f|ves)(?:[\s-]dollars?)?\b|\b50c\b"), lambda _: "half dollar"),
    (re.compile(r"\bquarters?(?:[\s-]dollars?)?\b|\b25c\b"), lambda _: "quarter dollar"),
    (re.compile(r"\bdimes?\b|\b10c\b"), lambda _: "dime"),
    (re.compile(r"\bnickels?\b|\b5c\b"), lambda _: "nickel"),
    (re.compile(r"\b(\d{1,3})[\s-]?(?:euro[\s-]?)?cents?\b"), lambda found: f"{int(found[1])} cent"),
    (re.compile(r"\bcents?\b|\bpenn(?:y|ies)\b|\b1c\b"), lambda _: "1 cent"),
    (re.compile(r"\b(\d{1,3})[\s-]?(?:euros?\b|eur\b|€)"), lambda found: f"{int(found[1])} euro"),
    (re.compile(r"\b(\d{1,3})[\s-]?dollars?\b"), lambda found: f"{int(found[1])} dollar"),
    (re.compile(r"\bdollars?\b|\$1\b"), lambda _: "1 dollar"),
)
_SERIES = (
    *("morgan", "peace", "walking liberty", "mercury", "barber", "indian head", "buffalo", "seated liberty", "trade"),
    *("standing liberty", "franklin", "kennedy", "eisenhower", "washington", "roosevelt", "jefferson", "lincoln"),
    *("flying eagle", "draped bust", "capped bust", "saint gaudens", "silver eagle", "krugerrand", "maple leaf"),
    *("britannia", "philharmonic", "sacagawea", "presidential", "susan b anthony"),
)
_GRADE = re.compile(r"\b(ms|pr|pf|sp|au|xf|ef|vf|vg|ag|unc|bu|g|f)[\s-]?(\d{1,2})?\b")
_GRADES = {
    "ag": (3, 3),
    "g": (4, 6),
    "vg": (8, 10),
    "f": (12, 15),
    "vf": (20, 35),
    "xf": (40, 45),
    "ef": (40, 45),
    "au": (50, 58),
    **dict.fromkeys(("unc", "bu", "ms", "pr", "pf", "sp"), (60, 70)),
}
_NEEDS_NUMBER = frozenset({"g", "f"})
_NEAR_GRADE = 2
_COPY = re.compile(
    r"\b(?:replicas?|cop(?:y|ies)|reproductions?|fakes?|counterfeit|imitation|fantasy|tribute|novelty|replik|kopie"
    r"|nachpragung|reproduktion|copia|replique|копия|реплика|сувенир\w*|муляж)\b"
)
_LOT = re.compile(
    r"\b(?:lots?|lote|rolls?|sets? of|bulk|konvolut|(?:you )?choose|pick(?: your)?|collection of|pair of"
    r"|(?:[2-9]|[1-9]\d{1,2})\s?(?:x|pcs|pieces|coins|stuck|monedas))\b|\bx\s?(?:[2-9]|[1-9]\d{1,2})\b"
)
_ALTERED = re.compile(
    r"\b(?:holed?|pendants?|necklaces?|rings?|jewell?e?ry|cuff ?links?|plated|colou?ri[sz]ed|key ?chains?|magnets?"
    r"|albums?|folders?|empty|belt buckle)\b"
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin:
    """What a price watch looks for; empty = not stated. `metal` and `fine_oz` (troy ounces) give the melt value."""

    title: str = ""
    year: int | None = None
    mintmark: str = ""
    denomination: str = ""
    series: str = ""
    grade: str = ""
    metal: str = ""
    fine_oz: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """How well a listing fits, from 0 to 1, and why."""

    score: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What a title says of one field: the share of its weight that it earns, and a factor for the whole."""

    why: str
    weight: float = 0.0
    share: float = 1.0
    factor: float = 1.0


@lru_cache(maxsize=REMEMBERED)
def match_strength(coin: Coin | None, title: str) -> Strength:
    """How well a listing of this title fits the coin; a watch that states nothing trusts its queries."""
    text, wanted = _folded(title), coin or Coin()
    told = [*_fields(wanted, text), *_suspicions(wanted, text)]
    weight = sum(one.weight for one in told)
    score = sum(one.weight * one.share for one in told) / weight if weight else 1.0
    for one in told:
        score *= one.factor
    worst_first = sorted(told, key=lambda one: (one.factor, one.share))
    why = "; ".join(one.why for one in worst_first) or "nothing stated to compare with"
    return Strength(score=round(score, 3), why=why)


def _fields(coin: Coin, text: str) -> Iterator[_Told]:
    if coin.year is not None:
        yield _year(coin.year, text)
    if coin.series:
        yield _series(_folded(coin.series), text)
    if coin.denomination:
        yield _denomination(_folded(coin.denomination), text)
    if coin.mintmark:
        yield _mintmark(_folded(coin.mintmark), text)
    if coin.grade:
        yield _grade(_folded(coin.grade), text)
    if coin.title:
        yield _title(_folded(coin.title), text)


def _year(wanted: int, text: str) -> _Told:
    found = {int(year) for year in _YEAR.findall(text)}
    if not found:
        return _Told(weight=3, share=0.3, why="no year named")
    if wanted not in found:
        return _Told(weight=3, share=0, factor=0.1, why=f"another year: {', '.join(map(str, sorted(found)))}")
    if len(found) > 1:
        return _Told(weight=3, factor=0.6, why=f"several years: {', '.join(map(str, sorted(found)))}")
    return _Told(weight=3, why=f"year {wanted}")


def _series(wanted: str, text: str) -> _Told:
    if _has_all(wanted, text):
        return _Told(weight=3, why=f"series {wanted}")
    others = [name for name in _SERIES if _has_phrase(name, text) and name not in wanted]
    if others:
        return _Told(weight=3, share=0, factor=0.2, why=f"another series: {', '.join(others)}")
    return _Told(weight=3, share=0.3, why="series not named")


def _denomination(wanted: str, text: str) -> _Told:
    meant, found = _denominations(wanted), _denominations(text)
    if (meant & found) or (not meant and _has_all(wanted, text)):
        return _Told(weight=2, why=f"denomination {wanted}")
    if meant and found:
        return _Told(weight=2, share=0, factor=0.2, why=f"another denomination: {', '.join(sorted(found))}")
    return _Told(weight=2, share=0.6, why="denomination not named")


def _mintmark(wanted: str, text: str) -> _Told:
    known = _MARKS | {wanted}
    marks = {mark for found in _MARK.finditer(text) for mark in found.groups() if mark in known}
    marks |= {mark for city, mark in _MINTS.items() if _has_phrase(city, text)}
    if wanted in marks or (wanted in _NO_MARK and marks <= {"p"}):
        return _Told(
            weight=2, why=f"mint mark {wanted.upper()}" if wanted in marks else "no mint mark, as it should be"
        )
    if marks:
        return _Told(weight=2, share=0, factor=0.2, why=f"another mint mark: {', '.join(sorted(marks)).upper()}")
    # a mint mark raises the price, so whoever has one names it
    return _Told(weight=2, share=0.3, factor=0.5, why=f"mint mark {wanted.upper()} not named")


def _grade(wanted: str, text: str) -> _Told:
    meant, found = _grades(wanted), _grades(text)
    if not meant:
        is_named = _has_all(wanted, text)
        return _Told(weight=1, share=1.0 if is_named else 0.6, why=f"grade {wanted}{'' if is_named else ' not named'}")
    if not found:
        return _Told(weight=1, share=0.6, why="grade not named")
    gap = min(_gap(one, other) for one in meant for other in found)
    if gap == 0:
        return _Told(weight=1, why=f"grade {wanted}")
    if gap <= _NEAR_GRADE:
        return _Told(weight=1, share=0.7, factor=0.9, why="a near grade")
    return _Told(weight=1, share=0, factor=0.5, why="another grade")


def _title(wanted: str, text: str) -> _Told:
    words, have = _WORD.findall(wanted), set(_WORD.findall(text))
    missing = [word for word in words if word not in have]
    if not missing:
        return _Told(weight=2, why="every word of the title")
    return _Told(weight=2, share=1 - len(missing) / len(words), why=f"without {', '.join(missing)}")


def _suspicions(coin: Coin, text: str) -> Iterator[_Told]:
    """Words that tell of something else, unless they are part of what is wanted."""
    stated = _folded(" ".join((coin.title, coin.series, coin.denomination)))
    for pattern, factor, meaning in ((_COPY, 0.05, "a copy"), (_LOT, 0.3, "several coins"), (_ALTERED, 0.3, "altered")):
        found = pattern.search(text)
        if found and not pattern.search(stated):
            yield _Told(factor=factor, why=f'{meaning}: "{found[0]}"')


def _denominations(text: str) -> set[str]:
    """The denominations a text names; a half dollar is no dollar."""
    found = set()
    for pattern, name in _DENOMINATIONS:
        found |= {name(one) for one in pattern.finditer(text)}
        text = pattern.sub(" ", text)
    return found


def _grades(text: str) -> list[tuple[int, int]]:
    """The grades a text names, as stretches of Sheldon's scale."""
    found = [(one[1], one[2]) for one in _GRADE.finditer(text)]
    return [
        (int(number), int(number)) if number else _GRADES[letters]
        for letters, number in found
        if number or letters not in _NEEDS_NUMBER
    ]


def _gap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(0, one[0] - other[1], other[0] - one[1])


def _has_all(words: str, text: str) -> bool:
    return set(_WORD.findall(words)) <= set(_WORD.findall(text))


def _has_phrase(phrase: str, text: str) -> bool:
    return f" {phrase} " in f" {' '.join(_WORD.findall(text))} "


def _folded(text: str) -> str:
    return without_accents(visible(text)).casefold()
