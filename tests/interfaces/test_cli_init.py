"""`radar init` writes a file that works as it stands, against every source's real wire shape."""

from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.command_line import NOON

STOCK = {"linkedin": 60, "greenhouse": 60, "habr": 40, "feed": 20}


def test_the_first_file_collects_from_all_its_sources_without_a_key(newcomer):
    assert newcomer("init").code == 0
    path = newcomer.folder / "radar.toml"
    with Simulator(still_world(1, NOON, STOCK)) as internet:
        urls = internet.base_urls
        text = path.read_text().replace("https://planet.postgresql.org/rss20.xml", f"{urls['feed']}/news.rss")
        # the local internet has other companies than the real one
        text = text.replace('board = "gitlab", text = ["python", "backend"]', 'board = "nimbus-labs"')
        asked = "".join(
            f'[sources.{name}]\nbase_url = "{urls[name]}"\nrate_limit_per_minute = 6000\n'
            for name in ("linkedin", "greenhouse", "habr")
        )
        path.write_text(asked + text)
        told = newcomer("fetch", "--json")
    assert told.code == 0, told.err
    added = {(one["watch"], one["source"]): one["seen"] for one in told.json["queries"]}
    assert set(added) == {
        ("python-madrid", "linkedin"),
        ("python-madrid", "greenhouse"),
        ("habr-python", "habr"),
        ("postgres", "feed"),
    }
    assert all(number > 0 for number in added.values()), added


def test_the_first_file_is_in_order_for_every_command_that_changes_it(newcomer):
    newcomer("init")
    before = (newcomer.folder / "radar.toml").read_text().splitlines()
    assert newcomer("ban", "add", "стажёр").code == 0
    assert newcomer("watch", "pause", "habr-python").code == 0
    after = (newcomer.folder / "radar.toml").read_text().splitlines()
    changed = [line for line in before if line not in after]
    assert len(changed) == 1
    assert changed[0].startswith("ban_words")
    assert newcomer("watch", "remove", "postgres", "--yes").code == 0
    assert newcomer("doctor").code == 0


def test_the_first_words_lead_on_to_everything_that_comes_after(newcomer):
    told = newcomer("init").err
    steps = [line.split("  ")[1] for line in told.splitlines() if line.startswith("  radar")]
    assert steps == ["radar fetch", "radar", "radar work --until-idle", "radar connect telegram", "radar run"]
    text = (newcomer.folder / "radar.toml").read_text()
    assert '# deliver = ["telegram"]' in text
    assert "radar run" in text
