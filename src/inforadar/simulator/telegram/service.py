"""The Bot API as a whole: tokens, methods, faults and the form of its answers."""

import json
import re
import threading
from collections.abc import Callable

from inforadar.simulator.faults import Fault
from inforadar.simulator.rules import Rules
from inforadar.simulator.service import is_answer_lost, met_after, met_before
from inforadar.simulator.telegram.arguments import Arguments, read_arguments
from inforadar.simulator.telegram.chats import Json, User
from inforadar.simulator.telegram.methods import METHODS, Desk, Told
from inforadar.simulator.telegram.office import Office
from inforadar.simulator.telegram.people import People
from inforadar.simulator.telegram.polling import Updates
from inforadar.simulator.telegram.problems import OLD_QUERY, REFUSALS, ApiError, bad_request, too_many
from inforadar.simulator.wire import Call, Header, Response
from inforadar.simulator.world import World

PATH = re.compile(r"^/bot(?P<token>[^/]*)/(?P<method>[^/]*)/?$")
TOKEN = re.compile(r"^([1-9]\d{0,15}):[\w-]{1,64}$")
RETRY_S = 5


class Telegram(People):
    """The Bot API over one bot's office, and the people behind it."""

    def __init__(
        self,
        world: World,
        condition: threading.Condition,
        *,
        passed_s: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self.office = Office(passed_s)
        self.updates = Updates(condition, monotonic)
        super().__init__(world, self.office, self.updates, condition)

    def method_of(self, path: str) -> str:
        """The method a path names, lower-case."""
        called = PATH.match(path)
        return called["method"].lower() if called else ""

    def answer(self, call: Call, rules: Rules, fault: Fault | None) -> Response:
        """What the Bot API answers to one call."""
        refused = met_before(fault)
        if refused:
            return refused
        try:
            bot = _bot(call.path, rules)
            arguments = read_arguments(call)
            _meet(fault, arguments)
            result = self._perform(call, rules, bot, arguments, is_lost=is_answer_lost(fault))
        except ApiError as error:
            return met_after(fault, _error(error))
        if result is None:
            return Response(delivery="reset")
        return met_after(fault, _success(result))

    def close(self) -> None:
        """End the wait of whoever polls."""
        self.updates.close()

    def _perform(self, call: Call, rules: Rules, bot: User, arguments: Arguments, *, is_lost: bool) -> object:
        method = METHODS.get(self.method_of(call.path))
        if method is None:
            raise ApiError(404, "Not Found: method not found")
        return method(
            Desk(
                bot=bot,
                arguments=arguments,
                office=self.office,
                updates=self.updates,
                rules=rules,
                now=call.now,
                is_answer_lost=is_lost,
            )
        )


def _bot(path: str, rules: Rules) -> User:
    """The bot whose token stands in the path."""
    called = PATH.match(path)
    if not called:
        raise ApiError(404, "Not Found")
    token = TOKEN.match(called["token"])
    if not token:
        raise ApiError(401, "Unauthorized: invalid token specified")
    if rules.telegram_token not in ("", called["token"]):
        raise ApiError(401, "Unauthorized")
    return User(id=int(token[1]), is_bot=True, first_name="Info Radar", username="info_radar_sim_bot")


def _meet(fault: Fault | None, arguments: Arguments) -> None:
    """Refuse the call where the fault is one of the Bot API's own."""
    if fault is None:
        return
    if fault.kind == "rate_limited":
        raise too_many(RETRY_S if fault.seconds is None else int(fault.seconds))
    if fault.kind == "forbidden":
        raise ApiError(403, REFUSALS["blocked"])
    if fault.kind == "unauthorized":
        raise ApiError(401, "Unauthorized")
    if fault.kind == "old_query":
        raise ApiError(400, OLD_QUERY)
    if fault.kind == "bad_entities" and "parse_mode" in arguments:
        raise bad_request('can\'t parse entities: Unsupported start tag "p" at byte offset 0')


def _success(result: object) -> Response:
    if isinstance(result, Told):
        return _json({"ok": True, "result": result.result, "description": result.description})
    return _json({"ok": True, "result": result})


def _error(error: ApiError) -> Response:
    body: Json = {"ok": False, "error_code": error.code, "description": error.description}
    if error.parameters:
        body["parameters"] = error.parameters
    retry = error.parameters.get("retry_after")
    headers = (("Retry-After", str(retry)),) if retry else ()
    return _json(body, error.code, headers)


def _json(body: Json, status: int = 200, headers: tuple[Header, ...] = ()) -> Response:
    text = json.dumps(body, ensure_ascii=True, separators=(",", ":"))
    return Response(status=status, headers=(("Content-Type", "application/json"), *headers), body=text.encode())
