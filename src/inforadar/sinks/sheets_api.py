"""A thin client of Google Sheets v4: a few calls on one spreadsheet, and their errors as ours.

Cells are always written RAW, so that no text can become a formula. `values.append` is not used: where it puts a row
depends on what it takes for a table, and a repeated one doubles it; rows are written to places that are computed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.net.statuses import header, retry_at
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret
from inforadar.sinks.sheets_account import ServiceAccount, read_account
from inforadar.sinks.sheets_cells import Block

REQUEST_S = 30.0
"""How long one request may take, from its beginning to the last byte of its answer."""
LONGEST_TOLD = 200
QUOTA_MINUTE = timedelta(seconds=60)
TOKEN_MARGIN = timedelta(seconds=60)
SHARE_UNUSED = 4
"""A short-lived token is replaced when this part of its life is left, so that it still serves many requests."""
TOKEN_S = 300.0
"""How long a token is used where Google does not say."""
PASSING = frozenset({"temporarily_unavailable", "server_error", "internal_failure"})
"""What the server of tokens says of itself, not of us."""
CHECK_ID = "Google knows no such spreadsheet: check [sheets] spreadsheet_id, the long id in the spreadsheet's address"
FULL = "above the limit of"
MAKE_ROOM = "delete rows, columns or tabs that you do not need, or name another one in [sheets] spreadsheet_id"
ENABLE = "enable the Google Sheets API at https://console.cloud.google.com/apis/library/sheets.googleapis.com"
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")

Cells = list[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One sheet of the spreadsheet; its id stays when it is renamed."""

    id: int
    title: str
    rows: int
    columns: int


@dataclass(slots=True)
class Token:
    """What Google lets us in by, kept in memory and replaced before it ends."""

    text: str = field(default="", repr=False)
    until: datetime | None = None

    def is_good(self, now: datetime) -> bool:
        """Whether it can be used."""
        return bool(self.text) and self.until is not None and now < self.until


