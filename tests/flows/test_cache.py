"""The response cache: what is kept, for how long, how much of it, and that it never breaks a fetch."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from flows.rig import NOON, OpenGate, Waiting, Wire, WorldClock
from inforadar.collect.cache import Cache, cache_key
from inforadar.collect.governor import Governor
from inforadar.config import parse
from inforadar.domain.errors import ConfigError, Unavailable
from inforadar.domain.paging import Position, Window
from inforadar.domain.ports import Answer, Request
from inforadar.observe.clock import FakeClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.world import World
from inforadar.sources.hh import Hh
from inforadar.store.responses import ResponseCache

NEWEST = Position(size=100)
DEEPER = Position(offset=100, size=100)
A_WATCH = '[[watch]]\nname = "w"\nkind = "vacancy"\n[[watch.query]]\nsource = "hh"\n'
SLICE = Position(size=100, window=Window(after=NOON))


@pytest.fixture
def internet() -> Internet:
    world = World(seed=1, start_at=NOON)
    for _ in range(150):
        world.add("hh")
    return Internet(world)


@pytest.fixture
def kept(internet: Internet, tmp_path: Path) -> Iterator[ResponseCache]:
    cache = ResponseCache(str(tmp_path / "cache.db"), WorldClock(internet), ttl_s=3600, max_bytes=10_000_000)
    yield cache
    cache.close()


def governor(internet: Internet, kept: ResponseCache, **rules: bool) -> Governor:
    return Governor(
        base_url="hh",
        transport=Wire(internet),
        clock=WorldClock(internet),
        chance=Random(1),
        wait=Waiting(internet),
        gate=OpenGate(),
        cache=Cache(kept=kept, **rules),
    )


def first_id(internet: Internet) -> str:
    return internet.world.listing(internet.search("hh"))[0].id


def an_answer(body: bytes = b"body", **changed: object) -> Answer:
    return Answer(**{"status": 200, "headers": {"content-type": "x"}, "body": body, "url": "https://hh/1", **changed})


def test_an_items_own_page_is_asked_for_once_an_hour_and_says_the_same(internet: Internet, kept: ResponseCache) -> None:
    item = first_id(internet)
    asker = governor(internet, kept)
    first = asker.detail(Hh(), item, "")
    assert governor(internet, kept).detail(Hh(), item, "") == first
    assert (len(internet.log), asker.take_counters().requests) == (1, 1)
    internet.advance(3601)
    asker.detail(Hh(), item, "")
    assert len(internet.log) == 2


@pytest.mark.parametrize(
    ("rules", "requests"),
    [({}, (2, 2, 2)), ({"pages": True}, (2, 1, 1)), ({"newest_page": True}, (1, 2, 2))],
)
def test_pages_of_lists_are_kept_only_if_the_user_asks(
    internet: Internet, kept: ResponseCache, rules: dict[str, bool], requests: tuple[int, ...]
) -> None:
    asker = governor(internet, kept, **rules)
    asked = []
    for position in (NEWEST, DEEPER, SLICE):
        internet.reset_log()
        pages = [asker.page(Hh(), {}, position) for _ in range(2)]
        assert pages[0] == pages[1]
        asked.append(len(internet.log))
    assert tuple(asked) == requests


@pytest.mark.parametrize("kind", ["server_error", "unreadable_page", "forbidden", "rate_limited"])
def test_errors_are_never_kept(internet: Internet, kept: ResponseCache, kind: str) -> None:
    asker = governor(internet, kept)
    item = first_id(internet)
    internet.faults.replace([Fault(kind=kind, source="hh")])
    with pytest.raises(Exception):  # noqa: B017, PT011 - which error is the sources' matter
        asker.detail(Hh(), item, "")
    internet.faults.replace([])
    assert asker.detail(Hh(), item, "").availability == "alive"


def test_an_item_that_is_gone_is_looked_at_again(internet: Internet, kept: ResponseCache) -> None:
    asker = governor(internet, kept)
    assert asker.detail(Hh(), "999999999", "").availability == "gone"
    asker.detail(Hh(), "999999999", "")
    assert len(internet.log) == 2


def test_a_kept_answer_that_cannot_be_read_any_more_is_asked_for_again(internet: Internet, kept: ResponseCache) -> None:
    item = first_id(internet)
    kept.put(cache_key("hh", Hh().detail_request(item, "")), an_answer(b"not json"))
    assert governor(internet, kept).detail(Hh(), item, "").availability == "alive"
    assert len(internet.log) == 1


def test_an_answer_comes_back_as_it_was_to_another_process(kept: ResponseCache, tmp_path: Path) -> None:
    answer = an_answer(bytes(range(256)), headers={"content-type": "text/html", "x": "ё"})
    kept.put("key", answer)
    other = ResponseCache(str(tmp_path / "cache.db"), FakeClock(NOON), ttl_s=3600, max_bytes=10_000_000)
    assert other.get("key") == answer
    assert other.get("other key") is None
    other.close()


def test_an_answer_from_the_future_of_another_clock_is_not_used(kept: ResponseCache, tmp_path: Path) -> None:
    kept.put("key", an_answer())
    path = str(tmp_path / "cache.db")
    earlier = ResponseCache(path, FakeClock(datetime(2025, 1, 1, tzinfo=UTC)), ttl_s=3600, max_bytes=10_000_000)
    assert earlier.get("key") is None
    earlier.close()


def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    cache = ResponseCache(str(tmp_path / "cache.db"), clock, ttl_s=3600, max_bytes=1000)
    for number in range(5):
        clock.advance(1)
        cache.put(str(number), an_answer(bytes(300)))
    cache.put("too large", an_answer(bytes(1001)))
    assert [number for number in range(5) if cache.get(str(number))] == [2, 3, 4]
    assert cache.get("too large") is None
    cache.close()


@pytest.mark.parametrize("harm", ["garbage", "folder", "foreign table", "no folder", "damaged later"])
def test_whatever_is_wrong_with_the_file_no_fetch_breaks(internet: Internet, tmp_path: Path, harm: str) -> None:
    path = tmp_path / "broken.db"
    cache = ResponseCache(str(path), WorldClock(internet), ttl_s=3600, max_bytes=10_000_000)
    if harm == "garbage":
        path.write_bytes(b"this is no database at all" * 100)
    if harm == "folder":
        path.mkdir()
    if harm == "foreign table":
        make_foreign(path)
    if harm == "no folder":
        cache = ResponseCache("/nonexistent/cache.db", WorldClock(internet), ttl_s=3600, max_bytes=10)
    if harm == "damaged later":
        cache.put("key", an_answer(bytes(50_000)))
        cache.close()
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 20_000)
    asker = governor(internet, cache)
    for _ in range(2):
        assert asker.detail(Hh(), first_id(internet), "").availability == "alive"
    cache.close()


def test_equal_questions_have_one_key_and_different_ones_do_not() -> None:
    def key(*params: tuple[str, str], path: str = "/vacancies", base: str = "https://a", **headers: str) -> str:
        return cache_key(base, Request(path=path, params=params, headers=headers))

    plain = key(("a", "1"), ("b", "2"))
    assert key(("b", "2"), ("a", "1")) == plain
    assert key(("a", "1"), ("b", "2"), base="https://a/", Authorization="Bearer x") == plain
    others = {key(("a", "1")), key(("a", "2"), ("b", "2")), key(path="/a=1"), key(("a", "1"), base="https://b")}
    assert len(others | {plain}) == 5


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        ("", {}, (True, 3600)),
        ("[cache]\nenabled = false\nttl_seconds = 60", {}, (False, 60)),
        ("[cache]\nenabled = true", {"CACHE_ENABLED": "false"}, (False, 3600)),
        ("[cache]\nttl_seconds = 60", {"CACHE_TTL_SECONDS": "120", "CACHE_ENABLED": "True"}, (True, 120)),
        ("", {"CACHE_ENABLED": "0"}, (False, 3600)),
    ],
)
def test_the_environment_has_the_last_word(text: str, env: dict[str, str], expected: tuple[bool, int]) -> None:
    config = parse(f"{text}\n{A_WATCH}", {"hh": Hh()}, env, lambda _: "", folder=Path("/data"))
    assert (config.cache.enabled, config.cache.ttl_seconds) == expected


@pytest.mark.parametrize("env", [{"CACHE_TTL_SECONDS": "soon"}, {"CACHE_TTL_SECONDS": "0"}, {"CACHE_ENABLED": "2"}])
def test_a_variable_that_makes_no_sense_is_a_mistake(env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=next(iter(env))):
        parse(A_WATCH, {"hh": Hh()}, env, lambda _: "")


def test_the_file_lies_beside_the_store_unless_named() -> None:
    def path(text: str) -> str:
        return parse(f"{text}\n{A_WATCH}", {"hh": Hh()}, {}, lambda _: "", folder=Path("/data")).cache.path

    assert path("") == "/data/radar-cache.db"
    assert path('[store]\nurl = "sqlite:////var/lib/jobs.db"') == "/var/lib/jobs-cache.db"
    assert path('[store]\nurl = "postgresql://me@db/radar"') == "/data/radar-cache.db"
    assert path('[cache]\npath = "kept.db"') == "/data/kept.db"


def make_foreign(path: Path) -> None:
    import apsw

    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE responses (something INTEGER)")
    other.close()


def test_a_cached_answer_needs_no_source_at_all(internet: Internet, kept: ResponseCache) -> None:
    item = first_id(internet)
    asker = governor(internet, kept)
    known = asker.detail(Hh(), item, "")
    internet.faults.replace([Fault(kind="reset", source="hh")])
    assert asker.detail(Hh(), item, "") == known
    with pytest.raises(Unavailable):
        asker.detail(Hh(), first_id(internet) + "0", "")
