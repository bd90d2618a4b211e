"""`python -m bench [--quick] [PART...]`: ends with the aims that were met and those that were not.

RADAR_BENCH_ITEMS makes ingest and startup smaller, RADAR_BENCH_JOBS queue, RADAR_BENCH_MATCHES web; `--quick` makes
everything so small that its figures mean nothing.
"""

import sys
from collections.abc import Callable, Sequence

from bench.table import Aim, print_aims

QUICK = "--quick"


def sweeps(*, is_quick: bool) -> list[Aim]:
    """Lost, doubled and requests."""
    from bench.sweeps import measure

    return measure(cycles=4, seeds=1) if is_quick else measure()


def ingest(*, is_quick: bool) -> list[Aim]:
    """Items per second and memory."""
    from bench.ingest import measure

    return measure(items=200) if is_quick else measure()


def startup(*, is_quick: bool) -> list[Aim]:
    """How long a command takes to begin."""
    from bench.startup import measure

    return measure(matches=100, runs=1) if is_quick else measure()


def queue(*, is_quick: bool) -> list[Aim]:
    """Jobs per second and idle latency."""
    from bench.queues.race import measure

    return measure(jobs=20, finished=[10], workers=[1], rounds=1, rings=2, has_peers=False) if is_quick else measure()


def web(*, is_quick: bool) -> list[Aim]:
    """Requests per second and their times, of a small store and a big one."""
    from bench.web import measure

    return measure(small=50, big=200, rounds=2) if is_quick else measure()


PARTS: dict[str, Callable[..., list[Aim]]] = {
    "sweeps": sweeps,
    "ingest": ingest,
    "startup": startup,
    "queue": queue,
    "web": web,
}


def main(arguments: Sequence[str]) -> int:
    """Run the chosen parts, all of them if none is named."""
    chosen = [name for name in arguments if name != QUICK]
    unknown = set(chosen) - set(PARTS)
    if unknown:
        print(f"No such part: {', '.join(sorted(unknown))}. Choose from {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    print_aims([aim for name in chosen or PARTS for aim in PARTS[name](is_quick=QUICK in arguments)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
