"""Fold the bucket groups that this worker leases: first the waiting encounters, then those it is notified of.

Laws. A worker subscribes before its first look, so no command falls between the two. A command without a
listener rings through RQ; the worker that answers leases the bucket's group and listens to it until the group
has been quiet for a while. A worker that gives up a group unsubscribes first, and then rings for what still
waits in it. A lease is short and only progress prolongs it. It saves work and is not a safety measure: the
store refuses the commits of a worker that lost its lease unnoticed. An encounter delays another by its turn
at most, whether it can be folded or not, and however much it has to fold.
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
from service.log.errors import StoreUnavailable
from service.signals.doorbell import RqNotifier
from service.signals.heartbeats import Heartbeats
from workers.fold import CommandFolder
from workers.slow_encounters import SETTLE, PageFolded, SlowEncounters
from workers.turns import Turns, TurnTime
from workers.webhooks import WebhookSender

LIFE_MS: Final = 2_000
"""How long a lease lasts if it is not prolonged."""

PROLONG_S: Final = 0.4
"""How often leases are prolonged."""

SETTLE_S: Final = 0.5
"""How long an encounter is quiet before its state is stored and it leaves the dirty set."""

QUIET_S: Final = 60.0
"""How long a group is quiet before its lease is released."""

LOOK_S: Final = 5.0
"""How often the dirty sets of the leased groups are read, in case a notification was lost."""

BALANCE_S: Final = 2.0
"""How often a worker compares the number of its groups with its share."""

ANSWER_S: Final = 20.0
"""How long RQ's worker waits for a ring's answer, so that it regularly reports to RQ."""

EVER: Final = 2**53
"""A time later than all others: selects a dirty set's whole content."""

SETTLING_S: Final = 0.05
"""How long settling may take before others get their turn."""

_MOST: Final = 100_000
"""Encounters read from the dirty sets at once: more than can be waiting."""

_TICK_S: Final = 0.25
"""How long one wait may last, and so how soon a stop is noticed."""

_PAUSE_S: Final = 0.5
"""Pause before the next try during an outage of the store."""

_logger: Final = structlog.get_logger()


