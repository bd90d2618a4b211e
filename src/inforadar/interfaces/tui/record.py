"""One line that a screen shows, with the tone it is said in."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "head", "good", "bad", "warning", "faint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line, safe to show."""

    text: str
    tone: Tone = "plain"
