"""The simulator: the local internet on a port of loopback, with every site, every service and the steering door."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet, LogLine
from inforadar.simulator.ollama.service import Ollama
from inforadar.simulator.rules import Rules
from inforadar.simulator.sheets.service import TOKEN_PATH, Sheets
from inforadar.simulator.sites import SITES, Site
from inforadar.simulator.telegram.service import Telegram
from inforadar.simulator.wires import Wires
from inforadar.simulator.world import World

POLL_S = 0.02


class Simulator:
    """The local internet on a port of loopback: `with Simulator(world) as simulator: ...`.

    Ask `base_urls` for where the sites and services are, `advance` the world, read `log`; play the people of
    `telegram`, read what `ollama` was asked; everything else is on `internet`.
    """

    def __init__(
        self,
        world: World,
        faults: Iterable[Fault] = (),
        *,
        rules: Rules | None = None,
        factor: float | None = None,
        move_seconds_per_request: float = 0.0,
        sites: Mapping[str, Site] = SITES,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.internet = Internet(
            world,
            rules=rules,
            faults=faults,
            factor=factor,
            move_seconds_per_request=move_seconds_per_request,
            sites=sites,
        )
        self._server = Wires((host, port), self.internet)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_S,), name="simulator", daemon=True
        )

    def start(self) -> "Simulator":
        """Begin to answer; the port is open already."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Cut every connection, end every deliberate silence, and free the port."""
        self.internet.close()
        self._server.hang_up()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> "Simulator":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address of the server itself."""
        return f"http://{self._server.server_name}:{self._server.server_port}"

    @property
    def base_urls(self) -> dict[str, str]:
        """The base address of every site and every service."""
        return {**self.source_urls, **self.service_urls}

    @property
    def source_urls(self) -> dict[str, str]:
        """The base address of every site that can be a source."""
        return {source: f"{self.url}/{source}" for source in self.internet.sites}

    @property
    def service_urls(self) -> dict[str, str]:
        """The base address of every service: Telegram's Bot API, Ollama, Google Sheets."""
        return {service: f"{self.url}/{service}" for service in self.internet.services}

    @property
    def telegram(self) -> Telegram:
        """Telegram: its people to play, its messages to read."""
        return self.internet.telegram

    @property
    def ollama(self) -> Ollama:
        """The model server: what it was asked, what it thinks."""
        return self.internet.ollama

    @property
    def sheets(self) -> Sheets:
        """Google Sheets: its spreadsheet to read, its owner to play."""
        return self.internet.sheets

    @property
    def sheets_key_file(self) -> str:
        """The key file of the service account that may open the spreadsheet, as JSON."""
        return json.dumps(self.sheets.account.key_file(f"{self.service_urls['sheets']}{TOKEN_PATH}"))

    @property
    def world(self) -> World:
        """The world behind the sites."""
        return self.internet.world

    @property
    def log(self) -> list[LogLine]:
        """Every request so far."""
        return self.internet.log

    def advance(self, seconds: float = 0.0, *, to: datetime | None = None) -> datetime:
        """Let the world's time pass by so many seconds, or to a moment."""
        return self.internet.advance(seconds, to=to)

    def switch(self, *faults: Fault) -> None:
        """These faults on, all others off."""
        with self.internet.lock:
            self.internet.faults.replace(faults)

    def wait_until(self, holds: Callable[[], bool], timeout_s: float = 10.0) -> bool:
        """Wait until something holds, such as that a message was sent; whether it came to hold in time."""
        return self.internet.wait_until(holds, timeout_s)

    def change_rules(self, **changes: Any) -> None:
        """Let the sites and services behave differently from now on."""
        self.internet.change_rules(**changes)

    def down(
        self, name: str, *, since: datetime | None = None, until: datetime | None = None, status: int | None = None
    ) -> None:
        """Take a site or service down over a stretch of the world's time; no answer at all, or this status."""
        with self.internet.lock:
            self.internet.outages.begin(name, since or self.world.now, until, status)

    def up(self, name: str) -> None:
        """Bring a site or service back now."""
        with self.internet.lock:
            self.internet.outages.end(name)
