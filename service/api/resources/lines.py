"""List the lines of play of an encounter: the one that is played, those that ended, and proposals."""

from __future__ import annotations

from typing import Any, Final

from service.api.encounter_shapes import ORIGIN, ORIGIN_MEMBERS
from service.api.operations import READERS, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import NUMBER, TEXT, UUID, closed, component, listing, maybe
from service.core import seams
from service.rules.table.table import GM
from service.usecases import lines

TAG: Final = "Lines of play"
LINES: Final = component(
    "Lines",
    closed(
        "The lines of play of an encounter.",
        lines=listing(
            closed(
                "A line of play. Read it with `?line=`.",
                line=UUID,
                status={
                    "enum": ["played", "ended", "proposed", "dropped"],
                    "description": "`played`: the address of the encounter stands for it. `proposed`: the gm "
                    "may accept or drop it. `dropped`: it was proposed, and not accepted.",
                },
                amendment={
                    **maybe(TEXT),
                    "description": "The proposal that began it; null for the first line.",
                },
                version={**NUMBER, "description": "The number of its last commit."},
                origin={**maybe(ORIGIN), "description": "The commit from which it continues."},
            )
        ),
    ),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/lines",
    "listLines",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The lines, the first one first.", LINES)},
)
def list_lines(request: ApiRequest) -> ApiResponse:
    """List the lines of play that the encounter had: each undo, redo and ruling that was accepted began one.

    The address of the encounter stands for the line that is played. A line that ended is read by its id, with
    `?line=` at any address, and takes no commands. Only the gm sees what was proposed and not accepted.
    """
    found = lines.lines_of(request.services, request.address, with_proposals=request.me.role == GM)
    return ApiResponse({"lines": [_shown(request, each) for each in found]})


def _shown(request: ApiRequest, line: lines.GameLine) -> dict[str, Any]:
    log = request.services.log
    head, origin = log.head(line.encounter), seams.origin_of(log, line.encounter)
    return {
        "line": line.encounter,
        "status": line.status,
        "amendment": line.amendment,
        "version": head.folded if head is not None else 0,
        "origin": {name: origin[name] for name in ORIGIN_MEMBERS} if origin is not None else None,
    }
