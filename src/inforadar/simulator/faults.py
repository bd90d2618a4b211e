"""Switches for what goes wrong on the way: which requests a fault meets, and how often.

Every fault can be bound to a site, to lists or details, to a number of requests served before (`after`), to a
number of times (`count`) and to a probability drawn from the seed. A fault of a service (Telegram, Ollama, Sheets)
names it and may name the `method` it meets; a fault of `any` source meets the sites alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from inforadar.simulator.twists import TWISTS

SITE_KINDS = (
    "rate_limited",
    "forbidden",
    "captcha",
    "oauth",
    "ddos_guard",
    "authwall",
    "authwall_redirect",
    "captive_portal",
    "server_error",
    "timeout",
    "slow_start",
    "slow_body",
    "cut_body",
    "empty_body",
    "reset",
    "reply_lost",
    "unreadable_page",
    "repeated_page",
    "wrong_encoding",
    "gzip_bomb",
    *TWISTS,
)
TELEGRAM_KINDS = ("unauthorized", "bad_entities", "old_query")
OLLAMA_KINDS = (
    "busy",
    "model_missing",
    "out_of_memory",
    "cut_answer",
    "stream_error",
    "invalid_json",
    "refusal",
    "empty_answer",
    "extra_properties",
    "missing_properties",
    "wrong_types",
    "score_out_of_range",
    "thinking",
)
SHEETS_KINDS = ("late_effect",)
KINDS = (*SITE_KINDS, *TELEGRAM_KINDS, *OLLAMA_KINDS, *SHEETS_KINDS)
SERVICES = ("telegram", "ollama", "sheets")
PAGE_STATES = {
    "closed": "closed_page",
    "gone": "gone_page",
    "withheld": "withheld_page",
    "forbidden": "forbidden",
    "rate_limited": "rate_limited",
    "login_wall": "authwall",
    "captcha": "captcha",
    "empty": "empty_body",
    "unavailable": "server_error",
}
SCOPES = ("any", "list", "detail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One switch. `seconds`: Retry-After of a 429, length of a slow body or of a silence; None = the kind's own.

    `as_date`: Retry-After as a date. `status`: which 5xx. `value`: which oauth error. `size_mb`: of a gzip bomb.
    `method`: of a service, such as sendMessage or chat; empty = any.
    """

    kind: str
    source: str = "any"
    scope: str = "any"
    method: str = ""
    after: int = 0
    count: int | None = None
    probability: float = 1.0
    seconds: float | None = None
    as_date: bool = False
    status: int = 503
    value: str = "token_revoked"
    size_mb: int = 64

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault is called {self.kind!r}; there are {', '.join(KINDS)}")
        if self.scope not in SCOPES:
            raise ValueError(f"scope is {', '.join(SCOPES)}, not {self.scope!r}")

    def concerns(self, source: str, *, is_list: bool = False, method: str = "") -> bool:
        """Whether a request to this site, for a list or for a detail, or to this method of a service can meet it."""
        if source in SERVICES:
            return self.source == source and self.method.lower() in ("", method.lower())
        return self.source in ("any", source) and self.scope in ("any", "list" if is_list else "detail")


class Faults:
    """The faults switched on now, and how often each has met a request."""

    def __init__(self, faults: Iterable[Fault] = (), *, seed: int = 0) -> None:
        self._chance = Random(f"{seed}/faults")
        self.replace(faults)

    def replace(self, faults: Iterable[Fault]) -> None:
        """Switch these on and all others off; counting starts again."""
        self._faults = tuple(faults)
        self._concerned = [0] * len(self._faults)
        self._struck = [0] * len(self._faults)

    def pick(self, source: str, *, is_list: bool = False, method: str = "") -> Fault | None:
        """The fault that meets this request: the first of those switched on whose conditions hold."""
        picked = None
        for number, fault in enumerate(self._faults):
            if not fault.concerns(source, is_list=is_list, method=method):
                continue
            self._concerned[number] += 1
            if picked is None and self._strikes(number, fault):
                self._struck[number] += 1
                picked = fault
        return picked

    def _strikes(self, number: int, fault: Fault) -> bool:
        if self._concerned[number] <= fault.after:
            return False
        if fault.count is not None and self._struck[number] >= fault.count:
            return False
        return fault.probability >= 1.0 or self._chance.random() < fault.probability


def fault_from(values: Mapping[str, Any]) -> Fault:
    """A fault from JSON; raises ValueError on a name that does not exist."""
    if not isinstance(values, Mapping):
        raise ValueError('faults are a list of objects such as [{"kind": "rate_limited", "source": "hh"}]')
    known = [field.name for field in fields(Fault)]
    if unknown := sorted(set(values) - set(known)):
        raise ValueError(f"a fault has no {', '.join(unknown)}; it has {', '.join(known)}")
    if "kind" not in values:
        raise ValueError(f"a fault needs a kind: {', '.join(KINDS)}")
    return Fault(**values)


def parse_fault(text: str) -> Fault:
    """A fault from a command line: `rate_limited,source=hh,after=10,seconds=60`."""
    kind, *settings = text.split(",")
    values: dict[str, Any] = {"kind": kind.strip()}
    for setting in settings:
        name, _, value = setting.partition("=")
        values[name.strip()] = _typed(name.strip(), value.strip())
    return fault_from(values)


def _typed(name: str, value: str) -> Any:
    if name in ("after", "count", "status", "size_mb"):
        return int(value)
    if name in ("probability", "seconds"):
        return float(value)
    if name == "as_date":
        return value.lower() in ("", "1", "true", "yes")
    return value
