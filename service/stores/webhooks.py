"""Keep webhooks, and what is to be delivered to them: the store is the truth, whoever delivers may die.

A webhook is one record on its owner's shelf. What is due stands on an agenda of its own, ordered by time; an
entry is put there again and again without harm, and leaves it when it was delivered, was given up, or its
webhook is gone. Another agenda says which webhooks have anything due, so that one that has thousands hides no
other. The record of a delivery tells how it fared. `webhook-id` names commit and webhook, so a receiver that
is told twice can tell.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from hmac import digest as hmac_digest
from typing import Final

from service.core import views
from service.core.seams import Seam
from service.log import KeyReused, SideStore
from service.record.commit import Commit
from service.stores.encounter_index import EncounterEntry, EncounterIndex

COLLECTION: Final = "webhooks"
DELIVERIES: Final = "deliveries"
CURSORS: Final = "webhook-cursors"
SCHEDULE: Final = "webhooks"
"""The agenda of webhooks that have something due; what it is stands on each one's own."""

MOST: Final = 20
"""Webhooks of one owner."""

KEPT: Final = 500
"""Deliveries of a webhook whose record is kept; older ones that need nothing more are forgotten."""

ACTIVE: Final = "active"
GONE: Final = "gone"
"""The receiver answered 410: nothing more is sent."""

ENDED: Final = "ended"

PENDING: Final = "pending"
DELIVERED: Final = "delivered"
FAILED: Final = "failed"

_ID: Final = b"rewound/webhook-id/1\x00"
_SECRET: Final = b"rewound/webhook-secret/1\x00"


class TooManyWebhooks(Exception):
    """Say that an owner has as many as there may be."""


@dataclass(frozen=True)
class Webhook:
    """Who wants to be told of what."""

    id: str
    owner: str
    url: str
    created: str
    """RFC 3339 with milliseconds; what was committed before is not told."""
    encounter: str | None = None
    """None: every encounter of the owner."""
    state: str = ACTIVE
    fingerprint: str = ""


@dataclass(frozen=True)
class WebhookDelivery:
    """How the telling of one commit fares."""

    webhook: str
    encounter: str
    n: int
    state: str = PENDING
    attempts: int = 0
    first: float = 0.0
    """Seconds since 1970 of the first attempt; 0 before it."""
    due: float | None = None
    """When it is tried next; None if it is not."""
    status: int | None = None
    """The last answer's status."""
    fault: str | None = None
    """What kept the last attempt from an answer."""

    @property
    def id(self) -> str:
        """Its name among the webhook's deliveries."""
        return f"{self.encounter}-{self.n}"

    @property
    def message(self) -> str:
        """Its `webhook-id`: the same in every attempt."""
        return f"{self.webhook}-{self.id}"


def secret(service_key: bytes, webhook: str) -> bytes:
    """Return the bytes that sign what is sent to the webhook: derived, so nowhere at rest."""
    return hmac_digest(service_key, _SECRET + webhook.encode(), sha256)


def secret_text(service_key: bytes, webhook: str) -> str:
    """Return the secret as its receiver is given it."""
    return "whsec_" + b64encode(secret(service_key, webhook)).decode()


def signature(service_key: bytes, delivery: WebhookDelivery, timestamp: int, body: bytes) -> str:
    """Return the `webhook-signature` of *body* sent at *timestamp* (Standard Webhooks 1.0, symmetric)."""
    said = f"{delivery.message}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac_digest(secret(service_key, delivery.webhook), said, sha256)).decode()


def told(commit: Commit) -> views.Data:
    """Return what is told of *commit*: what everybody may see of it, whatever was opened since."""
    seen = views.outcome_data(commit, {}, views.Reader("", views.NOTHING))
    data = {"encounter": commit.encounter, **seen}
    return {"type": "encounter.commit", "timestamp": commit.at, "data": data}


def told_of_seam(seam: Seam) -> views.Data:
    """Return what is told once where an encounter goes on in another line of play."""
    return {"type": "encounter.continued", "timestamp": seam.at, "data": seam.data()}


