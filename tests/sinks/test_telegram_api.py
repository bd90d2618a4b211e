"""The client of the Bot API over real HTTP: what it sends, and what Telegram's errors become."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.errors import BadQuery, Gone, RateLimited, Refused, SourceError, Unavailable
from inforadar.sinks.telegram_api import Conflict, TooLate, Unparsed
from sinks.bot_server import TOKEN, Said, api_of, failed, ok


def raised(bot, api, answer):
    bot.queue("sendMessage", answer)
    with pytest.raises(SourceError) as caught:
        api.call("sendMessage", chat_id="7", text="x")
    assert TOKEN not in "".join([str(caught.value), repr(caught.value), repr(caught.value.__cause__)])
    return caught.value


def test_a_method_is_called_with_its_arguments_as_json(bot, api):
    bot.queue("sendMessage", ok({"message_id": 5}))
    assert api.call("sendMessage", chat_id="7", text="привет \U0001f600") == {"message_id": 5}
    (call,) = bot.calls
    assert call.path == f"/bot{TOKEN}/sendMessage"
    assert call.arguments == {"chat_id": "7", "text": "привет \U0001f600"}


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (failed(401, "Unauthorized"), Refused, "check [telegram] token"),
        (failed(404, "Not Found"), Refused, "check [telegram] token"),
        (failed(403, "Forbidden: bot was blocked by the user"), Refused, "press Start"),
        (failed(400, "Bad Request: chat not found"), Refused, "radar connect telegram"),
        (failed(400, "Bad Request: not enough rights to send text messages to the chat"), Refused, "may not write"),
        (failed(400, "Bad Request: can't parse entities: Unsupported start tag"), Unparsed, "Unsupported start tag"),
        (failed(400, "Bad Request: BUTTON_URL_INVALID"), Unparsed, "BUTTON_URL_INVALID"),
        (failed(400, "Bad Request: message to edit not found"), Gone, "not there any more"),
        (failed(400, "Bad Request: message can't be edited"), Gone, "not there any more"),
        (failed(400, "Bad Request: query is too old and response timeout expired"), TooLate, "too old"),
        (failed(400, "Bad Request: message is too long"), BadQuery, "too long"),
        (failed(409, "Conflict: terminated by other getUpdates request"), Conflict, "other getUpdates"),
        (failed(409, "Conflict: can't use getUpdates method while webhook is active"), Conflict, "--delete-webhook"),
        (failed(500, "Internal Server Error"), Unavailable, "out of order"),
        (Said(502, b"<html><h1>502 Bad Gateway</h1></html>"), Unavailable, "HTTP 502"),
        (Said(200, b"<html>not what was asked</html>"), Unavailable, "no JSON"),
        (Said(200, b'{"ok": true, "result": ', cut=True), Unavailable, "connection"),
        (Said(200, b"[" * 100_000), Unavailable, "no JSON"),
        (Said(200, b'{"ok": false}'), Unavailable, "no reason given"),
        (Said(400, b'{"ok": false, "error_code": "x", "description": 5, "parameters": 7}'), BadQuery, "5"),
    ],
)
def test_every_failure_becomes_what_the_caller_can_do(bot, api, answer, kind, words):
    error = raised(bot, api, answer)
    assert type(error) is kind
    assert words in str(error)


def test_every_recorded_error_has_its_place_in_our_tree(bot, api, samples):
    recorded = (samples / "articles_sinks" / "telegram" / "errors.jsonl").read_text().splitlines()
    kinds = []
    for line in map(json.loads, recorded):
        bot.queue("sendMessage", Said(line["http"], json.dumps(line["body"]).encode(), tuple(line["headers"].items())))
        try:
            api.call("sendMessage", text="x")
            kinds.append("taken")
        except SourceError as error:
            kinds.append(type(error).__name__)
    refused = ["Refused"] * 8
    conflicts = ["Conflict"] * 2
    assert kinds == ["RateLimited", "Unavailable", *refused, "Unparsed", "TooLate", "taken", *conflicts]


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (failed(429, "Too Many Requests: retry after 5", retry_after=5), 5),
        (failed(429, "Too Many Requests", (("Retry-After", "9"),)), 9),
        (failed(429, "Too Many Requests", retry_after=10**30), 7 * 86_400),
    ],
)
def test_a_flood_is_told_with_the_time_to_try_again(bot, api, answer, seconds):
    before = datetime.now(UTC)
    error = raised(bot, api, answer)
    assert isinstance(error, RateLimited)
    assert timedelta(0) <= error.retry_at - before - timedelta(seconds=seconds) < timedelta(seconds=30)


def test_showing_the_same_again_is_a_success(bot, api):
    bot.queue("editMessageText", failed(400, "Bad Request: message is not modified: specified new message content"))
    assert api.call("editMessageText", chat_id="1", message_id=2, text="x") is True


def test_a_chat_that_moved_is_followed_once_told_and_remembered(bot, api):
    bot.queue("sendMessage", failed(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1007))
    assert api.call("sendMessage", chat_id="-7", text="x")["chat"] == {"id": -1007}
    assert api.moved_chats == {"-7": "-1007"}
    api.call("sendMessage", chat_id="-7", text="y")
    assert [told["chat_id"] for told in bot.told("sendMessage")] == ["-7", "-1007", "-1007"]


def test_a_chat_that_moves_again_and_again_is_not_followed_for_ever(bot, api):
    moving = [failed(400, "Bad Request: upgraded", migrate_to_chat_id=-1000 - step) for step in range(9)]
    bot.queue("sendMessage", *moving)
    with pytest.raises(BadQuery):
        api.call("sendMessage", chat_id="-7", text="x")
    assert len(bot.calls) == 2


def test_an_answer_that_comes_too_late_is_no_error_and_a_long_one_is_cut(bot, api):
    bot.queue("answerCallbackQuery", failed(400, "Bad Request: query is too old and response timeout expired"))
    api.answer("99", "x" * 500)
    assert bot.told("answerCallbackQuery") == [{"callback_query_id": "99", "text": "x" * 200}]


@pytest.mark.parametrize("token", ["", "no-colon", "123:", "123:a/../b", "123:a?b", "123:a\nb", "x:abc", "１:abc"])
def test_what_cannot_be_a_token_is_refused_before_anything_is_sent(bot, token):
    with api_of(bot.url, token) as api, pytest.raises(Refused, match="BotFather"):
        api.call("getMe")
    assert bot.calls == []


def test_the_token_shows_nowhere_not_even_if_telegram_repeats_it(bot, api):
    assert TOKEN not in repr(api)
    assert "***" in str(raised(bot, api, failed(400, f"Bad Request: wrong path /bot{TOKEN}/x")))


def test_a_server_that_is_not_there_is_tried_later():
    with api_of("http://127.0.0.1:9") as api, pytest.raises(Unavailable) as caught:
        api.call("getMe")
    assert TOKEN not in str(caught.value)
