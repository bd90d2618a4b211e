"""What `radar add` is given: an address, or a source with words; and any parameter of the source as an option."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import Source
from inforadar.sources.addresses import is_address
from inforadar.sources.search_urls import WORDS, Asked, NotASearch, read_search_url

Flags = dict[str, list[str]]
NOTHING = """Say what to add: the address of a search page, or a source and words.
  radar add "https://www.linkedin.com/jobs/search/?keywords=python&location=Madrid"
  radar add hh python --area 1"""
TABLES = ("query", "headers", "fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was typed: a query, or an address that must be asked what it is; and parameters for its source."""

    asked: Asked | None
    address: str
    flags: Flags


def wanted_by(what: Sequence[str], sources: Mapping[str, Source]) -> Wanted:
    """What the words after `radar add` ask; raises ConfigError."""
    words, flags = _split(what)
    if not words:
        raise ConfigError(NOTHING)
    first, *rest = words
    if _is_written_as_address(first):
        if rest:
            raise ConfigError(f"An address is enough; what is {rest[0]!r}? Write the address in quotes.")
        address = first if first.lower().startswith(("http://", "https://")) else f"https://{first}"
        return Wanted(asked=_by_address(address), address=address, flags=flags)
    if first not in sources:
        raise ConfigError(_unknown(first, sources))
    asked = Asked(source=first, params={WORDS[first]: " ".join(rest)} if rest else {})
    return Wanted(asked=asked, address="", flags=flags)


def known_flags(flags: Flags, source: Source) -> Flags:
    """The parameters as the source spells them; raises ConfigError for one it does not know."""
    known: Flags = {}
    for name, values in flags.items():
        spelled = next((one for one in (name, name.replace("-", "_")) if one in source.param_rules), None)
        if spelled is None:
            near = get_close_matches(name, source.param_rules, n=1)
            hint = f"Did you mean --{near[0]}?" if near else f"docs/sources/{source.name}.md lists them."
            raise ConfigError(f"There is no option --{name}: {source.name} has no such parameter. {hint}")
        if source.name == "rest" and spelled in TABLES:
            raise ConfigError(f"`{spelled}` is a table: write this query into radar.toml (docs/sources/rest.md).")
        known.setdefault(spelled, []).extend(values)
    return known


def _split(what: Sequence[str]) -> tuple[list[str], Flags]:
    words: list[str] = []
    flags: Flags = {}
    left = list(what)
    while left:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        if not word.startswith("--") or not name:
            raise ConfigError(f"There is no option {word!r}. `radar add --help` lists them.")
        if not has_value:
            if not left or left[0].startswith("--"):
                raise ConfigError(f"--{name} needs a value: --{name} VALUE.")
            value = left.pop(0)
        flags.setdefault(name, []).append(value)
    return words, flags


def _is_written_as_address(text: str) -> bool:
    return is_address(text) or text.lower().startswith(("http:", "https:"))


def _by_address(address: str) -> Asked | None:
    try:
        return read_search_url(address)
    except NotASearch as error:
        raise ConfigError(str(error)) from error
    except ValueError as error:
        raise ConfigError("This is no address. Copy it from the browser, in quotes.") from error


def _unknown(word: str, sources: Mapping[str, Source]) -> str:
    first, _, rest = word.strip().partition(" ")
    if first.casefold() in sources and rest:
        quoted = shlex.quote(rest) if '"' in rest else f'"{rest}"'
        return f"The source stands by itself, before its words: radar add {first.casefold()} {quoted}"
    near = get_close_matches(word.casefold(), sources, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{word!r} is neither an address nor a source.{hint} Sources: {', '.join(sources)}."