def body(commit: Commit, seam: Seam | None = None) -> bytes:
    """Return what a receiver is sent of *commit*, or of the *seam* that it stands at: JSON."""
    message = told(commit) if seam is None else told_of_seam(seam)
    return json.dumps(message, separators=(",", ":")).encode()


# --- webhooks ----------------------------------------------------------------------------------------


def derived_id(service_key: bytes, owner: str, key: str) -> str:
    """Return the id of the webhook that *owner* makes with the idempotency *key*."""
    return "wh" + hmac_digest(service_key, _ID + f"{owner}\0{key}".encode(), sha256).hex()[:20]


def make(store: SideStore, webhook: Webhook) -> tuple[Webhook, bool]:
    """Keep *webhook* unless it was made before; the one that stands, and whether it was.

    Raises `KeyReused` where the id stands for another request, and `TooManyWebhooks`.
    """
    known = find(store, webhook.owner, webhook.id)
    if known is not None:
        if known.fingerprint != webhook.fingerprint:
            raise KeyReused(0)
        return known, True
    if len(of_owner(store, webhook.owner)) >= MOST:
        raise TooManyWebhooks
    put(store, webhook)
    return webhook, False


def put(store: SideStore, webhook: Webhook) -> None:
    """Keep *webhook* as it is now."""
    store.put_record(f"{COLLECTION}/{webhook.owner}", webhook.id, json.dumps(asdict(webhook)).encode())
    store.put_record(COLLECTION, webhook.id, webhook.owner.encode())


def find(store: SideStore, owner: str, id_: str) -> Webhook | None:
    """Return a webhook of *owner*, None if there is none of that id."""
    blob = store.record(f"{COLLECTION}/{owner}", id_)
    return None if blob is None else Webhook(**json.loads(blob))


def known(store: SideStore, id_: str) -> Webhook | None:
    """Return the webhook *id_*, whoever owns it."""
    owner = store.record(COLLECTION, id_)
    return None if owner is None else find(store, owner.decode(), id_)


def of_owner(store: SideStore, owner: str) -> list[Webhook]:
    """Return the webhooks of *owner* that were not ended, the newest first."""
    found: list[Webhook] = []
    before = None
    while page := store.records(f"{COLLECTION}/{owner}", before, 50):
        found += [Webhook(**json.loads(record.blob)) for record in page]
        before = page[-1].number
    return found


def end(store: SideStore, webhook: Webhook) -> None:
    """Forget *webhook*: nothing more is sent."""
    store.drop_record(COLLECTION, webhook.id)
    store.drop_record(f"{COLLECTION}/{webhook.owner}", webhook.id)


def disable(store: SideStore, webhook: Webhook) -> None:
    """Send nothing more to *webhook*, which stays to be seen."""
    put(store, replace(webhook, state=GONE))


def moved(store: SideStore, webhook: Webhook, url: str) -> Webhook:
    """Have what is told from now on sent to *url*; the webhook as it is then."""
    return _put_changed(store, replace(webhook, url=url))


def revive(store: SideStore, webhook: Webhook, now: float) -> Webhook:
    """Make *webhook* active again and have every encounter it is about looked through; what it is then."""
    active = _put_changed(store, replace(webhook, state=ACTIVE))
    before = None
    while page := store.records(f"{CURSORS}/{webhook.id}", before, 200):
        names = [agenda_name(webhook.id, record.id, LOOK_THROUGH) for record in page]
        put_due(store, webhook.id, names, int(now * 1000), reschedule=True)
        before = page[-1].number
    return active


def _put_changed(store: SideStore, webhook: Webhook) -> Webhook:
    put(store, webhook)
    return webhook


# --- what is to be told ------------------------------------------------------------------------------


def about(register: EncounterIndex, entry: EncounterEntry, of_its_owner: Iterable[Webhook]) -> list[Webhook]:
    """Return those of its owner's webhooks that are about *entry*, also those that are told nothing now.

    One of an encounter is about every line of play that goes on from it. A what-if is told to those made for
    it alone.
    """
    root = entry.root or entry.encounter

    def is_about(webhook: Webhook) -> bool:
        if webhook.encounter is None:
            return entry.expires is None
        return register.root(webhook.encounter) == root

    return [each for each in of_its_owner if is_about(each)]


