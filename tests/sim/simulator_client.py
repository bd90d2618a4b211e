"""A plain HTTP visitor for the tests of the simulator, with nothing of the program under test in it."""

import gzip
import http.client
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
AGENT = {"User-Agent": "InfoRadar-tests/1.0 (tests@example.org)"}
SEARCH = "/jobs-guest/jobs/api/seeMoreJobPostings/search"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A finished answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def html(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.body)

    def select(self, selector: str) -> list[LexborNode]:
        return self.html.css(selector)


def visit(url: str, params: Any = (), *, body: Any = None, timeout: float = 5, **headers: str) -> Reply:
    """One request on a connection of its own; a body makes it a POST of JSON."""
    address = urlsplit(url)
    target = address.path + (f"?{urlencode(params)}" if params else "")
    connection = http.client.HTTPConnection(address.netloc, timeout=timeout)
    try:
        payload = None if body is None else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET" if body is None else "POST", target, body=payload, headers={**AGENT, **named})
        answer = connection.getresponse()
        return Reply(status=answer.status, headers=dict(answer.getheaders()), body=_unpacked(answer))
    finally:
        connection.close()


def _unpacked(answer: http.client.HTTPResponse) -> bytes:
    raw = answer.read()
    return gzip.decompress(raw) if answer.getheader("Content-Encoding") == "gzip" else raw
