"""The HTML parse mode, after the rules of td/MessageEntity.cpp: few tags, few entities, offsets in bytes of UTF-8.

What it does not know is an error, also the `<` of "a < b"; an unknown entity such as `&nbsp;` is plain text.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TYPES = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "u": "underline",
    "ins": "underline",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
    "a": "text_link",
    "pre": "pre",
    "code": "code",
    "blockquote": "blockquote",
}
NAMED = {b"lt": "<", b"gt": ">", b"amp": "&", b"quot": '"'}
REFERENCE = re.compile(rb"&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,8})|(lt|gt|amp|quot)(?![a-zA-Z]));?")
SPACE = b" \t\r\n\0\v"
MOST_ENTITIES = 100
LINK_SCHEMES = ("http", "https", "ftp", "tg", "ton", "tonsite")

Json = dict[str, Any]


class EntityError(ValueError):
    """A text the parse mode does not take; the message is Telegram's own."""


@dataclass(slots=True, kw_only=True)
class Tag:
    """A start tag that waits for its end."""

    name: str
    argument: str
    offset: int
    begin: int


@dataclass(slots=True)
class Reading:
    """A text being read: where we are, what is shown so far, and the tags that are open."""

    text: bytes
    at: int = 0
    shown: list[str] = field(default_factory=list)
    offset: int = 0
    open: list[Tag] = field(default_factory=list)
    entities: list[Json] = field(default_factory=list)

    def show(self, text: str) -> None:
        """Add text that the reader of the message sees."""
        self.shown.append(text)
        self.offset += utf16_length(text)

    def skip_space(self) -> None:
        """Go on to the next byte that is no blank; the end of the text is none."""
        while self.text[self.at] and self.text[self.at] in SPACE:
            self.at += 1

    def take_until(self, stops: bytes) -> bytes:
        """The bytes up to the next of these."""
        begin = self.at
        while self.text[self.at] not in stops:
            self.at += 1
        return self.text[begin : self.at]


def utf16_length(text: str) -> int:
    """The length of a text as entities count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def parse_html(text: str) -> tuple[str, list[Json]]:
    """The text that is shown and its entities; raises EntityError with Telegram's own words."""
    reading = Reading(text.replace("\0", " ").encode("utf-8", "replace") + b"\0")
    while reading.at < len(reading.text) - 1:
        _step(reading)
    if reading.open:
        raise EntityError(f'Can\'t find end tag corresponding to start tag "{reading.open[-1].name}"')
    shown = "".join(reading.shown)
    ordered = sorted(reading.entities, key=lambda entity: (entity["offset"], -entity["length"]))
    return trimmed(shown, ordered)


