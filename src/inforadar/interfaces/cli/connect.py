"""`radar connect`: what radar works with outside, found and tried; here the chat that matches are sent to."""

import os
import sys
from dataclasses import replace
from typing import Any

import click

from inforadar.bootstrap import App
from inforadar.config import Config, TelegramSettings
from inforadar.domain.errors import ConfigError, RadarError, Unavailable
from inforadar.interfaces.cli.connect_lines import config_so_far, show_lines, toml_lines, write_lines
from inforadar.interfaces.cli.connect_ollama import ollama_command
from inforadar.interfaces.cli.connect_sheets import sheets_command
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.session import Session
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret
from inforadar.service.buttons import UPDATES_LEASE
from inforadar.sinks.telegram_api import Conflict, TelegramApi
from inforadar.sinks.telegram_connecting import Connecting
from inforadar.sinks.telegram_updates import Person
from inforadar.store import leases

TOKEN_VARIABLE = "TELEGRAM_TOKEN"
TELEGRAM = "https://api.telegram.org"
PRESS_WAIT_S = 20
NO_TOKEN = f"""There is no bot token. Create a bot with /newbot at @BotFather in Telegram, then
  export {TOKEN_VARIABLE}=123456:ABC...
or run this in a terminal, where it can ask for the token."""
NO_TERMINAL = "--token asks for the token, and there is no terminal to ask in. Set TELEGRAM_TOKEN instead."
ANOTHER_POLLS = "A running radar receives what this bot is told, so nothing arrives here. Stop it and try again."
WEBHOOK = """The bot has a webhook: another program receives what it is told. If that is not needed any more:
  radar connect telegram --delete-webhook"""


@click.group(
    "connect",
    help="""Connect radar with the places matches are sent to, and with the model that judges them.

    \b
    Examples:
      radar connect telegram
      radar connect sheets key.json 'https://docs.google.com/spreadsheets/d/1AbC.../edit'
      radar connect ollama
    """,
)
def command() -> None:
    """The group of connecting commands."""


command.add_command(sheets_command)
command.add_command(ollama_command)


@command.command(
    "telegram",
    short_help="Find the chat of your bot and try it.",
    help="""Find the chat to send matches to, and send a test message with buttons.

    \b
    Examples:
      radar connect telegram
      radar connect telegram --write
      radar connect telegram --timeout 300 --json
    """,
)
@click.option("--token", "asks_token", is_flag=True, help="Ask for the bot's token, whatever is configured.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.IntRange(1, 3600),
    default=120,
    metavar="S",
    help="Wait so long for a word to the bot; 120 s.",
)
@click.option("--write", "writes", is_flag=True, help="Write the chat into the configuration.")
@click.option("--delete-webhook", "deletes_webhook", is_flag=True, help="Delete a webhook that is in the way.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def telegram_command(
    session: Session, asks_token: bool, timeout_s: int, writes: bool, deletes_webhook: bool, as_json: bool
) -> None:
    """Ask who the bot is, wait for a word, tell the chat, try it."""
    config = config_so_far(session)
    with session.looking(_with_telegram(config)) as app:
        connecting = Connecting(api=_api(app, asks_token=asks_token), clock=app.clock, wait=app.stop.wait)
        try:
            found = _find(app, connecting, timeout_s, deletes_webhook=deletes_webhook)
            if not as_json:
                show_lines(config, "telegram", found["settings"], writes=writes)
            found["is_written"] = writes and write_lines(config, "telegram", found["settings"], keep=["token"])
            found["message"] = connecting.send_test(str(found["chat_id"]))
            say(f"A test message was sent to {found['chat']}: press a button in it.")
            found["is_pressed"] = connecting.is_test_pressed(min(PRESS_WAIT_S, timeout_s))
        except Conflict as error:
            raise RadarError(ANOTHER_POLLS) from error
    say("The buttons work." if found["is_pressed"] else "No button was pressed; `radar run` answers them.")
    if as_json:
        print_json({name: value for name, value in found.items() if name != "settings"})


def _with_telegram(config: Config) -> Config:
    return config if config.telegram else replace(config, telegram=TelegramSettings(base_url=TELEGRAM, chat_id=""))


def _api(app: App, *, asks_token: bool) -> TelegramApi:
    assert app.config.telegram is not None
    token = None if asks_token else _known_token(app.config)
    base_url = app.config.telegram.base_url
    return TelegramApi(transport=app.http, base_url=base_url, token=token or _typed_token(asks_token), clock=app.clock)


def _known_token(config: Config) -> Secret | None:
    if config.telegram and config.telegram.token:
        return config.telegram.token
    from_env = os.environ.get(TOKEN_VARIABLE, "").strip()
    return Secret(from_env) if from_env else None


def _typed_token(is_asked_for: bool) -> Secret:
    if not sys.stdin.isatty():
        raise ConfigError(NO_TERMINAL if is_asked_for else NO_TOKEN)
    typed = click.prompt("The bot's token, as @BotFather shows it", hide_input=True, err=True)
    return Secret(str(typed).strip())


def _find(app: App, connecting: Connecting, timeout_s: int, *, deletes_webhook: bool) -> dict[str, Any]:
    """The chat of whoever wrote last to the bot, and the settings that name it."""
    bot = connecting.bot_name()
    _make_way(app, connecting, deletes_webhook=deletes_webhook)
    say(f"This is @{bot}. Open https://t.me/{bot} and press Start, or write a word. Waiting {timeout_s} s ...")
    writers = connecting.writers(timeout_s)
    if not writers:
        raise Unavailable(f"Nobody wrote to @{bot}. Press Start there and try again; --timeout waits longer.")
    chosen, *others = writers
    for other in others:
        say(f"Another chat wrote to the bot before: {other.chat_id} ({other.name}).")
    settings = _settings(app.config, chosen)
    return {
        "bot": bot,
        "chat_id": chosen.chat_id,
        "chat": printable(chosen.name),
        "user_id": chosen.user_id,
        "settings": settings,
        "toml": toml_lines("telegram", settings),
    }


def _make_way(app: App, connecting: Connecting, *, deletes_webhook: bool) -> None:
    """Nobody else may receive what the bot is told."""
    with app.database.reading() as tx:
        if UPDATES_LEASE in leases.held(tx):
            raise RadarError(ANOTHER_POLLS)
    if connecting.has_webhook():
        if not deletes_webhook:
            raise RadarError(WEBHOOK)
        connecting.delete_webhook()
        say("The webhook is deleted.")


def _settings(config: Config, person: Person) -> dict[str, str]:
    """The lines of [telegram]; in a group somebody must be named who may press the buttons."""
    known = config.telegram
    token = {} if known and known.token else {"token": f'{{ env = "{TOKEN_VARIABLE}" }}'}
    users = {} if person.is_private or (known and known.users) else {"users": f"[{person.user_id}]"}
    return {**token, "chat_id": str(person.chat_id), **users}
