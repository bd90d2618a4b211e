"""The log's file: appended to by any number of processes, put aside when it is large, readable by its owner alone."""

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path


class LogFile:
    """A text stream into a file that turns over. A log that cannot be written is no reason to stop the work."""

    def __init__(self, path: Path, *, max_bytes: int, keep: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._descriptor = -1
        self._lock = threading.Lock()

    def __del__(self) -> None:
        # a log that is set up anew leaves this one to nobody, once the last line of any thread is written
        self.close()

    def write(self, text: str) -> int:
        """Append a line; where the file was put aside meanwhile, to the new one."""
        with self._lock, suppress(OSError):
            self._open_current()
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
            if os.fstat(self._descriptor).st_size >= self._max_bytes:
                self._turn_over()
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Give the file back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open_current(self) -> None:
        if self._descriptor >= 0 and self._is_current():
            return
        self.close()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self._path, flags, 0o600)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _turn_over(self) -> None:
        """Put the file aside; of several processes that want to, the lock lets one, and the others find it done."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        if self._is_current():
            for number in range(self._keep, 0, -1):
                younger = self._path if number == 1 else aside(self._path, number - 1)
                with suppress(FileNotFoundError):
                    os.replace(younger, aside(self._path, number))
            if not self._keep:
                os.unlink(self._path)
        self.close()


def aside(path: Path, number: int) -> Path:
    """The name of a file that was put aside, 1 being the youngest."""
    return path.with_name(f"{path.name}.{number}")
