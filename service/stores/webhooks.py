"""Store webhooks and their deliveries; the store has everything, so any worker that delivers may crash.

A webhook is one record in its owner's collection. Each webhook has a schedule of due deliveries, by time.
Scheduling a delivery twice does no harm; it leaves the schedule when it was delivered or given up, or its
webhook is gone. Another schedule has the webhooks with due deliveries, so that one with thousands does not
hide the others. The record of a delivery has its progress. `webhook-id` names commit and webhook, so a
receiver can recognize a repeated delivery.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
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
"""The schedule of webhooks with due deliveries; each webhook has a schedule of its own for those."""

MOST: Final = 20
"""The most webhooks of one owner."""

KEPT: Final = 500
"""Delivery records retained for a webhook; older ones that were delivered are dropped."""

ACTIVE: Final = "active"
GONE: Final = "gone"
"""The receiver answered 410: nothing more is sent."""

ENDED: Final = "ended"

MESSAGE: Final = "message"
"""Messages according to Standard Webhooks."""

DISCORD: Final = "discord"
"""Messages for a webhook of a Discord channel: only what happened, in words."""

_MOST_CHARACTERS: Final = 2_000
"""How many characters Discord takes."""
_MARKS: Final = re.compile(r"([\\*_~`|>#\[\]])")

PENDING: Final = "pending"
DELIVERED: Final = "delivered"
FAILED: Final = "failed"

_ID: Final = b"rewound/webhook-id/1\x00"
_SECRET: Final = b"rewound/webhook-secret/1\x00"


class TooManyWebhooks(Exception):
    """The owner has the most webhooks that are allowed."""


@dataclass(frozen=True)
class Webhook:
    """A subscription: its receiver, and the encounters it is about."""

    id: str
    owner: str
    url: str
    created: str
    """RFC 3339 with milliseconds; earlier commits are not delivered."""
    encounter: str | None = None
    """None: every encounter of the owner."""
    state: str = ACTIVE
    fingerprint: str = ""
    text: str | None = None
    """The language in which messages also say what happened; None: they do not."""
    format: str = MESSAGE


@dataclass(frozen=True)
class WebhookDelivery:
    """The progress of one commit's delivery."""

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
    """The last response's status."""
    fault: str | None = None
    """Why the last attempt got no response."""

    @property
    def id(self) -> str:
        """Its id among the webhook's deliveries."""
        return f"{self.encounter}-{self.n}"

    @property
    def message(self) -> str:
        """Its `webhook-id`: the same in every attempt."""
        return f"{self.webhook}-{self.id}"


def secret(service_key: bytes, webhook: str) -> bytes:
    """Return the bytes that sign the webhook's deliveries; they are derived, not stored."""
    return hmac_digest(service_key, _SECRET + webhook.encode(), sha256)


def secret_text(service_key: bytes, webhook: str) -> str:
    """Return the secret in the form that its receiver gets."""
    return "whsec_" + b64encode(secret(service_key, webhook)).decode()


def signature(service_key: bytes, delivery: WebhookDelivery, timestamp: int, body: bytes) -> str:
    """Return the `webhook-signature` of *body* sent at *timestamp* (Standard Webhooks 1.0, symmetric)."""
    said = f"{delivery.message}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac_digest(secret(service_key, delivery.webhook), said, sha256)).decode()


def message_of(commit: Commit, encounter: str, text: Sequence[str] | None = None) -> views.Data:
    """Return the message about *commit* of *encounter*: what everybody could see of it when it was made."""
    seen = public_outcome(commit)
    said = {} if text is None else {"text": list(text)}
    data = {"encounter": encounter, "line": commit.encounter, **seen, **said}
    return {"type": "encounter.commit", "timestamp": commit.at, "data": data}


def public_outcome(commit: Commit) -> views.Data:
    """Return what everybody could see of *commit* when it was made."""
    return views.outcome_data(commit, {}, views.Reader("", views.NOTHING))


def seam_message(seam: Seam, encounter: str) -> views.Data:
    """Return the message, sent once, that *encounter* continues in another line of play."""
    return {
        "type": "encounter.continued",
        "timestamp": seam.at,
        "data": {"encounter": encounter, **seam.data()},
    }


