"""The inbox in a real browser over the simulated internet: keys, many at once, undo, other processes, a lost server."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from inforadar.domain.run import StopReason
from inforadar.domain.verdict import Verdict
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store import analyses, runs
from interfaces.command_line import CONFIG, COUNTS, NOON, RADAR, CommandLine, environment, process
from interfaces.web_rig import furnish_pages, running_web

DEBIANS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NONE_HERE = "no Chromium here: `apt-get install chromium` or `.venv/bin/playwright install chromium` brings one"
PHONE = {"width": 360, "height": 740}
# Waiting is the browser's: it asks again until a thing is so, or this long.
PATIENCE_MS = 60_000


class Server:
    """`radar serve` as a process that can be killed and started again at the same address."""

    def __init__(self, radar: CommandLine) -> None:
        self._radar = radar
        self._port = "0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        self._process = self._radar.start("serve", "--port", self._port, stdout=subprocess.DEVNULL)
        assert self._process.stderr is not None
        told = next(line for line in self._process.stderr if b"http://" in line).decode()
        address = re.search(r"http://\S+\d", told)[0]  # type: ignore[index]
        self._port = address.rpartition(":")[2]
        # a pipe that nobody empties would stop the server
        self._reader = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._reader.start()
        return address

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            assert self._process.stderr is not None
            self._process.stderr.close()
            self._process = None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium: playwright's own, else the machine's."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        found = own if Path(own).exists() else next(filter(None, map(shutil.which, DEBIANS)), None)
        if found is None:
            pytest.skip(NONE_HERE)
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that was filled from the simulator."""
    folder = tmp_path_factory.mktemp("filled")
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        (folder / "radar.toml").write_text(CONFIG.format(**simulator.base_urls), encoding="utf-8")
        (folder / "radar.toml").chmod(0o600)
        for command in (["fetch"], ["work", "--until-idle"]):
            ran = process([*RADAR, *command], cwd=folder, env=environment(RADAR_NOW=NOON.isoformat()))
            assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def served(newcomer: CommandLine, filled: Path) -> Iterator[tuple[CommandLine, Server, str]]:
    """A user with that store, and the page over it."""
    shutil.copytree(filled, newcomer.folder, dirs_exist_ok=True)
    server = Server(newcomer)
    try:
        yield newcomer, server, server.start()
    finally:
        server.kill()


@contextmanager
def opened(browser: Browser, address: str, **differing) -> Iterator[Page]:
    """A page in a window of its own; an error of its script fails the test."""
    context = browser.new_context(viewport={"width": 1100, "height": 800}, **differing)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
    page.goto(address)
    yield page
    context.close()
    assert errors == []


expect.set_options(timeout=PATIENCE_MS)


def ids(page: Page) -> list[int]:
    return page.eval_on_selector_all(".card", "cards => cards.map(card => Number(card.dataset.id))")


def status(radar: CommandLine, match_id: int) -> str:
    return radar("show", str(match_id), "--json").json["status"]


def count(page: Page, tab: str) -> str:
    return page.locator("#tabs a", has_text=tab).locator(".count").inner_text()


def wait_until_live(page: Page) -> None:
    page.wait_for_function("() => document.body.dataset.live === '1'")


def test_the_inbox_is_triaged_by_keys_alone(served, browser):
    radar, _, address = served
    with opened(browser, address) as page:
        first, second, third = ids(page)[:3]
        page.keyboard.press("j")
        expect(page.locator(f"#m{first}")).to_be_focused()
        page.keyboard.press("a")
        expect(page.locator(f"#m{first}")).to_have_class(re.compile("done"))
        expect(page.locator(f"#m{second}")).to_have_class(re.compile("current"))
        expect(page.locator("#toast")).to_contain_text("Applied: 1 match.")
        page.keyboard.press("x")
        expect(page.locator("#toast")).to_contain_text("Not for me: 1 match.")
        page.keyboard.press("s")
        expect(page.locator("#toast")).to_contain_text("Later: 1 match.")
        page.keyboard.press("k")
        expect(page.locator(f"#m{third}")).to_have_class(re.compile("current"))
        assert ids(page)[:3] == [first, second, third], "what was decided stays in its place"
        expect(page.locator("#tabs a", has_text="Applied").locator(".count")).to_have_text("1")
    assert [status(radar, one) for one in (first, second)] == ["APPLIED", "NOT_INTERESTED"]


