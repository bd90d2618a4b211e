"""From a source to the other sinks as a person runs it: collected, judged, sent by webhook and Apprise, decided on."""

import pytest

from sinks.receiver import receiving

# what the Apprise library itself imports when it loads its channels
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated and slated for removal:DeprecationWarning")

CONFIG = """\
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
[webhook]
url = "{hook}"
secret = "a long text that both sides know"
rate_limit_per_minute = 6000
[apprise]
urls = ["json://{channel}/t0ken-of-the-channel"]
rate_limit_per_minute = 1800
gather_s = 0
[[watch]]
name = "jobs"
kind = "vacancy"
max_experience_years = 0
min_score = 0
first_run = "all"
deliver = ["webhook", "apprise"]
  [[watch.query]]
  source = "hh"
  limit = 12
"""


def test_what_is_collected_reaches_both_sinks_once_and_a_decision_only_the_one_that_can_show_it(newcomer, simulator):
    with receiving() as hook, receiving() as channel:
        text = CONFIG.format(hh=simulator.base_urls["hh"], hook=hook.url, channel=channel.url.split("/")[2])
        (newcomer.folder / "radar.toml").write_text(text)
        (newcomer.folder / "radar.toml").chmod(0o600)
        assert newcomer("fetch").code == 0
        worked = newcomer("work", "--until-idle")
        assert worked.code == 0, worked.err
        sent = {one["id"]: one for one in newcomer("items", "--status", "SENT_TO_USER", "--json").json}
        assert len(sent) == 12
        posted = [match for post in hook.posts for match in post.json["matches"]]
        assert sorted(match["id"] for match in posted) == sorted(sent)
        assert len({match["sending_id"] for match in posted}) == 12
        links = "\n".join(post.json["message"] for post in channel.posts)
        assert sum(item["url"] in links for item in sent.values()) == 12
        before = len(hook.posts), len(channel.posts)
        newcomer("mark", str(min(sent)), "applied")
        newcomer.env["RADAR_NOW"] = "2026-01-05T12:05:00Z"
        assert newcomer("work", "--until-idle").code == 0
        update = hook.posts[-1].json
        assert (update["event"], len(hook.posts), len(channel.posts)) == ("update", before[0] + 1, before[1])
        assert {match["id"]: match["status"] for match in update["matches"]}[min(sent)] == "APPLIED"
        said = worked.err + newcomer("status").out
        assert "t0ken-of-the-channel" not in said
        assert "t0ken-in-the-query" not in said