def body(
    commit: Commit, encounter: str, seam: Seam | None = None, text: Sequence[str] | None = None
) -> bytes:
    """Return the JSON body for *commit* of *encounter*, or for the *seam* behind it."""
    message = message_of(commit, encounter, text) if seam is None else seam_message(seam, encounter)
    return json.dumps(message, separators=(",", ":")).encode()


def discord_body(text: Sequence[str], seam: Seam | None = None) -> bytes | None:
    """Return the JSON body with which a Discord channel says *text*; None if there is nothing to say.

    Names may hold marks of Discord's own; they are escaped, and mention no person.
    """
    lines = list(text) if seam is None else [f"Play goes on from commit {seam.origin['n']}."]
    said = _MARKS.sub(r"\\\1", "\n".join(lines))
    if not said:
        return None
    cut = said if len(said) <= _MOST_CHARACTERS else said[: _MOST_CHARACTERS - 1] + "…"
    return json.dumps({"content": cut, "allowed_mentions": {"parse": []}}, ensure_ascii=False).encode()


# --- webhooks ----------------------------------------------------------------------------------------


def derived_id(service_key: bytes, owner: str, key: str) -> str:
    """Return the id of the webhook that *owner* makes with the idempotency *key*."""
    return "wh" + hmac_digest(service_key, _ID + f"{owner}\0{key}".encode(), sha256).hex()[:20]


def make(store: SideStore, webhook: Webhook) -> tuple[Webhook, bool]:
    """Store *webhook* unless it exists; return the stored one, and whether it existed.

    Raises `KeyReused` if the id belongs to another request, and `TooManyWebhooks`.
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
    """Store *webhook* as it is now."""
    store.put_record(f"{COLLECTION}/{webhook.owner}", webhook.id, json.dumps(asdict(webhook)).encode())
    store.put_record(COLLECTION, webhook.id, webhook.owner.encode())


def find(store: SideStore, owner: str, id_: str) -> Webhook | None:
    """Return a webhook of *owner*; None if there is none with this id."""
    blob = store.record(f"{COLLECTION}/{owner}", id_)
    return None if blob is None else Webhook(**json.loads(blob))


def known(store: SideStore, id_: str) -> Webhook | None:
    """Return the webhook *id_* of any owner; None if there is none."""
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
    """Delete *webhook*: nothing more is sent."""
    store.drop_record(COLLECTION, webhook.id)
    store.drop_record(f"{COLLECTION}/{webhook.owner}", webhook.id)


def disable(store: SideStore, webhook: Webhook) -> None:
    """Send nothing more to *webhook*, but keep showing it."""
    put(store, replace(webhook, state=GONE))


def moved(store: SideStore, webhook: Webhook, url: str) -> Webhook:
    """Send later messages to *url*; return the webhook after that."""
    return _put_changed(store, replace(webhook, url=url))


def revive(store: SideStore, webhook: Webhook, now: float) -> Webhook:
    """Reactivate *webhook* and schedule a look through all its encounters; return the webhook after that."""
    active = _put_changed(store, replace(webhook, state=ACTIVE))
    before = None
    while page := store.records(f"{CURSORS}/{webhook.id}", before, 200):
        names = [delivery_name(webhook.id, record.id, LOOK_THROUGH) for record in page]
        put_due(store, webhook.id, names, int(now * 1000), reschedule=True)
        before = page[-1].number
    return active


def _put_changed(store: SideStore, webhook: Webhook) -> Webhook:
    put(store, webhook)
    return webhook


# --- what is delivered --------------------------------------------------------------------------------


def about(register: EncounterIndex, entry: EncounterEntry, of_its_owner: Iterable[Webhook]) -> list[Webhook]:
    """Return the owner's webhooks that are about *entry*, including inactive ones.

    A webhook of an encounter is about every line of play that continues it. Only webhooks made for a fork
    itself are about the fork.
    """
    root = entry.root or entry.encounter

    def is_about(webhook: Webhook) -> bool:
        if webhook.encounter is None:
            return entry.expires is None
        return register.root(webhook.encounter) == root

    return [each for each in of_its_owner if is_about(each)]


def cursor(store: SideStore, webhook: str, encounter: str) -> int:
    """Return the last commit of the encounter whose delivery to the webhook was scheduled; 0 if none was."""
    blob = store.record(f"{CURSORS}/{webhook}", encounter)
    return 0 if blob is None else int(blob)


def hold_cursor(store: SideStore, webhook: str, encounter: str, n: int | None = None) -> None:
    """Rewind an inactive webhook's cursor to before commit *n*, or store it as it is."""
    at = cursor(store, webhook, encounter)
    move_cursor(store, webhook, encounter, at if n is None else min(at, n - 1))


