"""The server, its clock, the steering door, and movement between two requests."""

import http.client
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from inforadar.simulator.control import CHANGE, READ
from inforadar.simulator.doors import TAKES
from inforadar.simulator.faults import SERVICES, Fault
from inforadar.simulator.happenings import Pace
from inforadar.simulator.internet import Internet
from inforadar.simulator.scenarios import demo_world, moving_world, serve, still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import BOARDS, World
from sim.simulator_client import AGENT, NOON, SEARCH, control, visit

HH = {"order_by": "publication_time", "per_page": "10"}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"hh": 50, "linkedin": 30, "habr": 30})) as simulator:
        yield simulator


def hh_ids(simulator: Simulator, page: int = 0) -> list[str]:
    reply = visit(simulator.base_urls["hh"] + "/vacancies", {**HH, "page": page})
    return [item["id"] for item in reply.json["items"]]


def tour(simulator: Simulator) -> list[tuple[int, dict[str, str], bytes]]:
    """A fixed sequence of requests and advances over all sites."""
    urls = simulator.base_urls
    replies = []
    for hour in range(4):
        replies += [
            visit(urls["hh"] + "/vacancies", {**HH, "text": "python", "page": hour}),
            visit(urls["linkedin"] + SEARCH, {"keywords": "python", "start": 10 * hour}),
            visit(urls["habr"] + "/kek/v2/articles/", {"sort": "rating", "page": hour + 1}),
            visit(urls["habr"] + "/ru/articles/"),
            visit(urls["hh"] + "/vacancies", {"page": "x"}),
        ]
        simulator.advance(3600)
    return [(reply.status, reply.headers, reply.body) for reply in replies]


def test_the_same_seed_and_sequence_gives_the_same_bytes():
    runs = []
    for _ in range(2):
        faults = [Fault(kind="server_error", probability=0.2)]
        with Simulator(demo_world(5, NOON, hostile=True), faults, move_seconds_per_request=60) as simulator:
            runs.append(tour(simulator))
    assert runs[0] == runs[1]
    assert {status for status, _, _ in runs[0]} >= {200, 503}


