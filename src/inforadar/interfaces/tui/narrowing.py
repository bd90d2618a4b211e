"""What the user narrows the view to: watches, sources, topics, statuses and text, several at once, and its words."""

from collections.abc import Collection
from dataclasses import dataclass

from inforadar.domain.status import Status, status_words
from inforadar.observe.printable import printable

MOST_NAMES = 3
NOTHING_YET = "  Nothing found yet: f fetches."
NOTHING_TO_DECIDE = "  Nothing to decide: Esc shows everything."
NOTHING_FITS = "  Nothing fits this filter: Esc takes it away."
AWAITING = (Status.ANALYZED.value, Status.SENT_TO_USER.value)
"""The statuses that wait for a decision of the user."""


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

    @property
    def is_to_decide(self) -> bool:
        """Whether it shows what waits for a decision."""
        return set(self.statuses) == set(AWAITING)

    @property
    def hides_put_off(self) -> bool:
        """Whether matches that are put off are left out: always, unless another status is asked for."""
        return not self.statuses or self.is_to_decide


TO_DECIDE = Narrowing(statuses=AWAITING)


def heading(title: str, narrowing: Narrowing) -> str:
    """The header of a screen: its title and the active filters, the same for every screen."""
    named = {
        "watch": narrowing.watches,
        "source": narrowing.sources,
        "topic": narrowing.topics,
        "status": () if narrowing.is_to_decide else [status_words(one) for one in narrowing.statuses],
        "text": (repr(narrowing.text),) if narrowing.text else (),
    }
    told = ["to decide"] if narrowing.is_to_decide else []
    told += [f"{name}: {_names(values)}" for name, values in named.items() if values]
    return f"{title}  [{' · '.join(told)}]" if told else title


def words_of_none(narrowing: Narrowing) -> str:
    """What a list says that a narrowing leaves empty."""
    if narrowing == TO_DECIDE:
        return NOTHING_TO_DECIDE
    return NOTHING_FITS if narrowing.is_active else NOTHING_YET


def _names(names: Collection[str]) -> str:
    """The names, or the first few and how many more there are."""
    shown = [printable(name) for name in names][:MOST_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" +{more}" if more else "")
