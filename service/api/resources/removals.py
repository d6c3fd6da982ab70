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
    """Remove a closed encounter whose bundle you have; the records of all its lines of play are deleted.

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
    remover = removing.Remover(services.log, services.folder, services.encounters)
    played = remover.played(encounter)
    try:
        remover.check(played)
    except removing.NotRemovable as why:
        raise Problem("not-removable", str(why)) from why
    if digest(request, played) != had:
        raise Problem(
            "bundle-digest-mismatch", "this is not the SHA-256 of the current bundle; download it again"
        )
    lines = remover.lines(played)
    made = remover.remove(played, had, "owner", services.clock())
    for line in lines:
        services.removals.forget(line)
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


def digest(request: ApiRequest, played: str) -> str:
    """Return the SHA-256, in hexadecimal digits, of the fight's bundle that the caller would get now."""
    made = sha256()
    for line in bundle.write_fight(stored_fight(request.services.log, played), request.me.seat):
        made.update(line)
    return made.hexdigest()
