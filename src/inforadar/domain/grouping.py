"""Groups: one job that was posted again, or on several sources, is one group of items. Nothing is dropped for it.

Fields are compared, not one score: company, title and place, each in one spelling. An item without a company or a
title is in no group. The key is a function of the item alone, so that it does not matter which came first.
Invariant: being in one group is an equivalence, whatever the order of arrival.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from inforadar.domain.company import company_key
from inforadar.domain.folding import folded, latin_look
from inforadar.domain.item import Item
from inforadar.domain.place import may_name, place_key
from inforadar.domain.status import Status

RULE = 2
"""The number of the rule by which keys are made: whoever changes what a key says raises it, for old items too."""
AGAIN_AFTER = timedelta(days=30)
DECIDED = frozenset({Status.APPLIED, Status.NOT_INTERESTED})
LONGEST_PLACE = 3

_LEVEL_NAMES: dict[str, tuple[str, ...]] = {
    "senior": ("sr", "сеньор", "синьор"),
    "middle": ("мидл", "миддл"),
    "junior": ("jr", "джун", "джуниор"),
    **dict.fromkeys(("mid", "lead", "principal", "staff", "trainee", "intern"), ()),
    **dict.fromkeys(("старший", "младший", "ведущий", "главный"), ()),
}
_LEVELS = {latin_look(word): latin_look(name) for name, others in _LEVEL_NAMES.items() for word in (name, *others)}
_GENDERS = tuple(map(frozenset, ("mf", "mw", "hf", "hm", "mv", "mk")))
"""How languages write a man and a woman; letters for everybody else may follow."""
_OTHERS = frozenset("dxni*")
_STROKES = re.compile(r"(?<![^\W_])[a-z](?:\s*[/|]\s*[a-z*]){1,3}(?![^\W_])")
_MARKED = re.compile(r"[/|:*(]")  # neither strokes nor endings without one of these
_LETTER = re.compile(r"[a-z*]")
_ENDINGS = re.compile(
    r"(?<=[^\W\d_]{4})(?:[/:*](?:as?|os?|oras?|in|innen)(?![^\W_])|\s?\((?:as?|os?|oras?|in|innen)\))"
)
_ONE_WORD = re.compile(r"(?<![^\W_])(back|front|full)[\s-]+(end|stack)(?![^\W_])")
_SILENT = re.compile(r"[.'’`]")
_TOKEN = re.compile(r"[^\W_]+(?:\+\+|#)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """Another item of the same group; its match is that of the same watch, or of any other one, or there is none."""

    source: str
    url: str
    match_id: int | None = None
    watch: str | None = None
    status: str | None = None
    sent_at: datetime | None = None


def group_key(company: str | None, title: str, place: str | None) -> str | None:
    """What all postings of one job share; None = it cannot be told from others."""
    who, where = company_key(company), place_key(place)
    what = title_key(title, where)
    if not who or not what:
        return None
    return sha256("\n".join((who, what, where)).encode()).hexdigest()[:32]


def group_key_of(item: Item, company: str | None) -> str | None:
    """The group of an item, with its company as it is called now; only vacancies have groups."""
    if item.kind != "vacancy":
        return None
    place = item.data.get("place")
    return group_key(company, item.title, place if isinstance(place, str) else None)


def title_key(title: str, town: str = "") -> str:
    """One spelling for the titles of one job: the level first, then the words in their order.

    Case, punctuation, marks of gender, letters that look alike and the name of its own town at the end do not count.
    """
    plain = folded(title)
    if _MARKED.search(plain):
        plain = _ENDINGS.sub("", _STROKES.sub(_without_genders, plain))
    tokens = _TOKEN.findall(_SILENT.sub("", _ONE_WORD.sub(r"\1\2", plain)))
    words = latin_look(" ".join(_without_town(tokens, town))).split()
    levels = sorted({_LEVELS[word] for word in words if word in _LEVELS})
    rest = [word for word in words if word not in _LEVELS]
    return " ".join((*levels, *rest))


def also_names(source: str, siblings: Iterable[Sibling]) -> tuple[str, ...]:
    """Where else a job is, by the names of the sources; its own source says that it was posted there again."""
    elsewhere = sorted({one.source for one in siblings})
    return tuple(f"{name} again" if name == source else name for name in elsewhere)


def told_before(siblings: Iterable[Sibling], watch: str, now: datetime) -> str | None:
    """Why a watch need not hear of a job: the user decided on it, or heard of it not long ago; None = it should."""
    for one in siblings:
        if one.watch != watch or one.match_id is None:
            continue
        if one.status in DECIDED:
            return f"the same job was decided before (match {one.match_id})"
        if one.sent_at is not None and one.sent_at > now - AGAIN_AFTER:
            return f"the same job was sent before (match {one.match_id})"
    return None


def _without_genders(found: re.Match[str]) -> str:
    """What is left of letters between strokes: nothing of `m/w/d`, all of `h/w` and of an `m/v` that begins a title."""
    letters = frozenset(_LETTER.findall(found[0]))
    is_mark = any(pair <= letters and letters - pair <= _OTHERS for pair in _GENDERS)
    return " " if is_mark and found.string[: found.start()].strip() else found[0]


def _without_town(words: list[str], town: str) -> list[str]:
    if not town or not may_name(words[-LONGEST_PLACE:], town):
        return words
    for length in range(min(LONGEST_PLACE, len(words) - 1), 0, -1):
        if place_key(" ".join(words[-length:])) == town:
            return words[:-length]
    return words
