"""Telegram as a sink: what is sent and edited, and what happens when Telegram cannot read it."""

import pytest

from inforadar.domain.delivery import Sink
from inforadar.domain.errors import Gone, Refused, Unavailable
from inforadar.sinks.telegram import TelegramSink
from inforadar.sinks.telegram_api import Unparsed
from sinks.bot_server import failed, ok
from sinks.cards import card, notice

UNPARSED = failed(400, "Bad Request: can't parse entities: Unclosed start tag at byte offset 3")


@pytest.fixture
def sink(api):
    telegram: Sink = TelegramSink(api=api, chat_id="7")
    return telegram


def test_a_notice_is_sent_without_preview_and_can_be_edited_by_its_reference(bot, sink):
    reference = sink.send(notice(card()))
    assert reference == "7:100"
    sink.edit(reference, notice(card(status="APPLIED", act_id=3)))
    (sent,), (edited,) = bot.told("sendMessage"), bot.told("editMessageText")
    assert (sent["chat_id"], sent["parse_mode"], sent["link_preview_options"]) == ("7", "HTML", {"is_disabled": True})
    assert (edited["chat_id"], edited["message_id"]) == ("7", 100)
    assert "✓ Applied" in edited["text"]
    assert [button["text"] for button in edited["reply_markup"]["inline_keyboard"][0]] == ["Undo", "Open"]


def test_a_group_is_referred_to_by_its_negative_number(bot, api):
    group = TelegramSink(api=api, chat_id="-1007")
    reference = group.send(notice(card()))
    group.edit(reference, notice(card()))
    assert bot.told("editMessageText")[0]["chat_id"] == "-1007"


def test_what_telegram_cannot_read_is_said_once_as_plain_text(bot, sink):
    bot.queue("sendMessage", UNPARSED)
    assert sink.send(notice(card())) == "7:100"
    first, second = bot.told("sendMessage")
    assert first["parse_mode"] == "HTML"
    assert "parse_mode" not in second
    assert second["text"].startswith("Senior Python developer https://hh.ru/vacancy/1")


def test_what_telegram_cannot_read_even_as_plain_text_is_not_tried_again(bot, sink):
    bot.queue("sendMessage", *[UNPARSED] * 5)
    with pytest.raises(Unparsed):
        sink.send(notice(card()))
    assert len(bot.calls) == 2


def test_an_edit_that_changes_nothing_is_no_error(bot, sink):
    bot.queue("editMessageText", failed(400, "Bad Request: message is not modified"))
    sink.edit("7:100", notice(card()))


@pytest.mark.parametrize("reference", ["", "7", ":5", "7:x", "7:"])
def test_a_reference_that_is_none_is_gone(sink, reference):
    with pytest.raises(Gone):
        sink.edit(reference, notice(card()))


def test_without_a_chat_nothing_is_sent_and_the_remedy_is_told(bot, api):
    with pytest.raises(Refused, match="radar connect telegram"):
        TelegramSink(api=api, chat_id="").send(notice(card()))
    assert bot.calls == []


def test_a_message_without_a_number_cannot_be_referred_to(bot, sink):
    bot.queue("sendMessage", ok(True))
    with pytest.raises(Unavailable):
        sink.send(notice(card()))