def test_it_starts_and_stops_at_once():
    """Starting is work and stopping is waiting; the worst of several times is that of a busy machine."""
    starts, stops = [], []
    for _ in range(7):
        began = time.process_time()
        simulator = Simulator(demo_world(1, NOON)).start()
        starts.append(time.process_time() - began)
        assert hh_ids(simulator)
        stopping = time.monotonic()
        simulator.stop()
        stops.append(time.monotonic() - stopping)
        with pytest.raises(ConnectionRefusedError):
            hh_ids(simulator)
    assert min(starts) < 0.2
    assert sorted(stops)[len(stops) // 2] < 0.2


def test_a_simulator_that_never_started_can_be_stopped():
    Simulator(World(seed=1, start_at=NOON)).stop()


def test_one_connection_serves_many_requests_and_long_bodies_are_packed_on_request(simulator):
    connection = http.client.HTTPConnection(simulator.url.removeprefix("http://"), timeout=60)
    sizes = []
    for encoding in ("gzip", "identity", "gzip"):
        connection.request("GET", "/hh/vacancies", headers={**AGENT, "Accept-Encoding": encoding})
        answer = connection.getresponse()
        sizes.append((answer.getheader("Content-Encoding"), len(answer.read())))
        socket = connection.sock
    assert connection.sock is socket
    connection.close()
    assert [packed for packed, _ in sizes] == ["gzip", None, "gzip"]
    assert sizes[0][1] < sizes[1][1] / 3


def test_a_clock_with_a_factor_runs_by_itself_and_one_without_stands_still():
    seconds = [100.0]
    running = Internet(World(seed=1, start_at=NOON), factor=60, monotonic=lambda: seconds[0])
    frozen = Internet(World(seed=1, start_at=NOON), monotonic=lambda: seconds[0])
    seconds[0] += 10
    for internet in (running, frozen):
        internet.ask("hh", "/vacancies", (), {"user-agent": "x/1"})
    assert running.world.now == NOON + timedelta(minutes=10)
    assert frozen.world.now == NOON
    assert running.advance(60) == NOON + timedelta(minutes=11)


def test_pages_shift_under_the_reader_when_the_world_moves_between_requests():
    world = moving_world(1, NOON, {"hh": 50}, {"hh": Pace(arrivals=60.0)})
    with Simulator(world, move_seconds_per_request=300) as simulator:
        first, second = hh_ids(simulator), hh_ids(simulator, page=1)
        assert set(first) & set(second)
        assert world.now == NOON + timedelta(seconds=600)


def test_only_lists_move_the_world(simulator):
    simulator.internet.move_seconds_per_request = 60
    visit(f"{simulator.base_urls['hh']}/vacancies/{simulator.world.visible_in('hh')[0]}")
    assert simulator.world.now == NOON


def test_an_event_can_be_planned_before_a_chosen_request_for_a_list(simulator):
    victim = hh_ids(simulator)[3]
    simulator.internet.before_list("hh", 3, lambda world: world.withdraw("hh", victim))
    first, second = hh_ids(simulator), hh_ids(simulator, page=1)
    truth = [entry.id for entry in simulator.world.listing(simulator.internet.search("hh"))]
    assert victim in first
    assert second == truth[10:20]
    assert truth[9] not in first + second


def test_the_door_tells_the_state_and_lets_time_pass(simulator):
    state = control(simulator, "state").json
    assert state["now"] == NOON.isoformat()
    assert state["counts"]["hh"] == {"entries": 50, "visible": 50}
    assert control(simulator, "advance", body={"seconds": 90}).json["now"] == "2026-01-05T12:01:30+00:00"
    assert control(simulator, "advance", body={"to": "2026-01-05T13:00:00Z"}).json["now"] == "2026-01-05T13:00:00+00:00"
    back = control(simulator, "advance", body={"to": "2026-01-05T11:00:00Z"})
    assert back.status == 400
    assert "cannot go back" in back.json["error"]


def test_the_log_holds_every_request_until_it_is_reset(simulator):
    simulator.switch(Fault(kind="rate_limited", source="habr"))
    hh_ids(simulator)
    visit(simulator.base_urls["habr"] + "/kek/v2/articles/", {"hub": "python"})
    log = control(simulator, "log").json["log"]
    assert [(line["source"], line["path"], line["status"]) for line in log] == [
        ("hh", "/vacancies", 200),
        ("habr", "/kek/v2/articles/", 429),
    ]
    assert log[1]["params"] == [["hub", "python"]]
    assert (log[1]["fault"], log[1]["world_at"]) == ("rate_limited", NOON.isoformat())
    assert len(control(simulator, "log", {"source": "hh"}).json["log"]) == 1
    assert control(simulator, "reset", body={}).json["requests"] == 0
    assert simulator.log == []


def test_the_door_switches_faults_and_rules(simulator):
    control(simulator, "faults", body=[{"kind": "server_error", "source": "hh", "count": 1}])
    assert visit(simulator.base_urls["hh"] + "/vacancies").status == 503
    control(simulator, "rules", body={"habr_layout": "L1", "move_seconds_per_request": 5})
    assert visit(simulator.base_urls["habr"] + "/ru/articles/").select(".tm-article-snippet__title-link")
    assert control(simulator, "state").json["move_seconds_per_request"] == 5
    assert control(simulator, "faults", body=[{"kind": "nonsense"}]).status == 400
    assert control(simulator, "rules", body={"nonsense": 1}).status == 400


def test_the_door_scripts_events_and_tells_the_truth_about_them(simulator):
    added = control(
        simulator,
        "add",
        body={"source": "hh", "title": "Cobol разработчик", "published_at": "2026-01-05T10:00:00Z", "tags": ["Cobol"]},
    ).json
    control(simulator, "advance", body={"seconds": 60})
    mark = control(simulator, "state").json["now"]
    query = {"source": "hh", "text": "cobol", "since": mark}
    truth = control(simulator, "truth", query).json
    assert truth["visible"] == truth["ever"] == truth["throughout"] == [added["id"]]
    control(simulator, "bump", body={"source": "hh", "id": added["id"]})
    assert hh_ids(simulator)[0] == added["id"]
    control(simulator, "edit", body={"source": "hh", "id": added["id"], "title": "Renamed"})
    detail = visit(f"{simulator.base_urls['hh']}/vacancies/{added['id']}").json
    assert detail["name"] == "Renamed"
    control(simulator, "advance", body={"seconds": 60})
    control(simulator, "withdraw", body={"source": "hh", "id": added["id"], "closing": "deleted"})
    truth = control(simulator, "truth", query).json
    assert (truth["visible"], truth["ever"], truth["throughout"]) == ([], [added["id"]], [])
    start, end = (datetime.fromisoformat(moment) for moment in truth["spans"][added["id"]][0])
    assert (start, end) == (NOON, NOON + timedelta(seconds=120))


def test_the_door_adds_by_the_names_a_person_knows(simulator):
    body = {
        "source": "hh",
        "city": "Казань",
        "company": "Новая Контора",
        "salary": {"low": 5, "high": None, "currency": "RUR", "gross": True},
    }
    added = control(simulator, "add", body=body).json
    detail = visit(f"{simulator.base_urls['hh']}/vacancies/{added['id']}").json
    assert (detail["area"]["id"], detail["employer"]["name"], detail["salary"]["from"]) == ("88", "Новая Контора", 5)
    assert control(simulator, "add", body={"source": "hh", "city": "Atlantis"}).status == 400


def test_the_door_plans_events_before_a_list_request(simulator):
    plan = [{"source": "hh", "before_list": 2, "do": "add", "id": "999", "title": "Planned"}]
    assert control(simulator, "script", body=plan).json == {"planned": 1}
    assert "999" not in hh_ids(simulator)
    assert hh_ids(simulator)[0] == "999"


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("nonsense", {}, 404),
        ("withdraw", {"source": "hh", "id": "1"}, 400),
        ("withdraw", {"source": "mars", "id": "1"}, 400),
        ("advance", {"to": "soon"}, 400),
        ("add", {"source": "hh", "colour": "red"}, 400),
        ("advance", [], 400),
        ("script", [{"source": "hh", "do": "add"}], 400),
    ],
)
def test_a_mistake_at_the_door_is_answered_with_what_is_wrong(simulator, name, body, status):
    reply = control(simulator, name, body=body)
    assert reply.status == status
    assert reply.json["error"]


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        ("truth", None, "source is one of hh, "),
        ("faults", {"kind": "forbidden"}, "faults are a list of objects"),
        ("faults", [{"kind": "forbidden", "colour": "red"}], "a fault has no colour; it has kind, source"),
        ("faults", [{}], "a fault needs a kind"),
        ("up", {}, "name is missing or not known; the door is POST /_sim/up {name}"),
    ],
)
def test_a_mistake_at_the_door_is_a_sentence_that_names_what_the_door_takes(simulator, name, body, told):
    reply = control(simulator, name, body=body)
    assert reply.status == 400
    assert told in reply.json["error"]
    assert "Error" not in reply.json["error"]


