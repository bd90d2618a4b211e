"""What stands in the rows of the spreadsheet: an item with all its matches, a company with its counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from json import dumps

from inforadar.domain.grouping import Sibling
from inforadar.domain.money import money_of, place_of
from inforadar.domain.sheet_columns import KEY
from inforadar.domain.status import Status
from inforadar.sinks.card_words import clean, safe_link
from inforadar.sinks.sheets_cells import Cell
from inforadar.store.sheet_rows import CompanyCount, Offer

UNWRITTEN = frozenset({"waiting", "held"})
CURRENT = frozenset({Status.ANALYZED, Status.SENT_TO_USER, Status.APPLIED})
LONGEST_TEXT = 500
MOST_SIBLINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row to be: its cells by column, and the deliveries it stands for."""

    key: str
    cells: Mapping[str, Cell]
    offers: tuple[Offer, ...] = ()

    @property
    def digest(self) -> str:
        """The same for the same cells."""
        return blake2b(dumps(self.cells, sort_keys=True).encode(), digest_size=16).hexdigest()

    @property
    def unwritten(self) -> tuple[Offer, ...]:
        """The deliveries that are not known to be in the sheet."""
        return tuple(offer for offer in self.offers if offer.state in UNWRITTEN)

    @property
    def is_current(self) -> bool:
        """Whether it is worth a row in a sheet that does not have it; what is over is only kept where it stands."""
        return not self.offers or any(offer.state in UNWRITTEN or offer.status in CURRENT for offer in self.offers)


def offer_row(offers: Sequence[Offer], also_on: Sequence[Sibling], now: datetime) -> Row:
    """The row of one item; where several watches have it, the one with the best score speaks."""
    best = max(offers, key=lambda offer: (offer.score or 0.0, -offer.match_id))
    cells: dict[str, Cell] = {
        KEY: f"{best.source}:{best.key}",
        "title": clean(best.title, LONGEST_TEXT),
        "company": clean(best.company, LONGEST_TEXT),
        "place": clean(place_of(best.data), LONGEST_TEXT),
        "money": clean(money_of(best.data), LONGEST_TEXT),
        "published": f"{best.published_at:%Y-%m-%d %H:%M}",
        "first seen": f"{best.first_seen_at:%Y-%m-%d}",
        "last seen": f"{best.last_seen_at:%Y-%m-%d}",
        "status": status_words(best, now),
        "score": None if best.score is None else round(best.score, 2),
        "reason": clean(best.reason, LONGEST_TEXT),
        "link": safe_link(best.url),
        "source": best.source,
        "watch": ", ".join(dict.fromkeys(offer.watch for offer in offers)),
        "also on": ", ".join(f"{one.source} {safe_link(one.url) or ''}".strip() for one in also_on[:MOST_SIBLINGS]),
    }
    return Row(key=str(cells[KEY]), cells=cells, offers=tuple(offers))


def company_row(company: CompanyCount) -> Row:
    """The row of one company."""
    cells: dict[str, Cell] = {
        KEY: f"{company.source}:{company.key}",
        "company": clean(company.name, LONGEST_TEXT),
        "offers": company.offers_seen,
        "open": company.offers_open,
        "reposts": company.reposts,
        "first seen": f"{company.first_seen_at:%Y-%m-%d}",
        "last seen": f"{company.last_seen_at:%Y-%m-%d}",
        "source": company.source,
    }
    return Row(key=str(cells[KEY]), cells=cells)


def status_words(offer: Offer, now: datetime) -> str:
    """Where a match stands, as its reader would say it."""
    if offer.status in (Status.ANALYZED, Status.SENT_TO_USER):
        is_put_off = offer.later_until is not None and offer.later_until > now
        return f"later, {offer.later_until:%Y-%m-%d %H:%M}" if is_put_off else "open"
    return "closed" if offer.status == Status.IN_ARCHIVE else offer.status.replace("_", " ").lower()


def is_over(offers: Sequence[Offer]) -> bool:
    """Whether an item that was never written is closed by now: nobody wants to read of it."""
    return all(offer.status == Status.IN_ARCHIVE and offer.state in UNWRITTEN for offer in offers)
