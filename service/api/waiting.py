"""Create jobs for workers, with a limit on the unfinished jobs of each owner."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from service.api.problems import Problem
from service.api.request import ApiRequest
from service.log import IdempotencyKey
from service.rules.table.table import GM
from service.stores.jobs import AUDITS, IMPORTS, SIMULATIONS, Job, JobKind

MOST_WAITING: Final = 8
"""The maximum number of unfinished jobs of one kind and one owner."""
MOST_BEFORE_SEATS: Final = MOST_WAITING // 2
"""With how many unfinished jobs only the owner and the GM may ask for another, so that no seat takes all."""
TOO_MANY: Final[Mapping[str, str]] = {
    AUDITS.collection: "too-many-audits",
    IMPORTS.collection: "too-many-imports",
    SIMULATIONS.collection: "too-many-simulations",
}
"""The problem for each kind of job."""
_LOOKED_AT: Final = 10_000
"""The number of unfinished jobs, of all owners, among which an owner's are counted."""
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
    """Create a job with the parameters *wanted*; return it, and whether an earlier request created it.

    *file* is a collection and the bytes that the worker needs, stored there under the job's id. Raises the
    problem of the kind in `TOO_MANY` if the owner has too many unfinished jobs; a repeat always succeeds.
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
    is_guest = request.seat is not None and request.seat.role != GM
    most = MOST_BEFORE_SEATS if is_guest else MOST_WAITING
    if waiting >= most:
        raise Problem(
            TOO_MANY[kind.collection],
            f"{waiting} {kind.collection} of one owner wait for a worker",
            members={"limit": most},
            headers={"Retry-After": "5"},
        )


def _owner_of(request: ApiRequest, kind: JobKind, whose: str) -> str | None:
    """Return the owner of a job; None if its encounter no longer exists."""
    if kind.of == "owner":
        return whose
    entry = request.services.encounters.find(whose)
    return None if entry is None else entry.owner
