"""Every setting the program accepts is explained, and nothing else is."""

import re
from pathlib import Path

from inforadar.config.loading import CONFIG_VARIABLE
from inforadar.config.schema import SECTIONS, TOP_LEVEL
from inforadar.observe.chance import SEED_VARIABLE
from inforadar.observe.clock import NOW_VARIABLE

SETTINGS = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
HEADING = re.compile(r"^## `\[+([\w.]+)\]+`", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def documented():
    """The settings of each section as the tables of docs/settings.md list them."""
    parts = re.split(r"^## ", SETTINGS, flags=re.MULTILINE)
    headed = {HEADING.match(f"## {part}"): part for part in parts if HEADING.match(f"## {part}")}
    return {heading[1]: [row[1] for row in ROW.finditer(part)] for heading, part in headed.items()}


def test_every_setting_is_explained_in_its_section():
    accepted = {section: {setting.name for setting in settings} for section, settings in SECTIONS.items()}
    assert {section: set(names) for section, names in documented().items()} == accepted


def test_no_setting_is_explained_twice():
    assert all(len(names) == len(set(names)) for names in documented().values())


def test_every_choice_is_named_where_its_setting_is_explained():
    for settings in SECTIONS.values():
        for setting in settings:
            rows = [line for line in SETTINGS.splitlines() if line.startswith(f"| `{setting.name}` |")]
            assert any(all(f'"{choice}"' in row for choice in setting.choices) for row in rows), setting.name


def test_every_default_is_told():
    for settings in SECTIONS.values():
        for setting in settings:
            if (
                isinstance(setting.default, int | float | str)
                and not isinstance(setting.default, bool)
                and setting.default
            ):
                shown = f"{setting.default:g}" if isinstance(setting.default, float) else str(setting.default)
                rows = [line for line in SETTINGS.splitlines() if line.startswith(f"| `{setting.name}` |")]
                assert any(shown in row for row in rows), setting.name


def test_every_top_level_table_has_a_section():
    assert {section.split(".")[0] for section in documented()} == set(TOP_LEVEL)


def test_every_environment_variable_is_explained():
    for variable in (CONFIG_VARIABLE, NOW_VARIABLE, SEED_VARIABLE):
        assert f"| `{variable}` |" in SETTINGS
