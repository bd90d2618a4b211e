"""What a button carries: the verb, the match and the act it is about, and a seal that only this bot can make.

    a1284.0.Qx3kP0aLz9Yt        verb letter, match id, act id (0 = none), seal

The seal is made with the bot's token over the match's source and key too, so that a button of another database,
where the same number means something else, is refused like a forged one.
"""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from typing import Literal

Verb = Literal["applied", "not interested", "later", "undo", "test"]
LETTERS: dict[Verb, str] = {"applied": "a", "not interested": "n", "later": "l", "undo": "u", "test": "t"}
LONGEST = 64
SEAL_BYTES = 9

_VERBS: dict[str, Verb] = {letter: verb for verb, letter in LETTERS.items()}
_DATA = re.compile(r"([anlut])([0-9]{1,18})\.([0-9]{1,18})\.([A-Za-z0-9_-]{12})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """What a button does; `act_id` is what an undo takes back."""

    verb: Verb
    match_id: int
    act_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A button as it came back, with the seal it bears; nothing is proved yet."""

    button: Button
    seal: str


def encode(button: Button, *, source: str, key: str, token: str) -> str:
    """The callback data of a button on the match of this source and key."""
    seal = _seal(button, source=source, key=key, token=token)
    return f"{LETTERS[button.verb]}{button.match_id}.{button.act_id or 0}.{seal}"


def decode(data: str) -> Sealed | None:
    """The button in callback data; None if it is none of ours."""
    found = _DATA.fullmatch(data)
    if found is None:
        return None
    button = Button(verb=_VERBS[found[1]], match_id=int(found[2]), act_id=int(found[3]) or None)
    return Sealed(button=button, seal=found[4])


def is_genuine(sealed: Sealed, *, source: str, key: str, token: str) -> bool:
    """Whether this bot made the button, for the match of this source and key."""
    return hmac.compare_digest(sealed.seal, _seal(sealed.button, source=source, key=key, token=token))


def _seal(button: Button, *, source: str, key: str, token: str) -> str:
    said = json.dumps([button.verb, button.match_id, source, key, button.act_id])
    made = hmac.digest(token.encode("utf-8", "surrogatepass"), said.encode("ascii"), hashlib.sha256)
    return base64.urlsafe_b64encode(made[:SEAL_BYTES]).decode("ascii")