def trimmed(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """The text without blanks around it, the entities moved along and cut to what is left."""
    kept = text.strip()
    moved = utf16_length(text[: len(text) - len(text.lstrip())])
    end = utf16_length(kept)
    fitting = []
    for entity in entities:
        first = max(entity["offset"] - moved, 0)
        last = min(entity["offset"] + entity["length"] - moved, end)
        if last > first:
            fitting.append({**entity, "offset": first, "length": last - first})
    return kept, fitting[:MOST_ENTITIES]


def checked_link(url: str) -> str | None:
    """A link as Telegram keeps it, or None where it silently drops it."""
    address = url.strip()
    if "://" not in address:
        address = f"http://{address}"
    try:
        parts = urlsplit(address)
        is_good = parts.scheme.lower() in LINK_SCHEMES and bool(parts.hostname) and " " not in parts.netloc
    except ValueError:
        return None
    if not is_good:
        return None
    return address if parts.path or parts.query or parts.fragment else f"{address}/"


def _step(reading: Reading) -> None:
    byte = reading.text[reading.at : reading.at + 1]
    if byte == b"<":
        _end_tag(reading) if reading.text[reading.at + 1 : reading.at + 2] == b"/" else _start_tag(reading)
    elif byte == b"&":
        reading.show(_reference(reading) or _next_byte(reading))
    else:
        reading.show(reading.take_until(b"<&\0").decode())


def _next_byte(reading: Reading) -> str:
    reading.at += 1
    return chr(reading.text[reading.at - 1])


def _reference(reading: Reading) -> str:
    """The character an entity stands for; empty, and nothing read, if Telegram does not know it."""
    found = REFERENCE.match(reading.text, reading.at)
    if not found:
        return ""
    by_hex, by_number, name = found.groups()
    number = int(by_hex, 16) if by_hex else int(by_number or 0)
    if not name and (number == 0 or number >= 0x10FFFF or 0xD800 <= number <= 0xDFFF):
        return ""
    reading.at = found.end()
    return NAMED[name] if name else chr(number)


def _start_tag(reading: Reading) -> None:
    begin = reading.at
    reading.at += 1
    name = reading.take_until(SPACE + b">").decode().lower()
    if not reading.text[reading.at]:
        raise EntityError(f"Unclosed start tag at byte offset {begin}")
    if name not in TYPES:
        raise EntityError(f'Unsupported start tag "{name}" at byte offset {begin}')
    argument = ""
    reading.skip_space()
    while reading.text[reading.at] != ord(">"):
        argument = _argument(name, *_attribute(reading, name, begin)) or argument
        reading.skip_space()
    reading.at += 1
    if name == "span" and argument != "spoiler":
        raise EntityError(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
    if name == "tg-emoji" and not argument.isdecimal():
        raise EntityError(f"Invalid custom emoji identifier specified at byte offset {begin}")
    reading.open.append(Tag(name=name, argument=argument, offset=reading.offset, begin=len(reading.shown)))


def _attribute(reading: Reading, tag: str, begin: int) -> tuple[str, str]:
    """One attribute of a start tag: its name and value."""
    name = reading.take_until(SPACE + b"=>").decode().lower()
    reading.skip_space()
    _check_end(reading, begin)
    if not name:
        raise EntityError(f'Empty attribute name in the tag "{tag}" at byte offset {begin}')
    if reading.text[reading.at] != ord("="):
        if (tag, name) == ("blockquote", "expandable"):
            return name, "1"
        raise EntityError(
            f'Expected equal sign in declaration of an attribute of the tag "{tag}" at byte offset {begin}'
        )
    reading.at += 1
    reading.skip_space()
    _check_end(reading, begin)
    value = _value(reading)
    _check_end(reading, begin)
    return name, value


def _value(reading: Reading) -> str:
    """An attribute's value: quoted, with entities, or a bare word of letters, digits, dots and hyphens."""
    quote = reading.text[reading.at : reading.at + 1]
    if quote not in (b'"', b"'"):
        begin = reading.at
        word = re.compile(rb"[0-9a-zA-Z.-]*").match(reading.text, begin)
        reading.at = word.end() if word else begin
        if reading.text[reading.at] not in SPACE + b">":
            raise EntityError(f"Unexpected end of name token at byte offset {begin}")
        return reading.text[begin : reading.at].decode().lower()
    reading.at += 1
    value = ""
    while reading.text[reading.at] not in quote + b"\0":
        is_reference = reading.text[reading.at] == ord("&")
        character = _reference(reading) if is_reference else ""
        if not character:
            character = _next_byte(reading) if is_reference else reading.take_until(quote + b"&\0").decode()
        value += character
    if reading.text[reading.at]:
        reading.at += 1
    return value


def _check_end(reading: Reading, begin: int) -> None:
    if not reading.text[reading.at]:
        raise EntityError(f"Unclosed start tag at byte offset {begin}")


def _argument(tag: str, name: str, value: str) -> str:
    """What an attribute means for its tag; most mean nothing."""
    if (tag, name) in (("a", "href"), ("tg-emoji", "emoji-id"), ("tg-time", "unix"), ("blockquote", "expandable")):
        return value or "1"
    if (tag, name) == ("code", "class"):
        return value.removeprefix("language-") if value.startswith("language-") else ""
    if (tag, name) == ("span", "class"):
        return value.removeprefix("tg-") if value.startswith("tg-") else ""
    return ""


def _end_tag(reading: Reading) -> None:
    begin = reading.at
    if not reading.open:
        raise EntityError(f"Unexpected end tag at byte offset {begin}")
    reading.at += 2
    name = reading.take_until(SPACE + b">").decode()
    reading.skip_space()
    if reading.text[reading.at] != ord(">"):
        raise EntityError(f"Unclosed end tag at byte offset {begin}")
    reading.at += 1
    tag = reading.open.pop()
    if name and name != tag.name:
        raise EntityError(
            f'Unmatched end tag at byte offset {begin}, expected "</{tag.name}>", found "</{name}>"',
        )
    if reading.offset > tag.offset:
        _close(reading, tag)


def _close(reading: Reading, tag: Tag) -> None:
    entity: Json = {"offset": tag.offset, "length": reading.offset - tag.offset, "type": TYPES[tag.name]}
    if tag.name == "a":
        url = checked_link(tag.argument or "".join(reading.shown[tag.begin :]))
        if url is None:
            return
        entity["url"] = url
    elif tag.name == "tg-emoji":
        entity["custom_emoji_id"] = tag.argument
    elif tag.name == "blockquote" and tag.argument:
        entity["type"] = "expandable_blockquote"
    elif tag.name == "code" and tag.argument:
        entity["language"] = tag.argument
    elif tag.name == "pre":
        _take_language(reading, entity)
    reading.entities.append(entity)


def _take_language(reading: Reading, pre: Json) -> None:
    """`<pre><code class="language-x">` is one entity with a language."""
    last = reading.entities[-1] if reading.entities else {}
    is_inner = last.get("type") == "code" and (last["offset"], last["length"]) == (pre["offset"], pre["length"])
    if is_inner and "language" in last:
        pre["language"] = reading.entities.pop()["language"]
