"""Give the signed checkpoints of an encounter, and have its head signed."""

from __future__ import annotations

import time
from typing import Any, Final

from service.api.operations import READERS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE, PAGE_LIMIT, paged
from service.api.problems import Problem
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.sending import refuse_draft
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
        "A signed head: how many commits there are, and the root of the tree over their hashes (RFC 9162).",
        {"note": {**TEXT, "description": "The signed note (C2SP tlog-checkpoint), once it is signed."}},
        encounter=UUID,
        size=NUMBER,
        root=maybe(HASH),
    ),
)
CHECKPOINTS: Final = component(
    "Checkpoints", page("Signed checkpoints, the latest first.", "checkpoints", CHECKPOINT)
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
    """List the signed checkpoints, the latest first.

    One is signed when an epoch of the dice closes, when the encounter closes, and when somebody asks. The
    latest is also told in the header `Rewound-Checkpoint` of every answer about the encounter.
    """
    before = read_cursor(request.query["cursor"], 1)[0] if "cursor" in request.query else None
    limit = request.query.get("limit", PAGE)
    found = checkpoints.page(request.services.log, request.encounter, before, limit)
    data = [_shown(request.encounter, note) for _, note in found]
    return paged(request, "checkpoints", data, cursor(found[-1][0]) if len(found) == limit else None)


@operation(
    "POST",
    _PATH,
    "signCheckpoint",
    TAG,
    roles=READERS,
    answers={
        200: ResponseSchema("The head is signed.", CHECKPOINT),
        202: ResponseSchema("A worker signs it; it will stand in the list.", CHECKPOINT),
    },
    problems=("encounter-imported", "command-refused"),
)
def sign_checkpoint(request: ApiRequest) -> Steps[ApiResponse]:
    """Have the head signed as it is now, and wait for the note (`Prefer: wait=N`)."""
    log, size = request.services.log, reading.head(request.services, request.encounter)
    latest = checkpoints.latest(log, request.encounter)
    entry = request.services.encounters.find(request.encounter)
    if entry is not None and entry.imported and (latest is None or latest.size < size):
        raise Problem("encounter-imported", "it came in a bundle and is signed where it was played")
    refuse_draft(request)
    if latest is None or latest.size < size:
        checkpoints.ask(log, request.encounter, size, int(request.services.clock() * 1000))
        request.services.ring(bucket_of(request.encounter))
    ends = time.monotonic() + request.preference.seconds
    while (latest is None or latest.size < size) and time.monotonic() < ends:
        yield sleep(_TICK_S)
        latest = checkpoints.latest(log, request.encounter)
    if latest is None or latest.size < size:
        headers = {"Location": f"/v1/encounters/{request.encounter}/checkpoints", "Retry-After": "1"}
        return ApiResponse({"encounter": request.encounter, "size": size, "root": None}, 202, headers)
    note = checkpoints.note(log, request.encounter, latest)
    assert note is not None, "the latest checkpoint has its note"
    return ApiResponse(_shown(request.encounter, note))


def _shown(encounter: str, note: str) -> dict[str, Any]:
    read = checkpoint.parse(note)
    return {"encounter": encounter, "size": read.size, "root": read.root.hex(), "note": note}
