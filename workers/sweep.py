"""Find what a lost ring left behind: look into the dirty sets every two seconds and fold what waits too long.

The sweeper needs no RQ. A shard whose bell is held is being folded by somebody who makes progress, for only
progress prolongs a bell; any other shard in which an encounter waits is folded here.
"""

from __future__ import annotations

import time
from threading import Event
from typing import Final

from service.log.protocol import Log
from workers.lookout import Lookout
from workers.shard import ShardFold

EVERY_S: Final = 2.0
WAITED_MS: Final = 1_500
"""How long an encounter may wait before it counts as left behind."""


class Sweeper(Lookout):
    """Sweeps all *shards* until it is told to stop."""

    name = "sweep"
    every_s = EVERY_S

    def __init__(self, log: Log, fold: ShardFold, shards: int, stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._fold = fold
        self._shards = shards

    def look(self) -> None:
        """Fold every shard in which an encounter waits too long."""
        for shard in range(self._shards):
            if self.stopping.is_set():
                return
            if self._is_left_behind(shard):
                self._fold.run(shard, lambda shard=shard: self._others_wait(shard))  # type: ignore[misc]  # bound now, not when called

    def _is_left_behind(self, shard: int) -> bool:
        return bool(self._log.dirty(shard, int(time.time() * 1000) - WAITED_MS, 1))

    def _others_wait(self, shard: int) -> bool:
        return any(self._is_left_behind(other) for other in range(self._shards) if other != shard)
