"""Hold a shard's bell: the sign that somebody is folding it.

It has a short life and only progress prolongs it. It saves work and carries no safety: whoever has lost it
without noticing is refused by the store.
"""

from __future__ import annotations

import time
from typing import Final
from uuid import uuid4

from service.log.protocol import Log

LIFE_MS: Final = 2_000
_BEAT_S: Final = 0.4


class Bell:
    """The bell of one shard, in the hand of one fold."""

    def __init__(self, log: Log, shard: int) -> None:
        self._log = log
        self._shard = shard
        self._token = uuid4().hex
        self._prolonged = 0.0

    def take(self) -> bool:
        """Take the bell if it is free or was rung; whether it is held now."""
        self._prolonged = time.monotonic()
        return self._log.hold_bell(self._shard, self._token, LIFE_MS)

    def beat(self) -> bool:
        """Prolong the bell's life where it is due; whether it is still held."""
        return time.monotonic() - self._prolonged < _BEAT_S or self.take()

    def release(self) -> None:
        """Give the bell back."""
        self._log.release_bell(self._shard, self._token)
