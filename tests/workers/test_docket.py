"""Which finished jobs are settled together: some of them break every transaction they are in."""

from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.job import Job, JobId
from inforadar.workers.crew import Assignment
from inforadar.workers.docket import Docket


def finished(number: int) -> list[Assignment]:
    """So many finished jobs."""
    return [
        Assignment(Job(id=JobId(n), kind="a", args={}, attempt=1, max_attempts=5, retry_count=0), 0.0)
        for n in range(number)
    ]


def turn(docket: Docket, book: list[Assignment], poison: set[int]) -> list[Assignment]:
    """One transaction; what is left in the book."""
    batch = docket.next(book)
    if {one.job.id for one in batch} & poison:
        docket.failed(batch)
        return book
    docket.settled(batch)
    return [one for one in book if one not in batch]


def test_all_that_is_finished_is_settled_at_once() -> None:
    book = finished(5)
    assert Docket().next(book) == book


def test_one_that_breaks_every_transaction_is_found_by_halves() -> None:
    docket, book, turns = Docket(), finished(100), 0
    while len(book) > 1:
        book, turns = turn(docket, book, {0}), turns + 1
    assert turns <= 16
    assert (book[0].job.id, len(docket)) == (0, 1)


@given(st.sets(st.integers(0, 39), max_size=12))
def test_every_job_but_the_poison_is_settled_soon_wherever_the_poison_stands(poison: set[int]) -> None:
    docket, book = Docket(), finished(40)
    for _ in range(2 * (len(poison) + 1) * 7):
        book = turn(docket, book, poison)
    assert {one.job.id for one in book} == poison


def test_what_is_finished_later_waits_for_no_more_than_one_transaction() -> None:
    docket, poison = Docket(), set(range(8))
    book = turn(docket, finished(8), poison)
    for number in range(100, 130):
        late = Assignment(Job(id=JobId(number), kind="a", args={}, attempt=1, max_attempts=5, retry_count=0), 0.0)
        book = [*book, late]
        for _ in range(2):
            book = turn(docket, book, poison)
        assert late not in book
        assert len(docket) == 8


def test_poison_that_waits_for_its_turn_gets_it() -> None:
    docket, book = Docket(), finished(3)
    tried: list[int] = []
    for _ in range(12):
        batch = docket.next(book)
        tried += [one.job.id for one in batch] if len(batch) == 1 else []
        docket.failed(batch)
    assert [tried.count(n) >= 3 for n in range(3)] == [True] * 3
