"""A new query made ready for the configuration: its table, the name of its watch, the text it is added to."""

import re
import shlex
import tomllib
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from inforadar.config.watch_editing import watch_names, with_query, with_watch
from inforadar.domain.errors import ConfigError
from inforadar.domain.item import Kind
from inforadar.domain.ports import Source
from inforadar.domain.query_key import query_key
from inforadar.domain.watch import FirstRun
from inforadar.sources.search_urls import WORDS, Asked

LONGEST_NAME = 40
PLACES = ("hub", "flow", "company", "user")
CHANNELS = ("telegram", "apprise", "webhook")
NAMING = ("location", "province", "city", "department", "text")
FIRST_TEXT = """\
# Info Radar. Every setting is explained in docs/settings.md; what is left out has a default.

[store]
url = "sqlite:///radar.db"            # or "postgresql://user@host/database"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How the user wants a query to be kept; `watch`: the existing watch it goes into, None = a new one.

    `deliver`: where what fits goes, None = to every channel that is set up.
    """

    name: str | None = None
    watch: str | None = None
    kind: Kind | None = None
    first_run: FirstRun = "24h"
    ban_words: tuple[str, ...] = ()
    profile: str = ""
    deliver: tuple[str, ...] | None = None


def channels(text: str) -> tuple[str, ...]:
    """The channels that a valid text sets up: what fits a new watch goes there, if nobody says otherwise."""
    tables = tomllib.loads(text)
    return tuple(name for name in CHANNELS if name in tables)


def propose_name(asked: Asked, taken: Collection[str], title: str = "") -> str:
    """A name for a watch out of what it asks, such as `python-madrid`; never one that is taken."""
    words = title or " ".join(_naming_words(asked))
    name = _shortened(_slug(words)) or asked.source
    used = {one.casefold() for one in taken}
    numbered = (f"{name}-{number}" for number in range(2, len(used) + 3))
    return name if name not in used else next(one for one in numbered if one not in used)


def asking_already(text: str, asked: Asked, source: Source) -> list[str]:
    """The names of the watches of a valid text that ask exactly this."""
    key = query_key(source.name, asked.params, source.param_rules)
    watches = zip(watch_names(text), tomllib.loads(text).get("watch", ()), strict=False)
    return [name for name, watch in watches if key in _keys(watch, source)]


def require_new_name(text: str, name: str) -> None:
    """Raise ConfigError for the name of a watch that is there."""
    for known in watch_names(text):
        if known.casefold() == name.strip().casefold():
            raise ConfigError(f"{known} exists already; --watch {shlex.quote(known)} adds to it.")


def with_asked(text: str, asked: Asked, wish: Wish, name: str, source: Source) -> str:
    """The configuration text with the query in its watch; raises ConfigError where that cannot be done safely."""
    query: dict[str, Any] = {"source": asked.source} | ({"params": dict(asked.params)} if asked.params else {})
    if wish.watch is None:
        told = wish if wish.deliver is not None else replace(wish, deliver=channels(text))
        changed = with_watch(text, _watch_table(name, told, query, wish.kind or source.kind))
    else:
        changed = with_query(text, watch_names(text).index(wish.watch), query)
    if changed is None:
        raise ConfigError("The configuration is written in a way that is not changed by a program. Write it yourself.")
    return changed


def merged(params: Mapping[str, Any], flags: Mapping[str, Sequence[str]], source: Source) -> dict[str, Any]:
    """Parameters with those of the command line over them; raises ConfigError for one given twice that is no list."""
    told = dict(params)
    for name, values in flags.items():
        rule = source.param_rules.get(name)
        if rule and not rule.is_list and len(values) > 1:
            raise ConfigError(f"--{name} is given twice; {source.name} takes one value for it.")
        value: Any = list(values) if len(values) > 1 else values[0]
        is_number = rule is not None and isinstance(rule.default, int) and not isinstance(rule.default, bool)
        told[name] = int(value) if is_number and isinstance(value, str) and value.isdecimal() else value
    return told


def _keys(watch: Any, source: Source) -> list[str]:
    """The keys of what a written watch asks one source."""
    queries = watch.get("query", ()) if isinstance(watch, Mapping) else ()
    asked = [one for one in queries if isinstance(one, Mapping) and one.get("source") == source.name]
    told = [one.get("params", {}) for one in asked]
    return [query_key(source.name, one, source.param_rules) for one in told if isinstance(one, Mapping)]


def _watch_table(name: str, wish: Wish, query: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    table: dict[str, Any] = {"name": name, "kind": kind}
    table |= {"profile": wish.profile} if wish.profile else {}
    table |= {"ban_words": list(wish.ban_words)} if wish.ban_words else {}
    # the listings of a price watch are valued together and sent nowhere
    table |= {"deliver": list(wish.deliver)} if wish.deliver and kind != "price" else {}
    return table | {"first_run": wish.first_run, "query": [dict(query)]}


def _naming_words(asked: Asked) -> list[str]:
    words = [asked.source for name in PLACES if name in asked.params][:1]
    names = [WORDS[asked.source], *PLACES, *NAMING]
    for name in dict.fromkeys(names):
        value = asked.params.get(name)
        text = str((value[0] if isinstance(value, list) and value else value) or "")
        words += [(urlsplit(text).hostname or "").removeprefix("www.") if name == "url" else text]
    return [word for word in words if word]


def _slug(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "-".join(re.findall(r"[^\W_]+", folded))


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME].rpartition("-")[0] or name[:LONGEST_NAME]
