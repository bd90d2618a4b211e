"""What a model was asked: the messages, how much of them fits its context, and where the item stands in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

CHARS_PER_TOKEN = 4
DEFAULT_CONTEXT = 4096
ITEM = re.compile(r"<((?:item|vacancy|posting|article|untrusted|data|text)[\w-]*)\b[^<>]*>(.*)</\1[^<>]*>", re.S | re.I)
PROFILE = re.compile(r"<(profile[\w-]*)\b[^<>]*>(.*?)</\1>", re.S | re.I)
PROFILE_LINE = re.compile(r"^\W*profile(?:\W*:[ \t]*|[ \t]*\n)(.+)$", re.M | re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to the model, freed from the door it came through."""

    door: str
    model: str
    messages: tuple[tuple[str, str], ...]
    schema: Any = None
    is_streamed: bool = False
    thinks: bool = False
    context: int = DEFAULT_CONTEXT
    limit: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The part of a question the model reads, taken apart."""

    text: str
    profile: str
    item: str
    tokens: int
    is_truncated: bool


def read_prompt(ask: Ask) -> Prompt:
    """What the model reads: the end of a prompt that is longer than its context, without a word about it."""
    whole = "\n".join(content for _, content in ask.messages)
    tokens = token_count(whole)
    is_truncated = tokens > ask.context
    text = whole[-ask.context * CHARS_PER_TOKEN :] if is_truncated else whole
    last = next((content for role, content in reversed(ask.messages) if role == "user"), "")
    item = item_part(last[-len(text) :])
    return Prompt(
        text=text,
        profile=profile_part(text, item),
        item=item,
        tokens=min(tokens, ask.context),
        is_truncated=is_truncated,
    )


def token_count(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARS_PER_TOKEN)


def item_part(text: str) -> str:
    """The item inside a user message: what stands between item tags, else all of it."""
    marked = ITEM.search(text)
    return (marked[2] if marked else text).strip()


def profile_part(text: str, item: str) -> str:
    """The profile inside a prompt: between profile tags, after `Profile:`, else all that is not the item."""
    around = text.replace(item, " ") if item else text
    marked = PROFILE.search(around)
    if marked:
        return marked[2].strip()
    line = PROFILE_LINE.search(around)
    return (line[1] if line else around).strip()


def messages_of(values: Any) -> tuple[tuple[str, str], ...]:
    """Role and text of each message; content in parts is joined."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        return ()
    return tuple((str(message.get("role", "")), _content(message.get("content"))) for message in values)


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
