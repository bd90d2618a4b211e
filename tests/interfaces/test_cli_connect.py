"""`radar connect telegram` over the simulated Bot API: finds the chat, tries it, writes it where asked."""

import os
import pty
import subprocess
import threading
import tomllib
from contextlib import contextmanager

import pytest

from inforadar.bootstrap import known_sources
from inforadar.config import load
from inforadar.config.editing import change_file, with_setting, write_settings
from inforadar.domain.errors import ConfigError
from inforadar.interfaces.cli.connect import ANOTHER_POLLS
from inforadar.service.buttons import UPDATES_LEASE
from inforadar.simulator.faults import Fault
from inforadar.sinks.telegram_connecting import TEST_ANSWER
from inforadar.store import leases
from inforadar.store.database import open_database
from interfaces.command_line import RADAR, environment

TOKEN = "123456:ABC-secret_token"
TELEGRAM = """
[telegram]   # the bot
base_url = "{url}"
token = {{ env = "TELEGRAM_TOKEN" }}  # a secret
"""
PATIENCE_S = 60.0


@pytest.fixture
def user(newcomer, simulator):
    """A user with a bot and no chat yet."""
    newcomer.configure(simulator, TELEGRAM.format(url=simulator.service_urls["telegram"]))
    newcomer.env["TELEGRAM_TOKEN"] = TOKEN
    return newcomer


@contextmanager
def somebody_presses(simulator, chat_id=1):
    """Somebody who presses a button of the first message that has one."""
    is_over = threading.Event()

    def press():
        while not is_over.wait(0.05):
            shown = [message for message in simulator.telegram.messages(chat_id) if message.buttons]
            if shown:
                simulator.telegram.press(shown[0].message_id, "Applied", chat_id=chat_id, user_id=1)
                return

    thread = threading.Thread(target=press)
    thread.start()
    yield
    is_over.set()
    thread.join(5)


def test_the_chat_of_whoever_writes_is_found_tried_and_told_as_lines_to_paste(user, simulator):
    simulator.telegram.say("/start")
    with somebody_presses(simulator):
        ran = user("connect", "telegram")
    assert ran.code == 0, ran.err
    assert ran.out == "chat_id = 1\n"
    assert f"Put into the [telegram] table of {user.folder / 'radar.toml'}" in " ".join(ran.err.split())
    assert "press Start" in ran.err
    assert "info_radar_sim_bot" in ran.err
    (press,) = simulator.telegram.presses
    assert list(press.answers) == [TEST_ANSWER]
    assert "The buttons work." in ran.err
    assert TOKEN not in ran.out + ran.err


@pytest.mark.parametrize("writes", [False, True])
def test_without_a_file_the_lines_are_only_printed_and_nothing_is_made(newcomer, simulator, monkeypatch, writes):
    monkeypatch.setattr("inforadar.interfaces.cli.connect.TELEGRAM", simulator.service_urls["telegram"])
    newcomer.env["TELEGRAM_TOKEN"] = TOKEN
    simulator.telegram.say("/start")
    ran = newcomer("connect", "telegram", "--timeout", "1", *(["--write"] if writes else []))
    assert ran.code == 0, ran.err
    assert tomllib.loads(ran.out) == {"telegram": {"token": {"env": "TELEGRAM_TOKEN"}, "chat_id": 1}}
    assert ("There is no radar.toml yet, so nothing was written" in " ".join(ran.err.split())) is writes
    assert list(newcomer.folder.iterdir()) == []


def test_the_answer_as_json_holds_everything_and_no_secret(user, simulator):
    simulator.telegram.say("/start")
    with somebody_presses(simulator):
        ran = user("connect", "telegram", "--json")
    told = ran.json
    assert (told["bot"], told["chat_id"], told["user_id"]) == ("info_radar_sim_bot", 1, 1)
    assert (told["is_pressed"], told["is_written"]) == (True, False)
    assert tomllib.loads(told["toml"]) == {"telegram": {"chat_id": 1}}
    assert told["message"].startswith("1:")
    assert TOKEN not in ran.out + ran.err


def test_the_chat_is_written_into_the_configuration_and_nothing_else_is_changed(user, simulator):
    path = user.folder / "radar.toml"
    before = path.read_text()
    simulator.telegram.say("hello")
    ran = user("connect", "telegram", "--write", "--timeout", "1")
    assert ran.code == 0, ran.err
    assert path.read_text() == before.replace("[telegram]   # the bot\n", "[telegram]   # the bot\nchat_id = 1\n")
    assert path.stat().st_mode & 0o777 == 0o600
    assert load(path, known_sources(), {"TELEGRAM_TOKEN": TOKEN}).telegram.chat_id == "1"


def test_lines_that_cannot_be_written_are_shown_to_be_written_by_hand(newcomer, simulator):
    inline = 'telegram = {{ base_url = "{url}", token = "{token}" }}\n'
    path = newcomer.configure(simulator)
    path.write_text(inline.format(url=simulator.service_urls["telegram"], token=TOKEN) + path.read_text())
    simulator.telegram.say("hello")
    ran = newcomer("connect", "telegram", "--write", "--timeout", "1")
    assert ran.code == 2
    assert "chat_id = 1\n" in ran.out
    assert "Write it yourself" in ran.err


def test_a_group_names_who_may_press_its_buttons(user, simulator):
    simulator.telegram.say("/start", user_id=1, chat_id=-55)
    ran = user("connect", "telegram", "--timeout", "1")
    assert ran.out == "chat_id = -55\nusers = [1]\n"


def test_presses_that_wait_for_a_running_radar_are_left_to_it(user, simulator):
    simulator.telegram.say("/start")
    user("connect", "telegram", "--timeout", "1")
    assert len(simulator.telegram.pending_updates) == 1