class GroupFolding:
    """Folds in a thread of its own; any thread may ask it to answer a ring.

    Bucket b is in group b % *groups*. Workers with different numbers of groups may run together for a while:
    a bucket with a listener does not ring, and the store refuses a second commit for one command.
    """

    def __init__(
        self,
        log: Log,
        folding: CommandFolder,
        ringer: RqNotifier,
        groups: int,
        stopping: Event,
        telling: WebhookSender,
        slow: SlowEncounters | None = None,
    ) -> None:
        """Fold with *folding*; encounters whose commands are slow with *slow*, if it is given."""
        self._log = log
        self._heartbeats = Heartbeats(log, time.time)
        self._folding = folding
        self._ringer = ringer
        self._groups = groups
        self._share = groups
        """How many groups this worker may hold, given the number of live workers."""
        self._stopping = stopping
        self._telling = telling
        self._token = uuid4().hex
        self._queued: queue.SimpleQueue[tuple[int, Event | None]] = queue.SimpleQueue()
        self._listener: Listener[CommandNotification] | None = None
        self._leased: dict[int, float] = {}
        """The groups this worker holds, each with the time (monotonic) of its last activity."""
        self._touched: dict[str, float] = {}
        """Encounters folded and not yet settled, each with the time (monotonic); the oldest is first."""
        self._turns = Turns(folding.owner_of)
        self._slow = slow
        self._left: set[str] = set()
        """Encounters that could not be folded at the last look."""
        self._prolonged = self._looked = self._balanced = 0.0
        self._is_down = False
        self._has_stopped = Event()

    # --- for other threads -------------------------------------------------------------------------------

    def answer(self, bucket: int) -> None:
        """Take the bucket's group unless another worker has it; return when what waits there is in its turns.

        Returns after `ANSWER_S` at the latest.
        """
        done = Event()
        self._ask(bucket, done)
        if not self._has_stopped.is_set():
            done.wait(ANSWER_S)

    def find(self, buckets: Iterable[int]) -> None:
        """Fold these buckets unless other workers do; return at once."""
        for bucket in {bucket % self._groups: bucket for bucket in buckets}.values():
            self._ask(bucket, None)

    def interrupt(self) -> None:
        """End the current wait of the thread, if it waits."""
        if (listener := self._listener) is not None:
            listener.interrupt()

    def _ask(self, bucket: int, done: Event | None) -> None:
        self._queued.put((bucket, done))
        self.interrupt()

    # --- the thread --------------------------------------------------------------------------------------

    def run(self) -> None:
        """Fold until the worker stops."""
        while not self._stopping.is_set():
            self._safely(self._turn)
        self._safely(self._stop)
        self._has_stopped.set()
        while not self._queued.empty():  # so that nobody waits for an answer that will not come
            _, done = self._queued.get_nowait()
            if done is not None:
                done.set()

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
        except Exception as fault:  # noqa: BLE001 - a worker without this thread would look healthy
            _logger.error("groups.failed", error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._drop_all()
            time.sleep(_PAUSE_S)

    def _turn(self) -> None:
        """Process notifications and rings, or wait up to `_TICK_S` for one; then do what is due."""
        if self._listener is None:
            self._answer_notifications(_TICK_S)
            return
        notified = self._listener.get(0.0 if self._turns else _TICK_S)
        if notified is not None:
            for each in (notified, *_more(self._listener)):
                if not self._leave(each.encounter):
                    self._turns.notify(each)
        self._answer_notifications(0.0)
        if not self._prolong():
            return
        self._fold_round()
        self._fold_slow()
        now = time.monotonic()
        if now - self._looked > LOOK_S:
            self._look(tuple(self._leased))
        self._settle(before=now - SETTLE_S)
        if now - self._balanced > BALANCE_S:
            self._balance(now)

    def _answer_notifications(self, timeout: float) -> None:
        """Answer the queued rings; wait up to *timeout* seconds for the first one."""
        try:
            while True:
                bucket, done = self._queued.get(timeout=timeout) if timeout else self._queued.get_nowait()
                timeout = 0.0
                try:
                    self._answer(bucket)
                finally:
                    if done is not None:
                        done.set()
        except queue.Empty:
            return

    def _answer(self, bucket: int) -> None:
        """Lease the bucket's group if an encounter waits in the bucket and no worker holds the group."""
        self._log.answer_notification(bucket)  # first, so that a later command rings again or is seen below
        group = bucket % self._groups
        if group in self._leased or not self._log.dirty((bucket,), EVER, 1):
            return
        if not all(self._log.hold_leases([self._lease(group)], self._token, LIFE_MS)):
            return
        if self._listener is None:
            self._listener = self._log.listen_commands(self._buckets(group))
            self._prolonged = self._looked = self._balanced = time.monotonic()
        else:
            self._listener.follow(self._buckets(group))
        self._leased[group] = time.monotonic()
        _logger.debug("group.leased", group=group, of=self._groups)
        self._look((group,))

    def _fold_round(self) -> None:
        """Fold a round of turns.

        The notified commands are written in one round trip, then a page of each other encounter.
        """
        turns = self._turns.take()
        if not turns:
            return
        times = {turn.encounter: turn.time for turn in turns}
        found = self._folding.fold_notified([turn for turn in turns if not turn.reads])
        now = time.monotonic()
        for encounter, commits in found.done.items():
            self._touch(encounter, now)
            if commits:
                self._telling.heard(encounter)
        for encounter, late in found.late.items():
            if not self._leave(encounter):
                self._turns.put_back(encounter, late)
        for encounter in (*found.left, *(turn.encounter for turn in turns if turn.reads)):
            if not self._goes_on(encounter) or self._leave(encounter):
                continue
            if times[encounter].is_over:
                self._turns.read(encounter, first=True)
            else:
                self._fold(encounter, times[encounter])

    def _look(self, groups: Sequence[int]) -> None:
        """Give a turn to every encounter that waits in *groups*, the longest waiting first.

        One that was just folded is left to its notifications.
        """
        self._looked = time.monotonic()
        self._left.clear()
        buckets = [bucket for group in groups for bucket in self._buckets(group)]
        for encounter in self._log.dirty(buckets, EVER, _MOST):
            if encounter not in self._touched and not self._waits(encounter):
                self._read(encounter)

    def _fold(self, encounter: str, turn: TurnTime) -> None:
        """Fold a page of one encounter; it waits for another turn unless nothing was left."""
        self._touch(encounter, time.monotonic())
        try:
            commits = self._folding.fold_page(encounter, turn)
        except NoSuchEncounter:
            return  # it was marked dirty, and nothing was appended
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - another release's rules or a broken chain must not delay other encounters
            _logger.error("fold.failed", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._left.add(encounter)
        else:
            self._left.discard(encounter)
            if commits is not None:
                self._read(encounter)
            if commits:
                self._telling.heard(encounter)

    # --- slow encounters ---------------------------------------------------------------------------------

    def _waits(self, encounter: str) -> bool:
        """Return whether *encounter* waits for a turn, or another process folds it."""
        return encounter in self._turns or (self._slow is not None and encounter in self._slow)

    def _read(self, encounter: str) -> None:
        """Let *encounter* wait for a page."""
        if not self._leave(encounter):
            self._turns.read(encounter)

    def _leave(self, encounter: str) -> bool:
        """Leave *encounter* to the other process if it is slow; return whether it is."""
        if self._slow is None or not self._slow.has(encounter):
            return False
        self._slow.read(encounter)
        return True

    def _fold_slow(self) -> None:
        """Take what the other process answers, and ask it for the next page.

        Raises `StoreUnavailable` if it could not reach the store.
        """
        if self._slow is None:
            return
        for encounter in self._folding.take_slow():
            self._begin_slow(encounter, self._slow)
        answers = self._slow.answers()
        for answer in answers:
            self._take_answer(answer, self._slow)
        if any(answer.is_down for answer in answers):
            raise StoreUnavailable
        while (asked := self._slow.next()) is not None:
            self._touch(asked, time.monotonic())
            if self._folding.watch.may_fold(asked):
                self._slow.ask(asked, self._folding.watch.resumes(asked))
                return
            self._left.add(asked)
        self._slow.ask_to_settle()

    def _begin_slow(self, encounter: str, slow: SlowEncounters) -> None:
        """Leave an encounter whose commands are slow to the other process from now on."""
        slow.add(encounter)
        self._folding.give_up(encounter)
        if encounter in self._turns:
            self._turns.drop(lambda each: each == encounter)
            slow.read(encounter)

    def _take_answer(self, answer: PageFolded, slow: SlowEncounters) -> None:
        """Do for a page that was folded elsewhere what is done for one that was folded here."""
        encounter = answer.encounter
        for written in answer.written:
            self._folding.watch.folded(**written)
        if answer.is_slow:
            slow.add(encounter)
        if answer.is_lost or answer.is_down:
            return
        if answer.has_failed:
            self._left.add(encounter)
            return
        if answer.what == SETTLE:
            if encounter not in self._touched and not self._waits(encounter):
                self._folding.settled(encounter)
                self._settled(encounter)
            return
        self._touch(encounter, time.monotonic())
        self._left.discard(encounter)
        if answer.commits is not None:
            self._read(encounter)
        if answer.commits:
            self._telling.heard(encounter)

    # --- settling ----------------------------------------------------------------------------------------

    def _touch(self, encounter: str, now: float) -> None:
        self._touched.pop(encounter, None)
        self._touched[encounter] = now
        group = self._group_of(encounter)
        if group in self._leased:
            self._leased[group] = now

    def _settle(self, *, before: float) -> None:
        """Settle encounters that were last touched *before* (monotonic seconds), while `SETTLING_S` last."""
        ends = time.monotonic() + SETTLING_S
        while self._touched and (first := next(iter(self._touched.items())))[1] <= before:
            self._settle_one(first[0])
            if time.monotonic() >= ends:
                return

    def _settle_one(self, encounter: str) -> None:
        self._touched.pop(encounter, None)
        if encounter in self._left or self._waits(encounter):
            return
        if self._slow is not None and self._slow.has(encounter):
            self._slow.settle(encounter)
            return
        self._folding.settle(encounter)
        self._settled(encounter)

    def _settled(self, encounter: str) -> None:
        """Let an encounter whose state is stored leave the dirty set."""
        self._telling.schedule_deliveries(encounter)
        self._log.clean(encounter)

    # --- leases ------------------------------------------------------------------------------------------

    def _lease(self, group: int) -> str:
        return f"group/{self._groups}/{group}"

    def _group_of(self, encounter: str) -> int:
        return bucket_of(encounter) % self._groups

    def _buckets(self, group: int) -> range:
        return range(group, BUCKETS, self._groups)

    def _goes_on(self, encounter: str) -> bool:
        """Prolong the leases if it is time; return whether to go on with *encounter*."""
        if self._stopping.is_set():
            return False
        self._prolong()
        return self._group_of(encounter) in self._leased

    def _prolong(self) -> bool:
        """Prolong the leases if it is time, and drop lost ones; return whether any are held."""
        if time.monotonic() - self._prolonged < PROLONG_S:
            return bool(self._leased)
        self._prolonged = time.monotonic()
        if not self._leased:
            return False
        groups = tuple(self._leased)
        held = self._log.hold_leases([self._lease(group) for group in groups], self._token, LIFE_MS)
        lost = [group for group, is_held in zip(groups, held, strict=True) if not is_held]
        if lost:
            _logger.info("groups.lost", groups=lost)
            self._unsubscribe(lost)
        return bool(self._leased)

    def _balance(self, now: float) -> None:
        """Give back quiet groups, and those beyond this worker's share."""
        self._balanced = now
        workers = max(1, len(self._heartbeats.alive()))
        self._share = -(-self._groups // workers)
        longest_quiet = sorted(self._leased, key=self._leased.__getitem__)
        surplus = longest_quiet[: max(0, len(longest_quiet) - self._share)]
        quiet = [group for group in longest_quiet if now - self._leased[group] > QUIET_S]
        self._give_back(list(dict.fromkeys((*surplus, *quiet))))

    def _give_back(self, groups: Sequence[int]) -> None:
        """Unsubscribe, settle, release the leases, and ring for what came before and still waits."""
        if not groups:
            return
        self._unsubscribe(groups)
        for encounter in [each for each in self._touched if self._group_of(each) in groups]:
            self._settle_one(encounter)
        for group in groups:
            self._log.release_lease(self._lease(group), self._token)
        buckets = [bucket for group in groups for bucket in self._buckets(group)]
        for bucket in {bucket_of(encounter) for encounter in self._log.dirty(buckets, EVER, _MOST)}:
            self._ringer.ring(bucket)

    def _unsubscribe(self, groups: Sequence[int]) -> None:
        """Drop *groups*, their turns and their subscriptions; close the listener with the last group."""
        for group in groups:
            del self._leased[group]
        self._drop(lambda encounter: self._group_of(encounter) not in self._leased)
        assert self._listener is not None, "groups are held with a subscription"
        if self._leased:
            self._listener.leave([bucket for group in groups for bucket in self._buckets(group)])
        else:
            listener, self._listener = self._listener, None
            listener.close()

    def _drop(self, which: Callable[[str], bool] = lambda _encounter: True) -> None:
        """Forget the waiting encounters for which *which* returns True."""
        self._turns.drop(which)
        if self._slow is not None:
            self._slow.drop(which)

    def _drop_all(self) -> None:
        """Forget every lease without asking the store; the leases expire."""
        self._leased.clear()
        self._touched.clear()
        self._drop()
        if self._listener is not None:
            listener, self._listener = self._listener, None
            listener.close()

    def _stop(self) -> None:
        """Give back all groups, and ring for buckets that still have waiting encounters."""
        self._give_back(tuple(self._leased))


def _more(notified: Listener[CommandNotification], most: int = 1_000) -> list[CommandNotification]:
    """Return the notifications that have already arrived, at most *most*."""
    heard: list[CommandNotification] = []
    while len(heard) < most and (wake := notified.get(0)) is not None:
        heard.append(wake)
    return heard
