"""The source in docs/writing-a-source.md is installed as its reader would, found, asked, and put under the contract."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from net.local_internet import LocalServer, Seen, page

PAGE = (Path(__file__).parents[2] / "docs" / "writing-a-source.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```\w+\n# ([\w.]+)\n(.*?)```", PAGE, re.DOTALL))
JOBS = 60


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with what is installed in its `site`."""
    env = {**os.environ, "PYTHONPATH": str(folder / "site"), "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=250
    )


def install(folder: Path, **files: str) -> None:
    """Write a package and install it for real, beside the program."""
    package = folder / "package"
    package.mkdir()
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    how = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder / "site"))
    done = run(folder, "-m", "pip", "install", *how, str(package))
    assert done.returncode == 0, done.stderr


def radar(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "inforadar", *arguments)


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page installed in its `site`."""
    folder = tmp_path_factory.mktemp("acme")
    install(folder, **{name: FILES[name] for name in ("acme_radar.py", "pyproject.toml")})
    return folder


def answered(seen: Seen) -> bytes:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(seen.target).query).items()}
    if urlsplit(seen.target).path != "/api/jobs":
        return page(b"{}")
    start = (int(asked["page"]) - 1) * int(asked["size"])
    jobs = [
        {
            "id": n,
            "title": f"{asked['q']} {n}",
            "url": f"https://acme.test/{n}",
            "posted": f"2026-01-{28 - n // 3:02}T00:00:00Z",
        }
        for n in range(1, JOBS + 1)
    ]
    return page(json.dumps({"total": JOBS, "jobs": jobs[start : start + int(asked["size"])]}).encode())


def test_the_source_is_as_short_as_the_page_says():
    assert 40 <= len([line for line in FILES["acme_radar.py"].splitlines() if line.strip()]) <= 65


def test_it_is_listed_and_found_in_order(acme):
    told = {one["name"]: one for one in json.loads(radar(acme, "sources", "--json").stdout)}
    assert (told["acme"]["package"], told["acme"]["flaw"]) == ("acme-radar 1.0", None)
    assert told["hh"]["package"] is None
    assert "acme comes from the package acme-radar 1.0" in radar(acme, "doctor").stdout


def test_it_is_asked_with_the_settings_of_the_page(acme):
    with LocalServer(answered) as server:
        quick = FILES["radar.toml"].replace("rate_limit_per_minute = 20", "rate_limit_per_minute = 6000")
        config = quick.replace("[sources.acme]", f'[sources.acme]\nbase_url = "{server.url}"')
        (acme / "radar.toml").write_text(config, encoding="utf-8")
        done = radar(acme, "fetch", "--json")
        assert done.returncode == 0, done.stderr
        titles = [one["title"] for one in json.loads(radar(acme, "items", "--json", "--limit", "100").stdout)]
    assert sorted(titles) == sorted(f"python {n}" for n in range(1, JOBS + 1))
    wrong = config.replace("{ q =", "{ query =")
    (acme / "wrong.toml").write_text(wrong, encoding="utf-8")
    done = radar(acme, "--config", "wrong.toml", "fetch")
    assert done.returncode == 2
    assert "Acme has no parameter" in done.stderr


def test_it_passes_the_contract(acme):
    (acme / "test_acme.py").write_text(FILES["test_acme.py"], encoding="utf-8")
    (acme / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = run(acme, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_acme.py")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 30


def test_the_contract_finds_a_source_that_loses_entries(acme):
    skips = FILES["test_acme.py"].replace("make=lambda: Acme(SETTINGS)", "make=lambda: Hasty(SETTINGS)")
    hasty = "class Hasty(Acme):\n    def read(self, answer, position):\n        from dataclasses import replace\n"
    hasty += "        page = super().read(answer, position)\n        return replace(page, drafts=page.drafts[1:])\n\n\n"
    (acme / "test_hasty.py").write_text(skips.replace("SITE = ", hasty + "SITE = "), encoding="utf-8")
    done = run(acme, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_hasty.py", "-k", "two_pages or deleted")
    assert done.returncode == 1
    assert "3 failed" in done.stdout


BROKEN = {
    "unloadable": ("import nothing_of_that_name\n", "it cannot be loaded (ModuleNotFoundError"),
    "stopping": ("raise SystemExit(3)\n", "it cannot be loaded (SystemExit"),
    "missing": ("", "it cannot be loaded (AttributeError"),
    "constant": ("Acme = 1\n", "constant:Acme is not something that makes a source"),
    "unmade": ("class Acme:\n    pass\n", "it cannot be made (TypeError"),
    "poor": ("def Acme(settings):\n    return 1\n", "it lacks name, kind, paging"),
    "misnamed": (FILES["acme_radar.py"], "it calls itself 'acme'"),
    "careless": (
        FILES["acme_radar.py"].replace('"acme"', '"careless"').replace("return tuple(unknown_params", "tuple(unknown"),
        "it cannot be made (NameError",
    ),
    "raising": (FILES["acme_radar.py"].replace('"acme"', '"raising"').replace("place = ", "place = 1 / 0, "), None),
}
FEED = {"version": "https://jsonfeed.org/version/1.1", "title": "t"}
GOOD = """
[[watch]]
name = "good"
kind = "article"
  [[watch.query]]
  source = "feed"
  params = {{ url = "/feed" }}

