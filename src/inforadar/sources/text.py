"""What sites write, as plain text: tags and entities gone, control characters stripped, numbers read."""

import html
import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inforadar.domain.errors import Unreadable

BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tbody", "thead", "tr", "ul",
))  # fmt: skip
CELLS = frozenset(("td", "th"))
UNSHOWN = frozenset(("script", "style", "noscript", "template", "title", "head"))
NEVER_NESTED = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p", "param", "source",
    "td", "th", "tr", "track", "wbr",
))  # fmt: skip
# The parser's time grows with the square of the nesting: a small hostile body could hold it for minutes.
DEEPEST = 1000
TAGS_WORTH_CHECKING = 5000

_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_SPACES = re.compile(r"\s+")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r" ?\n(?: ?\n)+ ?")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_INLINE_TAG = re.compile(
    r"</?(?:highlighttext|a|b|br|div|em|font|i|mark|p|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")

_SCALES = {"": 1, "K": 1_000, "К": 1_000, "M": 1_000_000, "М": 1_000_000}
_NUMBER = re.compile(
    r"(?P<sign>[+\-\u2212\u2013]?)\s?"
    r"(?P<whole>\d{1,3}(?:[\s\u00a0\u2009\u202f]\d{3})+|\d{1,15})"
    r"(?:[.,](?P<part>\d{1,6}))?"
    r"\s?(?P<scale>[KКMМ]?)(?P<more>\+?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number as a site showed it; `is_exact` is False where the site rounded ("3.3K", "512K+")."""

    value: int
    is_exact: bool


def clean_line(text: str) -> str:
    """The text on one line: control characters gone, every run of white space one space."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    return _SPACES.sub(" ", _UNWANTED.sub("", _BREAKS.sub(" ", text))).strip()


def clean_lines(text: str) -> str:
    """The text with its lines kept: control characters gone, no blank edges, no empty lines."""
    unbroken = _BLANKS.sub(" ", _UNWANTED.sub("", text.replace("\r", "\n").replace("\u2028", "\n")))
    return _EMPTY_LINES.sub("\n", unbroken).replace(" \n", "\n").replace("\n ", "\n").strip()


def unmarked(text: str) -> str:
    """One line of a text that is not HTML but may carry highlight tags; "List<String>" and "R&D" stay."""
    if "<" in text:
        text = _INLINE_TAG.sub(_tag_gap, text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return clean_line(text)


def plain_text(markup: str) -> str:
    """HTML as plain text, one line a block; raises Unreadable when it is nested beyond reason."""
    if "<" not in markup and "&" not in markup:
        return clean_lines(markup)
    return node_text(parse_html(markup).body)


def plain_line(markup: str) -> str:
    """HTML as plain text on one line."""
    return clean_line(plain_text(markup))


def parse_html(markup: str) -> LexborHTMLParser:
    """The tree of a page or a fragment; raises Unreadable when it is nested beyond reason."""
    if _is_too_deep(markup):
        raise Unreadable(f"the page nests more than {DEEPEST} elements: not a page of this site")
    return LexborHTMLParser(markup)


def node_text(node: LexborNode | None) -> str:
    """The text shown inside a node, one line a block."""
    if node is None:
        return ""
    return clean_lines("".join(_shown(part) for part in node.traverse(include_text=True)))


def node_line(node: LexborNode | None) -> str:
    """The text shown inside a node, on one line."""
    return clean_line(node_text(node))


def first_words(text: str, most: int = 100) -> str:
    """The beginning of the first line of a text, cut between words."""
    line = text.strip().split("\n", 1)[0].strip()
    if len(line) <= most:
        return line
    cut = line[:most].rsplit(" ", 1)[0]
    return cut.rstrip(" .,;:") + "…"


def read_count(text: str) -> Count | None:
    """The one number in a short text such as "376", "+26", "3.3K", "512K+", "3 692,85"; None without one."""
    numbers = list(_NUMBER.finditer(text[:100]))
    if len(numbers) != 1:
        return None
    number = numbers[0]
    scale = _SCALES[number["scale"].upper()]
    whole = int(_SPACES.sub("", number["whole"])) * scale
    part = number["part"]
    value = whole if part is None else whole + (int(part) * scale + 10 ** len(part) // 2) // 10 ** len(part)
    is_exact = scale == 1 and part is None and not number["more"]
    return Count(value=value if number["sign"] in ("", "+") else -value, is_exact=is_exact)


def _shown(node: LexborNode) -> str:
    """What one node adds to the text before its children: a break, a gap, or its words."""
    if node.tag == "-text":
        parent = node.parent
        if parent is not None and parent.tag in UNSHOWN:
            return ""
        return _gap_before(node) + _SPACES.sub(" ", node.text_content or "")
    if node.tag in BLOCKS:
        return "\n"
    return _gap_before(node) + (" " if node.tag in CELLS else "")


def _gap_before(node: LexborNode) -> str:
    before = node.prev
    return "\n" if before is not None and before.tag in BLOCKS else ""


def _tag_gap(tag: re.Match[str]) -> str:
    return " " if tag[0].lower().lstrip("</").startswith(("br", "div", "p")) else ""


def _is_too_deep(markup: str) -> bool:
    if markup.count("<") < TAGS_WORTH_CHECKING:
        return False
    depth = 0
    for tag in _TAG.finditer(markup):
        if tag[2].lower() in NEVER_NESTED:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            return True
    return False
