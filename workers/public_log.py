"""Write the public log beside the folding: append what was proposed, and sign.

Nobody's play waits for it. A worker that dies leaves its proposals to the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final

import structlog

from service.audit.log_writer import LogDisputed, LogWriter
from service.audit.signing import Signer
from service.audit.signing_memory import SigningMemory
from service.log.protocol import Log
from service.stores.public_log import LogDispute, PublicLog
from workers.periodic import PeriodicThread

EVERY_S: Final = 1.0
LEASE: Final = "public-log"
_LIFE_MS: Final = 30_000

_logger: Final = structlog.get_logger()


class LogThread(PeriodicThread):
    """One worker's thread that writes the public log, while it has the lease."""

    name = "public-log"
    every_s = EVERY_S

    def __init__(
        self, log: Log, memory: SigningMemory, signer: Callable[[], Signer], worker: str, stopping: Event
    ) -> None:
        super().__init__(stopping)
        self._log = log
        self._worker = worker
        self._public_log = PublicLog(log)
        self._writer = LogWriter(self._public_log, memory, signer)
        self._is_disputed = False

    def look(self) -> None:
        """Append and sign what is due, unless another worker has the lease."""
        if not all(self._log.hold_leases([LEASE], self._worker, _LIFE_MS)):
            return
        try:
            appended = self._writer.write()
        except LogDisputed as fault:
            if not self._is_disputed:
                _logger.error(  # noqa: TRY400 - a fault of the store, whose trace says nothing
                    "public_log.disputed", why=fault.why, signed=fault.size, stored=fault.stored
                )
                self._public_log.put_dispute(LogDispute(fault.why, fault.size, fault.stored))
            self._is_disputed = True
            return
        self._public_log.put_dispute(None)
        self._is_disputed = False
        if appended:
            self._public_log.put_signed_at(time.time())
            _logger.info("public_log.appended", entries=appended)
