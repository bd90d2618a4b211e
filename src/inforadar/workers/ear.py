"""The ear: hears that jobs were put and tells the worker, on its own thread and connection."""

import threading
from contextlib import closing
from dataclasses import dataclass

from inforadar.domain.errors import StoreError
from inforadar.observe.log import get_log
from inforadar.store.database import Database
from inforadar.store.wakeup import listen

RECONNECT_S = 1.0
SLICE_S = 0.1
AFTER_BUG_S = 30.0

log = get_log("workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """Sets `news` whenever something may have been put; while it cannot hear, the worker's own looks must do."""

    database: Database
    news: threading.Event
    after_bug_s: float = AFTER_BUG_S

    def run(self, is_closed: threading.Event) -> None:
        """Listen until closed; what was put while nobody listened is news as well."""
        while not is_closed.is_set():
            try:
                self._listen(is_closed)
            except StoreError:
                is_closed.wait(RECONNECT_S)
            except Exception:
                # a bug must not make the worker deaf for good
                log.exception("nothing heard")
                is_closed.wait(self.after_bug_s)

    def _listen(self, is_closed: threading.Event) -> None:
        with closing(listen(self.database, is_closed.wait)) as wakeup:
            self.news.set()
            while not is_closed.is_set():
                if wakeup.is_called(SLICE_S):
                    self.news.set()
