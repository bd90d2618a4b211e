"""Every command and flag is registered once, explained in docs/commands.md, and led by an example in its help."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from inforadar.interfaces.cli import main
from inforadar.interfaces.cli.main import COMMANDS, root
from inforadar.service.steps import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `(radar[\w ]*)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def commands() -> dict[str, click.Command]:
    """Every command a person can type, by what they type."""
    found: dict[str, click.Command] = {"radar": root}
    for name in COMMANDS:
        command = root.get_command(click.Context(root), name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) else {}
        found |= {f"radar {name} {sub}": one for sub, one in inner.items()} if inner else {f"radar {name}": command}
    return found


def names(command: click.Command) -> set[str]:
    """What a user may type after the command: every spelling of its options, and its arguments."""
    context = click.Context(command, info_name="x", help_option_names=["-h", "--help"])
    options = {spelling for one in command.params if isinstance(one, click.Option) for spelling in one.opts}
    arguments = {one.make_metavar(context).strip("[].") for one in command.params if isinstance(one, click.Argument)}
    return options | arguments | ({"-h", "--help"} if command is root else set())


def explained(section: str) -> set[str]:
    """What the first columns of a section's tables name, without the values."""
    cells = re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE)
    return {name.split(" ")[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_command_has_a_section_and_no_section_is_about_nothing():
    assert set(SECTIONS) == set(commands())


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_flag_and_argument_is_explained_and_no_other(name):
    assert explained(SECTIONS[name]) == names(commands()[name])


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_section_has_an_example(name):
    assert re.search(rf"^    {name}\b", SECTIONS[name], re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_help_leads_with_an_example_and_explains_every_option(name):
    answer = CliRunner().invoke(root, [*name.split()[1:], "--help"])
    assert answer.exit_code == 0
    before_options = answer.output.split("\nOptions:")[0]
    assert re.search(rf"Examples?:\n    {name if name != 'radar' else 'radar demo'}\b", before_options)
    assert all(one.help for one in commands()[name].params if isinstance(one, click.Option))


def test_every_command_of_the_table_is_a_module_and_every_command_module_is_in_the_table():
    folder = Path(main.__file__).parent
    holders = {
        path.stem for path in folder.glob("*.py") if re.search(r"^def command\(", path.read_text(), re.MULTILINE)
    }
    assert holders == set(COMMANDS)


def test_every_command_bears_the_name_of_the_table():
    assert all(root.get_command(click.Context(root), name).name == name for name in COMMANDS)


def test_every_kind_of_job_is_explained() -> None:
    (kinds,) = (line for line in PAGE.splitlines() if line.startswith("Kinds: "))
    assert [kind for kind in KINDS if f"`{kind}` " not in kinds] == []
