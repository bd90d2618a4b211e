"""Values written as TOML, as a person would write them."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNWRITABLE = re.compile("[\x7f-\x9f\ud800-\udfff]")


def toml_text(value: Any) -> str:
    """A value on one line: text, number, flag, list or table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(name)} = {toml_text(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(toml_text, value))}]"
    return _quoted(str(value))


def toml_key(name: str) -> str:
    """A name as a key."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A text in quotes; one with a backslash, as patterns have it, in quotes that leave it as it is."""
    if "\\" in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
