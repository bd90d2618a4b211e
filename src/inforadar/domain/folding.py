"""One spelling for texts that look or read alike, so that ban words hit what a person sees.

Two views of a text: the *folded* one (compatibility forms, case, accents, invisible characters, dashes and
white space made equal) and, where Cyrillic letters stand in for Latin ones, the *Latin* one. Letters stand in
for others in a word that mixes the scripts or carries digits (`1С`, `juniоr`), in a word in capitals made of
look-alikes alone (`СТО`) and before `++` or `#` (`С++`). Plain Russian words are left as they are, so that
"CEO" does not hide "сео", nor "C" every "с".
"""

import re
import unicodedata

import regex  # type: ignore[import-untyped]

_LOOK_ALIKE = str.maketrans(
    "АВЕКМНОРСТУХІЈЅԚԜаверсоухкмнтіјѕԛԝһԁӏ",
    "ABEKMHOPCTYXIJSQWabepcoyxkmhtijsqwhdl",
)
_SOUND = str.maketrans(
    dict(zip("абвгдеёзийклмнопрстуфхыэіўґñøł", "abvgdeeziyklmnoprstufhyeiugnol", strict=True))
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ю": "yu", "я": "ya", "є": "ye", "ї": "yi"}
    | {"ъ": "", "ь": "", "ß": "ss"}
)
_MAY_STAND_FOR_LATIN = re.compile(r"[A-Za-z0-9][Ѐ-ԯ]|[Ѐ-ԯ][A-Za-z0-9+#]|[А-ЯІЈЅԚԜ]{2}")
_STANDS_FOR_LATIN = regex.compile(
    r"""(?<![^\W_])(?:
        [^\W_]*(?:[A-Za-z0-9]\p{Cyrillic}|\p{Cyrillic}[A-Za-z0-9])[^\W_]*
        |[АВЕКМНОРСТУХІЈЅԚԜ]{2,}(?![^\W_])
        |\p{Cyrillic}(?=\+\+|\#)
    )""",
    regex.VERBOSE,
)

# What most texts of our sources are made of: no normal form changes these characters, but for й and ё.
_COMMON = re.compile(r"[ -~А-яЁё–—«»]*")
_COMMON_WITHOUT_ACCENTS = tuple(zip("ЁёЙй–—", ("Е", "е", "И\u0306", "и\u0306", "-", "-"), strict=True))

# й and ñ are letters of their own, every other mark is an accent: ё is е.
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}[\p{Cc}--\s]]", regex.VERSION1)
_ACCENT = regex.compile(r"(?<![иИ])\u0306|(?<![nN])\u0303|[\p{Mn}\p{Me}--[\u0306\u0303]]", regex.VERSION1)
_DASH = regex.compile(r"[\p{Pd}\u2212]")


def visible(text: str) -> str:
    """The text as a person reads it: compatibility forms resolved, invisible characters gone."""
    if _COMMON.fullmatch(text):
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))


def without_accents(text: str) -> str:
    """The visible text without accents, with one kind of dash, apostrophe and white space."""
    if not text.isascii():
        text = _common_without_accents(text) if _COMMON.fullmatch(text) else _any_without_accents(text)
    return " ".join(text.split())


def views(text: str) -> tuple[str, ...]:
    """The folded view of a text and, where it differs, its Latin view."""
    plain = without_accents(visible(text))
    if plain.isascii() or not _MAY_STAND_FOR_LATIN.search(plain):
        return (plain.casefold(),)
    latin = _STANDS_FOR_LATIN.sub(lambda word: word[0].translate(_LOOK_ALIKE), plain)
    return (plain.casefold(),) if latin == plain else (plain.casefold(), latin.casefold())


def folded(text: str) -> str:
    """The folded view alone, each letter in one piece."""
    return unicodedata.normalize("NFC", views(text)[0])


def latin_look(folded_text: str) -> str:
    """A folded text with every Cyrillic letter that looks like a Latin one as that one: to compare, not to read."""
    return folded_text.translate(_LOOK_ALIKE)


def in_latin(name: str) -> str:
    """A name in small Latin letters: stand-ins as what they look like, Russian words by their sound."""
    return unicodedata.normalize("NFC", views(name.lower())[-1]).translate(_SOUND)


def _common_without_accents(text: str) -> str:
    for sign, plain in _COMMON_WITHOUT_ACCENTS:
        text = text.replace(sign, plain)
    return text


def _any_without_accents(text: str) -> str:
    plain: str = _DASH.sub("-", _ACCENT.sub("", unicodedata.normalize("NFKD", text)))
    return plain.replace("\u2019", "'")
