"""What a query would collect, looked at before it is saved: its newest page, screened as a sweep would screen it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inforadar.collect.governor import Governor
from inforadar.collect.serving import serve
from inforadar.domain.errors import BadQuery, Refused, Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Source, WholeListSource
from inforadar.domain.screening import Exclusion, compile_ban_words, exclusion
from inforadar.domain.watch import Query, Watch

SHOWN = 10
TOO_EXPERIENCED = (
    "Vacancies that ask for more than {years} years of experience are left out: `max_experience_years` of the watch, "
    "which 0 switches off."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the list, and why it would stay outside, if it would."""

    draft: Draft
    exclusion: Exclusion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The newest entries of a list; `read`: how many its first page showed, `total`: how long it says it is.

    `unwanted`: entries of a whole list that the query's own words leave out.
    """

    entries: tuple[Entry, ...]
    read: int
    total: int | None = None
    unwanted: int = 0
    notes: tuple[str, ...] = ()

    @property
    def excluded(self) -> list[Entry]:
        """Those that would stay outside."""
        return [entry for entry in self.entries if entry.exclusion]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Looks at lists through the governors of their sources, so that a look counts like any other request."""

    sources: Mapping[str, Source]
    governors: Mapping[str, Governor]

    def look(self, watch: Watch, query: Query, most: int = SHOWN) -> Looked:
        """The newest entries of a query as its watch would take them; stores none. Raises SourceError."""
        source, governor = serve(self.sources[query.source], self.governors[query.source], query.params, {})
        page = _first_page(governor, source, query)
        shown = (*page.drafts, *page.loose)
        drafts = [one for one in shown if not isinstance(source, WholeListSource) or source.wants(one)]
        ban_list, _ = compile_ban_words(watch.ban_words)
        newest = sorted(drafts, key=lambda draft: (draft.is_dated, draft.rank), reverse=True)[:most]
        entries = [
            Entry(draft=draft, exclusion=exclusion(draft, ban_list, watch.max_experience_years)) for draft in newest
        ]
        return Looked(
            entries=tuple(entries),
            read=page.entries,
            total=page.total,
            unwanted=len(shown) - len(drafts),
            notes=(*page.notes, *_experience_note(entries, watch)),
        )


def _experience_note(entries: Sequence[Entry], watch: Watch) -> list[str]:
    """A word on a filter that holds though nobody wrote it down."""
    is_met = any(entry.exclusion and entry.exclusion.reason == "experience" for entry in entries)
    return [TOO_EXPERIENCED.format(years=watch.max_experience_years)] if is_met else []


def _first_page(governor: Governor, source: Source, query: Query) -> Page:
    """The first page through the first door of the source that is open."""
    try:
        return governor.page(source, query.params, Position(size=source.paging.size))
    except (Unreadable, Refused) as error:
        if source.fallback is None or isinstance(error, BadQuery):
            raise
        return _first_page(governor, source.fallback, query)
