"""Valuing every price watch once a day and at every start: prices age, metals move, and the user edits the coin."""

from inforadar.domain.schedule import Every
from inforadar.service.scheduler import Periodic
from inforadar.store import jobs, valuations
from inforadar.store.database import Tx
from inforadar.store.valuations import VALUE, value_job

EVERY_DAY = Every(seconds=86_400)


def value_work() -> Periodic:
    """What the scheduler puts."""
    return Periodic(name=VALUE, rhythm=EVERY_DAY, put=put_values, is_put_at_start=True)


def put_values(tx: Tx) -> int:
    """A job for each watch that has prices and no such job; how many were put."""
    return jobs.put(tx, [value_job(watch) for watch in valuations.watches(tx)])
