"""The configuration file as a text that commands change: where it is, what it says, what a changed one would mean."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from inforadar.bootstrap import NO_CONFIG, known_sources
from inforadar.config import Config, find_config
from inforadar.config.loading import FILE_NAME, LARGEST_FILE, LARGEST_SECRET_FILE, parse, read_text
from inforadar.config.watch_editing import watch_names
from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import Source
from inforadar.interfaces.cli.session import Session
from inforadar.service.adding import FIRST_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenConfig:
    """A file and its text; `is_new`: it is not there yet."""

    path: Path
    text: str
    is_new: bool
    sources: Mapping[str, Source]

    @classmethod
    def of(cls, session: Session) -> "WrittenConfig":
        """The user's file, or the first one that would be written; raises ConfigError for one that is no TOML."""
        found = find_config(session.config_path, os.environ, Path.cwd())
        path = found or Path.cwd() / FILE_NAME
        if not path.exists():
            return cls(path=path, text=FIRST_TEXT, is_new=True, sources=known_sources())
        written = cls(path=path, text=read_text(path, LARGEST_FILE), is_new=False, sources=known_sources())
        try:
            tomllib.loads(written.text)
        except ValueError:
            written.parse(written.text)
        return written

    @classmethod
    def existing(cls, session: Session) -> "WrittenConfig":
        """The user's file; raises ConfigError where there is none, or where it has mistakes."""
        written = cls.of(session)
        if written.is_new:
            raise ConfigError(NO_CONFIG if session.config_path is None else f"{written.path} does not exist.")
        written.parse(written.text)
        return written

    @property
    def watch_names(self) -> list[str]:
        """The names of its watches."""
        return watch_names(self.text)

    def parse(self, text: str) -> Config:
        """What a text means in the place of this file; raises ConfigError with every mistake."""
        folder = self.path.resolve().parent

        def read_secret(name: str) -> str:
            return read_text(folder / Path(name).expanduser(), LARGEST_SECRET_FILE)

        config = parse(text, self.sources, os.environ, read_secret, folder=folder, name=str(self.path))
        return replace(config, path=self.path)


def shown_path(path: Path) -> str:
    """A path as a person here would write it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
