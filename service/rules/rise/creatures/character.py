"""Describe a character of Rise as it goes on from fight to fight, and how a creature enters one.

`Character` is the part of a creature's state that outlasts a fight. The state of a creature extends it, what
is carried to another encounter contains it, and an opening takes it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from service.rules.kernel.records import EMPTY, computed_from, record, sealable
from service.rules.kernel.values import (
    Bonus,
    Code,
    CreatureId,
    Days,
    DieSides,
    EntryHitPoints,
    Face,
    Feet,
    GmOnlyFields,
    HitPoints,
    HitPointsNow,
    Name,
    Position,
    Round,
    SeatId,
    Sum,
    ThingName,
    Total,
    WasTreated,
)
from service.rules.rise.creatures.sheet import Sheet, Tick, Until, rank, side_of
from service.rules.rise.values import EffectSource
from service.rules.table.carried import Carried


@record
class Condition:
    """A condition or timed effect on a creature."""

    many: ClassVar[int] = 1_000
    name: Name
    source: EffectSource = ""
    until: Until = "condition"
    """When it ends."""
    expires: Round | None = None
    """The round at whose end it is gone."""
    since: Round = 0
    """The round in which it began."""
    modifiers: Mapping[Code, Bonus] = EMPTY
    """What it changes, by name."""
    dice: tuple[DieSides, ...] = ()
    """Dice of extra damage that it adds to attacks of a creature that has it."""
    tick: Tick | None = None
    """What it does by itself at the boundaries of rounds; null for nothing."""
    keep: Literal["free", "minor", "standard"] = "minor"
    """The action that keeps it up, where it is sustained."""


@record
class VitalWound:
    """One vital wound: its die, what it came to, and the round in which it kills if nobody treats it."""

    many: ClassVar[int] = 10_000
    die: Face
    """The face of its die."""
    result: Total
    """What the die came to, with all that adds to it."""
    effect: Code
    """What the wound does."""
    gained: Round
    """The round in which it was gained."""
    phase: Code = ""
    """The stage of that round."""
    treated: WasTreated = False
    deadline: Round | None = None
    """The round in which it kills if it is not treated; null if it does not."""
    by: SeatId | None = None
    """The seat that declared the die."""


@record
class Character:
    """What of a creature goes on when a fight is over; its sheet says what it was made with."""

    sheet: Sheet
    """What is written down about the creature."""
    hp: HitPointsNow = sealable(blank=lambda creature: creature.sheet.hp_max)
    dr: HitPoints = sealable(blank=lambda creature: creature.sheet.dr_max)
    """Its damage resistance that is left."""
    wounds: tuple[VitalWound, ...] = ()
    """Its vital wounds."""
    fatigue: Sum = 0
    """Its levels of fatigue."""
    conditions: tuple[Condition, ...] = ()
    """Its conditions."""
    down: bool = False
    """Whether it has fallen unconscious and not woken since."""
    dead: bool = False
    """Whether it is dead."""
    defeated: bool = False
    """Whether it is out of the fight."""
    recovered: bool = False
    """Whether it has recovered in this fight."""
    held: tuple[ThingName, ...] = ()
    """The names of the things in its hands."""
    gm_only: GmOnlyFields = ()

    @computed_from("sheet")
    def id(self) -> str:
        """Its id, as on the sheet."""
        return self.sheet.id

    @computed_from("sheet")
    def rank(self) -> int:
        """Its size as a number."""
        return rank(self.sheet.size)

    @computed_from("sheet")
    def space(self) -> int:
        """Cells along one side of its space."""
        return side_of(self.sheet.size)

    def has(self, name: str) -> bool:
        """Return whether the condition *name* lies on it."""
        return name in self.condition_names

    @computed_from("conditions")
    def condition_names(self) -> tuple[str, ...]:
        """The names of the conditions that lie on it."""
        return tuple([condition.name for condition in self.conditions])

    def wounded(self, effect: str) -> int:
        """Return how many of its vital wounds have *effect*."""
        return sum(wound.effect == effect for wound in self.wounds) if self.wounds else 0

    @computed_from("conditions", "fatigue", "hp", "sheet", "wounds")
    def is_unconscious(self) -> bool:
        """Whether it lies unconscious: by a wound, below half its hit points, or by fatigue."""
        return (
            self.has("unconscious")
            or self.wounded("dying") > 0
            or (self.wounded("faint_below_half") > 0 and 2 * self.hp < self.sheet.hp_max)
            or self.fatigue_penalty >= 5
        )

    @property
    def fatigue_penalty(self) -> int:
        """What fatigue beyond its tolerance takes off its accuracy and checks."""
        tolerance = self.sheet.fatigue_tolerance - 2 * self.wounded("tolerance")
        return max(0, self.fatigue - max(0, tolerance))


@record
class CarriedCharacter(Carried):
    """A character as it stood after a commit of another encounter; an opening takes it as it is."""

    character: Character
    """The character as it stood."""


@record
class Entry:
    """A creature that takes part, and where and how it stands: by its sheet, or as carried.

    Beside a carried character `sheet`, `hp`, `dr` and `fatigue` replace what was carried: the audit names
    them as written in by hand.
    """

    many: ClassVar[int] = 200
    sentence: ClassVar[str] = "[{sheet} ]at {position}"
    position: Position
    sheet: Sheet | None = None
    """Null takes the carried character's."""
    hp: EntryHitPoints | None = sealable(default=None)
    dr: HitPoints | None = sealable(default=None)
    """The damage resistance with which it enters; null for what was carried, or all of it."""
    fatigue: Sum | None = None
    """The levels of fatigue with which it enters; null for what was carried, or none."""
    mount: CreatureId | None = None
    """The creature it rides."""
    altitude: Feet = 0
    """Feet above the ground in which it flies."""
    gm_only: tuple[Code, ...] = ()
    """Fields of the sheet that only the GM sees; not of a player's character."""
    carried: CarriedCharacter | None = None
    """The character as it stood in another encounter."""
    days_between: Days = 0
    """Days that pass for a carried character before it enters, each with a long rest."""


Entering: TypeAlias = Annotated[
    Entry, "The creature as it enters the fight: its sheet, its place and who controls it."
]


@record
class Arrival:
    """A creature on its way: who it is, and which player's seat is to control it."""

    entry: Entering
    seat: SeatId | None = None
    """Null is the GM."""


def sheet_of(entry: Entry) -> Sheet:
    """Return the sheet of *entry*: its own, or the carried one; one must be there."""
    if entry.sheet is not None:
        return entry.sheet
    assert entry.carried is not None, "an entry without a sheet has a carried character"
    return entry.carried.character.sheet
