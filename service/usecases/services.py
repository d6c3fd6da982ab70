"""Hold what the service's use cases work with: one plain record, made once per process and passed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from service.core.fold import Folder, Registry
from service.log import Log
from service.log.loop_log import LoopLog
from service.record.occasions import Occasions
from service.signals.feeds import EventFeeds
from service.signals.heartbeats import Heartbeats
from service.signals.outcomes import OutcomeListener
from service.signals.webhook_addresses import NOWHERE_ELSE, WebhookAddressGuard
from service.stores import checkpoints, disputes, removals
from service.stores.api_keys import KeyCache
from service.stores.cached import CachedLookup
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex
from service.stores.secrets import service_key_of

FORK_DAYS: Final = 30

Mode = Literal["durable", "replicated", "memory"]


@dataclass(frozen=True)
class Services:
    """Everything a process serves encounters with."""

    log: Log
    registry: Registry
    folder: Folder
    outcomes: OutcomeListener
    heartbeats: Heartbeats
    feeds: EventFeeds
    keys: KeyCache
    encounters: EncounterIndex
    capacity: Capacity
    """What the store and its owners have room for."""
    occasions: Occasions
    tree_heads: CachedLookup[checkpoints.TreeHead | None]
    """The latest signed checkpoint of each encounter."""
    removals: CachedLookup[removals.Removal | None]
    """What is left of each encounter that was removed."""
    missing: CachedLookup[disputes.Dispute | None]
    """The dispute about each encounter that was signed and is not in the store."""
    ring: Callable[[int], object]
    """Enqueue a fold of the bucket."""
    clock: Callable[[], float]
    """Seconds since 1970. Never an input to a rule."""
    service_key: bytes
    """32 bytes: seat tokens and the ids of new encounters are derived from it."""
    secrets_key: bytes
    """32 bytes: seeds and envelope secrets are encrypted with it."""
    mode: Mode
    fork_days: int = FORK_DAYS
    """How long a fork is kept."""
    accepted_keys: tuple[bytes, ...] = ()
    """Public keys whose signatures count for bundles that are taken in."""
    on_loop: LoopLog | None = None
    """The log as an event loop uses it, where the process has one."""
    address_guard: WebhookAddressGuard = NOWHERE_ELSE
    """Where webhooks may lead."""


def make_services(
    log: Log,
    registry: Registry,
    *,
    ring: Callable[[int], object],
    clock: Callable[[], float],
    key: bytes,
    mode: Mode,
    on_loop: LoopLog | None = None,
) -> Services:
    """Return a host over *log*, listening for outcomes; whoever made it closes `outcomes`.

    With *on_loop* nothing is heard before an event loop runs `outcomes.listen_on`.
    *key* is the service's one secret: workers decrypt with it, and the service key follows from it.
    """
    folder = Folder(log, registry)
    outcomes = OutcomeListener(log)
    outcomes.on_awaited(lambda outcome: folder.offer(outcome.encounter, outcome.n, outcome.raw))
    outcomes.on_lost(folder.doubt)
    feeds = EventFeeds(outcomes)
    if on_loop is None:
        outcomes.start()
    register, disputed = EncounterIndex(log), disputes.Disputes(log)
    return Services(
        log=log,
        registry=registry,
        folder=folder,
        outcomes=outcomes,
        heartbeats=Heartbeats(log, clock),
        feeds=feeds,
        keys=KeyCache(log, clock),
        encounters=register,
        capacity=Capacity(log, register, clock),
        occasions=Occasions(log),
        tree_heads=CachedLookup(
            partial(checkpoints.latest, log), clock, looks=partial(checkpoints.latest_of, log)
        ),
        removals=CachedLookup(partial(removals.find, log), clock, looks=partial(removals.find_all, log)),
        missing=CachedLookup(disputed.missing, clock, looks=disputed.missing_of),
        ring=ring,
        clock=clock,
        service_key=service_key_of(key),
        secrets_key=key,
        mode=mode,
        on_loop=on_loop,
    )
