"""Two `radar fetch` at once, a killed one and a frozen one: one writes at a time, and nobody waits for the dead."""

import signal

from crash.radar_command import Radar, end_of, start_and_signal, wait_until_frozen
from crash.tables import dump, rows
from inforadar.simulator.server import Simulator

ALL = 120
THREE_PAGES = 28  # ten entries each, one of them shared with the page before
LONG_AGO = "2001-01-01T00:00:00.000000Z"


def test_a_second_fetch_names_the_holder_exits_0_and_writes_nothing(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    first = start_and_signal(radar, simulator, "linkedin", 3, signal.SIGSTOP, "fetch")
    wait_until_frozen(first)
    before = dump(database_url)
    requests = len(simulator.log)

    second = radar.run("fetch")

    assert second.code == 0
    assert f"process {first.pid} on" in second.err
    assert second.out == ""
    assert dump(database_url) == before
    assert len(simulator.log) == requests
    first.send_signal(signal.SIGCONT)
    assert end_of(first).code == 0
    assert stored(database_url) == ALL


def test_a_killed_holder_is_taken_over_at_once_on_the_same_machine(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    first = start_and_signal(radar, simulator, "linkedin", 4, signal.SIGKILL, "fetch")
    assert end_of(first).code == -signal.SIGKILL
    assert stored(database_url) == THREE_PAGES
    ((token, holder),) = rows(database_url, "SELECT token, holder FROM leases")
    assert f":{first.pid}:" in holder

    second = radar.run("fetch", "--json")

    assert second.code == 0, second.err
    assert second.report["added_count"] == ALL - THREE_PAGES
    assert stored(database_url) == ALL
    assert rows(database_url, "SELECT token FROM leases") == [(token + 1,)]
    assert ends_of_runs(database_url) == [("ERROR", "interrupted"), ("SUCCESS", "end of feed")]


def test_a_frozen_holder_whose_lease_expired_writes_nothing_when_it_wakes(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    frozen = start_and_signal(radar, simulator, "linkedin", 3, signal.SIGSTOP, "fetch")
    wait_until_frozen(frozen)
    rows(database_url, f"UPDATE leases SET expires_at = '{LONG_AGO}'")

    second = radar.run("fetch")
    assert second.code == 0, second.err
    assert stored(database_url) == ALL
    before = dump(database_url)

    frozen.send_signal(signal.SIGCONT)
    woken = end_of(frozen)

    assert woken.code == 1
    assert "taken over" in woken.err
    assert "Traceback" not in woken.err
    assert dump(database_url) == before


def test_a_lease_held_on_another_machine_is_respected_until_it_expires(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    foreign = "'run', 'elsewhere:1:1', 7"
    rows(
        database_url, f"INSERT INTO leases (name, holder, token, expires_at) VALUES ({foreign}, '9999-12-31T00:00:00Z')"
    )
    held = radar.run("fetch")
    assert (held.code, stored(database_url)) == (0, 0)
    assert "elsewhere" in held.err

    rows(database_url, f"UPDATE leases SET expires_at = '{LONG_AGO}'")
    assert radar.run("fetch").code == 0
    assert stored(database_url) == ALL
    assert rows(database_url, "SELECT token FROM leases") == [(8,)]


def stored(url: str) -> int:
    ((count,),) = rows(url, "SELECT count(*) FROM items")
    return int(count)


def ends_of_runs(url: str) -> list[tuple[str, ...]]:
    return rows(url, "SELECT status, stop_reason FROM ingestion_runs ORDER BY id")
