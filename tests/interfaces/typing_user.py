"""A person at a terminal: reads what `radar` says and types an answer when asked."""

import os
import pty
import select
from collections.abc import Sequence
from time import monotonic

PATIENCE_S = 60.0


def typed(radar, arguments: Sequence[str], answers: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Run `radar` on a terminal of 80 columns; each answer is typed once its question is shown. Exit code, screen."""
    ours, theirs = pty.openpty()
    radar.env.update(TERM="xterm", COLUMNS="80", NO_COLOR="1")
    process = radar.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    screen, waiting, seen, until = "", list(answers), 0, monotonic() + PATIENCE_S
    try:
        while monotonic() < until:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    screen += os.read(ours, 65536).decode("utf-8", "replace")
                except OSError:
                    break
            if waiting and waiting[0][0] in screen[seen:]:
                seen = len(screen)
                os.write(ours, f"{waiting.pop(0)[1]}\n".encode())
        return process.wait(timeout=PATIENCE_S), screen
    finally:
        process.kill()
        process.wait()
        os.close(ours)
