"""Hold what the service's use cases work with: one plain record, made once per process and passed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from service.dice.encoding import hkdf
from service.encounter.deciding.fold import Folder, Shelf
from service.encounter.record.occasions import Occasions
from service.encounter.signals.feeds import Feeds
from service.encounter.signals.outcomes import Outcomes
from service.encounter.signals.outward import NOWHERE_ELSE, Outward
from service.encounter.signals.pulse import Heartbeats
from service.encounter.stores import disputes, points, removals
from service.encounter.stores.capacity import Capacity
from service.encounter.stores.fresh import Fresh
from service.encounter.stores.keys import KeyCache
from service.encounter.stores.register import Register
from service.log import Log
from service.log.loop_log import LoopLog

_LABEL: Final = b"rewound/service-key/1"

FORK_DAYS: Final = 30

Mode = Literal["durable", "replicated", "memory"]


@dataclass(frozen=True)
class Host:
    """Everything a process serves encounters with."""

    log: Log
    shelf: Shelf
    folder: Folder
    outcomes: Outcomes
    heartbeats: Heartbeats
    feeds: Feeds
    keys: KeyCache
    register: Register
    capacity: Capacity
    """What the store and its owners have room for."""
    occasions: Occasions
    points: Fresh[points.Point | None]
    """The latest signed checkpoint of each encounter."""
    removals: Fresh[removals.Removal | None]
    """What is left of each encounter that was removed."""
    missing: Fresh[disputes.Dispute | None]
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
    outward: Outward = NOWHERE_ELSE
    """Where webhooks may lead."""


def service_key_of(key: bytes) -> bytes:
    """Return the service key that follows from the service's one secret."""
    return hkdf(salt=b"", ikm=key, info=_LABEL)


def host_of(
    log: Log,
    shelf: Shelf,
    *,
    ring: Callable[[int], object],
    clock: Callable[[], float],
    key: bytes,
    mode: Mode,
    on_loop: LoopLog | None = None,
) -> Host:
    """Return a host over *log*, listening for outcomes; whoever made it closes `outcomes`.

    With *on_loop* nothing is heard before an event loop runs `outcomes.listen_on`.
    *key* is the service's one secret: workers decrypt with it, and the service key follows from it.
    """
    folder = Folder(log, shelf)
    outcomes = Outcomes(log)
    outcomes.on_awaited(lambda outcome: folder.offer(outcome.encounter, outcome.n, outcome.raw))
    outcomes.on_lost(folder.doubt)
    feeds = Feeds(outcomes)
    if on_loop is None:
        outcomes.start()
    register, disputed = Register(log), disputes.Disputes(log)
    return Host(
        log=log,
        shelf=shelf,
        folder=folder,
        outcomes=outcomes,
        heartbeats=Heartbeats(log, clock),
        feeds=feeds,
        keys=KeyCache(log, clock),
        register=register,
        capacity=Capacity(log, register, clock),
        occasions=Occasions(log),
        points=Fresh(partial(points.latest, log), clock, looks=partial(points.latest_of, log)),
        removals=Fresh(partial(removals.find, log), clock, looks=partial(removals.find_all, log)),
        missing=Fresh(disputed.missing, clock, looks=disputed.missing_of),
        ring=ring,
        clock=clock,
        service_key=service_key_of(key),
        secrets_key=key,
        mode=mode,
        on_loop=on_loop,
    )
