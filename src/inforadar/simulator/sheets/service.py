"""Sheets v4 as a whole: paths, tokens, quotas, faults and the form of its answers."""

import json
import re
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from urllib.parse import parse_qsl

from inforadar.simulator.faults import Fault
from inforadar.simulator.rules import Rules
from inforadar.simulator.service import met_after, met_before
from inforadar.simulator.sheets.account import Account, BadGrant
from inforadar.simulator.sheets.book import Book
from inforadar.simulator.sheets.methods import READS, WRITES
from inforadar.simulator.sheets.people import Owner
from inforadar.simulator.sheets.problems import (
    Json,
    SheetsError,
    denied,
    exhausted,
    invalid,
    not_found,
    unauthenticated,
)
from inforadar.simulator.wire import Call, Response

SPREADSHEET = "1SimulatedSpreadsheet_of-Info-Radar"
TOKEN_PATH = "/token"
MINUTE_S = 60.0
LATE_S = 60.0
PATH = re.compile(r"^/v4/spreadsheets/(?P<id>[^/:]+)(?P<call>(?:/values)?(?::\w+)?)$")
METHODS: Mapping[tuple[str, str], str] = {
    ("GET", ""): "get",
    ("GET", "/values:batchGet"): "values.batchGet",
    ("POST", "/values:batchUpdate"): "values.batchUpdate",
    ("POST", ":batchUpdate"): "batchUpdate",
}


class Sheets(Owner):
    """The API over one spreadsheet, and its owner."""

    def __init__(self, condition: threading.Condition, *, passed_s: Callable[[], float]) -> None:
        self.book = Book(SPREADSHEET)
        self.account = Account()
        self._passed_s = passed_s
        self._asked: dict[str, deque[float]] = defaultdict(deque)
        self._late: list[tuple[float, Call]] = []
        super().__init__(self.book, condition)

    def method_of(self, path: str) -> str:
        """The method a path means, as faults name it; one path has one method here."""
        if path == TOKEN_PATH:
            return "token"
        called = PATH.match(path)
        return next((name for (_, call), name in METHODS.items() if called and call == called["call"]), "")

    def answer(self, call: Call, rules: Rules, fault: Fault | None) -> Response:
        """What Google answers to one call."""
        self._catch_up()
        refused = met_before(fault)
        if refused:
            return refused
        if fault and fault.kind == "late_effect":
            return self._put_off(call, fault.seconds or LATE_S)
        try:
            if call.path == TOKEN_PATH:
                return met_after(fault, self._token(call))
            return met_after(fault, _json(self._perform(call, rules, fault)))
        except SheetsError as error:
            return met_after(fault, _json(error.body, error.code))

    def close(self) -> None:
        """Nothing waits here."""

    def _put_off(self, call: Call, seconds: float) -> Response:
        """The caller hears nothing, and what it asked for happens after a while."""
        self._late.append((self._passed_s() + seconds, call))
        return Response(delivery="reset")

    def _catch_up(self) -> None:
        due = [call for at_s, call in self._late if at_s <= self._passed_s()]
        self._late = [(at_s, call) for at_s, call in self._late if at_s > self._passed_s()]
        for call in due:
            with suppress(SheetsError):
                self._perform(call, Rules(sheets_quota_per_minute=0), None)

    def _token(self, call: Call) -> Response:
        form = dict(parse_qsl(call.body.decode(errors="replace")))
        try:
            return _json(self.account.grant(call, form))
        except BadGrant as error:
            return _json({"error": "invalid_grant", "error_description": str(error)}, 400)

    def _perform(self, call: Call, rules: Rules, fault: Fault | None) -> Json:
        called = PATH.match(call.path)
        method = METHODS.get((call.verb, called["call"])) if called else None
        if called is None or method is None:
            raise not_found()
        if not self.account.may_enter(call):
            raise unauthenticated()
        self._count("Read" if method in READS else "Write", rules.sheets_quota_per_minute)
        _meet(fault, method)
        if called["id"] != self.book.id:
            raise not_found()
        if not self.is_shared:
            raise denied()
        return (READS.get(method) or WRITES[method])(self.book, call.params, _object(call.body))

    def _count(self, kind: str, limit: int) -> None:
        now_s, asked = self._passed_s(), self._asked[kind]
        while asked and asked[0] <= now_s - MINUTE_S:
            asked.popleft()
        if limit and len(asked) >= limit:
            raise exhausted(kind, limit)
        asked.append(now_s)


def _meet(fault: Fault | None, method: str) -> None:
    """Refuse the call where the fault is one of Google's own."""
    if fault is None:
        return
    if fault.kind == "rate_limited":
        raise exhausted("Read" if method in READS else "Write", 60)
    if fault.kind == "forbidden":
        raise denied()
    if fault.kind == "unauthorized":
        raise unauthenticated()


def _object(body: bytes) -> Json:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise invalid("Invalid JSON payload received.")
    return value


def _json(body: Json, status: int = 200) -> Response:
    text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    headers = (("Content-Type", "application/json; charset=UTF-8"), ("Vary", "Origin, X-Origin"))
    return Response(status=status, headers=headers, body=text.encode())
