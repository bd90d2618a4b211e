"""A place in the list of matches, as an opaque text that stays good when its match changes or vanishes."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta

LONGEST = 80
LARGEST_ID = 2**63 - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"(-?\d{1,18})\.(\d{1,19})")

Place = tuple[datetime, int]


class NoPlace(ValueError):
    """The text is no cursor of ours."""


def to_cursor(published_at: datetime, match_id: int) -> str:
    """The place just below this match."""
    microseconds = (published_at - _EPOCH) // timedelta(microseconds=1)
    return urlsafe_b64encode(f"{microseconds}.{match_id}".encode()).decode().rstrip("=")


def from_cursor(text: str) -> Place:
    """The place in a cursor; raises NoPlace."""
    try:
        found = _PLACE.fullmatch(urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii"))
        if found is None or len(text) > LONGEST or int(found[2]) > LARGEST_ID:
            raise NoPlace
        return _EPOCH + timedelta(microseconds=int(found[1])), int(found[2])
    except (ValueError, OverflowError) as error:
        raise NoPlace("is no cursor: take `next` of the page before") from error
