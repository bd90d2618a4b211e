"""Every switch for what goes wrong, seen over HTTP by a plain visitor."""

import http.client
import json
import time
import zlib
from collections.abc import Iterator
from datetime import timedelta
from email.utils import parsedate_to_datetime

import pytest

from inforadar.simulator.damage import SPOILS
from inforadar.simulator.faults import (
    OLLAMA_KINDS,
    PAGE_STATES,
    SITE_KINDS,
    Fault,
    Faults,
    fault_from,
    parse_fault,
)
from inforadar.simulator.ollama import generation
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.twists import TWISTS
from sim.simulator_client import NOON, SEARCH, Reply, visit

LISTS = {"hh": "/vacancies", "linkedin": SEARCH, "habr": "/kek/v2/articles/"}
PARAMS = {"hh": {"order_by": "publication_time"}, "linkedin": {"sortBy": "DD"}, "habr": {"sort": "rating"}}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"hh": 60, "linkedin": 40, "habr": 60})) as simulator:
        yield simulator


def first_page(simulator: Simulator, source: str = "hh", **params: object) -> Reply:
    return visit(simulator.base_urls[source] + LISTS[source], {**PARAMS[source], **params})


def detail(simulator: Simulator) -> Reply:
    return visit(f"{simulator.base_urls['hh']}/vacancies/{simulator.world.visible_in('hh')[0]}")


def entries(reply: Reply, source: str) -> list[object]:
    if source == "linkedin":
        return list(reply.select("[data-entity-urn]"))
    return list(reply.json["items" if source == "hh" else "publicationIds"])


def test_every_kind_has_its_damage():
    assert set(SPOILS) | set(TWISTS) == set(SITE_KINDS)
    assert set(generation.SPOILS) < set(OLLAMA_KINDS)
    assert set(PAGE_STATES.values()) <= set(SITE_KINDS)


def test_a_fault_of_any_source_meets_the_sites_alone_and_a_method_narrows_one_of_a_service():
    assert not Fault(kind="reset").concerns("telegram", method="sendmessage")
    narrow = Fault(kind="reset", source="telegram", method="sendMessage")
    assert narrow.concerns("telegram", method="sendmessage")
    assert not narrow.concerns("telegram", method="getupdates")
    assert not narrow.concerns("hh", is_list=True)


def test_a_429_comes_without_a_date_with_seconds_or_with_a_date(simulator):
    simulator.switch(Fault(kind="rate_limited", count=1))
    bare = first_page(simulator)
    assert (bare.status, "Retry-After" in bare.headers) == (429, False)
    simulator.switch(Fault(kind="rate_limited", seconds=120))
    assert first_page(simulator).headers["Retry-After"] == "120"
    simulator.switch(Fault(kind="rate_limited", seconds=120, as_date=True))
    dated = first_page(simulator)
    assert parsedate_to_datetime(dated.headers["Retry-After"]) == NOON + timedelta(seconds=120)
    assert parsedate_to_datetime(dated.headers["Date"]) == NOON


def test_a_fault_can_wait_for_so_many_requests_and_end_after_so_many_times(simulator):
    simulator.switch(Fault(kind="rate_limited", source="linkedin", after=3, count=2))
    assert [first_page(simulator, "linkedin").status for _ in range(7)] == [200, 200, 200, 429, 429, 200, 200]
    assert first_page(simulator).status == 200


def test_a_fault_can_be_bound_to_details_while_the_search_works(simulator):
    simulator.switch(Fault(kind="captcha", source="hh", scope="detail"))
    assert first_page(simulator).status == 200
    refused = detail(simulator)
    assert refused.status == 403
    assert refused.json["errors"][0]["type"] == refused.json["errors"][0]["value"] == "captcha_required"
    assert refused.json["errors"][0]["captcha_url"]


