"""How the address of a site's own search page is read: what is taken, and what is left out with its reason.

Nothing of an address is dropped in silence: each parameter is taken, is Radar's own to set, says nothing about what is
searched for, or is named as not understood. Only the second and the last kind change what is found, but all are told.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl

from inforadar.domain.ports import ParamRule

RADARS_OWN = "Radar sets it itself: newest first, all pages"
NO_FILTER = "says nothing about what is searched for"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part of an address that does not get into the query, and why; `is_lost`: it narrowed what was shown."""

    name: str
    value: str
    why: str
    is_lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an address asks: a source, its parameters, and what was left out."""

    source: str
    params: Mapping[str, Any]
    left_out: tuple[LeftOut, ...] = ()


class NotASearch(Exception):
    """The address belongs to a source, but is not the address of a list; the sentence says what to do."""


@dataclass(slots=True)
class Pairs:
    """The parameters of an address, taken one after another; what nobody takes is told at the end."""

    pairs: Sequence[tuple[str, str]]
    left_out: list[LeftOut] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, parts: SplitResult) -> "Pairs":
        """Those with a value."""
        told = parse_qsl(parts.query, keep_blank_values=True)
        return cls([(name, value.strip()) for name, value in told if value.strip()])

    def values(self, name: str) -> list[str]:
        """Every value of a parameter, which is taken by that."""
        self._taken.add(name)
        return [value for known, value in self.pairs if known == name]

    def one(self, name: str) -> str:
        """The last value of a parameter, empty if there is none."""
        return next(reversed(self.values(name)), "")

    def leave(self, names: Collection[str], why: str, *, is_lost: bool = False) -> None:
        """Leave these out for a reason."""
        for name in names:
            for value in self.values(name):
                self.left_out.append(LeftOut(name=name, value=value, why=why, is_lost=is_lost))

    def rest(self) -> list[str]:
        """The names nobody took, each once."""
        return [name for name in dict.fromkeys(name for name, _ in self.pairs) if name not in self._taken]

    def finish(self, why: str) -> tuple[LeftOut, ...]:
        """Everything left out; what nobody took is not understood."""
        self.leave(self.rest(), why, is_lost=True)
        return tuple(self.left_out)


def by_rules(
    pairs: Pairs, rules: Mapping[str, ParamRule], own: Collection[str], *, joined_by: str | None = None
) -> dict[str, Any]:
    """The parameters that a site's page and its source call alike; lists may be joined by a sign in one value."""
    params: dict[str, Any] = {}
    for name in (one for one in pairs.rest() if one in rules and one not in own):
        values = pairs.values(name)
        if rules[name].is_list and joined_by:
            values = [part.strip() for value in values for part in value.split(joined_by) if part.strip()]
        distinct = list(dict.fromkeys(values))
        if distinct:
            params[name] = distinct if rules[name].is_list and len(distinct) > 1 else distinct[-1]
    return params


def is_tracking(name: str) -> bool:
    """Whether a parameter only tells a site where its visitor comes from."""
    return name.startswith(("utm_", "hhtm")) or name in ("gclid", "fbclid", "yclid", "ref", "from", "source")


def segments(parts: SplitResult) -> list[str]:
    """The parts of a path."""
    return [part for part in parts.path.split("/") if part]
