"""The sinks that send matches, each as its settings want it; None where something is not set up yet."""

from datetime import timedelta

from inforadar.assembly.app import App
from inforadar.pipeline.delivery import Outlet
from inforadar.sinks.apprise import AppriseSink
from inforadar.sinks.telegram import TelegramSink
from inforadar.sinks.webhook import WebhookSink


def telegram_outlet(app: App) -> Outlet | None:
    """One chat of one bot."""
    telegram = app.config.telegram
    api = app.telegram_api()
    if telegram is None or api is None or not telegram.chat_id:
        return None
    return Outlet(
        sink=TelegramSink(api=api, chat_id=telegram.chat_id),
        asking=app.ways.asking("telegram"),
        quiet_hours=telegram.quiet_hours,
        gather_for=timedelta(seconds=telegram.gather_s),
    )


def apprise_outlet(app: App) -> Outlet | None:
    """Every channel Apprise speaks to; what was sent there stays as it is."""
    apprise = app.config.apprise
    if apprise is None or not apprise.urls:
        return None
    return Outlet(
        sink=AppriseSink(urls=apprise.urls, form=apprise.format, timeout_s=apprise.timeout_s),
        asking=app.ways.asking("apprise"),
        quiet_hours=apprise.quiet_hours,
        gather_for=timedelta(seconds=apprise.gather_s),
        can_edit=False,
    )


def webhook_outlet(app: App) -> Outlet | None:
    """The user's own server, told of each match at once."""
    webhook = app.config.webhook
    if webhook is None or webhook.url is None or webhook.secret is None:
        return None
    return Outlet(
        sink=WebhookSink(
            transport=app.http,
            clock=app.clock,
            url=webhook.url,
            secret=webhook.secret,
            timeout_s=webhook.timeout_s,
        ),
        asking=app.ways.asking("webhook"),
        quiet_hours=webhook.quiet_hours,
        gather_for=timedelta(0),
    )
