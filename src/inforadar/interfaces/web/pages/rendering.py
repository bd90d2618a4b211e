"""How a page is made: its templates, the words they use, and the headers that keep foreign text from doing anything.

Every template escapes every value. No value is ever marked as safe, and no link leads anywhere but to http and https.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from inforadar.domain.status import status_words
from inforadar.interfaces.cli.wording import ago, counted, span
from inforadar.interfaces.web.pages.forms import own_path
from inforadar.interfaces.web.sessions import Visitor, cookie_header
from inforadar.observe.printable import printable
from inforadar.sinks.card_words import age_words, safe_link

STATIC = {
    "radar.css": "text/css; charset=utf-8",
    "radar.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
CSP = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
LINES = "\n"
MOST_DEEP = 3


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of our own that pages load."""

    body: bytes
    media_type: str
    digest: str


@cache
def asset(name: str) -> Asset:
    """One of our own files."""
    body = (files("inforadar.interfaces.web") / "static" / name).read_bytes()
    return Asset(body, STATIC[name], hashlib.sha256(body).hexdigest()[:16])


def page(
    request: Request,
    template: str,
    *,
    now: datetime,
    http_status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """A template with these values, as the answer to a request; a visitor without a secret gets one."""
    visitor: Visitor = request.scope["visitor"]
    nonce = secrets.token_urlsafe(16)
    body = (
        environment()
        .get_template(template)
        .render(
            **values,
            now=now,
            nonce=nonce,
            proof=visitor.proof,
            has_session=visitor.is_signed_in,
            path=request.url.path,
            here=here(request),
        )
    )
    response = Response(body, http_status, dict(headers or {}), "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = CSP.format(nonce=nonce)
    # without any referrer a browser calls the origin of our own forms null
    response.headers["Referrer-Policy"] = "same-origin"
    # not no-store: the browser may show the same page again when somebody goes back
    response.headers["Cache-Control"] = "private, no-cache"
    if visitor.is_new:
        response.headers.append("Set-Cookie", cookie_header(request.headers.get("host", ""), visitor))
    return response


def here(request: Request) -> str:
    """The address of the page with its filters and its place, for the forms that lead back to it."""
    kept = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "done"])
    return quote(request.url.path) + (f"?{kept}" if kept else "")


@cache
def environment() -> Environment:
    """The templates; autoescape is on for all of them, and a misspelt name is an error."""
    made = Environment(
        loader=PackageLoader("inforadar.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        # a newer version installed under a running server brings templates that the code in memory does not know
        auto_reload=False,
    )
    made.filters.update(
        ago=_ago,
        age=_age,
        moment=_moment,
        link=_link,
        counted=counted,
        span=span,
        words=_words,
        number=_number,
        plain=plain,
        own=own_path,
    )
    made.globals["asset_url"] = asset_url
    made.globals["asset_text"] = _asset_text
    return made


def asset_url(name: str) -> str:
    """Where one of our files is; another address whenever it changes."""
    return f"/static/{asset(name).digest}/{name}"


def plain(value: Any, deep: int = 0) -> str:
    """A value of an item or of a query in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping) and deep < MOST_DEEP:
        return ", ".join(f"{name}: {plain(part, deep + 1)}" for name, part in value.items() if part is not None)
    if isinstance(value, list) and deep < MOST_DEEP:
        return ", ".join(plain(part, deep + 1) for part in value)
    return "" if value is None else str(value)


def _asset_text(name: str) -> Markup:
    """Our own style sheet, for the one page that may load nothing."""
    return Markup(asset(name).body.decode())


def _shown(value: Any) -> Any:
    """Any text without the characters that would turn the reading order or hide; None is nothing."""
    if value is None:
        return ""
    return printable(value, LINES) if isinstance(value, str) and not isinstance(value, Markup) else value


@pass_context
def _ago(context: Context, at: datetime | None) -> str:
    return ago(at, context["now"])


@pass_context
def _age(context: Context, at: datetime) -> str:
    return age_words(at, context["now"])


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else ""


def _link(url: str | None) -> str | None:
    """The address if it is one of http or https, else None: nothing may be clicked."""
    return safe_link(url) if url else None


def _words(status: str) -> str:
    """A status of anything, or the name of a field, as people say it."""
    return status_words(status).replace("_", " ").lower()


def _number(value: int) -> str:
    return f"{value:,}"
