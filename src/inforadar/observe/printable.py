"""Text from outside made safe to show: it cannot move the cursor, forge a line or turn the reading order."""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_ESCAPE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # cursor and colour
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # titles, links
    "|\x1b[ -/]*[0-~]?"
)
_SPACE = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def printable(text: str, keep: str = "") -> str:
    """The text without escape sequences, control and bidirectional characters; line ends become spaces.

    Characters in `keep` (a line end in a traceback, say) stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: _safe(found[0], keep), _ESCAPE.sub("", text))


def _safe(character: str, keep: str) -> str:
    if character in keep:
        return character
    return " " if character in _SPACE else ""
