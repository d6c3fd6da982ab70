"""Imports of files: what a map or a list of creatures of another program is in an opening."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from service.api.operations import KEY_HOLDERS, KIB, ResponseSchema, operation
from service.api.parameters import Parameter
from service.api.problems import Problem, invalid
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import OPEN, TEXT, closed, component, listing
from service.conversion import creatures, maps
from service.conversion.choices import CreatureChoices, map_choices
from service.conversion.faults import Converted, Unconvertible
from service.conversion.files import text_of
from service.rules.ruleset import Ruleset

TAG: Final = "Rulesets"
MEDIA_TYPE: Final = "application/octet-stream"
FILE_LIMIT: Final = 4 * 1024 * KIB
"""Bytes of a file without its picture."""
CONVERTED: Final = component(
    "ConvertedFile",
    closed(
        "What a file is in an opening. Nothing is opened.",
        {"edition": TEXT},
        part={**OPEN, "description": "Members of an opening: `walls`, `terrain`, `scenery`, or `creatures`."},
        notes={**listing(TEXT), "description": "What the part does not have of the file, a line each."},
    ),
)
_WORDS: Final = r"[^\x00-\x1f]{1,200}"
_CHOICES: Final = (
    Parameter("edition", "The rulebook that the opening is for.", required=True),
    Parameter("kind", "`map` or `creatures`.", pattern="map|creatures", required=True),
    Parameter(
        "windows", "Of a map: what is not closed becomes a `wall` (usual) or `open`.", pattern="wall|open"
    ),
    Parameter("ambient", "Of a map: the light of the whole map.", pattern="bright|dim|dark"),
    Parameter("part", "Of a map: the cells that are wanted, `x,y,width,height`.", pattern=_WORDS),
    Parameter("shift", "Of a map: the cells by which it moves, `x,y`.", pattern=_WORDS),
    Parameter("only", "Of creatures: the names of those that are wanted, with commas.", pattern=_WORDS),
    Parameter("place", "Of creatures: where those without a place begin, `x,y`.", pattern=_WORDS),
    Parameter("side", "Of creatures: the side of those that have none.", pattern=_WORDS),
    Parameter("stat_block", "Of creatures: the stat block of those of another game.", pattern=_WORDS),
)
_OPTION: Final = re.compile(r"--([a-z]+) (?=\S)")
_OF_MAP: Final = ("windows", "ambient", "part", "shift")
_OF_CREATURES: Final = ("only", "place", "side", "stat_block")


@operation(
    "POST",
    "/v1/imports",
    "convertFile",
    TAG,
    roles=KEY_HOLDERS,
    scope="read",
    raw_body=(MEDIA_TYPE,),
    limit=FILE_LIMIT,
    query=_CHOICES,
    answers={200: ResponseSchema("The part of an opening.", CONVERTED)},
    problems=("file-not-converted", "not-found"),
)
def convert_file(request: ApiRequest) -> ApiResponse:
    """Convert a map or a list of creatures of another program to a part of an opening.

    The body is the file as it is, in UTF-8, UTF-16 or Windows-1252. Maps are Universal VTT (leave the picture
    out, member `image`), scenes of Foundry and Dungeon Alchemist, and One Page Dungeon. Creatures are tables
    with any separator, lists of JSON or YAML, and stat blocks of Heart Rush in Markdown. Nothing is stored
    and nothing is opened: put `part` into an opening. The pages on maps and creatures say what is read.
    """
    ruleset = request.services.registry.get(str(request.query["edition"]))
    if ruleset is None:
        raise invalid(("/edition", "one of " + ", ".join(request.services.registry)))
    kind = request.query["kind"]
    unfit = _OF_CREATURES if kind == "map" else _OF_MAP
    misplaced = [name for name in unfit if name in request.query]
    if misplaced:
        raise invalid(*((f"/{name}", f"not of {kind}") for name in misplaced))
    try:
        read = text_of(request.body)
        found = _converted(str(kind), read.text, ruleset, request.query)
    except Unconvertible as fault:
        faults = [_of_query(each) for each in fault.faults]
        raise Problem("file-not-converted", faults[0], members={"faults": faults}) from None
    notes = [_of_query(each) for each in (*read.notes, *found.notes)]
    return ApiResponse({"edition": ruleset.edition, "part": found.part, "notes": notes})


def _of_query(said: str) -> str:
    """Return a note or a fault with parameters of the query where it names options of the command line."""
    return _OPTION.sub(r"?\1=", said)


def _converted(kind: str, text: str, ruleset: Ruleset[Any], query: Mapping[str, str | int]) -> Converted:
    chosen: dict[str, Any] = {
        name: str(value) for name, value in query.items() if name not in ("edition", "kind")
    }
    if kind == "map":
        of_map = {name: chosen[name] for name in _OF_MAP if name in chosen}
        return maps.convert_map(text, ruleset, map_choices(**of_map))
    of_creatures = {name: chosen[name] for name in _OF_CREATURES if name in chosen}
    return creatures.convert_creatures(text, ruleset, CreatureChoices.of(**of_creatures))
