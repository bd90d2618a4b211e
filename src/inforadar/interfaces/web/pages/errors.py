"""Errors as pages, for people; programs get problem documents."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from inforadar.interfaces.web.pages.forms import sent_from
from inforadar.interfaces.web.pages.rendering import page

NOT_PAGES = ("/api/", "/feeds/", "/static/", "/metrics", "/healthz", "/openapi.json", "/events")
# Said of addresses to programs; people get words of their own.
ADVICE = {404: "The page may have moved, or what it showed is gone.", 405: "This address shows no page."}


def wants_page(request: Request) -> bool:
    """Whether a person asks: a browser that goes somewhere says that it takes HTML."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(NOT_PAGES)


def error_page(request: Request, status: int, detail: str) -> Response:
    """What went wrong, and the way on."""
    words = ADVICE.get(status, detail) if "/openapi.json" in detail or status == 405 else detail
    title = HTTPStatus(status).phrase
    now = request.app.state.parts.app.clock.now()
    back = sent_from(request) if request.method == "POST" else "/"
    return page(request, "error.html", now=now, http_status=status, code=status, title=title, detail=words, back=back)
