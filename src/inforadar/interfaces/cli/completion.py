"""`radar completion`: the script that lets a shell complete commands and options."""

import click

from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.parameters import OneOf

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_RADAR_COMPLETE"


@click.command(
    "completion",
    help="""Print the script that completes commands and options in your shell.

    \b
    Examples:
      radar completion bash > ~/.local/share/bash-completion/completions/radar
      radar completion zsh > ~/.zfunc/_radar
      radar completion fish > ~/.config/fish/completions/radar.fish
    """,
)
@click.argument("shell", metavar="SHELL", type=OneOf(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print it; nothing is installed."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "radar", VARIABLE)
    # not `source()`: that one starts bash to ask for its version
    show((script.source_template % script.source_vars()).strip())
