"""The sink against the simulated Bot API, which reads HTML as strictly as Telegram does."""

import pytest

from inforadar.domain.errors import Gone, RateLimited, Refused, Unavailable
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.sinks.telegram import TelegramSink
from sinks.bot_server import api_of
from sinks.cards import NOW, card, notice
from sinks.test_telegram_message import HOSTILE


@pytest.fixture
def simulator():
    with Simulator(still_world(1, NOW, {})) as running:
        yield running


@pytest.fixture
def sink(simulator):
    with api_of(simulator.service_urls["telegram"]) as api:
        yield TelegramSink(api=api, chat_id="1")


def last(simulator, chat_id=1):
    return simulator.telegram.messages(chat_id)[-1]


def fault(kind, **bounds):
    return Fault(kind=kind, source="telegram", **bounds)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_is_taken_at_the_first_try_as_html(simulator, sink, text):
    one = card(title=text, company=text, reason=text, watch=text, data={"place": text, "salary_text": text})
    for hostile in (notice(one), notice(*[one] * 10)):
        sink.send(hostile)
        assert last(simulator).revisions[-1].entities
    assert [line.status for line in simulator.log] == [200, 200]


def test_a_link_to_anything_but_the_web_never_gets_into_a_message(simulator, sink):
    sink.send(notice(card(url="tg://resolve?domain=evil", title="tg://resolve <a href='tg://x'>y</a>")))
    shown = last(simulator).revisions[-1]
    assert [entity for entity in shown.entities if entity["type"] == "text_link"] == []


def test_a_link_leads_where_the_source_said(simulator, sink):
    url = "https://hh.ru/vacancy/1?a=1&lt=2&quot=%22&amp=it's"
    sink.send(notice(card(url=url)))
    (link,) = [entity for entity in last(simulator).revisions[-1].entities if entity["type"] == "text_link"]
    assert link["url"] == url


def test_an_edit_shows_the_decision_in_the_same_message_and_repeating_it_is_no_error(simulator, sink):
    reference = sink.send(notice(card()))
    decided = notice(card(status="APPLIED", act_id=3))
    sink.edit(reference, decided)
    sink.edit(reference, decided)
    assert len(simulator.telegram.messages()) == 1
    assert len(last(simulator).revisions) == 2
    assert last(simulator).revisions[-1].text.endswith("✓ Applied")


def test_markup_telegram_does_not_read_is_said_as_plain_text(simulator, sink):
    simulator.switch(fault("bad_entities"))
    sink.send(notice(card()))
    assert last(simulator).revisions[-1].text.startswith("Senior Python developer https://hh.ru/vacancy/1\n")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("rate_limited", RateLimited),
        ("server_error", Unavailable),
        ("cut_body", Unavailable),
        ("reset", Unavailable),
        ("unauthorized", Refused),
        ("forbidden", Refused),
    ],
)
def test_every_fault_is_told_as_what_can_be_done_about_it(simulator, sink, kind, error):
    simulator.switch(fault(kind))
    with pytest.raises(error) as caught:
        sink.send(notice(card()))
    assert "ABC-secret_token" not in str(caught.value)


def test_a_blocked_bot_waits_for_a_person(simulator, sink):
    simulator.telegram.block()
    with pytest.raises(Refused, match="press Start"):
        sink.send(notice(card()))


def test_a_group_that_became_a_supergroup_is_followed(simulator, sink):
    simulator.telegram.add_chat(-55, "group", "jobs")
    sink.chat_id = "-55"
    sink.send(notice(card()))
    new = simulator.telegram.migrate(-55)
    reference = sink.send(notice(card(2)))
    assert reference.startswith(f"{new}:")
    assert sink.api.moved_chats == {"-55": str(new)}


def test_a_message_that_was_never_there_is_gone(sink):
    with pytest.raises(Gone):
        sink.edit("1:424242", notice(card()))
