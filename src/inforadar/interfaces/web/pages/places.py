"""Where a match stands, as our script is told."""

from datetime import datetime
from typing import Any

from inforadar.store.inbox import Place


def told_place(one: Place, now: datetime) -> dict[str, Any]:
    """The place of one match, and the version that the next decision on it must name."""
    is_put_off = one.later_until is not None and one.later_until > now
    return {"id": one.id, "status": one.status, "version": one.version, "is_put_off": is_put_off}
