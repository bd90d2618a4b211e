"""Several worker processes empty one queue together: each effect exactly once."""

import os
from pathlib import Path

import pytest

from crash.tables import rows
from inforadar.domain.job import NewJob
from inforadar.store.database import open_database
from workers.queue_promises import broken_promises, unfinished
from workers.rig import effects, eventually, put, with_effects_table
from workers.worker_process import some_workers

THREADS = 4
JOBS = int(os.environ.get("RADAR_JOBS", "2000"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("kind", "processes"), [("sqlite", 2), ("postgres", 2), ("postgres", 6)])
def test_processes_empty_one_queue_each_effect_once(
    request: pytest.FixtureRequest, kind: str, processes: int, tmp_path: Path
) -> None:
    url: str = request.getfixturevalue(f"{kind}_url")
    db = with_effects_table(open_database(url))
    # The first jobs take a while, so that everybody is awake before the first worker has done it all.
    slow = [NewJob(kind="a", args={"sleep_s": 1}, priority=100) for _ in range(processes * THREADS)]
    fast = [
        NewJob(kind="a", args={"fails_first": n % 100 == 0}, unique_key=f"k{n}", priority=n % 50) for n in range(JOBS)
    ]
    with some_workers(processes, url, tmp_path / "said", poll_s=0.2, batch=20, concurrency=THREADS) as workers:
        ids = put(db, *slow, *fast)
        eventually(lambda: unfinished(url) == 0, within_s=600)
        for worker in workers:
            worker.terminate()
        assert [worker.wait() for worker in workers] == [0] * processes
    assert effects(db) == ids
    db.close()
    assert broken_promises(url, lock_timeout_s=300) == []
    shares = dict(rows(url, "SELECT worker, count(*) FROM effects GROUP BY worker"))
    assert len(shares) > 1, f"one did it all: {shares}"
    seed = "SELECT status, locked_by, count(*) FROM scrape_jobs WHERE status <> 'succeeded' GROUP BY status, locked_by"
    assert rows(url, seed) == []
