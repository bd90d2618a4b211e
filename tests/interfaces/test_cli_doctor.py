"""`radar doctor` finds what is wrong, names the command that mends it, and changes nothing."""

import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inforadar.bootstrap import open_app, read_config
from inforadar.config.model import CacheSettings
from inforadar.service.doctoring import check_disk
from inforadar.service.doctoring_store import check_clock, check_new, check_rights
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store.database import open_database
from inforadar.store.migrate import known_migrations, upgrade

LONG_AGO = "2020-01-01T00:00:00.000000Z"


@pytest.fixture(autouse=True)
def _real_time(radar):
    radar.env.pop("RADAR_NOW")


def found(radar, area):
    """The findings about one area."""
    return [one for one in radar("doctor", "--json").json["findings"] if one["area"] == area]


def with_text(radar, text):
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text() + text, encoding="utf-8")


def digest(folder: Path) -> dict[str, str]:
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in folder.iterdir() if "-shm" not in one.name
    }


def test_all_is_well_after_a_fetch_and_nothing_is_changed_by_looking(radar):
    radar("fetch", "--limit", "2")
    before = digest(radar.folder)
    ran = radar("doctor")
    assert ran.code == 0, ran.out
    assert "SQLite 3." in ran.out
    assert {one["state"] for one in found(radar, "hh")} == {"ok"}
    assert digest(radar.folder) == before


def test_before_the_first_fetch_no_database_is_made(radar):
    before = digest(radar.folder)
    assert radar("doctor").code == 0
    assert "radar fetch makes it" in found(radar, "database")[0]["remedy"]
    assert digest(radar.folder) == before


def test_a_broken_configuration_is_told_with_its_lines(radar):
    with_text(radar, "\n[stoer]\n")
    ran = radar("doctor")
    assert ran.code == 1
    assert "stoer" in ran.out


def test_without_a_configuration_the_way_to_begin_is_told(newcomer):
    (newcomer.folder / "radar.toml").unlink()
    ran = newcomer("doctor", "--json")
    assert ran.code == 1
    assert ran.json["findings"][0]["remedy"] == "radar init"


def test_pending_migrations_are_told_and_not_applied(radar):
    path = radar.folder / "radar.db"
    old = open_database(f"sqlite:///{path}")
    upgrade(old, known_migrations()[:1])
    old.close()
    told = found(radar, "database")[0]
    assert (told["state"], told["remedy"]) == ("failure", "radar db upgrade")
    assert found(radar, "database") == [told]


def test_a_file_of_another_program_is_named_and_left_alone(radar):
    import apsw

    path = radar.folder / "radar.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs (a)")
    other.close()
    before = path.read_bytes()
    assert found(radar, "database")[0]["state"] == "failure"
    path.write_bytes(b"this is no database at all, but long enough")
    assert found(radar, "database")[0]["state"] == "failure"
    path.write_bytes(before)
    radar("doctor")
    assert path.read_bytes() == before