def move_cursor(store: SideStore, webhook: str, encounter: str, n: int) -> None:
    """Record that deliveries up to commit *n* are scheduled."""
    store.put_record(f"{CURSORS}/{webhook}", encounter, b"%d" % n)


def forget(store: SideStore, entry: EncounterEntry) -> None:
    """Drop the webhooks' cursors and delivery records of the encounter *entry*."""
    for webhook in of_owner(store, entry.owner):
        store.drop_record(f"{CURSORS}/{webhook.id}", entry.encounter)
        before: int | None = None
        while page := list(deliveries(store, webhook.id, before, 200)):
            for _, each in page:
                if each.encounter == entry.encounter:
                    store.drop_record(f"{DELIVERIES}/{webhook.id}", each.id)
            before = page[-1][0]


# --- deliveries --------------------------------------------------------------------------------------


def schedule_of(webhook: str) -> str:
    """Return the name of the schedule of a webhook's deliveries."""
    return f"{SCHEDULE}/{webhook}"


def put_due(store: SideStore, webhook: str, names: list[str], at_ms: int, *, reschedule: bool) -> None:
    """Schedule deliveries of *webhook*, and the webhook; *reschedule* moves deliveries that have a time."""
    store.set_due(schedule_of(webhook), names, at_ms, reschedule=reschedule)
    store.set_due(SCHEDULE, [webhook], at_ms, reschedule=True)


def delivery_name(webhook: str, encounter: str, n: int) -> str:
    """Return a delivery's name on the schedule."""
    return f"{webhook}/{encounter}/{n}"


def named(name: str) -> WebhookDelivery:
    """Return the untried delivery for *name* on the schedule."""
    webhook, encounter, n = name.split("/")
    return WebhookDelivery(webhook, encounter, int(n))


LOOK_THROUGH: Final = 0
"""In place of a commit's number on the schedule: look through the encounter's commits and schedule them."""


def delivery(store: SideStore, webhook: str, id_: str) -> WebhookDelivery | None:
    """Return the record of a delivery; None before its first attempt."""
    blob = store.record(f"{DELIVERIES}/{webhook}", id_)
    return None if blob is None else WebhookDelivery(**json.loads(blob))


def put_delivery(store: SideStore, each: WebhookDelivery) -> None:
    """Store *each* as it is now, and drop old records of finished deliveries."""
    collection = f"{DELIVERIES}/{each.webhook}"
    number = store.put_record(collection, each.id, json.dumps(asdict(each)).encode())
    if number > KEPT:
        for record in store.records(collection, number - KEPT, 5):
            if WebhookDelivery(**json.loads(record.blob)).state == DELIVERED:
                store.drop_record(collection, record.id)


def again(store: SideStore, each: WebhookDelivery, now: float) -> WebhookDelivery:
    """Retry *each* now, for three days from its next attempt; return it after that."""
    renewed = replace(each, state=PENDING, first=0.0, due=now)
    put_delivery(store, renewed)
    name = delivery_name(each.webhook, each.encounter, each.n)
    put_due(store, each.webhook, [name], int(now * 1000), reschedule=True)
    return renewed


def deliveries(
    store: SideStore, webhook: str, before: int | None, limit: int
) -> Iterator[tuple[int, WebhookDelivery]]:
    """Yield delivery records, by first attempt, the latest first, each with its number in the collection."""
    for record in store.records(f"{DELIVERIES}/{webhook}", before, limit):
        yield record.number, WebhookDelivery(**json.loads(record.blob))
