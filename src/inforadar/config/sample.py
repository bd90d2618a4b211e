"""The first configuration `radar init` writes."""

SAMPLE = """\
# Info Radar. Every setting is explained in docs/settings.md; what is left out has a default.
# All sources below work without a key. Try them: radar fetch, then radar items; radar run does it all by itself.
# To add your own: radar add "https://..." with the address of a search page, a feed or a company's job board.

[store]
url = "sqlite:///radar.db"            # or "postgresql://user@host/database"

# Where matches are sent: `radar connect telegram` finds the chat; then take away the sign before [telegram] and its
# lines, and before `deliver` in the watches. Until then you find them by `radar` and `radar items`.
# [telegram]
# token = { env = "TELEGRAM_TOKEN" }  # secrets: "value", { env = "NAME" } or { file = "path" }
# chat_id = 1

# hh.ru turns away visitors without a token (docs/sources/hh.md says how to get one).
# [sources.hh]
# token = { env = "HH_TOKEN" }

[[watch]]
name = "python-madrid"
kind = "vacancy"
profile = "Python developer, backend, PostgreSQL; remote or Madrid"
min_score = 0.6                       # from this score on it fits
# deliver = ["telegram"]
ban_words = ["junior", "1С", 're:\\bintern(ship)?\\b']    # try one first: radar ban test junior --show
max_experience_years = 6              # 0 switches this filter off

  [[watch.query]]
  source = "linkedin"                 # asks slowly: LinkedIn turns busy visitors away
  params = { keywords = "python", location = "Madrid" }
  limit = 100                         # at most so many new items a run; leave out for all

  [[watch.query]]
  source = "greenhouse"               # or lever, ashby, smartrecruiters, workable, recruitee
  params = { board = "gitlab", text = ["python", "backend"] }

  # [[watch.query]]
  # source = "hh"
  # params = { text = "python", area = "1" }
  # cutoff_date = 2026-01-01          # nothing older is collected

[[watch]]
name = "habr-python"
kind = "article"

  [[watch.query]]
  source = "habr"
  params = { hub = "python" }
  max_pages = 10
  window_days = 30                    # the newest days are read again in every run, for views and ratings

[[watch]]
name = "postgres"
kind = "article"
profile = "PostgreSQL: internals, query planning, operations"
# deliver = ["telegram"]

  [[watch.query]]
  source = "feed"                     # any RSS, Atom or JSON Feed
  params = { url = "https://planet.postgresql.org/rss20.xml" }
"""


def sample_config() -> str:
    """A commented radar.toml that loads as it is and needs no key."""
    return SAMPLE
