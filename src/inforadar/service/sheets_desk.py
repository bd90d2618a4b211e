"""What a sync works with: the spreadsheet behind its gate, the store, and the plan of each table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.pipeline.asking import Asking
from inforadar.sinks.sheets_api import SheetsApi
from inforadar.store import leases
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Lease

T = TypeVar("T")
Tell = Callable[[Tx, str], None]
"""Tells a person a sentence, in the caller's transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulsed:
    """A transport that has a pulse before every request; one that raises means that nothing was sent."""

    transport: Transport
    pulse: Callable[[], None]

    def send(self, base_url: str, request: Request) -> Answer:
        """Ask, if it may still be asked."""
        self.pulse()
        return self.transport.send(base_url, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What one sync works with: the spreadsheet behind its gate, the store, and the lease that keeps others out.

    `api` has a pulse before every request, be it for a token or a repeated one; `pulse` raises where the sync must end.
    `paced_at` tells the time that all who share the store go by, and `tell` tells a person of something once.
    """

    database: Database
    clock: Clock
    api: SheetsApi
    asking: Asking
    lease: Lease
    pulse: Callable[[], None]
    paced_at: Callable[[Tx], datetime]
    tell: Tell

    def ask(self, question: Callable[[SheetsApi], T]) -> T:
        """The answer of the spreadsheet, asked at its pace and only while it may be asked.

        A question may be one reading and one writing request: Google counts them apart.
        """
        return self.asking.ask(lambda: question(self.api))

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """A writing transaction that only the holder of the lease can commit; raises LeaseLost."""
        with self.database.transaction() as tx:
            leases.guard(tx, self.lease)
            yield tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One table as it should be: our name for it, its title at first, our columns and those that are the user's."""

    name: str
    title: str
    columns: tuple[str, ...]
    user_columns: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every column, in the order of a new tab."""
        return (*self.columns, *self.user_columns)
