"""Writes a file that is there whole or not at all, readable by its owner alone."""

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from inforadar.domain.errors import RadarError


def write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    """Write beside `path` and put it in its place at the end; what was there before stays until then.

    A link is replaced by the file, not followed. Raises RadarError where nothing can or may be written.
    """
    _refuse_what_is_no_file(path)
    try:
        number, made = tempfile.mkstemp(dir=path.parent, prefix=".radar-export-")
    except OSError as error:
        raise RadarError(f"{path} cannot be written ({error.strerror}). Name another file.") from error
    try:
        with open(number, "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        os.replace(made, path)
    except OSError as error:
        Path(made).unlink(missing_ok=True)
        raise RadarError(f"{path} cannot be written ({error.strerror}). Name another file.") from error
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def _refuse_what_is_no_file(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise RadarError(f"{path} cannot be written ({error}). Name another file.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "no ordinary file"
        raise RadarError(f"{path} is {kind} and is left alone. Name another file, or - for stdout.")
