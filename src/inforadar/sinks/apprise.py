"""Every other channel, by the Apprise library: mail, Discord, ntfy, Matrix and some hundred more.

The library makes its own connections: they do not pass our guarded client. It is imported when something is sent, with
nothing kept on disk, and what it logs stays with it, because it may name parts of an address.
A channel that took a notice does not get it again while another one is out of order.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inforadar.domain.delivery import Card, Notice
from inforadar.domain.errors import Refused, SourceError, Unavailable
from inforadar.observe.secrets import Secret
from inforadar.sinks.plain_words import Format, Words, render

REFUSALS = frozenset({400, 401, 403, 404, 405, 410, 422})
MOST_REMEMBERED = 1000

_STATUS = re.compile(r"error=([0-9]{3})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One address of the user's; `number` is its place in the list, by which it is spoken of."""

    number: int
    service: Any

    def __str__(self) -> str:
        return f"channel {self.number} ({self.service.service_name})"


@dataclass(slots=True, kw_only=True)
class AppriseSink:
    """Sends to all channels; what was sent stays as it is."""

    urls: Sequence[Secret]
    form: Format = "text"
    timeout_s: float = 30.0
    name: str = "apprise"
    taken: dict[tuple[int, str], None] = field(default_factory=dict)

    def send(self, notice: Notice) -> str:
        """Send it to every channel that has not taken it; raises Refused or Unavailable if one of them does not."""
        _raise_any([self._offer(channel, notice) for channel in self._channels()])
        self._forget(notice.cards)
        return f"apprise:{notice.cards[0].sending_id}"

    def say(self, text: str) -> None:
        """Send a plain text that is about no match to every channel; raises Refused or Unavailable if one fails."""
        words = Words(title="Info Radar", body=text)
        _raise_any([_said(channel, words, "text", self.timeout_s) for channel in self._channels()])

    def edit(self, reference: str, notice: Notice) -> None:
        """Nothing: a message once sent by these channels cannot be changed."""

    def _offer(self, channel: Channel, notice: Notice) -> SourceError | None:
        """Offer a channel what it has not taken; what is wrong with it."""
        cards = tuple(card for card in notice.cards if (channel.number, card.sending_id) not in self.taken)
        if not cards:
            return None
        problem = _said(channel, render(replace(notice, cards=cards), self.form), self.form, self.timeout_s)
        if problem is None:
            self.taken |= dict.fromkeys((channel.number, card.sending_id) for card in cards)
            while len(self.taken) > MOST_REMEMBERED * len(self.urls):
                del self.taken[next(iter(self.taken))]
        return problem

    def _forget(self, cards: Sequence[Card]) -> None:
        for number in range(1, len(self.urls) + 1):
            for card in cards:
                self.taken.pop((number, card.sending_id), None)

    def _channels(self) -> list[Channel]:
        """The channels behind the addresses; raises Refused for one that nobody knows."""
        if not self.urls:
            raise Refused("no channel to send to: write one into [apprise] urls")
        return [_channel(number, url) for number, url in enumerate(self.urls, 1)]


def _raise_any(found: Sequence[SourceError | None]) -> None:
    problems = [problem for problem in found if problem]
    if problems:
        every = "; ".join(str(problem) for problem in problems)
        raise (Refused if all(isinstance(one, Refused) for one in problems) else Unavailable)(every)


def _channel(number: int, url: Secret) -> Channel:
    import apprise

    logging.getLogger(apprise.LOGGER_NAME).propagate = False
    asset = apprise.AppriseAsset(app_id="Info Radar", storage_mode="memory", http_redirects=False)
    service = apprise.Apprise.instantiate(url.reveal(), asset=asset)
    if service is None:
        raise Refused(f"channel {number} of [apprise] urls is no address that Apprise knows: see docs/apprise.md")
    if "overflow=" not in url.reveal():
        service.overflow_mode = apprise.OverflowMode.SPLIT
    return Channel(number=number, service=service)


def _said(channel: Channel, words: Words, form: Format, timeout_s: float) -> SourceError | None:
    import apprise

    crowd = apprise.Apprise()
    crowd.add(channel.service)
    with crowd.notify(title=words.title, body=words.body, body_format=form, timeout=timeout_s) as result:
        if result:
            return None
        if result.timeout_count:
            return Unavailable(f"{channel} did not answer within {timeout_s:g} s")
        statuses = [int(found[1]) for entry in result.logs() if (found := _STATUS.search(entry.message))]
    if not statuses:
        return Unavailable(f"{channel} did not take it")
    kind = Refused if statuses[-1] in REFUSALS else Unavailable
    return kind(f"{channel} did not take it (HTTP {statuses[-1]})")
