"""Break the product or its store in one place, as somebody might by mistake; the simulation must name it.

A fault in the store is a `MemoryLog` that does something otherwise; one on the wire is a `Connection` that
sends what was one step in two; one in the product is a method of it, replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Final
from unittest import mock

from service.core.fold import AnyFolded, Folder
from service.log import (
    BUCKETS,
    CommitWrite,
    KnownKey,
    Outcome,
    Payload,
    Submitted,
    VersionConflict,
    bucket_of,
)
from service.log.memory import MemoryLog
from service.signals.outcomes import OutcomeListener
from tests.nemesis import violations
from tests.simulation.client import MISSED, WRONG
from tests.simulation.connection import Connection
from tests.simulation.judge import EVER, HANGS, LEFT_DIRTY, NOT_FOLDED
from tests.simulation.run import World
from tests.simulation.server import Mode
from workers.groups import GroupFolding
from workers.sweep import SweepThread

Patch = Callable[[], AbstractContextManager[object]]
NEVER_FOLDED: Final = frozenset({NOT_FOLDED, LEFT_DIRTY, HANGS})


@dataclass(frozen=True)
class Planted:
    """One fault, and the names of violations of which one must be found."""

    name: str
    found_as: frozenset[str]
    kind: type[MemoryLog] = MemoryLog
    patch: Patch = nullcontext
    server: tuple[tuple[str, object], ...] = ()
    """What is set on the server."""
    mode: Mode = "single"
    bursts: bool = False
    """Whether it takes a command that no worker can decide."""

    def sabotage(self, world: World) -> None:
        """Put the fault into the store of *world*."""
        for name, value in self.server:
            assert hasattr(world.server, name)
            setattr(world.server, name, value)
        if self.kind is not MemoryLog:
            world.server.keep(self.kind)


def _sent_otherwise(name: str, send: Callable[..., Any]) -> Patch:
    return lambda: mock.patch.object(Connection, name, send, create=True)


# --- in the store -------------------------------------------------------------------------------------


class _AnyCommit(MemoryLog):
    """Commits without a look at the head."""

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        kept = self._write(encounter)
        for fold in folds:
            assert kept.head is not None
            kept.commits.append(fold.raw)
            kept.head = replace(kept.head, folded=fold.n, hash=fold.hash, frontier=fold.frontier)
            kept.sealed.extend(Payload(fold.n, index, raw) for index, raw in fold.sealed)
            self._publish(Outcome(encounter, fold.n, fold.raw, fold.next_prompt))
        return len(folds)


class _AnyRequest(MemoryLog):
    """Commits without a look at the command."""

    def _commit(self, encounter: str, fold: CommitWrite) -> bool | None:
        stored = self.commands(encounter, fold.n - 1, 1)
        return super()._commit(encounter, fold._replace(request=stored[0].raw) if stored else fold)


class _EndlessLease(MemoryLog):
    """A lease is held until it is given back."""

    def _holder(self, name: str) -> str | None:
        return self._leases[name][0] if name in self._leases else None


class _AnyClean(MemoryLog):
    """What is taken from the dirty set is not compared with the head."""

    def clean(self, encounter: str) -> bool:
        return self._dirty.get(bucket_of(encounter), {}).pop(encounter, None) is not None


class _NoTries(MemoryLog):
    """Tries are not counted."""

    def tried(self, encounter: str, n: int) -> int:
        return 1


class _InSteps(MemoryLog):
    """Does halves of what is one step."""

    def submit_unmarked(self, encounter: str, request: bytes, **more: Any) -> Submitted:
        was_dirty = encounter in self._dirty.get(bucket_of(encounter), {})
        submitted = self.submit(encounter, request, **more)
        if not was_dirty:
            self._dirty.get(bucket_of(encounter), {}).pop(encounter, None)
        return submitted

    def submit_without_key(self, encounter: str, request: bytes, **more: Any) -> Submitted:
        submitted = self.submit(encounter, request, **more)
        if not submitted.replayed:
            del self._write(encounter).keys[more["scope"], more["key"]]
        return submitted

    def put_key(self, encounter: str, scope: str, key: str, n: int, fingerprint: str) -> None:
        self._write(encounter).keys.setdefault((scope, key), KnownKey(n, fingerprint))

    def put_sealed(self, encounter: str, n: int, sealed: tuple[tuple[int, bytes], ...]) -> None:
        self._write(encounter).sealed.extend(Payload(n, index, raw) for index, raw in sealed)


# --- on the wire --------------------------------------------------------------------------------------


def _mark_later(self: Connection, encounter: str, request: bytes, **more: Any) -> Submitted:
    submitted: Submitted = self.call("submit_unmarked", encounter, request, **more)
    self.call("mark_dirty", encounter, more["at_ms"])
    return submitted


def _keep_key_later(self: Connection, encounter: str, request: bytes, **more: Any) -> Submitted:
    submitted: Submitted = self.call("submit_without_key", encounter, request, **more)
    if not submitted.replayed:
        self.call("put_key", encounter, more["scope"], more["key"], submitted.n, more["fingerprint"])
    return submitted


def _compare_first(self: Connection, encounter: str, request: bytes, **more: Any) -> Submitted:
    expected, known = more.pop("expected", None), self.find_key(encounter, more["scope"], more["key"])
    head = self.head(encounter)
    if known is None and expected is not None and head is not None and head.appended != expected:
        raise VersionConflict(head.appended)
    submitted: Submitted = self.call("submit", encounter, request, **more)
    return submitted


def _one_by_one(self: Connection, encounter: str, request: bytes, **more: Any) -> Submitted:
    rest, key = more.pop("more", ()), more["key"]
    submitted: Submitted = self.call("submit", encounter, request, **more)
    for index, raw in enumerate(rest):
        self.call("submit", encounter, raw, **more | {"key": f"{key}/{index}", "expected": None})
    return submitted


def _seal_later(self: Connection, encounter: str, *folds: CommitWrite) -> int:
    written = 0
    for fold in folds:
        written += self.call("commit", encounter, fold._replace(sealed=()))
        if fold.sealed:
            self._wire.hub.sleep(0.3)  # a worker may well die in between
            self.call("put_sealed", encounter, fold.n, fold.sealed)
    return written


def _seal_all_later(self: Connection, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[None]:
    for encounter, folds in batch:
        _seal_later(self, encounter, *folds)
    return [None] * len(batch)


# --- in the product -----------------------------------------------------------------------------------


def _wait_for_any(self: OutcomeListener, encounter: str, n: int, seconds: float) -> Outcome | None:
    """Return what was heard under the number, of whichever encounter."""
    found = _WAIT(self, encounter, n, seconds)
    others: list[Outcome] = []

    def note(place: tuple[str, int], heard: Outcome) -> bool:
        if place[1] == n and place[0] != encounter:
            others.append(heard)
        return False

    self._heard.drop_all(note)
    return others[0] if others else found


_WAIT: Final = OutcomeListener.wait


def _believe_kept(self: Folder, encounter: str, at_least: int | None = None) -> AnyFolded:
    """Return what is kept where it has the head's number."""
    kept = self.kept(encounter)
    head = self._log.head(encounter)
    if kept is not None and head is not None and kept.n >= head.folded:
        return kept
    return _CURRENT(self, encounter, at_least)


