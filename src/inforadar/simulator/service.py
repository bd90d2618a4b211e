"""What every service of the local internet has in common: how it is called, and what goes wrong on the way to it.

A call may change something, so it matters when a fault strikes: before the call was heard, or after it was done.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from inforadar.simulator.damage import OUTAGE_PAGE, PORTAL_PAGE, SILENCE_S, SLOW_BODY_S
from inforadar.simulator.faults import Fault
from inforadar.simulator.rules import Rules
from inforadar.simulator.wire import Call, Response, html_response


class Service(Protocol):
    """A service: names the method a path means, and answers a call."""

    def method_of(self, path: str) -> str:
        """The method a path asks for, as faults name it."""
        ...

    def answer(self, call: Call, rules: Rules, fault: Fault | None) -> Response:
        """Do what the call asks for and answer it; the fault, if any, meets it."""
        ...

    def close(self) -> None:
        """End every wait."""
        ...


def met_before(fault: Fault | None) -> Response | None:
    """What the caller sees of a fault that strikes before the call is heard; nothing changes then."""
    meet = BEFORE.get(fault.kind) if fault else None
    return meet(fault) if meet and fault else None


def met_after(fault: Fault | None, answer: Response) -> Response:
    """What the caller gets of the answer when the fault strikes after the call was done."""
    meet = AFTER.get(fault.kind) if fault else None
    return meet(fault, answer) if meet and fault else answer


def is_answer_lost(fault: Fault | None) -> bool:
    """Whether the caller cannot know what became of a call that was done."""
    return fault is not None and fault.kind in ("reply_lost", "cut_body", "empty_body")


def _reset(_: Fault) -> Response:
    return Response(delivery="reset")


def _timeout(fault: Fault) -> Response:
    return Response(delivery="hang", seconds=fault.seconds or SILENCE_S)


def _server_error(fault: Fault) -> Response:
    return html_response(OUTAGE_PAGE.format(fault.status), fault.status)


def _captive_portal(_: Fault) -> Response:
    return html_response(PORTAL_PAGE)


def _slow_start(fault: Fault, answer: Response) -> Response:
    return replace(answer, delivery="late", seconds=fault.seconds or SLOW_BODY_S)


def _slow_body(fault: Fault, answer: Response) -> Response:
    seconds = fault.seconds or SLOW_BODY_S
    return replace(answer, delivery="stream" if answer.delivery == "stream" else "slow", seconds=seconds)


def _cut_body(_: Fault, answer: Response) -> Response:
    return replace(answer, delivery="cut")


def _empty_body(_: Fault, answer: Response) -> Response:
    return replace(answer, delivery="whole", status=200, body=b"")


def _reply_lost(fault: Fault, answer: Response) -> Response:
    """The connection breaks, or falls silent for the fault's seconds, instead of an answer."""
    if fault.seconds:
        return replace(answer, delivery="hang", seconds=fault.seconds)
    return replace(answer, delivery="reset")


BEFORE: Mapping[str, Callable[[Fault], Response]] = {
    "reset": _reset,
    "timeout": _timeout,
    "server_error": _server_error,
    "captive_portal": _captive_portal,
}
AFTER: Mapping[str, Callable[[Fault, Response], Response]] = {
    "slow_start": _slow_start,
    "slow_body": _slow_body,
    "cut_body": _cut_body,
    "empty_body": _empty_body,
    "reply_lost": _reply_lost,
}
