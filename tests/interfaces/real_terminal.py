"""The real program in a terminal whose every cell can be looked at."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from interfaces.command_line import environment

PATIENCE_S = 60.0


class RealTerminal:
    """A terminal of so many cells with a program in it: its screen, all that was ever written to it, and keys."""

    def __init__(self, ours: int, process: "subprocess.Popen[bytes]", size: tuple[int, int]) -> None:
        self._ours = ours
        self.process = process
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""

    @property
    def lines(self) -> list[str]:
        """The screen, line by line; a wide character is followed by an empty cell, and stands once."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def cells(self, y: int, x: int, width: int) -> str:
        """What stands in so many cells of a line, from a column on."""
        return "".join(self.screen.buffer[y][column].data for column in range(x, x + width))

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, is_so: Callable[[], object] | str, patience_s: float = PATIENCE_S) -> None:
        """Read on until something stands on the screen."""
        holds = (lambda: is_so in self.text) if isinstance(is_so, str) else is_so
        end = time.monotonic() + patience_s
        while not holds():
            assert time.monotonic() < end, f"{is_so!r} did not come:\n{self.text}"
            self.read(0.1)

    def read(self, seconds: float) -> bool:
        """Take in what is written within this time; whether there was something."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # the program has gone
            time.sleep(seconds)
            return False
        self.written += piece
        self._stream.feed(piece)
        return True

    def ended(self, seconds: float = PATIENCE_S) -> int:
        """Read on until the program has ended; its exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it did not end:\n{self.text}"
            self.read(0.1)
        while self.read(0.1):  # its last words may be many
            pass
        return self.process.returncode


@contextmanager
def real_terminal(
    command: Sequence[str], folder: Path, env: Mapping[str, str], size: tuple[int, int] = (80, 24)
) -> Iterator[RealTerminal]:
    """Run a command in a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    settings = environment(**{"TERM": "xterm-256color", "LANG": "C.UTF-8", **env})
    process = subprocess.Popen(command, cwd=folder, env=settings, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        yield RealTerminal(ours, process, size)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