def test_undo_takes_the_last_decision_back_and_the_card_is_as_before(served, browser):
    radar, _, address = served
    with opened(browser, address) as page:
        first = ids(page)[0]
        before = status(radar, first)
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("#toast")).to_contain_text("Applied")
        page.keyboard.press("z")
        expect(page.locator("#toast")).to_contain_text("Undone: 1 match.")
        expect(page.locator(f"#m{first}")).not_to_have_class(re.compile("done"))
        assert status(radar, first) == before
        page.keyboard.press("a")
        expect(page.locator("#toast")).to_contain_text("Applied: 1 match.")


def test_many_are_decided_at_once_and_undone_at_once(served, browser):
    radar, _, address = served
    with opened(browser, address) as page:
        chosen = ids(page)[:3]
        for _ in chosen:
            page.keyboard.press("j")
            page.keyboard.press("Space")
        expect(page.locator(".picked")).to_have_text("3 selected")
        page.keyboard.press("x")
        expect(page.locator("#toast")).to_contain_text("Not for me: 3 matches.")
        assert {status(radar, one) for one in chosen} == {"NOT_INTERESTED"}
        page.locator("#toast button").click()
        expect(page.locator("#toast")).to_contain_text("Undone: 3 matches.")
        assert "NOT_INTERESTED" not in {status(radar, one) for one in chosen}


def test_all_that_match_are_decided_at_once(served, browser):
    _, _, address = served
    with opened(browser, f"{address}/?watch=articles") as page:
        wanted = count(page, "To decide")
        page.locator(".pick-box").first.check()
        page.locator("#bulk .all").click()
        expect(page.locator(".picked")).to_contain_text("matching selected")
        number = re.search(r"\d+", page.locator(".picked").inner_text())[0]
        page.locator('#bulk [data-verb="not interested"]').click()
        expect(page.locator("#toast")).to_contain_text(f"Not for me: {number} matches.")
        expect(page.locator("#tabs a", has_text="Not for me").locator(".count")).to_have_text(number)
        assert int(wanted) >= int(number)
        page.keyboard.press("z")
        expect(page.locator("#toast")).to_contain_text(f"Undone: {number} matches.")


def test_a_decision_of_another_process_is_shown_and_new_matches_wait_under_a_pill(served, browser):
    radar, _, address = served
    with opened(browser, address) as page:
        wait_until_live(page)
        first, second = ids(page)[:2]
        radar("mark", str(first), "applied")
        expect(page.locator(f"#m{first}")).to_have_class(re.compile("done"))
        expect(page.locator("#tabs a", has_text="Applied").locator(".count")).to_have_text("1")
    with opened(browser, address) as page:
        wait_until_live(page)
        before = ids(page)
        assert before[0] == second
        radar("undo")
        expect(page.locator("#pill")).to_have_text("1 new")
        assert ids(page) == before, "the list does not move by itself"
        page.keyboard.press("n")
        expect(page.locator(f"#m{first}")).to_have_class(re.compile("current"))
        assert ids(page) == [first, *before]


def test_a_decision_that_comes_too_late_is_taken_back_on_the_page(served, browser):
    radar, _, address = served
    with opened(browser, address) as page:
        page.route(re.compile(r"/(events|places)\b"), lambda route: route.abort())  # the page hears of nothing
        page.reload()
        first = ids(page)[0]
        page.context.set_offline(True)
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("#toast")).to_contain_text("The server did not answer")
        expect(page.locator(f"#m{first}")).not_to_have_class(re.compile("done"))
        radar("mark", str(first), "not-interested")
        page.context.set_offline(False)
        page.locator(f"#m{first} button.yes").click()
        expect(page.locator("#toast")).to_contain_text("changed elsewhere and stayed")
        expect(page.locator(f"#m{first} .now")).to_have_text("not interested")
        assert status(radar, first) == "NOT_INTERESTED"
        page.locator(f"#m{first} button.yes").click()
        expect(page.locator("#toast")).to_contain_text("Applied: 1 match.")
    assert status(radar, first) == "APPLIED"


