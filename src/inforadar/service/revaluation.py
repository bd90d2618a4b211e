"""Valuing every price watch once a day and at every start: prices age, metals move, and the user edits the coin.

A listing that names no currency makes no point while its watch states none. When the watch states one, or another
one, the job that values it first reads those listings again, from what is stored of them, as if they were seen anew
when they were seen last. Which currency that was done for is remembered, so that it is done once.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from inforadar.collect.observing import observe_again, put_valuing
from inforadar.domain.errors import Stopped
from inforadar.domain.job import Job, Outcome
from inforadar.domain.ports import Clock
from inforadar.domain.price import price_in
from inforadar.domain.schedule import Every
from inforadar.domain.watch import Watch
from inforadar.service.scheduler import Periodic
from inforadar.store import cursors, items, jobs, valuations
from inforadar.store.database import Database, Tx
from inforadar.store.valuations import VALUE, value_job
from inforadar.workers.step import Context

EVERY_DAY = Every(seconds=86_400)
AT_ONCE = 500
READ_FOR = "currency of {watch}"

Run = Callable[[Job, Context], Outcome]


def value_work(watches: Iterable[Watch]) -> Periodic:
    """What the scheduler puts."""
    priced = [watch.name for watch in watches if watch.kind == "price"]
    return Periodic(name=VALUE, rhythm=EVERY_DAY, put=lambda tx: put_values(tx, priced), is_put_at_start=True)


def put_values(tx: Tx, priced: Iterable[str]) -> int:
    """A job for each price watch, and each that has a valuation, without such a job; how many were put."""
    return jobs.put(tx, [value_job(watch) for watch in dict.fromkeys((*priced, *valuations.watches(tx)))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """Reads listings again whose price could not be used for want of a currency."""

    database: Database
    clock: Clock
    watches: Mapping[str, Watch]
    at_once: int = AT_ONCE

    def before(self, value: Run) -> Run:
        """The step that values a watch, after its listings are read again where that is needed."""

        def run(job: Job, context: Context) -> Outcome:
            watch = self.watches.get(str(job.args["watch"]))
            if watch is not None and watch.kind == "price" and watch.valuation.currency:
                self._read(watch, watch.valuation.currency, context)
            return value(job, context)

        return run

    def _read(self, watch: Watch, currency: str, context: Context) -> None:
        name, mark = READ_FOR.format(watch=watch.name), int.from_bytes(currency.encode())
        with self.database.reading() as tx:
            if cursors.get(tx, name) == mark:
                return
        after: int | None = 0
        while after is not None:
            if context.is_lost() or context.is_stopping():
                raise Stopped("stopped in the middle; the next worker goes on")
            with self.database.transaction() as tx:
                after = self._read_some(tx, watch, after)
                if after is None:
                    cursors.put(tx, name, mark)
            context.progress()

    def _read_some(self, tx: Tx, watch: Watch, after: int) -> int | None:
        """Read some listings, those of the matches behind one; the last match of them, None after the last of all."""
        found = items.of_watch(tx, watch.name, after=after, limit=self.at_once)
        nameless = [item for item in found.values() if price_in(item.data) is None]
        saved = 0
        for source in sorted({item.source for item in nameless}):
            keys = [item.key for item in nameless if item.source == source]
            # read once more behind the lock: a page may have shown another price meanwhile
            saved += observe_again(tx, watch, source, items.find_to_change(tx, source, keys).values())
        if saved:
            put_valuing(tx, watch, self.clock.now())
        return max(found) if len(found) == self.at_once else None
