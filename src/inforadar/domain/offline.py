"""Whether it is this machine that reaches nobody, told from how everything it asks has failed."""

import re
from collections.abc import Collection
from datetime import datetime, timedelta

from inforadar.domain.health import Health
from inforadar.domain.run import StopReason

NOT_RESOLVED = "the name could not be resolved (is this machine online?)"
NO_NAME_SERVICE = "the name service did not answer in time"
NO_CONNECTION = "no connection"
OFFLINE = "no source can be reached: this machine seems to be offline"

LATELY = timedelta(hours=1)
FEWEST = 2
"""How many must be out of reach: one alone may as well have moved, or its address be wrong."""

_KINDS = (
    (NOT_RESOLVED, re.compile(re.escape(NOT_RESOLVED))),
    (NO_NAME_SERVICE, re.compile(re.escape(NO_NAME_SERVICE))),
    (NO_CONNECTION, re.compile(rf"\b{NO_CONNECTION}(?= within|$)")),
)


def unreachable_kind(error: str | None) -> str | None:
    """The way in which nobody was reached, if that is what an error says."""
    return next((kind for kind, words in _KINDS if error and words.search(error)), None)


def may_be_the_query(error: str | None) -> bool:
    """Whether a query that failed so may be wrong itself: the network or a process that died is no fault of its own."""
    return unreachable_kind(error) is None and error != StopReason.INTERRUPTED


def is_offline(asked: Collection[Health]) -> bool:
    """Whether all that were asked lately, and they are several, were out of reach in the same way."""
    failing = [one for one in asked if _is_out_of_reach(one)]
    if len(failing) < FEWEST:
        return False
    since = max(one.last_failure_at for one in failing if one.last_failure_at) - LATELY
    lately = [one for one in asked if max(_times(one), default=since) > since]
    return len({unreachable_kind(one.last_error) if _is_out_of_reach(one) else None for one in lately}) == 1


def _is_out_of_reach(one: Health) -> bool:
    return one.last_failure_at is not None and unreachable_kind(one.last_error) is not None


def _times(one: Health) -> list[datetime]:
    return [at for at in (one.last_success_at, one.last_failure_at) if at]