def test_the_last_one_who_wrote_is_chosen_and_the_others_are_named(user, simulator):
    simulator.telegram.say("/start", user_id=9)
    simulator.telegram.say("/start", user_id=1)
    ran = user("connect", "telegram", "--timeout", "1")
    assert "chat_id = 1\n" in ran.out
    assert "Another chat wrote to the bot before: 9" in ran.err


def test_when_nobody_writes_the_command_ends_in_time_and_says_what_to_do(user):
    ran = user("connect", "telegram", "--timeout", "1")
    assert ran.code == 1
    assert "Nobody wrote to @info_radar_sim_bot. Press Start" in ran.err.replace("\n", " ")


def test_a_wrong_token_is_told_with_the_remedy(user, simulator):
    simulator.switch(Fault(kind="unauthorized", source="telegram"))
    ran = user("connect", "telegram")
    assert ran.code == 1
    assert "@BotFather" in ran.err
    assert TOKEN not in ran.err


def test_without_a_token_and_a_terminal_nothing_is_asked(user):
    del user.env["TELEGRAM_TOKEN"]
    ran = user("connect", "telegram")
    assert ran.code == 2
    assert "/newbot" in ran.err
    ran = user("connect", "telegram", "--token")
    assert ran.code == 2
    assert "no terminal" in ran.err


def test_while_a_radar_polls_the_command_says_so_and_ends(user):
    user("db", "upgrade")
    store = open_database(f"sqlite:///{user.folder / 'radar.db'}")
    with store.transaction() as tx:
        leases.acquire(tx, UPDATES_LEASE, "another", 60, lambda _name: False)
    store.close()
    ran = user("connect", "telegram")
    assert ran.code == 1
    assert ANOTHER_POLLS in ran.err.replace("\n", " ")


def test_a_webhook_is_in_the_way_until_it_is_deleted(user, simulator):
    simulator.telegram.updates.webhook = "https://example.org/hook"
    ran = user("connect", "telegram")
    assert ran.code == 1
    assert "--delete-webhook" in ran.err
    simulator.telegram.say("/start")
    ran = user("connect", "telegram", "--delete-webhook", "--timeout", "1")
    assert ran.code == 0, ran.err
    assert simulator.telegram.updates.webhook == ""


def test_a_token_typed_in_a_terminal_is_not_shown(user, simulator):
    del user.env["TELEGRAM_TOKEN"]
    simulator.telegram.say("/start")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*RADAR, "connect", "telegram", "--timeout", "1"],
        cwd=user.folder,
        env=environment(**user.env),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    ) as started:
        os.close(theirs)
        shown = b""
        while b"token" not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, TOKEN.encode() + b"\n")
        out, _ = started.communicate(timeout=PATIENCE_S)
        assert started.returncode == 0
        shown += os.read(ours, 10_000)
    os.close(ours)
    assert TOKEN.encode() not in shown
    assert b"chat_id = 1" in out
    assert b'token = { env = "TELEGRAM_TOKEN" }' in out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[telegram]\nchat_id = -7\n"),
        ("[store]\nurl = 'x'", "[store]\nurl = 'x'\n\n[telegram]\nchat_id = -7\n"),
        ("# top\n[telegram] # bot\n# users\nusers = [1]\n[web]\nport = 1\n",
         "# top\n[telegram] # bot\nchat_id = -7\n# users\nusers = [1]\n[web]\nport = 1\n"),
        ("[telegram]\r\nchat_id = 1   # mine\r\n[web]\r\n", "[telegram]\r\nchat_id = -7   # mine\r\n[web]\r\n"),
        ("[telegram]\n  chat_id=\"@old # not a comment\" # c\n", "[telegram]\n  chat_id=-7 # c\n"),
        ("telegram.chat_id = 1\n", "telegram.chat_id = -7\n"),
        ("[telegram]", "[telegram]\nchat_id = -7\n"),
        ("x = '''\n[telegram]\nchat_id = 1\n'''\n",
         "x = '''\n[telegram]\nchat_id = 1\n'''\n\n[telegram]\nchat_id = -7\n"),
        ("telegram = { chat_id = 1 }\n", None),
        ("[telegram]\nchat_id = '''1'''\n", None),
        ("[[telegram]]\nchat_id = 1\n", None),
    ],
)  # fmt: skip
def test_one_setting_is_changed_and_everything_else_stays_or_nothing_is_changed(before, after):
    assert with_setting(before, "telegram", "chat_id", "-7") == after


def test_a_file_keeps_its_mark_its_line_ends_and_its_permissions(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_bytes("\ufeff[telegram]\r\ntoken = 'x:y'\r\n".encode())
    path.chmod(0o640)
    write_settings(path, "telegram", {"token": "'new'", "chat_id": "5"}, keep=["token"])
    assert path.read_bytes() == "\ufeff[telegram]\r\nchat_id = 5\r\ntoken = 'x:y'\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_changed_safely_stays_as_it_is(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_text("telegram = { token = 'a' }\n")
    with pytest.raises(ConfigError, match="Write it yourself"):
        write_settings(path, "telegram", {"chat_id": "5"})
    assert path.read_text() == "telegram = { token = 'a' }\n"


def test_a_setting_is_written_into_what_another_is_changing_at_the_moment(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_text("[web]\n")
    other = threading.Thread(target=write_settings, args=(path, "telegram", {"chat_id": "5"}))

    def change_slowly(text):
        other.start()
        other.join(0.3)
        return text + "port = 1\n"

    change_file(path, change_slowly, tomllib.loads)
    other.join(PATIENCE_S)
    assert tomllib.loads(path.read_text()) == {"web": {"port": 1}, "telegram": {"chat_id": 5}}
