"""How one run is told in a line, on the command line and in the terminal program."""

from datetime import datetime

from inforadar.interfaces.cli.wording import age
from inforadar.store.runs import Run

HEADERS = ("RUN", "AGE", "WATCH", "SOURCE", "STATUS", "NEW", "UPD", "LEFT", "STOPPED BY")


def run_row(run: Run, now: datetime) -> list[str]:
    """One run under the headers."""
    return [
        str(run.id),
        age(run.started_at, now),
        run.watch,
        run.source,
        run.status,
        str(run.counters.added),
        str(run.counters.updated),
        "" if run.left is None else str(run.left),
        run.stop_reason.value if run.stop_reason else "",
    ]
