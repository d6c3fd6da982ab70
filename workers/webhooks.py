"""Deliver commits to webhooks: schedule deliveries, and try those that are due until they are accepted.

The worker that folds an encounter schedules its deliveries before the encounter leaves the dirty set, so the
death of a worker loses none. An attempt belongs to one worker for a minute; if the worker dies, another tries
again. Delivery is therefore at least once. `attempts` shares the attempts fairly.
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

from service.core import seams, sentences
from service.core.fold import Folder
from service.core.seams import Seam
from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.record.commit import Commit, load_commit
from service.signals.command_traces import CommandTraces
from service.signals.webhook_addresses import AddressNotAllowed, WebhookAddressGuard
from service.stores import webhooks
from service.stores.cached import CachedLookup
from service.stores.encounter_index import EncounterIndex
from service.stores.webhooks import SCHEDULE, Webhook, WebhookDelivery
from workers import agendas
from workers.attempts import OF_A_WEBHOOK, THREADS, DeliveryAttempts, DeliveryTarget
from workers.periodic import PeriodicThread
from workers.posting import ANSWER_S, DeliveryFailed, NotResolved, post, resolve

WEBHOOKS: Final = 1_000
"""Due webhooks that are read at once."""

OfOwner = Callable[[str], list[Webhook]]

TICKS: Final = 5
"""Ticks after which the schedule is read without a ring, for retries and what other processes add."""

PAGE: Final = 100
SEAMS: Final = 10_000
"""How many seams a worker caches; they never change."""

AIMS: Final = 10_000
"""How many webhooks' owners and hosts a worker caches."""

NOWHERE: Final = "the address leads to nothing that is public"
"""The fault of both an internal and an unknown host name, so that nobody can probe for internal names."""

BROKEN: Final = "the service could not send it"
"""The fault of an attempt that failed here, for a reason that nobody has foreseen."""

AGAIN_S: Final = 1.0
"""When a delivery is looked at again that another worker tries, or tried when it died."""

_GONE: Final = 410
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class DeliveryPace:
    """The retry schedule in seconds: soon at first, then every half hour, for a little over three days."""

    first_s: float = 5.0
    longest_s: float = 1_800.0
    lasts_s: float = 3 * 86_400.0
    tick_s: float = 0.1
    """The least time between two looks."""
    answer_s: float = ANSWER_S
    rest_s: float = 60.0
    """How long a silent host is left alone at most."""
    lease_s: float = 60.0
    """How long an attempt belongs to one worker: longer than it can take."""

    def pause(self, name: str, attempts: int) -> float:
        """Return the seconds to wait after so many attempts, with up to a tenth of jitter by *name*."""
        doubled: float = min(self.first_s * 2 ** min(attempts - 1, 30), self.longest_s)
        return doubled * (1 + crc32(f"{name}/{attempts}".encode()) % 100 / 1000)

    def rest(self, host: str, silences: int) -> float:
        """Return the seconds for which a host is left alone after so many unanswered attempts."""
        return min(self.pause(host, silences), self.rest_s)


