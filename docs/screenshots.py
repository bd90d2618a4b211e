"""Makes the pictures in docs/images: the real page over the simulated internet, in a Chromium (`make screenshots`)."""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from inforadar.interfaces.cli.demo import DEMO_CONFIG
from inforadar.simulator.entry import Salary
from inforadar.simulator.faults import Fault
from inforadar.simulator.rules import Rules
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

IMAGES = Path(__file__).parent / "images"
BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
ROUNDS = 5
BETWEEN = timedelta(days=4)
PRICES = """
[sources.ebay]
base_url = "{ebay}"
rate_limit_per_minute = 6000
client_id = "app"
client_secret = "demo"
[[watch]]
name = "morgan-1921"
kind = "price"
  [watch.coin]
  year = 1921
  series = "Morgan"
  denomination = "dollar"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan" }}
  window_days = 60
"""
LOOKED_AT = "the page that looks at a search"
SEARCH = "https://hh.ru/search/vacancy?text=python&employment_form=FULL&strange=1"
SIZES = {"wide": {"width": 1180, "height": 800}, "phone": {"width": 360, "height": 740}}
PICTURES = (
    ("inbox", "/?watch=python-jobs", "wide", "light"),
    ("inbox-dark", "/?watch=python-jobs", "wide", "dark"),
    ("inbox-phone", "/?watch=python-jobs", "phone", "light"),
    ("item", "{item}", "wide", "light"),
    ("sources", "/sources", "wide", "light"),
    ("queries", "/queries", "wide", "light"),
    ("prices", "/prices/morgan-1921", "wide", "dark"),
    ("watches", "/watches", "wide", "light"),
    ("adding", LOOKED_AT, "wide", "light"),
    ("queries-phone", "/queries", "phone", "dark"),
    ("skills", "/skills", "wide", "light"),
)


def main() -> None:
    """Fill a store round by round, then look at its pages."""
    world = demo_world(1, BEGIN)
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, Simulator(world, rules=Rules(ebay_client="app:demo")) as simulator:
        config = Path(folder) / "radar.toml"
        config.write_text((DEMO_CONFIG + PRICES).format(**simulator.base_urls), encoding="utf-8")
        config.chmod(0o600)
        for number in range(ROUNDS):
            now = BEGIN + number * BETWEEN
            simulator.advance(to=now)
            for place in range(10):
                cents = int(5200 + 260 * number + chance.gauss(0, 420))
                price = Salary(low=cents, high=None, currency="USD", gross=False, mode="FIXED_PRICE")
                title = f"1921 Morgan Silver Dollar {('VF', 'XF', 'AU', 'MS62')[place % 4]}"
                world.add("ebay", id=f"{number}{place:02}", title=title, published_at=now, salary=price)
            if number == ROUNDS - 1:
                simulator.switch(Fault(kind="authwall", source="linkedin"))
            for command in (["fetch"], ["work", "--until-idle"]):
                subprocess.run([*RADAR, *command], cwd=folder, env=_at(now), check=False, capture_output=True)
        _photograph(folder, BEGIN + (ROUNDS - 1) * BETWEEN + timedelta(minutes=40))


RADAR = (sys.executable, "-m", "inforadar")


def _at(now: datetime) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "RADAR_NOW": now.isoformat()}


def _photograph(folder: str, now: datetime) -> None:
    server = subprocess.Popen([*RADAR, "serve", "--port", "0"], cwd=folder, env=_at(now), stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None
        told = next(line for line in server.stderr if b"http://" in line).decode()
        found = re.search(r"http://\S+\d", told)
        assert found is not None
        with sync_playwright() as playwright:
            own = playwright.chromium.executable_path
            path = own if Path(own).exists() else shutil.which("chromium")
            if path is None:
                sys.exit("No Chromium here: apt-get install chromium, or .venv/bin/playwright install chromium.")
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
            _shoot(browser, found[0])
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _shoot(browser: Browser, address: str) -> None:
    IMAGES.mkdir(exist_ok=True)
    for name, path, size, scheme in PICTURES:
        context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{address}/?watch=python-jobs")
        first = page.locator("a.title").first.get_attribute("href") or "/"
        if path == LOOKED_AT:
            page.goto(f"{address}/watches/new")
            page.fill("input[name=url]", SEARCH)
            page.click("button[value=look]")
        else:
            page.goto(address + path.format(item=first))
        page.keyboard.press("j")
        page.screenshot(path=IMAGES / f"{name}.png")
        context.close()


if __name__ == "__main__":
    main()
