"""Which answers may be kept and used again, and under which name.

The newest page of a list is what a sweep is for, and its other pages must be as fresh as their neighbours for the
seams between them to hold. So only items' own pages are kept, unless the user asks for more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, TypeVar

from inforadar.domain.errors import SourceError
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer, Request

OK = 200
T = TypeVar("T")


class Kept(Protocol):
    """Answers by key."""

    def get(self, key: str) -> Answer | None:
        """The answer kept under a key."""
        ...

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """Answers kept for a while; `pages`: also those of lists, `newest_page`: even the first of a list."""

    kept: Kept
    pages: bool = False
    newest_page: bool = False

    def may_keep(self, position: Position | None) -> bool:
        """Whether an answer may be used again: to a request for a page of a list, or None for an item's own page."""
        if position is None:
            return True
        is_newest = position.offset == 0 and position.window is None
        return self.newest_page if is_newest else self.pages

    def find(self, key: str, read: Callable[[Answer], T]) -> T | None:
        """What a kept answer says; one that cannot be read any more is as good as none."""
        answer = self.kept.get(key)
        try:
            return read(answer) if answer else None
        except SourceError:
            return None

    def keeping(self, key: str, read: Callable[[Answer], T]) -> Callable[[Answer], T]:
        """Reads an answer and keeps it if it is a good one."""

        def read_and_keep(answer: Answer) -> T:
            found = read(answer)
            if answer.status == OK:
                self.kept.put(key, answer)
            return found

        return read_and_keep


def cache_key(base_url: str, request: Request) -> str:
    """The same for two requests that ask the same; who asks (headers, tokens) is no part of it."""
    parts = [
        request.url or base_url.rstrip("/"),
        request.path,
        *(f"{name}={value}" for name, value in sorted(request.params)),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()
