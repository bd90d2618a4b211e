"""Every setting there is: its name, kind, default and bounds; docs/settings.md explains each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

SettingKind = Literal[
    "text",
    "whole",
    "wholes",
    "number",
    "flag",
    "date",
    "texts",
    "secret",
    "secrets",
    "address",
    "table",
    "chat",
    "daily window",
    "quiet hours",
    "rhythm",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One key of a table."""

    name: str
    kind: SettingKind
    default: Any = None
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    is_required: bool = False


STORE = (Setting(name="url", kind="secret", default="sqlite:///radar.db"),)
SCHEDULE = (
    Setting(name="fetch", kind="rhythm", default="15m"),
    Setting(name="continuous", kind="flag", default=False),
    Setting(name="requeue", kind="rhythm", default="10m"),
    Setting(name="recovery", kind="rhythm", default="5m"),
    Setting(name="recovery_hours", kind="whole", default=48, least=1, most=8760),
    Setting(name="recheck", kind="rhythm", default="1h"),
    Setting(name="fulltext", kind="rhythm", default="30m"),
    Setting(name="prune", kind="rhythm", default="1d"),
    Setting(name="night", kind="daily window"),
    Setting(name="night_work", kind="texts", default=(), choices=("recheck", "fulltext", "prune")),
    Setting(name="keep_finished_jobs_days", kind="whole", default=7, least=0, most=3650),
)
WORK = (
    Setting(name="concurrency", kind="whole", default=4, least=1, most=64),
    Setting(name="grace_s", kind="number", default=25.0, least=0, most=600),
    Setting(name="job_lock_timeout_s", kind="number", default=300.0, least=60, most=86_400),
    Setting(name="lease", kind="text", default="global", choices=("global", "source")),
)
HTTP = (
    Setting(name="connect_timeout_s", kind="number", default=10.0, least=0.1, most=600),
    Setting(name="read_timeout_s", kind="number", default=20.0, least=0.1, most=600),
    Setting(name="deadline_s", kind="number", default=60.0, least=0.1, most=3600),
)
CACHE = (
    Setting(name="enabled", kind="flag", default=True),
    Setting(name="path", kind="text", default=""),
    Setting(name="ttl_seconds", kind="whole", default=3600, least=1, most=31536000),
    Setting(name="max_mb", kind="whole", default=100, least=1, most=100000),
    Setting(name="pages", kind="flag", default=False),
    Setting(name="newest_page", kind="flag", default=False),
)
LOG = (
    Setting(name="file", kind="text", default=""),
    Setting(name="level", kind="text", default="INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR")),
    Setting(name="max_mb", kind="whole", default=10, least=1, most=1000),
    Setting(name="keep", kind="whole", default=3, least=0, most=100),
)
SOURCE = (
    Setting(name="enabled", kind="flag", default=True),
    Setting(name="base_url", kind="address"),
    Setting(name="rate_limit_per_minute", kind="whole", least=1, most=6000),
    Setting(name="token", kind="secret"),
    Setting(name="client_id", kind="secret"),
    Setting(name="client_secret", kind="secret"),
    Setting(name="user_agent", kind="text"),
)
JUDGE = (
    Setting(name="kind", kind="text", default="words", choices=("words", "ollama", "openai")),
    Setting(name="base_url", kind="address"),
    Setting(name="model", kind="text"),
    Setting(name="token", kind="secret"),
    Setting(name="timeout_s", kind="number", default=120.0, least=1, most=3600),
    Setting(name="concurrency", kind="whole", default=2, least=1, most=64),
    Setting(name="num_ctx", kind="whole", default=8192, least=512, most=1_000_000),
    Setting(name="keep_alive", kind="text", default="5m"),
    Setting(name="rate_limit_per_minute", kind="whole", default=600, least=1, most=6000),
)
TELEGRAM = (
    Setting(name="base_url", kind="address", default="https://api.telegram.org"),
    Setting(name="token", kind="secret"),
    Setting(name="chat_id", kind="chat", default=""),
    Setting(name="users", kind="wholes", default=()),
    Setting(name="quiet_hours", kind="quiet hours"),
    Setting(name="gather_s", kind="number", default=300.0, least=0, most=86_400),
    Setting(name="later_hours", kind="whole", default=24, least=1, most=8760),
    Setting(name="rate_limit_per_minute", kind="whole", default=20, least=1, most=1800),
)
WEB = (
    Setting(name="enabled", kind="flag", default=True),
    Setting(name="host", kind="text", default="127.0.0.1"),
    Setting(name="port", kind="whole", default=8480, least=0, most=65535),
    Setting(name="token", kind="secret"),
    Setting(name="allowed_hosts", kind="texts", default=()),
    Setting(name="trusted_proxies", kind="texts", default=()),
)
SHEETS = (
    Setting(name="base_url", kind="address", default="https://sheets.googleapis.com"),
    Setting(name="spreadsheet_id", kind="text", default=""),
    Setting(name="window", kind="daily window", default="03:00-06:00 Europe/Madrid"),
    Setting(name="credentials", kind="secret"),
    Setting(name="offers_sheet", kind="text", default="Offers"),
    Setting(name="companies_sheet", kind="text", default="Companies"),
    Setting(name="feedback_column", kind="text", default="feedback"),
    Setting(name="note_column", kind="text", default="note"),
    Setting(name="rate_limit_per_minute", kind="whole", default=30, least=1, most=60),
)
APPRISE = (
    Setting(name="urls", kind="secrets", default=()),
    Setting(name="format", kind="text", default="text", choices=("text", "markdown")),
    Setting(name="quiet_hours", kind="quiet hours"),
    Setting(name="gather_s", kind="number", default=300.0, least=0, most=86_400),
    Setting(name="timeout_s", kind="number", default=30.0, least=1, most=300),
    Setting(name="rate_limit_per_minute", kind="whole", default=20, least=1, most=1800),
)
WEBHOOK = (
    Setting(name="url", kind="secret"),
    Setting(name="secret", kind="secret"),
    Setting(name="quiet_hours", kind="quiet hours"),
    Setting(name="timeout_s", kind="number", default=20.0, least=1, most=300),
    Setting(name="rate_limit_per_minute", kind="whole", default=60, least=1, most=6000),
)
SINKS = ("telegram", "sheets", "apprise", "webhook")
WATCH = (
    Setting(name="name", kind="text", is_required=True),
    Setting(name="kind", kind="text", is_required=True, choices=("vacancy", "article", "price")),
    Setting(name="profile", kind="text", default=""),
    Setting(name="ban_words", kind="texts", default=()),
    Setting(name="max_experience_years", kind="whole", least=0, most=100),
    Setting(name="min_score", kind="number", default=0.6, least=0, most=1),
    Setting(name="deliver", kind="texts", default=(), choices=SINKS),
    Setting(name="first_run", kind="text", default="24h", choices=("baseline", "24h", "all")),
    Setting(name="paused", kind="flag", default=False),
)
COIN = (
    Setting(name="title", kind="text", default=""),
    Setting(name="year", kind="whole", least=1500, most=2099),
    Setting(name="mintmark", kind="text", default=""),
    Setting(name="denomination", kind="text", default=""),
    Setting(name="series", kind="text", default=""),
    Setting(name="grade", kind="text", default=""),
    Setting(name="metal", kind="text", default="", choices=("", "gold", "silver", "platinum", "palladium")),
    Setting(name="fine_oz", kind="number", least=0.0001, most=1000),
)
VALUATION = (
    Setting(name="currency", kind="text"),
    Setting(name="min_points", kind="whole", default=5, least=1, most=10_000),
    Setting(name="half_life_days", kind="number", default=90.0, least=1, most=36_500),
    Setting(name="alert_percent", kind="number", default=10.0, least=0, most=1000),
)
METALS = (
    Setting(name="base_url", kind="address", default="https://api.gold-api.com"),
    Setting(name="rate_limit_per_minute", kind="whole", default=10, least=1, most=600),
)
QUERY = (
    Setting(name="source", kind="text", is_required=True),
    Setting(name="params", kind="table"),
    Setting(name="topic", kind="text"),
    Setting(name="rule", kind="text", choices=("limit", "window", "cutoff")),
    Setting(name="limit", kind="whole", least=1),
    Setting(name="cutoff_date", kind="date"),
    Setting(name="lookback_days", kind="whole", least=0, most=36500),
    Setting(name="window_days", kind="whole", least=0, most=36500),
    Setting(name="max_pages", kind="whole", least=1),
    Setting(name="max_items", kind="whole", least=1),
)

