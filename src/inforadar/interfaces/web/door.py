"""The outermost frame of the server: turns visitors away, puts the safety headers on every answer, tells the log.

It stands outside of the framework, so that no route, no error and no unknown path can get around it.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from anyio import to_thread
from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.domain.errors import StoreError
from inforadar.domain.ports import Clock
from inforadar.interfaces.web.attempts import Attempts, asking_address
from inforadar.interfaces.web.guard import LARGEST_BODY, Guard, Refusal, Visit, too_large, too_many
from inforadar.interfaces.web.problems import problem_response, without_store
from inforadar.interfaces.web.sessions import Sessions, may_use_session
from inforadar.observe.log import get_log

# A page may set its own policy; whoever sets nothing gets the strictest.
HEADERS: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

log = get_log("web")


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Everything that is asked of `inner` comes through here.

    `greet` answers a person who has not shown the token: with the form that asks for it, which is sent to `sign_in`.
    `apologize` answers a person whose session cannot be looked up, because the database does not answer.
    `proxies`: the addresses of proxies whose word on who asks is taken.
    """

    inner: ASGIApp
    guard: Guard
    clock: Clock
    sessions: Sessions
    attempts: Attempts
    greet: Callable[[Request], Response | None]
    apologize: Callable[[Request], Response | None]
    sign_in: str
    proxies: tuple[str, ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the life of the server itself."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        await self._serve(scope, receive, _Answer(scope, send, self.clock))

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        visit = Visit(method=scope["method"], path=scope["path"], headers=scope["headers"])
        peer = scope["client"][0] if scope.get("client") else ""
        scope["address"] = asking_address(peer, visit.all(b"x-forwarded-for"), self.proxies)
        try:
            scope["visitor"] = await to_thread.run_sync(self.sessions.visitor, visit)
        except StoreError as error:
            told = without_store(error)
            await (self.apologize(Request(scope)) or told)(scope, receive, answer.send)
            return
        if refusal := self._refusal(scope, visit):
            await self._turn_away(refusal, scope)(scope, receive, answer.send)
            return
        # the framework raises on what `problems` has answered and told the log
        with suppress(Exception):
            await self.inner(scope, partial(_receive_bounded, receive, {"bytes": 0}), answer.send)

    def _refusal(self, scope: Scope, visit: Visit) -> Refusal | None:
        """Why this visit may not come in; wrong tokens count with the tries to sign in."""
        is_let_in = self._is_let_in(scope, visit)
        refusal = self.guard.refusal(visit, is_signed_in=is_let_in)
        if is_let_in or not self.guard.is_tried(visit):
            return refusal
        if wait_s := self.attempts.left_s(scope["address"]):
            return too_many(wait_s)
        if refusal and refusal.status == 401:
            self.attempts.wait_s(scope["address"])
            log.warning("somebody sent a request with a wrong token")
        return refusal

    def _is_let_in(self, scope: Scope, visit: Visit) -> bool:
        if visit.path == self.sign_in:
            return True
        return bool(scope["visitor"].is_signed_in) and may_use_session(visit)

    def _turn_away(self, refusal: Refusal, scope: Scope) -> Response:
        greeting = self.greet(Request(scope)) if refusal.status == 401 else None
        return greeting or problem_response(refusal.status, refusal.detail, dict(refusal.headers))


class _Answer:
    """Sends an answer on with the safety headers, and tells the log when it begins."""

    def __init__(self, scope: Scope, send: Send, clock: Clock) -> None:
        self._scope, self._send, self._clock = scope, send, clock
        self._asked = clock.mono()

    async def send(self, message: Message) -> None:
        """Pass one part of the answer on."""
        if message["type"] == "http.response.start":
            self._tell(message["status"])
            present = {name.lower() for name, _ in message.get("headers", ())}
            missing = [(name, value) for name, value in HEADERS.items() if name not in present]
            message = {**message, "headers": [*message.get("headers", ()), *missing]}
        await self._send(message)

    def _tell(self, status: int) -> None:
        took_ms = round((self._clock.mono() - self._asked) * 1000, 1)
        # without the query, in which somebody may have put a token
        log.debug("request", method=self._scope["method"], path=self._scope["path"], status=status, took_ms=took_ms)


async def _receive_bounded(receive: Receive, read: dict[str, int]) -> Any:
    """The next part of a body; one that goes on above the limit, without having said so, is not read to its end."""
    message = await receive()
    read["bytes"] += len(message.get("body", b""))
    if read["bytes"] > LARGEST_BODY:
        refusal = too_large()
        raise HTTPException(refusal.status, refusal.detail)
    return message
