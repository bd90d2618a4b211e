"""A fetch for its screen: the collector in a thread of its own, and what it tells as numbers and log records.

One thread writes the numbers and the log, the screen only reads them; so there is no lock.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from inforadar.bootstrap import App
from inforadar.collect.fetch import Fetcher
from inforadar.collect.governor import StoppedByUser
from inforadar.collect.progress import Progress
from inforadar.collect.report import QueryReport
from inforadar.collect.sweeper import Sweeper
from inforadar.domain.errors import RadarError, SourceError
from inforadar.domain.watch import Query, Watch
from inforadar.interfaces.cli.choosing import choose
from inforadar.interfaces.cli.waiting import unattended_words
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.tui.aborting import Abort, AbortableTransport
from inforadar.interfaces.tui.counting import CountingGovernor, count, counting
from inforadar.interfaces.tui.fetch_lines import end_line, name_of, page_line, report_lines
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable

log = get_log("tui")
Chosen = Sequence[tuple[Watch, Query]]


@dataclass(slots=True)
class Share:
    """What one query adds to the bar."""

    expected: int = 0
    processed: int = 0


class SweepFetch:
    """One sweep of each query that a narrowing chooses; begins only when the fetch `after` which it comes has ended."""

    def __init__(self, app: App, narrowing: Narrowing, after: "SweepFetch | None" = None) -> None:
        self._stop = threading.Event()
        self._app = replace(app, stop=self._stop)
        self._narrowing = narrowing
        self._after = after
        self._abort = Abort()
        self._records: list[Record] = []
        self._shares: dict[tuple[str, str], Share] = {}
        self._is_counted = False
        self._is_over = False
        self._saves_counted = False
        self._governors: list[CountingGovernor] = []
        self._thread = threading.Thread(target=self._run, name="fetch", daemon=True)

    @property
    def to_process(self) -> int | None:
        """How many entries there are to process; None = they are being counted."""
        return sum(share.expected for share in list(self._shares.values())) if self._is_counted else None

    @property
    def processed(self) -> int:
        """How many of them are done."""
        return sum(share.processed for share in list(self._shares.values()))

    @property
    def records(self) -> Sequence[Record]:
        """The log so far."""
        return self._records

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self._is_over

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End in good order: the page under way is saved."""
        if not self._stop.is_set():
            self._stop.set()
            self._say("Stopping after the page under way; Esc once more gives that up and closes.", "warning")

    def abort(self) -> None:
        """End at once: the request under way is given up."""
        self._stop.set()
        self._abort.give()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it is over."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def started(self, query: Query) -> None:
        """A sweep begins."""
        self._say(f"{name_of(query)}: asking", "head")

    def progressed(self, progress: Progress) -> None:
        """A page was saved."""
        share = self._share(progress.query)
        share.processed = max(share.processed, progress.processed)
        share.expected = max(share.processed, share.expected if progress.expected is None else progress.expected)
        self._say(page_line(progress))

    def recorded(self, query: Query, message: str) -> None:
        """A line for the log field."""
        self._say(f"{name_of(query)}: {message}", "warning")

    def ended(self, query: Query, report: QueryReport) -> None:
        """A sweep is over: what it read is what there was to read, unless it was cut short."""
        share = self._share(query)
        share.processed = max(share.processed, report.counters.seen)
        share.expected = max(share.expected, share.processed) if report.is_failed else share.processed
        record = end_line(query, report)
        self._say(record.text, record.tone)

    def _run(self) -> None:
        try:
            if self._after:
                self._after.join()
            self._fetch()
        except RadarError as error:
            self._say(str(error), "bad")
        except Exception as error:
            log.exception("a fetch ended by an error of ours")
            self._say(f"An error of ours ({type(error).__name__}: {error}); please report it with the log.", "bad")
        finally:
            self._is_counted = True
            self._is_over = True

    def _fetch(self) -> None:
        narrowing = self._narrowing
        chosen = choose(self._app.config, narrowing.watches, narrowing.sources, narrowing.topics, None)
        fetcher = self._fetcher()
        if narrowing.text:
            self._say(f"The text {narrowing.text!r} chooses no query: it is no filter of a fetch.", "faint")
        if not fetcher.is_held(chosen):
            self._say(f"Counting what {counted(len(chosen), 'query has', 'queries have')} to read", "faint")
            self._count(fetcher, chosen)
        self._saves_counted = self._stop.is_set()
        self._is_counted = True
        report = fetcher.fetch(chosen)
        self._records.extend(report_lines(report))
        unattended = None if report.held_by else unattended_words(self._app)
        if unattended:
            self._records.append(Record(text=unattended, tone="warning"))

    def _fetcher(self) -> Fetcher:
        """The collector, made so that it counts and can be aborted."""
        fetcher = self._app.fetcher(self)
        sweepers = {name: self._able(sweeper) for name, sweeper in fetcher.sweepers.items()}
        return replace(fetcher, sweepers=sweepers, is_stopped=self._is_stopped)

    def _is_stopped(self) -> bool:
        """Whether no further sweep begins; what was counted before the order came is saved, unless it is given up."""
        saves_counted = self._saves_counted and not self._abort.is_given
        return self._stop.is_set() and not (saves_counted and any(one.has_answers for one in self._governors))

    def _able(self, sweeper: Sweeper) -> Sweeper:
        governor = counting(sweeper.governor)
        governor.transport = AbortableTransport(transport=governor.transport, abort=self._abort)
        self._governors.append(governor)
        return replace(sweeper, governor=governor)

    def _count(self, fetcher: Fetcher, chosen: Chosen) -> None:
        for watch, query in self._countable(chosen):
            share = self._share(query)
            try:
                hear = partial(self.recorded, query)
                share.expected, is_told = count(fetcher.sweepers[query.source], watch, query, hear)
            except StoppedByUser:
                return
            except SourceError as error:
                self._silent.add(query.source)
                self._say(f"{name_of(query)}: cannot be counted: {error}", "warning")
            else:
                told = f"{share.expected} to read" if is_told else "does not tell how many; counted as they come"
                self._say(f"{name_of(query)}: {told}", "faint")

    def _countable(self, chosen: Chosen) -> Iterator[tuple[Watch, Query]]:
        """The queries but those of a source that has just failed to answer, until the user stops."""
        self._silent: set[str] = set()
        for watch, query in chosen:
            if not self._stop.is_set() and query.source not in self._silent:
                yield watch, query

    def _share(self, query: Query) -> Share:
        return self._shares.setdefault((query.watch, query.key), Share())

    def _say(self, text: str, tone: Tone = "plain") -> None:
        at = self._app.clock.now().astimezone()
        self._records.append(Record(text=f"{at:%H:%M:%S} {printable(text)}", tone=tone))
