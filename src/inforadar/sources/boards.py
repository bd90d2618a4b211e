"""What the public job boards of companies have in common: the board's name, filters of our own, keys, whole lists.

A board shows all its openings, in no promised order, so that every sweep reads all of it and what is gone is closed.
The sites cannot search, so that `department`, `location` and `text` are looked for here.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from inforadar.domain.errors import BadQuery, Unreadable
from inforadar.domain.item import FULL_TEXT, Draft, Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, ParamRule, Request, Source
from inforadar.sources.reading import (
    UNDATED,
    as_mapping,
    as_text,
    failure,
    param_values,
    read_json,
    unknown_params,
    without_empty,
)
from inforadar.sources.text import clean_line
from inforadar.sources.word_filters import Alternatives, alternatives, has_words, lower_values

PARAM_RULES: Mapping[str, ParamRule] = {
    "board": ParamRule(),
    "department": ParamRule(ignores_case=True, is_list=True),
    "location": ParamRule(ignores_case=True, is_list=True),
    "text": ParamRule(ignores_case=True, is_list=True),
}
POSTING = "posting"
"""The parameter that says which opening a request for the whole board is about; the sites ignore it."""
LARGEST_NUMBER = 2**63

_BOARD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?")
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardQuery:
    """What a query asks of one board; of several values of a filter any will do, of several words all are needed."""

    board: str
    departments: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    texts: Alternatives = ()

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> "BoardQuery":
        """The query in its parameters."""
        return cls(
            board=next(iter(param_values(params.get("board"))), ""),
            departments=lower_values(params.get("department")),
            locations=lower_values(params.get("location")),
            texts=alternatives(params.get("text")),
        )

    def key(self, posting_id: str) -> str:
        """The key of an opening: two boards may give the same number."""
        return f"{self.board}/{posting_id}"

    def wants(self, draft: Draft) -> bool:
        """Whether an opening passes all filters."""
        return (
            _is_in(self.departments, _joined(draft, "department", "team"))
            and _is_in(self.locations, _places(draft))
            and has_words(self.texts, f"{draft.title} {_joined(draft, 'department', 'team', FULL_TEXT)}")
        )


class Board(ABC):
    """A source of whole boards; a site says how it is asked, and how its entries are read.

    `query`: what the source serves; without it, it only knows how to ask. `id_field`: under which name an entry tells
    its id.
    """

    name: str
    title: str
    kind: Kind = "vacancy"
    # One answer holds the whole board; `size` counts only where a site has pages.
    paging = Paging(kind="page", size=100, absence_closes=True)
    param_rules = PARAM_RULES
    id_field = "id"
    default_base_url: str
    default_rate_limit_per_minute = 60
    fallback: Source | None = None

    def __init__(self, *, user_agent: str | None = None, query: BoardQuery | None = None) -> None:
        self._user_agent = user_agent
        self._headers = {"Accept": "application/json"} | ({"User-Agent": user_agent} if user_agent else {})
        self._query = query or BoardQuery(board="")

    @property
    def key_prefix(self) -> str:
        """What the keys of this board, and of no other, begin with."""
        return self._query.key("")

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> Self:  # noqa: ARG002 - nothing to recall
        """The source as it serves one board."""
        return type(self)(user_agent=self._user_agent, query=BoardQuery.of(params))

    def wants(self, draft: Draft) -> bool:
        """Whether the query asks for this opening."""
        return self._query.wants(draft)

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        sentence = f"{self.title} boards have no parameter `{{name}}`"
        page = f"docs/sources/{self.name}.md"
        return (*unknown_params(params, PARAM_RULES, sentence, page), *self._check_board(params.get("board")))

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for the board, or for one page of it."""
        return self.list_request(BoardQuery.of(params).board, position)

    @abstractmethod
    def list_request(self, board: str, position: Position) -> Request:
        """The request for a board by its name."""

    def read(self, answer: Answer, position: Position) -> Page:
        """The openings in an answer; a board that is not there is a mistake in the query."""
        if answer.status in (404, 410):
            name = self._query.board
            raise BadQuery(f"{self.title} has no board {name} (HTTP {answer.status}): check `board` of the query")
        if answer.status != 200:
            raise failure(answer)
        return self.page(read_json(answer.body), position)

    @abstractmethod
    def page(self, told: Any, position: Position) -> Page:
        """The page that a JSON value is; raises Unreadable where it is none."""

    def key_of(self, entry: Any) -> str | None:
        """The key of an entry, whatever else it lacks."""
        posting_id = as_id(as_mapping(entry).get(self.id_field))
        return None if posting_id is None else self._query.key(posting_id)

    def _check_board(self, board: Any) -> list[str]:
        if not isinstance(board, str) or not board.strip():
            return [f"`board` is missing: it is the company's name in the addresses of its {self.title} board."]
        if not _BOARD.fullmatch(board.strip()):
            return ["`board` is a name of letters, digits, dots and dashes: copy it from the board's address."]
        return []


def opening(
    query: BoardQuery,
    posting_id: str,
    *,
    title: str,
    url: str,
    published_at: datetime | None,
    company: str = "",
    **fields: Any,
) -> Draft:
    """The draft of one opening; `fields` go under the names all vacancy sources share, empty ones are left out."""
    return Draft(
        key=query.key(posting_id),
        rank=published_at or UNDATED,
        is_dated=published_at is not None,
        url=url,
        title=title,
        company=clean_line(company) or query.board or None,
        company_key=query.board or None,
        data=without_empty(fields),
    )


def identity(posting_id: Any, title: Any) -> tuple[str, str]:
    """The id and the title of an opening; raises Unreadable without either."""
    known, words = as_id(posting_id), clean_line(as_text(title))
    if known is None or not words:
        raise Unreadable("an opening without id or title")
    return known, words


def detail_of(draft: Draft) -> Detail:
    """What a list says of an opening, as if its own page had said so."""
    told = {name: value for name, value in draft.data.items() if name != FULL_TEXT}
    return Detail(availability="alive", full_text=draft.data.get(FULL_TEXT), data=told)


def split_key(key: str) -> tuple[str, str]:
    """The board and the site's own id in a key."""
    board, _, posting_id = key.rpartition("/")
    return board, posting_id


def asked_posting(answer: Answer) -> str:
    """Which opening a request for a whole board was about; empty = the address does not say so any more."""
    return next(iter(parse_qs(urlsplit(answer.url).query).get(POSTING, [])), "")


def as_id(value: Any) -> str | None:
    """An id as sites give them: a number, a UUID, a short code."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_NUMBER:
        return str(value)
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def web_address(value: Any, otherwise: str) -> str:
    """The value when it is an address for browsers."""
    is_one = isinstance(value, str) and value.startswith(("https://", "http://")) and value.isprintable()
    return value if is_one and " " not in value else otherwise


def _joined(draft: Draft, *names: str) -> str:
    return " ".join(str(draft.data.get(name, "")) for name in names)


def _places(draft: Draft) -> str:
    places = " ".join(map(str, draft.data.get("places", ())))
    return f"{_joined(draft, 'place')} {places} {'remote' if draft.data.get('remote') else ''}"


def _is_in(asked: tuple[str, ...], held: str) -> bool:
    return not asked or any(part in held.casefold() for part in asked)
