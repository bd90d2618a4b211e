"""What people do in Telegram, played by tests: they write, press buttons, block the bot."""

import threading
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b

from inforadar.simulator.telegram.chats import Chat, ChatKind, Json, Message, Press, Refusal, Revision, Sent, User
from inforadar.simulator.telegram.html import utf16_length
from inforadar.simulator.telegram.markup import buttons_of
from inforadar.simulator.telegram.office import Office
from inforadar.simulator.telegram.polling import Updates
from inforadar.simulator.world import World

HOME_CHAT = 1


class People:
    """Everyone at the other end of the bot; safe to use from any thread."""

    def __init__(self, world: World, office: Office, updates: Updates, condition: threading.Condition) -> None:
        self._world = world
        self._office = office
        self._updates = updates
        self._condition = condition
        self.add_chat(HOME_CHAT)

    def add_chat(self, chat_id: int, kind: ChatKind = "private", title: str = "") -> Chat:
        """Let a chat exist that the bot may write to; a private one has the id of its person."""
        with self._condition:
            return self._office.open_chat(chat_id, kind, title)

    def say(self, text: str, user_id: int = HOME_CHAT, chat_id: int | None = None) -> Json:
        """Let someone write to the bot, in private unless a chat is named; this lets a blocked bot in again."""
        with self._condition:
            home = chat_id or user_id
            self._office.open_chat(home, "private" if home == user_id else "group")
            self._office.refuse(home, "")
            revision = Revision(at=self._world.now, text=text, entities=_commands(text), source=text)
            message = self._office.post(self._office.chats[home], self._office.user(user_id), revision)
            return self._updates.add("message", message.as_json())

    def press(
        self,
        message_id: int,
        button: str | int,
        *,
        user_id: int | None = None,
        chat_id: int = HOME_CHAT,
        revision: int = -1,
        data: str | None = None,
        is_inaccessible: bool = False,
    ) -> Json:
        """Let someone press a button, named by its text or its place (from 0); the update the bot will get.

        `revision` presses it on what the message said earlier, `data` forges what the button carries, and an
        inaccessible message comes without its content, as one that is too old does.
        """
        with self._condition:
            message = self._office.messages[chat_id, message_id]
            chosen = data if data is not None else _data_of(message, button, revision)
            user = self._office.user(chat_id if user_id is None else user_id)
            press = Press(
                query_id=str(self._number("query", len(self._office.presses), 19)),
                at=self._world.now,
                user_id=user.id,
                chat_id=chat_id,
                message_id=message_id,
                data=chosen,
            )
            self._office.note_press(press)
            shown = _inaccessible(message) if is_inaccessible or message.is_deleted else message.as_json(revision)
            return self._updates.add("callback_query", self._query(press, user, shown))

    def block(self, chat_id: int = HOME_CHAT, refusal: Refusal = "blocked") -> None:
        """Let the bot be blocked, its user be deactivated, or the bot be kicked."""
        with self._condition:
            self._office.refuse(chat_id, refusal)

    def unblock(self, chat_id: int = HOME_CHAT) -> None:
        """Let the bot write again."""
        self.block(chat_id, "")

    def migrate(self, chat_id: int) -> int:
        """Upgrade a group to a supergroup; the new chat id."""
        with self._condition:
            return self._office.migrate(chat_id)

    def messages(self, chat_id: int | None = HOME_CHAT) -> list[Message]:
        """The messages still in a chat, or in all of them, oldest first; the people's own among them."""
        with self._condition:
            return [
                message
                for message in self._office.messages.values()
                if not message.is_deleted and chat_id in (None, message.chat.id)
            ]

    def message(self, message_id: int, chat_id: int = HOME_CHAT) -> Message:
        """One message, deleted or not, with all its revisions; KeyError if there was never one."""
        with self._condition:
            return self._office.messages[chat_id, message_id]

    @property
    def sends(self) -> list[Sent]:
        """Every accepted sendMessage, in order."""
        with self._condition:
            return list(self._office.sends)

    def sends_by(self, key: Callable[[Sent], str] | None = None) -> Counter[str]:
        """How often each key was sent; a key is the first button's data, else the text, unless told."""
        return Counter(map(key or _key_of, self.sends))

    @property
    def presses(self) -> list[Press]:
        """Every button pressed so far, with the answers it got."""
        with self._condition:
            return list(self._office.presses.values())

    @property
    def is_polled(self) -> bool:
        """Whether a long poll waits for an update right now."""
        with self._condition:
            return self._updates.is_polled

    @property
    def pending_updates(self) -> list[Json]:
        """The updates no poll has confirmed yet."""
        with self._condition:
            return list(self._updates.queue)

    def _query(self, press: Press, user: User, message: Json) -> Json:
        return {
            "id": press.query_id,
            "from": user.as_json(),
            "message": message,
            "chat_instance": str(self._number("instance", press.chat_id, 19)),
            "data": press.data,
        }

    def _number(self, what: str, which: int, digits: int) -> int:
        digest = blake2b(f"{self._world.seed}/{what}/{which}".encode(), digest_size=16).digest()
        least = int("1".ljust(digits, "0"))
        return least + int.from_bytes(digest, "big") % (8 * least)


def _key_of(sent: Sent) -> str:
    return next(iter(sent.callback_data), sent.text)


def _data_of(message: Message, button: str | int, revision: int) -> str:
    buttons = buttons_of(message.revisions[revision].markup)
    named = buttons[button : button + 1] if isinstance(button, int) else [b for b in buttons if b["text"] == button]
    if not named:
        raise ValueError(f"no button {button!r}; there are {[shown['text'] for shown in buttons]}")
    if "callback_data" not in named[0]:
        raise ValueError(f"the button {button!r} opens {named[0]['url']}; the bot hears nothing of it")
    return str(named[0]["callback_data"])


def _inaccessible(message: Message) -> Json:
    return {"chat": message.chat.as_json(), "message_id": message.message_id, "date": 0}


def _commands(text: str) -> tuple[Json, ...]:
    if not text.startswith("/"):
        return ()
    return ({"offset": 0, "length": utf16_length(text.split()[0]), "type": "bot_command"},)
