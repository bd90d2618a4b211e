"""The log: structured events on stderr, for people or as JSON lines, without secrets and control characters.

Events of our own and of the libraries (standard logging) go through the same chain, so that a library that
logs a URL cannot leak a token. The chain ends in cleaning: texts are made printable first, scrubbed second,
because taking characters out could join the parts of a secret.
"""

import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from inforadar.domain.ports import Clock
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secrets

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
TRACEBACK = "exception"
IS_SAID = "is_said"
"""Of an event: it was said on the screen in other words already, so that only the file gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Somewhere the log goes to, from which level on, and how it is written there."""

    stream: TextIO
    level: int
    renderer: Processor
    is_screen: bool = False


def set_up_log(
    *,
    clock: Clock,
    secrets: Secrets,
    level: str = "INFO",
    is_json: bool = False,
    has_colours: bool = False,
    stream: TextIO | None = None,
    file: TextIO | None = None,
    file_level: str = "INFO",
) -> None:
    """Send every event of this process to `stream` (stderr), ours from `level` on, others from WARNING on.

    `file` gets them too, without colours, from `file_level` on.
    """
    target = sys.stderr if stream is None else stream
    shown = _renderer(is_json, has_colours)
    targets = [Target(stream=target, level=_number(level), renderer=shown, is_screen=True)]
    if file is not None:
        targets.append(Target(stream=file, level=_number(file_level), renderer=_renderer(is_json, has_colours=False)))
    chain = _chain(clock, secrets)
    structlog.configure(
        processors=[*chain, _spreader(targets)],
        wrapper_class=structlog.make_filtering_bound_logger(min(one.level for one in targets)),
        logger_factory=structlog.PrintLoggerFactory(target),
        cache_logger_on_first_use=False,
    )
    _route_library_logs(chain, targets)


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


def _spreader(targets: Sequence[Target]) -> Processor:
    """The end of the chain: an event is rendered and written for each target that wants its level."""
    lock = threading.Lock()

    def spread(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        level = _number(str(event.get("level", "info")).upper())
        is_said = event.pop(IS_SAID, False)
        for target in targets:
            if level >= target.level and not (is_said and target.is_screen):
                line = str(target.renderer(logger, method, dict(event)))
                with lock:
                    target.stream.write(f"{line}\n")
                    target.stream.flush()
        raise structlog.DropEvent

    return spread


def _route_library_logs(chain: list[Processor], targets: Sequence[Target]) -> None:
    root = logging.getLogger()
    root.handlers[:] = [_handler(chain, target) for target in targets]
    root.setLevel(logging.WARNING)


def _handler(chain: list[Processor], target: Target) -> logging.Handler:
    drop_record = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler = logging.StreamHandler(target.stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=[drop_record, *chain, target.renderer]))
    return handler


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level]


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
