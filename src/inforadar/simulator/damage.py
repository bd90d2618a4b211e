"""What each fault makes of an answer: a refusal, a foreign page, a spoiled body or a broken delivery."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache

from inforadar.simulator import hh, linkedin_html
from inforadar.simulator.faults import Fault
from inforadar.simulator.wire import Request, Response, html_response, json_response

SILENCE_S = 30.0
SLOW_BODY_S = 2.0
MEGABYTE = 1 << 20
BLOCKED_PAGE = "<!DOCTYPE html><html><head><title>403 Forbidden</title></head><body>Access denied</body></html>"
GUARD_PAGE = """<!DOCTYPE html><html><head><title>DDoS-Guard</title></head>
<body><h1 data-translate="title">Checking your browser before accessing</h1></body></html>"""
OUTAGE_PAGE = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>nginx</body></html>"
PORTAL_PAGE = """<!DOCTYPE html><html><head><title>Free Wi-Fi</title></head>
<body><form action="/accept"><button>Accept the terms and connect</button></form></body></html>"""
CHANGED_PAGE = """<!DOCTYPE html><html><body><section class="results-v9"><div class="tile" data-key="1">
<a class="tile__name" href="/x/1">Everything is named differently now</a></div></section></body></html>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """A fault meeting a request: the answer it spoils, the list answered before it, and the world's time."""

    fault: Fault
    request: Request
    answer: Response
    previous: Response | None
    now: datetime


def strike(blow: Blow) -> Response:
    """The answer after the fault; faults that the site itself draws (an empty page) leave it as it is."""
    spoil = SPOILS.get(blow.fault.kind)
    return spoil(blow) if spoil else blow.answer


def _rate_limited(blow: Blow) -> Response:
    seconds = blow.fault.seconds
    if seconds is None:
        return Response(status=429)
    until = format_datetime(blow.now + timedelta(seconds=seconds), usegmt=True)
    return Response(status=429, headers=(("Retry-After", until if blow.fault.as_date else str(int(seconds))),))


def _forbidden(blow: Blow) -> Response:
    if blow.request.source == "hh":
        return hh.error(blow.request, 403, [{"type": "forbidden"}])
    return html_response(BLOCKED_PAGE, 403)


def _captcha(blow: Blow) -> Response:
    if blow.request.source != "hh":
        return html_response(GUARD_PAGE, 403)
    url = f"https://hh.ru/account/captcha?state={blow.request.number}"
    captcha = {"type": "captcha_required", "value": "captcha_required", "captcha_url": url, "fallback_url": url}
    return hh.error(blow.request, 403, [captcha])


def _oauth(blow: Blow) -> Response:
    return hh.error(blow.request, 403, [{"value": blow.fault.value, "type": "oauth"}], description="Forbidden")


def _ddos_guard(_: Blow) -> Response:
    return html_response(GUARD_PAGE, 403, (("Server", "ddos-guard"),))


def _authwall(_: Blow) -> Response:
    return html_response(linkedin_html.AUTHWALL)


def _authwall_redirect(blow: Blow) -> Response:
    target = f"/{blow.request.source}/authwall?trk=qf&original_referer=&sessionRedirect=jobs"
    return html_response("", 302, (("Location", target),))


def _captive_portal(_: Blow) -> Response:
    return html_response(PORTAL_PAGE)


def _server_error(blow: Blow) -> Response:
    return html_response(OUTAGE_PAGE.format(blow.fault.status), blow.fault.status)


def _timeout(blow: Blow) -> Response:
    return replace(blow.answer, delivery="hang", seconds=blow.fault.seconds or SILENCE_S)


def _slow_body(blow: Blow) -> Response:
    return replace(blow.answer, delivery="slow", seconds=blow.fault.seconds or SLOW_BODY_S)


def _slow_start(blow: Blow) -> Response:
    return replace(blow.answer, delivery="late", seconds=blow.fault.seconds or SLOW_BODY_S)


def _empty_body(blow: Blow) -> Response:
    return replace(blow.answer, status=200, body=b"")


def _cut_body(blow: Blow) -> Response:
    return replace(blow.answer, delivery="cut")


def _reset(blow: Blow) -> Response:
    return replace(blow.answer, delivery="reset")


def _unreadable_page(blow: Blow) -> Response:
    if blow.answer.body.startswith(b"{"):
        return json_response({"meta": {"version": 9}, "payload": {"rows": [{"key": 1}]}})
    return html_response(CHANGED_PAGE)


def _repeated_page(blow: Blow) -> Response:
    return blow.previous or blow.answer


def _wrong_encoding(blow: Blow) -> Response:
    """The body in cp1251 while its header still says UTF-8."""
    return replace(blow.answer, body=blow.answer.body.decode().encode("cp1251", errors="replace"))


def _gzip_bomb(blow: Blow) -> Response:
    packed = _bomb(blow.fault.size_mb)
    return replace(blow.answer, status=200, body=packed, is_packed=True)


@lru_cache(maxsize=2)
def _bomb(size_mb: int) -> bytes:
    """One gzip stream that unpacks to so many megabytes of blanks."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blanks = b" " * MEGABYTE
    return b"".join(packer.compress(blanks) for _ in range(size_mb)) + packer.flush()


SPOILS: dict[str, Callable[[Blow], Response]] = {
    "rate_limited": _rate_limited,
    "forbidden": _forbidden,
    "captcha": _captcha,
    "oauth": _oauth,
    "ddos_guard": _ddos_guard,
    "authwall": _authwall,
    "authwall_redirect": _authwall_redirect,
    "captive_portal": _captive_portal,
    "server_error": _server_error,
    "timeout": _timeout,
    "slow_start": _slow_start,
    "slow_body": _slow_body,
    "cut_body": _cut_body,
    "empty_body": _empty_body,
    "reset": _reset,
    "reply_lost": _reset,
    "unreadable_page": _unreadable_page,
    "repeated_page": _repeated_page,
    "wrong_encoding": _wrong_encoding,
    "gzip_bomb": _gzip_bomb,
}
