"""A creature as it is carried to another encounter."""

from __future__ import annotations

from typing import Final

from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.resources.states import LINE_OF, TAG, VERSION, requested_state
from service.api.shapes import NUMBER, TEXT, closed, component, ref
from service.core import views
from service.rules.kernel.messages import Refused
from service.rules.table.carried import CarriedFrom
from service.steps import Steps

CARRIED: Final = component(
    "Carried",
    closed(
        "A creature as it is carried to another encounter.",
        line=LINE_OF,
        version=NUMBER,
        edition=TEXT,
        carried=ref("CarriedCharacter"),
    ),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures/{creature}/carried",
    "getCarriedCharacter",
    TAG,
    roles=READERS,
    query=(VERSION,),
    answers={200: ResponseSchema("The carried character.", CARRIED), 304: UNCHANGED},
    problems=("not-yet-folded", "not-carriable"),
    may_wait=True,
)
def get_carried_character(request: ApiRequest) -> Steps[ApiResponse]:
    """Get a creature as it goes on to another encounter: what it is, has, has suffered and has used up.

    An opening of the same edition takes `carried` as it is, in a creature's entry, with the days between. It
    names the commit after which the character stood so, and an audit compares it with that commit. The answer
    exists while no combat runs. What is sealed from your seat is sealed in it too, so only what the gm reads
    can be carried whole.
    """
    folded, known, occasions = yield from requested_state(request)
    origin = CarriedFrom(encounter=folded.state.encounter, n=folded.n, hash=folded.hash)
    seat, creature = request.me.seat, request.path["creature"]
    try:
        found = views.carried_data(folded.ruleset, folded.state, creature, origin, seat, occasions)
    except Refused as refused:
        members = {"code": refused.code, "rule": refused.rule}
        raise Problem("not-carriable", refused.detail, members=members) from None
    if found is None:
        raise not_found()
    data = {
        "line": request.encounter,
        "version": folded.n,
        "edition": folded.ruleset.edition,
        "carried": found,
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")
