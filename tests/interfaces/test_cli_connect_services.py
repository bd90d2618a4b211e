"""`radar connect sheets` and `radar connect ollama` over the simulated services: each failure with its remedy."""

import os
import pty
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from inforadar.bootstrap import known_sources
from inforadar.config import load
from inforadar.simulator.faults import Fault
from inforadar.simulator.sheets.service import SPREADSHEET
from interfaces.command_line import RADAR, Ran, environment

ADDRESS = f"https://docs.google.com/spreadsheets/d/{SPREADSHEET}/edit?gid=0#gid=0"
EMAIL = "info-radar@simulated.iam.gserviceaccount.com"
NOBODY = "http://127.0.0.1:9"
PATIENCE_S = 60.0


def said(ran: Ran) -> str:
    return " ".join(ran.err.split())


@pytest.fixture
def user(newcomer, simulator):
    newcomer.configure(simulator, f'[sheets]  # mine\nbase_url = "{simulator.service_urls["sheets"]}"\n')
    return newcomer


@pytest.fixture
def key(user, simulator) -> Path:
    path = user.folder / "key.json"
    path.write_text(simulator.sheets_key_file)
    path.chmod(0o600)
    return path


def test_the_spreadsheet_is_opened_and_its_lines_are_told(user, key):
    ran = user("connect", "sheets", "key.json", ADDRESS)
    assert ran.code == 0, ran.err
    assert tomllib.loads(ran.out) == {"spreadsheet_id": SPREADSHEET, "credentials": {"file": str(key)}}
    assert "Put into the [sheets] table of" in said(ran)
    assert f"The service account is {EMAIL}: share the spreadsheet with it, as an editor." in said(ran)
    assert "Its tabs: Sheet1." in said(ran)
    assert "radar sheets sync --now" in said(ran)
    assert "chmod" not in ran.err
    assert "PRIVATE KEY" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("now", "told", "opens_at"),
    [
        ("2026-01-05T12:00:00Z", "next from 2026-01-06T02:00:00Z", "2026-01-06T02:00:00Z"),
        ("2026-01-05T03:30:00Z", "open now, until 05:00 UTC", "2026-01-05T03:30:00Z"),
        ("2026-01-05T04:59:50Z", "next from 2026-01-06T02:00:00Z", "2026-01-06T02:00:00Z"),
    ],
)
def test_a_check_tells_whether_the_window_is_open_and_when_it_opens(user, key, now, told, opens_at):
    user("connect", "sheets", str(key), SPREADSHEET, "--write")
    user.env["RADAR_NOW"] = now
    assert told in user("sheets", "check").out
    assert user("sheets", "check", "--json").json["opens_at"] == opens_at


def test_a_sync_that_writes_nothing_tells_which_matches_are_written(user, key):
    path = user.folder / "radar.toml"
    user("connect", "sheets", str(key), SPREADSHEET, "--write")
    assert "No watch is written there" in said(user("sheets", "sync", "--now"))
    path.write_text(path.read_text().replace('kind = "vacancy"', 'kind = "vacancy"\ndeliver = ["sheets"]', 1))
    ran = user("sheets", "sync", "--now")
    assert "Offers: 0 added" in ran.out
    assert "those found before that are not written later" in said(ran)
    assert "radar export" in said(ran)


def test_its_lines_are_written_and_work_at_once(user, key):
    path = user.folder / "radar.toml"
    ran = user("connect", "sheets", str(key), SPREADSHEET, "--write", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["is_written"], ran.json["is_private"], ran.json["tabs"]) == (True, True, ["Sheet1"])
    assert load(path, known_sources(), {}).sheets.spreadsheet_id == SPREADSHEET
    assert user("sheets", "check").code == 0
    written = path.read_text()
    again = user("connect", "sheets", str(key), ADDRESS, "--write")
    assert (again.code, path.read_text()) == (0, written)


def test_a_key_that_others_can_read_is_told_with_the_command_that_closes_it(user, key):
    key.chmod(0o644)
    ran = user("connect", "sheets", "key.json", ADDRESS)
    assert ran.code == 0
    assert "chmod 600 key.json" in ran.err


@pytest.mark.parametrize("text", ["", "https://docs.google.com/document", "my sheet", "../x", "short"])
def test_what_is_no_spreadsheet_is_told_before_anybody_is_asked(user, key, simulator, text):
    ran = user("connect", "sheets", "key.json", text)
    assert ran.code == 2
    assert "copy the address" in said(ran)
    assert not [line for line in simulator.log if line.source == "sheets"]


def test_a_key_file_that_is_not_there_or_none_is_told_with_the_remedy(user, key):
    assert "docs/sheets.md" in said(user("connect", "sheets", "other.json", ADDRESS))
    key.write_text('{"installed": {"client_id": "x"}}')
    ran = user("connect", "sheets", "key.json", ADDRESS)
    assert ran.code == 1
    assert "create a key of type JSON" in said(ran)


def test_a_spreadsheet_that_is_not_shared_or_not_there_is_told_with_what_to_do(user, key, simulator):
    simulator.sheets.share(False)
    ran = user("connect", "sheets", "key.json", ADDRESS, "--write")
    assert ran.code == 1
    assert f"share the spreadsheet with {EMAIL} as an editor" in said(ran)
    assert "spreadsheet_id" not in (user.folder / "radar.toml").read_text()
    simulator.sheets.share(True)
    ran = user("connect", "sheets", "key.json", "1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789")
    assert ran.code == 1
    assert "Google knows no such spreadsheet" in said(ran)


