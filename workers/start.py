"""Wait for a store that may start later than the worker."""

from __future__ import annotations

import time
from typing import Final

import structlog

from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.log.valkey import ValkeyLog

_RETRY_S: Final = 1.0
_logger: Final = structlog.get_logger()


def connected(url: str, replicas: int = 0) -> Log:
    """Return the log at *url* once it can be reached and is loaded; see `ValkeyLog.connect`."""
    said = None
    while True:
        try:
            return ValkeyLog.connect(url, replicas=replicas)
        except StoreFailure as failure:
            if (why := type(failure).__name__) != said:
                _logger.warning("worker.waiting", why=why)
                said = why
            time.sleep(_RETRY_S)
