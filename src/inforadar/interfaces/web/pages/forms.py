"""Forms of our pages: read with bounds, taken only with the proof that they are ours, answered by going back."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.responses import Response

from inforadar.interfaces.web.sessions import Visitor

MOST_FIELDS = 2000
FORM = "application/x-www-form-urlencoded"
PROOF = "proof"
NOT_OURS = "This form is not one of ours, or it is too old: go back, load the page again, and repeat it."


class Form:
    """The fields of a form, each of which may come more than once."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = fields

    def one(self, name: str) -> str:
        """The first value of a field, empty where it is absent."""
        return (self._fields.get(name) or [""])[0]

    def all(self, name: str) -> list[str]:
        """Every value of a field."""
        return self._fields.get(name, [])


async def read_form(request: Request) -> Form:
    """The fields of a form, whoever sent it; raises HTTPException for what is none."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise HTTPException(415, f"The body must be a form: Content-Type: {FORM}.")
    body = await request.body()
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "The body is not a form.") from error
    return Form(fields)


async def _own_form(request: Request) -> Form:
    visitor: Visitor = request.scope["visitor"]
    form = await read_form(request)
    if not visitor.has_proof(form.one(PROOF)):
        raise HTTPException(403, NOT_OURS)
    return form


Sent = Annotated[Form, Depends(read_form)]
OwnForm = Annotated[Form, Depends(_own_form)]


def go_to(path: str, **headers: str) -> Response:
    """An answer that leads to another page of ours."""
    return Response(status_code=303, headers={"Location": path, **headers})


def own_path(text: str) -> str:
    """The text if it is the path of a page of ours, else the first page: nobody is led to another site."""
    if not text.startswith("/") or text[1:2] in ("/", "\\") or not text.isprintable() or "\\" in text:
        return "/"
    parts = urlsplit(text)
    return "/" if parts.scheme or parts.netloc or not text.isascii() else text


def sent_from(request: Request) -> str:
    """The page of ours that a form was sent from, as the browser tells it; the first page where it tells nothing."""
    try:
        parts = urlsplit(request.headers.get("referer", ""))
    except ValueError:  # whoever asks may write anything
        return "/"
    return own_path(quote(parts.path, safe="/%") + (f"?{parts.query}" if parts.query else ""))


def wants_json(request: Request) -> bool:
    """Whether our script asks, which goes on without another page."""
    return request.headers.get("accept", "") == "application/json"
