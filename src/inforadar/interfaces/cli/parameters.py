"""What may be typed as the value of an option: whole numbers and choices, refused in plain words."""

from collections.abc import Sequence
from typing import Any

import click
from click.types import IntParamType

# What a database takes as a number.
LARGEST = 2**63 - 1


class WholeNumber(IntParamType):
    """A whole number from 1 on, as far as a database counts."""

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that was typed."""
        typed = str(value)
        digits = typed.lstrip("0")
        if not typed.isdecimal() or not digits:
            self.fail(f"{typed!r} is not a whole number from 1 on.", param, ctx)
        if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
            self.fail(f"{typed!r} is too large.", param, ctx)
        return int(digits)


class OneOf(click.Choice[str]):
    """One of some words, in any letter case; refused with all of them as they are written elsewhere."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words, case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's
        """What to say of a word that is none of them."""
        return f"{value!r} is not one of {', '.join(self.choices)}."


WHOLE = WholeNumber()
