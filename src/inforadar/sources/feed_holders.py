"""Who holds a link: entries without a guid are known by their link, and a link may be that of several entries.

A changelog gives all its releases one link, and shows now this one, now two of them. So it is remembered for each link
which entry has it as its key; every other entry with that link is known by a hash of its own. An entry alone with its
link may be edited: it is the same one while its title or its date is. A link that several entries had is held only by
the very entry that had it before, or by none.
Invariant: what an entry is called depends on itself and on what was remembered, never on what else is shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

MOST_LINKS = 3000
SIGN_BYTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """An entry in short: its title, its date, and all that tells it from others; empty = it has none."""

    title: str
    date: str
    whole: str

    def may_be(self, other: "Sign") -> bool:
        """Whether one may be the other after an edit."""
        has_same = (self.title and self.title == other.title) or (self.date and self.date == other.date)
        return bool(has_same) or (self.title, self.date) == (other.title, other.date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The entry that has a link as its key, None = none has; `is_shared`: whether others were seen with it."""

    sign: Sign | None
    is_shared: bool


def sign_of(title: str, date: str, whole: str) -> Sign:
    """The sign of an entry."""
    return Sign(title=short(title), date=short(date), whole=short(whole))


def short(text: str) -> str:
    """A text as a few characters to be remembered by."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=SIGN_BYTES).hexdigest() if text else ""


def holders(shown: Iterable[tuple[str, Sign]], known: Mapping[str, Holder]) -> dict[str, Holder]:
    """Who holds each link once these entries were shown: those shown now, then as many others as are remembered."""
    signs: dict[str, set[Sign]] = {}
    for link, sign in shown:
        signs.setdefault(link, set()).add(sign)
    now = {link: _holder(those, known.get(link)) for link, those in signs.items()}
    others = {link: holder for link, holder in known.items() if link not in now}
    return now | dict(list(others.items())[: max(0, MOST_LINKS - len(now))])


def _holder(signs: set[Sign], before: Holder | None) -> Holder:
    first = next(iter(signs))
    if before is None:
        return Holder(sign=None if len(signs) > 1 else first, is_shared=len(signs) > 1)
    if before.is_shared or len(signs) > 1 or before.sign is None or not first.may_be(before.sign):
        return replace(before, is_shared=True)
    return Holder(sign=first, is_shared=False)


def to_memory(held: Mapping[str, Holder]) -> dict[str, str]:
    """Holders as plain values; `+` marks a link that is shared."""
    return {link: _text(holder) for link, holder in list(held.items())[:MOST_LINKS]}


def from_memory(value: Any) -> dict[str, Holder]:
    """Holders as they were remembered; what nobody wrote like this is left out."""
    told = value if isinstance(value, dict) else {}
    return {link: _read(text) for link, text in told.items() if isinstance(text, str)}


def _text(holder: Holder) -> str:
    sign = holder.sign
    return ("+" if holder.is_shared else "") + (f"{sign.title}.{sign.date}.{sign.whole}" if sign else "")


def _read(text: str) -> Holder:
    parts = text.removeprefix("+").split(".")
    sign = Sign(title=parts[0], date=parts[1], whole=parts[2]) if len(parts) == 3 else None
    return Holder(sign=sign, is_shared=text.startswith("+") or sign is None)
