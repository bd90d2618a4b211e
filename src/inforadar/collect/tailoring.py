"""Sweeps of a source whose lists differ from query to query: each query is swept by a source made for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from inforadar.collect.governor import Pulse, no_pulse
from inforadar.collect.report import QueryReport
from inforadar.collect.sweeper import Sweeper
from inforadar.domain.ports import Source
from inforadar.domain.watch import Query, Watch
from inforadar.store.leases import Lease


@runtime_checkable
class Tailor(Protocol):
    """A source that makes the source for one query; that may have an address of its own, `base_url`."""

    def tailored(self, params: Mapping[str, Any]) -> Source:
        """The source for a query with these parameters."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TailoringSweeper(Sweeper):
    """Sweeps queries of one source, each as that source has it made; all of them under the one governor."""

    def sweep(self, watch: Watch, query: Query, lease: Lease, pulse: Pulse = no_pulse) -> QueryReport:
        """One sweep of one query, by the source made for it."""
        assert isinstance(self.source, Tailor)
        source = self.source.tailored(query.params)
        base_url = getattr(source, "base_url", None) or self.governor.base_url
        own = Sweeper(
            database=self.database,
            source=source,
            governor=replace(self.governor, base_url=base_url),
            clock=self.clock,
            listener=self.listener,
        )
        return own.sweep(watch, query, lease, pulse)
