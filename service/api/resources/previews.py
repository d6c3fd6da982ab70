"""Preview a command: check whether it is legal now, without appending it or drawing dice."""

from __future__ import annotations

from typing import Final

from service.api.answers import REFUSAL
from service.api.command_outcomes import read_command
from service.api.operations import ACTORS, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import raise_if_invalid
from service.api.shapes import NUMBER, TRUTH, closed, component, ref
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.usecases import sending

TAG: Final = "Commands"
PREVIEW: Final = component(
    "Preview",
    closed(
        "Whether a command would be accepted now, judged by what its seat can see.",
        {"refusal": REFUSAL},
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
    these may depend on dice. No dice are drawn and nothing is recorded.
    """
    kind, data, found = read_command(request, request.data)
    raise_if_invalid(found)
    actor = Actor(seat=request.me.seat, role=request.me.role)
    version, refusal = sending.preview(request.services, request.encounter, actor, kind, data)
    reason = {"refusal": to_data(refusal)} if refusal is not None else {}
    return ApiResponse({"version": version, "accepted": refusal is None, **reason})
