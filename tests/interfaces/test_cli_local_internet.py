"""`radar sim` and `radar demo`, as a newcomer starts them."""

import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from inforadar.interfaces.cli.main import COMMANDS
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sites import SITES
from interfaces.command_line import NOON, RADAR, environment, process, spent
from sim.simulator_client import visit

DEMO_SECONDS = 30
WATCH = '[[watch]]\nname = "w"\nkind = "vacancy"\ndeliver = ["sheets"]\n[[watch.query]]\nsource = "hh"\n'
OFFLINE = """
import sys
def allow_loopback_alone(event, arguments):
    if event == "socket.connect" and arguments[1][0] != "127.0.0.1":
        raise SystemExit(f"asked for {arguments[1]}")
    if event == "socket.getaddrinfo" and arguments[0] != "127.0.0.1":
        raise SystemExit(f"asked for the address of {arguments[0]}")
sys.addaudithook(allow_loopback_alone)
from inforadar.interfaces.cli.main import run
sys.exit(run(["demo", *sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One demo, with no home, in a folder that it cannot write to, and without a network."""
    folder = tmp_path_factory.mktemp("closed")
    temporary = tmp_path_factory.mktemp("temporary")
    folder.chmod(0o500)
    before = spent()
    ran = process([sys.executable, "-c", OFFLINE], cwd=folder, env=environment(TMPDIR=str(temporary)))
    yield ran, spent() - before, folder, temporary
    folder.chmod(0o700)


def test_the_demo_runs_offline_without_a_home_in_under_30_seconds(demo):
    ran, seconds, _, _ = demo
    assert ran.code == 0, ran.err
    assert seconds < DEMO_SECONDS


def test_the_demo_fetches_adds_updates_and_filters(demo):
    out = demo[0].out
    assert out.count("$ radar fetch") == 3
    sums = [tuple(map(int, found)) for found in re.findall(r"^(\d+) added, (\d+) updated, (\d+) filtered", out, re.M)]
    assert sums[0][0] > 50
    assert sums[1][0] > 5
    assert sums[1][1] > 5
    assert sums[0][2] > 5


def test_the_demo_marks_the_source_it_broke_on_purpose(demo):
    out = demo[0].out
    broken = out.index("broken ON PURPOSE")
    failure = out.index("failed: LinkedIn shows its login wall")
    assert broken < failure
    assert "1 of 5 queries failed" in out
    assert "python-jobs / linkedin  failed, last success" in out


def test_the_demo_judges_sends_explains_and_triages(demo):
    out = demo[0].out
    assert out.count("$ radar work --until-idle") == 2
    assert re.search(r"Telegram has [1-9]\d* new messages?; the latest", out)
    assert re.search(r"^  \| Score 0\.\d\d: hits: .*python", out, re.M)
    assert "  | [Applied] [Not for me] [Later] [Open]" in out
    assert re.search(r"^\d+ .* SENT_TO_USER +[01]\.\d\d ", out, re.M)
    asked = re.search(r"^\$ radar why (\d+)$", out, re.M)
    assert asked
    assert f"$ radar mark {asked[1]} applied" in out
    assert "Sent to telegram on" in out
    assert "Taken back: applied on 1 match" in out
    assert re.search(r"matches: \d+ ANALYZED, \d+ NOT_SUITABLE, .*\d+ SENT_TO_USER", out)


def test_the_demo_has_every_source_and_a_watch_of_each_kind(demo):
    out = demo[0].out
    for source in SITES:
        assert re.search(rf"^\S+ / {source}  [1-9]\d* added", out, re.M), source
    assert re.search(r"^python-jobs / hh|^habr-python / habr", out, re.M)
    assert "$ radar prices morgan-dollars" in out
    assert re.search(r"median +\d+\.\d\d", out)


def test_why_tells_a_verdict_once_and_tables_in_words(demo):
    out = demo[0].out
    story = out[out.index("$ radar why") : out.index("$ radar mark")]
    assert story.count("hits: ") == 1
    assert re.search(r"QUEUED -> ANALYZED  words: score 0\.\d\d, relevant: hits: ", story)
    assert "{" not in story


