"""Recruitee: the offers of a company, whole in one answer, at a host of its own."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Request
from inforadar.sources.board_kinds import BoardInOnePiece
from inforadar.sources.boards import BoardQuery, identity, opening, web_address
from inforadar.sources.reading import as_mapping, as_text, read_time
from inforadar.sources.salaries import salary
from inforadar.sources.text import clean_line, plain_text

FORMATS = {"remote": "REMOTE", "hybrid": "HYBRID", "on_site": "ON_SITE"}


class Recruitee(BoardInOnePiece):
    """{company}.recruitee.com as a source of vacancies; under another `base_url` the company is part of the path."""

    name = "recruitee"
    title = "Recruitee"
    default_base_url = "https://recruitee.com"

    def __init__(
        self, *, base_url: str | None = None, user_agent: str | None = None, query: BoardQuery | None = None
    ) -> None:
        super().__init__(user_agent=user_agent, query=query)
        self._base_url = base_url or self.default_base_url

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> Self:  # noqa: ARG002 - nothing to recall
        """The source as it serves one board."""
        return type(self)(base_url=self._base_url, user_agent=self._user_agent, query=BoardQuery.of(params))

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong; the board is part of a host's name here."""
        sentences = super().check(params)
        if not sentences and not str(params["board"]).strip().replace("-", "").isalnum():
            return ("`board` is a name of letters, digits and dashes: copy it from the board's address.",)
        return sentences

    def board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        """The request for all offers."""
        name = quote(board, safe="")
        if self._base_url != self.default_base_url:
            return Request(path=f"/{name}/api/offers/", params=marks, headers=self._headers)
        mark = "".join(f"?{key}={quote(value, safe='')}" for key, value in marks)
        return Request(url=f"https://{name}.recruitee.com/api/offers/{mark}", headers=self._headers)

    def listed(self, told: Any) -> list[Any]:
        """The offers under `offers` that are published."""
        offers = as_mapping(told).get("offers")
        if not isinstance(offers, list):
            raise Unreadable("Recruitee's answer holds no list of offers")
        return [offer for offer in offers if as_text(as_mapping(offer).get("status")) in ("", "published")]

    def draft(self, entry: Mapping[str, Any], told: Any) -> Draft:  # noqa: ARG002 - the entry says it all
        """The draft of one offer."""
        return read_offer(entry, self._query)


def read_offer(offer: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one offer; raises Unreadable without id or title."""
    offer_id, title = identity(offer.get("id"), offer.get("title"))
    pay, remote = as_mapping(offer.get("salary")), offer.get("remote")
    slug = quote(as_text(offer.get("slug")), safe="", errors="replace")
    texts = (plain_text(as_text(offer.get(name))) for name in ("description", "requirements"))
    return opening(
        query,
        offer_id,
        title=title,
        url=web_address(offer.get("careers_url"), f"https://{query.board}.recruitee.com/o/{slug or offer_id}"),
        published_at=read_moment(offer.get("published_at")) or read_moment(offer.get("created_at")),
        company=as_text(offer.get("company_name")),
        place=clean_line(as_text(offer.get("location"))),
        department=clean_line(as_text(offer.get("department"))),
        employment=clean_line(as_text(offer.get("employment_type_code"))),
        work_format=[form for name, form in FORMATS.items() if offer.get(name) is True],
        remote=remote if isinstance(remote, bool) else None,
        salary=salary(pay.get("min"), pay.get("max"), pay.get("currency"), pay.get("period")),
        full_text="\n".join(text for text in texts if text),
    )


def read_moment(value: Any) -> datetime | None:
    """A moment as Recruitee writes it: `2026-07-17 11:00:39 UTC`."""
    return read_time(as_text(value).strip().removesuffix("UTC").strip())
