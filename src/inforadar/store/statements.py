"""Reads the named SQL: `sql/<table>.sql` serves both databases, `sql/postgres/<table>.sql` overrides by name.

    -- name: item_touch
    -- One line that says what the statement does.
    UPDATE items SET last_seen_at = :now WHERE key = :key
       AND source = :source            -- if: source

Parameters are `:name`. A line that ends in `-- if: x` is left out when parameter x is None, so that an absent
filter costs no plan. In PostgreSQL every batch statement takes its rows as one JSON parameter `:rows`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal

DatabaseKind = Literal["sqlite", "postgres"]

_NAME = re.compile(r"^-- name: *(\w+)$", re.MULTILINE)
_CONDITION = re.compile(r"^(.*\S) *-- if: *(\w+)$")
PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One named SQL text; each line with the parameter it depends on, if any."""

    lines: tuple[tuple[str, str | None], ...]

    def text(self, params: Mapping[str, Any]) -> str:
        """The SQL for these parameters."""
        return "\n".join(line for line, needs in self.lines if needs is None or params[needs] is not None)


@cache
def load_statements(kind: DatabaseKind) -> Mapping[str, Statement]:
    """Every named statement as this kind of database needs it."""
    folder = files(__package__) / "sql"
    texts = read_folder(folder)
    if kind == "postgres":
        texts = {name: _to_psycopg(text) for name, text in (texts | read_folder(folder / "postgres")).items()}
    return {name: Statement(tuple(map(_line, text.splitlines()))) for name, text in texts.items()}


def read_folder(folder: Traversable) -> dict[str, str]:
    """Statement texts by name; a name given twice in one folder is a mistake."""
    texts: dict[str, str] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".sql"):
            continue
        _, *parts = _NAME.split(file.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in texts:
                raise ValueError(f"{file.name}: the statement {name} exists twice")
            texts[name] = text.strip()
    return texts


def _line(line: str) -> tuple[str, str | None]:
    condition = _CONDITION.match(line)
    return (condition[1], condition[2]) if condition else (line, None)


def _to_psycopg(text: str) -> str:
    return PARAMETER.sub(r"%(\1)s", text.replace("%", "%%"))
