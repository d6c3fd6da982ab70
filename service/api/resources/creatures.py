"""The creatures of an encounter in the short form that all rulesets share, for tokens on a map."""

from __future__ import annotations

from typing import Any, Final

from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.resources.states import LINE_OF, TAG, VERSION, requested_state
from service.api.shapes import NUMBER, SEAT, TEXT, TRUTH, closed, component, listing, maybe
from service.core import views
from service.rules.table.short_view import TOKEN_STATUSES
from service.steps import Steps

_WHOLE: Final[dict[str, Any]] = {"type": "integer"}
TOKEN: Final = component(
    "CreatureToken",
    closed(
        "A creature as a token on a map shows it.",
        id=SEAT,
        name=TEXT,
        side=TEXT,
        kind={
            **TEXT,
            "description": "What the ruleset calls it: `pc`, `npc`, `monster`, `object` and so on.",
        },
        size=TEXT,
        space={**NUMBER, "description": "Cells along one side of its space."},
        position={
            "type": "array",
            "description": "The cell of its space with the lowest x and y, as `[x, y]`.",
            "items": _WHOLE,
            "minItems": 2,
            "maxItems": 2,
        },
        height_ft={**_WHOLE, "description": "Feet above the ground."},
        status={
            "enum": list(TOKEN_STATUSES),
            "description": "`down` cannot act for now; `gone` is out of the fight alive.",
        },
        hp={**maybe(_WHOLE), "description": "Hit points; null if your seat may not know them."},
        hp_max={**maybe(_WHOLE), "description": "The maximum; null if your seat may not know it."},
        conditions={
            **listing(
                closed(
                    "A condition.",
                    name=TEXT,
                    level={**_WHOLE, "description": "1 where levels mean nothing."},
                )
            ),
            "description": "Each condition once.",
        },
        hidden={**TRUTH, "description": "Whether only the GM knows of it."},
        acts={**TRUTH, "description": "Whether your seat may see that a prompt waits for it: its turn."},
    ),
)
TOKENS: Final = component(
    "CreatureTokens",
    closed(
        "All creatures, as your seat may see them.",
        line=LINE_OF,
        version=NUMBER,
        round=NUMBER,
        creatures=listing(TOKEN),
    ),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures",
    "listCreatures",
    TAG,
    roles=READERS,
    query=(VERSION,),
    answers={200: ResponseSchema("The creatures.", TOKENS), 304: UNCHANGED},
    problems=("not-yet-folded",),
    may_wait=True,
)
def list_creatures(request: ApiRequest) -> Steps[ApiResponse]:
    """List every creature with its place, status, hit points and conditions, alike in all rulesets.

    It is a short form of the state, for tokens on a map and for a list of combatants: now, or after the
    commit `at`. In Rise, while groups act apart, each creature is shown once: as its own group has it, if
    your seat may see that.
    """
    folded, known, occasions = yield from requested_state(request)
    data = {
        "line": request.encounter,
        "version": folded.n,
        "round": folded.state.round,
        "creatures": views.creatures_data(folded.ruleset, folded.state, request.me.seat, occasions),
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")