SECTIONS: Mapping[str, tuple[Setting, ...]] = {
    "store": STORE,
    "http": HTTP,
    "schedule": SCHEDULE,
    "work": WORK,
    "cache": CACHE,
    "log": LOG,
    "sources.NAME": SOURCE,
    "judge": JUDGE,
    "telegram": TELEGRAM,
    "web": WEB,
    "sheets": SHEETS,
    "apprise": APPRISE,
    "webhook": WEBHOOK,
    "rates": (),
    "metals": METALS,
    "watch": WATCH,
    "watch.coin": COIN,
    "watch.valuation": VALUATION,
    "watch.query": QUERY,
}
TOP_LEVEL = tuple(dict.fromkeys(section.partition(".")[0] for section in SECTIONS))

# What a preset of the sweep cannot do without: at least one of these keys of its query.
RULE_NEEDS: Mapping[str, tuple[str, ...]] = {
    "limit": ("limit",),
    "window": ("window_days", "cutoff_date"),
    "cutoff": ("cutoff_date",),
}
JUDGE_ADDRESSES: Mapping[str, str] = {
    "words": "",
    "ollama": "http://127.0.0.1:11434",
    "openai": "https://api.openai.com/v1",
}
JUDGE_MODELS: Mapping[str, str] = {"words": "", "ollama": "qwen3:8b", "openai": ""}
ARTICLE_WINDOW_DAYS = 30
VACANCY_EXPERIENCE_YEARS = 6