class WebhookSender(PeriodicThread):
    """One worker's thread that delivers webhooks; the threads that fold report what is new."""

    name = "webhooks"

    def __init__(
        self,
        log: Log,
        folder: Folder,
        service_key: bytes,
        address_guard: WebhookAddressGuard,
        stopping: Event,
        pace: DeliveryPace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(stopping)
        self._log = log
        self._folder = folder
        self._service_key = service_key
        self._address_guard = address_guard
        self._pace = pace or DeliveryPace()
        self.gap_s = self._pace.tick_s
        self.every_s = self._pace.tick_s * TICKS
        self._clock = clock
        self._register = EncounterIndex(log)
        self._of_owner = CachedLookup(partial(webhooks.of_owner, log), time.monotonic)
        self.traces = CommandTraces(log)
        self._seams: dict[str, Seam] = {}
        self._news: set[str] = set()
        self._spreading: set[str] = set()
        """The encounters whose deliveries are being scheduled now."""
        self._aims: dict[str, DeliveryTarget] = {}
        self._attempts = DeliveryAttempts(time.monotonic, self._pace.rest)
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="webhook")

    @property
    def news(self) -> frozenset[str]:
        """The encounters with commits whose deliveries are not scheduled yet."""
        with self._lock:
            return frozenset(self._news | self._spreading)

    # --- for the threads that fold -------------------------------------------------------------------

    def heard(self, encounter: str) -> None:
        """Note that the encounter has new commits; their deliveries are scheduled in a moment."""
        with self._lock:
            self._news.add(encounter)
        self.ring()

    def schedule_deliveries(self, encounter: str) -> None:
        """Schedule the deliveries of all new commits; raises `StoreFailure`.

        The owner's webhooks are read without the cache: one may be new, and nobody looks again.
        """
        self._put_safely(encounter, partial(webhooks.of_owner, self._log))

    def _put_safely(self, encounter: str, of_owner: OfOwner) -> None:
        try:
            self._schedule_deliveries(encounter, of_owner)
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - a fault of webhooks must not stop the folding
            _logger.error("webhooks.failed", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only

    def _schedule_deliveries(self, encounter: str, of_owner: OfOwner) -> None:
        entry = self._register.find(encounter)
        if entry is None:
            return
        for webhook in webhooks.about(self._register, entry, of_owner(entry.owner)):
            self._put_all(webhook, encounter)

    def _put_all(self, webhook: Webhook, encounter: str) -> None:
        """Schedule the undelivered commits of *encounter* for *webhook*, unless it is only proposed."""
        seam = self._seam(encounter)
        if seam is None and self._is_line(encounter):
            return
        if webhook.state != webhooks.ACTIVE:
            webhooks.hold_cursor(self._log, webhook.id, encounter)
            return
        at = webhooks.cursor(self._log, webhook.id, encounter)
        if seam is not None:  # commits that repeat the old line are one message, at the seam
            at = max(at, seam.accepted.n - 1)
        head = self._log.head(encounter)
        while head is not None and at < head.folded:
            at = self._put_page(webhook, encounter, at, seam)

    def _put_page(self, webhook: Webhook, encounter: str, after: int, seam: Seam | None) -> int:
        """Schedule the deliveries of one page of commits and return the last commit's number.

        If a commit ends the line, the line that continues it is scheduled first, because a worker that dies
        in between starts again at this page.
        """
        commits = [load_commit(entry.raw) for entry in self._log.commits(encounter, after, PAGE)]
        for end in filter(seams.is_end, commits):
            successor = seams.following(self._log, end)
            if successor is not None:
                self._put_all(webhook, successor.accepted.encounter)
        new = [each for each in commits if _came_at(each, seam) >= webhook.created]
        names = [webhooks.delivery_name(webhook.id, encounter, each.n) for each in new]
        if names:
            webhooks.put_due(self._log, webhook.id, names, self._now_ms(), reschedule=False)
        webhooks.move_cursor(self._log, webhook.id, encounter, commits[-1].n)
        return commits[-1].n

    def _is_line(self, encounter: str) -> bool:
        """Return whether *encounter* continues another one, accepted or not."""
        entry = self._register.find(encounter)
        return entry is not None and entry.root is not None

    def _seam(self, encounter: str) -> Seam | None:
        """Return the seam at which *encounter* took over from another line, None if there is none."""
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
        """Deliver until the worker stops; then wait for the attempts under way."""
        with self._pool:
            with suppress(StoreFailure):
                agendas.look_at_all(self._log, self._now_ms())
            super().run()

    def look(self) -> None:
        """Schedule new deliveries, and try those that are due."""
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
        """Begin due attempts that are not under way, within the limits of `DeliveryAttempts`."""
        now = self._now_ms()
        aims = [self._aim(id_) for id_ in self._log.due(SCHEDULE, now, WEBHOOKS)]
        for aim in self._attempts.fairly(aims) * OF_A_WEBHOOK:
            if not self._attempts.has_room(aim):
                continue
            due = self._log.due(webhooks.schedule_of(aim.webhook), now, OF_A_WEBHOOK + 1)
            name = next((each for each in due if not self._attempts.is_under_way(each)), None)
            if name is not None:
                self._attempts.begin(name, aim)
                self._pool.submit(self._attempt, name)
            elif not due:
                agendas.settle(self._log, aim.webhook, now)

    def _aim(self, id_: str) -> DeliveryTarget:
        """Return the webhook's target, as it was at the last attempt."""
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
        except Exception as fault:  # noqa: BLE001 - one delivery's fault must not stop the others
            _logger.error("webhook.failed", delivery=name, error=type(fault).__name__)  # noqa: TRY400 - ids only
        finally:
            self._attempts.end(name)
            self.ring()  # it made room for another

    def attempt(self, name: str) -> None:
        """Try one delivery, unless it is obsolete or another worker tries it."""
        fresh = webhooks.named(name)
        if fresh.n == webhooks.LOOK_THROUGH:
            self.schedule_deliveries(fresh.encounter)
            self._log.drop_due(webhooks.schedule_of(fresh.webhook), name)
            return
        schedule = webhooks.schedule_of(fresh.webhook)
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
            later = self._now_ms() + int(AGAIN_S * 1000)  # another worker tries it, or died when it did
            self._log.set_due(schedule, [name], later, reschedule=True)
            return
        at_seam = seam is not None and seam.accepted.n == fresh.n
        begun = time.time_ns()
        after = self._tried(webhook, before, load_commit(entries[0].raw), seam if at_seam else None)
        about = {"rewound.webhook": webhook.id, "rewound.delivery": after.state}
        status = {} if after.status is None else {"http.response.status_code": after.status}
        self.traces.note("deliver webhook", "client", fresh.encounter, fresh.n, begun, **about, **status)
        self._attempts.answered(aim.host, is_silent=after.status is None)
        if after.status == _GONE:
            webhooks.disable(self._log, webhook)
            webhooks.hold_cursor(self._log, webhook.id, fresh.encounter, fresh.n)
        webhooks.put_delivery(self._log, after)
        if after.due is None:
            self._log.drop_due(schedule, name)
        else:
            self._log.set_due(schedule, [name], int(after.due * 1000), reschedule=True)
        _logger.info(
            "webhook.attempted", delivery=name, state=after.state, status=after.status, why=after.fault
        )

    def _body(self, webhook: Webhook, commit: Commit, seam: Seam | None) -> bytes | None:
        """Return the body to send; None if *webhook* takes words alone, and there are none."""
        if webhook.format == webhooks.DISCORD:
            return webhooks.discord_body(self._text(commit), seam)
        text = self._text(commit) if webhook.text is not None else None
        return webhooks.body(commit, self._register.root(commit.encounter), seam, text)

    def _text(self, commit: Commit) -> list[str]:
        """Return a sentence for each event of *commit* that everybody may read."""
        folded = self._folder.current(commit.encounter)
        names = sentences.names_for(folded.ruleset, folded.state, "")
        events = webhooks.public_outcome(commit)["events"]
        return sentences.spoken(events, names, sentences.speech_of(folded.ruleset))

    def _tried(
        self, webhook: Webhook, before: WebhookDelivery, commit: Commit, seam: Seam | None
    ) -> WebhookDelivery:
        """Send *commit* and return the delivery as it is afterwards; every failure counts as an attempt."""
        now = self._clock()
        if before.state == webhooks.FAILED:  # a client requested another attempt
            before = replace(before, first=0.0)
        try:
            body = self._body(webhook, commit, seam)
            if not body:
                return replace(before, state=webhooks.DELIVERED)
            status, fault = self._answer(webhook, before, body, int(now))
        except StoreFailure:
            raise
        except Exception as unforeseen:  # noqa: BLE001 - it is told to the owner, and tried again
            _logger.error("webhook.failed", delivery=before.message, error=type(unforeseen).__name__)  # noqa: TRY400 - ids only
            status, fault = None, BROKEN
        return self._counted(before, status, fault, now)

    def _counted(
        self, before: WebhookDelivery, status: int | None, fault: str | None, now: float
    ) -> WebhookDelivery:
        """Return the delivery after an attempt that began *now* and was answered with *status* or *fault*."""
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
        """Return the receiver's status and no fault, or no status and the fault."""
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
        except (AddressNotAllowed, NotResolved):
            return None, NOWHERE
        except DeliveryFailed as silent:
            return None, str(silent)

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _came_at(commit: Commit, seam: Seam | None) -> str:
    """Return when *commit* became part of the encounter: for the *seam*'s commit, when it was accepted."""
    return seam.at if seam is not None and commit.n == seam.accepted.n else commit.at
