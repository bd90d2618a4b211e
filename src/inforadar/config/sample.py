"""The first configuration `radar init` writes."""

SAMPLE = """\
# Info Radar. Every setting is explained in docs/settings.md; what is left out has a default.
# Try it with: radar fetch

[store]
url = "sqlite:///radar.db"            # or "postgresql://user@host/database"

# hh.ru turns away visitors without a token (docs/sources/hh.md says how to get one).
# [sources.hh]
# token = { env = "HH_TOKEN" }        # secrets: "value", { env = "NAME" } or { file = "path" }

[[watch]]
name = "python-madrid"
kind = "vacancy"
profile = "Python developer, backend, PostgreSQL; remote or Madrid"
ban_words = ["junior", "1С", 're:\\bintern(ship)?\\b']
max_experience_years = 6              # 0 switches this filter off

  [[watch.query]]
  source = "linkedin"
  params = { keywords = "python", location = "Madrid" }
  limit = 100                         # at most so many new items a run; leave out for all

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
"""


def sample_config() -> str:
    """A commented radar.toml that loads as it is and needs no key."""
    return SAMPLE