def test_the_tour_of_the_readme_is_what_the_demo_prints(demo):
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    tour = text.split("<!-- tour -->\n```\n", 1)[1].split("\n```\n", 1)[0]
    printed = {timeless(line).rstrip() for line in demo[0].out.splitlines()}
    told = [line for line in tour.splitlines() if line.strip() not in ("", "...")]
    assert len(told) > 100
    # of many updated entries the report picks some
    assert [line for line in told if not line.startswith("  ~ ") and timeless(line).rstrip() not in printed] == []


def test_the_readme_names_every_command_and_shows_every_picture_there_is():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = text.split("## Commands", 1)[1].split("\n## ", 1)[0]
    for name in COMMANDS:
        assert f"radar {name}" in table, name
    for picture in re.findall(r"\]\((docs/images/[^)]+)\)", text):
        assert (Path(__file__).parents[2] / picture).exists(), picture


def test_the_demo_leaves_nothing_behind(demo):
    _, _, folder, temporary = demo
    assert list(folder.iterdir()) == list(temporary.iterdir()) == []


def test_the_demo_says_nothing_that_belongs_into_a_log(demo):
    assert "[info" not in demo[0].err
    assert "Traceback" not in demo[0].err


def test_the_same_seed_gives_the_same_demo_and_its_files_can_be_kept(newcomer):
    first, second = newcomer("demo", "--seed", "7", "--keep", "a"), newcomer("demo", "--seed", "7", "--keep", "b")
    assert first.code == second.code == 0
    assert timeless(first.out) == timeless(second.out)
    config = newcomer.folder / "a" / "radar.toml"
    assert len(newcomer("--config", str(config), "items", "--json").json) == 50


def timeless(text: str) -> str:
    """The text without what depends on how long things took, and on the address of the simulator."""
    return re.sub(r"in \d+\.\d s|(feed|rest)-[0-9a-f]{12}|\d+ +6000$", "", text, flags=re.M)


@pytest.fixture
def sim(tmp_path):
    """A simulator as a process of its own: the process and the configuration it printed."""
    command = [*RADAR, "sim", "--port", "0", "--factor", "0", "--fault", "rate_limited,source=hh,seconds=60"]
    env = environment(RADAR_NOW="2026-01-05T12:00:00Z", PYTHONUNBUFFERED="1")
    running = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    printed = ""
    while "board = " not in printed and (line := running.stdout.readline()):
        printed += line
    yield running, printed
    if running.poll() is None:
        running.kill()
    running.communicate()


def test_the_local_internet_prints_where_its_sites_are_and_serves_them(sim):
    sources = tomllib.loads(sim[1])["sources"]
    assert set(sources) == set(SITES)
    assert visit(sources["habr"]["base_url"] + "/kek/v2/articles/", {"hub": "python"}).json["publicationIds"]
    assert visit(sources["hh"]["base_url"] + "/vacancies").status == 429


def test_the_lines_it_prints_make_every_connect_command_work(sim, newcomer):
    _, printed = sim
    path = newcomer.folder / "radar.toml"
    path.write_text(printed + WATCH)
    path.chmod(0o600)
    told = tomllib.loads(printed)
    root = told["telegram"]["base_url"].removesuffix("/telegram")
    visit(f"{root}/_sim/telegram/say", body={"text": "/start"})
    ran = newcomer("connect", "telegram", "--timeout", "1")
    assert (ran.code, ran.out) == (0, "chat_id = 1\n"), ran.err
    sheets = told["sheets"]
    ran = newcomer("connect", "sheets", sheets["credentials"]["file"], sheets["spreadsheet_id"])
    assert ran.code == 0, ran.err
    assert "chmod" not in ran.err
    ran = newcomer("connect", "ollama")
    assert ran.code == 0, ran.err
    assert tomllib.loads(ran.out) == told["judge"]


