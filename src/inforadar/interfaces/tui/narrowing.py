"""What the user narrows the view to: watches, sources, topics, statuses and text, several at once, and its words."""

from collections.abc import Collection
from dataclasses import dataclass

from inforadar.observe.printable import printable

MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The active filters; an empty one lets everything through."""

    watches: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_active(self) -> bool:
        """Whether anything is left out."""
        return self != Narrowing()


def heading(title: str, narrowing: Narrowing) -> str:
    """The header of a screen: its title and the active filters, the same for every screen."""
    named = {
        "watch": narrowing.watches,
        "source": narrowing.sources,
        "topic": narrowing.topics,
        "status": narrowing.statuses,
        "text": (repr(narrowing.text),) if narrowing.text else (),
    }
    told = [f"{name}: {_names(values)}" for name, values in named.items() if values]
    return f"{title}  [{' · '.join(told)}]" if told else title


def _names(names: Collection[str]) -> str:
    """The names, or the first few and how many more there are."""
    shown = [printable(name) for name in names][:MOST_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" +{more}" if more else "")
