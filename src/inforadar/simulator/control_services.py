"""The doors of the services under `/_sim/`: what tests read of them, and the people they play there.

GET  telegram/messages?chat_id=             messages still there, with all their revisions; no chat_id = of all chats
GET  telegram/sends                         every accepted sendMessage, and how often each key was sent
GET  telegram/presses                       buttons pressed, with the answers they got
GET  telegram/updates                       updates no poll has confirmed
POST telegram/chat {chat_id, kind?, title?}
POST telegram/say {text, user_id?, chat_id?}
POST telegram/press {message_id, button, user_id?, chat_id?, revision?, data?, is_inaccessible?}
POST telegram/block {chat_id?, refusal?}, telegram/unblock {chat_id?}, telegram/migrate {chat_id}
GET  ollama/asked                           every question that got an answer
GET  sheets/cells                           every cell of the spreadsheet, with how it was entered
POST sheets/key_file {base_url}             the key file of the service account, for this address of the service
POST sheets/fill {tab, key, column, text}, sheets/delete_row {tab, key}, sheets/move_column {tab, name, to},
     sheets/add_column {tab, name, at}, sheets/share {is_shared}
POST ollama/opinion {profile, item}         what the model will think
"""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from inforadar.simulator.internet import Internet
from inforadar.simulator.sheets.service import TOKEN_PATH, Sheets
from inforadar.simulator.telegram.chats import Message
from inforadar.simulator.wire import Pairs, first

Json = dict[str, Any]


def _messages(internet: Internet, params: Pairs) -> Json:
    chat_id = first(params, "chat_id")
    found = internet.telegram.messages(int(chat_id) if chat_id else None)
    return {"messages": [_shown(message) for message in found]}


def _shown(message: Message) -> Json:
    revisions = [_plain(asdict(revision)) for revision in message.revisions]
    return {**message.as_json(), "buttons": list(message.buttons), "revisions": revisions}


def _sends(internet: Internet, _: Pairs) -> Json:
    telegram = internet.telegram
    return {"sends": [_plain(asdict(sent)) for sent in telegram.sends], "by_key": dict(telegram.sends_by())}


def _presses(internet: Internet, _: Pairs) -> Json:
    return {"presses": [_plain(asdict(press)) for press in internet.telegram.presses]}


def _updates(internet: Internet, _: Pairs) -> Json:
    return {"updates": internet.telegram.pending_updates}


def _chat(internet: Internet, body: Json) -> Json:
    return internet.telegram.add_chat(**body).as_json()


def _say(internet: Internet, body: Json) -> Json:
    return internet.telegram.say(**body)


def _press(internet: Internet, body: Json) -> Json:
    values = dict(body)
    return internet.telegram.press(int(values.pop("message_id")), values.pop("button", 0), **values)


def _block(internet: Internet, body: Json) -> Json:
    internet.telegram.block(**body)
    return {}


def _unblock(internet: Internet, body: Json) -> Json:
    internet.telegram.unblock(**body)
    return {}


def _migrate(internet: Internet, body: Json) -> Json:
    return {"chat_id": internet.telegram.migrate(**body)}


def _asked(internet: Internet, _: Pairs) -> Json:
    return {"asked": [asked.as_json() for asked in internet.ollama.asked]}


def _opinion(internet: Internet, body: Json) -> Json:
    opinion = internet.ollama.opinion(body["profile"], body["item"])
    return {**asdict(opinion), "reason": opinion.reason, "is_relevant": opinion.is_relevant}


def _cells(internet: Internet, _: Pairs) -> Json:
    shown = [
        {"tab": tab, "row": row, "column": column, **asdict(cell), "is_formula": cell.is_formula}
        for tab, row, column, cell in internet.sheets.cells()
    ]
    return {"cells": shown}


def _key_file(internet: Internet, body: Json) -> Json:
    return internet.sheets.account.key_file(f"{body['base_url']}{TOKEN_PATH}")


def _owner(does: Callable[..., None]) -> Callable[[Internet, Any], Json]:
    def act(internet: Internet, body: Json) -> Json:
        does(internet.sheets, **body)
        return {}

    return act


def _plain(values: Json) -> Json:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


READ: dict[str, Callable[[Internet, Any], Json]] = {
    "telegram/messages": _messages,
    "telegram/sends": _sends,
    "telegram/presses": _presses,
    "telegram/updates": _updates,
    "ollama/asked": _asked,
    "sheets/cells": _cells,
}
CHANGE: dict[str, Callable[[Internet, Any], Json]] = {
    "telegram/chat": _chat,
    "telegram/say": _say,
    "telegram/press": _press,
    "telegram/block": _block,
    "telegram/unblock": _unblock,
    "telegram/migrate": _migrate,
    "ollama/opinion": _opinion,
    "sheets/key_file": _key_file,
    "sheets/fill": _owner(Sheets.fill),
    "sheets/delete_row": _owner(Sheets.delete_row),
    "sheets/move_column": _owner(Sheets.move_column),
    "sheets/add_column": _owner(Sheets.add_column),
    "sheets/share": _owner(Sheets.share),
}
