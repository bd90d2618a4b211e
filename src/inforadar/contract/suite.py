"""The contract of every source: what a moving, faulty site does to a sweep through the real client and store."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from inforadar.contract.rig import NOON
from inforadar.contract.trial import APART, SourceCase, Trial
from inforadar.domain.run import StopReason
from inforadar.net.http import HttpClient
from inforadar.observe.clock import SystemClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.store.database import Database, open_database
from inforadar.store.migrate import upgrade

SWEEPS_TO_FIND_A_LATE_ARRIVAL = 4
SWEEPS_TO_FORGET_A_LIE = 12
FAULTS_OF_THE_WIRE = ("server_error", "cut_body", "reset", "timeout")


class SourceContract:
    """What every source keeps; a subclass whose name begins with `Test` names its `cases`, and pytest does the rest."""

    cases: ClassVar[Sequence[SourceCase]] = ()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Every promise, for every case."""
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", self.cases, ids=[case.name for case in self.cases])

    @pytest.fixture
    def database(self, tmp_path: Path) -> Iterator[Database]:
        """A new, empty database."""
        database = open_database(f"sqlite:///{tmp_path}/contract.db")
        upgrade(database)
        yield database
        database.close()

    @pytest.fixture
    def trial(self, case: SourceCase, database: Database) -> Trial:
        """A still world with a page and a half of entries."""
        return Trial(case, database)

    def test_two_pages_then_the_end_are_collected_in_one_sweep(self, trial: Trial) -> None:
        report = trial.sweep()
        assert trial.stored == trial.visible
        assert report.stop_reason is StopReason.END_OF_FEED
        assert (report.status, report.left) == ("SUCCESS", 0)
        assert report.counters.added == report.counters.unseen == len(trial.entries)
        assert report.counters.errors == report.counters.http_429 == 0
        assert report.last_seen_max is not None
        if trial.case.is_dated:
            assert report.last_processed_date == min(entry.published_at for entry in trial.entries).date()

    def test_a_second_sweep_of_a_still_list_adds_nothing_and_changes_nothing(self, trial: Trial) -> None:
        trial.sweep()
        report = trial.sweep()
        assert report.counters.added == report.counters.unseen == 0
        assert report.counters.known == report.counters.seen > 0
        assert (report.status, report.left) == ("SUCCESS", 0)

    def test_an_empty_list_is_a_complete_sweep_of_nothing(self, case: SourceCase, database: Database) -> None:
        report = Trial(case, database, pages=0).sweep()
        assert (report.status, report.left, report.stop_reason) == ("SUCCESS", 0, StopReason.END_OF_FEED)

    def test_entries_that_move_down_between_two_pages_are_neither_lost_nor_double(self, trial: Trial) -> None:
        steady = trial.visible
        trial.before_page(2, lambda: [trial.add() for _ in range(3)])
        trial.sweep()
        assert steady <= trial.stored
        trial.sweep()
        assert trial.stored == trial.visible

    def test_entries_deleted_between_two_pages_hide_nothing(self, trial: Trial) -> None:
        trial.before_page(2, lambda: trial.withdraw(0, 3))
        report = trial.sweep()
        assert trial.visible <= trial.stored
        assert report.left == 0

    def test_a_list_that_shrinks_by_more_than_a_page_hides_nothing(self, case: SourceCase, database: Database) -> None:
        trial = Trial(case, database, pages=3.5)
        trial.before_page(3, lambda: trial.withdraw(*range(int(1.2 * trial.size))))
        trial.sweep()
        assert trial.visible <= trial.stored

    def test_a_late_arrival_is_found_by_the_next_sweeps(self, trial: Trial) -> None:
        trial.sweep()
        late = trial.add(NOON - (trial.size // 2) * APART - APART / 2)
        deep = trial.add(NOON - int(trial.size * 1.2) * APART - APART / 2)
        found = [url for _ in range(SWEEPS_TO_FIND_A_LATE_ARRIVAL) for url in trial.sweep().added]
        assert {late.id, deep.id} <= trial.stored
        assert len(found) == 2

    @pytest.mark.parametrize("after", [1, 2, 3])
    def test_an_empty_page_is_never_taken_for_the_end(self, case: SourceCase, database: Database, after: int) -> None:
        trial = Trial(case, database, pages=3.5)
        trial.faults(Fault(kind="empty_page", after=after, count=1))
        report = trial.sweep()
        assert report.left or trial.visible <= trial.stored
        trial.sweep()
        assert trial.stored == trial.visible

    def test_an_empty_top_of_a_known_list_is_never_taken_for_the_end(self, trial: Trial) -> None:
        trial.sweep()
        trial.faults(Fault(kind="empty_page", count=1))
        new = trial.add()
        report = trial.sweep()
        assert report.left or new.id in trial.stored
        trial.sweep()
        assert new.id in trial.stored

    def test_an_unreadable_entry_is_counted_and_the_rest_is_kept(self, trial: Trial) -> None:
        trial.faults(Fault(kind="unreadable_entry", after=1, count=1))
        report = trial.sweep()
        assert len(trial.visible - trial.stored) <= 1
        assert any("could not be read" in warning or "without a valid date" in warning for warning in report.warnings)
        assert trial.run.warnings == report.warnings
        for _ in range(SWEEPS_TO_FORGET_A_LIE):
            trial.sweep()
        assert trial.stored == trial.visible

    def test_an_unreadable_page_keeps_what_was_read_and_fails_the_sweep(self, trial: Trial) -> None:
        trial.faults(Fault(kind="unreadable_page", after=1))
        report = trial.sweep()
        assert (report.status, report.stop_reason) == ("ERROR", StopReason.UNREADABLE_PAGE)
        assert report.left > 0
        assert report.counters.errors >= 1
        assert trial.size - 1 <= len(trial.stored) <= trial.size
        trial.faults()
        assert trial.sweep().status == "SUCCESS"
        assert trial.stored == trial.visible

    def test_an_unreadable_first_page_stores_nothing_and_claims_nothing(self, trial: Trial) -> None:
        trial.faults(Fault(kind="unreadable_page"))
        report = trial.sweep()
        assert (report.status, report.counters.pages, report.last_seen_max) == ("ERROR", 0, None)
        assert trial.stored == set()

    @pytest.mark.parametrize("as_date", [False, True])
    def test_a_short_retry_after_is_waited_for(self, trial: Trial, as_date: bool) -> None:
        trial.faults(Fault(kind="rate_limited", after=1, count=1, seconds=5, as_date=as_date))
        report = trial.sweep()
        assert trial.radar.waiting.waits == [pytest.approx(5)]
        assert report.counters.http_429 == report.counters.errors == 1
        assert (report.status, report.left) == ("SUCCESS", 0)
        assert trial.stored == trial.visible

    @pytest.mark.parametrize("seconds", [3600, None])
    def test_a_long_or_unknown_pause_ends_the_sweep_at_once_and_keeps_its_pages(
        self, trial: Trial, seconds: float | None
    ) -> None:
        trial.faults(Fault(kind="rate_limited", after=1, seconds=seconds))
        report = trial.sweep()
        assert trial.radar.waiting.waits == []
        assert report.stop_reason is StopReason.RATE_LIMITED
        assert report.counters.http_429 == 1
        assert report.left > 0
        assert trial.run.status == "PARTIAL"
        assert len(trial.stored) == trial.size
        trial.faults()
        trial.sweep()
        assert trial.stored == trial.visible

    def test_a_429_on_the_first_request_is_an_error(self, trial: Trial) -> None:
        trial.faults(Fault(kind="rate_limited"))
        report = trial.sweep()
        assert (report.status, report.stop_reason) == ("ERROR", StopReason.RATE_LIMITED)
        assert trial.state.consecutive_failures == 1

    def test_a_403_is_a_refusal_with_a_remedy_and_is_not_tried_again(self, trial: Trial) -> None:
        trial.faults(Fault(kind="forbidden", after=1))
        report = trial.sweep()
        assert (report.status, report.stop_reason) == ("ERROR", StopReason.REFUSED)
        assert trial.radar.waiting.waits == []
        assert report.error
        assert report.left > 0
        trial.faults()
        trial.sweep()
        assert trial.stored == trial.visible

    @pytest.mark.parametrize("kind", FAULTS_OF_THE_WIRE)
    def test_a_fault_of_the_wire_is_tried_again_later_each_time(self, trial: Trial, kind: str) -> None:
        trial.faults(Fault(kind=kind, after=1, count=2))
        report = trial.sweep()
        first, second = trial.radar.waiting.waits
        assert 1 <= first <= 1.5
        assert 2 <= second <= 3
        assert report.counters.errors == 2
        assert report.counters.http_429 == 0
        assert (report.status, report.left) == ("SUCCESS", 0)
        assert trial.stored == trial.visible

    @pytest.mark.parametrize("kind", FAULTS_OF_THE_WIRE)
    def test_a_lasting_fault_of_the_wire_ends_the_sweep_after_three_retries(self, trial: Trial, kind: str) -> None:
        trial.faults(Fault(kind=kind, after=1))
        report = trial.sweep()
        assert len(trial.radar.waiting.waits) == 3
        assert report.counters.errors == 4
        assert report.counters.requests == report.counters.pages + 4
        assert (report.status, report.stop_reason) == ("ERROR", StopReason.UNAVAILABLE)
        assert report.left > 0
        trial.sweep()
        assert trial.state.consecutive_failures == 2
        trial.faults()
        trial.sweep()
        assert trial.state.consecutive_failures == 0
        assert trial.stored == trial.visible

    def test_the_waits_between_retries_differ_from_process_to_process(
        self, case: SourceCase, database: Database
    ) -> None:
        trial = Trial(case, database)
        trial.faults(Fault(kind="server_error"))
        trial.sweep()
        waits = list(trial.radar.waiting.waits)
        trial.sweep()
        assert trial.radar.waiting.waits[3:] != waits

    def test_a_limit_collects_everything_in_steps_that_say_what_is_left(
        self, case: SourceCase, database: Database
    ) -> None:
        trial = Trial(case, database, limit=7)
        reports = [trial.sweep() for _ in range(2 + len(trial.entries) // 7)]
        assert all(report.counters.unseen <= 7 for report in reports)
        assert reports[0].stop_reason is StopReason.LIMIT_REACHED
        assert reports[0].left > 0
        while reports[-1].left:
            assert len(reports) < 6 * len(trial.entries)
            reports.append(trial.sweep())
        assert trial.stored == trial.visible

    @pytest.mark.parametrize("kind", [None, "cut_body", "server_error", "gzip_bomb"])
    def test_over_real_http_the_same_holds(self, case: SourceCase, database: Database, kind: str) -> None:
        trial = Trial(case, database)
        with (
            Simulator(trial.world, sites=case.sites) as simulator,
            HttpClient(clock=SystemClock(), allow=[simulator.url]) as http,
        ):
            trial.internet = simulator.internet
            base_url = simulator.base_urls[case.site]
            trial.radar = trial.process(transport=http, sites={trial.source.name: base_url})
            trial.faults(*([Fault(kind=kind, after=1, count=1)] if kind else []))
            report = trial.sweep()
            if kind != "gzip_bomb":
                assert (report.status, report.left, report.counters.errors) == ("SUCCESS", 0, int(kind is not None))
            trial.sweep()
        assert trial.stored == trial.visible
