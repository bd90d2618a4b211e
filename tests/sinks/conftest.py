"""A bot's server, and a client of it."""

from collections.abc import Iterator

import pytest

from inforadar.sinks.telegram_api import TelegramApi
from sinks.bot_server import BotServer, api_of, bot_server


@pytest.fixture
def bot() -> Iterator[BotServer]:
    with bot_server() as server:
        yield server


@pytest.fixture
def api(bot: BotServer) -> Iterator[TelegramApi]:
    with api_of(bot.url) as client:
        yield client