def test_chance_of_a_fault_is_fixed_by_the_seed():
    def struck(seed: int) -> list[bool]:
        faults = Faults([Fault(kind="reset", probability=0.3)], seed=seed)
        return [faults.pick("hh", is_list=True) is not None for _ in range(100)]

    assert struck(1) == struck(1)
    assert struck(1) != struck(2)
    assert 10 < sum(struck(1)) < 50


def test_the_kinds_of_403_can_be_told_apart(simulator):
    simulator.switch(Fault(kind="forbidden", count=1), Fault(kind="oauth", count=1), Fault(kind="ddos_guard"))
    forbidden, oauth, guard = (first_page(simulator) for _ in range(3))
    assert [reply.status for reply in (forbidden, oauth, guard)] == [403, 403, 403]
    assert forbidden.json["errors"] == [{"type": "forbidden"}]
    assert oauth.json["errors"] == [{"value": "token_revoked", "type": "oauth"}]
    assert (guard.headers["Server"], guard.headers["Content-Type"][:9]) == ("ddos-guard", "text/html")


def test_an_authwall_is_a_200_without_cards_or_a_redirect_to_one(simulator):
    simulator.switch(Fault(kind="authwall", count=1), Fault(kind="authwall_redirect", count=1))
    wall, redirect = first_page(simulator, "linkedin"), first_page(simulator, "linkedin")
    assert (wall.status, entries(wall, "linkedin")) == (200, [])
    assert b"authwall" in wall.body
    assert redirect.status == 302
    assert b"authwall" in visit(simulator.url + redirect.headers["Location"].partition("?")[0]).body


@pytest.mark.parametrize("status", [500, 502, 503])
def test_an_outage_has_an_html_body(simulator, status):
    simulator.switch(Fault(kind="server_error", status=status))
    reply = first_page(simulator)
    assert (reply.status, reply.headers["Content-Type"][:9]) == (status, "text/html")


def test_a_captive_portal_is_a_200_of_somebody_else(simulator):
    simulator.switch(Fault(kind="captive_portal"))
    reply = first_page(simulator)
    assert (reply.status, reply.headers["Content-Type"][:9]) == (200, "text/html")


def test_a_timeout_is_a_silence(simulator):
    simulator.switch(Fault(kind="timeout", seconds=30))
    with pytest.raises(TimeoutError):
        visit(simulator.base_urls["hh"] + "/vacancies", timeout=0.2)


def test_stopping_ends_a_silence_at_once():
    simulator = Simulator(still_world(1, NOON, {"hh": 5}), [Fault(kind="timeout", seconds=60)]).start()
    connection = http.client.HTTPConnection(simulator.url.removeprefix("http://"), timeout=60)
    connection.request("GET", "/hh/vacancies", headers={"User-Agent": "x/1"})
    began = time.monotonic()
    simulator.stop()
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        connection.getresponse()
    connection.close()
    assert time.monotonic() - began < 30


def test_a_slow_body_trickles_in_whole(simulator):
    simulator.switch(Fault(kind="slow_body", seconds=0.3))
    began = time.monotonic()
    assert len(first_page(simulator).json["items"]) == 20
    assert time.monotonic() - began >= 0.3


def test_a_cut_body_is_shorter_than_it_promised(simulator):
    simulator.switch(Fault(kind="cut_body"))
    with pytest.raises(http.client.IncompleteRead) as cut:
        first_page(simulator)
    assert cut.value.partial
    assert cut.value.expected


def test_a_reset_breaks_the_connection(simulator):
    simulator.switch(Fault(kind="reset"))
    with pytest.raises(ConnectionResetError) as broken:
        first_page(simulator)
    assert not isinstance(broken.value, http.client.RemoteDisconnected)


@pytest.mark.parametrize("source", LISTS)
def test_an_empty_page_in_the_middle_keeps_its_totals(simulator, source):
    simulator.switch(Fault(kind="empty_page", count=1))
    reply = first_page(simulator, source)
    assert (reply.status, entries(reply, source)) == (200, [])
    if source == "hh":
        assert reply.json["found"] == 60
    if source == "habr":
        assert reply.json["pagesCount"] > 1
    assert entries(first_page(simulator, source), source)