def test_a_source_that_fails_is_told_from_what_is_stored(radar, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    radar("fetch", "--source", "linkedin")
    asked = len(simulator.log)
    told = found(radar, "linkedin")[0]
    assert told["state"] == "failure"
    assert "login wall" in told["what"]
    assert "radar fetch --source linkedin --now" in told["remedy"]
    assert len(simulator.log) == asked
    assert radar("doctor").code == 1


@pytest.mark.parametrize(
    ("url", "model", "remedy"),
    [("{ollama}", "nosuch:1b", "ollama pull nosuch:1b"), ("http://127.0.0.1:9", "x", "ollama serve")],
)
def test_a_judge_that_cannot_judge_is_told(radar, simulator, url, model, remedy):
    url = url.format(**simulator.base_urls)
    with_text(radar, f'\n[judge]\nkind = "ollama"\nbase_url = "{url}"\nmodel = "{model}"\n')
    told = found(radar, "judge")[0]
    assert (told["state"], told["remedy"]) == ("failure", remedy)


def test_the_bot_is_asked_who_it_is_and_its_token_is_never_shown(radar, simulator):
    base = simulator.base_urls["telegram"]
    with_text(radar, f'\n[telegram]\nbase_url = "{base}"\ntoken = "123:canary-of-the-bot"\nchat_id = 1\n')
    assert found(radar, "telegram")[0]["state"] == "ok"
    ran = radar("doctor")
    assert "canary" not in ran.out + ran.err


def test_a_token_that_telegram_refuses_is_told(radar, simulator):
    base = simulator.base_urls["telegram"]
    with_text(radar, f'\n[telegram]\nbase_url = "{base}"\ntoken = "123:canary-of-the-bot"\nchat_id = 1\n')
    simulator.switch(Fault(kind="unauthorized", source="telegram"))
    told = found(radar, "telegram")[0]
    assert (told["state"], told["remedy"]) == ("failure", "radar connect telegram --token")
    assert "canary" not in told["what"]


def test_a_job_whose_worker_died_is_told(radar):
    with open_app(read_config(str(radar.folder / "radar.toml"))) as app:
        app.scheduler().once()
        with app.database.transaction() as tx:
            tx.run_text(
                f"UPDATE jobs SET status = 'running', locked_by = 'gone', attempts = 1, "
                f"locked_at = '{LONG_AGO}', heartbeat_at = '{LONG_AGO}' WHERE id = 1"
            )
    told = found(radar, "jobs")
    assert told[0]["state"] == "failure"
    assert "radar jobs list --stuck" in told[0]["remedy"]


def test_a_bot_without_a_token_or_a_chat_is_told(radar, simulator):
    base = simulator.base_urls["telegram"]
    with_text(radar, f'\n[telegram]\nbase_url = "{base}"\n')
    assert "radar connect telegram" in found(radar, "telegram")[0]["remedy"]
    with_text(radar, 'token = "123:x"\n')
    assert found(radar, "telegram")[0]["remedy"] == "radar connect telegram --write"


def test_a_token_that_is_not_to_be_had_names_the_variable_or_the_file_it_is_read_from(radar):
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text().replace('kind = "article"', 'kind = "article"\ndeliver = ["telegram"]'))
    with_text(radar, '\n[telegram]\nchat_id = 5\ntoken = { env = "NOT_SET_X" }\n')
    (warning,) = [one for one in found(radar, "config") if one["state"] == "warning"]
    assert "the environment variable NOT_SET_X is not set" in warning["what"]
    assert warning["remedy"] == "Set it: export NOT_SET_X=..."
    assert found(radar, "telegram")[0]["remedy"] == "export NOT_SET_X=..., then radar doctor"
    path.write_text(path.read_text().replace('env = "NOT_SET_X"', 'file = "tokens/bot"'))
    assert found(radar, "telegram")[0]["remedy"] == "write the token into tokens/bot, then radar doctor"


def test_no_remedy_leaves_a_name_to_be_filled_in(radar):
    remedies = [one["remedy"] for one in radar("doctor", "--json").json["findings"]]
    assert any("radar watch edit jobs" in one for one in remedies)
    assert not [one for one in remedies if "NAME" in one]


def test_one_watch_with_one_query_is_counted_in_the_singular(newcomer):
    text = '[[watch]]\nname = "a"\nkind = "vacancy"\n[[watch.query]]\nsource = "hh"\nparams = { text = "go" }\n'
    (newcomer.folder / "radar.toml").write_text(text)
    assert "radar.toml: 1 watch, 1 query" in found(newcomer, "config")[0]["what"]


def test_secret_files_that_others_can_read_are_told(radar):
    (radar.folder / "radar.toml").chmod(0o644)
    (radar.folder / "key").write_text("secret-in-a-file")
    (radar.folder / "key").chmod(0o640)
    with_text(radar, '\n[sources.infojobs]\nclient_id = { file = "key" }\n')
    remedies = {one["remedy"] for one in found(radar, "secrets")}
    assert remedies == {f"chmod 600 {radar.folder / name}" for name in ("radar.toml", "key")}
    for name in ("radar.toml", "key"):
        (radar.folder / name).chmod(0o600)
    assert found(radar, "secrets")[0]["state"] == "ok"


def test_a_file_that_others_can_read_is_told_once_with_what_closes_it(radar):
    path = radar.folder / "radar.toml"
    path.chmod(0o644)
    told = [one for one in radar("doctor", "--json").json["findings"] if "others can read" in one["what"]]
    assert [one["remedy"] for one in told] == [f"chmod 600 {path}"]


def nobody_may_write(path, right):
    """The rights of a user who may read everything and write nothing; tests are run by root too."""
    return not right & os.W_OK


def test_a_database_that_this_user_may_not_make_or_write_is_told_with_who_may(tmp_path):
    path = tmp_path / "radar.db"
    told = check_new(path, nobody_may_write)
    assert (told.state, told.remedy) == ("failure", f"chmod u+rwx {tmp_path}")
    assert check_new(path).state == "ok"
    path.touch()
    assert check_rights(path) is None
    told = check_rights(path, nobody_may_write)
    assert (told.state, told.remedy) == ("failure", f"chmod u+rwx {tmp_path}")
    told = check_rights(path, lambda place, _: place == tmp_path)
    assert told.remedy == f"chmod u+rw {path}"


