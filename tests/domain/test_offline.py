"""That this machine is offline is told from several failures of one kind, and from nothing less."""

from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.health import Health
from inforadar.domain.offline import NO_NAME_SERVICE, NOT_RESOLVED, is_offline, unreachable_kind

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def lost(error=NOT_RESOLVED, at=AT, host="hh.ru"):
    return Health(failure_streak=1, last_failure_at=at, last_error=f"{host}: {error}", last_success_at=AT - DAY)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], False),
        ([lost()], False),
        ([lost(), lost(host="habr.com")], True),
        ([lost("no connection within 10 s"), lost("no connection", host="habr.com")], True),
        ([lost(), lost(NO_NAME_SERVICE)], False),
        ([lost(), lost(), lost("no answer within 10 s")], False),
        ([lost(), lost(), Health(last_success_at=AT - timedelta(minutes=5))], False),
        ([lost(), lost(), Health(last_success_at=AT - DAY), Health()], True),
        ([lost(), lost(), lost("the source refuses us", at=AT - DAY)], True),
        ([Health(last_success_at=AT), Health(last_success_at=AT)], False),
    ],
)
def test_this_machine_is_offline_if_all_that_were_asked_lately_are_out_of_reach_alike(asked, expected):
    assert is_offline(asked) is expected


@pytest.mark.parametrize(
    "error", [None, "", "no connection became free in time", "the connection was refused", "no connections are offered"]
)
def test_what_is_no_matter_of_the_network_is_not_called_unreachable(error):
    assert unreachable_kind(error) is None
