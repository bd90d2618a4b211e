"""A tiny path language for JSON: names parted by dots, places in lists as [n]; nothing in it can be executed.

data.items        attributes.name        links[0].href        (empty) = the whole value
"""

import re
from typing import Any

LONGEST_PATH, MOST_STEPS = 200, 20
Steps = tuple[str | int, ...]

_STEP = re.compile(r"(?P<name>[^.\[\]\s][^.\[\]]*)|\[(?P<place>-?\d{1,6})\]")


def parse_path(text: str) -> Steps | None:
    """The steps of a path; None for what is none."""
    text = text.strip()
    if len(text) > LONGEST_PATH:
        return None
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        if steps and text[at] == ".":
            at += 1
        elif steps and text[at] != "[":
            return None
        step = _STEP.match(text, at)
        if step is None or (at and text[at - 1] == "." and step["name"] is None):
            return None
        steps.append(step["name"].strip() if step["name"] is not None else int(step["place"]))
        at = step.end()
    return tuple(steps) if len(steps) <= MOST_STEPS else None


def find(value: Any, steps: Steps) -> Any:
    """What stands at a path in a decoded JSON value; None where nothing does."""
    for step in steps:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
        if value is None:
            return None
    return value
