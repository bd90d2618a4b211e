"""The configuration of a program that stays open for hours: a changed radar.toml is read anew, a broken one is told."""

from collections.abc import Callable
from dataclasses import replace

from inforadar.bootstrap import App, read_config
from inforadar.config import Config
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.reloading import fingerprint

READ_ANEW = "The configuration was changed and is read anew."
ANOTHER_STORE = "The configuration was changed and is read anew, but for the database: start radar again for that."
KEPT = "The configuration was changed, but cannot be used; the one from before goes on."


class ConfigFile:
    """Looks after the file of one app; a change counts when it was seen twice, so that no half-written file does.

    `renewed` is called with each configuration that is read anew.
    """

    def __init__(self, app: App, renewed: Callable[[Config], None]) -> None:
        self._app = app
        self._renewed = renewed
        self._seen = self._last = fingerprint(app.config.path)

    def look(self) -> str:
        """Let the app have what its file says now; a sentence if there is something to tell, each once."""
        now = fingerprint(self._app.config.path)
        is_settled, self._last = now == self._last, now
        if now == self._seen or not is_settled:
            return ""
        self._seen = now
        try:
            config = read_config(str(self._app.config.path))
        except RadarError as error:
            return f"{KEPT} {error}"
        store = self._app.config.store
        self._renewed(config)
        self._app.config = replace(config, store=store)
        return READ_ANEW if config.store == store else ANOTHER_STORE
