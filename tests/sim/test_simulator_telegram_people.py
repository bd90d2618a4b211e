"""People at the other end of the simulated bot, long polling between them, and everything that goes wrong there."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, control, post_form
from sim.test_simulator_telegram import SEND, address, api, refused, send

OTHER_POLLER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


class Poll(threading.Thread):
    """A long poll in a thread of its own."""

    def __init__(self, simulator: Simulator, **arguments: Any) -> None:
        super().__init__(daemon=True)
        self.url, self.arguments = address(simulator, "getUpdates"), arguments
        self.status, self.answer, self.took_s = 0, {}, 0.0
        self.start()
        simulator.wait_until(lambda: simulator.telegram.is_polled)

    def run(self) -> None:
        began = time.monotonic()
        try:
            reply = post_form(self.url, self.arguments, timeout=20)
            self.status, self.answer = reply.status, reply.json
        except (OSError, http.client.HTTPException) as broken:
            self.answer = {"broken": type(broken).__name__}
        self.took_s = time.monotonic() - began

    def done(self) -> "Poll":
        self.join(10)
        assert not self.is_alive()
        return self


def ids(reply: Any) -> list[int]:
    return [update["update_id"] for update in reply["result"]]


def test_a_pressed_button_is_an_update_as_recorded(simulator, samples: Path):
    recorded = json.loads((samples / "articles_sinks/telegram/update_callback_query.json").read_text())
    send(simulator, text="plain", parse_mode="")
    update = simulator.telegram.press(1, "Applied", user_id=77)
    assert api(simulator, "getUpdates").json["result"] == [update]
    assert _shape(update) == _shape(recorded)
    query = update["callback_query"]
    assert (query["data"], query["from"]["id"], query["message"]["chat"]["id"]) == ("a:7", 77, 1)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_shape(held) for held in value[:1]]
    return type(value).__name__


def test_a_button_is_pressed_by_its_text_or_place_and_one_that_opens_a_page_is_never_heard(simulator):
    send(simulator)
    assert simulator.telegram.press(1, 1)["callback_query"]["data"] == "l:7"
    assert simulator.telegram.press(1, "Applied", data="forged")["callback_query"]["data"] == "forged"
    with pytest.raises(ValueError, match="the bot hears nothing"):
        simulator.telegram.press(1, "Open")
    with pytest.raises(ValueError, match="no button 'Nonsense'"):
        simulator.telegram.press(1, "Nonsense")


def test_a_button_of_an_older_revision_can_still_be_pressed(simulator):
    send(simulator)
    api(simulator, "editMessageReplyMarkup", chat_id=1, message_id=1)
    with pytest.raises(ValueError, match="no button"):
        simulator.telegram.press(1, "Applied")
    assert simulator.telegram.press(1, "Applied", revision=0)["callback_query"]["data"] == "a:7"


def test_a_message_too_old_to_be_shown_comes_without_its_content(simulator):
    send(simulator)
    message = simulator.telegram.press(1, "Applied", is_inaccessible=True)["callback_query"]["message"]
    assert (message["date"], set(message)) == (0, {"chat", "message_id", "date"})


def test_a_callback_is_answered_once_known_and_only_for_a_while(simulator):
    send(simulator)
    simulator.change_rules(telegram_query_ttl_s=60)
    query_id = simulator.telegram.press(1, "Applied")["callback_query"]["id"]
    assert api(simulator, "answerCallbackQuery", callback_query_id=query_id, text="Noted").json["result"] is True
    assert simulator.telegram.presses[0].answers == ("Noted",)
    simulator.advance(61)
    too_old = api(simulator, "answerCallbackQuery", callback_query_id=query_id)
    assert refused(too_old) == (
        400,
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
    )
    assert simulator.telegram.presses[0].answers == ("Noted",)


def test_starting_the_bot_makes_the_chat_exist_and_is_an_update(simulator):
    assert refused(api(simulator, "sendMessage", **{**SEND, "chat_id": 42})) == (400, "Bad Request: chat not found")
    message = simulator.telegram.say("/start now", user_id=42)["message"]
    assert (message["chat"]["id"], message["from"]["id"], message["text"]) == (42, 42, "/start now")
    assert message["entities"] == [{"offset": 0, "length": 6, "type": "bot_command"}]
    assert api(simulator, "getUpdates").json["result"][0]["message"] == message
    assert api(simulator, "sendMessage", **{**SEND, "chat_id": 42}).status == 200


def test_updates_stay_until_an_offset_above_them_confirms_them(simulator):
    for number in range(5):
        simulator.telegram.say(f"message {number}")
    first = ids(api(simulator, "getUpdates").json)
    assert first == ids(api(simulator, "getUpdates").json)
    assert len(first) == 5
    assert first == sorted(first)
    assert ids(api(simulator, "getUpdates", limit=2).json) == first[:2]
    assert ids(api(simulator, "getUpdates", offset=first[1] + 1).json) == first[2:]
    assert ids(api(simulator, "getUpdates", offset=-1).json) == first[-1:]
    assert len(simulator.telegram.pending_updates) == 1
    assert ids(api(simulator, "getUpdates", offset=first[-1] + 1).json) == []


def test_only_allowed_updates_are_kept_and_the_choice_is_remembered(simulator):
    api(simulator, "getUpdates", allowed_updates=["callback_query"])
    simulator.telegram.say("unheard")
    send(simulator)
    simulator.telegram.press(2, "Applied")
    kinds = [set(update) - {"update_id"} for update in api(simulator, "getUpdates").json["result"]]
    assert kinds == [{"callback_query"}]


def test_a_long_poll_waits_and_ends_with_the_first_update(simulator):
    poll = Poll(simulator, timeout=20)
    assert api(simulator, "getMe").status == 200
    assert poll.is_alive()
    simulator.telegram.say("hello")
    assert [update["message"]["text"] for update in poll.done().answer["result"]] == ["hello"]
    assert poll.took_s < 5


def test_a_long_poll_without_an_update_ends_empty_after_its_time(simulator):
    poll = Poll(simulator, timeout=1).done()
    assert (poll.status, poll.answer["result"]) == (200, [])
    assert poll.took_s >= 1


def test_a_test_can_wait_for_what_a_program_does(simulator):
    sender = threading.Thread(target=send, args=(simulator,))
    sender.start()
    assert simulator.wait_until(lambda: len(simulator.telegram.sends) == 1)
    sender.join()
    assert not simulator.wait_until(lambda: len(simulator.telegram.sends) == 2, timeout_s=0.2)


def test_a_second_poller_ends_the_first(simulator):
    first = Poll(simulator, timeout=20)
    assert api(simulator, "getUpdates").json["result"] == []
    first.done()
    assert (first.status, first.answer["description"]) == (409, OTHER_POLLER)


def test_a_webhook_forbids_polling_until_it_is_deleted(simulator):
    waiting = Poll(simulator, timeout=20)
    told = api(simulator, "setWebhook", url="https://example.org/hook").json
    assert (told["result"], told["description"]) == (True, "Webhook was set")
    assert (waiting.done().status, waiting.answer["description"]) == (409, "Conflict: terminated by setWebhook request")
    assert refused(api(simulator, "getUpdates")) == (
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
    simulator.telegram.say("waiting")
    info = api(simulator, "getWebhookInfo").json["result"]
    assert (info["url"], info["pending_update_count"]) == ("https://example.org/hook", 1)
    assert api(simulator, "deleteWebhook", drop_pending_updates=True).json["description"] == "Webhook was deleted"
    assert api(simulator, "getUpdates").json["result"] == []


def test_stopping_ends_a_long_poll_at_once():
    simulator = Simulator(World(seed=1, start_at=NOON)).start()
    poll = Poll(simulator, timeout=30)
    began = time.monotonic()
    simulator.stop()
    poll.done()
    assert poll.answer.get("broken")
    assert time.monotonic() - began < 15


def test_a_lost_reply_has_sent_the_message_and_a_reset_has_not(simulator):
    simulator.switch(Fault(kind="reply_lost", source="telegram", method="sendMessage", count=1))
    with pytest.raises(ConnectionError):
        api(simulator, "sendMessage", **SEND)
    assert api(simulator, "sendMessage", **SEND).status == 200
    assert [sent.is_answered for sent in simulator.telegram.sends] == [False, True]
    assert simulator.telegram.sends_by() == {"a:7": 2}
    assert simulator.telegram.sends_by(lambda sent: sent.text) == {"Senior Python & SQL": 2}
    simulator.switch(Fault(kind="reset", source="telegram", count=1))
    with pytest.raises(ConnectionError):
        api(simulator, "sendMessage", **SEND)
    assert len(simulator.telegram.sends) == 2


def test_a_429_names_its_seconds_twice_and_sends_nothing(simulator):
    simulator.switch(Fault(kind="rate_limited", source="telegram", seconds=7, count=1))
    limited = api(simulator, "sendMessage", **SEND)
    assert refused(limited) == (429, "Too Many Requests: retry after 7")
    assert (limited.json["parameters"], limited.headers["Retry-After"]) == ({"retry_after": 7}, "7")
    assert simulator.telegram.sends == []


@pytest.mark.parametrize("status", [500, 502])
def test_an_outage_is_html_and_sends_nothing(simulator, status):
    simulator.switch(Fault(kind="server_error", source="telegram", status=status))
    broken = api(simulator, "sendMessage", **SEND)
    assert (broken.status, broken.headers["Content-Type"][:9]) == (status, "text/html")
    assert simulator.telegram.sends == []


def test_entities_can_be_refused_on_purpose_while_plain_text_passes(simulator):
    simulator.switch(Fault(kind="bad_entities", source="telegram"))
    assert refused(api(simulator, "sendMessage", **SEND))[1].startswith("Bad Request: can't parse entities: ")
    assert api(simulator, "sendMessage", chat_id=1, text="plain").status == 200


def test_tokens_blocks_and_old_queries_can_be_faults_too(simulator):
    for kind, status in (("unauthorized", 401), ("forbidden", 403), ("old_query", 400)):
        simulator.switch(Fault(kind=kind, source="telegram"))
        assert refused(api(simulator, "getMe"))[0] == status


def test_a_slow_answer_comes_late_and_whole(simulator):
    simulator.switch(Fault(kind="slow_start", source="telegram", seconds=0.3))
    began = time.monotonic()
    assert api(simulator, "getMe").json["ok"] is True
    assert time.monotonic() - began >= 0.3


def test_the_door_plays_the_people_too(simulator):
    control(simulator, "telegram/chat", body={"chat_id": 5})
    assert control(simulator, "telegram/say", body={"text": "/start", "user_id": 5}).json["message"]["chat"]["id"] == 5
    send(simulator, chat_id=5)
    press = {"message_id": 2, "button": "Later", "chat_id": 5, "user_id": 9}
    query = control(simulator, "telegram/press", body=press).json["callback_query"]
    api(simulator, "answerCallbackQuery", callback_query_id=query["id"], text="ok")
    assert control(simulator, "telegram/presses").json["presses"][0]["answers"] == ["ok"]
    assert len(control(simulator, "telegram/updates").json["updates"]) == 2
    messages = control(simulator, "telegram/messages", {"chat_id": 5}).json["messages"]
    assert [message["text"] for message in messages] == ["/start", "Senior Python & SQL"]
    assert messages[1]["buttons"] == ["Applied", "Later", "Open"]
    assert len(messages[1]["revisions"]) == 1
    sends = control(simulator, "telegram/sends").json
    assert (sends["by_key"], sends["sends"][0]["urls"]) == ({"a:7": 1}, ["https://example.org/7"])
    control(simulator, "telegram/block", body={"chat_id": 5})
    assert api(simulator, "sendMessage", **{**SEND, "chat_id": 5}).status == 403
    control(simulator, "telegram/unblock", body={"chat_id": 5})
    control(simulator, "telegram/chat", body={"chat_id": -5, "kind": "group"})
    moved = control(simulator, "telegram/migrate", body={"chat_id": -5}).json["chat_id"]
    assert api(simulator, "getChat", chat_id=moved).status == 200
    assert control(simulator, "telegram/press", body={"message_id": 99, "button": 0}).status == 400
    simulator.telegram.say("/start")
    assert control(simulator, "telegram/press", body={"message_id": 1, "button": 0}).status == 400


def test_the_log_holds_calls_with_their_method_and_fault(simulator):
    simulator.switch(Fault(kind="rate_limited", source="telegram", method="sendMessage"))
    api(simulator, "getMe")
    api(simulator, "sendMessage", **SEND)
    assert [(line.source, line.path, line.status, line.fault) for line in simulator.log] == [
        ("telegram", "/bot123:ABC/getMe", 200, ""),
        ("telegram", "/bot123:ABC/sendMessage", 429, "rate_limited"),
    ]
