"""The configuration as the program uses it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from inforadar.domain.schedule import DailyWindow, Rhythm
from inforadar.domain.watch import Watch
from inforadar.observe.secrets import MASK, Secret

SHORTEST_TOKEN = 16

_AUTHORITY = re.compile(r"[^:/?#]+://(?:[^/?#@]*@)?([^/?#:]+)")
_JOINTS = re.compile(r"[/?&=:@,;+#]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where the items are kept; `url` may hold a password, `shown_url` does not."""

    url: str = field(repr=False)

    @property
    def password(self) -> str | None:
        """The password in the url, if there is one."""
        password = urlsplit(self.url).password
        return unquote(password) if password else None

    @property
    def shown_url(self) -> str:
        """The url as it may be shown."""
        password = urlsplit(self.url).password
        return self.url.replace(f":{password}@", f":{MASK}@") if password else self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How long one exchange with any source may take."""

    connect_timeout_s: float
    read_timeout_s: float
    deadline_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSettings:
    """How often periodic work is put; `continuous`: the next round of fetching begins when one has ended.

    `recovery_hours`: how long ago a match may have been skipped to get another chance.
    """

    fetch: Rhythm
    continuous: bool
    requeue: Rhythm
    recovery: Rhythm
    recovery_hours: int
    recheck: Rhythm
    fulltext: Rhythm
    prune: Rhythm
    keep_finished_jobs_days: int
    night: DailyWindow | None
    night_work: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSettings:
    """How workers work; `lease`: sweeps one after another over all sources, or one a source at a time."""

    concurrency: int
    grace_s: float
    job_lock_timeout_s: float
    lease: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """Which answers of sources are kept, where, how long and how many."""

    enabled: bool
    path: str
    ttl_seconds: int
    max_mb: int
    pages: bool
    newest_page: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """The file the log is also written to, None = none; how large it gets, and how many older ones are kept."""

    file: Path | None = None
    level: str = "INFO"
    max_mb: int = 10
    keep: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """How one source is asked; `user_agent` None = our own. `client_id` and `client_secret` name an application."""

    name: str
    enabled: bool
    base_url: str
    rate_limit_per_minute: int
    token: Secret | None = None
    client_id: Secret | None = None
    client_secret: Secret | None = None
    user_agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """Who scores relevance; `concurrency`: matches worked on at once, on all machines together."""

    kind: str
    base_url: str
    model: str
    token: Secret | None = None
    timeout_s: float = 120.0
    concurrency: int = 2
    num_ctx: int = 8192
    keep_alive: str = "5m"
    rate_limit_per_minute: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramSettings:
    """The chat that matches are sent to; `users` may press its buttons, nobody named = whoever the chat is with."""

    base_url: str
    chat_id: str
    token: Secret | None = None
    users: tuple[int, ...] = ()
    quiet_hours: DailyWindow | None = None
    gather_s: float = 300.0
    later_hours: int = 24
    rate_limit_per_minute: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """Where the page and the REST API are served; `enabled`: also by `radar run`.

    `trusted_proxies`: addresses whose word on who asks is taken.
    """

    enabled: bool
    host: str
    port: int
    token: Secret | None = None
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetsSettings:
    """The spreadsheet that matches are written to, and when; two columns of its offers are the user's own."""

    base_url: str
    spreadsheet_id: str
    window: DailyWindow
    credentials: Secret | None = None
    offers_sheet: str = "Offers"
    companies_sheet: str = "Companies"
    feedback_column: str = "feedback"
    note_column: str = "note"
    rate_limit_per_minute: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class AppriseSettings:
    """The channels of the Apprise library that matches are sent to; an address holds its channel's token."""

    urls: tuple[Secret, ...] = ()
    format: Literal["text", "markdown"] = "text"
    quiet_hours: DailyWindow | None = None
    gather_s: float = 300.0
    timeout_s: float = 30.0
    rate_limit_per_minute: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """The program that matches are posted to; `secret` signs what is posted."""

    url: Secret | None = None
    secret: Secret | None = None
    quiet_hours: DailyWindow | None = None
    timeout_s: float = 20.0
    rate_limit_per_minute: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class MetalsSettings:
    """Where metal prices are asked for."""

    base_url: str
    rate_limit_per_minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything the user said, with the defaults filled in; `sources` holds every known source.

    `holds_secrets`: a secret value is written into the file itself. `rates`: what currencies are worth in US dollars.
    """

    store: StoreSettings
    http: HttpSettings
    schedule: ScheduleSettings
    work: WorkSettings
    cache: CacheSettings
    sources: Mapping[str, SourceSettings]
    judge: JudgeSettings
    telegram: TelegramSettings | None
    web: WebSettings
    sheets: SheetsSettings | None
    watches: tuple[Watch, ...]
    apprise: AppriseSettings | None = None
    webhook: WebhookSettings | None = None
    rates: Mapping[str, float] = field(default_factory=dict)
    metals: MetalsSettings | None = None
    log: LogSettings = LogSettings()
    warnings: tuple[str, ...] = ()
    holds_secrets: bool = False
    path: Path | None = None

    def secrets(self) -> tuple[str, ...]:
        """Every secret value in use, to be masked wherever it turns up."""
        return tuple(self._secrets())

    def _secrets(self) -> Iterator[str]:
        if self.store.password:
            yield self.store.password
        sources = self.sources.values()
        held = [secret for one in sources for secret in (one.token, one.client_id, one.client_secret)]
        held += [self.judge.token, self.web.token]
        held += [self.telegram.token] if self.telegram else []
        held += [self.sheets.credentials] if self.sheets else []
        held += [self.webhook.secret] if self.webhook else []
        yield from (secret.reveal() for secret in held if secret is not None)
        addresses = [*(self.apprise.urls if self.apprise else ()), self.webhook.url if self.webhook else None]
        yield from (part for address in addresses if address for part in secret_parts(address.reveal()))


def secret_parts(address: str) -> Iterator[str]:
    """What must not be shown of an address that is a secret: all of it, and what looks like a token in it."""
    yield address
    host = _AUTHORITY.match(address)
    yield from (
        part for part in _JOINTS.split(address) if len(part) >= SHORTEST_TOKEN and (host is None or part != host[1])
    )
