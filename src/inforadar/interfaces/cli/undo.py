"""`radar undo`: take back the last decision, or a named one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import click

from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.mark import PARTLY, WHO
from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import ago, counted
from inforadar.interfaces.shapes import act_json, decision_json
from inforadar.service.triage import Act, Triage
from inforadar.store import acts
from inforadar.store.acts import ActView
from inforadar.store.database import Tx

HEADERS = ("ACT", "WHEN", "BY", "DECISION", "MATCHES", "CAN BE UNDONE")
NOTHING = "Nothing to undo. `radar mark` decides on matches; `radar undo --list` shows what was decided."


@click.command(
    "undo",
    help="""Take back the last decision, whichever way it was made, or the one named; a batch as one.

    \b
    Examples:
      radar undo
      radar undo --list
      radar undo 17
    """,
)
@click.argument("act_id", metavar="ACT", type=WHOLE, required=False)
@click.option("--list", "is_list", is_flag=True, help="Show the last decisions and which can be undone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an object, or an array with --list.")
@click.pass_obj
def command(session: Session, act_id: int | None, is_list: bool, as_json: bool) -> int:
    """Take back one decision, or list the last ones."""
    if is_list and act_id is not None:
        raise click.UsageError("Name an act, or list them all: not both.")
    with session.app() as app:
        now = app.clock.now()
        if is_list:
            with app.database.reading() as tx:
                found = [_reach(tx, act) for act in acts.latest(tx)]
            _list(found, now, as_json=as_json)
            return 0
        with app.database.transaction() as tx:
            original = _original(tx, act_id)
            act = _undo(app.triage(), tx, original)
    if as_json:
        print_json({**decision_json(act), "undone": act_json(original) if original else None})
    else:
        _show(act, original, now)
    return PARTLY if act.changed and act.unchanged else 1 if act.unchanged else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """An act and how many of its matches an undo would still change."""

    act: ActView
    matches: int

    @property
    def words(self) -> str:
        """Whether it can be undone."""
        if self.act.verb == "undo":
            return "no: an undo itself"
        if self.act.undone_by is not None:
            return f"undone by act {self.act.undone_by}"
        if self.matches == self.act.matches:
            return "yes" if self.matches else "no: its matches are gone"
        return f"{self.matches} of {self.act.matches}" if self.matches else "no: decided anew since"


def _reach(tx: Tx, act: ActView) -> Reach:
    if act.verb == "undo" or act.undone_by is not None:
        return Reach(act=act, matches=0)
    return Reach(act=act, matches=sum(deed.last_act == act.id for deed in acts.deeds(tx, act.id)))


def _original(tx: Tx, act_id: int | None) -> ActView | None:
    """The act to undo; raises for one that is named and cannot be undone."""
    if act_id is None:
        last = acts.latest(tx, only_undoable=True, limit=1)
        return last[0] if last else None
    act = acts.get(tx, act_id)
    if act is None:
        raise RadarError(f"There is no act {act_id}. `radar undo --list` shows the last ones.")
    if act.verb == "undo":
        raise RadarError(f"Act {act_id} is an undo itself. `radar mark` decides anew.")
    return act


def _undo(triage: Triage, tx: Tx, original: ActView | None) -> Act:
    if original is None or original.undone_by is not None:
        return Act(id=None, verb="undo")
    return triage.undo(tx, WHO, original.id)


def _show(act: Act, original: ActView | None, now: datetime) -> None:
    if original is None:
        tell(NOTHING)
        return
    if original.undone_by is not None:
        tell(f"Act {original.id} was undone before, by act {original.undone_by}.")
        return
    if act.changed:
        number = counted(len(act.changed), "match", "matches")
        when = ago(original.at, now).replace("now", "just now")
        show(click.style(f"Taken back: {original.verb} on {number}, {when}", fg="green", bold=True))
    for match_id, why in sorted(act.unchanged.items()):
        show(f"  {match_id}  stays as it is: {why}")
    if not act.changed and not act.unchanged:
        tell(f"The matches of act {original.id} are gone: nothing to undo.")


def _list(found: Sequence[Reach], now: datetime, *, as_json: bool) -> None:
    if as_json:
        print_json([{**act_json(one.act), "can_undo": one.matches > 0} for one in found])
        return
    if not found:
        tell(NOTHING)
        return
    rows = [
        [str(one.act.id), ago(one.act.at, now), one.act.who, one.act.verb, str(one.act.matches), one.words]
        for one in found
    ]
    print_table(HEADERS, rows, flexible=(5, 2), spare=(2,))
