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


def nowhere(what: str) -> HTTPException:
    """There is no such thing."""
    return HTTPException(404, f"There is no {what}.")
