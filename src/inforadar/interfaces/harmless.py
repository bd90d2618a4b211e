"""JSON that is safe to look at: what a terminal or the eye would obey is spelled as an escape, the value stays."""

import re

# What JSON leaves as it is inside strings and a terminal, or the eye, would obey.
_OBEYED = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def harmless_json(text: str) -> str:
    """The same JSON with those characters escaped."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
