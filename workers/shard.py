"""Fold a shard: drain every encounter that waits, then linger, so that under load a ring costs nothing.

The wakes are subscribed to before the first look, so nothing falls between look and listening. Whoever gives
the bell back looks once more: a command that came in the last moment rang for nobody. An encounter that
cannot be folded is left for the next sweep and keeps no other waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final

import structlog

from service.encounter.signals.doorbell import RING_MS, Ringer
from service.log.errors import NoSuchEncounter, StoreFailure
from service.log.protocol import Listener, Log
from service.log.values import Wake
from workers.bell import Bell
from workers.fold import Folding
from workers.webhooks import Telling

LINGER_S: Final = 0.5
"""How long a shard with nothing to do is listened to before the fold ends."""

BUDGET_S: Final = 20.0
"""How long one fold may last, so that RQ sees its worker now and then."""

EVER: Final = 2**53
"""A time after all times: the dirty set's whole content."""

LOOK_S: Final = 1.0
"""How often a lingering fold looks into the dirty set, for a wake that went astray."""

_MOST: Final = 100_000
"""Encounters read from a dirty set at once: more than can wait."""

_CHUNK_S: Final = 0.02
"""How long one listen may last: how soon another shard's ring is noticed."""

_logger: Final = structlog.get_logger()


class ShardFold:
    """Folds one shard at a time, for one thread."""

    def __init__(self, log: Log, folding: Folding, ringer: Ringer, stopping: Event, telling: Telling) -> None:
        self._log = log
        self._folding = folding
        self._ringer = ringer
        self._stopping = stopping
        self._telling = telling
        self._left: set[str] = set()
        self._commits = 0

    def run(self, shard: int, others_wait: Callable[[], bool]) -> None:
        """Fold *shard* until it is idle, its time is over or *others_wait*; nothing if somebody else does.

        An outage of the store ends it: the sweeper comes back to it.
        """
        self._left.clear()
        self._commits = 0
        started = time.monotonic()
        bell = Bell(self._log, shard)
        try:
            if not bell.take():
                return
            try:
                with self._log.listen_wakes(shard) as wakes:
                    self._linger(shard, bell, wakes, others_wait)
            finally:
                bell.release()
            self._look_once_more(shard)
        except StoreFailure as failure:
            _logger.warning("shard.store_down", shard=shard, why=type(failure).__name__)
        if self._commits:
            ms = round((time.monotonic() - started) * 1000)
            _logger.info("shard.folded", shard=shard, commits=self._commits, ms=ms)

    def _linger(self, shard: int, bell: Bell, wakes: Listener[Wake], others_wait: Callable[[], bool]) -> None:
        """Fold what waits, then what is woken; leave when it is time. What has been quiet is settled."""
        touched: dict[str, float] = {}
        self._drain(shard, bell, touched)
        ends = time.monotonic() + BUDGET_S
        idle = looked = asked = time.monotonic()
        while self._goes_on(bell):
            woken = wakes.get(_CHUNK_S)
            now = time.monotonic()
            if woken is not None:
                idle = now
                self._woken([woken, *_more(wakes)], bell, touched)
            if now - looked > LOOK_S:
                looked = now
                self._drain(shard, bell, touched)
            self._settle(shard, touched, before=now - LINGER_S)
            if now - idle > LINGER_S or now > ends:
                break
            if woken is None or now - asked > _CHUNK_S:
                asked = now
                if others_wait():
                    break
        self._settle(shard, touched, before=time.monotonic())

    def _woken(self, wakes: list[Wake], bell: Bell, touched: dict[str, float]) -> None:
        """Fold what *wakes* bring: together where that is enough, one by one where it is not."""
        if not self._goes_on(bell):
            return
        done, left = self._folding.fold_woken([wake for wake in wakes if wake.encounter not in self._left])
        now = time.monotonic()
        for encounter, commits in done.items():
            self._commits += commits
            touched.pop(encounter, None)
            touched[encounter] = now
            self._telling.heard(encounter)
        for encounter in left:
            self._fold(encounter, bell, touched)

    def _drain(self, shard: int, bell: Bell, touched: dict[str, float]) -> None:
        """Fold everything that waits and was not just folded, the longest waiting first."""
        for encounter in self._waiting(shard):
            if encounter not in touched and self._goes_on(bell):
                self._fold(encounter, bell, touched)

    def _fold(self, encounter: str, bell: Bell, touched: dict[str, float]) -> None:
        """Fold one encounter and note when, the last one last."""
        touched.pop(encounter, None)
        touched[encounter] = time.monotonic()
        try:
            commits = self._folding.fold(encounter, lambda: self._goes_on(bell))
        except NoSuchEncounter:
            return  # it was marked and then never appended to
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - another release's rules, a broken chain: no other encounter waits for it
            _logger.error("fold.impossible", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._left.add(encounter)
        else:
            self._commits += commits
            if commits:
                self._telling.heard(encounter)

    def _settle(self, shard: int, touched: dict[str, float], *, before: float) -> None:
        """Write down and tick off what was last touched *before*; the oldest stands first."""
        while touched and (first := next(iter(touched.items())))[1] <= before:
            encounter = first[0]
            del touched[encounter]
            if encounter not in self._left:
                self._folding.settle(encounter)
                self._telling.put_on_agenda(encounter)
                self._log.clean(shard, encounter)

    def _waiting(self, shard: int) -> list[str]:
        """Return what waits on the shard, the longest waiting first, but for what cannot be folded."""
        return [encounter for encounter in self._log.dirty(shard, EVER, _MOST) if encounter not in self._left]

    def _goes_on(self, bell: Bell) -> bool:
        return not self._stopping.is_set() and bell.beat()

    def _look_once_more(self, shard: int) -> None:
        if self._waiting(shard) and self._log.ring(shard, RING_MS):
            self._ringer.ring(shard)


def _more(wakes: Listener[Wake], most: int = 64) -> list[Wake]:
    """Return the wakes that are already there, *most* of them."""
    heard: list[Wake] = []
    while len(heard) < most and (woken := wakes.get(0)) is not None:
        heard.append(woken)
    return heard