[sources.feed]
base_url = "{url}"
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with one package of broken sources installed in its `site`, and a query for each of them."""
    folder = tmp_path_factory.mktemp("broken")
    points = "\n".join(f'{name} = "{name}:Acme"' for name in BROKEN)
    project = FILES["pyproject.toml"].replace('acme = "acme_radar:Acme"', points).replace("acme_radar.py", "*.py")
    install(folder, **{"pyproject.toml": project}, **{f"{name}.py": module for name, (module, _) in BROKEN.items()})
    watch = FILES["radar.toml"].partition("\n\n")[2]
    queries = [watch.replace('"acme', f'"{name}') for name in BROKEN]
    feed = json.dumps({**FEED, "items": [{"id": "1", "title": "x", "url": "https://x.test/1"}]})
    with LocalServer(lambda _seen: page(feed.encode())) as server:
        (folder / "radar.toml").write_text("\n".join([*queries, GOOD.format(url=server.url)]), encoding="utf-8")
        yield folder


@pytest.mark.parametrize("command", ["sources", "doctor", "fetch"])
def test_a_broken_source_is_a_sentence(broken, command):
    done = radar(broken, command)
    told = re.sub(r"\s+", " ", done.stdout + done.stderr)
    assert [sentence for _, sentence in BROKEN.values() if sentence and sentence not in told] == []
    if command != "fetch":  # whose log shows where a source fell over
        assert "Traceback" not in told


def test_a_broken_source_stops_no_other(broken):
    done = radar(broken, "fetch", "--json")
    assert done.returncode == 3
    failed = [one["source"] for one in json.loads(done.stdout)["queries"] if one["status"] == "ERROR"]
    assert failed == list(BROKEN)
    assert "ZeroDivisionError" in done.stderr
    assert [one["title"] for one in json.loads(radar(broken, "items", "--json").stdout)] == ["x"]


def test_a_package_cannot_take_the_name_of_a_source_of_ours(tmp_path):
    project = FILES["pyproject.toml"].replace("acme = ", "hh = ")
    install(tmp_path, **{"pyproject.toml": project, "acme_radar.py": FILES["acme_radar.py"].replace('"acme"', '"hh"')})
    done = radar(tmp_path, "sources", "--json")
    assert "that name is taken by Info Radar itself" in done.stderr
    (told,) = [one for one in json.loads(done.stdout) if one["name"] == "hh"]
    assert (told["package"], told["docs"]) == (None, "docs/sources/hh.md")