def test_a_server_that_is_killed_under_an_open_page_is_found_again(served, browser):
    radar, server, address = served
    with opened(browser, address) as page:
        wait_until_live(page)
        first, second = ids(page)[:2]
        server.kill()
        page.wait_for_function("() => document.body.dataset.live === '0'")
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("#toast")).to_contain_text("The server did not answer")
        radar("mark", str(second), "applied")
        assert server.start() == address
        expect(page.locator(f"#m{second}")).to_have_class(re.compile("done"))
        page.locator(f"#m{first} button.no").click()
        expect(page.locator("#toast")).to_contain_text("Not for me: 1 match.")
    assert status(radar, first) == "NOT_INTERESTED"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_can_be_read_in_both_lights(served, browser, scheme):
    _, _, address = served
    with opened(browser, address, color_scheme=scheme) as page:
        page.set_viewport_size(PHONE)
        match_id = ids(page)[0]
        for path in (
            "/",
            f"/items/{match_id}",
            "/sources",
            "/queries",
            "/runs",
            "/jobs",
            "/watches",
            "/watches/new",
            "/skills",
            "/why",
        ):
            page.goto(f"{address}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            ground, ink = (
                page.evaluate(f"getComputedStyle(document.documentElement).{one}")
                for one in ("backgroundColor", "color")
            )
            assert contrast(ground, ink) >= 7, path
            assert (lightness(ground) < 0.2) == (scheme == "dark")


def test_on_a_phone_the_page_one_is_on_is_seen_in_the_menu(served, browser):
    _, _, address = served
    with opened(browser, address) as page:
        page.set_viewport_size(PHONE)
        for path in ("/", "/prices", "/why", "/?tab=all"):
            page.goto(f"{address}{path}")
            for place in page.locator("nav a[aria-current]").all():
                box = place.bounding_box()
                assert box is not None
                assert box["x"] >= 0, path
                assert box["x"] + box["width"] <= PHONE["width"], path


def is_within(page: Page, selector: str, width: int) -> bool:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] <= width


def test_on_a_phone_the_words_of_a_table_are_whole_and_its_rows_not_blank(sqlite_url, browser):
    with running_web(sqlite_url) as web:
        match_id = furnish_pages(web)
        now, query = web.app.clock.now(), web.app.config.watches[0].queries[0]
        named = ("kubernetes", "machine learning", "postgresql")
        verdict = Verdict(judge="words", score=0.85, reason="because", skills=named)
        with web.app.database.transaction() as tx:
            analyses.add(tx, match_id, verdict, is_relevant=True, substance="other", now=now)
            run_id = runs.start(tx, query.key, "w", "hh", now)
            told = "The source answered 503 again and again, and it is left alone until it has had its rest. " * 2
            runs.finish(tx, run_id, now, status="ERROR", stop_reason=StopReason.UNAVAILABLE, warnings=[told])
        with opened(browser, web.address) as page:
            page.set_viewport_size(PHONE)
            page.goto(f"{web.address}/skills")
            names = page.locator("th[scope=row] bdi", has_text="kubernetes")
            assert names.evaluate("name => name.getClientRects().length") == 1
            assert is_within(page, "tbody svg.bars", PHONE["width"])
            page.goto(f"{web.address}/runs")
            rows = page.locator("tbody tr:not(.noted)")
            assert rows.count() == 2
            assert max(row.bounding_box()["height"] for row in rows.all()) < 60
            assert is_within(page, "tbody .state", PHONE["width"]), "how it went is seen before anything is moved aside"
            warned = page.locator(".warned", has_text="503").bounding_box()
            assert warned["x"] + warned["width"] <= PHONE["width"]
            page.goto(f"{web.address}/prices/morgan")
            assert max(row.bounding_box()["height"] for row in page.locator("tbody tr").all()) < 100
            picture, amount = (
                page.locator(one).first.bounding_box() for one in ("svg.steps", "svg.steps text >> nth=4")
            )
            assert amount["y"] >= picture["y"], "the topmost amount is not cut"
            page.goto(f"{web.address}/jobs")
            failed = page.locator("tbody .failed", has_text="cancelled").first.bounding_box()
            assert failed["x"] + failed["width"] <= PHONE["width"]


def test_the_page_is_read_and_triaged_without_any_script(served, browser):
    radar, _, address = served
    with opened(browser, address, java_script_enabled=False) as page:
        card = page.locator(".card").first
        match_id = int(card.get_attribute("data-id") or 0)
        card.locator("button.yes").click()
        expect(page.locator("#toast")).to_contain_text("Applied: 1 match.")
        assert status(radar, match_id) == "APPLIED"
        page.locator("#toast button").click()
        expect(page.locator(".card").first).to_have_attribute("data-id", str(match_id))
    assert status(radar, match_id) != "APPLIED"


