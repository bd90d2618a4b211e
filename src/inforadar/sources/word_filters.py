"""Filters by words for sites that cannot search: whole words, in any letter case."""

import re
from typing import Any

from inforadar.sources.reading import param_values

_WORD = re.compile(r"[\w+#]+(?:[.-][\w+#]+)*")

Alternatives = tuple[frozenset[str], ...]
"""Sets of words of which one must be there as a whole; empty = everything is wanted."""


def lower_values(value: Any) -> tuple[str, ...]:
    """The texts of a parameter, in lower case."""
    return tuple(text.casefold() for text in param_values(value))


def alternatives(value: Any) -> Alternatives:
    """What a parameter asks for: of a list any will do, of several words in one text all are needed."""
    return tuple(words for text in lower_values(value) if (words := words_of(text)))


def has_words(asked: Alternatives, text: str) -> bool:
    """Whether a text has all words of one of the alternatives."""
    if not asked:
        return True
    found = words_of(text.casefold())
    return any(words <= found for words in asked)


def words_of(text: str) -> frozenset[str]:
    """The words of a text; `C++`, `C#` and `Node.js` are words."""
    return frozenset(_WORD.findall(text))
