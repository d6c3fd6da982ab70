"""The types of values that rulesets share: each says the kind, the bounds, the unit and the text once.

A field names the type (`speed: Feet`) and notes what is different (`Annotated[Feet, within(0, 60)]`).
A ruleset adds types of its own in the same way. Bounds are what a client may send: what the rules make of it
may be less or more, such as hit points below zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from service.rules.kernel.meaning import Meaning, at_most, named, number, text

ID: Final = r"[a-z0-9][a-z0-9-]{0,23}"
"""The pattern of ids; the names of rolls contain them."""
ID_FORM: Final = "An id of 1 to 24 characters: a-z, 0-9, -; it does not begin with -"
HEX: Final = r"[0-9a-f]*"
CREATURES: Final = 200
"""The most creatures of an encounter."""
LABEL: Final = 200
"""The most characters of a label."""
EDGES: Final = 2_000
"""The most edges, or cells, that one object or list names."""


def _id(kind: str, many: int, said: str = "") -> Any:  # noqa: ANN401 - a note of an annotation
    return text(kind, 24, least=1, pattern=ID, form=ID_FORM, said=said, many=many)


# --- ids and names ----------------------------------------------------------------------------------------

Id: TypeAlias = Annotated[str, _id("id", 100, "The id.")]
CreatureId: TypeAlias = Annotated[str, _id("creature", CREATURES), "The id of the creature."]
CreatureRef: TypeAlias = Annotated[str, text("creature", 40, many=CREATURES), "The id of the creature."]
"""A creature, or in an ability a role or `$` and the name of a parameter."""
SideId: TypeAlias = Annotated[str, _id("side", 20), "The id of the side."]
SideRef: TypeAlias = Annotated[str, text("side", 40), "The id of the side."]
"""A side, or in an ability `$` and the name of a parameter."""
SeatId: TypeAlias = Annotated[str, _id("seat", 100), "The id of the seat."]
GroupId: TypeAlias = Annotated[str, _id("group", CREATURES), "The id of the group; empty for none."]
EncounterId: TypeAlias = Annotated[str, text("encounter", 36, many=100), "The id of the encounter."]
"""A UUID in lower case with hyphens; empty in the state before the opening."""
PromptId: TypeAlias = Annotated[
    str, text("prompt", 500, many=1_000), "The id of the prompt that the command answers."
]
"""The path of the step that waits and who must answer, such as `r1/e1/stance/pia`."""
StepId: TypeAlias = Annotated[
    str, text("step", 500, many=1_000), "The id of the step, which prompts begin with."
]
"""The path of a frame, with which the prompts of its answers begin, or the id of what it is about."""
ContestId: TypeAlias = Annotated[str, text("contest", 100, many=1_000), "The id of the contest."]
AmendmentId: TypeAlias = Annotated[str, text("amendment", 100, many=1_000), "The id of the amendment."]
RulingId: TypeAlias = Annotated[str, text("ruling", 500, many=1_000)]
WoundId: TypeAlias = Annotated[
    str, text("wound", 500, many=10_000), "The id of the wound; null for the one that the rules choose."
]
"""The path of the damage that made the wound."""
RuleId: TypeAlias = Annotated[str, text("rule", 100, many=200)]
OptionKey: TypeAlias = Annotated[str, text("option", 64, many=200)]
StreamName: TypeAlias = Annotated[str, text("stream", 200, many=10_000), "The name of the stream of rolls."]
"""The name of a stream of rolls, such as `pia/attack`."""
RollId: TypeAlias = Annotated[str, text("roll", 300)]
"""The name of a roll: `epoch/lane/stream#place`."""
Occasion: TypeAlias = Annotated[
    str, text("occasion", 500, many=10_000), "The occasion, which opens what was sealed until then."
]
"""The occasion that opens what is sealed, such as `r1/e1/reveal`."""
Reader: TypeAlias = Annotated[str, text("reader", 30, many=100)]
"""Who may read something, as `seat:<id>`."""
CellKey: TypeAlias = Annotated[
    str,
    text("cell", 11, pattern=r"-?\d{1,4},-?\d{1,4}", form="a cell is written x,y, such as 3,-2", many=EDGES),
]
Hexadecimal: TypeAlias = Annotated[str, text("hexadecimal digits", 200, many=100)]
"""Hexadecimal digits of a key, a hash, a seed or a salt; a rule says how many."""
Digest: TypeAlias = Annotated[str, text("digest", 200)]
Edition: TypeAlias = Annotated[str, text("edition", 64)]
Code: TypeAlias = Annotated[str, text("code", 64, many=1_000)]
"""A word of a list that the rules know."""
Choice: TypeAlias = Annotated[str, text("choice", 500, many=1_000)]
"""One of the answers that a prompt offers."""
Member: TypeAlias = Annotated[str, text("member", 64, many=200)]
"""The name of a member of an object."""
AbilityId: TypeAlias = Annotated[str, text("ability", 40, many=200), "The id of the ability."]
WeaponId: TypeAlias = Annotated[str, _id("weapon", 40), "The id of the weapon."]
ThingName: TypeAlias = Annotated[str, text("thing", 120, many=200)]
"""What somebody carries, or what lies on the ground."""
ConditionName: TypeAlias = Annotated[str, text("condition", 64, many=100), "The name of the condition."]
SourceId: TypeAlias = Annotated[str, text("source", 200)]
"""The creature, or the thing or rule, that something comes from."""
Subject: TypeAlias = Annotated[str, text("subject", 500, many=CREATURES)]
"""What something is about: a creature, a side, a step or a place."""

CommandData: TypeAlias = Annotated[Mapping[Member, Annotated[Any, named("command")]], at_most(100)]
"""The fields of a command, which is read within its own bounds."""
CommandLike: TypeAlias = Annotated[Any, named("command")]
"""A command, or a part of one, which is read within its own bounds where it is sent on."""
StateData: TypeAlias = Annotated[Mapping[Member, Annotated[Any, named("state")]], at_most(EDGES)]
"""Parts of a state, which the service writes itself."""

# --- what people write ------------------------------------------------------------------------------------

Label: TypeAlias = Annotated[str, text("label", LABEL, many=100)]
"""A name or a title on one line."""
Remark: TypeAlias = Annotated[str, text("words", 500, lines=True, many=100)]
"""A few words that may have several lines."""
Reason: TypeAlias = Annotated[str, text("words", 1_000, lines=True, many=100), "The reason, for the record."]
Words: TypeAlias = Annotated[str, text("words", 2_000, lines=True, many=100)]
"""Prose that may have several lines."""

# --- numbers ----------------------------------------------------------------------------------------------

Ordinal: TypeAlias = Annotated[int, number("ordinal", 0, 10**9, many=10_000)]
"""The number of a commit, an event, an epoch, a day or a step of a sequence: more than any log keeps."""
Round: TypeAlias = Annotated[int, number("round", 0, 10**6, many=10_000), "The number of the round, from 1."]
"""The number of a round: a fight of a million rounds takes two months of play at ten a minute."""
Count: TypeAlias = Annotated[int, number("count", 0, 1_000, many=1_000)]
"""How many there are of something that people count at a table."""
HiddenCreature: TypeAlias = Annotated[
    int, number("hidden creature", 0, 100, many=100), "The number of the hidden creature."
]
"""The number of a creature that the gm hides: an encounter hides at most 100."""
EDGE: Final = 9_999
"""The last column and row of the map, on either side of 0."""
Coordinate: TypeAlias = Annotated[int, number("coordinate", -EDGE, EDGE)]
"""A column or a row: a map of 20,000 cells a side is 19 miles wide."""
Cell: TypeAlias = Annotated[tuple[Coordinate, Coordinate], Meaning(kind="cell", many=EDGES)]
"""A cell of the grid, as x and y."""
Direction: TypeAlias = Annotated[tuple[Coordinate, Coordinate], named("direction")]
"""A direction, as steps along x and y."""
Feet: TypeAlias = Annotated[int, number("feet", 0, 1_000, unit="feet", many=1_000), "The distance in feet."]
"""A distance at a table: the longest range of either book is 480 feet, and a map of 1,000 has 200 cells."""
Speed: TypeAlias = Annotated[int, number("speed", 0, 120, unit="feet")]
"""The feet that a creature moves in a round: twice the common 60; a search of its reach stays small."""
Seconds: TypeAlias = Annotated[
    int, number("seconds", 0, 10**12, unit="seconds", many=1_000), "How many seconds."
]
"""Seconds, also moments of the campaign's clock, which stops at 10^11: three thousand years."""
Minutes: TypeAlias = Annotated[int, number("minutes", 0, 600_000, unit="minutes")]
"""Minutes that pass at once: the 400 days by which the clock is advanced at most."""
Hours: TypeAlias = Annotated[int, number("hours", 0, 10_000, unit="hours")]
"""Hours that pass at once: a little more than 400 days."""
Days: TypeAlias = Annotated[int, number("days", 0, 400, unit="days")]
"""Days that pass at once: more than a year."""
HitPoints: TypeAlias = Annotated[int, number("hit points", 0, 10_000, unit="hit points", many=100)]
"""Hit points, and damage of one source: more than any stat block has."""
HitPointsNow: TypeAlias = Annotated[
    int, number("hit points", -(10**9), 10_000, unit="hit points"), "Its hit points."
]
"""The hit points of a creature, which one blow may bring as far below zero as a roll comes."""
Amount: TypeAlias = Annotated[int, number("amount", 0, 10_000), "How much."]
"""How much damage, healing or the like one effect does."""
DieSides: TypeAlias = Annotated[int, number("die sides", 2, 1_000, many=100)]
"""The sides of one die: a d1000 is the largest that is sold."""
DiceCount: TypeAlias = Annotated[int, number("dice", 0, 100, unit="dice")]
"""How many dice are laid or counted at once: more than hands hold."""
Face: TypeAlias = Annotated[int, number("face", 1, 1_000, many=1_000)]
"""The face of a die, from 1 to its sides."""
Level: TypeAlias = Annotated[int, number("level", 0, 1_000, many=100)]
"""A level of a creature, of fatigue or of a condition: more than either book has."""
Levels: TypeAlias = Annotated[
    int, number("levels", -100, 100), "How many levels; advantage is above zero, disadvantage below."
]
"""Levels of advantage, or below zero of disadvantage: rolls keep one die for each."""
Rank: TypeAlias = Annotated[int, number("rank", 0, 10_000)]
"""The rank of a wound or an aspect: wounds add up over a campaign."""
CheckNumber: TypeAlias = Annotated[int, number("check number", 0, 1_000)]
"""The number that a check must reach: no roll of the books comes near it."""
Points: TypeAlias = Annotated[int, number("points", 0, 1_000, unit="points")]
"""Points that a creature spends: rush and destiny."""
Sum: TypeAlias = Annotated[int, number("sum", 0, 10**9, many=1_000)]
"""What a fight or a campaign adds up, which no single command bounds: fatigue, ranks of a wound, nights."""
Experience: TypeAlias = Annotated[int, number("experience", 0, 10**6, unit="points")]
"""Experience of a character: a thousand times what an evening brings."""
Bonus: TypeAlias = Annotated[int, number("bonus", -1_000, 1_000, many=100), "What is added to the total."]
"""What is added to a roll or to a number of a sheet: more than either book prints."""
Total: TypeAlias = Annotated[int, number("total", -(10**9), 10**9, many=100), "The total of the roll."]
"""What a roll comes to, with all that is added: sums of the above stay below it."""

