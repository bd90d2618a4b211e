"""Joins the routes to one application behind one door; pages go in beside the API."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import Any

from anyio import to_thread
from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPBearer
from starlette.requests import Request
from starlette.responses import Response

from inforadar.config.model import WebSettings
from inforadar.interfaces.web import feeds, items, status, triage, why, work
from inforadar.interfaces.web.answers import Parts
from inforadar.interfaces.web.attempts import Attempts
from inforadar.interfaces.web.door import Door
from inforadar.interfaces.web.guard import guard_of
from inforadar.interfaces.web.pages.errors import wants_page
from inforadar.interfaces.web.pages.routes import PAGES
from inforadar.interfaces.web.pages.signing_in import SIGN_IN, asked_path, sign_in_page
from inforadar.interfaces.web.problems import EVERYWHERE, answer_errors, documented, no_store_page, schemas
from inforadar.interfaces.web.sessions import Sessions, Visitor

# Each thread that answers has a connection of its own to the database.
MOST_THREADS = 8
ABOUT = (
    "Matches and their triage, jobs, runs, sources and queries of Info Radar. Errors are problem documents (RFC 9457)."
)


def create_web(parts: Parts, settings: WebSettings) -> Door:
    """The application, guarded as the settings say."""
    bearer = HTTPBearer(auto_error=False, description="The token of the [web] table.")
    api = FastAPI(
        title="Info Radar",
        description=ABOUT,
        version=version("inforadar"),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_few_threads,
        responses=documented(*EVERYWHERE),
        dependencies=[Depends(bearer)] if settings.token else [],
    )
    guard, app = guard_of(settings), parts.app
    sessions = Sessions(app.database, app.clock, token=guard.token)
    api.state.parts, api.state.guard, api.state.sessions = parts, guard, sessions
    attempts = Attempts(app.clock)
    api.state.attempts, api.state.listeners = attempts, set()
    answer_errors(api)
    # triage first: its /api/items/mark is no id of a match
    for router in (triage.router, items.router, why.router, work.router, status.router, feeds.router, *PAGES):
        api.include_router(router)
    api.openapi = partial(_document, api)  # type: ignore[method-assign]  # FastAPI's own way to complete the document
    return Door(
        inner=api,
        guard=guard,
        clock=app.clock,
        sessions=sessions,
        attempts=attempts,
        greet=partial(_greet, api),
        apologize=partial(_apologize, api),
        sign_in=SIGN_IN,
        proxies=settings.trusted_proxies,
    )


def _greet(api: FastAPI, request: Request) -> Response | None:
    """The form that asks for the token, where a person wants a page."""
    if request.method not in ("GET", "POST") or not wants_page(request):
        return None
    request.scope["app"] = api
    return sign_in_page(request, api.state.parts, back=asked_path(request))


def _apologize(api: FastAPI, request: Request) -> Response | None:
    """That the database does not answer, where a person wants a page and nobody can say who it is."""
    if not wants_page(request):
        return None
    request.scope.update(app=api, visitor=Visitor(secret=secrets.token_urlsafe(32), is_new=False))
    return no_store_page(request)


@asynccontextmanager
async def _few_threads(_api: FastAPI) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = MOST_THREADS
    yield


def _document(api: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if api.openapi_schema is None:
        document = get_openapi(
            title=api.title, version=api.version, description=api.description, routes=api.routes, tags=api.openapi_tags
        )
        document.setdefault("components", {}).setdefault("schemas", {}).update(schemas())
        api.openapi_schema = document
    return api.openapi_schema
