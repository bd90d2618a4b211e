"""A process that goes on for days reads a changed radar.toml: it ends what it does in good order and begins anew.

What it begins anew with is what was found good: a file that is broken since, or a store that is away just then, ends
nothing.
"""

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from inforadar.bootstrap import App, open_store, read_config
from inforadar.config import Config
from inforadar.config.model import WebSettings
from inforadar.domain.errors import RadarError, StoreError
from inforadar.interfaces.cli.output import complain, say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import hurry, stopped_by_signals
from inforadar.observe.log import get_log
from inforadar.service.supervisor import Loop

EVERY_S = 1.0
READ_ANEW = "The configuration was changed and is read anew; what is under way gets some time to end."
GONE = "{path} is not there any more; the configuration from before goes on until it is back."
KEPT = "The configuration was changed, but cannot be used; the one from before goes on."
AWAY = "The database does not answer; the changed configuration waits for it."

log = get_log("configuration")


Page = Callable[[Config], WebSettings | None]
"""Where a process serves the page by a configuration; None = it serves none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A configuration that can be used, and which state of its file it was."""

    config: Config
    seen: str


@dataclass(slots=True, kw_only=True)
class Changes:
    """Looks after the file of one app; a change counts when it was seen twice, so that no half-written file does."""

    session: Session
    app: App
    seen: str
    page: Page
    tell: Callable[[str], None]
    complain: Callable[[str], None]
    found: Found | None = None
    _last: str | None = None

    def once(self) -> None:
        """Stop the app if its file was changed and can be used; what cannot be used is told once."""
        now = fingerprint(self.app.config.path)
        is_settled, self._last = now == self._last, now
        if now == self.seen or not is_settled:
            return
        self.seen = now
        if not now and self.app.config.path and not self.app.config.path.exists():
            self.complain(GONE.format(path=self.app.config.path))
            return
        try:
            config = read_config(self.session.config_path)
            self._try(config)
        except RadarError as error:
            self.complain(f"{KEPT}\n{error}")
            return
        self.tell(READ_ANEW)
        self.found = Found(config=config, seen=now)
        self.app.stop.set()

    def _try(self, config: Config) -> None:
        """Raise what would keep a process with this configuration from starting."""
        if config.store != self.app.config.store:
            open_store(config).close()
        require_servable(self.page(self.app.config), self.page(config))


Run = Callable[[App, Loop], None]
"""What is done with an app, beside the loop that looks after its configuration."""


def run_until_told(
    session: Session,
    sentence: str,
    run: Run,
    page: Page = lambda _config: None,
    at_second: Callable[[App], None] = hurry,
    rest: Callable[[float], object] = time.sleep,
) -> None:
    """Do `run` with an app until a signal comes, and again with another app whenever the configuration was changed."""
    seen = fingerprint(read_config(session.config_path).path)
    used = Found(config=read_config(session.config_path), seen=seen)
    while found := _run_until_changed(session, used, sentence, run, page, at_second):
        used = _when_stored(session, found, page, used, rest)


def require_servable(old: WebSettings | None, new: WebSettings | None) -> None:
    """Raise ConfigError where a page cannot be served that was served as `old` says until now."""
    if new is None or new == old:
        return
    from inforadar.interfaces.web.doorstep import require_free
    from inforadar.interfaces.web.server import require_safe

    require_safe(new)
    if old is None or new.port != old.port:
        require_free(new)
    elif new.host != old.host:
        require_free(replace(new, port=0))  # the port itself is ours, and nobody can listen there twice


def fingerprint(path: Path | None) -> str:
    """What tells one state of the file from another; the same for a file that is away."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""
    except OSError:
        return ""


def _run_until_changed(
    session: Session, found: Found, sentence: str, run: Run, page: Page, at_second: Callable[[App], None]
) -> Found | None:
    """What it ended for, where that was a changed configuration and nobody wants it to end."""
    with session.app_of(found.config) as app, stopped_by_signals(app, sentence, session.say, at_second) as asked:
        tell, warn = partial(_tell, session), partial(_warn, session)
        changes = Changes(session=session, app=app, seen=found.seen, page=page, tell=tell, complain=warn)
        run(app, Loop(name="configuration", once=changes.once, every_s=EVERY_S))
        return None if asked.is_set() else changes.found


def _when_stored(session: Session, found: Found, page: Page, used: Found, rest: Callable[[float], object]) -> Found:
    """What to begin with once its database answers; a file that was mended meanwhile is read.

    The address of the page is still kept open as what was `used` until now says.
    A signal ends the process, which has nothing in hand.
    """
    is_told = False
    while True:
        try:
            open_store(found.config).close()
        except StoreError as error:
            if not is_told:
                _warn(session, f"{AWAY}\n{error}")
            is_told = True
            rest(EVERY_S)
            found = _newer(session, found, page, used)
        else:
            return found


def _tell(session: Session, sentence: str) -> None:
    """Into the log, and for a person at a terminal in the words alone."""
    if is_said := _is_at_terminal(session):
        say(sentence)
    log.info(sentence, is_said=is_said)


def _warn(session: Session, text: str) -> None:
    """The same for what went wrong, whose lines are one in the log."""
    if is_said := _is_at_terminal(session):
        complain(text)
    log.warning(text, is_said=is_said)


def _is_at_terminal(session: Session) -> bool:
    return sys.stderr.isatty() and not session.is_log_json


def _newer(session: Session, found: Found, page: Page, used: Found) -> Found:
    """What the file says since, if it was changed and can be used."""
    seen = fingerprint(found.config.path)
    if seen == found.seen:
        return found
    try:
        config = read_config(session.config_path)
        require_servable(page(used.config), page(config))
    except RadarError:
        return found
    return Found(config=config, seen=seen)