# --- what a value is to the record that holds it ------------------------------------------------------------

TargetId: TypeAlias = Annotated[CreatureId, "The id of the target."]
AttackerId: TypeAlias = Annotated[CreatureId, "The id of the attacker."]
Creatures: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the creatures."]
Targets: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the targets."]
Epoch: TypeAlias = Annotated[Ordinal, "The number of the dice epoch."]
CommitNumber: TypeAlias = Annotated[Ordinal, "The number of the commit."]
LaneNumber: TypeAlias = Annotated[Ordinal, "The lane: 0 for open dice, 1 for sealed dice."]
ScreenRollNumber: TypeAlias = Annotated[Ordinal, "The number of the roll behind the screen."]
SeatKey: TypeAlias = Annotated[
    Hexadecimal, "The public key with which the seat signs: Ed25519, 64 hexadecimal digits; null if none."
]
Seed: TypeAlias = Annotated[Hexadecimal, "The seed, in hexadecimal digits."]
Decision: TypeAlias = Annotated[Words, "What was decided, in words."]
Prose: TypeAlias = Annotated[Words, "The text."]
Question: TypeAlias = Annotated[Words, "The question."]
Name: TypeAlias = Annotated[Label, "The name."]
Position: TypeAlias = Annotated[Cell, "The cell of its space with the least x and y, as the two numbers."]
Causes: TypeAlias = Annotated[tuple[RuleId, ...], "The ids of the rules that caused it."]
Cells: TypeAlias = Annotated[tuple[Cell, ...], "The cells, each as x and y."]
Succeeded: TypeAlias = Annotated[bool, "Whether it succeeded."]
Controlled: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the creatures that the seat controls."]
PlaceOf: TypeAlias = Annotated[Cell, "The cell, as x and y."]
RulesetDigest: TypeAlias = Annotated[Digest, "The digest of the ruleset's source when the encounter opened."]
RulesEdition: TypeAlias = Annotated[Edition, "The edition of the rules, such as `rise@1`."]
ShownFaces: TypeAlias = Annotated[tuple[Face, ...], "The faces that the dice show, in order."]
DeclaredSides: TypeAlias = Annotated[
    tuple[SideId, ...], "The ids of the sides whose dice people throw and declare."
]
NumberFromOne: TypeAlias = Annotated[Count, "The number, counted from 1."]
RollMatter: TypeAlias = Annotated[Label, "What the roll is for, in words."]
Claim: TypeAlias = Annotated[Words, "What the seat says is wrong."]
GmOnlyFields: TypeAlias = Annotated[tuple[Code, ...], "Fields of its sheet that only the GM sees."]
EntryHitPoints: TypeAlias = Annotated[HitPointsNow, "Null takes what was carried, or the maximum."]
ChoiceCommitment: TypeAlias = Annotated[
    Hexadecimal, "SHA-256 of the choice and its salt, in hexadecimal digits."
]
SeedCommitment: TypeAlias = Annotated[Hexadecimal, "The SHA-256 of the seed, in hexadecimal digits."]
DamagePoints: TypeAlias = Annotated[HitPoints, "The damage, in points."]
PushFeet: TypeAlias = Annotated[Feet, "The feet by which it pushes."]
CommitHash: TypeAlias = Annotated[Hexadecimal, "The hash of the commit, in hexadecimal digits."]
RollerId: TypeAlias = Annotated[CreatureId, "The id of the creature that rolls."]
NewlyControlled: TypeAlias = Annotated[
    tuple[CreatureId, ...], "The ids of the creatures that the seat controls from now on."
]
WaivedSeats: TypeAlias = Annotated[
    tuple[SeatId, ...], "The ids of the seats that go without a seed of their own."
]
DisclosedLink: TypeAlias = Annotated[
    Hexadecimal, "The link of the chain that is disclosed, in hexadecimal digits."
]
ContestedRoll: TypeAlias = Annotated[
    RollId, "The name of the contested roll; null if the contest names none."
]
ContestedEvent: TypeAlias = Annotated[
    Ordinal, "The number of the contested event in its commit; null if the contest names none."
]
ControllerSeat: TypeAlias = Annotated[SeatId, "The player's seat that controls it; null is the GM."]
SeatRole: TypeAlias = Annotated[Code, "The role of the seat: `gm`, `player`, `observer` or `auditor`."]
BeganInRound: TypeAlias = Annotated[
    Round, "The round in which it began; levels that are added later do not change it."
]
SeedingSeats: TypeAlias = Annotated[tuple[SeatId, ...], "The seats that add a seed in mode `mixed`."]
RevealedSeeds: TypeAlias = Annotated[
    Mapping[SeatId, Hexadecimal], "The seed that each seat revealed, by seat."
]
Title: TypeAlias = Annotated[Label, "The title of the encounter."]
SubjectOf: TypeAlias = Annotated[Subject, "What it is about: the id of a creature or of a step."]
RollPurpose: TypeAlias = Annotated[
    Mapping[Code, Subject], "What the roll is for: who rolls, with what and against whom."
]
IsClosed: TypeAlias = Annotated[bool, "Whether it is closed and takes no more commands."]
WasTreated: TypeAlias = Annotated[bool, "Whether it was treated."]
FeetAboveGround: TypeAlias = Annotated[Feet, "Feet above the ground."]
