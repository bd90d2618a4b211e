"""The Bot API of the simulator, called as real libraries call it and compared with recorded answers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inforadar.simulator.rules import Rules
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, Reply, post_form, post_json, post_multipart, visit

TOKEN = "123:ABC"
KEYBOARD = {
    "inline_keyboard": [
        [{"text": "Applied", "callback_data": "a:7"}, {"text": "Later", "callback_data": "l:7"}],
        [{"text": "Open", "url": "https://example.org/7"}],
    ]
}
SEND = {"chat_id": 1, "text": "<b>Senior</b> Python &amp; SQL", "parse_mode": "HTML", "reply_markup": KEYBOARD}
POSTS: dict[str, Callable[..., Reply]] = {"form": post_form, "multipart": post_multipart, "json": post_json}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def address(simulator: Simulator, method: str, token: str = TOKEN) -> str:
    return f"{simulator.service_urls['telegram']}/bot{token}/{method}"


def api(simulator: Simulator, method: str, **arguments: Any) -> Reply:
    return post_json(address(simulator, method), arguments)


def send(simulator: Simulator, **changes: Any) -> Any:
    return api(simulator, "sendMessage", **{**SEND, **changes}).json["result"]


def refused(reply: Reply) -> tuple[int, str]:
    assert (reply.json["ok"], reply.json["error_code"]) == (False, reply.status)
    return reply.status, reply.json["description"]


@pytest.mark.parametrize("way", POSTS)
def test_a_message_is_taken_as_form_multipart_or_json(simulator, way):
    reply = POSTS[way](address(simulator, "sendMessage"), SEND)
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.json["ok"] is True
    result = reply.json["result"]
    assert (result["message_id"], result["text"], result["date"]) == (1, "Senior Python & SQL", int(NOON.timestamp()))
    assert result["entities"] == [{"offset": 0, "length": 6, "type": "bold"}]
    assert result["reply_markup"] == KEYBOARD
    assert result["from"]["is_bot"] is True
    assert (result["chat"]["id"], result["chat"]["type"]) == (1, "private")


def test_methods_take_a_get_and_any_case(simulator):
    reply = visit(address(simulator, "SENDmessage"), {"chat_id": "1", "text": "plain <b>"})
    assert (reply.status, reply.json["result"]["text"]) == (200, "plain <b>")
    assert "entities" not in reply.json["result"]
    assert visit(address(simulator, "getme")).json["result"]["id"] == 123


def test_messages_count_from_one_in_each_chat(simulator):
    simulator.telegram.add_chat(-7, "group", "Team")
    ids = [send(simulator)["message_id"], send(simulator)["message_id"], send(simulator, chat_id=-7)["message_id"]]
    assert ids == [1, 2, 1]
    assert [message.chat.id for message in simulator.telegram.messages(None)] == [1, 1, -7]


def test_a_wrong_token_an_unknown_method_and_a_wrong_path_are_refused_in_telegrams_words(simulator):
    simulator.change_rules(telegram_token="123:GOOD")
    assert refused(visit(address(simulator, "getMe"))) == (401, "Unauthorized")
    assert refused(visit(address(simulator, "getMe", "nonsense"))) == (401, "Unauthorized: invalid token specified")
    assert visit(address(simulator, "getMe", "123:GOOD")).status == 200
    assert refused(visit(address(simulator, "getMoon", "123:GOOD"))) == (404, "Not Found: method not found")
    assert refused(visit(simulator.service_urls["telegram"] + "/getMe")) == (404, "Not Found")


@pytest.mark.parametrize(
    ("changes", "description"),
    [
        ({"chat_id": 404}, "Bad Request: chat not found"),
        ({"chat_id": ""}, "Bad Request: chat_id is empty"),
        ({"text": ""}, "Bad Request: message text is empty"),
        ({"text": "<b> </b>"}, "Bad Request: message text is empty"),
        ({"parse_mode": "Markdown"}, "Bad Request: unsupported parse_mode"),
        (
            {"text": "<p>x</p>"},
            'Bad Request: can\'t parse entities: Unsupported start tag "p" at byte offset 0',
        ),
        ({"reply_markup": "{"}, "Bad Request: can't parse reply keyboard markup JSON object"),
        ({"reply_markup": {"inline_keyboard": [[{"text": "A", "callback_data": "я" * 33}]]}}, "BUTTON_DATA_INVALID"),
        ({"reply_markup": {"inline_keyboard": [[{"text": "A", "callback_data": ""}]]}}, "BUTTON_DATA_INVALID"),
        (
            {"reply_markup": {"inline_keyboard": [[{"text": "A", "url": "javascript:alert(1)"}]]}},
            "Bad Request: inline keyboard button URL 'javascript:alert(1)' is invalid: Unsupported URL protocol",
        ),
    ],
)
def test_what_telegram_does_not_take_is_refused_in_its_words_and_sends_nothing(simulator, changes, description):
    status, said = refused(api(simulator, "sendMessage", **{**SEND, **changes}))
    assert status == 400
    assert said.removeprefix("Bad Request: ") == description.removeprefix("Bad Request: ")
    assert simulator.telegram.sends == []


def test_a_text_may_have_4096_characters_after_parsing_and_data_64_bytes(simulator):
    assert len(send(simulator, text="<b>" + "😀" * 4096 + "</b>")["text"]) == 4096
    assert refused(api(simulator, "sendMessage", **{**SEND, "text": "&amp;" * 4097})) == (
        400,
        "Bad Request: message is too long",
    )
    data = {"inline_keyboard": [[{"text": "A", "callback_data": "я" * 32}]]}
    assert send(simulator, reply_markup=data)["reply_markup"] == data


def test_entities_can_be_given_instead_of_a_parse_mode(simulator):
    bold = [{"type": "bold", "offset": 0, "length": 2}]
    reply = api(simulator, "sendMessage", chat_id=1, text="<b>", entities=bold)
    assert (reply.json["result"]["text"], reply.json["result"]["entities"]) == ("<b>", bold)


def test_an_edit_keeps_the_id_and_every_revision_and_drops_the_keyboard_it_is_not_given(simulator):
    sent = send(simulator)
    simulator.advance(60)
    edited = api(simulator, "editMessageText", chat_id=1, message_id=1, text="<s>old</s>", parse_mode="HTML").json
    assert edited["result"]["message_id"] == sent["message_id"]
    assert edited["result"]["edit_date"] == sent["date"] + 60
    assert "reply_markup" not in edited["result"]
    message = simulator.telegram.message(1)
    assert [revision.text for revision in message.revisions] == ["Senior Python & SQL", "old"]
    assert message.latest.entities == ({"offset": 0, "length": 3, "type": "strikethrough"},)
    assert (message.revisions[0].source, message.buttons) == (SEND["text"], ())


def test_a_keyboard_can_be_edited_alone_and_the_same_content_again_is_an_error(simulator):
    send(simulator)
    undo = {"inline_keyboard": [[{"text": "Undo", "callback_data": "u:7"}]]}
    arguments = {"chat_id": 1, "message_id": 1, "reply_markup": undo}
    assert api(simulator, "editMessageReplyMarkup", **arguments).json["result"]["reply_markup"] == undo
    again = refused(api(simulator, "editMessageReplyMarkup", **arguments))
    assert again == (
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message",
    )
    same = {**arguments, "text": SEND["text"], "parse_mode": "HTML"}
    assert refused(api(simulator, "editMessageText", **same)) == again
    assert simulator.telegram.message(1).text == "Senior Python & SQL"


def test_only_messages_of_the_bot_that_are_there_can_be_edited_or_deleted(simulator):
    simulator.telegram.say("/start")
    send(simulator)
    missing = {"chat_id": 1, "message_id": 99, "text": "x"}
    assert refused(api(simulator, "editMessageText", **missing))[1] == "Bad Request: message to edit not found"
    assert refused(api(simulator, "deleteMessage", **missing))[1] == "Bad Request: message to delete not found"
    theirs = {"chat_id": 1, "message_id": 1, "text": "x"}
    assert refused(api(simulator, "editMessageText", **theirs))[1] == "Bad Request: message can't be edited"
    assert api(simulator, "deleteMessage", chat_id=1, message_id=2).json["result"] is True
    assert refused(api(simulator, "deleteMessage", chat_id=1, message_id=2))[0] == 400
    assert [message.text for message in simulator.telegram.messages()] == ["/start"]


def test_a_blocked_bot_is_refused_until_the_user_writes_again(simulator):
    for refusal, said in (
        ("blocked", "Forbidden: bot was blocked by the user"),
        ("deactivated", "Forbidden: user is deactivated"),
        ("kicked", "Forbidden: bot was kicked from the supergroup chat"),
    ):
        simulator.telegram.block(1, refusal)
        assert refused(api(simulator, "sendMessage", **SEND)) == (403, said)
    simulator.telegram.say("hello again")
    assert api(simulator, "sendMessage", **SEND).status == 200


def test_a_group_that_became_a_supergroup_tells_its_new_id(simulator):
    simulator.telegram.add_chat(-42, "group", "Team")
    new_id = simulator.telegram.migrate(-42)
    reply = api(simulator, "sendMessage", **{**SEND, "chat_id": -42})
    assert refused(reply) == (400, "Bad Request: group chat was upgraded to a supergroup chat")
    assert reply.json["parameters"] == {"migrate_to_chat_id": new_id}
    assert send(simulator, chat_id=new_id)["chat"] == {"id": new_id, "title": "Team", "type": "supergroup"}


def test_a_chat_can_be_looked_up_and_shown_that_the_bot_types(simulator):
    assert api(simulator, "getChat", chat_id=1).json["result"]["first_name"] == "User"
    assert refused(api(simulator, "getChat", chat_id=2)) == (400, "Bad Request: chat not found")
    assert api(simulator, "sendChatAction", chat_id=1, action="typing").json["result"] is True


def test_a_chat_can_be_held_to_one_message_a_second():
    with Simulator(World(seed=1, start_at=NOON), rules=Rules(telegram_chat_interval_s=30)) as simulator:
        assert api(simulator, "sendMessage", **SEND).status == 200
        slowed = api(simulator, "sendMessage", **SEND)
        assert refused(slowed) == (429, "Too Many Requests: retry after 30")
        assert (slowed.json["parameters"], slowed.headers["Retry-After"]) == ({"retry_after": 30}, "30")
        simulator.advance(31)
        assert api(simulator, "sendMessage", **SEND).status == 200
        assert len(simulator.telegram.sends) == 2


def test_the_errors_are_those_that_were_recorded(simulator, samples: Path):
    lines = (samples / "articles_sinks/telegram/errors.jsonl").read_text().splitlines()
    recorded = {json.loads(line)["body"]["description"]: json.loads(line) for line in lines}
    simulator.telegram.block()
    blocked = api(simulator, "sendMessage", **SEND)
    simulator.telegram.unblock()
    old = api(simulator, "answerCallbackQuery", callback_query_id="5")
    unknown = visit(address(simulator, "getMoon"))
    for reply in (blocked, old, unknown, api(simulator, "sendMessage", **{**SEND, "chat_id": 9})):
        sample = recorded[reply.json["description"]]
        assert (reply.status, reply.json) == (sample["http"], sample["body"])


def test_answers_have_the_fields_of_the_specification(simulator, samples: Path):
    path = samples / "articles_sinks/telegram/bot_api_10.1_spec.min.json"
    types = json.loads(path.read_text())["types"]
    send(simulator)
    simulator.telegram.press(1, "Applied")
    update = api(simulator, "getUpdates").json["result"][0]
    query = update["callback_query"]
    message = query["message"]
    for name, value in (
        ("Update", update),
        ("CallbackQuery", query),
        ("Message", message),
        ("User", query["from"]),
        ("Chat", message["chat"]),
        ("MessageEntity", message["entities"][0]),
        ("InlineKeyboardButton", message["reply_markup"]["inline_keyboard"][0][0]),
        ("User", api(simulator, "getMe").json["result"]),
        ("WebhookInfo", api(simulator, "getWebhookInfo").json["result"]),
        ("ChatFullInfo", api(simulator, "getChat", chat_id=1).json["result"]),
    ):
        fields = {field["name"]: field["required"] for field in types[name]["fields"]}
        assert set(value) <= set(fields), name
        assert {field for field, is_required in fields.items() if is_required} <= set(value), name
