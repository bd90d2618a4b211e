"""The address of the store: a file for SQLite or a PostgreSQL server."""

from pathlib import Path
from urllib.parse import urlsplit

from inforadar.config.values import Unfit

SQLITE = "sqlite:///"
REMEDY = 'Write "sqlite:///radar.db", "sqlite:////absolute/radar.db" or "postgresql://user@host/database"'


def normal_store_url(url: str, folder: Path) -> str:
    """The url with an absolute path, relative ones starting at `folder`; raises Unfit."""
    if url.startswith(SQLITE):
        return SQLITE + str(folder / Path(_file_name(url)).expanduser())
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("postgresql", "postgres") and "://" in url and parts.port != 0
    except ValueError:
        is_server = False
    if not is_server:
        raise Unfit("is not the address of a store", REMEDY)
    return "postgresql" + url[len(parts.scheme) :]


def cache_beside(store_url: str, folder: Path) -> Path:
    """Where answers are kept unless the user says so: beside an SQLite store, else in `folder`."""
    return beside_store(store_url, folder, "cache.db")


def beside_store(store_url: str, folder: Path, name: str) -> Path:
    """A file that belongs to a store: beside an SQLite file and called after it, else in `folder`."""
    if not store_url.startswith(SQLITE):
        return folder / f"radar-{name}"
    store = Path(store_url.removeprefix(SQLITE))
    return store.with_name(f"{store.stem}-{name}")


def _file_name(url: str) -> str:
    name = url.removeprefix(SQLITE)
    if not name or name.endswith("/"):
        raise Unfit("names no file", REMEDY)
    if name.startswith(":memory:"):
        raise Unfit("would forget everything at the end of each command", REMEDY)
    if "\0" in name or "?" in name:
        raise Unfit("holds characters a file name cannot have here", REMEDY)
    return name