@pytest.mark.parametrize("source", LISTS)
def test_a_page_can_hold_an_entry_twice_or_be_out_of_order(simulator, source):
    simulator.switch(Fault(kind="duplicated_entry", count=1), Fault(kind="shuffled_page", count=1))
    doubled, shuffled, plain = (_keys(first_page(simulator, source), source) for _ in range(3))
    assert doubled == [plain[0], *plain[:-1]]
    assert shuffled == plain[::-1]


def _keys(reply: Reply, source: str) -> list[object]:
    if source == "linkedin":
        return [card.attributes["data-entity-urn"] for card in reply.select("[data-entity-urn]")]
    return [entry["id"] if source == "hh" else entry for entry in entries(reply, source)]


def test_one_entry_of_a_page_can_be_unreadable(simulator):
    simulator.switch(Fault(kind="unreadable_entry"))
    hh = first_page(simulator).json["items"]
    assert (hh[0]["id"], hh[0]["published_at"]) == (None, "yesterday")
    assert hh[1]["id"]
    habr = first_page(simulator, "habr").json
    assert [ref["titleHtml"] is None for ref in map(habr["publicationRefs"].get, habr["publicationIds"])].count(
        True
    ) == 1
    times = first_page(simulator, "linkedin").select("time")
    assert [time.attributes["datetime"] == "recently" for time in times].count(True) == 1
    html = visit(simulator.base_urls["habr"] + "/ru/articles/").select("time")
    assert [time.attributes["datetime"] == "вчера" for time in html].count(True) == 1


@pytest.mark.parametrize("source", LISTS)
def test_changed_markup_has_none_of_the_known_names(simulator, source):
    simulator.switch(Fault(kind="unreadable_page"))
    reply = first_page(simulator, source)
    assert reply.status == 200
    assert not any(name in reply.body for name in (b"items", b"publicationIds", b"data-entity-urn"))


def test_a_repeated_page_is_the_one_before(simulator):
    first = first_page(simulator, page=0)
    simulator.switch(Fault(kind="repeated_page", count=1))
    assert first_page(simulator, page=1).body == first.body
    assert first_page(simulator, page=1).body != first.body


def test_a_wrong_encoding_is_not_utf8_though_it_says_so(simulator):
    simulator.switch(Fault(kind="wrong_encoding"))
    reply = first_page(simulator)
    assert "utf-8" in reply.headers["Content-Type"]
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode()
    assert json.loads(reply.body.decode("cp1251"))["items"]


def test_a_gzip_bomb_unpacks_to_what_was_asked(simulator):
    simulator.switch(Fault(kind="gzip_bomb", size_mb=8))
    connection = http.client.HTTPConnection(simulator.url.removeprefix("http://"), timeout=60)
    connection.request("GET", "/hh/vacancies", headers={"User-Agent": "x/1"})
    answer = connection.getresponse()
    packed = answer.read()
    connection.close()
    assert answer.getheader("Content-Encoding") == "gzip"
    assert len(packed) < 20_000
    assert len(zlib.decompress(packed, 31)) == 8 << 20


def test_a_fault_can_be_written_on_a_command_line():
    fault = parse_fault("rate_limited,source=hh,scope=list,after=10,seconds=60,as_date=true,probability=0.5")
    assert fault == Fault(
        kind="rate_limited", source="hh", scope="list", after=10, seconds=60.0, as_date=True, probability=0.5
    )


@pytest.mark.parametrize(
    "values", [{"kind": "nonsense"}, {"kind": "reset", "often": 3}, {}, {"kind": "reset", "scope": "x"}]
)
def test_a_fault_that_does_not_exist_is_refused(values):
    with pytest.raises(ValueError, match=r"fault|scope"):
        fault_from(values)
