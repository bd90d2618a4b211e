"""The identity of a query: what its parameters say, whatever way they were written."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from datetime import date
from typing import Any

from inforadar.domain.ports import ParamRule

KEY_DIGITS = 12
NO_RULE = ParamRule()


def normalise(params: Mapping[str, Any], rules: Mapping[str, ParamRule]) -> dict[str, Any]:
    """The parameters as they count: texts and lists of them, by name, without empty and default values.

    Normalising twice changes nothing.
    """
    normal: dict[str, Any] = {}
    for name in sorted(params):
        rule = rules.get(name, NO_RULE)
        value = _value(params[name], rule)
        if value is not None and value != _value(rule.default, rule):
            normal[name] = value
    return normal


def query_key(source: str, params: Mapping[str, Any], rules: Mapping[str, ParamRule]) -> str:
    """A short readable name such as `hh-3f9c2b7a1d4e`: equal for equal questions, another for any other."""
    canonical = json.dumps([source, normalise(params, rules)], sort_keys=True, separators=(",", ":"))
    return f"{source}-{hashlib.sha256(canonical.encode()).hexdigest()[:KEY_DIGITS]}"


def _value(raw: Any, rule: ParamRule) -> Any:
    """The canonical form of one value, None for an empty one."""
    if isinstance(raw, Mapping):
        pairs = {_text(name, NO_RULE): _value(inner, rule) for name, inner in raw.items()}
        return {name: pairs[name] for name in sorted(pairs) if pairs[name] is not None} or None
    if isinstance(raw, (list, tuple, set, frozenset)):
        return _list(list(raw), rule)
    scalar = _text(raw, rule) or None
    return [scalar] if rule.is_list and scalar is not None else scalar


def _list(raw: list[Any], rule: ParamRule) -> list[Any] | None:
    inner = ParamRule(ignores_case=rule.ignores_case)
    values = [value for value in (_value(entry, inner) for entry in raw) if value is not None]
    if rule.is_list:
        distinct = {json.dumps(value, sort_keys=True): value for value in values}
        values = [distinct[text] for text in sorted(distinct)]
    return values or None


def _text(raw: Any, rule: ParamRule) -> str:
    if raw is None:
        return ""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    if isinstance(raw, date):
        return raw.isoformat()
    text = str(raw)
    if rule.ignores_case:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold()).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())
