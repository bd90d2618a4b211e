"""Sources of others: packages that name them in the entry point group `inforadar.sources`.

A plugin may not take a name that is in use here. One that cannot be loaded, or is no source, stands in its own place
as a source that refuses every request with the reason, so that its queries fail one by one and nothing else does.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from inforadar.assembly.ways import SourceTable
from inforadar.config import SourceSettings
from inforadar.domain.errors import Refused
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, ParamRule, Request, Source
from inforadar.observe.printable import printable

GROUP = "inforadar.sources"
NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
ABILITIES = ("name", "kind", "paging", "param_rules", "default_base_url", "default_rate_limit_per_minute", "fallback")
METHODS = ("check", "request", "read", "detail_request", "read_detail")
KINDS = ("vacancy", "article", "price")
LONGEST_ERROR = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A source that a package brings; `flaw`: why it cannot be used, `is_known`: whether queries may still name it."""

    name: str
    package: str
    make: Callable[[SourceSettings], Source] | None = None
    flaw: str | None = None
    is_known: bool = True

    def made(self, settings: SourceSettings) -> Source:
        """The source with the user's settings, or one that says why there is none."""
        if self.make is None:
            return BrokenSource(name=self.name, flaw=self.flaw or "")
        source, flaw = _tried(self, self.make, settings)
        return BrokenSource(name=self.name, flaw=flaw) if source is None else _guarded(self, source)


class BrokenSource:
    """Stands where a source should be: its queries may be read, and every request says why it is not made."""

    kind: Kind = "vacancy"
    takes_any_kind = True
    paging = Paging(kind="page", size=1)
    param_rules: Mapping[str, ParamRule] = {}
    default_base_url = "http://localhost"
    default_rate_limit_per_minute = 1
    fallback: Source | None = None

    def __init__(self, *, name: str, flaw: str) -> None:
        self.name = name
        self.flaw = flaw

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG002 - nobody knows what it takes
        """Nothing is known to be wrong with any parameter."""
        return ()

    def request(self, params: Mapping[str, Any], position: Position) -> Request:  # noqa: ARG002 - nothing is asked
        """Nobody is asked."""
        raise Refused(self.flaw)

    def read(self, answer: Answer, position: Position) -> Page:  # noqa: ARG002 - nothing was asked
        """There is no answer."""
        raise Refused(self.flaw)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - nothing is asked
        """Nobody is asked."""
        raise Refused(self.flaw)

    def read_detail(self, answer: Answer) -> Detail:  # noqa: ARG002 - nothing was asked
        """There is no answer."""
        raise Refused(self.flaw)


def find_plugins(taken: Collection[str], found: Iterable[EntryPoint] | None = None) -> tuple[Plugin, ...]:
    """Every source that installed packages bring, the broken ones with their flaw; `taken`: names in use here."""
    points = sorted(entry_points(group=GROUP) if found is None else found, key=lambda one: (one.name, _package(one)))
    often = Counter(point.name for point in points)
    return tuple(_plugin(point, taken, is_double=often[point.name] > 1) for point in points)


def table_of(plugins: Iterable[Plugin]) -> SourceTable:
    """How the sources of plugins are made."""
    return {plugin.name: plugin.made for plugin in plugins if plugin.is_known}


def _plugin(point: EntryPoint, taken: Collection[str], *, is_double: bool) -> Plugin:
    plugin = Plugin(name=point.name, package=_package(point))
    if not NAME.fullmatch(point.name):
        return _unknown(plugin, "its name must be small letters, digits, - and _, beginning with a letter")
    if point.name in taken:
        return _unknown(plugin, "that name is taken by Info Radar itself; the package must choose another one")
    if is_double:
        return _unknown(plugin, "two packages bring a source of that name; uninstall one of them")
    try:
        make = point.load()
    except (Exception, SystemExit) as error:  # whatever a stranger's module does when it is imported
        return _flawed(plugin, f"it cannot be loaded ({_told(error)})")
    if not callable(make):
        return _flawed(plugin, f"{point.value} is not something that makes a source")
    nothing_set = SourceSettings(name=point.name, enabled=True, base_url="", rate_limit_per_minute=1)
    source, flaw = _tried(plugin, make, nothing_set)
    return Plugin(name=plugin.name, package=plugin.package, make=make, flaw=None if source else flaw)


def _tried(
    plugin: Plugin, make: Callable[[SourceSettings], Source], settings: SourceSettings
) -> tuple[Source | None, str]:
    """The source, or the sentence on why it is none."""
    try:
        source = make(settings)
        lacks = [name for name in ABILITIES if not hasattr(source, name)]
        lacks += [f"{name}()" for name in METHODS if not callable(getattr(source, name, None))]
        wrong = f"it lacks {', '.join(lacks)}" if lacks else _wrong(source, plugin.name)
        if not wrong:
            tuple(source.check({}))  # whoever cannot check nothing cannot check anything
    except Exception as error:  # whatever a stranger's code does
        return None, _sentence(plugin, f"it cannot be made ({_told(error)})")
    return (None, _sentence(plugin, wrong)) if wrong else (source, "")


def _guarded(plugin: Plugin, source: Source) -> Source:
    """The source, whose complaints about parameters are sentences whatever happens; its other errors end one sweep."""
    own = source.check

    def check(params: Mapping[str, Any]) -> tuple[str, ...]:
        try:
            return tuple(map(str, own(params)))
        except Exception as error:  # whatever a stranger's code does
            return (_sentence(plugin, f"it cannot check parameters ({_told(error)})"),)

    with suppress(AttributeError):  # one that takes no attributes stays as it is
        source.check = check  # type: ignore[method-assign]
    return source


def _wrong(source: Source, name: str) -> str:
    """What is wrong with the abilities a source declares; empty = nothing."""
    if source.name != name:
        return f"it calls itself {source.name!r}: its name must be that of its entry point"
    if source.kind not in KINDS:
        return f"its kind is {source.kind!r}: it must be one of {', '.join(KINDS)}"
    if not isinstance(source.paging, Paging):
        return "its paging is no inforadar.domain.paging.Paging"
    is_sound = isinstance(source.param_rules, Mapping) and isinstance(source.default_base_url, str)
    return "" if is_sound else "its param_rules must be a mapping and its default_base_url an address"


def _flawed(plugin: Plugin, why: str) -> Plugin:
    return Plugin(name=plugin.name, package=plugin.package, flaw=_sentence(plugin, why))


def _unknown(plugin: Plugin, why: str) -> Plugin:
    return Plugin(name=plugin.name, package=plugin.package, flaw=_sentence(plugin, why), is_known=False)


def _sentence(plugin: Plugin, why: str) -> str:
    return f"The source {plugin.name} of the package {plugin.package} is not used: {why}."


def _told(error: BaseException) -> str:
    return printable(" ".join(f"{type(error).__name__}: {error}".split()))[:LONGEST_ERROR]


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