def test_every_door_tells_what_it_takes():
    assert set(TAKES) == {*READ, *CHANGE}


def test_sites_and_services_have_an_address_each(simulator):
    assert set(simulator.source_urls) == {"hh", "linkedin", "habr", "infojobs", "ebay", "rest", *BOARDS, "feed"}
    assert tuple(simulator.service_urls) == SERVICES
    assert simulator.base_urls == {**simulator.source_urls, **simulator.service_urls}
    assert visit(simulator.service_urls["telegram"] + "/bot1:A/getMe").json["ok"] is True
    assert visit(simulator.service_urls["ollama"]).body == b"Ollama is running"


def test_a_service_can_be_asked_without_wires():
    internet = Internet(World(seed=1, start_at=NOON))
    answer = internet.call("telegram", "GET", "/bot1:A/sendMessage", (("chat_id", "1"), ("text", "hi")))
    assert (answer.status, internet.telegram.sends[0].text) == (200, "hi")


def test_a_site_takes_no_post(simulator):
    assert visit(simulator.base_urls["hh"] + "/vacancies", body={}).status == 404


def test_an_unknown_site_is_not_found(simulator):
    assert visit(simulator.url + "/mars/vacancies").status == 404


def test_the_truth_agrees_with_what_a_moving_list_shows():
    with Simulator(demo_world(9, NOON)) as simulator:
        for _ in range(6):
            simulator.advance(1800)
            shown = {key for page in range(60) for key in hh_ids(simulator, page)}
            assert shown == simulator.world.visible_ids(simulator.internet.search("hh"))


def test_many_visitors_at_once_are_all_answered(simulator):
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(hh_ids(simulator))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert all(ids == found[0] for ids in found)
    assert [line.number for line in simulator.log] == list(range(1, 21))


def test_serve_runs_until_it_is_told_to_stop():
    stop, urls = threading.Event(), []

    def announce(simulator: Simulator) -> None:
        urls.append(simulator.url)
        assert hh_ids(simulator)
        stop.set()

    serve(seed=1, start_at=NOON, stop=stop, announce=announce)
    with pytest.raises(ConnectionRefusedError):
        visit(urls[0] + "/_sim/state")
