"""Secrets: values that never show themselves, and the register that takes them out of any text."""

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "***"
SHORTEST_MASKED = 4


class Secret:
    """A value that shows as `***`; ask `reveal()` at the one place that sends it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself."""
        return self._value

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not copied into other processes or files")


class Secrets:
    """The secret values this process knows, masked by value wherever they turn up.

    Values shorter than SHORTEST_MASKED are not masked: they would blot out ordinary text.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._spellings: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for value in values:
            self.add(value)

    def add(self, value: str | Secret) -> None:
        """Mask this value from now on, also as it is spelled in URLs, JSON and representations."""
        plain = value.reveal() if isinstance(value, Secret) else value
        if len(plain) < SHORTEST_MASKED:
            return
        escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
        self._spellings |= {
            plain,
            quote(plain),
            quote(plain, safe=""),
            quote_plus(plain),
            escaped,
            repr(plain)[1:-1],
        }
        longest_first = sorted(self._spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def scrub(self, text: str) -> str:
        """The text with every known secret replaced by `***`."""
        return self._pattern.sub(MASK, text) if self._pattern else text
