"""What every command shares: the configuration it finds, the log it writes, the parts it opens."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO, cast

from inforadar.bootstrap import App, open_app, read_config
from inforadar.config import Config, StoreSettings
from inforadar.config.store_url import SQLITE
from inforadar.domain.ports import Clock
from inforadar.interfaces.cli.output import log_line, may_colour, say, write_aside
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.log_file import LogFile
from inforadar.observe.secrets import Secrets

MEGABYTE = 1 << 20


class CurrentStderr:
    """Whatever sys.stderr is when a line is written: while bars are shown, they put it above themselves."""

    def write(self, text: str) -> int:
        """Write on, at once."""
        write_aside(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One call of the command line.

    `log_level` None: warnings on a terminal, where the report says the rest, and INFO elsewhere.
    `clock` None: the machine's, or what RADAR_NOW says.
    """

    config_path: str | None
    log_level: str | None = None
    is_log_json: bool = False
    clock: Clock | None = None

    def config(self) -> Config:
        """The user's configuration, with the log set up so that none of its secrets can get into it."""
        config = read_config(self.config_path)
        self.set_up_log(config)
        return config

    @contextmanager
    def app(self) -> Iterator[App]:
        """The parts of this process, closed at the end."""
        with open_app(self.config(), self.clock) as app:
            yield app

    @contextmanager
    def app_of(self, config: Config) -> Iterator[App]:
        """The parts of this process for a configuration that is in no file, or not yet."""
        self.set_up_log(config)
        with open_app(config, self.clock) as app:
            yield app

    @contextmanager
    def looking(self, config: Config) -> Iterator[App]:
        """The same for a look: where there is no database yet, none is made."""
        path = Path(config.store.url.removeprefix(SQLITE))
        if not config.store.url.startswith(SQLITE) or path.exists():
            with self.app_of(config) as app:
                yield app
            return
        with tempfile.TemporaryDirectory(prefix="radar-look-") as folder:
            store = StoreSettings(url=f"{SQLITE}{folder}/radar.db")
            cache = replace(config.cache, path=f"{folder}/cache.db")
            with self.app_of(replace(config, store=store, cache=cache)) as app:
                yield app

    def say(self, sentence: str) -> None:
        """One line on stderr that is not data, for whoever reads the log too: in JSON where the log is.

        Takes no lock, so that a signal handler may say something.
        """
        say(log_line(sentence, self._clock().now()) if self.is_log_json else sentence)

    def set_up_log(self, config: Config) -> None:
        """Write the log as a configuration says, without any of its secrets."""
        is_terminal = sys.stderr.isatty()
        set_up_log(
            clock=self._clock(),
            secrets=Secrets(config.secrets()),
            level=self.log_level or ("WARNING" if is_terminal else "INFO"),
            is_json=self.is_log_json,
            has_colours=is_terminal and may_colour(),
            stream=cast(TextIO, CurrentStderr()),
            file=_log_file(config),
            file_level=config.log.level,
        )

    def _clock(self) -> Clock:
        return self.clock or SystemClock.from_env(os.environ)


def _log_file(config: Config) -> TextIO | None:
    settings = config.log
    if settings.file is None:
        return None
    return cast(TextIO, LogFile(settings.file, max_bytes=settings.max_mb * MEGABYTE, keep=settings.keep))
