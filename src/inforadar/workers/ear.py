"""The ear: hears that jobs were put and tells the worker, on its own thread and connection."""

import threading
from contextlib import closing
from dataclasses import dataclass

from inforadar.domain.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.wakeup import listen

RECONNECT_S = 1.0
SLICE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """Sets `news` whenever something may have been put; while it cannot hear, the worker's own looks must do."""

    database: Database
    news: threading.Event

    def run(self, is_closed: threading.Event) -> None:
        """Listen until closed; what was put while nobody listened is news as well."""
        while not is_closed.is_set():
            try:
                self._listen(is_closed)
            except StoreError:
                is_closed.wait(RECONNECT_S)

    def _listen(self, is_closed: threading.Event) -> None:
        with closing(listen(self.database, is_closed.wait)) as wakeup:
            self.news.set()
            while not is_closed.is_set():
                if wakeup.is_called(SLICE_S):
                    self.news.set()
