"""How fast the queue is: jobs that do nothing, beside bare statements on the same table and beside other queues."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import median, quantiles

from bench.queues.courses import PEERS_PYTHON, Course, postgres_course, sqlite_course
from bench.queues.racing import Racer
from bench.table import Aim, print_table, print_title

JOBS = 10_000
FINISHED = 1_000_000
ROUNDS = 3
RINGS = 30
LEAST_SHARE = {"PostgreSQL": 0.6, "SQLite": 0.3}
LEAST_UNCHANGED = 0.85
NOTES = """\
  jobs/s   from the go to the last job done, by worker processes that stand ready; medians of the rounds taken in turn
  finished the same with so many finished jobs in the table; procrastinate, pgqueuer and huey start from an empty one
  put      rows put per second in transactions of 1,000 (huey can only put one at a time)
  idle     ms from before a put to the start of the job on an idle worker, median and 95th percentile
  floor    bare statements on the same table: one transaction completes a batch of 100 and claims the next; nothing is
           run, read, fenced or limited
  ours     `radar work`: 4 threads, batch 100, fence, heartbeat, unique keys, pauses and closed sources in each claim
  procrastinate  async tasks, concurrency 30, pool of 10; pgqueuer  asyncpg, uvloop, batch 100, autovac; huey  4 threads
  A job of ours is done when its settlement is committed; of the others when it was run.
  All as durable as in earnest: WAL and synchronous=FULL; fsync and synchronous_commit on."""


Case = tuple[int, int]
"""How many finished jobs lie in the table, and how many processes work."""


@dataclass(slots=True)
class Result:
    """What one contestant came to, round by round."""

    rates: dict[Case, list[float]] = field(default_factory=dict)
    puts: list[float] = field(default_factory=list)
    latencies_s: list[float] = field(default_factory=list)

    def rate(self, case: Case) -> float:
        """Jobs per second."""
        return median(self.rates[case])

    def noise(self) -> float:
        """How far the rounds lie apart at most, as a share of their median."""
        return max((max(rates) - min(rates)) / median(rates) for rates in self.rates.values())


def measure(
    jobs: int | None = None,
    *,
    finished: Sequence[int] = (0, FINISHED),
    workers: Sequence[int] = (1, 2),
    rounds: int = ROUNDS,
    rings: int = RINGS,
    has_peers: bool = True,
) -> list[Aim]:
    """Race on both databases, print a table for each, and say whether the aims were met."""
    jobs = jobs or int(os.environ.get("RADAR_BENCH_JOBS", JOBS))
    print_title(f"queue: {jobs:,} jobs that do nothing, {rounds} rounds")
    print(NOTES)
    aims: list[Aim] = []
    for open_course in (sqlite_course, postgres_course):
        with open_course() as course:
            race = Race(course, jobs, workers, rounds, rings)
            results = race.own(finished) | (race.peers() if has_peers else {})
        cases = list(product(finished, workers))
        _print_results(course.kind, results, cases)
        aims += _aims(course.kind, results, cases)
    return aims


@dataclass(frozen=True, slots=True)
class Race:
    """All rounds on one database."""

    course: Course
    jobs: int
    workers: Sequence[int]
    rounds: int
    rings: int

    def own(self, finished: Sequence[int]) -> dict[str, Result]:
        """The floor and ours in turn, so that a busy machine is busy for both."""
        ours, floor = self.course.ours, self.course.floor
        results = {floor.name: Result(), ours.name: Result()}
        ours.install()
        for rows in finished:
            self.course.fill(rows)
            for workers, _, racer in product(self.workers, range(self.rounds), (floor, ours)):
                if not rows:
                    self.course.fill(0)
                self._round(racer, results[racer.name], self.jobs, (rows, workers))
        results[ours.name].latencies_s = ours.latencies_s(self.rings)
        return results

    def peers(self) -> dict[str, Result]:
        """The others, each with as many jobs as it needs to be measured."""
        return {peer.name: self._peer(peer) for peer in self.course.peers if _is_here(peer)}

    def _peer(self, peer: Racer) -> Result:
        result = Result()
        peer.install()
        for workers, _ in product(self.workers, range(self.rounds)):
            self._round(peer, result, max(1, int(self.jobs * peer.share)), (0, workers))
        result.latencies_s = peer.latencies_s(self.rings)
        return result

    def _round(self, racer: Racer, result: Result, jobs: int, case: Case) -> None:
        result.puts.append(racer.put(jobs))
        self.course.analyze(racer)
        result.rates.setdefault(case, []).append(racer.drain(jobs, case[1]))


def _is_here(peer: Racer) -> bool:
    if not peer.is_installed:
        print(f"  {peer.name} is left out: {PEERS_PYTHON} cannot import it (`make bench` installs it)")
    return peer.is_installed


def _print_results(kind: str, results: Mapping[str, Result], cases: Sequence[Case]) -> None:
    heads = [_told(case) for case in cases]
    ours = results["ours"]
    print(f"\n  {kind}, jobs/s")
    print_table(
        ["", *heads, "put rows/s", "idle ms", "p95 ms"],
        [[name, *_rates(result, cases), *_others(result)] for name, result in results.items()],
    )
    print(f"\n  {kind}, ours as a multiple of")
    print_table(
        ["", *heads, "put rows/s"],
        [[name, *_multiples(ours, other, cases)] for name, other in results.items() if other is not ours],
    )
    print(
        f"  noise: the rounds of ours lie {ours.noise():.0%} apart, those of the floor {results['floor'].noise():.0%}"
    )


def _told(case: Case) -> str:
    rows, workers = case
    return f"{workers} worker" + "s" * (workers > 1) + (f", {rows:,} finished" if rows else "")


def _rates(result: Result, cases: Sequence[Case]) -> list[str]:
    return [f"{result.rate(case):,.0f}" if case in result.rates else "" for case in cases]


def _others(result: Result) -> list[str]:
    puts = f"{median(result.puts):,.0f}"
    if len(result.latencies_s) < 2:
        return [puts, "", ""]
    p95 = quantiles(result.latencies_s, n=20, method="inclusive")[-1]
    return [puts, f"{median(result.latencies_s) * 1000:.1f}", f"{p95 * 1000:.1f}"]


def _multiples(ours: Result, other: Result, cases: Sequence[Case]) -> list[str]:
    rates = [f"{ours.rate(case) / other.rate(case):.2f}" if case in other.rates else "" for case in cases]
    return [*rates, f"{median(ours.puts) / median(other.puts):.2f}"]


def _aims(kind: str, results: Mapping[str, Result], cases: Sequence[Case]) -> list[Aim]:
    ours, floor = results["ours"], results["floor"]
    shares = [
        _aim(f"queue, {kind}, {_told(case)}: share of the floor", ours.rate(case) / floor.rate(case), LEAST_SHARE[kind])
        for case in cases
    ]
    unchanged = [
        _aim(f"queue, {kind}, {_told(case)}: of an empty table", ours.rate(case) / ours.rate(empty), LEAST_UNCHANGED)
        for case in cases
        if (empty := (0, case[1])) != case and empty in cases
    ]
    return [*shares, *unchanged]


def _aim(what: str, measured: float, least: float) -> Aim:
    return Aim(what=what, wanted=f">= {least}", measured=f"{measured:.2f}", is_met=measured >= least)
