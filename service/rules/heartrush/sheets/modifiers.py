"""List what may hold for a creature: the closed family of modifiers that abilities are written with.

A modifier is data; who asks for it, and what it then means, stands in `lasting`, `rolls` and `riders`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from service.rules.heartrush.sheets.abilities import Modifier
from service.rules.kernel.records import record
from service.rules.space.grid import FEET

Rolling = Literal["attack", "defense", "check", "save"]


@record
class RollBonus(Modifier):
    """Rolls of some kinds have levels of advantage (or, below zero, disadvantage), dice or points more."""

    kind: ClassVar[str] = "roll_bonus"
    rolls: tuple[Rolling, ...]
    levels: int = 0
    flat: int = 0
    weapon_dice: int = 0
    dice: tuple[int, ...] = ()
    per: Literal["roll", "adjacent_enemy"] = "roll"
    """Whether `flat` counts once, or once for each adjacent enemy."""


@record
class LargerDie(Modifier):
    """The die of one ability is a size larger, up to *most*."""

    kind: ClassVar[str] = "larger_die"
    ability: str
    most: int = 12


@record
class FullHeart(Modifier):
    """The heart die rolls at its maximum size, whatever shrugging off has left of it."""

    kind: ClassVar[str] = "full_heart"


@record
class Explode(Modifier):
    """Each kept die of an attack that shows its most adds another of its size, again and again."""

    kind: ClassVar[str] = "explode"


@record
class Extremes(Modifier):
    """Every die of the roll counts as its most, or as its least."""

    kind: ClassVar[str] = "extremes"
    end: Literal["most", "least"] = "most"


@record
class MoreSidesteps(Modifier):
    """The agility stance grants more than one sidestep."""

    kind: ClassVar[str] = "more_sidesteps"
    extra: int = 1


@record
class FreeStrikes(Modifier):
    """Sidestepping does not stop this creature's opportunity attacks, and they cost nothing."""

    kind: ClassVar[str] = "free_strikes"


@record
class KeepPriority(Modifier):
    """The side keeps priority after this creature's own abilities."""

    kind: ClassVar[str] = "keep_priority"


@record
class NextRush(Modifier):
    """This creature gains rush points at the beginning of the next round."""

    kind: ClassVar[str] = "next_rush"
    points: int


@record
class HalfDefense(Modifier):
    """Attacks with *stance* on this creature count only half its defense roll."""

    kind: ClassVar[str] = "half_defense"
    stance: str


@record
class Riposte(Modifier):
    """Where the defense roll exceeds the attack roll, the attacker takes the difference."""

    kind: ClassVar[str] = "riposte"


@record
class DicePool(Modifier):
    """Dice that may be added to defense rolls before they are seen, any number each time."""

    kind: ClassVar[str] = "dice_pool"
    sides: int
    left: int


@record
class Curse(Modifier):
    """This creature takes damage whenever it attacks any of *guarded* near the creature that cursed it."""

    kind: ClassVar[str] = "curse"
    count: int
    sides: int
    within_ft: int
    guarded: tuple[str, ...]


@record
class Bar(Modifier):
    """This creature may not move, act, sidestep or speak; an attack on it may end that."""

    kind: ClassVar[str] = "bar"
    what: tuple[Literal["move", "act", "sidestep", "speak"], ...]
    until_attacked: bool = False
    within_ft: int | None = None


@record
class Shove(Modifier):
    """The next attack of this creature pushes its target."""

    kind: ClassVar[str] = "shove"
    feet: int


@record
class Aura(Modifier):
    """At the start of each round creatures near this one gain a condition."""

    kind: ClassVar[str] = "aura"
    condition: str
    levels: int = 1
    within_ft: int = FEET
