"""Groups of commands that list what they are about when nothing else is said."""

import click


class ListFirst(click.Group):
    """A group whose command `list` is meant when none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options without a command are those of the list."""
        is_help = bool(args) and args[0] in ctx.help_option_names
        is_list = not args or (args[0].startswith("-") and not is_help)
        return super().parse_args(ctx, ["list", *args] if is_list else args)
