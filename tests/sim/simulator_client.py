"""A plain HTTP visitor for the tests of the simulator, with nothing of the program under test in it."""

import gzip
import http.client
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inforadar.simulator.server import Simulator

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


def visit(
    url: str, params: Any = (), *, body: Any = None, raw: bytes | None = None, timeout: float = 5, **headers: str
) -> Reply:
    """One request on a connection of its own; a body makes it a POST of JSON, raw bytes one of whatever they are."""
    address = urlsplit(url)
    target = address.path + (f"?{urlencode(params)}" if params else "")
    connection = http.client.HTTPConnection(address.netloc, timeout=timeout)
    try:
        payload = raw if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET" if payload is None else "POST", target, body=payload, headers={**AGENT, **named})
        answer = connection.getresponse()
        return Reply(status=answer.status, headers=dict(answer.getheaders()), body=_unpacked(answer))
    finally:
        connection.close()


def post_json(url: str, body: Any, **headers: str) -> Reply:
    """A POST of JSON that says so."""
    return visit(url, body=body, **{"Content_Type": "application/json", **headers})


def post_form(url: str, fields: dict[str, Any], **options: Any) -> Reply:
    """A POST as python-telegram-bot and aiogram send it: form fields, structures as JSON texts."""
    body = urlencode({name: _field(value) for name, value in fields.items()})
    return visit(url, raw=body.encode(), Content_Type="application/x-www-form-urlencoded", **options)


def post_multipart(url: str, fields: dict[str, Any]) -> Reply:
    """A POST of multipart form fields."""
    parts = "".join(
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{_field(value)}\r\n'
        for name, value in fields.items()
    )
    return visit(url, raw=f"{parts}--cut--\r\n".encode(), Content_Type="multipart/form-data; boundary=cut")


def control(simulator: Simulator, name: str, params: object = (), body: object = None) -> Reply:
    """One request at the steering door."""
    return visit(f"{simulator.url}/_sim/{name}", params, body=body)


def _field(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _unpacked(answer: http.client.HTTPResponse) -> bytes:
    raw = answer.read()
    return gzip.decompress(raw) if answer.getheader("Content-Encoding") == "gzip" else raw