_CURRENT: Final = Folder.current


def _stop_and_forget(self: GroupFolding) -> None:
    """Take everything that waits for this worker from the dirty set, and give the leases back."""
    for group in tuple(self._leased):
        for encounter in self._log.dirty(range(group, BUCKETS, self._groups), EVER):
            self._log.clean(encounter)
        self._log.release_lease(self._lease(group), self._token)


PLANTED: Final = (
    Planted(
        "commit without compare-and-set",
        frozenset({violations.CHAIN, violations.GAP, violations.TORN, violations.STATE}),
        kind=_AnyCommit,
    ),
    Planted(
        "commit without a look at the command",
        frozenset({violations.TORN}),
        kind=_AnyRequest,
        mode="lagging",
    ),
    Planted(
        "mark dirty in a step after the append",
        NEVER_FOLDED,
        kind=_InSteps,
        patch=_sent_otherwise("submit", _mark_later),
    ),
    Planted("lease without an expiry", NEVER_FOLDED, kind=_EndlessLease),
    Planted(
        "acknowledge before the sync",
        frozenset({violations.LOST, violations.MISSING, violations.MOVED}),
        server=(("answers_early", True),),
    ),
    Planted(
        "failover without a wait for the replica",
        frozenset({violations.LOST, violations.MISSING, violations.MOVED}),
        server=(("waits_for_replica", False),),
        mode="replicated",
    ),
    Planted(
        "sweep that skips",
        NEVER_FOLDED,
        patch=lambda: mock.patch.object(SweepThread, "look", return_value=None),
    ),
    Planted(
        "idempotency key in a step after the append",
        frozenset({violations.DOUBLED}),
        kind=_InSteps,
        patch=_sent_otherwise("submit", _keep_key_later),
    ),
    Planted(
        "If-Match in a step before the append",
        frozenset({violations.IF_MATCH}),
        patch=_sent_otherwise("submit", _compare_first),
    ),
    Planted(
        "array appended one by one",
        frozenset({violations.TORN}),
        patch=_sent_otherwise("submit", _one_by_one),
    ),
    Planted(
        "envelopes in a step after the commit",
        frozenset({LEFT_DIRTY, violations.AUDIT, violations.BUNDLE, violations.STATE, violations.STRANGE}),
        kind=_InSteps,
        patch=lambda: mock.patch.multiple(Connection, commit=_seal_later, commit_all=_seal_all_later),
    ),
    Planted(
        "outcome of another encounter",
        frozenset({WRONG}),
        patch=lambda: mock.patch.object(OutcomeListener, "wait", _wait_for_any),
    ),
    Planted(
        "wait that never reads the log",
        frozenset({MISSED}),
        patch=lambda: mock.patch.object(OutcomeListener, "_read", return_value=None),
    ),
    Planted(
        "kept state believed by its number",
        frozenset({*NEVER_FOLDED, violations.STATE, violations.AHEAD}),
        patch=lambda: mock.patch.object(Folder, "current", _believe_kept),
        mode="lagging",
    ),
    Planted(
        "stopped worker that drops what waits",
        NEVER_FOLDED,
        kind=_AnyClean,
        patch=lambda: mock.patch.object(GroupFolding, "_stop", _stop_and_forget),
    ),
    Planted("tries that are not counted", NEVER_FOLDED, kind=_NoTries, bursts=True),
)
