"""The log: structured events on stderr, for people or as JSON lines, without secrets and control characters.

Events of our own and of the libraries (standard logging) go through the same chain, so that a library that
logs a URL cannot leak a token. The chain ends in cleaning: texts are made printable first, scrubbed second,
because taking characters out could join the parts of a secret.
"""

import logging
import sys
from collections.abc import Mapping
from datetime import UTC
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from inforadar.domain.ports import Clock
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secrets

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
TRACEBACK = "exception"


def set_up_log(
    *,
    clock: Clock,
    secrets: Secrets,
    level: str = "INFO",
    is_json: bool = False,
    has_colours: bool = False,
    stream: TextIO | None = None,
) -> None:
    """Send every event of this process to `stream` (stderr), ours from `level` on, others from WARNING on."""
    target = sys.stderr if stream is None else stream
    chain = _chain(clock, secrets)
    structlog.configure(
        processors=[*chain, _renderer(is_json, has_colours)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(target),
        cache_logger_on_first_use=False,
    )
    _route_library_logs(chain, _renderer(is_json, has_colours), target)


def get_log(room: str) -> Any:
    """The log of one room."""
    return structlog.get_logger(room=room)


def _chain(clock: Clock, secrets: Secrets) -> list[Processor]:
    def stamp(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["at"] = clock.now().astimezone(UTC).isoformat(timespec="milliseconds")
        return event

    def clean(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {
            _text(name, secrets): _clean(value, secrets, "\n" if name == TRACEBACK else "")
            for name, value in event.items()
        }

    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        stamp,
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        clean,
    ]


def _renderer(is_json: bool, has_colours: bool) -> Processor:
    if is_json:
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(
        colors=has_colours,
        timestamp_key="at",
        exception_formatter=structlog.dev.plain_traceback,
    )


def _route_library_logs(chain: list[Processor], renderer: Processor, stream: TextIO) -> None:
    drop_record = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=[drop_record, *chain, renderer]))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)


def _clean(value: Any, secrets: Secrets, keep: str = "") -> Any:
    """The value with every text in it safe; anything that is not plain data becomes its representation."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {_text(name, secrets): _clean(inner, secrets) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_clean(inner, secrets) for inner in value]
    return _text(value, secrets, keep)


def _text(value: Any, secrets: Secrets, keep: str = "") -> str:
    return secrets.scrub(printable(value if isinstance(value, str) else str(value), keep))
