"""Errors as RFC 9457 problem documents: how they look, which exceptions become which, how they are documented."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from inforadar.domain.errors import StoreError
from inforadar.interfaces.web.pages.errors import error_page, wants_page
from inforadar.observe.log import get_log

MEDIA_TYPE = "application/problem+json"
MOST_MISTAKES = 20
LONGEST_WHERE = 80

MEANINGS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "The request comes from a page of another site",
    404: "There is no such thing",
    409: "It is not in a state that allows this",
    413: "The body is too large",
    415: "The body is not declared as JSON",
    421: "The Host header names another server",
    422: "A parameter or the body is not what is documented",
    429: "Too many wrong tokens came from this address",
    500: "An error nobody foresaw; the log says more",
    503: "The database does not answer",
}
# What to do about it, where the detail does not say so itself.
REMEDIES = {
    400: "Send a body of valid JSON, as /openapi.json documents it.",
    404: "/openapi.json lists every address, /api/items every match.",
    405: "/openapi.json lists every address with the methods it takes.",
    409: "Read it again, and decide on how it stands now.",
    413: "Send less at once: up to 1,000 ids fit.",
    422: "Change what `errors` names; /openapi.json says what each parameter takes.",
    500: "Try again; if it stays so, the log of this server says more.",
    503: "Try again in some seconds; `radar doctor` says what is wrong with the database.",
}
# What the framework says, in words that help.
FRAMEWORKS_WORDS = {
    "Not Found": "There is nothing at this address; /openapi.json lists what there is.",
    "Method Not Allowed": "This address does not take that method; the Allow header names those it takes.",
    "There was an error parsing the body": "The body is not JSON.",
}
NO_STORE = "The database does not answer; try again."
UNFORESEEN = "Something went wrong that nobody foresaw; the log says what."
EVERYWHERE = (401, 403, 421, 429, 500, 503)
ON_CHANGES = (413, 415)

log = get_log("web")


class Mistake(BaseModel):
    """One thing wrong with a request."""

    where: str
    problem: str


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(examples=["about:blank"])
    title: str
    status: int
    detail: str
    remedy: str | None = Field(default=None, description="What to do about it, where the detail does not say so.")
    errors: list[Mistake] = Field(default=[], description="Every mistake of a request that is not as documented.")


def problem(status: int, detail: str, **more: Any) -> bytes:
    """The body of a problem document."""
    title = HTTPStatus(status).phrase
    told = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    remedy = more.pop("remedy", None) or REMEDIES.get(status)
    return msgspec.json.encode(told | ({"remedy": remedy} if remedy else {}) | more)


def problem_response(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """An answer that is a problem document."""
    return Response(problem(status, detail, **more), status, dict(headers or {}), MEDIA_TYPE)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How these answers stand in the OpenAPI document."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": MEANINGS[status], "content": content} for status in statuses}


def schemas() -> dict[str, Any]:
    """The schemas the documented answers refer to."""
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "Problem": schema}


def answer_errors(api: FastAPI) -> None:
    """Let every error leave as a problem document, or as a page where a person asks for one."""
    api.add_exception_handler(HTTPException, _http)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(StoreError, _without_store)
    api.add_exception_handler(ClientDisconnect, _left)
    api.add_exception_handler(Exception, _unforeseen)


def without_store(error: StoreError) -> Response:
    """What is said while the database does not answer."""
    log.warning("the database does not answer", error=str(error))
    return problem_response(503, NO_STORE, {"Retry-After": "5"})


def no_store_page(request: Request) -> Response:
    """The same for a person, with what to do about it."""
    return error_page(request, 503, f"The database does not answer. {REMEDIES[503]}")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = FRAMEWORKS_WORDS.get(error.detail, error.detail)
    if wants_page(request):
        return error_page(request, error.status_code, detail)
    return problem_response(error.status_code, detail, error.headers, remedy=getattr(error, "remedy", None))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    mistakes = [_mistake(one) for one in error.errors()[:MOST_MISTAKES]]
    detail = "; ".join(f"{one['where']}: {one['problem']}" for one in mistakes[:3])
    if wants_page(request):
        return error_page(request, 422, detail)
    return problem_response(422, detail, errors=mistakes)


async def _without_store(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)
    answer = without_store(error)
    return no_store_page(request) if wants_page(request) else answer


async def _left(request: Request, _error: Exception) -> Response:
    """Nobody is there to read the answer."""
    log.info("a visitor left in the middle of a request", method=request.method, path=request.url.path)
    return Response(status_code=400)


async def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("an error nobody foresaw", method=request.method, path=request.url.path, exc_info=error)
    return error_page(request, 500, UNFORESEEN) if wants_page(request) else problem_response(500, UNFORESEEN)


def _mistake(error: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong and where, without the value: it may be long, half a character, or a secret."""
    return {"where": _where(error["loc"]), "problem": str(error["msg"])}


def _where(place: Sequence[Any]) -> str:
    text = ".".join(map(str, place))
    return text.encode("utf-8", "replace").decode()[:LONGEST_WHERE]
