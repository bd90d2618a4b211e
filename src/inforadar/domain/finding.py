"""What a text filter looks for, and in what: one spelling for both, so that a person finds what a person reads.

Titles, companies and authors are folded as ban words fold them (case, accents, compatibility forms, Cyrillic letters
that stand in for Latin ones), and every word behind a punctuation mark begins behind a blank, so that `go` is at the
beginning of a word in `Python/Go` too. A needle of three characters or more is found anywhere, also inside a word; a
shorter one at the beginning of words only, where people mean it, unless it begins with a mark or symbol. A needle in
capitals may be a Russian word or a Latin one in look-alikes (`СТО`): it is looked for as both.
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
    """The folded texts to look for, any of them; with a blank before where only beginnings of words count."""

    text: str
    latin: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The text as it is folded, and as Latin letters where it may stand for them."""
        return (self.text,) if self.latin is None else (self.text, self.latin)

    def is_in(self, looked_through: str) -> bool:
        """Whether a haystack holds it."""
        return any(text in looked_through for text in self.texts)


def needle(text: str) -> Needle | None:
    """What to look for; None = the text holds nothing that can be looked for."""
    found = tuple(dict.fromkeys(_begun(view) for view in _views(text) if view))
    return Needle(*found) if found else None


def grams(text: str) -> tuple[str, ...]:
    """Every three characters in a row, each once: what lacks one of them does not hold the text."""
    return tuple(dict.fromkeys(text[n : n + GRAM] for n in range(len(text) - GRAM + 1)))


def haystack(*texts: str | None) -> str:
    """What is looked through: these texts in every view, each word behind a blank."""
    return f" {' '.join(dict.fromkeys(view for text in texts if text for view in _views(text)))} "


@lru_cache(maxsize=2048)  # companies and authors come again and again
def _views(text: str) -> tuple[str, ...]:
    return tuple(map(_spaced, views(text)))


def _begun(view: str) -> str:
    return f" {view}" if len(view) < GRAM and view[0].isalnum() else view


def _spaced(folded: str) -> str:
    # to ban words ñ is a letter of its own; whoever looks for something may not have it on the keyboard
    text = unicodedata.normalize("NFC", folded).replace("ñ", "n")
    return " ".join(_WORD_BEHIND_MARK.sub(" ", text).split())