@pytest.mark.parametrize("has_script", [True, False])
def test_watches_are_added_paused_and_kept_from_words_on_a_phone_with_and_without_script(served, browser, has_script):
    radar, _, address = served
    with opened(browser, f"{address}/watches/new", java_script_enabled=has_script) as page:
        page.set_viewport_size(PHONE)
        page.get_by_label("Address of a search page").fill("https://hh.ru/search/vacancy?text=go&strange=1")
        page.get_by_role("button", name="Look").click()
        expect(page.locator("main")).to_contain_text("Not asked for: strange=1")
        expect(page.locator("main")).to_contain_text("It could not be looked at")
        page.get_by_label("Name of the new watch").fill("go-axs")
        page.get_by_label("Ban words, one a line").fill("junior")
        page.get_by_label("baseline").check()
        page.get_by_role("button", name="Save").click()
        expect(page.locator("[role=status]").first).to_contain_text("this server is about to read it")
        block = page.locator("article", has_text="go-axs")
        block.get_by_role("button", name="Pause").click()
        expect(page.locator("article", has_text="go-axs").get_by_role("button", name="Resume")).to_be_visible()
        jobs = page.locator("article").filter(has=page.get_by_role("link", name="jobs", exact=True))
        jobs.locator("summary").click()
        jobs.locator("textarea").fill("разработчик")
        jobs.get_by_role("button", name="See what would be hidden").click()
        expect(page.locator("h2").first).to_contain_text('"разработчик" would hide')
        page.get_by_role("button", name="Save").click()
        expect(page.locator("article").first).to_contain_text("разработчик")
        told = {one["name"]: one for one in radar("watch", "--json").json}
        page.locator("article", has_text="go-axs").get_by_role("link", name="Remove").click()
        page.get_by_role("button", name="Remove go-axs").click()
        expect(page.get_by_role("heading", name="Watches")).to_be_visible()
        expect(page.locator("article", has_text="go-axs")).to_have_count(0)
    assert (told["go-axs"]["paused"], told["go-axs"]["first_run"], told["go-axs"]["ban_words"]) == (
        True,
        "baseline",
        ["junior"],
    )
    assert told["jobs"]["ban_words"] == ["разработчик"]


def test_a_token_is_asked_for_once_and_signing_out_asks_again(newcomer, filled, browser):
    shutil.copytree(filled, newcomer.folder, dirs_exist_ok=True)
    with (newcomer.folder / "radar.toml").open("a", encoding="utf-8") as settings:
        settings.write('[web]\ntoken = "open sesame"\n')
    server = Server(newcomer)
    try:
        address = server.start()
        with opened(browser, f"{address}/sources") as page:
            page.get_by_label("Token").fill("wrong")
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_have_text("That is not the token.")
            page.get_by_label("Token").fill("open sesame")
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name="Sources", exact=True)).to_be_visible()
            page.goto(address)
            wait_until_live(page)
            page.keyboard.press("j")
            page.keyboard.press("a")
            expect(page.locator("#toast")).to_contain_text("Applied: 1 match.")
            second = ids(page)[1]
            newcomer("mark", str(second), "applied")
            expect(page.locator(f"#m{second}")).to_have_class(re.compile("done"))
            other = page.context.new_page()
            other.goto(address)
            page.get_by_role("button", name="Sign out").click()
            expect(page.get_by_label("Token")).to_be_visible()
            other.keyboard.press("j")
            other.keyboard.press("x")
            expect(other.locator("#toast")).to_contain_text("You are signed out")
            expect(other.locator(".card").first).not_to_have_class(re.compile("done"))
            page.goto(f"{address}/runs")
            expect(page.get_by_label("Token")).to_be_visible()
    finally:
        server.kill()


def test_keys_are_explained_and_escape_closes_one_thing_at_a_time(served, browser):
    _, _, address = served
    with opened(browser, address) as page:
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        page.keyboard.press("a")
        page.keyboard.press("Escape")
        expect(page.locator("#help")).not_to_be_visible()
        page.keyboard.press("/")
        expect(page.locator("#text")).to_be_focused()
        page.keyboard.type("jaxsz")
        expect(page.locator("#text")).to_have_value("jaxsz")
        page.keyboard.press("Escape")
        expect(page.locator("#text")).not_to_be_focused()
        assert page.locator(".card.done").count() == 0


def lightness(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)
