"""An XML document as text that is safe to parse: decoded here, and without anything that stands before its root.

Only a few encodings are read, because what is checked must be what is parsed: a document type hides well in UTF-7 or
EBCDIC. A document type that declares anything is refused: entity bombs and files of ours live there. One that only
names itself, as RSS 0.91 does, is left away with the rest of the prologue.
"""

import codecs
import re
from collections.abc import Iterator

from inforadar.domain.errors import Unreadable
from inforadar.sources.reading import BAD_CHARACTERS_TAKEN

ENCODINGS = frozenset(
    codecs.lookup(name).name
    for name in (
        "ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be",
        *(f"iso-8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)),
        *(f"windows-{page}" for page in range(1250, 1259)),
        "koi8-r", "koi8-u", "cp866", "shift_jis", "cp932", "euc-jp", "gb2312", "gbk", "gb18030", "big5", "euc-kr",
    )
)  # fmt: skip
BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
UNMARKED = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
WIDE = ("utf-16", "utf-16-le", "utf-16-be")
LONGEST_DECLARATION = 200
NO_FEED = "there is no feed at this address: look for its feed's address in a browser"
OWN_TYPE = "the feed brings a document type of its own, which is never read: it could hold a bomb"

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.:-]{1,40})")
_WORDS = re.compile(r"[^<]*+")
# ASCII alone, as feedparser looks for the root: what it takes for the prologue must be gone
_PART = re.compile(r"<(?:\?|!--|!doctype|[a-z_])", re.IGNORECASE | re.ASCII)
_ENDS = {"<?": "?>", "<!--": "-->"}
# no `[`, where a document type would declare something
_PLAIN_TYPE = re.compile(r"<!doctype(?:[^\[<>\"']++|\"[^\"<>]*+\"|'[^'<>]*+')*+>", re.IGNORECASE)


def root_text(body: bytes, content_type: str) -> str:
    """The document from its first element on; raises Unreadable for what has none, and for what is never read."""
    text = _decoded(body, content_type)
    return text[_root_at(text) :]


def _decoded(body: bytes, content_type: str) -> str:
    for encoding in _encodings(body, content_type):
        try:
            return body.decode(encoding).replace("\0", "")
        except UnicodeDecodeError:
            continue
    text = body.decode("utf-8", "replace")
    is_almost_utf8 = text.count("\ufffd") <= BAD_CHARACTERS_TAKEN
    return (text if is_almost_utf8 else body.decode("windows-1252", "replace")).replace("\0", "")


def _encodings(body: bytes, content_type: str) -> Iterator[str]:
    """The encodings to try, the likeliest first: what the bytes show, the answer says, the document says."""
    shown = [name for bom, name in (BOMS | UNMARKED).items() if body.startswith(bom)]
    told, declared = _CHARSET.search(content_type), _DECLARED.match(body[:LONGEST_DECLARATION])
    answered = [_known(told[1])] if told else []
    # a declaration that can be read byte by byte is not written in a wide encoding, whatever it says
    written = [
        name for name in ([_known(declared[1].decode("ascii", "replace"))] if declared else []) if name not in WIDE
    ]
    yield from (name for name in (*shown, *answered, *written, "utf-8") if name)


def _known(name: str) -> str:
    """The encoding of this name, empty for a name nobody knows; raises Unreadable for one that is not read."""
    try:
        encoding = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    if encoding not in ENCODINGS:
        raise Unreadable(f"the feed is written in {encoding}, which is never read")
    return "gb18030" if encoding == "gb2312" else encoding


def _root_at(text: str) -> int:
    """Where the first element begins; comments, instructions, a plain document type and stray words are passed."""
    at = _end_of_words(text, 0)
    while part := _PART.match(text, at):
        opening = part[0].lower()
        if opening == "<!doctype":
            at = _end_of_type(text, at)
        elif end := _ENDS.get(opening):
            at = _end_of(text, end, part.end())
        else:
            return at
        at = _end_of_words(text, at)
    raise Unreadable(OWN_TYPE if text[at : at + 2] == "<!" else NO_FEED)


def _end_of_words(text: str, at: int) -> int:
    words = _WORDS.match(text, at)
    return words.end() if words else at


def _end_of_type(text: str, at: int) -> int:
    plain = _PLAIN_TYPE.match(text, at)
    if plain is None:
        raise Unreadable(OWN_TYPE)
    return plain.end()


def _end_of(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    if found < 0:
        raise Unreadable(NO_FEED)
    return found + len(end)
