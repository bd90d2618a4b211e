"""What travels between the server and the sites: one request, one response, and how it is delivered."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Delivery = Literal["whole", "late", "slow", "stream", "cut", "reset", "hang"]
Header = tuple[str, str]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One GET to a site; `path` has no prefix, header names are lower-case.

    `number` counts the requests to this site from 1.
    """

    source: str
    path: str
    params: Pairs = ()
    headers: Mapping[str, str]
    number: int
    seed: int

    def param(self, name: str, default: str = "") -> str:
        """The first value of a parameter."""
        return first(self.params, name, default)

    def tracking(self, what: str) -> str:
        """An id as sites stick to their answers: another one at every request, the same for the same seed."""
        digest = hashlib.blake2b(f"{self.seed}/{self.number}/{what}".encode(), digest_size=16)
        return base64.b64encode(digest.digest()).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a service, which may change something there; `path` has no prefix, header names are lower-case.

    `number` counts the requests to this service from 1; `now` is the world's time.
    """

    service: str
    verb: str
    path: str
    params: Pairs = ()
    headers: Mapping[str, str]
    body: bytes = b""
    number: int
    seed: int
    now: datetime

    def numbered(self, what: str, digits: int) -> int:
        """A number as services give them to things: another one at every request, the same for the same seed."""
        digest = hashlib.blake2b(f"{self.seed}/{self.service}/{self.number}/{what}".encode(), digest_size=16)
        least = int("1".ljust(digits, "0"))
        return least + int.from_bytes(digest.digest(), "big") % (9 * least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer; `seconds` is how long a late, slow, streamed or hanging delivery takes.

    A streamed answer is sent line by line as its body has lines.
    """

    status: int = 200
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    delivery: Delivery = "whole"
    seconds: float = 0.0
    is_packed: bool = False


def first(params: Pairs, name: str, default: str = "") -> str:
    """The first value of a parameter, or the default."""
    return next((value for key, value in params if key == name), default)


def every(params: Pairs, name: str) -> tuple[str, ...]:
    """All non-empty values of a repeated parameter."""
    return tuple(value for key, value in params if key == name and value)


def listed(params: Pairs, name: str) -> frozenset[str]:
    """The values of a parameter that takes a comma list."""
    return frozenset(part for value in every(params, name) for part in value.split(",") if part)


def json_response(value: Any, status: int = 200, headers: tuple[Header, ...] = ()) -> Response:
    """A JSON answer in UTF-8."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status=status, headers=(("Content-Type", "application/json; charset=utf-8"), *headers), body=body)


def html_response(text: str, status: int = 200, headers: tuple[Header, ...] = ()) -> Response:
    """An HTML answer in UTF-8."""
    return Response(status=status, headers=(("Content-Type", "text/html; charset=utf-8"), *headers), body=text.encode())
