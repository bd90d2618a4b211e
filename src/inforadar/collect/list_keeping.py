"""What a whole list says beside its entries: which items it shows, which are closed, what to ask with next time.

All of it is written in the transaction of a page; what follows from the list as a whole, in that of its last page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.closing import Absence, to_close
from inforadar.domain.health import News, moment
from inforadar.domain.item import FULL_TEXT, ItemId
from inforadar.domain.ports import ServesQueries, Source, WholeListSource
from inforadar.domain.walk import Sorted
from inforadar.domain.watch import Query
from inforadar.domain.whole_list import WholeList
from inforadar.store import events, items, query_states
from inforadar.store.archiving import IN_WORK, archive
from inforadar.store.database import Tx

MARKS = "shown"
MEMORY = "memory"
LASTING = "lasting"
LASTING_OF = "lasting_of"
LASTING_TURN = "lasting_turn"
READ_AT = "read_at"
GAP_AT = "gap_at"
NOTHING_CLOSED = "nothing is closed: {entries} entries could not be read and may be what seems to be gone"
CLOSED = "not on its company's list any more, seen twice"


def recalled(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What a source is told of a query whose list it read before."""
    return {**(metadata.get(LASTING) or {}), **(metadata.get(MEMORY) or {})}


def with_shared(tx: Tx, door: Source, query: Query, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What is remembered of a query, with what whoever read the same list last knows of its entries.

    An entry is called by that: it must not have another name for another watch, or for other words.
    """
    list_of = _list_of(door, query)
    newest = query_states.newest_lasting(tx, query.source, list_of) if list_of else None
    return dict(metadata) | ({name: newest[name] for name in (LASTING, LASTING_TURN)} if newest else {})


def _list_of(door: Source, query: Query) -> str | None:
    """The sign of the list that a query reads, for sources whose queries share lists."""
    serving = door.serving(query.params, {}) if isinstance(door, ServesQueries) else None
    return serving.key_prefix if isinstance(serving, WholeListSource) else None


SoundGap = Callable[[Tx, Query, str], None]
"""Raises the alarm that entries of a query's list may be lost, and writes down the event, in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeeper:
    """Keeps what the list of one query says; `metadata` is what was remembered of the query before.

    Without `sound_gap` a gap is written down and nobody is told.
    """

    query: Query
    source: WholeListSource
    metadata: Mapping[str, Any]
    now: datetime
    sound_gap: SoundGap | None = None

    def keep(self, tx: Tx, entries: Sorted, sweep: WholeList) -> list[str]:
        """Write down what one page says, and at the end what the list says; sentences for the run record."""
        if self.source.paging.absence_closes:
            self._keep_shown(tx, entries)
        if sweep.position is not None or not sweep.is_read_whole:
            return []
        self._remember(tx, sweep)
        return [*self._close(tx, sweep), *self._tell_gap(tx, sweep)]

    def _keep_shown(self, tx: Tx, entries: Sorted) -> None:
        drafts = (*entries.new, *entries.seen)
        items.shown_again(tx, self.query.source, [draft.key for draft in drafts])
        told = [draft.key for draft in drafts if draft.data.get(FULL_TEXT)]
        items.shown_whole(tx, self.query.source, told, self.now)

    def _close(self, tx: Tx, sweep: WholeList) -> list[str]:
        shown = sweep.shown
        if shown is None:
            return [NOTHING_CLOSED.format(entries=sweep.nameless)] if self._may_hide(sweep) else []
        items.shown_again(tx, self.query.source, shown)
        absent = items.absent(tx, self.query.source, self.source.key_prefix, shown)
        absences = [Absence(id=one.id, since=one.gone_seen_at) for one in absent]
        missed, closed = to_close(absences, shown=len(shown), read_at=self._read_at(), now=self.now)
        items.missed(tx, [ItemId(one) for one in missed], self.now)
        archived = sum(
            archive(tx, ItemId(one), why=CLOSED, now=self.now, standing_at=IN_WORK) for one in sorted(closed)
        )
        # after the matches: whoever archives one locks it first
        items.close(tx, [ItemId(one) for one in closed], self.now)
        return [f"closed by the company and archived: {archived}"] if archived else []

    def _may_hide(self, sweep: WholeList) -> bool:
        return self.source.paging.absence_closes and sweep.nameless > 0

    def _tell_gap(self, tx: Tx, sweep: WholeList) -> list[str]:
        """A feed that went on too fast has a gap: every one is written down, a person is told while there was none."""
        if not sweep.has_rolled_over:
            return []
        name = f"{self.query.source} (query {self.query.key} of {self.query.watch})"
        upto = f" before {moment(sweep.oldest)}" if sweep.oldest else ""
        gap = f"{name} shows none of the entries of the last sweep: some{upto} may be lost; fetch it more often"
        if self.sound_gap is not None and not self.metadata.get(GAP_AT):
            self.sound_gap(tx, self.query, gap)
        else:
            events.add(tx, News(kind="gap", message=gap), self.query.source, self.now, self.query.key)
        return [gap]

    def _remember(self, tx: Tx, sweep: WholeList) -> None:
        """What to ask with next time is kept only when all of the list is stored: else the rest would be lost."""
        kept: dict[str, Any] = {GAP_AT: self.now.isoformat() if sweep.has_rolled_over else None}
        if not sweep.is_unchanged:
            kept |= {MARKS: sweep.marks, MEMORY: sweep.memory or {}}
            kept |= self._lasting(sweep) if sweep.lasting else {}
        elif not self.metadata.get(GAP_AT):
            return
        if sweep.shown is not None:
            kept[READ_AT] = self.now.isoformat()
        query_states.save_metadata(tx, self.query, {**self.metadata, **kept})

    def _lasting(self, sweep: WholeList) -> dict[str, Any]:
        turn = int(self.metadata.get(LASTING_TURN) or 0) + 1
        return {LASTING: sweep.lasting, LASTING_OF: self.source.key_prefix, LASTING_TURN: turn}

    def _read_at(self) -> datetime | None:
        """When this query was shown the whole list the last time."""
        told = self.metadata.get(READ_AT)
        return datetime.fromisoformat(told) if told else None
