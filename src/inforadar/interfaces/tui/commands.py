"""The commands of the `:` line: which there are, how a typed one is read, and how it may go on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from inforadar.config import Config
from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.narrowing import Narrowing

COMMANDS = {
    "fetch": "fetch the watches, sources and topics named, or those of the filter, else all",
    "items": "the matches, or those that contain a text",
    "sources": "how each source is, and what is collected",
    "jobs": "the queue",
    "runs": "every sweep",
    "why": "the story of the match under the cursor, of an id or of an address",
    "prices": "what a price watch is worth",
    "help": "every key",
    "q": "quit",
}
ALSO = {"quit": "q", "exit": "q", "q!": "q", "h": "help"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command as it was meant."""

    name: str
    rest: str = ""

    @property
    def words(self) -> list[str]:
        """What was said after the name."""
        return self.rest.split()


def read_command(line: str) -> Command | None:
    """What a typed line means; None = nothing was typed. Raises RadarError for a name that is no command."""
    name, _, rest = line.strip().partition(" ")
    if not name:
        return None
    name = ALSO.get(name, name)
    if name in COMMANDS:
        return Command(name=name, rest=rest.strip())
    begun = [one for one in COMMANDS if one.startswith(name)]
    if len(begun) == 1:
        return Command(name=begun[0], rest=rest.strip())
    near = get_close_matches(name, COMMANDS, n=1)
    hint = f" Did you mean :{near[0]}?" if near else f" There are :{', :'.join(COMMANDS)}."
    raise RadarError(f"There is no command :{name}.{hint}")


def completions(config: Config, topics: Collection[str]) -> list[str]:
    """Every line that can be completed to."""
    watches = [watch.name for watch in config.watches]
    sources = sorted({query.source for watch in config.watches for query in watch.queries})
    priced = [watch.name for watch in config.watches if watch.kind == "price"]
    fetches = [f"fetch {name}" for name in (*sources, *sorted(topics), *watches)]
    return [*COMMANDS, *fetches, *(f"prices {name}" for name in priced)]


def completed(known: Sequence[str], typed: str) -> str | None:
    """The first line that goes on from what was typed; of several names after :fetch the last one is completed."""
    head, _, last = typed.rpartition(" ")
    if head.startswith("fetch ") and last:
        taken = head.split()
        begun = (line.removeprefix("fetch ") for line in known if line.startswith(f"fetch {last}"))
        return next((f"{head} {name}" for name in begun if name != last and name not in taken), None)
    return next((line for line in known if typed and line.startswith(typed) and line != typed), None)


def named(config: Config, topics: Collection[str], words: Sequence[str]) -> Narrowing:
    """What the words after :fetch name: watches, sources, topics; raises RadarError for one that is none of them."""
    watches = [watch.name for watch in config.watches]
    strange = [word for word in words if word not in (*watches, *config.sources) and word.casefold() not in topics]
    if strange:
        raise RadarError(f"{strange[0]!r} is no watch, no source and no topic.")
    return Narrowing(
        watches=tuple(word for word in words if word in watches),
        sources=tuple(word for word in words if word in config.sources and word not in watches),
        topics=tuple(
            word.casefold()
            for word in words
            if word not in watches and word not in config.sources and word.casefold() in topics
        ),
    )
