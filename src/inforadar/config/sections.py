"""Reads the sections of a configuration: store, HTTP, sources, judge, sinks, and the watches that use them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from inforadar.config.lines import Path as Place
from inforadar.config.model import (
    AppriseSettings,
    CacheSettings,
    Config,
    HttpSettings,
    JudgeSettings,
    LogSettings,
    ScheduleSettings,
    SourceSettings,
    StoreSettings,
    TelegramSettings,
    WebhookSettings,
    WebSettings,
    WorkSettings,
)
from inforadar.config.prices import read_metals, read_rates
from inforadar.config.reading import IfMissing, Reading, did_you_mean
from inforadar.config.schema import (
    APPRISE,
    CACHE,
    HTTP,
    JUDGE,
    JUDGE_ADDRESSES,
    JUDGE_MODELS,
    LOG,
    SCHEDULE,
    SOURCE,
    STORE,
    TELEGRAM,
    TOP_LEVEL,
    WEB,
    WEBHOOK,
    WORK,
)
from inforadar.config.sheets import read_sheets
from inforadar.config.store_url import cache_beside, normal_store_url
from inforadar.config.values import Unfit
from inforadar.config.watches import Sources, read_watches
from inforadar.domain.errors import Refused
from inforadar.domain.ports import Source
from inforadar.domain.watch import Watch
from inforadar.net.urls import parse_url
from inforadar.observe.secrets import Secret

CACHE_ENABLED_VARIABLE = "CACHE_ENABLED"
CACHE_TTL_VARIABLE = "CACHE_TTL_SECONDS"
SHORTEST_TOKEN = 8


def read_config(reading: Reading, raw: Mapping[str, Any], sources: Sources, folder: Path) -> Config:
    """All settings of a file; what is wrong is noted in `reading` and left at its default."""
    reading.check_names(raw, TOP_LEVEL, ())
    watches = read_watches(reading, raw.get("watch"), sources)
    sinks = {sink for watch in watches for sink in watch.deliver}
    store = _store(reading, raw, folder)
    config = Config(
        store=store,
        http=HttpSettings(**reading.section(raw, HTTP, ("http",))),
        schedule=ScheduleSettings(**reading.section(raw, SCHEDULE, ("schedule",))),
        work=WorkSettings(**reading.section(raw, WORK, ("work",))),
        cache=_cache(reading, raw, store, folder),
        log=_log(reading, raw, folder),
        sources=_sources(reading, raw, sources, watches),
        judge=_judge(reading, raw),
        telegram=_telegram(reading, raw, sinks),
        web=_web(reading, raw),
        sheets=read_sheets(reading, raw, sinks),
        apprise=_apprise(reading, raw, sinks),
        webhook=_webhook(reading, raw, sinks),
        rates=read_rates(reading, raw),
        metals=read_metals(reading, raw, watches),
        watches=watches,
    )
    _check_deliveries(reading, raw, watches)
    return replace(config, warnings=tuple(reading.warnings), holds_secrets=reading.has_literal_secret)


def _store(reading: Reading, raw: Mapping[str, Any], folder: Path) -> StoreSettings:
    place = reading.section(raw, STORE, ("store",))["url"]
    secret = reading.resolve(place, ("store", "url"), if_missing="mistake")
    try:
        settings = StoreSettings(url=normal_store_url(secret.reveal(), folder) if secret else "")
    except Unfit as unfit:
        reading.complain(("store", "url"), unfit.problem, unfit.remedy)
        settings = StoreSettings(url="")
    reading.has_literal_secret = place.how == "value" and settings.password is not None
    return settings


def _cache(reading: Reading, raw: Mapping[str, Any], store: StoreSettings, folder: Path) -> CacheSettings:
    """The table `cache`; the environment has the last word on two of its keys."""
    values = reading.section(raw, CACHE, ("cache",))
    values |= reading.from_env({CACHE_ENABLED_VARIABLE: "enabled", CACHE_TTL_VARIABLE: "ttl_seconds"}, CACHE)
    path = Path(values["path"]).expanduser() if values["path"] else cache_beside(store.url, folder)
    return CacheSettings(**{**values, "path": str(folder / path)})


def _log(reading: Reading, raw: Mapping[str, Any], folder: Path) -> LogSettings:
    values = reading.section(raw, LOG, ("log",))
    return LogSettings(**{**values, "file": folder / Path(values["file"]).expanduser() if values["file"] else None})


def _sources(
    reading: Reading, raw: Mapping[str, Any], sources: Sources, watches: tuple[Watch, ...]
) -> dict[str, SourceSettings]:
    tables = raw.get("sources", {})
    if not isinstance(tables, Mapping):
        reading.complain(("sources",), "is not a table", "Write one table for each source, such as [sources.hh]")
        tables = {}
    for name in tables:
        if name not in sources:
            remedy = did_you_mean(name, sources)
            reading.complain(("sources", name), "there is no such source", remedy)
    asked = {query.source for watch in watches for query in watch.queries}
    return {name: _source(reading, tables, source, name in asked) for name, source in sources.items()}


def _source(reading: Reading, tables: Mapping[str, Any], source: Source, is_asked: bool) -> SourceSettings:
    path: Place = ("sources", source.name)
    values = reading.section({"sources": tables}, SOURCE, path)
    if_missing: IfMissing = "mistake" if values["enabled"] and is_asked else "nothing"
    if is_asked and not values["enabled"]:
        reading.warn((*path, "enabled"), "the source is switched off, its queries are not asked")
    for need in getattr(source, "needs", ()) if if_missing == "mistake" else ():
        if values[need] is None:
            reading.warn((*path, need), f"is missing: {source.name} answers nobody without it; see docs/sources")
    secrets = {
        name: reading.resolve(values[name], (*path, name), if_missing=if_missing)
        for name in ("token", "client_id", "client_secret")
    }
    return SourceSettings(
        name=source.name,
        enabled=values["enabled"],
        base_url=values["base_url"] or source.default_base_url,
        rate_limit_per_minute=values["rate_limit_per_minute"] or source.default_rate_limit_per_minute,
        **secrets,
        user_agent=values["user_agent"] or None,
    )


def _judge(reading: Reading, raw: Mapping[str, Any]) -> JudgeSettings:
    values = reading.section(raw, JUDGE, ("judge",))
    kind = values["kind"]
    model = values["model"] or JUDGE_MODELS[kind]
    if kind == "openai" and not model:
        reading.complain(("judge", "model"), "is missing", 'Add model = "..." as the server names it')
    if_missing: IfMissing = "warning" if kind == "openai" else "nothing"
    filled = {
        "base_url": values["base_url"] or JUDGE_ADDRESSES[kind],
        "model": model,
        "token": reading.resolve(values["token"], ("judge", "token"), if_missing=if_missing),
    }
    return JudgeSettings(**(values | filled))


def _telegram(reading: Reading, raw: Mapping[str, Any], sinks: set[str]) -> TelegramSettings | None:
    if "telegram" not in raw:
        return None
    values = reading.section(raw, TELEGRAM, ("telegram",))
    if_missing: IfMissing = "warning" if "telegram" in sinks else "nothing"
    token = reading.resolve(values.pop("token"), ("telegram", "token"), if_missing=if_missing)
    _forget_empty_hours(reading, values, "telegram")
    return TelegramSettings(token=token, **values)


def _apprise(reading: Reading, raw: Mapping[str, Any], sinks: set[str]) -> AppriseSettings | None:
    if "apprise" not in raw:
        return None
    values = reading.section(raw, APPRISE, ("apprise",))
    if_missing: IfMissing = "warning" if "apprise" in sinks else "nothing"
    places = enumerate(values.pop("urls"))
    urls = [reading.resolve(place, ("apprise", "urls", at), if_missing=if_missing) for at, place in places]
    if "apprise" in sinks and not urls:
        reading.warn(("apprise", "urls"), "names no channel, so nothing is sent; see docs/apprise.md")
    _forget_empty_hours(reading, values, "apprise")
    return AppriseSettings(urls=tuple(url for url in urls if url), **values)


def _webhook(reading: Reading, raw: Mapping[str, Any], sinks: set[str]) -> WebhookSettings | None:
    if "webhook" not in raw:
        return None
    values = reading.section(raw, WEBHOOK, ("webhook",))
    if_missing: IfMissing = "warning" if "webhook" in sinks else "nothing"
    for name in ("url", "secret"):
        if "webhook" in sinks and values[name] is None:
            reading.warn(("webhook", name), "is missing, so nothing is sent; see docs/webhook.md")
    url, secret = (
        reading.resolve(values.pop(name), ("webhook", name), if_missing=if_missing) for name in ("url", "secret")
    )
    _check_address(reading, url, ("webhook", "url"))
    _forget_empty_hours(reading, values, "webhook")
    return WebhookSettings(url=url, secret=secret, **values)


def _check_address(reading: Reading, url: Secret | None, path: Place) -> None:
    """An address that is a secret is checked without being shown."""
    try:
        if url is not None:
            parse_url(url.reveal())
    except Refused as error:
        reading.complain(path, f"cannot be used: {error}", "Write it like https://host/path")


def _forget_empty_hours(reading: Reading, values: dict[str, Any], section: str) -> None:
    quiet = values["quiet_hours"]
    if quiet is not None and quiet.start == quiet.end:
        reading.warn((section, "quiet_hours"), "begin and end at the same time, so there are none")
        values["quiet_hours"] = None


def _web(reading: Reading, raw: Mapping[str, Any]) -> WebSettings:
    values = reading.section(raw, WEB, ("web",))
    token = reading.resolve(values.pop("token"), ("web", "token"), if_missing="mistake")
    if token and len(token.reveal()) < SHORTEST_TOKEN:
        remedy = f"Take one of {SHORTEST_TOKEN} characters or more, such as `openssl rand -hex 16` prints"
        reading.complain(("web", "token"), "is so short that it can be guessed", remedy)
    _check_proxies(reading, values["trusted_proxies"])
    return WebSettings(token=token, **values)


def _check_proxies(reading: Reading, addresses: Sequence[str]) -> None:
    for address in addresses:
        try:
            ip_address(address)
        except ValueError:
            remedy = 'Write the address that the proxy connects from, such as "127.0.0.1"'
            reading.complain(("web", "trusted_proxies"), f"{address!r} is no IP address", remedy)


def _check_deliveries(reading: Reading, raw: Mapping[str, Any], watches: tuple[Watch, ...]) -> None:
    for index, watch in enumerate(watches):
        for sink in watch.deliver:
            if sink not in raw:
                at: Place = ("watch", index, "deliver")
                reading.complain(at, f"there is no [{sink}] to deliver to", f"Add a [{sink}] table, or remove it here")
