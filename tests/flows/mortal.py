"""A database whose process dies at a chosen call: what was not committed is gone, nothing runs any more."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.store.database import Connection, Driver


class ProcessDied(BaseException):
    """The process is no more; nothing may catch this and go on."""


@dataclass
class Fate:
    """When the process dies: at its so-manieth call, before it or with its reply lost; None = it lives."""

    dies_at: int | None = None
    loses_reply: bool = False
    calls: int = 0
    is_dead: bool = False
    log: list[str] = field(default_factory=list)

    def meet(self, name: str, call: Callable[[], Any]) -> Any:
        if self.is_dead:
            raise ProcessDied(name)
        self.calls += 1
        self.log.append(name)
        if self.calls != self.dies_at:
            return call()
        if self.loses_reply:
            call()
        self.is_dead = True
        raise ProcessDied(f"{name}, call {self.calls}")


class MortalDriver:
    """A driver whose connections share one fate; `on_connect` prepares each of them."""

    def __init__(self, inner: Driver, fate: Fate, on_connect: Callable[[Connection], object] = lambda _: None) -> None:
        self.kind, self.name, self.types = inner.kind, inner.name, inner.types
        self._inner = inner
        self._fate = fate
        self._on_connect = on_connect

    def connect(self) -> Connection:
        connection = self._inner.connect()
        self._on_connect(connection)
        return MortalConnection(connection, self._fate)


class MortalConnection:
    """A connection that asks its fate before every call; rolling back is what a death does anyway."""

    def __init__(self, inner: Connection, fate: Fate) -> None:
        self._inner = inner
        self._fate = fate

    @property
    def is_usable(self) -> bool:
        return self._inner.is_usable

    @property
    def in_transaction(self) -> bool:
        if self._fate.is_dead:
            raise ProcessDied("asked after its death")
        return self._inner.in_transaction

    def begin(self, *, write: bool) -> None:
        self._fate.meet("begin", lambda: self._inner.begin(write=write))

    def commit(self) -> None:
        self._fate.meet("commit", self._inner.commit)

    def rollback(self) -> None:
        self._inner.rollback()

    def run(self, text: str, params: Any) -> int:
        return int(self._fate.meet("run", lambda: self._inner.run(text, params)))

    def rows(self, text: str, params: Any) -> list[dict[str, Any]]:
        return list(self._fate.meet("rows", lambda: self._inner.rows(text, params)))

    def many(self, text: str, rows: list[dict[str, Any]]) -> int:
        return int(self._fate.meet("many", lambda: self._inner.many(text, rows)))

    def many_rows(self, text: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return list(self._fate.meet("many rows", lambda: self._inner.many_rows(text, rows)))

    def now(self) -> datetime:
        return self._inner.now()

    def close(self) -> None:
        self._inner.close()
