"""The ways to whoever is asked by name (sources, judge, sinks): each through its gate, which all processes share."""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from inforadar.assembly.wanted import sinks_of
from inforadar.collect.cache import Cache
from inforadar.collect.gate import SharedGate
from inforadar.collect.governor import Governor
from inforadar.collect.list_keeping import SoundGap
from inforadar.collect.progress import Listener
from inforadar.collect.serving import gate_name, name_at
from inforadar.collect.sweeper import Sweeper
from inforadar.config import Config, SourceSettings
from inforadar.config.store_url import beside_store
from inforadar.domain.health import Closed, may_ask
from inforadar.domain.ports import Clock, Source
from inforadar.net.http import HttpClient
from inforadar.observe.chance import SEED_VARIABLE, chance
from inforadar.observe.clock import NOW_VARIABLE
from inforadar.pipeline.asking import Asking
from inforadar.service.judge_watch import welcome
from inforadar.service.recovery import JUDGE
from inforadar.service.sheets import SHEETS
from inforadar.service.sink_watch import welcome_sinks
from inforadar.sources.authorization import Authorized, Client
from inforadar.store import sources
from inforadar.store.database import Database, Tx

METALS = "metals"

SourceTable = Mapping[str, Callable[[SourceSettings], Source]]
ClientTable = Mapping[str, Callable[[SourceSettings], Client]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways of one process; `table` tells how each source is made, `clients` which of them want tokens got."""

    config: Config
    database: Database
    http: HttpClient
    clock: Clock
    cache: Cache | None
    stop: threading.Event
    table: SourceTable
    clients: ClientTable

    def sources(self) -> dict[str, Source]:
        """Every source, with the user's settings."""
        return {name: make(self.config.sources[name]) for name, make in self.table.items()}

    def governors(self) -> dict[str, Governor]:
        """Who asks each source."""
        return {name: self._governor(name) for name in self.table}

    def sweepers(self, listener: Listener, sound_gap: SoundGap) -> dict[str, Sweeper]:
        """Who sweeps the queries of each source; `sound_gap` raises the alarm where entries may be lost."""
        return {name: self._sweeper(name, source, listener, sound_gap) for name, source in self.sources().items()}

    def gate_names(self) -> dict[tuple[str, str], str]:
        """Whose gate each query of the configuration goes through, by watch and key."""
        made = self.sources()
        return {
            (query.watch, query.key): gate_name(made[query.source], query.params)
            for watch in self.config.watches
            for query in watch.queries
        }

    def asking(self, name: str) -> Asking:
        """The way to a judge or a sink."""
        return Asking(gate=self._gate(name), clock=self.clock, wait=self.stop.wait)

    def closed_sources(self, tx: Tx) -> list[str]:
        """Sources that may not be asked now: their jobs are not claimed at all."""
        now = self.clock.now()
        known = sources.all(tx)
        return [one.name for one in known if isinstance(may_ask(one.name, one.health, now), Closed) or not one.enabled]

    def paced_at(self, tx: Tx) -> datetime:
        """The time rates are kept by: the store's, or for a process that is told another time, what it believes."""
        return self.clock.now() if os.environ.get(NOW_VARIABLE) else tx.store_now()

    def register(self) -> None:
        """A row for everything that is asked by name; a judge or a sink that was changed begins anew."""
        with self.database.transaction() as tx:
            for name, (rate, is_enabled) in self.asked().items():
                sources.register(tx, name, rate_limit_per_minute=rate, enabled=is_enabled, paced_at=self.paced_at(tx))
            window = timedelta(hours=self.config.schedule.recovery_hours)
            welcome(tx, self.config.judge, window, self.clock.now())
            welcome_sinks(tx, sinks_of(self.config), self.clock.now())

    def asked(self) -> dict[str, tuple[int, bool]]:
        """Who is asked by name, each with its rate and whether it is enabled."""
        asked = {name: (one.rate_limit_per_minute, one.enabled) for name, one in self.config.sources.items()}
        if self.config.judge.kind != "words":
            asked[JUDGE] = (self.config.judge.rate_limit_per_minute, True)
        asked |= {name: (one.rate_limit_per_minute, True) for name, one in sinks_of(self.config).items()}
        if self.config.sheets:
            asked[SHEETS] = (self.config.sheets.rate_limit_per_minute, True)
        if self.config.metals:
            asked[METALS] = (self.config.metals.rate_limit_per_minute, True)
        return asked

    def _sweeper(self, name: str, source: Source, listener: Listener, sound_gap: SoundGap) -> Sweeper:
        return Sweeper(
            database=self.database,
            source=source,
            governor=self._governor(name),
            clock=self.clock,
            listener=listener,
            sound_gap=sound_gap,
        )

    def _governor(self, name: str) -> Governor:
        return Governor(
            base_url=self.config.sources[name].base_url,
            transport=self._transport(name),
            clock=self.clock,
            chance=chance(os.environ.get(SEED_VARIABLE)),
            wait=self.stop.wait,
            gate=self._gate(name),
            gate_of_server=lambda server: self._gate(name_at(name, server), like=name),
            cache=self.cache,
        )

    def _transport(self, name: str) -> HttpClient | Authorized:
        """The network, with its tokens put on where a source wants them; they are kept beside the store."""
        if name not in self.clients:
            return self.http
        client = self.clients[name](self.config.sources[name])
        folder = self.config.path.resolve().parent if self.config.path else Path.cwd()
        kept_at = beside_store(self.config.store.url, folder, f"{name}-token.json")
        return Authorized(transport=self.http, client=client, clock=self.clock, kept_at=kept_at)

    def _gate(self, name: str, like: str | None = None) -> SharedGate:
        return SharedGate(
            name=name,
            database=self.database,
            clock=self.clock,
            chance=chance(os.environ.get(SEED_VARIABLE)),
            paced_at=self.paced_at,
            like=like,
        )
