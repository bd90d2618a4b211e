"""Presses of Telegram's buttons over real HTTP: applied exactly once, by allowed people alone, in a few moments."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.config import TelegramSettings
from inforadar.domain.errors import RateLimited, Refused, Unavailable
from inforadar.observe.clock import FakeClock
from inforadar.observe.secrets import Secret
from inforadar.service.buttons import (
    AFTER_CONFLICT_S,
    AFTER_REFUSAL_S,
    UPDATES_LEASE,
    Buttons,
    cursor_of,
    is_replay,
    rest_after,
    unheard_since,
)
from inforadar.service.presses import HELP, NEWER, NOT_YOURS, UNKNOWN, Presses
from inforadar.service.triage import Triage
from inforadar.sinks.callbacks import Button, encode
from inforadar.sinks.telegram_api import Conflict
from inforadar.store import acts, cursors, leases, matches
from service.conftest import AT
from sinks.bot_server import TOKEN, Said, api_of, bot_server, failed, ok

ME = 7
STRANGER = 666


class Rests(threading.Event):
    """A stop that is waited for without waiting; notes how long."""

    def __init__(self):
        super().__init__()
        self.waits = []

    def wait(self, timeout=None):
        self.waits.append(timeout)
        return self.is_set()


@pytest.fixture
def bot():
    with bot_server() as server:
        yield server


@pytest.fixture
def clock():
    return FakeClock(AT)


@pytest.fixture
def stop():
    return Rests()


@pytest.fixture
def make(db, bot, clock, stop):
    """Makes pollers of this bot; `settings` are those of [telegram]."""
    clients = []

    def make(holder="a", dead=(), token=TOKEN, **settings):
        context = api_of(bot.url, token)
        clients.append(context)
        api = context.__enter__()
        told = {"base_url": bot.url, "chat_id": str(ME), "token": api.token, **settings}
        presses = Presses(triage=Triage(clock=clock), settings=TelegramSettings(**told), token=api.token, clock=clock)
        return Buttons(
            database=db,
            api=api,
            presses=presses,
            clock=clock,
            holder=holder,
            is_dead=lambda name: name in dead,
            stop=stop,
            poll_s=1,
        )

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def buttons(make):
    return make()


@pytest.fixture
def one(stored_matches):
    return stored_matches(1)[0]


def data(verb, match_id, act_id=None, key="0", token=TOKEN):
    return encode(Button(verb=verb, match_id=match_id, act_id=act_id), source="hh", key=key, token=token)


def press(update_id, pressed, user=ME, chat=ME, kind="private"):
    """The update of one press."""
    message = {"message_id": 1, "date": 0, "chat": {"id": chat, "type": kind}}
    query = {"id": f"q{update_id}", "from": {"id": user}, "message": message, "data": pressed}
    return {"update_id": update_id, "callback_query": query}


def word(update_id, text="/start", user=ME, chat=ME, kind="private"):
    said = {"message_id": 1, "from": {"id": user}, "chat": {"id": chat, "type": kind}, "text": text}
    return {"update_id": update_id, "message": said}


def told(bot):
    """What presses were answered with."""
    return [answer["text"] for answer in bot.told("answerCallbackQuery")]


def standing(db, match_id):
    with db.reading() as tx:
        return matches.get(tx, match_id).status


def cursor(db):
    with db.reading() as tx:
        return cursors.get(tx, cursor_of(Secret(TOKEN)))


@pytest.mark.parametrize(
    ("verb", "status", "answer"),
    [
        ("applied", "APPLIED", "Marked as applied: title 0"),
        ("not interested", "NOT_INTERESTED", "Marked as not for you: title 0"),
        ("later", "QUEUED", "Put off until 06 Jan, 12:00 UTC: title 0"),
    ],
)
def test_a_press_decides_is_answered_and_is_not_asked_for_again(db, bot, buttons, one, verb, status, answer):
    bot.queue("getUpdates", ok([press(50, data(verb, one))]))
    assert buttons.once() == 1
    assert standing(db, one) == status
    assert told(bot) == [answer]
    buttons.once()
    first, second = bot.told("getUpdates")
    assert "offset" not in first
    assert first["allowed_updates"] == ["callback_query", "message"]
    assert second["offset"] == 51
    with db.reading() as tx:
        assert acts.latest(tx)[0].who == f"telegram:{ME}"


def test_the_same_update_twice_is_applied_once_and_answered_once(db, bot, buttons, one):
    (update,) = [press(50, data("applied", one))]
    bot.queue("getUpdates", ok([update]))
    buttons.once()
    with db.transaction() as tx:
        buttons.presses.triage.undo(tx, "web")
    bot.queue("getUpdates", ok([update]))
    buttons.once()
    assert standing(db, one) == "QUEUED"
    assert len(told(bot)) == 1


def test_telegram_may_count_on_from_a_lower_number_after_a_long_silence(db, bot, buttons, one):
    with db.transaction() as tx:
        cursors.put(tx, cursor_of(Secret(TOKEN)), 900_000_000)
    bot.queue("getUpdates", ok([press(12, data("applied", one))]))
    buttons.once()
    assert standing(db, one) == "APPLIED"
    assert cursor(db) == 13
    assert [is_replay(number, 900) for number in (899, 900, 901)] == [True, False, False]


def test_another_bot_is_not_asked_from_where_the_one_before_was_read_to(db, bot, make, one):
    """Telegram forgets everything below the number it is asked from."""
    bot.queue("getUpdates", ok([word(900_000_000)]))
    before = make()
    before.once()
    before.resign()
    other = "654321:XYZ-another_token"
    bot.queue("getUpdates", ok([press(12, data("applied", one, token=other))]))
    make(token=other).once()
    assert "offset" not in bot.told("getUpdates")[-1]
    assert standing(db, one) == "APPLIED"
    make(dead=("a",)).once()
    assert bot.told("getUpdates")[-1]["offset"] == 900_000_001


@pytest.mark.parametrize("second", ["applied", "not interested", "later"])
def test_an_old_button_never_reverses_a_newer_decision_and_is_told_how_things_stand(db, bot, buttons, one, second):
    with db.transaction() as tx:
        buttons.presses.triage.mark(tx, [one], "not interested", "web")
    bot.queue("getUpdates", ok([press(50, data(second, one))]))
    buttons.once()
    assert standing(db, one) == "NOT_INTERESTED"
    assert told(bot) == ["Already marked as not for you: title 0"]
    with db.reading() as tx:
        assert len(acts.latest(tx)) == 1


def test_what_is_put_off_stays_so_until_its_time_and_can_be_decided_on_after_it(db, bot, buttons, one, clock):
    bot.queue("getUpdates", ok([press(50, data("later", one)), press(51, data("applied", one))]))
    buttons.once()
    assert standing(db, one) == "QUEUED"
    assert told(bot)[1] == "Already put off until 06 Jan, 12:00 UTC: title 0"
    clock.advance(25 * 3600)
    bot.queue("getUpdates", ok([press(52, data("applied", one))]))
    buttons.once()
    assert standing(db, one) == "APPLIED"


def test_undo_takes_back_the_act_it_names_once(db, bot, buttons, one):
    bot.queue("getUpdates", ok([press(50, data("applied", one))]))
    buttons.once()
    with db.reading() as tx:
        act_id = acts.last_of_match(tx, one)
    bot.queue("getUpdates", ok([press(51, data("undo", one, act_id)), press(52, data("undo", one, act_id))]))
    buttons.once()
    assert standing(db, one) == "QUEUED"
    assert told(bot)[1:] == ["Undone: title 0", f"{NEWER}: title 0"]


def test_undo_of_an_act_that_is_not_the_last_of_its_match_changes_no_match(db, bot, buttons, stored_matches):
    one, other = stored_matches(2)
    with db.transaction() as tx:
        old = buttons.presses.triage.mark(tx, [one, other], "applied", "web")
        buttons.presses.triage.mark(tx, [one], "not interested", "web")
    bot.queue("getUpdates", ok([press(50, data("undo", one, old.id))]))
    buttons.once()
    assert [standing(db, match) for match in (one, other)] == ["NOT_INTERESTED", "APPLIED"]
    assert told(bot) == ["Already marked as not for you: title 0"]


@pytest.mark.parametrize(
    ("settings", "who", "may"),
    [
        ({}, {"user": ME}, True),
        ({}, {"user": STRANGER}, False),
        ({}, {"user": STRANGER, "chat": STRANGER}, False),
        ({}, {"user": ME, "chat": -100, "kind": "supergroup"}, False),
        ({}, {"user": ME, "chat": ME, "kind": "group"}, False),
        ({"chat_id": "-100"}, {"user": ME, "chat": -100, "kind": "supergroup"}, False),
        ({"chat_id": "-100", "users": (ME,)}, {"user": ME, "chat": -100, "kind": "supergroup"}, True),
        ({"chat_id": "-100", "users": (ME,)}, {"user": STRANGER, "chat": -100, "kind": "supergroup"}, False),
        ({"chat_id": str(STRANGER), "users": (ME,)}, {"user": STRANGER, "chat": STRANGER}, False),
    ],
)
def test_only_allowed_people_decide(db, bot, make, one, settings, who, may):
    bot.queue("getUpdates", ok([press(50, data("applied", one), **who)]))
    make(**settings).once()
    assert standing(db, one) == ("APPLIED" if may else "QUEUED")
    assert (told(bot) == [NOT_YOURS]) is not may
    assert cursor(db) == 51


@pytest.mark.parametrize("forged", [
    lambda one: data("applied", one, token="999999:other"),
    lambda one: data("applied", one, key="another-item"),
    lambda one: data("applied", one + 1000),
    lambda one: data("later", one).replace("l", "a", 1),
    lambda one: f"a{one}.0.AAAAAAAAAAAA",
    lambda _: "tasks-settings",
    lambda _: "t0.0.AAAAAAAAAAAA",
    lambda _: "",
])  # fmt: skip
def test_a_forged_button_or_one_of_another_database_changes_nothing(db, bot, buttons, one, forged):
    bot.queue("getUpdates", ok([press(50, forged(one))]))
    buttons.once()
    assert standing(db, one) == "QUEUED"
    assert told(bot) == [UNKNOWN]


@pytest.mark.parametrize("answer", [
    failed(400, "Bad Request: query is too old and response timeout expired or query ID is invalid"),
    failed(429, "Too Many Requests: retry after 5", retry_after=5),
    Said(502, b"<html>Bad Gateway</html>"),
    failed(403, "Forbidden: bot was blocked by the user"),
])  # fmt: skip
def test_a_press_that_cannot_be_answered_is_applied_all_the_same(db, bot, buttons, stored_matches, answer):
    one, two = stored_matches(2)
    bot.queue("answerCallbackQuery", answer)
    bot.queue("getUpdates", ok([press(50, data("applied", one)), press(51, data("applied", two, key="1"))]))
    assert buttons.once() == 2
    assert [standing(db, match) for match in (one, two)] == ["APPLIED", "APPLIED"]


BAD = [
    {"update_id": 41},
    {"update_id": 42, "callback_query": None},
    {"update_id": 43, "callback_query": {"id": 5, "from": {"id": ME}}},
    {"update_id": 44, "callback_query": {"id": "x", "from": "me", "data": "a1.0.AAAAAAAAAAAA"}},
    {"update_id": 45, "callback_query": {"id": "x", "from": {"id": ME}, "message": [], "data": {"a": 1}}},
    {"update_id": 46, "message": {"text": "hello"}},
    {"update_id": 47, "message": {"from": {"id": ME}, "chat": {"id": "me"}, "text": 5}},
    {"update_id": 48, "poll": {}},
    {"update_id": "49"},
    "not even an object",
    None,
]


def test_bad_updates_are_passed_over_and_hold_up_nobody(db, bot, buttons, one):
    bot.queue("getUpdates", ok([*BAD, press(50, data("applied", one))]))
    buttons.once()
    assert standing(db, one) == "APPLIED"
    assert cursor(db) == 51


def test_an_answer_that_is_no_list_is_passed_over(db, bot, buttons):
    bot.queue("getUpdates", ok({"update_id": 5}))
    assert buttons.once() == 0


def test_an_update_that_breaks_the_program_is_passed_over_after_some_tries(db, bot, buttons, stored_matches):
    one, two = stored_matches(2)

    class Broken(Triage):
        def mark(self, tx, match_ids, verb, who):
            if one in match_ids:
                raise RuntimeError("a bug")
            return super().mark(tx, match_ids, verb, who)

    buttons.presses = replace(buttons.presses, triage=Broken(clock=buttons.clock))
    updates = [press(50, data("applied", one)), press(51, data("applied", two, key="1"))]
    for _ in range(3):
        bot.queue("getUpdates", ok(updates))
        with pytest.raises(RuntimeError):
            buttons.once()
        assert cursor(db) is None
    bot.queue("getUpdates", ok(updates))
    buttons.once()
    assert [standing(db, match) for match in (one, two)] == ["QUEUED", "APPLIED"]


def test_a_decision_and_the_cursor_are_one_transaction(db, bot, buttons, one):
    class Dying(Triage):
        def mark(self, tx, match_ids, verb, who):
            super().mark(tx, match_ids, verb, who)
            raise RuntimeError("killed before the commit")

    sound, buttons.presses = buttons.presses, replace(buttons.presses, triage=Dying(clock=buttons.clock))
    bot.queue("getUpdates", ok([press(50, data("applied", one))]))
    with pytest.raises(RuntimeError):
        buttons.once()
    assert (standing(db, one), cursor(db)) == ("QUEUED", None)
    buttons.presses = sound
    bot.queue("getUpdates", ok([press(50, data("applied", one))]))
    buttons.once()
    assert (standing(db, one), cursor(db)) == ("APPLIED", 51)


def test_allowed_people_get_help_and_strangers_silence(bot, make):
    bot.queue("getUpdates", ok([word(50), word(51, "hello"), word(52, user=STRANGER, chat=STRANGER), word(53)]))
    make().once()
    assert [(said["chat_id"], said["text"]) for said in bot.told("sendMessage")] == [(ME, HELP)] * 3


def test_a_group_gets_help_only_when_it_speaks_to_the_bot(bot, make):
    group = {"chat": -100, "kind": "supergroup"}
    bot.queue("getUpdates", ok([word(50, "lunch?", **group), word(51, "/start", **group)]))
    make(chat_id="-100", users=(ME,)).once()
    assert [said["chat_id"] for said in bot.told("sendMessage")] == [-100]


def test_a_stranger_is_logged_once(bot, make, capsys):
    poller = make()
    bot.queue("getUpdates", ok([word(50, user=STRANGER, chat=STRANGER), press(51, "x", user=STRANGER, chat=STRANGER)]))
    poller.once()
    bot.queue("getUpdates", ok([word(52, user=STRANGER, chat=STRANGER)]))
    poller.once()
    assert capsys.readouterr().out.count("not allowed") == 1


def test_of_two_pollers_one_polls_and_the_other_takes_over_when_it_resigns(bot, make):
    one, two = make("a"), make("b")
    one.once()
    assert two.once() == 0
    assert len(bot.told("getUpdates")) == 1
    one.resign()
    two.once()
    assert one.once() == 0
    assert len(bot.told("getUpdates")) == 2


def test_a_poller_of_a_dead_process_is_followed_at_once(bot, make):
    make("a").once()
    make("b", dead=("a",)).once()
    assert len(bot.told("getUpdates")) == 2


def test_a_poller_that_lost_its_lease_while_it_waited_applies_nothing(db, bot, buttons, one):
    def steal():
        with db.transaction() as tx:
            leases.acquire(tx, UPDATES_LEASE, "thief", 60, lambda _name: True)
        return ok([press(50, data("applied", one))])

    bot.queue("getUpdates", steal)
    assert buttons.once() == 0
    assert (standing(db, one), cursor(db)) == ("QUEUED", None)
    assert told(bot) == []


def test_a_poller_that_lost_its_lease_does_not_say_that_polls_fail(db, bot, buttons):
    def steal():
        with db.transaction() as tx:
            leases.acquire(tx, UPDATES_LEASE, "thief", 60, lambda _name: True)
        return failed(409, "Conflict: terminated by other getUpdates")

    bot.queue("getUpdates", steal)
    assert buttons.once() == 0
    with db.reading() as tx:
        assert unheard_since(tx) is None


def test_a_stop_ends_a_long_poll_within_a_moment_and_loses_nothing(db, bot, make, one):
    poller = make()
    poller.poll_s = 60
    poller.stop, is_asked, goes_on = threading.Event(), threading.Event(), threading.Event()

    def hang():
        is_asked.set()
        goes_on.wait(120)
        return ok([press(50, data("applied", one))])

    bot.queue("getUpdates", hang)
    thread = threading.Thread(target=poller.once)
    thread.start()
    assert is_asked.wait(30)
    poller.stop.set()
    thread.join(20)
    assert not thread.is_alive(), "before the poll has run out of time by itself"
    assert (standing(db, one), cursor(db)) == ("QUEUED", None)
    goes_on.set()
    poller.stop.clear()
    poller.once()
    assert standing(db, one) == "APPLIED"
    assert len(bot.told("getUpdates")) == 1, "the open question was not asked twice"


def test_trouble_is_raised_after_a_fitting_rest(bot, buttons, stop):
    bot.queue("getUpdates", failed(401, "Unauthorized"), failed(409, "Conflict: terminated by other getUpdates"))
    with pytest.raises(Refused):
        buttons.once()
    with pytest.raises(Conflict):
        buttons.once()
    assert sum(stop.waits) == AFTER_REFUSAL_S + AFTER_CONFLICT_S


class Passes(Rests):
    """A stop during whose waits the time of the store passes, for the lease of the poller."""

    def __init__(self, db):
        super().__init__()
        self._db = db

    def wait(self, timeout=None):
        with self._db.transaction() as tx:
            (row,) = tx.rows("lease_get", name=UPDATES_LEASE)
            ends_at = row.pop("expires_at") - timedelta(seconds=timeout)
            tx.run("lease_renew", name=UPDATES_LEASE, now=tx.store_now() - timedelta(days=1), expires_at=ends_at, **row)
        return super().wait(timeout)


@pytest.mark.parametrize("answer", [failed(401, "Unauthorized"), failed(429, "Too Many Requests", retry_after=600)])
def test_a_poller_keeps_its_lease_while_it_rests_so_that_nobody_takes_the_buttons_for_heard(db, bot, make, answer):
    poller = make("a")
    poller.stop = Passes(db)
    bot.queue("getUpdates", answer)
    with pytest.raises((Refused, RateLimited)):
        poller.once()
    with db.reading() as tx:
        assert leases.held(tx)[UPDATES_LEASE].holder == "a"
        assert unheard_since(tx) == AT
    assert make("b").once() == 0
    assert len(bot.told("getUpdates")) == 1, "nobody else asks meanwhile"


def test_a_poller_whose_lease_is_taken_while_it_rests_rests_no_longer(db, bot, make):
    poller = make("a")
    waits = []

    class Robbed(Rests):
        def wait(self, timeout=None):
            waits.append(timeout)
            with db.transaction() as tx:
                leases.acquire(tx, UPDATES_LEASE, "thief", 60, lambda _name: True)
            return False

    poller.stop = Robbed()
    bot.queue("getUpdates", failed(401, "Unauthorized"))
    with pytest.raises(Refused):
        poller.once()
    assert len(waits) == 1
    assert poller.once() == 0


def test_the_store_tells_since_when_polls_fail_until_one_is_answered_or_another_polls(db, bot, make, clock):
    def unheard():
        with db.reading() as tx:
            return unheard_since(tx)

    poller = make("a")
    bot.queue("getUpdates", ok([]), failed(401, "Unauthorized"), failed(401, "Unauthorized"), ok([]))
    poller.once()
    assert unheard() is None
    for _ in range(2):
        with pytest.raises(Refused):
            poller.once()
        assert unheard() == AT
        clock.advance(60)
    poller.once()
    assert unheard() is None
    bot.queue("getUpdates", failed(401, "Unauthorized"))
    with pytest.raises(Refused):
        poller.once()
    assert unheard() == AT + timedelta(minutes=2)
    poller.resign()
    clock.advance(60)
    bot.queue("getUpdates", failed(401, "Unauthorized"), ok([]))
    with pytest.raises(Refused):
        poller.once()
    assert unheard() == AT + timedelta(minutes=2), "the same one goes on in vain"
    make("b", dead=("a",)).once()
    assert unheard() is None


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RateLimited("slow", AT + timedelta(seconds=5)), 5),
        (RateLimited("slow", AT + timedelta(days=5)), 600),
        (RateLimited("slow", AT - timedelta(days=5)), 0),
        (Unavailable("down"), 0),
    ],
)
def test_a_rest_is_as_long_as_telegram_asks_and_never_endless(error, seconds):
    assert rest_after(error, AT) == seconds
