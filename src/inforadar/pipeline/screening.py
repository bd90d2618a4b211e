"""Screening the full text: what holds a ban word, or asks for too much experience, leaves for good."""

from datetime import datetime

from inforadar.domain.item import FULL_TEXT, Draft
from inforadar.domain.screening import BanList, Exclusion, exclusion
from inforadar.domain.watch import Watch
from inforadar.store import items, matches, tombstones
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView
from inforadar.store.tombstones import Tombstone


def screened(match: MatchView, watch: Watch, ban_list: BanList) -> Exclusion | None:
    """Why a match must not stay, judged by all we know of its item, or None."""
    draft = Draft(
        key=match.key,
        rank=match.published_at,
        url=match.url,
        title=match.title,
        company=match.company,
        data=match.data,
    )
    found = exclusion(draft, ban_list, watch.max_experience_years)
    text = match.data.get(FULL_TEXT)
    if found is None and isinstance(text, str) and not ban_list.is_empty:
        hit = ban_list.hit({FULL_TEXT: text})
        return Exclusion(reason="ban word", word=hit.word, field=hit.field) if hit else None
    return found


def expel(tx: Tx, match: MatchView, why: Exclusion, now: datetime) -> None:
    """Delete a match and leave a tombstone, so that it never comes back; the item goes with its last match."""
    stone = Tombstone(
        watch=match.watch,
        source=match.source,
        key=match.key,
        reason=why.reason,
        word=why.word,
        field=why.field,
        title=match.title,
        url=match.url,
        at=now,
    )
    tombstones.add(tx, [stone])
    matches.delete(tx, match.id)
    items.forget_unmatched(tx, match.item_id)
