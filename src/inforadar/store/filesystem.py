"""What the file system of a path allows: SQLite works neither on one of a network nor on one that may only be read."""

import os
from pathlib import Path

NETWORK_TYPES = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs"})
MOUNTS = Path("/proc/self/mountinfo")


def network_filesystem(path: Path) -> str | None:
    """The type of the network file system that holds the path; None on a local one or where it cannot be told."""
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    filesystem = filesystem_type(path.absolute().resolve(), mounts)
    return filesystem if filesystem in NETWORK_TYPES else None


def is_read_only(path: Path) -> bool:
    """Whether a path lies on a file system that takes no writing from anybody; of what is not there, its folder."""
    try:
        return bool(os.statvfs(path if path.exists() else path.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def filesystem_type(path: Path, mountinfo: str) -> str:
    """The type of the innermost mount that holds the path, by the text of /proc/self/mountinfo."""
    deepest, found = -1, ""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        if len(before.split()) < 5 or not after:
            continue
        mount = Path(before.split()[4].replace("\\040", " "))
        # Of two mounts at one place the later one is seen.
        if (path == mount or mount in path.parents) and len(mount.parts) >= deepest:
            deepest, found = len(mount.parts), after.split()[0]
    return found
