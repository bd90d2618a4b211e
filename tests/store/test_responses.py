"""The response cache is used again after a moment in which it could not be."""

from datetime import UTC, datetime
from pathlib import Path

import apsw

from inforadar.domain.ports import Answer
from inforadar.observe.clock import FakeClock
from inforadar.store.responses import ResponseCache

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
ANSWER = Answer(status=200, headers={}, body=b"x", url="https://example.org")


def test_a_cache_that_was_busy_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    cache = ResponseCache(str(path), FakeClock(NOON), ttl_s=3600, max_bytes=10_000)
    cache.put("first", ANSWER)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    cache.put("second", ANSWER)
    other.execute("ROLLBACK")
    other.close()
    cache.put("third", ANSWER)
    assert [cache.get(key) is not None for key in ("first", "second", "third")] == [True, False, True]
    cache.close()


def test_a_cache_that_is_no_database_is_left_alone_for_good(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(b"this is no database at all" * 100)
    cache = ResponseCache(str(path), FakeClock(NOON), ttl_s=3600, max_bytes=10_000)
    cache.put("first", ANSWER)
    path.unlink()
    cache.put("second", ANSWER)
    assert cache.get("second") is None
    assert not path.exists()
    cache.close()
