"""Checkpoints: list those of an encounter, and request a signature of its head."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, Final

from service.api.command_outcomes import refuse_draft
from service.api.operations import READERS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.problems import Problem
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, NUMBER, TEXT, UUID, closed, component, maybe, page
from service.audit import checkpoint
from service.log import bucket_of
from service.steps import Steps, sleep
from service.stores import checkpoints
from service.usecases import reading

TAG: Final = "Record"
CHECKPOINT: Final = component(
    "Checkpoint",
    closed(
        "A signed head: the number of commits and the Merkle root over their hashes (RFC 9162).",
        {
            "note": {
                **TEXT,
                "description": "The signed note (C2SP tlog-checkpoint); absent until signed.",
            }
        },
        encounter=UUID,
        size=NUMBER,
        root=maybe(HASH),
    ),
)
CHECKPOINTS: Final = component(
    "Checkpoints", page("Signed checkpoints, latest first.", "checkpoints", CHECKPOINT)
)
_PATH: Final = "/v1/encounters/{encounter}/checkpoints"
_TICK_S: Final = 0.02


@operation(
    "GET",
    _PATH,
    "listCheckpoints",
    TAG,
    roles=READERS,
    outlives=True,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: ResponseSchema("A page of checkpoints.", CHECKPOINTS)},
)
def list_checkpoints(request: ApiRequest) -> ApiResponse:
    """List the signed checkpoints, latest first.

    The service signs a checkpoint when an epoch of the dice closes, when the encounter closes, and on
    request. Every answer about the encounter has the latest one in its header `Rewound-Checkpoint`.
    """
    read = partial(checkpoints.page, request.services.log, request.encounter)
    return newest_first(request, "checkpoints", read, partial(_shown, request.encounter))


@operation(
    "POST",
    _PATH,
    "signCheckpoint",
    TAG,
    roles=READERS,
    answers={
        200: ResponseSchema("The head is signed.", CHECKPOINT),
        202: ResponseSchema("A worker will sign the head; then it is in the list.", CHECKPOINT),
    },
    problems=("encounter-imported", "command-refused"),
    may_wait=True,
)
def sign_checkpoint(request: ApiRequest) -> Steps[ApiResponse]:
    """Request a checkpoint of the current head, and wait for its signature (`Prefer: wait=N`)."""
    log, size = request.services.log, reading.head(request.services, request.encounter)
    latest = checkpoints.latest(log, request.encounter)
    entry = request.services.encounters.find(request.encounter)
    if entry is not None and entry.imported and (latest is None or latest.size < size):
        raise Problem("encounter-imported", "an imported encounter is signed only where it was played")
    refuse_draft(request)
    if latest is None or latest.size < size:
        checkpoints.ask(log, request.encounter, size, int(request.services.clock() * 1000))
        request.services.ring(bucket_of(request.encounter))
    ends = time.monotonic() + request.preference.seconds
    while (latest is None or latest.size < size) and time.monotonic() < ends:
        yield sleep(_TICK_S)
        latest = checkpoints.latest(log, request.encounter)
    if latest is None or latest.size < size:
        headers = {"Location": request.below("/checkpoints"), "Retry-After": "1"}
        return ApiResponse({"encounter": request.encounter, "size": size, "root": None}, 202, headers)
    note = checkpoints.note(log, request.encounter, latest)
    assert note is not None, "the latest checkpoint has its note"
    return ApiResponse(_shown(request.encounter, note))


def _shown(encounter: str, note: str) -> dict[str, Any]:
    read = checkpoint.parse(note)
    return {"encounter": encounter, "size": read.size, "root": read.root.hex(), "note": note}
