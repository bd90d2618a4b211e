"""What each door under `/_sim/` takes, as people are told it: query parameters for GET, a JSON body for POST."""

from collections.abc import Mapping

ONE = "{source, id}"
TAKES: Mapping[str, str] = {
    "state": "",
    "log": "?source=",
    "truth": "?source=&since=&until=",
    "labels": "",
    "telegram/messages": "?chat_id=",
    "telegram/sends": "",
    "telegram/presses": "",
    "telegram/updates": "",
    "ollama/asked": "",
    "sheets/cells": "",
    "advance": "{seconds} or {to}",
    "faults": "[{kind, source?, scope?, method?, after?, count?, probability?, seconds?, status?}, ...]",
    "rules": "{name: value} of those that GET state shows",
    "script": "[{source, before_list, do, ...}, ...]",
    "reset": "",
    "down": "{name, since?, until?, status?}",
    "up": "{name}",
    "add": "{source, id?, title?, company?, city?, published_at?}",
    "withdraw": "{source, id, closing?}",
    "bump": ONE,
    "edit": "{source, id, title?, company?, city?, salary?}",
    "hide": ONE,
    "show": ONE,
    "page": "{source, id, state, visits?}",
    "telegram/chat": "{chat_id, kind?, title?}",
    "telegram/say": "{text, user_id?, chat_id?}",
    "telegram/press": "{message_id, button, user_id?, chat_id?}",
    "telegram/block": "{chat_id?, refusal?}",
    "telegram/unblock": "{chat_id?}",
    "telegram/migrate": "{chat_id}",
    "ollama/opinion": "{profile, item}",
    "sheets/key_file": "{base_url}",
    "sheets/fill": "{tab, key, column, text}",
    "sheets/delete_row": "{tab, key}",
    "sheets/move_column": "{tab, name, to}",
    "sheets/add_column": "{tab, name, at}",
    "sheets/share": "{is_shared}",
}


def told(method: str, name: str) -> str:
    """One door in a line: `POST /_sim/up {name}`."""
    gap = " " if method == "POST" and TAKES[name] else ""
    return f"{method} /_sim/{name}{gap}{TAKES[name]}"
