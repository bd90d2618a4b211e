"""A process that goes on for days reads a changed radar.toml: it ends what it does in good order and begins anew."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inforadar.bootstrap import App, open_store, read_config
from inforadar.config import Config
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.output import complain, say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import hurry, stopped_by_signals
from inforadar.service.supervisor import Loop

EVERY_S = 1.0
READ_ANEW = "The configuration was changed and is read anew; what is under way gets some time to end."
KEPT = "The configuration was changed, but cannot be used; the one from before goes on."


@dataclass(slots=True, kw_only=True)
class Changes:
    """Looks after the file of one app; a change counts when it was seen twice, so that no half-written file does."""

    session: Session
    app: App
    seen: str
    is_found: bool = False
    _last: str | None = None

    def once(self) -> None:
        """Stop the app if its file was changed and can be used; what cannot be used is told once."""
        now = fingerprint(self.app.config.path)
        is_settled, self._last = now == self._last, now
        if now == self.seen or not is_settled:
            return
        self.seen = now
        try:
            self._try(read_config(self.session.config_path))
        except RadarError as error:
            complain(f"{KEPT}\n{error}")
            return
        say(READ_ANEW)
        self.is_found = True
        self.app.stop.set()

    def _try(self, config: Config) -> None:
        """Raise what would keep a process with this configuration from starting."""
        if config.store != self.app.config.store:
            open_store(config).close()
        if config.web != self.app.config.web:
            from inforadar.interfaces.web.server import require_safe

            require_safe(config.web)


Run = Callable[[App, Loop], None]
"""What is done with an app, beside the loop that looks after its configuration."""


def run_until_told(session: Session, sentence: str, run: Run, at_second: Callable[[App], None] = hurry) -> None:
    """Do `run` with an app until a signal comes, and again with another app whenever the configuration was changed."""
    while _run_until_changed(session, sentence, run, at_second):
        pass


def fingerprint(path: Path | None) -> str:
    """What tells one state of the file from another; the same for a file that is away."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""
    except OSError:
        return ""


def _run_until_changed(session: Session, sentence: str, run: Run, at_second: Callable[[App], None]) -> bool:
    """Whether it ended for a changed configuration, and nobody wants it to end."""
    seen = fingerprint(read_config(session.config_path).path)
    with session.app() as app, stopped_by_signals(app, sentence, at_second=at_second) as asked:
        changes = Changes(session=session, app=app, seen=seen)
        run(app, Loop(name="configuration", once=changes.once, every_s=EVERY_S))
        return changes.is_found and not asked.is_set()