def test_a_server_of_tokens_that_is_out_of_order_is_told_as_such(user, key, simulator):
    simulator.switch(Fault(kind="server_error", source="sheets", method="token"))
    ran = user("connect", "sheets", "key.json", ADDRESS)
    assert ran.code == 1
    assert "Google gives no token" in said(ran)


def test_a_model_is_found_tried_and_told_with_its_time(user, simulator):
    url = simulator.service_urls["ollama"]
    ran = user("connect", "ollama", "--url", url)
    assert ran.code == 0, ran.err
    assert tomllib.loads(ran.out) == {"judge": {"kind": "ollama", "base_url": url, "model": "qwen3:8b"}}
    assert "has llama3.2:latest, qwen3:8b, smollm2:latest." in said(ran)
    assert re.search(r"It answered in \d+\.\d s: score [01]\.\d\d, \w+", said(ran))
    (asked,) = simulator.ollama.asked
    assert asked.schema is not None
    assert not asked.is_truncated


@pytest.mark.parametrize("options", [[], ["--write"]])
def test_without_a_file_the_lines_of_a_model_are_only_printed(newcomer, simulator, options):
    url = simulator.service_urls["ollama"]
    ran = newcomer("connect", "ollama", "--url", url, *options)
    assert ran.code == 0, ran.err
    assert tomllib.loads(ran.out) == {"judge": {"kind": "ollama", "base_url": url, "model": "qwen3:8b"}}
    assert ("There is no radar.toml yet, so nothing was written" in said(ran)) is bool(options)
    assert list(newcomer.folder.iterdir()) == []


def test_a_file_that_is_named_and_not_there_is_still_told(newcomer):
    ran = newcomer("--config", "other.toml", "connect", "ollama")
    assert ran.code == 2
    assert "other.toml does not exist" in said(ran)


def test_its_lines_are_written_and_nothing_else_is_changed(user, simulator):
    path = user.folder / "radar.toml"
    path.write_text(path.read_text() + '[judge]  # who judges\nkind = "words"\n')
    url = simulator.service_urls["ollama"]
    ran = user("connect", "ollama", "--url", url, "--model", "smollm2", "--write", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["model"], ran.json["is_written"], ran.json["seconds"] >= 0) == ("smollm2", True, True)
    judge = load(path, known_sources(), {}).judge
    assert (judge.kind, judge.base_url, judge.model) == ("ollama", url, "smollm2")
    assert "[judge]  # who judges\n" in path.read_text()
    assert user("connect", "ollama").code == 0


def test_a_server_that_does_not_run_is_told_with_how_to_start_it(user):
    ran = user("connect", "ollama", "--url", NOBODY)
    assert ran.code == 1
    assert f"No Ollama answers at {NOBODY}" in said(ran)
    assert "`ollama serve`" in said(ran)


def test_a_server_that_is_another_one_is_told(user, simulator):
    ran = user("connect", "ollama", "--url", simulator.source_urls["habr"])
    assert ran.code == 1
    assert "is no Ollama" in said(ran)


def test_a_model_that_is_missing_is_told_with_how_to_get_it(user, simulator):
    url = simulator.service_urls["ollama"]
    ran = user("connect", "ollama", "--url", url, "--model", "gemma3")
    assert ran.code == 1
    assert "`ollama pull gemma3`" in said(ran)
    simulator.change_rules(ollama_models=())
    ran = user("connect", "ollama", "--url", url)
    assert ran.code == 1
    assert "`ollama pull qwen3:8b`" in said(ran)


def test_without_a_terminal_the_first_model_is_taken_where_the_usual_one_is_missing(user, simulator):
    simulator.change_rules(ollama_models=("smollm2:latest", "gemma3:4b"))
    ran = user("connect", "ollama", "--url", simulator.service_urls["ollama"], "--json")
    assert (ran.json["models"], ran.json["model"]) == (["gemma3:4b", "smollm2:latest"], "gemma3:4b")


def test_an_answer_that_is_no_verdict_is_told_with_the_remedy(user, simulator):
    simulator.switch(Fault(kind="invalid_json", source="ollama", method="chat"))
    ran = user("connect", "ollama", "--url", simulator.service_urls["ollama"])
    assert ran.code == 1
    assert "--model NAME" in said(ran)


def test_the_key_of_another_judge_is_not_shown_to_the_server(user, simulator):
    path = user.folder / "radar.toml"
    path.write_text(path.read_text() + '[judge]\nkind = "openai"\nmodel = "m"\ntoken = "sk-secret-of-openai"\n')
    simulator.change_rules(ollama_key="sk-secret-of-openai")
    ran = user("connect", "ollama", "--url", simulator.service_urls["ollama"])
    assert ran.code == 1
    assert "set `[judge] token`" in said(ran)
    assert "sk-secret" not in ran.err


def test_in_a_terminal_the_model_is_asked_for(user, simulator):
    simulator.change_rules(ollama_models=("smollm2:latest", "gemma3:4b"))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*RADAR, "connect", "ollama", "--url", simulator.service_urls["ollama"]],
        cwd=user.folder,
        env=environment(**user.env),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    ) as started:
        os.close(theirs)
        shown = b""
        while b"smollm2:latest\r\n>" not in shown.replace(b" ", b""):
            shown += os.read(ours, 1000)
        os.write(ours, b"smol\n")
        out, _ = started.communicate(timeout=PATIENCE_S)
    os.close(ours)
    assert b'model = "smollm2:latest"' in out
