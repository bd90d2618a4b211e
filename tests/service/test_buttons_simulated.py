"""From a message to a decision and back, over the simulated Bot API: what a person sees when they press."""

import threading

import pytest

from inforadar.config import TelegramSettings
from inforadar.domain.delivery import Notice
from inforadar.observe.clock import FakeClock
from inforadar.pipeline.cards import card_now
from inforadar.service.buttons import Buttons
from inforadar.service.presses import NOT_YOURS, UNKNOWN, Presses
from inforadar.service.triage import Triage
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.sinks.telegram import TelegramSink
from inforadar.store import matches
from service.conftest import AT
from sinks.bot_server import api_of


class Chat:
    """A person's chat with the bot, and the poller behind it."""

    def __init__(self, db, simulator, api):
        self.db, self.simulator = db, simulator
        self.clock = FakeClock(AT)
        self.triage = Triage(clock=self.clock)
        self.sink = TelegramSink(api=api, chat_id="1")
        settings = TelegramSettings(base_url=api.base_url, chat_id="1", token=api.token)
        self.buttons = Buttons(
            database=db,
            api=api,
            presses=Presses(triage=self.triage, settings=settings, token=api.token, clock=self.clock),
            clock=self.clock,
            holder="a",
            is_dead=lambda _name: False,
            stop=threading.Event(),
            poll_s=0,
        )

    def notice(self, *match_ids):
        with self.db.reading() as tx:
            cards = tuple(card_now(tx, matches.get(tx, one), self.clock.now()) for one in match_ids)
        return Notice(cards=cards, now=self.clock.now())

    def send(self, *match_ids):
        return int(self.sink.send(self.notice(*match_ids)).split(":")[1])

    def refresh(self, message_id, *match_ids):
        self.sink.edit(f"1:{message_id}", self.notice(*match_ids))

    def press(self, message_id, button, **how):
        """Press, and let the bot deal with it; what it answered."""
        self.simulator.telegram.press(message_id, button, **how)
        self.buttons.once()
        return list(self.simulator.telegram.presses[-1].answers)

    def labels(self, message_id):
        shown = self.simulator.telegram.message(message_id).revisions[-1].markup or {"inline_keyboard": []}
        return [button["text"] for row in shown["inline_keyboard"] for button in row]

    def status(self, match_id):
        with self.db.reading() as tx:
            return matches.get(tx, match_id).status


@pytest.fixture
def chat(db):
    with Simulator(still_world(1, AT, {})) as simulator, api_of(simulator.service_urls["telegram"]) as api:
        yield Chat(db, simulator, api)


def test_a_match_is_decided_on_and_undone_in_one_message(chat, stored_matches):
    (one,) = stored_matches(1)
    message = chat.send(one)
    assert chat.press(message, "Applied") == ["Marked as applied: title 0"]
    assert chat.status(one) == "APPLIED"
    chat.refresh(message, one)
    assert chat.labels(message) == ["Undo", "Open"]
    assert chat.press(message, "Undo") == ["Undone: title 0"]
    assert chat.status(one) == "QUEUED"
    chat.refresh(message, one)
    assert chat.labels(message) == ["Applied", "Not for me", "Later", "Open"]


def test_each_match_of_a_digest_is_decided_on_by_its_own_row(chat, stored_matches):
    first, second, third = stored_matches(3)
    message = chat.send(first, second, third)
    chat.press(message, "2 ✕")
    chat.press(message, "3 Later")
    chat.refresh(message, first, second, third)
    assert [chat.status(one) for one in (first, second, third)] == ["QUEUED", "NOT_INTERESTED", "QUEUED"]
    assert chat.labels(message) == ["1 ✓", "1 ✕", "1 Later", "2 Undo", "3 Undo"]


def test_a_button_of_an_earlier_look_of_the_message_does_not_reverse_what_was_decided_since(chat, stored_matches):
    (one,) = stored_matches(1)
    message = chat.send(one)
    with chat.db.transaction() as tx:
        chat.triage.mark(tx, [one], "not interested", "web")
    chat.refresh(message, one)
    assert chat.press(message, "Applied", revision=0) == ["Already marked as not for you: title 0"]
    assert chat.status(one) == "NOT_INTERESTED"


def test_an_undo_of_an_earlier_look_does_not_take_back_a_newer_decision(chat, stored_matches):
    (one,) = stored_matches(1)
    message = chat.send(one)
    chat.press(message, "Applied")
    chat.refresh(message, one)
    with chat.db.transaction() as tx:
        chat.triage.mark(tx, [one], "not interested", "web")
    assert chat.press(message, "Undo") == ["Already marked as not for you: title 0"]
    assert chat.status(one) == "NOT_INTERESTED"


def test_a_press_on_a_message_too_old_to_be_shown_counts(chat, stored_matches):
    (one,) = stored_matches(1)
    chat.press(chat.send(one), "Applied", is_inaccessible=True)
    assert chat.status(one) == "APPLIED"


def test_a_press_telegram_has_forgotten_counts(chat, stored_matches):
    (one,) = stored_matches(1)
    message = chat.send(one)
    chat.simulator.switch(Fault(kind="old_query", source="telegram", method="answercallbackquery"))
    assert chat.press(message, "Applied") == []
    assert chat.status(one) == "APPLIED"


@pytest.mark.parametrize(("how", "answer"), [({"user_id": 9}, NOT_YOURS), ({"data": "a1.0.AAAAAAAAAAAA"}, UNKNOWN)])
def test_strangers_and_forgers_are_answered_and_change_nothing(chat, stored_matches, how, answer):
    (one,) = stored_matches(1)
    assert chat.press(chat.send(one), "Applied", **how) == [answer]
    assert chat.status(one) == "QUEUED"
    assert chat.simulator.telegram.pending_updates == [] or chat.buttons.once() == 0
    assert chat.simulator.telegram.pending_updates == []
