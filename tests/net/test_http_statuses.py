"""Statuses as errors, and the many spellings of Retry-After."""

from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.errors import Gone, RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.ports import Answer
from inforadar.net.http import retry_at, status_error

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
WEEK_LATER = NOW + timedelta(days=7)


def answered(status: int, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=b"", url="https://h/?token=canary")


@pytest.mark.parametrize("status", [200, 201, 204, 206, 299])
def test_success_is_no_error(status: int) -> None:
    assert status_error(answered(status), NOW) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, Unreadable),
        (304, Unreadable),
        (400, Unreadable),
        (401, Refused),
        (403, Refused),
        (404, Gone),
        (405, Unreadable),
        (408, Unavailable),
        (410, Gone),
        (418, Unreadable),
        (425, Unavailable),
        (429, RateLimited),
        (500, Unavailable),
        (502, Unavailable),
        (503, Unavailable),
        (504, Unavailable),
        (520, Unavailable),
        (529, Unavailable),
        (599, Unavailable),
        (999, Unreadable),
    ],
)
def test_each_status_says_what_the_caller_can_do(status: int, kind: type[Exception]) -> None:
    error = status_error(answered(status), NOW)
    assert type(error) is kind
    assert str(status) in str(error)
    assert "canary" not in str(error)


@pytest.mark.parametrize("status", [429, 503])
def test_a_status_with_retry_after_is_a_rate_limit(status: int) -> None:
    error = status_error(answered(status, Retry_After="120"), NOW)
    assert isinstance(error, RateLimited)
    assert error.retry_at == NOW + timedelta(seconds=120)


def test_a_rate_limit_without_retry_after_names_no_moment() -> None:
    error = status_error(answered(429), NOW)
    assert isinstance(error, RateLimited)
    assert error.retry_at is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", NOW),
        ("30", NOW + timedelta(seconds=30)),
        (" 30 ", NOW + timedelta(seconds=30)),
        ("1.5", NOW + timedelta(seconds=1.5)),
        ("604800", WEEK_LATER),
        ("604801", WEEK_LATER),
        ("9" * 12, WEEK_LATER),
        ("9" * 5000, WEEK_LATER),
        ("Mon, 05 Jan 2026 12:10:00 GMT", NOW + timedelta(minutes=10)),
        ("Mon, 05 Jan 2026 14:10:00 +0200", NOW + timedelta(minutes=10)),
        ("Mon, 05 Jan 2026 12:10:00 -0000", NOW + timedelta(minutes=10)),
        ("Monday, 05-Jan-26 12:10:00 GMT", NOW + timedelta(minutes=10)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", NOW),
        ("Fri, 31 Dec 9999 23:59:59 GMT", WEEK_LATER),
        (None, None),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("inf", None),
        ("nan", None),
        ("²", None),
        ("٣٠", None),
        ("Mon, 99 Jan 2026 12:10:00 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 -2359", None),
        ("0, 30", None),
    ],
)
def test_retry_after_is_a_moment_between_now_and_a_week_later(text: str | None, expected: datetime | None) -> None:
    assert retry_at(text, NOW) == expected
