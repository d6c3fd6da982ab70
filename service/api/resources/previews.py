"""Preview a command: check whether it is legal now, without appending it or drawing dice."""

from __future__ import annotations

from typing import Any, Final

from service.api.answers import REFUSAL
from service.api.command_outcomes import read_command
from service.api.operations import ACTORS, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import raise_if_invalid
from service.api.shapes import NUMBER, TEXT, TRUTH, closed, component, listing, ref
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.usecases import sending

TAG: Final = "Commands"
_CELL: Final[dict[str, Any]] = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
WAY: Final = component(
    "Way",
    closed(
        "The way of a movement, as its seat foresees it: nobody answers it, and no die is thrown.",
        path={**listing(_CELL), "description": "The cells in order, without the one where it begins."},
        feet={**NUMBER, "description": "What it costs of the speed, in feet."},
        provokes={**listing(TEXT), "description": "The ids of the creatures that may strike at the mover."},
    ),
)
PREVIEW: Final = component(
    "Preview",
    closed(
        "Whether a command would be accepted now, judged by what its seat can see.",
        {"refusal": REFUSAL, "way": {**WAY, "description": "The way that the mover would take."}},
        version=NUMBER,
        accepted=TRUTH,
    ),
)


@operation(
    "POST",
    "/v1/encounters/{encounter}/previews",
    "previewCommand",
    TAG,
    roles=ACTORS,
    scope="read",
    body=ref("Command"),
    answers={200: ResponseSchema("The preview.", PREVIEW)},
)
def preview_command(request: ApiRequest) -> ApiResponse:
    """Check whether a command would be accepted now, without sending it.

    It is judged like a sent command, on your seat's view. The answer does not include its effects, because
    these may depend on dice. Of a movement it has the way: its cells, what it costs, and whom it provokes, as
    far as your seat can know. No dice are drawn and nothing is recorded.
    """
    kind, data, found = read_command(request, request.data)
    raise_if_invalid(found)
    actor = Actor(seat=request.me.seat, role=request.me.role)
    version, refusal, way = sending.preview(request.services, request.encounter, actor, kind, data)
    reason = {"refusal": to_data(refusal)} if refusal is not None else {}
    foreseen = {"way": to_data(way)} if way is not None else {}
    return ApiResponse({"version": version, "accepted": refusal is None, **reason, **foreseen})
