"""Fold the bucket groups that this worker leases: what waits first, then whatever it is notified of.

Laws. A worker subscribes before its first look, so nothing falls between look and subscription. A command
that nobody hears rings through RQ; the worker that answers leases the bucket's group and listens to it until
it has been quiet for a while. A worker that gives a group up unsubscribes first and looks once more. A lease
has a short life and only progress prolongs it. It saves work and carries no safety: a worker that has lost it
without noticing is refused by the store. An encounter that cannot be folded keeps no other waiting.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Sequence
from threading import Event
from typing import Final
from uuid import uuid4

import structlog

from service.log import BUCKETS, CommandNotification, Listener, Log, NoSuchEncounter, StoreFailure, bucket_of
from service.signals.doorbell import RqNotifier
from service.signals.heartbeats import Heartbeats
from workers.fold import CommandFolder
from workers.webhooks import WebhookSender

LIFE_MS: Final = 2_000
"""The life of a lease that nobody prolongs."""

BEAT_S: Final = 0.4
"""How often leases are prolonged."""

SETTLE_S: Final = 0.5
"""How long an encounter is quiet before its state is written down and it leaves the dirty set."""

QUIET_S: Final = 60.0
"""How long a group is quiet before its lease is given back."""

LOOK_S: Final = 5.0
"""How often the dirty sets of the leased groups are read, for a notification that was lost."""

BALANCE_S: Final = 2.0
"""How often a worker compares how many groups it holds with its share."""

ANSWER_S: Final = 20.0
"""How long the answer to a ring may take, so that RQ sees its worker now and then."""

EVER: Final = 2**53
"""A time after all times: the dirty sets' whole content."""

_MOST: Final = 100_000
"""Encounters read from the dirty sets at once: more than can wait."""

_TICK_S: Final = 0.25
"""How long one wait may last: how soon the worker's end is noticed."""

_PAUSE_S: Final = 0.5
"""How long an outage of the store is waited out before the next try."""

_logger: Final = structlog.get_logger()


