"""Fixtures every test may ask for: databases of both kinds, migrated and empty, and the saved pages."""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
import structlog
from hypothesis import HealthCheck, settings
from psycopg import sql

from inforadar.store.database import Database, open_database
from inforadar.store.migrate import upgrade
from postgres_server import running_postgres, with_database

_numbers = count(1)
PLAIN = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 2 * 1024**3


# No property depends on how busy the machine is: pytest's own time limit ends what hangs.
settings.register_profile("radar", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("radar")


def pytest_configure() -> None:
    """Let tests write into memory where there is room: every commit to an SQLite file waits for the disk otherwise."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that ask for more time than others go first, so that no worker begins a long one when the rest is done."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[tuple[str, str]]:
    """The url of a PostgreSQL server and the name of a migrated empty database on it."""
    if os.environ.get("RADAR_TEST_PG") == "skip":
        pytest.skip("RADAR_TEST_PG=skip")
    with running_postgres() as server:
        name = f"radar_test_{os.getpid()}_template"
        with _database(server, name, "template0") as url:
            migrated = open_database(url)
            upgrade(migrated)
            migrated.close()
            yield server, name


@pytest.fixture
def postgres_url(postgres_template: tuple[str, str]) -> Iterator[str]:
    """The url of a migrated, empty PostgreSQL database of this test's own."""
    server, template = postgres_template
    with _database(server, f"radar_test_{os.getpid()}_{next(_numbers)}", template) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a migrated empty SQLite database; whoever wants one copies it."""
    path = tmp_path_factory.mktemp("template") / "radar.db"
    database = open_database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: Path) -> str:
    """The url of a migrated, empty SQLite database of this test's own."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path)}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The url of a migrated, empty database, of each kind in turn; for tests with processes of their own."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The url of a database that was never migrated."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/empty.db"
    url: str = request.getfixturevalue("postgres_url")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return url


@pytest.fixture
def db(database_url: str) -> Iterator[Database]:
    """A migrated, empty database, of each kind in turn."""
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def sqlite_db(sqlite_url: str) -> Iterator[Database]:
    """A migrated, empty SQLite database, for tests where the kind does not matter."""
    database = open_database(sqlite_url)
    yield database
    database.close()


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real pages saved from the sources."""
    folder = Path(__file__).parents[2] / "shared" / "samples"
    if not folder.is_dir():
        pytest.skip(f"the saved pages are not on this machine ({folder})")
    return folder


@contextmanager
def _database(server: str, name: str, template: str) -> Iterator[str]:
    names = {"name": sql.Identifier(name), "template": sql.Identifier(template)}
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'").format(**names))
        try:
            yield with_database(server, name)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {name} WITH (FORCE)").format(**names))


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A test that sets the log up leaves it writing to a stream that pytest closes: take it down again.

    Until then tracebacks are plain: pretty ones, with the values of every variable, take longer than the tests.
    """
    handlers, level = logging.root.handlers[:], logging.root.level
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], PLAIN])
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
