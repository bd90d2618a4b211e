"""Matches that wait to be judged, in words: why, and what brings them on."""

from collections.abc import Iterator

from inforadar.domain.status import Status
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.source_standing import WELL, SourceStanding
from inforadar.interfaces.standing import JUDGE, Standing


def waiting_words(standing: Standing) -> Iterator[str]:
    """A sentence on the queued matches, if there are any, and one on the skipped."""
    if queued := standing.matches.get(Status.QUEUED, 0):
        yield f"{_matches(queued)} to be looked at; radar run or radar work goes on with them."
    if skipped := standing.matches.get(Status.SKIPPED, 0):
        yield f"{_matches(skipped)} for another try: {_why(_judge(standing), standing)}"


def _matches(number: int) -> str:
    return f"{counted(number, 'match', 'matches')} {'waits' if number == 1 else 'wait'}"


def _judge(standing: Standing) -> SourceStanding | None:
    return next((one.asked for one in standing.services if one.name == JUDGE), None)


def _why(judge: SourceStanding | None, standing: Standing) -> str:
    """What they wait for: the judge's recovery, or the next turn of recovery itself."""
    if judge is None or judge.state(standing.now) in WELL:
        return "the next radar run or radar work takes them up."
    why = judge.why(standing.now) or "it does not answer"
    return f"the judge failed ({why}). Mend it (radar doctor looks at it); radar run or radar work then takes them up."
