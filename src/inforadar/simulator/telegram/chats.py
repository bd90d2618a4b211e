"""Users, chats, messages with all their revisions, and the log of what was sent."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from inforadar.simulator.telegram.markup import buttons_of

ChatKind = Literal["private", "group", "supergroup", "channel"]
Refusal = Literal["", "blocked", "deactivated", "kicked"]
Json = dict[str, Any]
NAMES = ("first_name", "last_name", "username")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person, or the bot itself."""

    id: int
    first_name: str
    last_name: str = ""
    username: str = ""
    language_code: str = ""
    is_bot: bool = False

    def as_json(self) -> Json:
        """The user as updates and messages name one; what is empty is left out."""
        named = {
            "last_name": self.last_name,
            "username": self.username,
            "language_code": self.language_code,
        }
        shown = {name: value for name, value in named.items() if value}
        return {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name, **shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat the bot may be in; `refusal` says why it may not write there."""

    id: int
    kind: ChatKind = "private"
    title: str = ""
    person: User | None = None
    refusal: Refusal = ""
    migrated_to: int | None = None

    def as_json(self) -> Json:
        """The chat as messages name it: a private one by its person, others by their title."""
        if self.person is None:
            return {"id": self.id, "title": self.title, "type": self.kind}
        person = self.person.as_json()
        names = {name: value for name, value in person.items() if name in NAMES}
        return {"id": self.id, **names, "type": self.kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a message said from a moment on; `source` is the text as the bot sent it, before parsing."""

    at: datetime
    text: str
    entities: tuple[Json, ...] = ()
    markup: Json | None = None
    source: str = ""

    def says_the_same(self, other: "Revision") -> bool:
        """Whether a reader could not tell the two apart."""
        return (self.text, self.entities, self.markup) == (other.text, other.entities, other.markup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a chat, with everything it ever said, oldest first."""

    chat: Chat
    message_id: int
    sender: User
    revisions: tuple[Revision, ...]
    is_deleted: bool = False

    @property
    def latest(self) -> Revision:
        """What it says now."""
        return self.revisions[-1]

    @property
    def text(self) -> str:
        """The text it shows now."""
        return self.latest.text

    @property
    def buttons(self) -> tuple[str, ...]:
        """The texts of the buttons it shows now."""
        return tuple(button["text"] for button in buttons_of(self.latest.markup))

    def edited(self, revision: Revision) -> "Message":
        """The message after an edit."""
        return replace(self, revisions=(*self.revisions, revision))

    def as_json(self, number: int = -1) -> Json:
        """The message as the Bot API gives it, with its so-manieth revision."""
        revision = self.revisions[number]
        shown: Json = {
            "message_id": self.message_id,
            "from": self.sender.as_json(),
            "chat": self.chat.as_json(),
            "date": int(self.revisions[0].at.timestamp()),
        }
        if revision is not self.revisions[0]:
            shown["edit_date"] = int(revision.at.timestamp())
        shown["text"] = revision.text
        if revision.entities:
            shown["entities"] = [dict(entity) for entity in revision.entities]
        if revision.markup:
            shown["reply_markup"] = revision.markup
        return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One accepted sendMessage; `is_answered` is False where the bot could not learn of it."""

    number: int
    at: datetime
    chat_id: int
    message_id: int
    text: str
    source: str
    parse_mode: str
    is_silent: bool
    callback_data: tuple[str, ...]
    urls: tuple[str, ...]
    is_answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button that was pressed, and what the bot answered to it so far."""

    query_id: str
    at: datetime
    user_id: int
    chat_id: int
    message_id: int
    data: str
    answers: tuple[str, ...] = ()