def cursor(store: SideStore, webhook: str, encounter: str) -> int:
    """Return up to which commit the webhook's deliveries of the encounter stand on the agenda, or stood."""
    blob = store.record(f"{CURSORS}/{webhook}", encounter)
    return 0 if blob is None else int(blob)


def hold_cursor(store: SideStore, webhook: str, encounter: str, n: int | None = None) -> None:
    """Note for whom is told nothing now that the encounter went on, and that commit *n* is untold."""
    at = cursor(store, webhook, encounter)
    move_cursor(store, webhook, encounter, at if n is None else min(at, n - 1))


def move_cursor(store: SideStore, webhook: str, encounter: str, n: int) -> None:
    """Note that everything up to commit *n* stands on the agenda."""
    store.put_record(f"{CURSORS}/{webhook}", encounter, b"%d" % n)


def forget(store: SideStore, entry: EncounterEntry) -> None:
    """Forget how far the telling of the encounter *entry* went, and how it fared."""
    for webhook in of_owner(store, entry.owner):
        store.drop_record(f"{CURSORS}/{webhook.id}", entry.encounter)
        before: int | None = None
        while page := list(deliveries(store, webhook.id, before, 200)):
            for _, each in page:
                if each.encounter == entry.encounter:
                    store.drop_record(f"{DELIVERIES}/{webhook.id}", each.id)
            before = page[-1][0]


# --- deliveries --------------------------------------------------------------------------------------


def agenda_of(webhook: str) -> str:
    """Name the agenda of a webhook's deliveries."""
    return f"{SCHEDULE}/{webhook}"


def put_due(store: SideStore, webhook: str, names: list[str], at_ms: int, *, reschedule: bool) -> None:
    """Put deliveries on the agenda of *webhook* and have it looked at; *anew* moves those there already."""
    store.set_due(agenda_of(webhook), names, at_ms, reschedule=reschedule)
    store.set_due(SCHEDULE, [webhook], at_ms, reschedule=True)


def agenda_name(webhook: str, encounter: str, n: int) -> str:
    """Name a delivery on the agenda."""
    return f"{webhook}/{encounter}/{n}"


def named(name: str) -> WebhookDelivery:
    """Return the delivery that *name* on the agenda stands for, as it is before it was tried."""
    webhook, encounter, n = name.split("/")
    return WebhookDelivery(webhook, encounter, int(n))


LOOK_THROUGH: Final = 0
"""Stands on the agenda in a commit's place: the encounter's commits are to be put there."""


def delivery(store: SideStore, webhook: str, id_: str) -> WebhookDelivery | None:
    """Return the record of a delivery, None before it was tried."""
    blob = store.record(f"{DELIVERIES}/{webhook}", id_)
    return None if blob is None else WebhookDelivery(**json.loads(blob))


def put_delivery(store: SideStore, each: WebhookDelivery) -> None:
    """Keep *each* as it is now, and forget what is old and needs nothing more."""
    collection = f"{DELIVERIES}/{each.webhook}"
    number = store.put_record(collection, each.id, json.dumps(asdict(each)).encode())
    if number > KEPT:
        for record in store.records(collection, number - KEPT, 5):
            if WebhookDelivery(**json.loads(record.blob)).state == DELIVERED:
                store.drop_record(collection, record.id)


def again(store: SideStore, each: WebhookDelivery, now: float) -> WebhookDelivery:
    """Have *each* tried now, with three days before it; what it becomes."""
    renewed = replace(each, state=PENDING, first=0.0, due=now)
    put_delivery(store, renewed)
    name = agenda_name(each.webhook, each.encounter, each.n)
    put_due(store, each.webhook, [name], int(now * 1000), reschedule=True)
    return renewed


def deliveries(
    store: SideStore, webhook: str, before: int | None, limit: int
) -> Iterator[tuple[int, WebhookDelivery]]:
    """Yield records of deliveries, those first tried last first, each with its number on the shelf."""
    for record in store.records(f"{DELIVERIES}/{webhook}", before, limit):
        yield record.number, WebhookDelivery(**json.loads(record.blob))
