"""Who this process is, so that another one can tell whether it still lives."""

import os
import socket
from functools import cache
from pathlib import Path


def holder() -> str:
    """The name under which this process holds leases: where it runs, its process id and when it started."""
    pid = os.getpid()
    return f"{_place()}:{pid}:{_started(pid)}"


def told(name: str) -> str:
    """The name of a holder as a person reads it."""
    place, _, rest = name.rpartition(":")[0].rpartition(":")
    return f"process {rest} on {place.partition('/')[0]}" if rest.isdecimal() else name


def is_dead(name: str) -> bool:
    """Whether the process of this name certainly runs no more; False where that cannot be known."""
    host, _, rest = name.rpartition(":")[0].rpartition(":")
    started = name.rpartition(":")[2]
    if host != _place() or not rest.isdecimal():
        return False
    pid = int(rest)
    return not _is_running(pid) or (_started(pid) != started and started != "")


@cache
def _place() -> str:
    """Where process ids mean the same as here: machines of one name, and containers, differ by boot and namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}/{boot}-{namespace}"


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _started(pid: int) -> str:
    """When a process started, in the kernel's ticks; empty where the system does not tell."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the command's name."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
