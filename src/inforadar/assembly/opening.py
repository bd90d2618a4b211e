"""What one process opens and closes: the database, the response cache, the network."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from inforadar.collect.cache import Cache
from inforadar.config import Config
from inforadar.domain.ports import Clock
from inforadar.net.http import HttpClient, HttpLimits
from inforadar.store.database import Database, open_database
from inforadar.store.migrate import known_migrations, pending, require_current, upgrade

MEGABYTE = 1 << 20


def open_store(config: Config) -> Database:
    """The user's database, brought up to date where that is safe to do unasked: a new one, or an SQLite file."""
    database = open_database(config.store.url)
    if database.kind == "sqlite" or _is_new(database):
        upgrade(database)
    require_current(database)
    return database


@contextmanager
def open_cache(config: Config, clock: Clock) -> Iterator[Cache | None]:
    """The user's response cache, None where it is switched off; its file is made at the first use."""
    settings = config.cache
    if not settings.enabled:
        yield None
        return
    from inforadar.store.responses import ResponseCache

    kept = ResponseCache(settings.path, clock, ttl_s=settings.ttl_seconds, max_bytes=settings.max_mb * MEGABYTE)
    try:
        yield Cache(kept=kept, pages=settings.pages, newest_page=settings.newest_page)
    finally:
        kept.close()


def http_client(config: Config, clock: Clock, own_base_urls: Collection[str]) -> HttpClient:
    """The one way to the network, with the user's patience; `own_base_urls` may lie in a private network."""
    limits = HttpLimits(
        connect_s=config.http.connect_timeout_s,
        read_s=config.http.read_timeout_s,
        deadline_s=config.http.deadline_s,
    )
    return HttpClient(clock=clock, allow=own_base_urls, limits=limits)


def _is_new(database: Database) -> bool:
    return len(pending(database)) == len(known_migrations())