def test_a_file_system_that_may_only_be_read_is_not_mended_by_rights(tmp_path):
    path = tmp_path / "radar.db"
    remedy = "mount it for writing, or name a file elsewhere in [store] url"
    assert check_new(path, nobody_may_write, lambda _: True).remedy == remedy
    path.touch()
    told = check_rights(path, nobody_may_write, lambda _: True)
    assert (told.what, told.remedy) == (f"{tmp_path} lies on a file system that may only be read", remedy)


def test_little_room_is_told_in_megabytes(radar):
    told = check_disk(read_config(radar.folder / "radar.toml"), lambda _: 8 << 20)
    assert told.what.startswith("8 MB free in ")


def test_a_server_that_refuses_is_not_mended_by_looking_again(radar):
    path = radar.folder / "radar.toml"
    path.write_text('[store]\nurl = "postgresql://x@127.0.0.1:9/x"\n' + path.read_text())
    told = found(radar, "database")[0]
    assert told["state"] == "failure"
    assert "[store] url" in told["remedy"]
    assert "radar db check" not in told["remedy"]


def test_a_board_that_is_not_there_is_mended_by_an_edit(radar):
    with Simulator(still_world(1, datetime.now(UTC), {"greenhouse": 5})) as boards:
        base = boards.base_urls["greenhouse"]
        radar.configure(
            boards,
            f"""
[sources.greenhouse]
base_url = "{base}"
[[watch]]
name = "gone"
kind = "vacancy"
  [[watch.query]]
  source = "greenhouse"
  params = {{ board = "nobody-has-this" }}
""",
        )
        ran = radar("fetch", "gone").out
        assert "mend: radar watch edit gone" in ran
        assert "Greenhouse has no board nobody-has-this" in " ".join(ran.split())
        assert "the query wants correcting" in ran
        assert "refused" not in ran
        told = found(radar, "gone")[0]
        status = radar("status")
    assert told["remedy"].startswith("radar watch edit gone")
    assert "radar watch edit gone" in " ".join((status.out + status.err).split())


def test_a_sink_that_is_set_up_only_needs_to_be_named(radar, simulator):
    assert "radar connect telegram, then" in found(radar, "sinks")[0]["remedy"]
    with_text(radar, f'\n[telegram]\nbase_url = "{simulator.base_urls["telegram"]}"\ntoken = "123456:x"\nchat_id = 1\n')
    assert found(radar, "sinks")[0]["remedy"] == 'deliver = ["telegram"] in a watch: radar watch edit jobs'


def test_windows_and_quiet_hours_are_told(radar):
    with_text(radar, '\n[telegram]\nquiet_hours = "00:30-23:30 Europe/Madrid"\n[sheets]\n')
    told = found(radar, "windows")
    assert {one["state"] for one in told} == {"warning", "ok"}
    assert any("03:00-06:00 Europe/Madrid" in one["what"] for one in told)


def test_a_time_that_the_environment_tells_is_named(radar):
    radar("fetch", "--limit", "1")
    radar.env["RADAR_NOW"] = "2026-01-05T12:00:00Z"
    assert found(radar, "clock")[0]["remedy"] == "unset RADAR_NOW"


@pytest.mark.parametrize(("seconds", "state"), [(0, "ok"), (60, "failure"), (-60, "failure")])
def test_a_clock_that_differs_from_the_database_is_told(sqlite_url, seconds, state):
    database = open_database(sqlite_url)
    now = datetime.now(UTC) + timedelta(seconds=seconds)
    assert check_clock(database, now, is_told=False).state == state
    database.close()


@pytest.mark.parametrize(("free", "state"), [(10 << 30, "ok"), (500 << 20, "warning"), (1 << 20, "failure")])
def test_a_disk_that_is_nearly_full_is_told(radar, free, state):
    config = read_config(str(radar.folder / "radar.toml"))
    assert isinstance(config.cache, CacheSettings)
    assert check_disk(config, lambda _path: free).state == state


def test_no_secret_of_the_configuration_is_ever_printed(radar):
    (radar.folder / "key").write_text("canary-in-a-file")
    with_text(
        radar,
        '\n[sources.ebay]\nclient_id = "canary-id"\nclient_secret = { file = "key" }\n'
        '[web]\ntoken = "canary-web-token"\n',
    )
    for arguments in (["doctor"], ["doctor", "--json"], ["paths"], ["sources", "--json"], ["watch", "list", "--json"]):
        ran = radar(*arguments)
        assert "canary" not in ran.out + ran.err, arguments
        assert "secret-of-hh" not in ran.out + ran.err


def test_it_is_run_as_a_process_of_its_own_too(radar):
    process = radar.start("doctor", "--json")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b'"ok": true' in out
    assert os.listdir(radar.folder) == ["radar.toml"]
