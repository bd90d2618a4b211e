"""What a text filter looks for, and in what: one spelling for both, so that a person finds what a person reads.

Titles, companies and authors are folded as ban words fold them (case, accents, compatibility forms, Cyrillic letters
that stand in for Latin ones), and every word behind a punctuation mark begins behind a blank, so that `go` is at the
beginning of a word in `Python/Go` too. A needle of three characters or more is found anywhere, also inside a word; a
shorter one at the beginning of words only, where people mean it.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from inforadar.domain.folding import views

GRAM = 3

_WORD_BEHIND_MARK = re.compile(r"(?<=[^\w\s])(?=\w)")


@dataclass(frozen=True, slots=True)
class Needle:
    """The folded text to look for; with a blank before it where only beginnings of words count."""

    text: str

    @property
    def grams(self) -> tuple[str, ...]:
        """Every three characters in a row, each once: a text that lacks one of them does not hold the needle."""
        return tuple(dict.fromkeys(self.text[n : n + GRAM] for n in range(len(self.text) - GRAM + 1)))


def needle(text: str) -> Needle | None:
    """What to look for; None = the text holds nothing that can be looked for."""
    found = _spaced(views(text)[-1])
    if not found:
        return None
    return Needle(found if len(found) >= GRAM else f" {found}")


def haystack(*texts: str | None) -> str:
    """What is looked through: these texts in every view, each word behind a blank."""
    return f" {' '.join(dict.fromkeys(view for text in texts if text for view in _views(text)))} "


@lru_cache(maxsize=2048)  # companies and authors come again and again
def _views(text: str) -> tuple[str, ...]:
    return tuple(map(_spaced, views(text)))


def _spaced(folded: str) -> str:
    # to ban words ñ is a letter of its own; whoever looks for something may not have it on the keyboard
    text = unicodedata.normalize("NFC", folded).replace("ñ", "n")
    return " ".join(_WORD_BEHIND_MARK.sub(" ", text).split())
