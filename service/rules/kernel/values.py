"""The types of values that every ruleset has: each says the kind, the bounds, the unit and the text once.

A field names the type (`speed: Feet`) and notes what is different (`Annotated[Feet, within(0, 60)]`).
A ruleset adds types of its own in the same way. Bounds are what a client may send: what the rules make of it
may be less or more, such as hit points below zero.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from service.rules.kernel.meaning import named, number, text

ID: Final = r"[a-z0-9][a-z0-9-]{0,23}"
"""The pattern of ids; the names of rolls contain them."""
ID_FORM: Final = "An id of 1 to 24 characters: a-z, 0-9, -; it does not begin with -"
HEX: Final = r"[0-9a-f]*"
CREATURES: Final = 200
"""The most creatures of an encounter."""
EDGES: Final = 2_000
"""The most edges, or cells, that one object or list names."""


def _id(kind: str, many: int, said: str = "") -> Any:  # noqa: ANN401 - a note of an annotation
    return text(kind, 24, least=1, pattern=ID, form=ID_FORM, said=said, many=many)


# --- ids and names ----------------------------------------------------------------------------------------

Id: TypeAlias = Annotated[str, _id("id", 100, "The id.")]
CreatureId: TypeAlias = Annotated[str, _id("creature", CREATURES)]
SideId: TypeAlias = Annotated[str, _id("side", 20)]
SeatId: TypeAlias = Annotated[str, _id("seat", 100)]
GroupId: TypeAlias = Annotated[str, _id("group", CREATURES)]
EncounterId: TypeAlias = Annotated[str, text("encounter", 36, many=100)]
"""A UUID in lower case with hyphens; empty in the state before the opening."""
PromptId: TypeAlias = Annotated[str, text("prompt", 500, many=1_000)]
"""The path of the step that waits and who must answer, such as `r1/e1/stance/pia`."""
StepId: TypeAlias = Annotated[str, text("step", 500, many=1_000)]
"""The path of a frame, with which the prompts of its answers begin."""
ContestId: TypeAlias = Annotated[str, text("contest", 100, many=1_000)]
AmendmentId: TypeAlias = Annotated[str, text("amendment", 100, many=1_000)]
RuleId: TypeAlias = Annotated[str, text("rule", 100, many=100)]
OptionKey: TypeAlias = Annotated[str, text("option", 64, many=200)]
StreamName: TypeAlias = Annotated[str, text("stream", 200, many=1_000)]
"""The name of a stream of rolls, such as `pia/attack`."""
CellKey: TypeAlias = Annotated[
    str,
    text("cell", 11, pattern=r"-?\d{1,4},-?\d{1,4}", form="a cell is written x,y, such as 3,-2", many=EDGES),
]
EdgeName: TypeAlias = Annotated[str, text("edge", 23, many=EDGES)]
"""An edge between two cells, such as `2,0|3,0`."""
Hexadecimal: TypeAlias = Annotated[str, text("hexadecimal digits", 64, many=100)]
"""Hexadecimal digits of a key, a hash, a seed or a salt."""
Digest: TypeAlias = Annotated[str, text("digest", 80)]
Edition: TypeAlias = Annotated[str, text("edition", 64)]
Code: TypeAlias = Annotated[str, text("code", 64, many=200)]
"""A word for machines, of a list that the rules know."""
Member: TypeAlias = Annotated[str, text("member", 64, many=200)]
"""The name of a member of an object."""

# --- what people write ------------------------------------------------------------------------------------

Label: TypeAlias = Annotated[str, text("label", 120, many=100)]
"""A name or a title on one line."""
Reason: TypeAlias = Annotated[str, text("words", 500, lines=True)]
Words: TypeAlias = Annotated[str, text("words", 1_000, lines=True, many=100)]
"""Prose that may have several lines."""
Remark: TypeAlias = Annotated[str, text("words", 280, lines=True, many=100)]
"""A few words that may have several lines."""

# --- numbers ----------------------------------------------------------------------------------------------

Ordinal: TypeAlias = Annotated[int, number("ordinal", 0, 10**9, many=10_000)]
"""The number of a commit, an event, an epoch or a step of a sequence."""
Round: TypeAlias = Annotated[int, number("round", 0, 10**6, many=1_000)]
Count: TypeAlias = Annotated[int, number("count", 0, 1_000, many=1_000)]
HiddenCreature: TypeAlias = Annotated[int, number("hidden creature", 0, 100, many=100)]
"""The number of a creature that the gm hides."""
Coordinate: TypeAlias = Annotated[int, number("coordinate", -9_999, 9_999)]
Cell: TypeAlias = Annotated[tuple[Coordinate, Coordinate], named("cell")]
"""A cell of the grid, as x and y."""
Feet: TypeAlias = Annotated[int, number("feet", 0, 1_000, unit="feet", many=1_000)]
Seconds: TypeAlias = Annotated[int, number("seconds", 0, 10**11, unit="seconds", many=1_000)]
"""Seconds, also of the campaign's clock: three thousand years."""
Days: TypeAlias = Annotated[int, number("days", 0, 400, unit="days")]
HitPoints: TypeAlias = Annotated[int, number("hit points", 0, 10_000, unit="hit points", many=100)]
DieSides: TypeAlias = Annotated[int, number("die sides", 2, 1_000, many=100)]
Face: TypeAlias = Annotated[int, number("face", 1, 1_000, many=100)]
Level: TypeAlias = Annotated[int, number("level", 0, 100)]
Bonus: TypeAlias = Annotated[int, number("bonus", -1_000, 1_000, many=100)]
"""What is added to a roll or to a number of a sheet."""
Total: TypeAlias = Annotated[int, number("total", -(10**9), 10**9, many=100)]
"""What a roll comes to, with all that is added."""
