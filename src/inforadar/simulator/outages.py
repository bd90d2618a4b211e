"""Sites and services that are down over a stretch of the world's time."""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from inforadar.simulator.damage import OUTAGE_PAGE
from inforadar.simulator.wire import Response, html_response


class Outage(NamedTuple):
    """A time in which nothing answers, or only a front with a status; `until` None = until it is ended."""

    since: datetime
    until: datetime | None
    status: int | None


class Outages:
    """The outages by the name of the site or service."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[Outage]] = defaultdict(list)

    def begin(self, name: str, since: datetime, until: datetime | None, status: int | None) -> None:
        """Plan an outage, or begin one that goes on."""
        self._by_name[name].append(Outage(since, until, status))

    def end(self, name: str) -> None:
        """Forget all outages of this name, those to come among them."""
        self._by_name.pop(name, None)

    def meet(self, name: str, now: datetime) -> Response | None:
        """What a visitor gets in an outage: a broken connection or the front's error; None if there is none."""
        for since, until, status in self._by_name.get(name, ()):
            if since <= now and (until is None or now < until):
                return html_response(OUTAGE_PAGE.format(status), status) if status else Response(delivery="reset")
        return None

    def as_json(self) -> dict[str, list[dict[str, object]]]:
        """The outages as plain JSON values."""
        return {
            name: [
                {"since": since.isoformat(), "until": until and until.isoformat(), "status": status}
                for since, until, status in outages
            ]
            for name, outages in self._by_name.items()
        }