def test_the_watches_it_prints_find_something_and_ask_nobody_else(sim, newcomer):
    path = newcomer.folder / "radar.toml"
    path.write_text(sim[1])
    path.chmod(0o600)
    ran = newcomer("fetch")
    assert ran.code == 0, ran.out
    assert newcomer("items", "--watch", "sim-feed", "--json").json
    assert newcomer("items", "--watch", "sim-board", "--json").json


def test_nothing_but_a_configuration_that_works_is_printed_on_request(newcomer, monkeypatch):
    ended = []

    def serve_and_look(*, announce, **settings):
        with Simulator(still_world(1, NOON, {"feed": 5})) as simulator:
            announce(simulator)
            out, err = newcomer.capture.readouterr()
            assert err == ""
            path = newcomer.folder / "radar.toml"
            path.write_text(out)
            path.chmod(0o600)
            ran = newcomer("fetch", "--json")
            assert ran.code == 0, ran.err
            ended.append(newcomer("items", "--watch", "sim-feed", "--json").json)

    monkeypatch.setattr("inforadar.interfaces.cli.sim.serve", serve_and_look)
    newcomer("sim", "--toml")
    assert ended[0]


def test_what_a_world_ahead_of_our_clock_publishes_is_new_and_not_of_a_negative_age(radar):
    """As with --factor: the world runs ahead of the machine's clock."""
    radar.env["RADAR_NOW"] = "2025-12-20T12:00:00Z"
    radar("fetch", "--source", "hh")
    ages = [line.split()[1:3] for line in radar("items", "--limit", "5").out.splitlines()]
    assert ages[0][0] == "AGE"
    assert [age[0] for age in ages[1:]] == ["now"] * 5


def test_help_names_every_site(newcomer):
    shown = " ".join(newcomer("sim", "--help").out.split())
    assert f"Serve {len(SITES)} sites" in shown
    assert all(re.search(rf"\b{site}\b", shown) for site in SITES)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_the_local_internet_ends_when_asked(sim, by):
    running, printed = sim
    key_file = Path(tomllib.loads(printed)["sheets"]["credentials"]["file"])
    assert key_file.exists()
    running.send_signal(by)
    _, said = running.communicate(timeout=10)
    assert not key_file.exists()
    assert "  GET /_sim/log?source=\n" in said
    assert "  POST /_sim/telegram/say {text, user_id?, chat_id?}\n" in said
    assert running.returncode == 0
    assert "its world begins at 2026-01-05 12:00 UTC" in said
    assert "Traceback" not in said


def test_a_port_in_use_is_told_in_one_sentence(newcomer, simulator):
    ran = newcomer("sim", "--port", simulator.url.rpartition(":")[2])
    assert ran.code == 1
    assert "Cannot listen at 127.0.0.1" in ran.err


@pytest.mark.parametrize("fault", ["nonsense", "rate_limited,colour=red", "rate_limited,after=soon"])
def test_a_fault_that_does_not_exist_is_a_usage_error(newcomer, fault):
    ran = newcomer("sim", "--port", "0", "--fault", fault)
    assert ran.code == 2
    assert fault.split(",")[0] in ran.err


def test_a_folder_that_cannot_be_kept_is_refused_in_a_sentence(newcomer):
    (newcomer.folder / "file").write_text("")
    for keep in ("/proc/x", "file/inside"):
        ran = newcomer("demo", "--report", "--keep", keep)
        assert ran.code == 1
        assert "Name another folder with --keep" in " ".join(ran.err.split())


def test_the_demo_overwrites_no_configuration_of_anybody_else(newcomer):
    own = newcomer.folder / "radar.toml"
    own.write_text("# mine\n")
    ran = newcomer("demo", "--report", "--keep", ".")
    assert (ran.code, own.read_text()) == (1, "# mine\n")
    assert "a radar.toml that is no demo's" in " ".join(ran.err.split())


def test_a_kept_demo_that_goes_on_says_so(newcomer):
    assert "holds a demo of before" not in newcomer("demo", "--report", "--keep", "a").err
    again = newcomer("demo", "--report", "--keep", "a")
    assert "holds a demo of before: this one goes on in its database" in " ".join(again.err.split())
