"""Tell webhooks what was committed: put it on the agenda, and try what is due until it is taken.

Whoever folds an encounter puts its commits on the agenda before the encounter leaves the dirty set, so a
worker that dies leaves nothing untold. An attempt is one worker's for a minute; if it dies there, another
tries again: a receiver may be told twice and is never left out. `attempts` shares them fairly.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock
from typing import Final
from zlib import crc32

import structlog

from service.core import seams
from service.core.seams import Seam
from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.record.commit import Commit, load_commit
from service.signals.webhook_addresses import AddressNotAllowed, WebhookAddressGuard
from service.stores import webhooks
from service.stores.cached import CachedLookup
from service.stores.encounter_index import EncounterIndex
from service.stores.webhooks import SCHEDULE, Webhook, WebhookDelivery
from workers import agendas
from workers.attempts import OF_A_WEBHOOK, THREADS, DeliveryAttempts, DeliveryTarget
from workers.periodic import PeriodicThread
from workers.posting import ANSWER_S, DeliveryFailed, post, resolve

WEBHOOKS: Final = 1_000
"""Webhooks that are looked at together."""

OfOwner = Callable[[str], list[Webhook]]

TICKS: Final = 5
"""Ticks after which the agenda is read although nobody rings: for retries, and what other processes add."""

PAGE: Final = 100
SEAMS: Final = 10_000
"""Seams that a worker remembers: they never change."""

AIMS: Final = 10_000
"""Webhooks whose owner and host a worker remembers."""

NOWHERE: Final = "the address leads to nothing that is public"
"""The fault of a name that leads inside as of one that is unknown: nobody finds out which names there are."""

_GONE: Final = 410
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class DeliveryPace:
    """How often is tried, in seconds: soon at first, then every half hour, for a little over three days."""

    first_s: float = 5.0
    longest_s: float = 1_800.0
    lasts_s: float = 3 * 86_400.0
    tick_s: float = 0.1
    """The least time between two looks at what is new or due."""
    answer_s: float = ANSWER_S
    rest_s: float = 60.0
    """How long a host that gives no answer is left alone at most."""
    lease_s: float = 60.0
    """How long an attempt is one worker's: longer than it can take."""

    def pause(self, name: str, attempts: int) -> float:
        """Return how long to wait after so many attempts; up to a tenth longer, so that few coincide."""
        doubled: float = min(self.first_s * 2 ** min(attempts - 1, 30), self.longest_s)
        return doubled * (1 + crc32(f"{name}/{attempts}".encode()) % 100 / 1000)

    def rest(self, host: str, silences: int) -> float:
        """Return how long a host is left alone after so many attempts without an answer."""
        return min(self.pause(host, silences), self.rest_s)


