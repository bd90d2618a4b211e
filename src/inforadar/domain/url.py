"""The address of an article as its key: one form for every way of writing the same address.

    scheme and host     lower case, the host in ASCII, without its final dot; user and password dropped
    port                dropped where it is the scheme's own
    path                dot segments resolved, no final slash but for the root itself
    percent-encoding    upper case, only where it is needed
    query               tracking parameters dropped, the others by name (several of one name keep their order)
    fragment            dropped

The key is for comparing; the address to open is the one the source gave.
"""

import re
from urllib.parse import SplitResult, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
TRACKING_PREFIXES = ("utm_",)
TRACKING_NAMES = frozenset((
    "_ga", "_gl", "_hsenc", "_hsmi", "_openstat", "dclid", "fbclid", "gbraid", "gclid", "igshid", "mc_cid", "mc_eid",
    "mkt_tok", "msclkid", "twclid", "wbraid", "yclid", "ysclid",
))  # fmt: skip

_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_SAFE = _UNRESERVED | frozenset("!$&'()*+,;=:@/%")
_QUERY_SAFE = _PATH_SAFE | frozenset("?")


def normalise_url(url: str) -> str:
    """The one form of an address; what is no http(s) address comes back with its edges trimmed."""
    trimmed = url.strip()
    try:
        parts = urlsplit(trimmed)
        port = parts.port
    except ValueError:
        return trimmed
    host = _host(parts.hostname or "")
    if parts.scheme not in DEFAULT_PORTS or not host:
        return trimmed
    place = host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{_path(parts)}{_query(parts)}"


def is_tracking(name: str) -> bool:
    """Whether a query parameter only says where a reader came from."""
    lowered = name.lower()
    return lowered.startswith(TRACKING_PREFIXES) or lowered in TRACKING_NAMES


def _host(host: str) -> str:
    lowered = host.lower().rstrip(".")
    if ":" in lowered:
        return f"[{lowered}]"
    try:
        return lowered.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


def _path(parts: SplitResult) -> str:
    segments: list[str] = []
    for segment in _encoded(parts.path, _PATH_SAFE).split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    path = "/".join(segments).strip("/")
    return f"/{path}"


def _query(parts: SplitResult) -> str:
    pairs = [pair for pair in _encoded(parts.query, _QUERY_SAFE).split("&") if pair]
    kept = sorted((pair for pair in pairs if not is_tracking(_name(pair))), key=_name)
    return "?" + "&".join(kept) if kept else ""


def _name(pair: str) -> str:
    return pair.split("=", 1)[0]


def _encoded(text: str, safe: frozenset[str]) -> str:
    """Percent-encoding in its one form: decoded where it says nothing, upper case elsewhere."""
    return "".join(_encoded_piece(piece, safe) for piece in re.split(r"(%[0-9a-fA-F]{2})", text))


def _encoded_piece(piece: str, safe: frozenset[str]) -> str:
    if _ESCAPE.fullmatch(piece):
        char = chr(int(piece[1:], 16))
        return char if char in _UNRESERVED else piece.upper()
    # A percent sign that begins no escape is itself a character to encode.
    return "".join(char if char in safe and char != "%" else _percent(char) for char in piece)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
