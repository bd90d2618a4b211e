"""Telegram's HTML as strictly as it reads it, written from its rules alone: what is shown, and the links in it."""

import re

TAGS = {"a", "b", "s"}
_PART = re.compile(r"<(?P<end>/?)(?P<name>[a-z]+)(?: href=\"(?P<href>[^\"<>]*)\")?>|&(?P<entity>lt|gt|amp|quot|#x27);")
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#x27": "'"}


class NotHtml(Exception):
    """Telegram would answer: can't parse entities."""


def shown(text: str) -> tuple[str, list[str]]:
    """The text people see and the addresses of its links; raises NotHtml."""
    words: list[str] = []
    links: list[str] = []
    open_tags: list[str] = []
    at = 0
    while at < len(text):
        if text[at] not in "<&":
            words.append(text[at])
            at += 1
            continue
        part = _PART.match(text, at)
        if part is None:
            raise NotHtml(f"at {at}: {text[at : at + 20]!r}")
        at = part.end()
        if part["entity"]:
            words.append(ENTITIES[part["entity"]])
        else:
            _tag(part, open_tags, links)
    if open_tags:
        raise NotHtml(f"never closed: {open_tags}")
    return "".join(words), links


def _tag(part: re.Match[str], open_tags: list[str], links: list[str]) -> None:
    name = part["name"]
    if name not in TAGS:
        raise NotHtml(f"no such tag: {name}")
    if part["end"]:
        if not open_tags or open_tags.pop() != name:
            raise NotHtml(f"unmatched end of {name}")
        return
    open_tags.append(name)
    if name == "a":
        links.append(re.sub(r"&([a-z#0-9]+);", lambda found: ENTITIES[found[1]], part["href"] or ""))


def utf16_units(text: str) -> int:
    """The length as Telegram's entities count it; at least the number of characters."""
    return len(text.encode("utf-16-le")) // 2
