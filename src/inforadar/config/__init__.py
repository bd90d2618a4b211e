"""The user's configuration: one TOML file read into plain values, every mistake named at once."""

from inforadar.config.loading import find_config, load, parse
from inforadar.config.model import (
    AppriseSettings,
    CacheSettings,
    Config,
    HttpSettings,
    JudgeSettings,
    LogSettings,
    MetalsSettings,
    ScheduleSettings,
    SheetsSettings,
    SourceSettings,
    StoreSettings,
    TelegramSettings,
    WebhookSettings,
    WorkSettings,
)
from inforadar.config.sample import sample_config

__all__ = [
    "AppriseSettings",
    "CacheSettings",
    "Config",
    "HttpSettings",
    "JudgeSettings",
    "LogSettings",
    "MetalsSettings",
    "ScheduleSettings",
    "SheetsSettings",
    "SourceSettings",
    "StoreSettings",
    "TelegramSettings",
    "WebhookSettings",
    "WorkSettings",
    "find_config",
    "load",
    "parse",
    "sample_config",
]
