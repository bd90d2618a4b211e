"""Everything one bot has at Telegram: its chats, messages, sends and the buttons pressed.

Nothing here knows of HTTP; whoever calls holds the internet's lock.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil

from inforadar.simulator.telegram.chats import Chat, ChatKind, Json, Message, Press, Refusal, Revision, Sent, User
from inforadar.simulator.telegram.markup import buttons_of
from inforadar.simulator.telegram.problems import OLD_QUERY, REFUSALS, ApiError, bad_request, too_many

SUPERGROUP_IDS = -1_001_000_000_000


class Office:
    """The state behind the Bot API; `passed_s` is the clock of the rate limit."""

    def __init__(self, passed_s: Callable[[], float]) -> None:
        self.chats: dict[int, Chat] = {}
        self.users: dict[int, User] = {}
        self.messages: dict[tuple[int, int], Message] = {}
        self.sends: list[Sent] = []
        self.presses: dict[str, Press] = {}
        self._passed_s = passed_s
        self._last_ids: dict[int, int] = {}
        self._free_at_s: dict[int, float] = {}

    def user(self, user_id: int) -> User:
        """The person with this id, made up at the first sight."""
        if user_id not in self.users:
            self.users[user_id] = User(
                id=user_id,
                first_name="User",
                last_name=str(user_id),
                username=f"user_{user_id}",
                language_code="en",
            )
        return self.users[user_id]

    def open_chat(self, chat_id: int, kind: ChatKind = "private", title: str = "") -> Chat:
        """Let a chat exist; one that exists already stays as it is."""
        if chat_id not in self.chats:
            person = self.user(chat_id) if kind == "private" else None
            self.chats[chat_id] = Chat(id=chat_id, kind=kind, title=title or f"Chat {chat_id}", person=person)
        return self.chats[chat_id]

    def refuse(self, chat_id: int, refusal: Refusal) -> None:
        """Let the bot be blocked, its user be gone, or be thrown out; empty = it may write again."""
        self.chats[chat_id] = replace(self.chats[chat_id], refusal=refusal)

    def migrate(self, chat_id: int) -> int:
        """Upgrade a group to a supergroup; its new id."""
        group = self.chats[chat_id]
        new_id = SUPERGROUP_IDS - abs(chat_id)
        self.chats[chat_id] = replace(group, migrated_to=new_id)
        self.open_chat(new_id, "supergroup", group.title)
        return new_id

    def writable(self, chat_id: int) -> Chat:
        """The chat if the bot may write there."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise bad_request("chat not found")
        if chat.migrated_to is not None:
            moved = "group chat was upgraded to a supergroup chat"
            raise ApiError(400, f"Bad Request: {moved}", {"migrate_to_chat_id": chat.migrated_to})
        if chat.refusal:
            raise ApiError(403, REFUSALS[chat.refusal])
        return chat

    def keep_pace(self, chat_id: int, interval_s: float) -> None:
        """Count a message against the chat's rate limit."""
        now_s = self._passed_s()
        wait_s = self._free_at_s.get(chat_id, now_s) - now_s
        if interval_s and wait_s > 0:
            raise too_many(max(1, ceil(wait_s)))
        self._free_at_s[chat_id] = now_s + interval_s

    def post(self, chat: Chat, sender: User, revision: Revision) -> Message:
        """Put a new message into a chat."""
        message_id = self._last_ids.get(chat.id, 0) + 1
        self._last_ids[chat.id] = message_id
        message = Message(chat=chat, message_id=message_id, sender=sender, revisions=(revision,))
        self.messages[chat.id, message_id] = message
        return message

    def log_send(self, message: Message, *, parse_mode: str, is_silent: bool, is_answered: bool) -> None:
        """Note an accepted sendMessage."""
        buttons = buttons_of(message.latest.markup)
        sent = Sent(
            number=len(self.sends) + 1,
            at=message.latest.at,
            chat_id=message.chat.id,
            message_id=message.message_id,
            text=message.text,
            source=message.latest.source,
            parse_mode=parse_mode,
            is_silent=is_silent,
            callback_data=tuple(button["callback_data"] for button in buttons if "callback_data" in button),
            urls=tuple(button["url"] for button in buttons if "url" in button),
            is_answered=is_answered,
        )
        self.sends.append(sent)

    def message(self, chat_id: int, message_id: int) -> Message | None:
        """A message that is still there."""
        message = self.messages.get((chat_id, message_id))
        return None if message is None or message.is_deleted else message

    def store(self, message: Message) -> Message:
        """Keep a message as it has become."""
        self.messages[message.chat.id, message.message_id] = message
        return message

    def note_press(self, press: Press) -> None:
        """Keep a pressed button until it is answered."""
        self.presses[press.query_id] = press

    def answer_press(self, query_id: str, text: str, now: datetime, ttl_s: float) -> None:
        """Note the answer to a callback query; one that is unknown or too old is an error."""
        press = self.presses.get(query_id)
        if press is None or now - press.at > timedelta(seconds=ttl_s):
            raise ApiError(400, OLD_QUERY)
        self.presses[query_id] = replace(press, answers=(*press.answers, text))

    def counts(self) -> Json:
        """How much there is of everything."""
        return {
            "chats": len(self.chats),
            "messages": len(self.messages),
            "sends": len(self.sends),
            "presses": len(self.presses),
        }
