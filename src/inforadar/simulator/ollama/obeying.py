"""The model that obeys: whatever an item's text tells it to answer, it answers, in the text's own words.

It is the worst a model can do with an injected text; what a program lets it do then is the program's own affair.
"""

import base64
import binascii
import json
import re
from html import unescape
from typing import Any

INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\U000e0000-\U000e007f]")
BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
SCORE = re.compile(
    r"(?:score|rating|relevance|оценк\w*|балл\w*|рейтинг\w*|puntuaci[oó]n|nota)\W{0,4}"
    r"(?:(?:is|of|to|as|=|:|равн\w*|в|de|a|es|должна быть|exactly|now)\W{0,3}){0,3}(-?\d+(?:[.,]\d+)?)",
    re.IGNORECASE,
)
TAKEN_SCORE = re.compile(
    r"(?:give|assign|set|rate|return|award|поставь\w*|присвой\w*|верни|asigna|pon|otorga|devuelve)\b\W+(?:\w+\W+){0,4}?"
    r"(-?\d+(?:[.,]\d+)?)",
    re.IGNORECASE,
)
SAYING = re.compile(
    r"(?:\bsay|\breply|\banswer|\brespond|\boutput|\bprint|\bwrite|\becho|ответь\w*|скажи\w*|напиши\w*|выведи|responde|di|escribe)"
    r"\b(?:\s+(?:only|just|exactly|with|the|word|words|только|просто|словом|solo|con|la|palabra|ровно))*\s*[:\-]?\s*"
    r"[\"'«“`]?([^\"'»”`\n]{1,200})",
    re.IGNORECASE,
)


def obeyed(item: str, answer: dict[str, Any] | None) -> str | None:
    """What the text tells the model to answer, None if it tells nothing; `answer` is what it would have said.

    A JSON object in the text is echoed as it stands; a score goes into the answer, however large; else words it is
    told to say are said.
    """
    text = seen_through(item)
    dictated = _first_object(text)
    if dictated is not None:
        return dictated
    score = SCORE.search(text) or TAKEN_SCORE.search(text)
    if score and answer is not None:
        number = float(score[1].replace(",", "."))
        return json.dumps({**answer, "score": int(number) if number.is_integer() else number}, ensure_ascii=False)
    words = SAYING.search(text)
    return words[1].strip() if words else None


def seen_through(item: str) -> str:
    """The text with what hides orders undone: invisible characters, HTML entities, base64."""
    plain = unescape(INVISIBLE.sub("", item))
    return "\n".join([plain, *filter(None, map(_decoded, BASE64.findall(plain)))])


def _decoded(token: str) -> str:
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if text.isprintable() else ""


def _first_object(text: str) -> str | None:
    """The first JSON object in a text, verbatim."""
    decoder = json.JSONDecoder()
    for begin in re.finditer(r"\{", text):
        try:
            value, end = decoder.raw_decode(text, begin.start())
        except ValueError:
            continue
        if value:
            return text[begin.start() : end]
    return None
