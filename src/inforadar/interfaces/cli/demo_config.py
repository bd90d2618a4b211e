"""The configuration of the demo: every source, a watch of each kind, a profile, ban words, a chat."""

from collections.abc import Mapping
from pathlib import Path

from inforadar.config.loading import FILE_NAME
from inforadar.simulator.world import BOARDS

BOARD = "nimbus-labs"
MARK = "# Written by radar demo, and written anew each time.\n"
SOURCES = """\
[store]
url = "sqlite:///radar.db"

[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
token = "demo"
[sources.linkedin]
base_url = "{linkedin}"
rate_limit_per_minute = 6000
[sources.habr]
base_url = "{habr}"
rate_limit_per_minute = 6000
[sources.infojobs]
base_url = "{infojobs}"
rate_limit_per_minute = 6000
client_id = "demo"
client_secret = "demo"
[sources.rest]
rate_limit_per_minute = 6000
[sources.feed]
rate_limit_per_minute = 6000
"""
WATCHES = """
[telegram]
base_url = "{telegram}"
token = "123:demo"
chat_id = 1
rate_limit_per_minute = 1800
gather_s = 0

[schedule]
fetch = "2h"

[work]
concurrency = 1

[[watch]]
name = "python-jobs"
kind = "vacancy"
profile = "Senior Python developer, backend, PostgreSQL; remote"
ban_words = ["junior", "1С", "стажёр"]
deliver = ["telegram"]
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
  limit = 60
  [[watch.query]]
  source = "linkedin"
  params = {{ keywords = "python" }}
  [[watch.query]]
  source = "infojobs"
  params = {{ q = "python" }}

[[watch]]
name = "habr-python"
kind = "article"
  [[watch.query]]
  source = "habr"
  params = {{ hub = "python" }}
  [[watch.query]]
  source = "feed"
  params = {{ url = "{feed}/news.rss" }}
"""
BOARD_WATCH = """
[[watch]]
name = "company-boards"
kind = "vacancy"
profile = "Senior Python developer, backend, PostgreSQL; remote"
ban_words = ["junior", "1С", "стажёр"]
  [[watch.query]]
  source = "rest"
    [watch.query.params]
    url = "{rest}/api/page"
    query = {{ search = "python" }}
    list = "data.items"
    total = "data.total"
    id = "key.id"
    title = "attributes.name"
    date = "posted"
    link = "https://rest.test/things/{{id}}"
    fields = {{ company = "owner.name", place = "attributes.city" }}
    page = "page"
    size_param = "size"
    page_size = 50
"""
DEMO_PRICES = """
[sources.ebay]
base_url = "{ebay}"
rate_limit_per_minute = 6000
client_id = "app"
client_secret = "demo"

[[watch]]
name = "morgan-dollars"
kind = "price"
  [watch.coin]
  series = "Morgan"
  denomination = "dollar"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan" }}
  window_days = 60
"""


def _board_sources() -> str:
    return "".join(f'[sources.{name}]\nbase_url = "{{{name}}}"\nrate_limit_per_minute = 6000\n' for name in BOARDS)


def _board_queries() -> str:
    query = '  [[watch.query]]\n  source = "{}"\n  params = {{{{ board = "{}" }}}}\n'
    return "".join(query.format(name, BOARD) for name in BOARDS)


DEMO_CONFIG = SOURCES + _board_sources() + WATCHES + BOARD_WATCH + _board_queries()
"""Jobs and articles; prices come with DEMO_PRICES."""


def write_demo_config(folder: Path, base_urls: Mapping[str, str]) -> Path:
    """The configuration of the demo in a folder, over a local internet; it can be read by its owner alone."""
    path = folder / FILE_NAME
    path.write_text(MARK + (DEMO_CONFIG + DEMO_PRICES).format(**base_urls), encoding="utf-8")
    path.chmod(0o600)
    return path


def may_hold_demo(folder: Path) -> bool:
    """Whether the configuration of the demo would overwrite nothing but one of its own."""
    path = folder / FILE_NAME
    return not path.exists() or path.read_bytes().startswith(MARK.encode())
