"""Questions to a person at a terminal; without one nothing is asked."""

import sys

import click

from inforadar.interfaces.cli.output import say
from inforadar.observe.printable import printable

YES, NO = ("y", "yes"), ("n", "no")


def is_terminal() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirmed(question: str, *, default: bool) -> bool:
    """Whether the person says yes; Enter is the default."""
    return click.confirm(printable(question), default=default, err=True)


def named(question: str, proposed: str) -> str | None:
    """The proposed name, another one that was typed, or None for a no."""
    typed = str(click.prompt(f"{question} [Y/n]", default="", show_default=False, prompt_suffix=" ", err=True)).strip()
    if typed.lower() in NO:
        return None
    return proposed if not typed or typed.lower() in YES else typed


def chosen(question: str, choices: dict[str, str], default: str) -> str:
    """One of some words, each with what it means; its first letters will do."""
    say(question)
    for word, meaning in choices.items():
        say(f"  {word:<10}{meaning}{' (Enter)' if word == default else ''}")
    while True:
        typed = str(click.prompt(">", default=default, show_default=False, prompt_suffix=" ", err=True)).strip().lower()
        found = [word for word in choices if word.startswith(typed)]
        if len(found) == 1:
            return found[0]
        say(f"Type one of {', '.join(choices)}.")