class GroupFolding:
    """Folds in a thread of its own; any thread may ask it to answer a ring.

    Bucket b is in group b % *groups*. Workers that count other groups may run side by side for a while: a
    bucket that somebody listens to is not rung for, and the store refuses what two would write.
    """

    def __init__(
        self,
        log: Log,
        folding: CommandFolder,
        ringer: RqNotifier,
        groups: int,
        stopping: Event,
        telling: WebhookSender,
    ) -> None:
        self._log = log
        self._heartbeats = Heartbeats(log, time.time)
        self._folding = folding
        self._ringer = ringer
        self._groups = groups
        self._share = groups
        """How many groups this worker may hold while others live."""
        self._stopping = stopping
        self._telling = telling
        self._token = uuid4().hex
        self._rings: queue.SimpleQueue[tuple[int, Event | None]] = queue.SimpleQueue()
        self._listener: Listener[CommandNotification] | None = None
        self._held: dict[int, float] = {}
        """The groups this worker holds, each with the time (monotonic) it was last heard of."""
        self._touched: dict[str, float] = {}
        """Encounters folded and not yet settled, each with the time; the oldest stands first."""
        self._left: set[str] = set()
        """Encounters that could not be folded at the last look."""
        self._prolonged = self._looked = self._balanced = 0.0
        self._is_down = False

    # --- for other threads -------------------------------------------------------------------------------

    def answer(self, bucket: int) -> None:
        """Have the bucket folded unless another worker folds it; returns when what waited was folded."""
        done = Event()
        self._ask(bucket, done)
        done.wait(ANSWER_S)

    def find(self, buckets: Iterable[int]) -> None:
        """Have these buckets folded unless other workers fold them; returns at once."""
        for bucket in {bucket % self._groups: bucket for bucket in buckets}.values():
            self._ask(bucket, None)

    def _ask(self, bucket: int, done: Event | None) -> None:
        self._rings.put((bucket, done))
        if (listener := self._listener) is not None:
            listener.interrupt()

    # --- the thread --------------------------------------------------------------------------------------

    def run(self) -> None:
        """Fold until told to stop."""
        while not self._stopping.is_set():
            self._safely(self._turn)
        self._safely(self._stop)

    def _safely(self, do: Callable[[], None]) -> None:
        try:
            do()
            self._is_down = False
        except StoreFailure as failure:
            if not self._is_down:
                _logger.warning("groups.store_down", why=type(failure).__name__)
            self._is_down = True
            self._drop_all()
            self._folding.recheck()
            time.sleep(_PAUSE_S)
        except Exception as fault:  # noqa: BLE001 - a worker whose thread died would look well
            _logger.error("groups.failed", error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._drop_all()
            time.sleep(_PAUSE_S)

    def _turn(self) -> None:
        """Do what there is to do, or wait a moment for it."""
        if self._listener is None:
            self._answer_rings(_TICK_S)
            return
        notified = self._listener.get(_TICK_S)
        if notified is not None:
            self._fold_notified([notified, *_more(self._listener)])
        self._answer_rings(0.0)
        if not self._prolong():
            return
        now = time.monotonic()
        if now - self._looked > LOOK_S:
            self._look(tuple(self._held))
        self._settle(before=now - SETTLE_S)
        if now - self._balanced > BALANCE_S:
            self._balance(now)

    def _answer_rings(self, timeout: float) -> None:
        """Answer the rings that have come; wait for the first one up to *timeout* seconds."""
        try:
            while True:
                bucket, done = self._rings.get(timeout=timeout) if timeout else self._rings.get_nowait()
                timeout = 0.0
                try:
                    self._answer(bucket)
                finally:
                    if done is not None:
                        done.set()
        except queue.Empty:
            return

    def _answer(self, bucket: int) -> None:
        """Take the bucket's group if something waits in the bucket and nobody has it."""
        self._log.answer_notification(
            bucket
        )  # first: a command that comes from here on rings again, or is seen
        group = bucket % self._groups
        if group in self._held or not self._log.dirty((bucket,), EVER, 1):
            return
        if not all(self._log.hold_leases([self._lease(group)], self._token, LIFE_MS)):
            return
        if len(self._held) >= self._share:  # the worker that has room is rung for by the next command
            self._fold_all(self._buckets(group))
            self._log.release_lease(self._lease(group), self._token)
            return
        if self._listener is None:
            self._listener = self._log.listen_commands(self._buckets(group))
            self._prolonged = self._looked = self._balanced = time.monotonic()
        else:
            self._listener.follow(self._buckets(group))
        self._held[group] = time.monotonic()
        _logger.debug("group.leased", group=group, of=self._groups)
        self._look((group,))

    def _fold_notified(self, notified: list[CommandNotification]) -> None:
        """Fold what is new: together where that is enough, one by one where it is not."""
        done, left = self._folding.fold_woken(notified)
        now = time.monotonic()
        for encounter, commits in done.items():
            self._touch(encounter, now)
            if commits:
                self._telling.heard(encounter)
        for encounter in left:
            self._fold(encounter)

    def _look(self, groups: Sequence[int]) -> None:
        """Fold everything that waits in *groups* and was not just folded, the longest waiting first."""
        self._looked = time.monotonic()
        self._left.clear()
        buckets = [bucket for group in groups for bucket in self._buckets(group)]
        for encounter in self._log.dirty(buckets, EVER, _MOST):
            if encounter not in self._touched and self._goes_on(encounter):
                self._fold(encounter)

    def _fold_all(self, buckets: Sequence[int]) -> None:
        """Fold and settle everything that waits in *buckets*, also what was just folded."""
        for encounter in self._log.dirty(buckets, EVER, _MOST):
            if self._keeps_on():
                self._fold(encounter, self._keeps_on)
                self._settle_one(encounter)

    def _fold(self, encounter: str, go_on: Callable[[], bool] | None = None) -> None:
        """Fold one encounter as long as *go_on* says, or its group is held, and note when."""
        self._touch(encounter, time.monotonic())
        try:
            commits = self._folding.fold(encounter, go_on or (lambda: self._goes_on(encounter)))
        except NoSuchEncounter:
            return  # it was marked and then never appended to
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - another release's rules, a broken chain: no other encounter waits for it
            _logger.error("fold.impossible", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._left.add(encounter)
        else:
            self._left.discard(encounter)
            if commits:
                self._telling.heard(encounter)

    def _touch(self, encounter: str, now: float) -> None:
        self._touched.pop(encounter, None)
        self._touched[encounter] = now
        group = bucket_of(encounter) % self._groups
        if group in self._held:
            self._held[group] = now

    def _settle(self, *, before: float) -> None:
        """Write down and tick off what was last touched *before*."""
        while self._touched and (first := next(iter(self._touched.items())))[1] <= before:
            self._settle_one(first[0])

    def _settle_one(self, encounter: str) -> None:
        self._touched.pop(encounter, None)
        if encounter not in self._left:
            self._folding.settle(encounter)
            self._telling.put_on_agenda(encounter)
            self._log.clean(encounter)

    # --- leases ------------------------------------------------------------------------------------------

    def _lease(self, group: int) -> str:
        return f"group/{self._groups}/{group}"

    def _buckets(self, group: int) -> range:
        return range(group, BUCKETS, self._groups)

    def _goes_on(self, encounter: str) -> bool:
        """Prolong the leases where it is due; whether *encounter* may be folded on."""
        return self._keeps_on() and bucket_of(encounter) % self._groups in self._held

    def _keeps_on(self) -> bool:
        """Prolong the leases where it is due; whether the worker is to go on."""
        if self._stopping.is_set():
            return False
        self._prolong()
        return True

    def _prolong(self) -> bool:
        """Prolong the leases where it is due, and drop what was lost; whether any are held."""
        if time.monotonic() - self._prolonged < BEAT_S:
            return bool(self._held)
        self._prolonged = time.monotonic()
        if not self._held:
            return False
        groups = tuple(self._held)
        held = self._log.hold_leases([self._lease(group) for group in groups], self._token, LIFE_MS)
        lost = [group for group, is_held in zip(groups, held, strict=True) if not is_held]
        if lost:
            _logger.info("groups.lost", groups=lost)
            self._unsubscribe(lost)
        return bool(self._held)

    def _balance(self, now: float) -> None:
        """Give back what has been quiet, and what is more than this worker's share."""
        self._balanced = now
        workers = max(1, len(self._heartbeats.alive()))
        self._share = -(-self._groups // workers)
        longest_quiet = sorted(self._held, key=self._held.__getitem__)
        surplus = longest_quiet[: max(0, len(longest_quiet) - self._share)]
        quiet = [group for group in longest_quiet if now - self._held[group] > QUIET_S]
        for group in dict.fromkeys((*surplus, *quiet)):
            self._give_back(group)

    def _give_back(self, group: int) -> None:
        """Unsubscribe, fold what came until then, and free the lease."""
        self._unsubscribe((group,))
        self._fold_all(self._buckets(group))
        self._log.release_lease(self._lease(group), self._token)

    def _unsubscribe(self, groups: Sequence[int]) -> None:
        """Hold *groups* no more; without any group nothing is listened to."""
        for group in groups:
            del self._held[group]
        assert self._listener is not None, "groups are held with a subscription"
        if self._held:
            self._listener.leave([bucket for group in groups for bucket in self._buckets(group)])
        else:
            listener, self._listener = self._listener, None
            listener.close()

    def _drop_all(self) -> None:
        """Forget every lease: the store is not to be asked now, and they end by themselves."""
        self._held.clear()
        self._touched.clear()
        if self._listener is not None:
            listener, self._listener = self._listener, None
            listener.close()

    def _stop(self) -> None:
        """Give everything back; ring for what waits, since nobody else knows of it."""
        groups = tuple(self._held)
        if not groups:
            return
        self._unsubscribe(groups)
        self._settle(before=time.monotonic())
        for group in groups:
            self._log.release_lease(self._lease(group), self._token)
        buckets = [bucket for group in groups for bucket in self._buckets(group)]
        for bucket in {bucket_of(encounter) for encounter in self._log.dirty(buckets, EVER, _MOST)}:
            self._ringer.ring(bucket)


def _more(notified: Listener[CommandNotification], most: int = 64) -> list[CommandNotification]:
    """Return the notifications that are already there, *most* of them."""
    heard: list[CommandNotification] = []
    while len(heard) < most and (wake := notified.get(0)) is not None:
        heard.append(wake)
    return heard
