"""What a configuration wants done, read off it: watches, queries that may be asked, sinks that are used."""

from inforadar.config import AppriseSettings, Config, SheetsSettings, TelegramSettings, WebhookSettings
from inforadar.domain.screening import BanList, compile_ban_words
from inforadar.domain.watch import Query, Watch
from inforadar.service.sheets import SHEETS


def watches_of(config: Config) -> dict[str, Watch]:
    """The watches by name."""
    return {watch.name: watch for watch in config.watches}


def ban_lists_of(config: Config) -> dict[str, BanList]:
    """The ban words of each watch."""
    return {watch.name: compile_ban_words(watch.ban_words)[0] for watch in config.watches}


def queries_of(config: Config) -> dict[tuple[str, str], tuple[Watch, Query]]:
    """The queries that may be asked: those of paused watches rest."""
    asked = [watch for watch in config.watches if not watch.paused]
    return {(q.watch, q.key): (watch, q) for watch in asked for q in watch.queries}


def sinks_of(config: Config) -> dict[str, TelegramSettings | AppriseSettings | WebhookSettings]:
    """The sinks of the configuration, also those that lack something yet: what is for them waits in the outbox."""
    named = {"telegram": config.telegram, "apprise": config.apprise, "webhook": config.webhook}
    return {name: settings for name, settings in named.items() if settings}


def used_sheets(config: Config) -> SheetsSettings | None:
    """The spreadsheet, if any watch is written there."""
    is_used = any(SHEETS in watch.deliver for watch in config.watches)
    return config.sheets if is_used else None
