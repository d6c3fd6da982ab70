"""Get a worker's process ready: its log lines, and a store that may come up later than it does."""

from __future__ import annotations

import logging
import sys
import time
from typing import Final

import structlog

from service.encounter.record.text import log_line
from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.log.valkey import ValkeyLog

_RETRY_S: Final = 1.0
_logger: Final = structlog.get_logger()


def connected(url: str) -> Log:
    """Return the log at *url* as soon as it can be reached and has been loaded."""
    said = None
    while True:
        try:
            return ValkeyLog.connect(url)
        except StoreFailure as failure:
            if (why := type(failure).__name__) != said:
                _logger.warning("worker.waits", why=why)
                said = why
            time.sleep(_RETRY_S)


def write_lines(level: str) -> None:
    """Have every log line from *level* on written to standard error as one JSON object."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=log_line),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
