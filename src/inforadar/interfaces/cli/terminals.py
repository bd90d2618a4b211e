"""Whether somebody sits at a terminal."""

import os
import sys


def is_at_a_terminal() -> bool:
    """Whether somebody can press keys and see a screen; all three streams are its own."""
    return os.environ.get("TERM") != "dumb" and all(one.isatty() for one in (sys.stdin, sys.stdout, sys.stderr))
