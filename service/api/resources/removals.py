"""Remove closed encounters, and show what remains of a removed one."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from service.api.fields import TextField
from service.api.operations import GM_ALONE, READERS, ResponseSchema, operation
from service.api.problems import Problem, not_found, removed
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import strict
from service.api.shapes import HASH, NUMBER, TIME, UUID, closed, component
from service.audit import bundle
from service.audit.evidence import stored_fight
from service.rules.kernel.meaning import text
from service.stores import removing

TAG: Final = "Encounters"
REMOVAL: Final = component(
    "Removal",
    closed(
        "What remains of a removed encounter.",
        encounter=UUID,
        at=TIME,
        by={"enum": ["owner", "retention"]},
        size={**NUMBER, "description": "The number of its commits."},
        hash={**HASH, "description": "The hash of its last commit."},
        bundle={**HASH, "description": "The SHA-256 of its bundle, which was downloaded or archived before."},
    ),
)
_PATH: Final = "/v1/encounters/{encounter}/removal"
NEW_REMOVAL: Final = strict(
    "NewRemoval",
    {"bundle": TextField(text("hexadecimal digits", 64), required=True, metadata={"example": "5e" * 32})},
)


@operation(
    "POST",
    _PATH,
    "removeEncounter",
    TAG,
    roles=GM_ALONE,
    outlives=True,
    body=NEW_REMOVAL,
    answers={200: ResponseSchema("The encounter is removed.", REMOVAL)},
    problems=("not-removable", "bundle-digest-mismatch"),
)
def remove_encounter(request: ApiRequest) -> ApiResponse:
    """Remove a closed encounter whose bundle you have; its record is deleted.

    `bundle` is the SHA-256 of the gm's current bundle in hexadecimal digits, which proves that you have the
    bundle. From then on every address of the encounter answers 410, except this one, its checkpoints and its
    audits.
    """
    services, encounter, had = request.services, request.encounter, request.data["bundle"]
    standing = services.removals.of(encounter)
    if standing is not None:
        if standing.bundle != had:
            raise removed(standing.public_data)
        return ApiResponse(standing.public_data)
    after = services.folder.current(encounter).state.continued
    standing = services.removals.of(after) if after is not None else None
    if (
        standing is not None and standing.bundle == had
    ):  # a repeat; the address stands for the line before now
        return ApiResponse(standing.public_data)
    entry = services.encounters.find(encounter)
    assert entry is not None, "the authenticator has checked it"
    folded = services.folder.current(encounter)
    try:
        removing.check(services.log, entry, folded)
    except removing.NotRemovable as why:
        raise Problem("not-removable", str(why)) from why
    if digest(request) != had:
        raise Problem(
            "bundle-digest-mismatch", "this is not the SHA-256 of the current bundle; download it again"
        )
    made = removing.remove(services.log, folded, had, "owner", services.clock())
    services.removals.forget(encounter)
    return ApiResponse(made.public_data)


@operation(
    "GET",
    _PATH,
    "getRemoval",
    TAG,
    roles=READERS,
    outlives=True,
    answers={200: ResponseSchema("What remains of the encounter.", REMOVAL)},
)
def get_removal(request: ApiRequest) -> ApiResponse:
    """Get what remains of a removed encounter: its number of commits, last hash and bundle digest."""
    found = request.services.removals.of(request.encounter)
    if found is None:
        raise not_found()
    return ApiResponse(found.public_data)


def digest(request: ApiRequest) -> str:
    """Return the SHA-256, in hexadecimal digits, of the bundle that the caller's seat would get now."""
    made = sha256()
    for line in bundle.write_fight(stored_fight(request.services.log, request.encounter), request.me.seat):
        made.update(line)
    return made.hexdigest()
