"""Broken and hostile input through the real command: a sentence for each mistake, exit code 2, never a traceback."""

import re
from pathlib import Path

import pytest

from crash.radar_command import Ended, Radar

EVERY_MISTAKE = """\
[store]
url = "mysql://somewhere"
[sources.hh]
rate_limit_per_minute = 0
tokn = "x"
[sources.nowhere]
enabled = true
[[watch]]
name = "a"
kind = "vacancies"
ban_words = ["re:("]
  [[watch.query]]
  source = "habrr"
  limit = -1
  cutoff_date = "yesterday"
"""
MISTAKES = {
    2: "store.url",
    4: "rate_limit_per_minute",
    5: "tokn",
    6: "nowhere",
    10: "kind",
    11: "ban_words",
    13: "source",
    14: "limit",
    15: "cutoff_date",
}
GOOD_WATCH = '[[watch]]\nname = "a"\nkind = "vacancy"\n  [[watch.query]]\n  source = "linkedin"\n'
HOSTILE = {
    "nothing in it": b"",
    "no watch": b'[store]\nurl = "sqlite:///radar.db"\n',
    "no TOML": b"name: yaml\n- list\n",
    "cut off": b'[store]\nurl = "sqlite:///ra',
    "not UTF-8": b'[store]\nurl = "sqlite:///\xff\xfe.db"\n',
    "UTF-16": '[store]\nurl = "x"\n'.encode("utf-16"),
    "NUL bytes": b"\0" * 4096,
    "machine code": bytes(range(256)) * 64,
    "nested too deeply": b"a = " + b"[" * 100_000 + b"]" * 100_000,
    "a key twice": b"[store]\n[store]\n",
    "huge": b"# " + b"x" * 2_000_000,
    "control characters in names": b'"\\u001b[31m\\u0007" = 1\n',
    "a table where a text belongs": b"store = 7\nwatch = 8\nsources = 9\n",
    "a huge number": GOOD_WATCH.encode() + b"  limit = " + b"9" * 5000 + b"\n",
}


def test_every_mistake_is_named_at_once_with_its_line_and_remedy(tmp_path: Path) -> None:
    refused = run_with(tmp_path, EVERY_MISTAKE.encode())
    assert refused.code == 2
    told = {int(line): rest for line, rest in re.findall(r"line (\d+), (.*)", refused.err)}
    assert told.keys() == MISTAKES.keys()
    for line, where in MISTAKES.items():
        assert where in told[line]
        assert re.search(r"\. [A-Z].{9,}", told[line]), f"no remedy in {told[line]!r}"
    assert not (tmp_path / "radar.db").exists()


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_is_no_configuration_is_told_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    refused = run_with(tmp_path, content)
    assert refused.code == 2
    assert refused.err.startswith("radar: ")
    assert "Traceback" not in refused.err
    assert len(refused.err) < 5_000
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", refused.err)


@pytest.mark.parametrize("path", ["missing.toml", ".", "/dev/zero", "/proc/self/mem", "x" * 5000])
def test_a_place_that_holds_no_configuration_is_told_in_a_sentence(tmp_path: Path, path: str) -> None:
    refused = Radar(folder=tmp_path).run("--config", path, "fetch")
    assert refused.code == 2
    assert refused.err.startswith("radar: ")
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fecth",), "Did you mean 'fetch'"),
        (("fetch", "--nonsense"), "--nonsense"),
        (("fetch", "nobody"), "There is no watch 'nobody'"),
        (("fetch", "--source", "myspace"), "There is no source 'myspace'"),
        (("fetch", "--topic", "knitting"), ""),
        (("fetch", "--limit", "0"), "--limit"),
        (("fetch", "--limit", "many"), "--limit"),
        (("items", "--status", "LOST"), "--status"),
        (("items", "--limit", "99999999999999999999999"), ""),
        (("show", "first"), ""),
        (("show",), ""),
        (("db", "destroy"), "destroy"),
        (("db", "backup"), "FILE"),
        (("sim", "--fault", "earthquake"), "earthquake"),
        (("sim", "--port", "99999"), "--port"),
    ],
)
def test_an_argument_that_fits_nothing_is_told_with_exit_code_2(
    sqlite_radar: Radar, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = sqlite_radar.run(*arguments)
    assert refused.code == 2, refused.said
    assert sentence in refused.err
    assert "Traceback" not in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    "moment", ["garbage", "2026-13-45", "0", "9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00"]
)
def test_a_radar_now_that_is_no_moment_is_told_in_a_sentence(sqlite_radar: Radar, moment: str) -> None:
    refused = Radar(folder=sqlite_radar.folder, variables={"RADAR_NOW": moment}).run("fetch")
    assert refused.code == 2, refused.said
    assert "RADAR_NOW" in refused.err
    assert "Traceback" not in refused.err


def run_with(folder: Path, content: bytes) -> Ended:
    (folder / "radar.toml").write_bytes(content)
    return Radar(folder=folder).run("fetch")
