"""What the demo tells to type next is a command that works where it is typed."""

from inforadar.interfaces.cli.own_name import next_steps, typed_name


def an_environment(folder):
    """An environment with a `radar` in it; that program."""
    program = folder / ".venv" / "bin" / "radar"
    program.parent.mkdir(parents=True)
    program.touch()
    return program


def test_in_an_environment_that_is_not_active_it_is_called_by_its_path(tmp_path):
    program = an_environment(tmp_path / "my folder")
    prefix = program.parents[1]
    assert typed_name(prefix, None, tmp_path / "my folder") == ".venv/bin/radar"
    assert typed_name(prefix, "/usr/bin/radar", tmp_path / "my folder") == ".venv/bin/radar"
    assert typed_name(prefix, None, tmp_path / "elsewhere") == f"'{program}'"


def test_where_the_shell_finds_it_it_is_called_by_its_name(tmp_path):
    program = an_environment(tmp_path)
    link = tmp_path / "radar"
    link.symlink_to(program)
    for found in (program, link):
        assert typed_name(program.parents[1], str(found), tmp_path) == "radar"


def test_run_from_sources_without_a_program_it_has_its_name(tmp_path):
    assert typed_name(tmp_path, None, tmp_path) == "radar"


def test_the_demo_ends_with_that_name(tmp_path, monkeypatch):
    program = an_environment(tmp_path)
    monkeypatch.setattr("sys.prefix", str(program.parents[1]))
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    assert next_steps().startswith("Now your own: .venv/bin/radar init, edit radar.toml, .venv/bin/radar fetch,")
