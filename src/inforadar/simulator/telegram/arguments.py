"""What a call says: its arguments from the query, a form, multipart parts or JSON, all read the same way."""

import email.policy
import json
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qsl

from inforadar.simulator.telegram.problems import bad_request
from inforadar.simulator.wire import Call


class Arguments:
    """The arguments of one call by name; a form gives texts, JSON may give numbers, lists and objects."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) not in (None, "")

    def text(self, name: str) -> str:
        """An argument as text, empty if it is not there."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value or ""
        return json.dumps(value)

    def whole(self, name: str, default: int = 0) -> int:
        """An argument as a whole number; anything else counts as not given."""
        try:
            return int(self.text(name) or default)
        except ValueError:
            return default

    def flag(self, name: str) -> bool:
        """An argument as yes or no."""
        return self.text(name).lower() in ("true", "1", "yes")

    def structure(self, name: str, complaint: str) -> Any:
        """An argument that is JSON, given as such or as text; None if it is not there."""
        value = self._values.get(name)
        if value in (None, ""):
            return None
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise bad_request(complaint) from None


def read_arguments(call: Call) -> Arguments:
    """All arguments of a call; those of the body win over those of the query."""
    return Arguments({**dict(call.params), **_in_body(call)})


def _in_body(call: Call) -> dict[str, Any]:
    kind = call.headers.get("content-type", "").lower()
    if not call.body:
        return {}
    if kind.startswith("multipart/form-data"):
        return _parts(call)
    if kind.startswith("application/json"):
        return _object(call.body)
    if kind.startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(call.body.decode(errors="replace"), keep_blank_values=True))
    return {}


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        raise bad_request("can't parse JSON object") from None
    if not isinstance(value, dict):
        raise bad_request("object expected")
    return value


def _parts(call: Call) -> dict[str, Any]:
    head = f"Content-Type: {call.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser(policy=email.policy.HTTP).parsebytes(head + call.body)
    found: dict[str, Any] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            found[name] = payload.decode(errors="replace")
    return found
