"""The `radar` command: errors become one clear sentence and an exit code, never a traceback."""

import sys

from inforadar.interfaces.cli.main import run


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
