"""Which URLs may be asked at all, and how one is made of a base_url and a request, or of a redirect."""

import re
from typing import NamedTuple
from urllib.parse import urlencode, urljoin

import httpx2

from inforadar.domain.errors import Refused
from inforadar.domain.ports import Request
from inforadar.net.addresses import closed_kind, is_literal

MAX_URL_LENGTH = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[^\[\]/?#@:]+)(:[0-9]{1,5})?(?=[/?#]|\Z)", re.IGNORECASE)
_USERINFO = re.compile(r"[^:]+://[^/?#]*@")
_LOCAL_NAMES = (".local", ".localhost", ".lan", ".internal", ".home.arpa")
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*")


class Origin(NamedTuple):
    """Whom a URL talks to."""

    scheme: str
    host: str
    port: int


def parse_url(text: str) -> httpx2.URL:
    """The URL as it will be dialled; raises Refused for any spelling two parsers could read differently."""
    _refuse_odd_characters(text)
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in _DEFAULT_PORTS:
        raise Refused("only http and https addresses are asked")
    if _USERINFO.match(text):
        raise Refused("an address with a user name or password in it is not asked")
    if _AUTHORITY.match(text) is None:
        raise Refused("the host or port of the address cannot be read")
    return _parsed(text)


def origin(url: httpx2.URL) -> Origin:
    """The origin of a parsed URL, with its port spelled out."""
    port = _DEFAULT_PORTS[url.scheme] if url.port is None else url.port
    return Origin(url.scheme, url.raw_host.decode("ascii"), port)


def request_url(base_url: str, request: Request) -> httpx2.URL:
    """The URL of a request under a base_url; whatever its path holds, the origin is the base_url's.

    A request that names an absolute address goes there instead.
    """
    if request.url is not None:
        return parse_url(request.url)
    if "?" in base_url or "#" in base_url:
        raise Refused("base_url must not have a query or fragment")
    query = urlencode(request.params)
    path = request.path.lstrip("/")
    joined = f"{base_url.rstrip('/')}/{path}"
    if query:
        joined += ("&" if "?" in path else "?") + query
    return parse_url(joined)


def is_local(text: str) -> bool:
    """Whether an address names by itself a place outside the public internet, as only its writer can mean it.

    A public name counts as public even if its owner makes it lead into a private network.
    """
    try:
        host = origin(parse_url(text)).host
    except Refused:
        return False
    if is_literal(host):
        return closed_kind(host) is not None
    return "." not in host or host.endswith(_LOCAL_NAMES)


def redirect_url(url: httpx2.URL, location: str) -> httpx2.URL:
    """Where a redirect of `url` leads; raises Refused for what must not be followed."""
    _refuse_odd_characters(location)
    target = parse_url(urljoin(str(url), location))
    if url.scheme == "https" and target.scheme == "http":
        raise Refused("a redirect from https to http is not followed")
    return target


def _refuse_odd_characters(text: str) -> None:
    if len(text) > MAX_URL_LENGTH:
        raise Refused("the address is too long")
    # urljoin and other parsers strip or reinterpret these: what is checked would not be what is dialled.
    if any(char == "\\" or char.isspace() or not char.isprintable() for char in text):
        raise Refused("the address holds a backslash, white space or a control character")


def _parsed(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx2.InvalidURL, ValueError):
        # `from None`: the library's message quotes the URL, and a query may hold a token.
        raise Refused("the host of the address cannot be read") from None
    if _HOST.fullmatch(host) is None or not 0 < origin(url).port < 65536:
        raise Refused("the host or port of the address cannot be read")
    return url
