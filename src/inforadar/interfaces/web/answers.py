"""What every route needs: the parts of this process, and JSON answers."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from fastapi import Depends, HTTPException, Request
from starlette.responses import Response

from inforadar.bootstrap import App
from inforadar.service.meter import Meter
from inforadar.service.triage import Triage

WHO = "api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the routes work with."""

    app: App
    meter: Meter
    triage: Triage


class Json(Response):
    """A JSON answer, written by the encoder that `--json` uses; its shape is documented by `response_model`."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        return msgspec.json.encode(content)


async def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


Radar = Annotated[Parts, Depends(_parts)]


WHERE_TO_LOOK = {
    "match": "GET /api/items lists matches; `id` is the id of one.",
    "vacancy": "GET /api/items lists matches; `item_id` is the id of the vacancy of one.",
    "job": "GET /api/jobs lists jobs; `id` is the id of one.",
    "act": "GET /api/acts lists acts; `id` is the id of one.",
    "watch": "GET /api/queries names the watches.",
}


class Nowhere(HTTPException):
    """There is no such thing; `remedy` says where to look for those that are there."""

    def __init__(self, what: str) -> None:
        super().__init__(404, f"There is no {what}.")
        self.remedy = WHERE_TO_LOOK.get(what.partition(" ")[0])


def nowhere(what: str) -> Nowhere:
    """There is no such thing."""
    return Nowhere(what)
