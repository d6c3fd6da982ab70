"""Hold one creature of Rise as it is now: place, hurts, what it has spent, what it can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from service.rules.kernel.records import EMPTY, changed, record, sealable
from service.rules.rise.creatures.lasting import Condition, Delayed, VitalWound
from service.rules.rise.creatures.sheet import Sheet, rank, side_of
from service.rules.space.grid import Cell, heights_apart

Turn = Literal["not_started", "open", "closed"]

RECOVERS: Final = -1
"""The amount of a recovery whose number is GM-only: all resistance, or half the maximum of hit points."""

WOUND_STEP: Final = 2
"""What each earlier wound takes off a vital roll."""


@record
class Budget:
    """What a creature has spent of its round, and how far its turn has come."""

    moved: bool = False
    """Whether the movement of the movement phase is spent."""
    standard: Literal["unused", "used", "traded_movement", "traded_minor"] = "unused"
    minors: tuple[str, ...] = ()
    """The minor actions used this round."""
    turn: Turn = "not_started"
    free: Mapping[str, int] = EMPTY
    """Uses of each free ability this round."""
    free_manipulation: bool = False
    manipulations: int = 0
    sustained: tuple[str, ...] = ()
    swift: tuple[str, ...] = ()
    """The Swift abilities it has committed to before anybody rolled."""
    followed: tuple[str, ...] = ()
    """Those of them whose other part, with the usual timing, has been used."""
    unswift: bool = False
    """Whether it commits to no more of them in this phase."""
    attacks: int = 0
    modes: Mapping[str, int] = EMPTY
    """Feet of the traded movement spent so far, by way of moving."""
    paused: bool = False
    """Whether that movement goes on."""
    knees: bool = False
    """Whether it guides its mount with its knees, which leaves both hands free."""
    bolts: bool = False
    """Whether it goes where it likes: its rider could not hold it."""


@record
class Creature:
    """One creature as it is now; its sheet says what it was made with."""

    sheet: Sheet
    position: Cell
    hp: int = sealable(blank=lambda creature: creature.sheet.hp_max)
    dr: int = sealable(blank=lambda creature: creature.sheet.dr_max)
    depth: int = 0
    """Vital wounds already taken for this time below zero."""
    wounds: tuple[VitalWound, ...] = ()
    fatigue: int = 0
    conditions: tuple[Condition, ...] = ()
    down: bool = False
    """Whether it has fallen unconscious and not woken since."""
    dead: bool = False
    defeated: bool = False
    credit: tuple[str, ...] = ()
    """Who is said to have defeated it."""
    hurt_by: tuple[str, ...] = ()
    """Who damaged it in this phase."""
    unaware_of: tuple[str, ...] = ()
    partly_unaware_of: tuple[str, ...] = ()
    """Whose attacks it expects without knowing where they come from."""
    budget: Budget = Budget()
    location_changed: bool = False
    """Whether its place changed in this phase."""
    mount: str | None = None
    recovered: bool = False
    held: tuple[str, ...] = ()
    delayed: tuple[Delayed, ...] = ()
    aloft: Literal["flying", "jumping", "falling"] | None = None
    """How it is in the air, if it is."""
    stood: Cell | None = None
    """Where it was when the phase began."""
    stood_ft: int = 0
    """How high it was then."""
    hovered: bool = False
    """Whether it spent a movement in the air in this phase, though it stayed in place."""
    altitude: int = 0
    """Feet above the ground."""
    gm_only: tuple[str, ...] = ()
    """Fields of its sheet that only the GM sees."""

    @property
    def id(self) -> str:
        """Its id, as on the sheet."""
        return self.sheet.id

    @property
    def rank(self) -> int:
        """Its size as a number."""
        return rank(self.sheet.size)

    @property
    def space(self) -> int:
        """Cells along one side of its space."""
        return side_of(self.sheet.size)

    def has(self, name: str) -> bool:
        """Tell whether the condition *name* lies on it."""
        return bool(self.conditions) and any(condition.name == name for condition in self.conditions)

    def wounded(self, effect: str) -> int:
        """Return how many of its vital wounds have *effect*."""
        return sum(wound.effect == effect for wound in self.wounds) if self.wounds else 0


def above(a: Creature, b: Creature) -> int:
    """Return the feet between two creatures' heights: 0 where they overlap, 5 for one on top of the other."""
    return heights_apart(a.altitude, a.space, b.altitude, b.space)


def on_its_way(creature: Creature, high: int) -> Creature:
    """Return *creature* as it passes others: it rises before its first step, and sinks after its last."""
    return changed(creature, altitude=max(creature.stood_ft, high))


def is_unconscious(creature: Creature) -> bool:
    """Tell whether *creature* lies unconscious: by a wound, below half its hit points, or by fatigue."""
    return (
        creature.has("unconscious")
        or creature.wounded("dying") > 0
        or (creature.wounded("faint_below_half") > 0 and 2 * creature.hp < creature.sheet.hp_max)
        or fatigue_penalty(creature) >= 5
    )


def fatigue_penalty(creature: Creature) -> int:
    """Return what fatigue beyond the creature's tolerance takes off accuracy and checks."""
    tolerance = creature.sheet.fatigue_tolerance - 2 * creature.wounded("tolerance")
    return max(0, creature.fatigue - max(0, tolerance))


def is_able(creature: Creature) -> bool:
    """Tell whether *creature* can act at all; objects never do."""
    gone = creature.dead or creature.defeated or creature.sheet.kind == "object"
    return not (gone or is_unconscious(creature))


def obeys(creature: Creature) -> bool:
    """Tell whether *creature* can act, and obeys: a mount that bolts does not."""
    return is_able(creature) and not creature.budget.bolts
