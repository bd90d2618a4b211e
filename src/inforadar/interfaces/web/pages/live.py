"""`/events`: what moves while a page is open, as server-sent events.

An event is named by the change of a status up to which everything was told: a browser that comes back says which one it
heard last, to this server or to the next one, and is told everything since; to tell a page twice does no harm.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

import msgspec
from anyio import sleep, to_thread
from fastapi import APIRouter, Header, HTTPException, Query, Request
from starlette.responses import StreamingResponse

from inforadar.interfaces.web.answers import Parts, Radar
from inforadar.interfaces.web.asked import LARGEST_ID
from inforadar.interfaces.web.pages.places import told_place
from inforadar.interfaces.web.sessions import Sessions, Visitor
from inforadar.store import inbox, moves
from inforadar.store.database import Tx
from inforadar.store.moves import Heard

POLL_S = 1.0
SILENCE_POLLS = 15
MOST_TOLD = 500
MOST_LISTENERS = 40

router = APIRouter(include_in_schema=False)

LastHeard = Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)]
Since = Annotated[int | None, Query(ge=0, le=LARGEST_ID)]


@router.get("/events")
async def tell(request: Request, radar: Radar, since: Since = None, heard: LastHeard = None) -> StreamingResponse:
    """The stream of what moves; `since` is what the page knew when it was made."""
    listeners: set[object] = request.app.state.listeners
    if len(listeners) >= MOST_LISTENERS:
        raise HTTPException(503, "Too many pages are open; this one does not update by itself.", {"Retry-After": "60"})
    after = int(heard) if heard and heard.isascii() and heard.isdigit() else since
    stream = _Stream(radar, request.app.state.sessions, request.scope["visitor"], after)
    return StreamingResponse(
        _counted(listeners, stream), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _counted(listeners: set[object], stream: "_Stream") -> AsyncIterator[bytes]:
    listeners.add(stream)
    try:
        async for part in stream.parts():
            yield part
    finally:
        listeners.discard(stream)


class _Stream:
    """What one open page is told."""

    def __init__(self, radar: Parts, sessions: Sessions, visitor: Visitor, after: int | None) -> None:
        self._radar, self._sessions, self._visitor = radar, sessions, visitor
        self._heard = None if after is None else Heard(newest=after)

    async def parts(self) -> AsyncIterator[bytes]:
        """Parts of the stream until the page is closed, the server ends or the visitor has signed out."""
        yield b"retry: 1000\n\n"
        silent = 0
        while not self._radar.app.stop.is_set():
            told = await to_thread.run_sync(self.once)
            if told is None:
                return
            silent = 0 if told else silent + 1
            if told or silent % SILENCE_POLLS == 0:
                yield told or b": still here\n\n"
            await sleep(POLL_S)

    def once(self) -> bytes | None:
        """What moved since the last look, empty = nothing; None = the visitor may not listen any more."""
        now = self._radar.app.clock.now()
        with self._radar.app.database.reading() as tx:
            if self._visitor.is_signed_in and not self._sessions.is_live(tx, self._visitor.secret):
                return None
            return self._look(tx, now)

    def _look(self, tx: Tx, now: datetime) -> bytes:
        if self._heard is None or self._heard.newest > inbox.last_event(tx):  # of another store, or of one put back
            self._heard = Heard(newest=moves.settled(tx, now))
            return _event(self._heard.settled, {"matches": []})
        self._heard, places = moves.hear(tx, self._heard, now, limit=MOST_TOLD)
        if not places:
            return b""
        return _event(self._heard.settled, {"matches": [told_place(one, now) for one in places]})


def _event(event_id: int, value: dict[str, Any]) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (event_id, msgspec.json.encode(value))
