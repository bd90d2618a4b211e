"""Words of a text as comparable stems: light stemming for Russian, and one for English and Spanish together."""

import re
from collections.abc import Iterator

SHORTEST_RUSSIAN_STEM = 4
SHORTEST_LATIN_STEM = 4
# Below this length a last vowel tells words apart: Scala is not scale, nor Kafka a kafk.
SHORTEST_WITHOUT_VOWEL = 6

WORD = re.compile(r"\.net\b|[^\W_]+(?:\+\+|#)?")

_RUSSIAN_ENDING = re.compile(
    r"(?:иями|ями|ами|ией|иям|ием|иях|ого|его|ому|ему|ыми|ими"
    r"|ая|яя|ое|ее|ые|ие|ый|ий|ой|ым|им|ых|их|ую|юю|ою|ею"
    r"|ия|ии|ию|ье|ья|ью|ов|ев|ей|ом|ем|ам|ям|ах|ях|[аяоеуюыийь])$"
)
_SPANISH_NOUNS = re.compile(r"(?:ciones|cion|tion|tions)$")
_ENGLISH_VERBS = re.compile(r"(?:ing|ed)$")
_PLURAL = re.compile(r"(?<![suiy])s$")
_LAST_VOWEL = re.compile(r"[aeoy]$")
_CYRILLIC = re.compile(r"[Ѐ-ӿ]")


def words(text: str) -> Iterator[str]:
    """The words of a folded text; `c++`, `c#` and `.net` are words of their own."""
    return (found[0] for found in WORD.finditer(text))


def stem(word: str) -> str:
    """What different forms of a folded word have in common."""
    if not word.isalpha():
        return word
    return _russian(word) if _CYRILLIC.search(word) else _latin(word)


def _russian(word: str) -> str:
    ending = _RUSSIAN_ENDING.search(word, SHORTEST_RUSSIAN_STEM)
    return word[: ending.start()] if ending else word


def _latin(word: str) -> str:
    """One stem for both languages, since a title may be written in either."""
    if len(word) <= SHORTEST_LATIN_STEM:
        return word
    word = _PLURAL.sub("", word)
    word = _without(_SPANISH_NOUNS, word, SHORTEST_LATIN_STEM - 1)
    word = _without(_ENGLISH_VERBS, word, SHORTEST_LATIN_STEM)
    return _LAST_VOWEL.sub("", word) if len(word) >= SHORTEST_WITHOUT_VOWEL else word


def _without(ending: re.Pattern[str], word: str, shortest: int) -> str:
    found = ending.search(word, shortest)
    return word[: found.start()] if found else word
