"""`radar mark`: what the user decides on matches, by their ids."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

import click

from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import room, shorten, tell
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.shapes import decision_json
from inforadar.observe.printable import printable
from inforadar.service.triage import DECISIONS, Act, Decision
from inforadar.store import matches
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView

VERBS: Mapping[str, Decision] = {decision.replace(" ", "-"): decision for decision in DECISIONS}
WHO = "terminal"
STDIN = "-"
PARTLY = 3
FAILED = 1


@click.command(
    "mark",
    help=f"""Decide on matches: {", ".join(VERBS)}. Every decision can be undone.

    \b
    Examples:
      radar mark 42 applied
      radar mark not-interested 12 13 14
      radar mark 42 later
      cut -f1 ids.txt | radar mark - not-interested
    """,
)
@click.argument("words", metavar="ID...", nargs=-1)
@click.argument("last_word", metavar="VERB")
@click.option("--all-watches", is_flag=True, help="Decide for every watch that holds the same item.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, words: tuple[str, ...], last_word: str, all_watches: bool, as_json: bool) -> int:
    """Carry out one decision; the exit code tells whether all ids were known."""
    decision, typed = _read([*words, last_word])
    ids = list(dict.fromkeys(_ids(typed)))
    if not ids:
        tell("No ids came on stdin: nothing to decide on.")
    with session.app() as app, app.database.transaction() as tx:
        chosen = _with_siblings(tx, ids) if all_watches else ids
        held = {match_id: match for match_id in chosen if (match := matches.get(tx, match_id))}
        act = app.triage().mark(tx, chosen, decision, WHO)
    if as_json:
        print_json(decision_json(act))
    else:
        _show(act, held)
    return _exit_code(chosen, [match_id for match_id in act.unchanged if _is_refused(match_id, held, decision)])


def _read(words: Sequence[str]) -> tuple[Decision, list[str]]:
    """The decision, which may be said before or after the ids, and the ids as they were typed."""
    typed = [*words]
    for place in (-1, 0):
        if decision := VERBS.get(typed[place].lower().replace("_", "-")):
            del typed[place]
            if not typed:
                raise click.UsageError(
                    f"Name the matches too: radar mark ID... {words[0]} (radar items shows the ids)."
                )
            return decision, typed
    strange = [word for word in typed if word != STDIN and not word.isdecimal()]
    if not strange:
        raise click.UsageError(f"Say what you decided before or after the ids: {', '.join(VERBS)}.")
    near = get_close_matches(strange[0].lower(), VERBS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise click.UsageError(f"{strange[0]!r} is no decision.{hint} Known: {', '.join(VERBS)}.")


def _ids(typed: Iterable[str]) -> Iterable[int]:
    for word in typed:
        more = _typed_on_stdin().replace(",", " ").split() if word == STDIN else [word]
        yield from (WHOLE.convert(one, None, None) for one in more)


def _typed_on_stdin() -> str:
    """What came on stdin; bytes that are no text cannot hold ids."""
    try:
        text = sys.stdin.read()
        text.encode()
    except UnicodeError as error:
        raise click.UsageError("What came on stdin is no text. It should hold the ids of matches.") from error
    return text


def _with_siblings(tx: Tx, ids: Iterable[int]) -> list[int]:
    """The ids and those of the same items for other watches."""
    found = {match_id: matches.get(tx, match_id) for match_id in ids}
    return list(
        dict.fromkeys(
            one
            for match_id, match in found.items()
            for one in (match_id, *(matches.of_item(tx, match.item_id) if match else ()))
        )
    )


def _show(act: Act, held: Mapping[int, MatchView]) -> None:
    if act.changed:
        told = f"Marked {counted(len(act.changed), 'match', 'matches')}: {act.verb}"
        show(click.style(told, fg="green", bold=True))
    for match_id in act.changed:
        show(shorten(f"  {match_id}  {_named(held[match_id])}", room()))
    for match_id, why in sorted(act.unchanged.items()):
        if match_id in held:
            show(shorten(f"  {match_id}  stays as it is: {why}  {_named(held[match_id])}", room()))
        else:
            show(f"There is no match {match_id}.")
    if act.id is not None:
        tell(f"`radar undo` takes it back; after other decisions, `radar undo {act.id}`.")


def _named(match: MatchView) -> str:
    return printable(f"{match.title}{f' · {match.company}' if match.company else ''}  ({match.watch})")


def _is_refused(match_id: int, held: Mapping[int, MatchView], decision: Decision) -> bool:
    """Whether the user did not get what they asked for; what stands so already is as they want it."""
    if match_id not in held:
        return True
    return decision == "later" and held[match_id].status in ("APPLIED", "NOT_INTERESTED")


def _exit_code(chosen: Collection[int], refused: Collection[int]) -> int:
    if not refused:
        return 0
    return FAILED if len(refused) == len(chosen) else PARTLY
