"""What the use cases work with: one plain record, created once per process and passed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from service.core.fold import Folder, Registry
from service.key_files import Keyring
from service.log import Log
from service.log.valkey.loop_log import LoopLog
from service.record.occasions import Occasions
from service.signals.command_traces import CommandTraces
from service.signals.feeds import EventFeeds
from service.signals.heartbeats import Heartbeats
from service.signals.outcomes import OutcomeListener
from service.signals.webhook_addresses import NOWHERE_ELSE, WebhookAddressGuard
from service.stores import checkpoints, disputes, removals
from service.stores.api_keys import KeyCache
from service.stores.backlogs import OwnerBacklogs
from service.stores.cached import CachedLookup
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex
from service.stores.secrets import service_key_of
from service.usecases.refusals import SeatRefusals

FORK_DAYS: Final = 30

Mode = Literal["durable", "replicated", "memory"]


@dataclass(frozen=True)
class Services:
    """The shared objects of a process that serves encounters."""

    log: Log
    registry: Registry
    folder: Folder
    outcomes: OutcomeListener
    heartbeats: Heartbeats
    feeds: EventFeeds
    keys: KeyCache
    encounters: EncounterIndex
    capacity: Capacity
    """The room that the store and its owners have."""
    backlogs: OwnerBacklogs
    """The undecided commands of owners."""
    refusals: SeatRefusals
    """What seats were refused lately."""
    occasions: Occasions
    tree_heads: CachedLookup[checkpoints.TreeHead | None]
    """The latest signed checkpoint of each encounter."""
    removals: CachedLookup[removals.Removal | None]
    """The removal record of each removed encounter."""
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
    traces: CommandTraces
    fork_days: int = FORK_DAYS
    """Days after which a fork expires."""
    accepted_keys: tuple[bytes, ...] = ()
    """Public keys whose signatures count for imported bundles."""
    on_loop: LoopLog | None = None
    """The log for an event loop, if the process has one."""
    address_guard: WebhookAddressGuard = NOWHERE_ELSE
    """Where webhooks may lead."""


def make_services(
    log: Log,
    registry: Registry,
    *,
    ring: Callable[[int], object],
    clock: Callable[[], float],
    keys: Keyring,
    mode: Mode,
    on_loop: LoopLog | None = None,
) -> Services:
    """Return the services over *log*, listening for outcomes; the caller closes `outcomes`.

    With *on_loop* no outcome is heard until an event loop runs `outcomes.listen_on`. *keys* are the
    service's secret keys: workers decrypt with them, and the service key follows from them.
    """
    folder = Folder(log, registry)
    outcomes = OutcomeListener(log)
    outcomes.on_awaited(lambda outcome: folder.offer(outcome.encounter, outcome.n, outcome.raw))
    outcomes.on_lost(folder.doubt)
    refusals = SeatRefusals(clock)
    outcomes.on_each(refusals.hear)
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
        backlogs=OwnerBacklogs(log, clock),
        refusals=refusals,
        occasions=Occasions(log),
        tree_heads=CachedLookup(
            partial(checkpoints.latest, log), clock, looks=partial(checkpoints.latest_of, log)
        ),
        removals=CachedLookup(partial(removals.find, log), clock, looks=partial(removals.find_all, log)),
        missing=CachedLookup(disputed.missing, clock, looks=disputed.missing_of),
        ring=ring,
        clock=clock,
        service_key=service_key_of(keys),
        secrets_key=keys.keys[0],
        mode=mode,
        traces=CommandTraces(log),
        on_loop=on_loop,
    )
