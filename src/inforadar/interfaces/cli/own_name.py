"""How this very `radar` is called from where the user stands: one in an environment that is not active has no name."""

import shlex
import shutil
import sys
from pathlib import Path

NEXT = "Now your own: {radar} init, edit radar.toml, {radar} fetch, then {radar} run."


def next_steps() -> str:
    """What comes after a demo, as commands that work here."""
    return NEXT.format(radar=typed_name(Path(sys.prefix), shutil.which("radar"), Path.cwd()))


def typed_name(prefix: Path, on_path: str | None, here: Path) -> str:
    """`radar` where the shell finds the one of this environment, else the path of its program."""
    own = prefix / "bin" / "radar"
    if not own.is_file() or (on_path and Path(on_path).resolve() == own.resolve()):
        return "radar"
    return shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))
