"""What every command shares: the configuration it finds, the log it writes, the parts it opens."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from inforadar.bootstrap import App, open_app, read_config
from inforadar.config import Config
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.secrets import Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One call of the command line."""

    config_path: str | None
    log_level: str
    is_log_json: bool

    def config(self) -> Config:
        """The user's configuration, with the log set up so that none of its secrets can get into it."""
        config = read_config(self.config_path)
        self.set_up_log(config)
        return config

    def set_up_log(self, config: Config | None = None, level: str | None = None) -> None:
        """Send the log to stderr."""
        set_up_log(
            clock=SystemClock.from_env(os.environ),
            secrets=Secrets(config.secrets() if config else ()),
            level=level or self.log_level,
            is_json=self.is_log_json,
            has_colours=sys.stderr.isatty() and "NO_COLOR" not in os.environ,
        )

    @contextmanager
    def app(self) -> Iterator[App]:
        """The parts of this process, closed at the end."""
        with open_app(self.config()) as app:
            yield app
