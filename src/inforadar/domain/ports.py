"""The interfaces the core asks of the outside: who implements them is wired in bootstrap."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from inforadar.domain.errors import SourceError
from inforadar.domain.health import Admitted, Closed, MustWait
from inforadar.domain.item import Draft, Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.verdict import Question, Verdict

Availability = Literal["alive", "gone", "no verdict"]


class Clock(Protocol):
    """Time as one process believes it; the only way to ask for it."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...

    def mono(self) -> float:
        """Seconds on a clock that never jumps."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request to make; `path` is joined to the base_url. Multi-values repeat the name.

    `body` is sent by a POST or PUT; `timeout_s` is how long the whole exchange may take, None = as everywhere.
    `url`: an absolute address instead of base_url and path; `is_from_content`: it was read in an answer and not
    written by the user, so that it never leads into a private network.
    """

    path: str = ""
    params: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    method: Literal["GET", "POST", "PUT"] = "GET"
    body: bytes = b""
    timeout_s: float | None = None
    url: str | None = None
    is_from_content: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: a finished HTTP exchange whose status may mean anything."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamRule:
    """How one parameter of a source's search counts for the query's identity."""

    ignores_case: bool = False
    is_list: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """What a source's own page of one item says; `full_text` is plain text, None = not told.

    `is_closed`: it is gone by the source's own mark, which is definite; a page that is not found may come back.
    """

    availability: Availability
    is_closed: bool = False
    full_text: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


class Transport(Protocol):
    """Makes one HTTP exchange; raises SourceError when there is no answer."""

    def send(self, base_url: str, request: Request) -> Answer:
        """The answer to a request under a base_url, whatever its status."""
        ...


class Gate(Protocol):
    """Says whether somebody may be asked, and hears how that went; the same for every process."""

    def closed(self) -> Closed | None:
        """Whether nobody may ask now; takes nothing."""
        ...

    def enter(self) -> Admitted | MustWait | Closed:
        """Ask for one request."""
        ...

    def asked_to_wait(self, seconds: float) -> None:
        """Who was asked wants a short break."""
        ...

    def succeeded(self) -> None:
        """There was an answer."""
        ...

    def failed(self, error: SourceError) -> None:
        """There was none, with all tries."""
        ...

    def rest_until(self, until: datetime) -> None:
        """Nobody asks before a moment; this is no outage."""
        ...


class Judge(Protocol):
    """Scores relevance; `name` tells which model, and is kept with each verdict."""

    name: str

    def judge(self, question: Question) -> Verdict:
        """Its verdict; raises Unavailable, RateLimited, Refused (a person must act), Unreadable (no usable answer)."""
        ...

    def ping(self) -> None:
        """Whether it could judge now, asked cheaply; raises as `judge` does."""
        ...


class Source(Protocol):
    """One external site: requests and parsing as pure functions, its abilities as data.

    `fallback` is another door to the same list (other paging), tried when this one is unreadable or refused.
    """

    name: str
    kind: Kind
    paging: Paging
    param_rules: Mapping[str, ParamRule]
    default_base_url: str
    default_rate_limit_per_minute: int
    fallback: "Source | None"

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters; empty = nothing."""
        ...

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for one page of the list; `params` are normalised."""
        ...

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; raises Unreadable, Refused, RateLimited or Unavailable."""
        ...

    def detail_request(self, key: str, url: str) -> Request:
        """The request for one item's own page."""
        ...

    def read_detail(self, answer: Answer) -> Detail:
        """The detail in an answer, whatever its status; raises what says nothing about the item."""
        ...


@runtime_checkable
class WholeListSource(Source, Protocol):
    """A source as it serves one query whose list every sweep reads whole; all its keys begin with `key_prefix`."""

    @property
    def key_prefix(self) -> str:
        """What the keys of this list, and of no other, begin with."""
        ...

    def wants(self, draft: Draft) -> bool:
        """Whether the query asks for this entry: what the site cannot filter is filtered here."""
        ...


@runtime_checkable
class AsksManyServers(Protocol):
    """A source whose queries ask servers that have nothing to do with one another; each has a gate of its own."""

    def server(self, params: Mapping[str, Any]) -> str | None:
        """The server that a query asks; None = the source's own."""
        ...


@runtime_checkable
class ServesQueries(Protocol):
    """A source that makes the source for each query, because their lists differ; that one may read its list whole.

    It may also have an address of its own, as `base_url`.
    """

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> Source:
        """The source as it serves a query; `memory` is what its last page of that query asked to be told."""
        ...