class WebhookSender(PeriodicThread):
    """What one worker tells, in a thread of its own; the threads that fold say what is new."""

    name = "webhooks"

    def __init__(
        self,
        log: Log,
        service_key: bytes,
        address_guard: WebhookAddressGuard,
        stopping: Event,
        pace: DeliveryPace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(stopping)
        self._log = log
        self._service_key = service_key
        self._address_guard = address_guard
        self._pace = pace or DeliveryPace()
        self.gap_s = self._pace.tick_s
        self.every_s = self._pace.tick_s * TICKS
        self._clock = clock
        self._register = EncounterIndex(log)
        self._of_owner = CachedLookup(partial(webhooks.of_owner, log), time.monotonic)
        self._seams: dict[str, Seam] = {}
        self._news: set[str] = set()
        self._spreading: set[str] = set()
        """What was news and is put on the agenda at the moment."""
        self._aims: dict[str, DeliveryTarget] = {}
        self._attempts = DeliveryAttempts(time.monotonic, self._pace.rest)
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="webhook")

    @property
    def news(self) -> frozenset[str]:
        """The encounters whose commits are not yet on the agenda."""
        with self._lock:
            return frozenset(self._news | self._spreading)

    # --- for the threads that fold -------------------------------------------------------------------

    def heard(self, encounter: str) -> None:
        """Note that the encounter went on; its commits are put on the agenda in a moment."""
        with self._lock:
            self._news.add(encounter)
        self.ring()

    def put_on_agenda(self, encounter: str) -> None:
        """Put every commit that somebody wants to be told of on the agenda; raises `StoreFailure`.

        The owner's webhooks are read anew: one may have been made a moment ago, and nobody looks again.
        """
        self._put_safely(encounter, partial(webhooks.of_owner, self._log))

    def _put_safely(self, encounter: str, of_owner: OfOwner) -> None:
        try:
            self._put_on_agenda(encounter, of_owner)
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - whoever folds must not stumble over what is told
            _logger.error("webhooks.broken", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only

    def _put_on_agenda(self, encounter: str, of_owner: OfOwner) -> None:
        entry = self._register.find(encounter)
        if entry is None:
            return
        for webhook in webhooks.about(self._register, entry, of_owner(entry.owner)):
            self._put_all(webhook, encounter)

    def _put_all(self, webhook: Webhook, encounter: str) -> None:
        """Put what *webhook* has not been told of *encounter* on its agenda, unless it is only proposed."""
        seam = self._seam(encounter)
        if seam is None and self._is_line(encounter):
            return
        if webhook.state != webhooks.ACTIVE:
            webhooks.hold_cursor(self._log, webhook.id, encounter)
            return
        at = webhooks.cursor(self._log, webhook.id, encounter)
        if seam is not None:  # what repeats the old line is told in one message, at the seam
            at = max(at, seam.accepted.n - 1)
        head = self._log.head(encounter)
        while head is not None and at < head.folded:
            at = self._put_page(webhook, encounter, at, seam)

    def _put_page(self, webhook: Webhook, encounter: str, after: int, seam: Seam | None) -> int:
        """Put a page of commits on the agenda and return the last one's number.

        Where a commit ends the line, the one that takes over is put there first: whoever dies in between
        comes back to this page.
        """
        commits = [load_commit(entry.raw) for entry in self._log.commits(encounter, after, PAGE)]
        for end in filter(seams.is_end, commits):
            successor = seams.following(self._log, end)
            if successor is not None:
                self._put_all(webhook, successor.accepted.encounter)
        new = [each for each in commits if _came_at(each, seam) >= webhook.created]
        names = [webhooks.agenda_name(webhook.id, encounter, each.n) for each in new]
        if names:
            webhooks.put_due(self._log, webhook.id, names, self._now_ms(), reschedule=False)
        webhooks.move_cursor(self._log, webhook.id, encounter, commits[-1].n)
        return commits[-1].n

    def _is_line(self, encounter: str) -> bool:
        """Tell whether *encounter* goes on from another one, accepted or not."""
        entry = self._register.find(encounter)
        return entry is not None and entry.root is not None

    def _seam(self, encounter: str) -> Seam | None:
        """Return the seam at which *encounter* took over from another line, None where there is none."""
        if not self._is_line(encounter):
            return None
        known = self._seams.get(encounter)
        if known is None:
            known = seams.beginning(self._log, encounter)
            if known is not None:
                if len(self._seams) >= SEAMS:
                    self._seams.clear()
                self._seams[encounter] = known
        return known

    # --- the thread ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Tell until told to stop; attempts that are under way are waited for."""
        with self._pool:
            with suppress(StoreFailure):
                agendas.look_at_all(self._log, self._now_ms())
            super().run()

    def look(self) -> None:
        """Put what is new on the agenda, and try what is due."""
        self._spread()
        self._try_due()

    def _spread(self) -> None:
        with self._lock:
            self._spreading, self._news = self._news, set()
        for encounter in self._spreading:
            self._put_safely(encounter, self._of_owner.of)
        with self._lock:
            self._spreading = set()

    def _try_due(self) -> None:
        """Begin attempts at what is due and not under way, as far as there is room."""
        now = self._now_ms()
        aims = [self._aim(id_) for id_ in self._log.due(SCHEDULE, now, WEBHOOKS)]
        for aim in self._attempts.fairly(aims) * OF_A_WEBHOOK:
            if not self._attempts.has_room(aim):
                continue
            due = self._log.due(webhooks.agenda_of(aim.webhook), now, OF_A_WEBHOOK + 1)
            name = next((each for each in due if not self._attempts.is_under_way(each)), None)
            if name is not None:
                self._attempts.begin(name, aim)
                self._pool.submit(self._attempt, name)
            elif not due:
                agendas.settle(self._log, aim.webhook, now)

    def _aim(self, id_: str) -> DeliveryTarget:
        """Return whose webhook it is, and where it leads: as it was at the last attempt."""
        known = self._aims.get(id_)
        return known or self._aim_anew(id_, webhooks.known(self._log, id_))

    def _aim_anew(self, id_: str, webhook: Webhook | None) -> DeliveryTarget:
        if len(self._aims) >= AIMS:
            self._aims.clear()
        aim = self._aims[id_] = DeliveryTarget.at(id_, webhook)
        return aim

    def _attempt(self, name: str) -> None:
        try:
            self.attempt(name)
            agendas.settle(self._log, webhooks.named(name).webhook, self._now_ms())
        except StoreFailure as failure:
            _logger.warning("webhooks.store_down", why=type(failure).__name__)
        except Exception as fault:  # noqa: BLE001 - one delivery's fault is no other's
            _logger.error("webhook.broken", delivery=name, error=type(fault).__name__)  # noqa: TRY400 - ids only
        finally:
            self._attempts.end(name)
            self.ring()  # it made room for another

    def attempt(self, name: str) -> None:
        """Try one delivery, unless it needs none or another worker is at it."""
        fresh = webhooks.named(name)
        if fresh.n == webhooks.LOOK_THROUGH:
            self.put_on_agenda(fresh.encounter)
            self._log.drop_due(webhooks.agenda_of(fresh.webhook), name)
            return
        schedule = webhooks.agenda_of(fresh.webhook)
        webhook = webhooks.known(self._log, fresh.webhook)
        aim = self._aim_anew(fresh.webhook, webhook)
        seam = self._seam(fresh.encounter)
        before = webhooks.delivery(self._log, fresh.webhook, fresh.id) or fresh
        entries = self._log.commits(fresh.encounter, fresh.n - 1, 1)
        is_over = before.state == webhooks.DELIVERED
        if webhook is None or webhook.state != webhooks.ACTIVE or not entries or is_over:
            if webhook is not None and entries and not is_over:
                webhooks.hold_cursor(self._log, webhook.id, fresh.encounter, fresh.n)
            self._log.drop_due(schedule, name)
            return
        if not self._log.use_once(f"webhook/{name}/{before.attempts}", int(self._pace.lease_s * 1000)):
            return
        at_seam = seam is not None and seam.accepted.n == fresh.n
        body = webhooks.body(load_commit(entries[0].raw), seam if at_seam else None)
        after = self._sent(webhook, before, body)
        self._attempts.answered(aim.host, is_silent=after.status is None)
        if after.status == _GONE:
            webhooks.disable(self._log, webhook)
            webhooks.hold_cursor(self._log, webhook.id, fresh.encounter, fresh.n)
        webhooks.put_delivery(self._log, after)
        if after.due is None:
            self._log.drop_due(schedule, name)
        else:
            self._log.set_due(schedule, [name], int(after.due * 1000), reschedule=True)
        _logger.info("webhook.tried", delivery=name, state=after.state, status=after.status, why=after.fault)

    def _sent(self, webhook: Webhook, before: WebhookDelivery, body: bytes) -> WebhookDelivery:
        """Send *body* and return the delivery as it is after that."""
        now = self._clock()
        if before.state == webhooks.FAILED:  # somebody wants it tried anew
            before = replace(before, first=0.0)
        status, fault = self._answer(webhook, before, body, int(now))
        attempts, first = before.attempts + 1, before.first or now
        after = replace(before, attempts=attempts, first=first, status=status, fault=fault, due=None)
        if status is not None and 200 <= status < 300:  # noqa: PLR2004 - HTTP's successes
            return replace(after, state=webhooks.DELIVERED)
        if status == _GONE or now - first > self._pace.lasts_s:
            return replace(after, state=webhooks.FAILED)
        pause = self._pace.pause(before.message, attempts)
        return replace(after, state=webhooks.PENDING, due=self._clock() + pause)

    def _answer(
        self, webhook: Webhook, each: WebhookDelivery, body: bytes, timestamp: int
    ) -> tuple[int | None, str | None]:
        """Return the receiver's status, or what kept it from answering."""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Rewound-Webhooks/1",
            "webhook-id": each.message,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": webhooks.signature(self._service_key, each, timestamp, body),
        }
        try:
            place, address = self._address_guard.admit(webhook.url, resolve)
            return post(place, address, headers, body, self._pace.answer_s), None
        except AddressNotAllowed:
            return None, NOWHERE
        except DeliveryFailed as silent:
            return None, str(silent)
        except OSError:  # the name cannot be resolved
            return None, NOWHERE

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _came_at(commit: Commit, seam: Seam | None) -> str:
    """Return when *commit* came to be part of the encounter: at the *seam* when that was accepted."""
    return seam.at if seam is not None and commit.n == seam.accepted.n else commit.at