@dataclass(slots=True, kw_only=True)
class SheetsApi:
    """Calls on one spreadsheet, each of them one request, or a few where the token must be asked for.

    Raises RateLimited (the quota of a minute), Refused (a person must act), Unavailable and Unreadable; after the
    last two of a call that writes nobody knows whether it took effect.
    """

    transport: Transport
    base_url: str
    spreadsheet_id: str
    credentials: Secret | None
    clock: Clock
    _account: ServiceAccount | None = None
    _token: Token = field(default_factory=Token)

    def through(self, transport: Transport) -> "SheetsApi":
        """The same account with the same token, all of whose requests go another way."""
        return replace(self, transport=transport)

    @property
    def account(self) -> ServiceAccount:
        """Who we are; raises Refused while the configuration does not say."""
        if self.credentials is None:
            raise Refused("[sheets] credentials are missing: name the JSON key file of a service account")
        if self._account is None:
            self._account = read_account(self.credentials)
        return self._account

    def tabs(self) -> list[Tab]:
        """Every sheet there is."""
        told = self._call(
            "GET", "", params=(("includeGridData", "false"), ("fields", "spreadsheetId,sheets.properties"))
        )
        return [_tab(one["properties"]) for one in _list(told, "sheets") if _is_grid(one)]

    def add_tab(self, title: str, *, rows: int, columns: int) -> Tab:
        """Make a sheet; raises BadQuery if there is one of that title."""
        grid = {"rowCount": rows, "columnCount": columns}
        told = self._change({"addSheet": {"properties": {"title": title, "gridProperties": grid}}})
        try:
            return _tab(_list(told, "replies")[0]["addSheet"]["properties"])
        except (LookupError, TypeError) as error:
            raise Unreadable("Google Sheets does not name the sheet it made") from error

    def grow(self, tab: Tab, dimension: Literal["ROWS", "COLUMNS"], by: int) -> None:
        """Add empty rows or columns behind the last one."""
        self._change({"appendDimension": {"sheetId": tab.id, "dimension": dimension, "length": by}})

    def read(self, ranges: Sequence[str], *, by: Literal["ROWS", "COLUMNS"]) -> list[list[Cells]]:
        """The cells of each range as texts, without the empty ones at its end."""
        params = (
            ("majorDimension", by),
            ("valueRenderOption", "FORMATTED_VALUE"),
            *(("ranges", one) for one in ranges),
        )
        found = _list(self._call("GET", "/values:batchGet", params=params), "valueRanges")
        if len(found) != len(ranges):
            raise Unreadable("Google Sheets does not answer for every range it was asked for")
        return [_lines(one) for one in found]

    def write(self, blocks: Sequence[Block]) -> None:
        """Write cells as they are, all or none of them."""
        data = [{"range": one.range, "majorDimension": "ROWS", "values": one.values} for one in blocks]
        self._call("POST", "/values:batchUpdate", {"valueInputOption": "RAW", "data": data})

    def _change(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._call("POST", ":batchUpdate", {"requests": [request]})

    def _call(
        self,
        method: Literal["GET", "POST"],
        path: str,
        body: Mapping[str, Any] | None = None,
        params: tuple[tuple[str, str], ...] = (),
    ) -> Mapping[str, Any]:
        answer = self._sent(method, path, body, params)
        if answer.status == 401:  # the token was taken back before its time
            self._token.text = ""
            answer = self._sent(method, path, body, params)
        return self._understood(answer)

    def _sent(
        self,
        method: Literal["GET", "POST"],
        path: str,
        body: Mapping[str, Any] | None,
        params: tuple[tuple[str, str], ...],
    ) -> Answer:
        if not _ID.fullmatch(self.spreadsheet_id):
            raise Refused("[sheets] spreadsheet_id is missing: it is the long id in the spreadsheet's address")
        request = Request(
            path=f"v4/spreadsheets/{self.spreadsheet_id}{path}",
            params=params,
            method=method,
            headers={"authorization": f"Bearer {self._valid_token()}", "content-type": "application/json"},
            body=json.dumps(body).encode("ascii") if body is not None else b"",
            timeout_s=REQUEST_S,
        )
        return self.transport.send(self.base_url, request)

    def _valid_token(self) -> str:
        now = self.clock.now()
        if not self._token.is_good(now):
            told = self._asked_token(now)
            life = timedelta(seconds=_seconds(told.get("expires_in")))
            self._token.text = str(told["access_token"])
            self._token.until = now + life - min(TOKEN_MARGIN, life / SHARE_UNUSED)
        return self._token.text

    def _asked_token(self, now: datetime) -> Mapping[str, Any]:
        request = Request(
            url=self.account.token_uri,
            method="POST",
            headers={"content-type": "application/x-www-form-urlencoded"},
            body=self.account.token_request(now),
            timeout_s=REQUEST_S,
        )
        answer = self.transport.send(self.base_url, request)
        told = _told(answer)
        if answer.status == 200 and isinstance(told.get("access_token"), str):
            return told
        if answer.status == 429:
            until = retry_at(header(answer, "retry-after"), now) or now + QUOTA_MINUTE
            raise RateLimited("Google asks us to slow down with asking for tokens", until)
        is_verdict = 400 <= answer.status < 500 and answer.status != 408
        if not is_verdict or told.get("error", "") in ("", *PASSING):
            raise Unavailable(f"Google gives no token (HTTP {answer.status})")
        why = _short(told.get("error_description") or told.get("error") or f"HTTP {answer.status}")
        raise Refused(f"Google does not accept the service account ({why}): check [sheets] credentials and the clock")

    def _understood(self, answer: Answer) -> Mapping[str, Any]:
        told = _told(answer)
        if 200 <= answer.status < 300:
            if not told:
                raise Unreadable("the answer of Google Sheets is no JSON object")
            return told
        raise read_error(answer, told, self.account.email, self.clock.now())


class SpreadsheetFull(Refused):
    """There is no room for more cells: a person must make some."""


def read_error(answer: Answer, told: Mapping[str, Any], email: str, now: datetime) -> SourceError:
    """Our error for an answer that is none; the quota is one of a minute, and Google does not say when it ends."""
    error = told.get("error")
    why = _short(error.get("message") if isinstance(error, Mapping) else None) or "no reason given"
    status = answer.status
    if status == 429:
        until = retry_at(header(answer, "retry-after"), now) or now + QUOTA_MINUTE
        return RateLimited(f"Google Sheets asks us to slow down ({why})", until)
    if status == 403 and "has not been used" in why:
        return Refused(f"the project of the service account may not ask ({why}): {ENABLE}")
    if status == 403:
        return Refused(f"Google Sheets turns us away ({why}): share the spreadsheet with {email} as an editor")
    if status == 404:
        return Refused(f"{CHECK_ID} ({why})")
    if status == 401:
        return Refused(f"Google Sheets does not accept our token ({why}): check [sheets] credentials")
    if status == 400 and FULL in why:
        return SpreadsheetFull(f"the spreadsheet is full ({why}): {MAKE_ROOM}")
    if status == 400:
        return BadQuery(f"Google Sheets does not take this ({why})")
    return Unavailable(f"Google Sheets is out of order (HTTP {status}: {why})")


def _told(answer: Answer) -> Mapping[str, Any]:
    try:
        told = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _list(told: Mapping[str, Any], name: str) -> list[Any]:
    found = told.get(name)
    if not isinstance(found, list):
        raise Unreadable(f"the answer of Google Sheets has no {name}")
    return found


def _lines(told: Any) -> list[Cells]:
    """The lines of one range; there are none where every cell is empty."""
    values = told.get("values", []) if isinstance(told, Mapping) else None
    if not isinstance(values, list) or not all(isinstance(line, list) for line in values):
        raise Unreadable("the answer of Google Sheets has cells that are no lists")
    return values


def _is_grid(told: Any) -> bool:
    properties = told.get("properties") if isinstance(told, Mapping) else None
    return isinstance(properties, Mapping) and isinstance(properties.get("gridProperties"), Mapping)


def _tab(properties: Any) -> Tab:
    try:
        return Tab(
            # Google leaves out what is zero
            id=int(properties.get("sheetId", 0)),
            title=str(properties["title"]),
            rows=int(properties["gridProperties"]["rowCount"]),
            columns=int(properties["gridProperties"]["columnCount"]),
        )
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise Unreadable("a sheet of the spreadsheet has no title or no size") from error


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and 0 < value < 10**6 else TOKEN_S


def _short(text: Any) -> str:
    return printable(str(text))[:LONGEST_TOLD] if text else ""
