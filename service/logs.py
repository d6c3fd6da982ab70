"""Write every log line of a process as one JSON object on standard error.

Lines of libraries that use `logging` (gunicorn, RQ), Python warnings and uncaught exceptions are written the
same way.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

import structlog

from service.record.text import log_line

_LEVELS: Final = logging.getLevelNamesMapping()
_STAMPS: Final = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
_logger: Final = structlog.get_logger()


def write_json_lines(level: str) -> None:
    """Write every line of *level* or higher; of libraries only warnings or higher."""
    structlog.configure(
        processors=[
            *_STAMPS,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=log_line),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level.upper()]),
        # one write for a line, because several processes share the file
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [json_handler()]
    root.setLevel(max(logging.WARNING, _LEVELS[level.upper()]))
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_of_thread


@contextmanager
def only_warnings() -> Iterator[None]:
    """Write no line below a warning until the end of the block, for a command that asks its own process."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        yield
    finally:
        structlog.configure(**before)


def json_handler() -> logging.Handler:
    """Return a handler that writes a library's lines in the same format, each with its `logger`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_STAMPS, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(serializer=log_line),
            ],
        )
    )
    return handler


def note_line(text: str) -> str:
    """Return the log line of a command's message, which no level silences."""
    return log_line(_STAMPS[1](None, "info", {"event": "service.note", "text": text, "level": "info"}))


def _log_uncaught(
    kind: type[BaseException], fault: BaseException, _trace: TracebackType | None, thread: str | None = None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    _logger.critical("process.failed", thread=thread, exc_info=fault)


def _log_uncaught_of_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
        name = args.thread.name if args.thread is not None else None
        _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback, name)
