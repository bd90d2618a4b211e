"""Which sources of other packages are taken, and that none of their mistakes is ours."""

from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from inforadar.assembly.plugins import GROUP, BrokenSource, Plugin, find_plugins, table_of
from inforadar.config import SourceSettings
from inforadar.domain.errors import Refused
from inforadar.domain.paging import Paging, Position

SETTINGS = SourceSettings(name="acme", enabled=True, base_url="", rate_limit_per_minute=1)


class Acme(BrokenSource):
    """A source that is whole; what it must not be asked is how it does."""

    def __init__(self, settings: SourceSettings) -> None:
        super().__init__(name="acme", flaw="not asked here")
        self.settings = settings


class Picky(Acme):
    def check(self, params: Any) -> tuple[str, ...]:
        return (params["q"],) if params else ()


def point(name: str, value: str = "nowhere:Acme") -> EntryPoint:
    return EntryPoint(name=name, value=value, group=GROUP)


@pytest.mark.parametrize("name", ["Acme", "acme jobs", "9acme", "acme/../hh", "a" * 41])
def test_a_name_that_could_not_be_a_section_of_the_configuration_is_not_taken(name):
    (plugin,) = find_plugins((), [point(name)])
    assert "its name must be small letters" in plugin.flaw
    assert table_of([plugin]) == {}


def test_a_name_in_use_here_is_not_taken():
    (plugin,) = find_plugins({"hh"}, [point("hh")])
    assert "taken by Info Radar itself" in plugin.flaw
    assert table_of([plugin]) == {}


def test_of_two_packages_with_one_name_neither_is_taken():
    found = find_plugins((), [point("acme"), point("acme", "elsewhere:Acme")])
    assert all("two packages bring a source of that name" in plugin.flaw for plugin in found)
    assert table_of(found) == {}


def test_a_source_gets_the_settings_of_the_user():
    made = Plugin(name="acme", package="acme 1", make=Acme).made(SETTINGS)
    assert made.settings is SETTINGS


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "other"}, "it calls itself 'other'"),
        ({"kind": "movie"}, "its kind is 'movie'"),
        ({"paging": 20}, "its paging is no"),
        ({"param_rules": ["q"]}, "its param_rules must be a mapping"),
        ({"read": None}, "it lacks read()"),
    ],
)
def test_what_a_source_says_of_itself_must_make_sense(change, sentence):
    def make(settings: SourceSettings) -> Any:
        return SimpleNamespace(**{**sound(), **change})

    made = Plugin(name="acme", package="acme 1", make=make).made(SETTINGS)
    assert isinstance(made, BrokenSource)
    assert sentence in made.flaw
    with pytest.raises(Refused, match="The source acme of the package acme 1 is not used"):
        made.request({}, Position(size=1))


def test_a_check_that_falls_over_is_a_complaint_about_the_query():
    made = Plugin(name="acme", package="acme 1", make=Picky).made(SETTINGS)
    assert made.check({"q": "fine"}) == ("fine",)
    (sentence,) = made.check({"text": "python"})
    assert "it cannot check parameters (KeyError: 'q')" in sentence


def sound() -> dict[str, Any]:
    """The abilities and methods of a source that is whole."""
    names = ("check", "request", "read", "detail_request", "read_detail")
    methods = {name: getattr(Acme(SETTINGS), name) for name in names}
    abilities = {"name": "acme", "kind": "vacancy", "paging": Paging(kind="page", size=1), "param_rules": {}}
    places = {"default_base_url": "https://acme.test", "default_rate_limit_per_minute": 1, "fallback": None}
    return {**methods, **abilities, **places}
