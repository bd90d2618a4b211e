"""Which addresses are the user's own: only these may lie in a private network."""

from collections.abc import Iterator, Mapping

from inforadar.config import Config, SheetsSettings
from inforadar.domain.ports import Source
from inforadar.net.urls import is_local
from inforadar.sinks.sheets_account import GOOGLE_TOKENS, token_uri
from inforadar.sources.metals import DEFAULT_BASE_URL as METALS_BASE_URL
from inforadar.sources.rest_plan import own_origin

TELEGRAM = "https://api.telegram.org"
GOOGLE_SHEETS = "https://sheets.googleapis.com"
OPENAI = "https://api.openai.com/v1"


def own_base_urls(config: Config, known: Mapping[str, Source]) -> list[str]:
    """The addresses the user wrote, of queries those that are local by name: a public name may lead anywhere."""
    return [*_of_sources(config, known), *_of_queries(config), *_of_services(config)]


def _of_sources(config: Config, known: Mapping[str, Source]) -> list[str]:
    return [one.base_url for name, one in config.sources.items() if one.base_url != known[name].default_base_url]


def _of_queries(config: Config) -> Iterator[str]:
    asked = [query for watch in config.watches for query in watch.queries]
    origins = [own_origin(query.params) for query in asked if query.source == "rest"]
    yield from [origin for origin in origins if origin and is_local(origin)]
    yield from [url for query in asked if query.source == "feed" and is_local(url := str(query.params.get("url")))]


def _of_services(config: Config) -> Iterator[str]:
    """Of the metal prices, the judge and the sinks."""
    if config.metals and config.metals.base_url != METALS_BASE_URL:
        yield config.metals.base_url
    if config.judge.base_url and config.judge.base_url != OPENAI:
        yield config.judge.base_url
    if config.webhook and config.webhook.url:
        yield config.webhook.url.reveal()
    if config.sheets:
        yield from _of_sheets(config.sheets)
    if config.telegram and config.telegram.base_url != TELEGRAM:
        yield config.telegram.base_url


def _of_sheets(sheets: SheetsSettings) -> list[str]:
    """In the configuration, and in the key file of the service account."""
    asked = [sheets.base_url, *([token_uri(sheets.credentials)] if sheets.credentials else [])]
    return [url for url in asked if url not in (GOOGLE_SHEETS, GOOGLE_TOKENS)]
