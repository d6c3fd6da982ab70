"""Ask for jobs: so many of one owner wait for a worker, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from service.api.problems import Problem
from service.api.request import ApiRequest
from service.log import IdempotencyKey
from service.stores.jobs import AUDITS, IMPORTS, SIMULATIONS, Job, JobKind

MOST_WAITING: Final = 8
"""Jobs of one kind and one owner that wait for a worker, at most."""
TOO_MANY: Final[Mapping[str, str]] = {
    AUDITS.collection: "too-many-audits",
    IMPORTS.collection: "too-many-imports",
    SIMULATIONS.collection: "too-many-simulations",
}
"""The problem of each kind."""
_LOOKED_AT: Final = 10_000
"""Jobs of all owners among which one's own are counted."""
_turn: Final = Lock()


def ask(
    request: ApiRequest,
    kind: JobKind,
    whose: str,
    once: IdempotencyKey,
    wanted: Mapping[str, Any],
    *,
    bucket: int = 0,
    file: tuple[str, bytes] | None = None,
) -> tuple[Job, bool]:
    """Return the job for what is *wanted*, and whether an earlier request asked for it.

    *file* is a shelf and the bytes that a worker needs, kept there by the id of the job. Raises `Problem`
    where as many of the owner wait as may; a repeat is always answered.
    """
    log, id_ = request.services.log, kind.id_of(once)
    with _turn:
        if kind.find(log, whose, id_) is None:
            _check_waiting(request, kind, whose)
        if file is not None:
            log.put_record(file[0], id_, file[1])
        job, replayed = kind.ask(log, whose, once, wanted, request.services.clock())
    if not replayed:
        request.services.ring(bucket)
    return job, replayed


def _check_waiting(request: ApiRequest, kind: JobKind, whose: str) -> None:
    owner = _owner_of(request, kind, whose)
    waiting = kind.unfinished(
        request.services.log,
        lambda each: each == whose or _owner_of(request, kind, each) == owner,
        _LOOKED_AT,
    )
    if waiting >= MOST_WAITING:
        raise Problem(
            TOO_MANY[kind.collection],
            f"{waiting} {kind.collection} of one owner wait for a worker",
            headers={"Retry-After": "5"},
        )


def _owner_of(request: ApiRequest, kind: JobKind, whose: str) -> str | None:
    """Return the owner of a job; None where its encounter is gone."""
    if kind.of == "owner":
        return whose
    entry = request.services.encounters.find(whose)
    return None if entry is None else entry.owner
