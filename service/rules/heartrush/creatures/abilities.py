"""Describe abilities as data: tags, costs, parameters, operations, and modifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar, cast

from service.rules.heartrush import books
from service.rules.heartrush.values import (
    AbilityName,
    DefinitionId,
    DiceSides,
    FlatBonus,
    GreatestValue,
    IsInstant,
    MoreWeaponDice,
    PointCount,
    StanceName,
    WithinFeet,
)
from service.rules.kernel.meaning import at_most, number, text, within
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    CREATURES,
    AbilityId,
    Code,
    ConditionName,
    Count,
    CreatureId,
    CreatureRef,
    DiceCount,
    DieSides,
    Feet,
    Levels,
    Name,
    Points,
    Seconds,
    StepId,
    Subject,
    Total,
    Words,
)
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET

# --- abilities as data ---------------------------------------------------------------------------------
# Tags, costs, parameters, and what they do as lists of operations. An ability never holds code: its
# `effects` are operations and its `always` are modifiers, both of closed families (`operations.py`,
# and below). A definition comes from the shipped catalogue or from the opening and is checked whole
# before a fight knows it (`opening.py`). This file knows no fight.

HR_ACT_2: Final = Rule(
    "HR-ACT-2",
    "An ability with the tag full action spends the action; any other does not.",
    books.COMBAT.at("Actions"),
)
HR_ABIL_10: Final = Rule(
    "HR-ABIL-10",
    "Abilities cost no action unless they carry the full action tag; a spell always does.",
    (books.COMBAT.at("Minor Abilities"), books.COMBAT.at("Major Abilities")),
)


S = TypeVar("S")

Frequency = Literal["passive", "minor", "heart", "major", "weekly", "monthly"]
Timing = Literal["priority", "slow", "quick", "instant"]
Tag = Literal[
    "passive",
    "minor",
    "heart",
    "major",
    "weekly",
    "monthly",
    "priority",
    "slow",
    "quick",
    "instant",
    "full_action",
]
FREQUENCIES: Final[tuple[str, ...]] = ("passive", "minor", "heart", "major", "weekly", "monthly")
TIMINGS: Final[tuple[str, ...]] = ("priority", "slow", "quick", "instant")

Moment = Literal[
    "any",
    "ability_declared",
    "joining_closed",
    "stances_revealed",
    "step_over",
    "attack_rolled",
    "rolls_known",
    "damage_pending",
    "damage_applied",
    "engagement_closing",
    "step_taken",
    "moves",
    "stands",
    "trip",
]
"""When a window may open; `any` is one that somebody opened by declaring at an idle moment."""

ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "attacker": ("attack_rolled", "rolls_known", "damage_pending", "damage_applied"),
    "defender": ("attack_rolled", "rolls_known", "damage_pending", "damage_applied"),
    "hitter": ("damage_pending", "damage_applied"),
    "hurt": ("damage_pending", "damage_applied"),
    "mover": ("step_taken", "moves", "stands", "trip"),
    "declarer": ("ability_declared",),
}
"""Whom a moment is about, by name, and the moments that have somebody of this name."""

Who: TypeAlias = CreatureRef
"""Whom an operation is about: `self`, `held`, a role of the moment, or `$` and a parameter."""

ParamValue: TypeAlias = (
    Annotated[str, text("parameter", 280, lines=True, many=CREATURES)]
    | Annotated[int, number("parameter", -9_999, 9_999)]
    | Annotated[
        tuple[
            Annotated[str, text("parameter", 280, many=CREATURES)]
            | Annotated[int, number("parameter", -9_999, 9_999)],
            ...,
        ],
        at_most(CREATURES),
    ]
)
"""What a parameter holds: text, a whole number, a cell, or a list of creatures."""
Params: TypeAlias = Annotated[Mapping[Code, ParamValue], at_most(20)]
Value: TypeAlias = Any
"""A value of a parameter that is not checked yet."""


@record
class Param:
    """One thing that must be said when the ability is announced."""

    many: ClassVar[int] = 20
    name: Name
    kind: Literal[
        "creature", "creatures", "stance", "ability", "number", "choice", "condition", "cell", "text"
    ]
    """The kind: which of those listed."""
    side: Literal["any", "enemy", "ally", "other"] = "any"
    """Whom a creature may be: anybody, an enemy, an ally (or oneself), anybody else."""
    within_ft: Annotated[Feet, within(1, 1_000)] | None = None
    """How far from the user a creature or a cell may be; such a cell is free too."""
    engaged: bool = False
    """Only participants of the open engagement."""
    choices: tuple[Code, ...] = ()
    """The values to choose from."""
    least: Count = 1
    """The least value."""
    most: GreatestValue = 1
    optional: bool = False
    """Whether it may be left out."""
    when: Mapping[Code, Code] = EMPTY
    """Choices that must have been said for this to be needed; otherwise it is not said at all."""


@record
class Use:
    """One use of an ability: by whom, of which, said how, and at which moment."""

    path: StepId
    creature: CreatureId
    ability: AbilityName
    params: Params = EMPTY
    """The values of the ability's parameters, by name."""
    rush: Points = 0
    """Rush paid beyond the cost: the X of an ability with optional rush."""
    moment: Moment = "any"
    """The moment in which it is used."""
    about: Mapping[Subject, Subject | Total] = EMPTY
    """What the moment is about: roles, the exchange's path, amounts."""


@record
class Requirement(Generic[S]):
    """Something that must be true of the user, the moment or the parameters."""

    many: ClassVar[int] = 20
    kind: ClassVar[str]

    def lacking(self, state: S, use: Use) -> str | None:
        """Return what is lacking, in lower case, or None where the requirement is met."""
        raise NotImplementedError


@record
class Op(Generic[S]):
    """One thing an ability does when it resolves; a frame it leaves is finished before the next."""

    many: ClassVar[int] = 20
    kind: ClassVar[str]

    def apply(self, state: S, chance: Chance, use: Use) -> Emits[S]:
        """Emit what this operation does."""
        raise NotImplementedError


@record
class Modifier:
    """Something that holds while an ability is passive on a sheet, or affects a creature for a time."""

    many: ClassVar[int] = 20
    kind: ClassVar[str]


Lasts = Literal["next_roll", "next_attack", "round", "engagement", "minute", "until_reused", "ongoing"]


@record
class Lasting:
    """A modifier that affects creatures: who laid it, with what, and until when."""

    id: Code
    """The id."""
    source: CreatureId
    """The id of the creature that laid it."""
    ability: AbilityId
    on: tuple[CreatureId, ...]
    """The ids of the creatures on which it lies."""
    modifier: Modifier
    """What it changes."""
    lasts: Lasts
    """How long it lasts."""
    until_s: Seconds | None = None
    """The campaign second at which it ends, where it ends by the clock."""


@record
class Definition:
    """What abilities and spells share: what must be said, what must hold, and what they do."""

    id: DefinitionId
    name: Name
    text: Words = ""
    """What it does in a sentence, for people."""
    trigger: tuple[Moment, ...] = ()
    """The moments an instant answers; empty at any time."""
    params: tuple[Param, ...] = ()
    """The parameters that a user chooses."""
    requires: tuple[Requirement[Any], ...] = ()
    """What must hold for it to be used."""
    effects: tuple[Op[Any], ...] = ()
    """The effects, in order."""
    always: tuple[Modifier, ...] = ()
    """What always holds for a creature that has it; passive abilities only."""


@record
class Ability(Definition):
    """An ability as printed: its tags in order, the frequency first."""

    many: ClassVar[int] = 100
    tags: tuple[Tag, ...]
    """What is special about it."""
    rush_extra: bool = False
    """Whether any number of rush points may be added."""
    talent: Literal["combat", "noncombat"] | None = None
    """The kind of talent it is bought as; null is not for sale."""
    builds_on: tuple[AbilityId, ...] = ()
    """Talents that its buyer must own."""

    @property
    def frequency(self) -> Frequency:
        """How often it may be used: its first tag, as loading has made sure."""
        return cast("Frequency", self.tags[0])

    @property
    def timing(self) -> Timing | None:
        """When it may be used; None where nothing is printed."""
        return next((cast("Timing", tag) for tag in self.tags if tag in TIMINGS), None)

    @property
    def full_action(self) -> bool:
        """Whether it spends the action."""
        return "full_action" in self.tags


@record
class Spell(Definition):
    """A spell: its elements, whether it may be cast at any moment, and whether it lasts."""

    many: ClassVar[int] = 100
    elements: tuple[AbilityId, ...]
    """The elements to which it belongs."""
    instant: IsInstant = False
    ongoing: bool = False
    """Whether it lasts until its caster ends it."""


def is_instant(definition: Ability | Spell) -> bool:
    """Return whether *definition* may be used at any moment."""
    if isinstance(definition, Spell):
        return definition.instant
    return definition.timing == "instant"


@enforces(HR_ABIL_10, HR_ACT_2)
def costs_action(definition: Ability | Spell) -> bool:
    """Return whether an ability or spell costs the action."""
    return isinstance(definition, Spell) or definition.full_action


# --- modifiers -----------------------------------------------------------------------------------------
# The closed family of modifiers that abilities are written with. A modifier is data; who asks for it, and
# what it then means, stands in `lasting`, `rolls` and `riders`.

Rolling = Literal["attack", "defense", "check", "save"]


@record
class RollBonus(Modifier):
    """Rolls of some kinds have levels of advantage (or, below zero, disadvantage), dice or points more."""

    kind: ClassVar[str] = "roll_bonus"
    rolls: tuple[Rolling, ...]
    """The rolls that it changes."""
    levels: Levels = 0
    flat: FlatBonus = 0
    weapon_dice: MoreWeaponDice = 0
    dice: tuple[DieSides, ...] = ()
    """The dice, each as its number of sides."""
    per: Literal["roll", "adjacent_enemy"] = "roll"
    """Whether `flat` counts once, or once for each adjacent enemy."""


@record
class LargerDie(Modifier):
    """The die of one ability is a size larger, up to *most*."""

    kind: ClassVar[str] = "larger_die"
    ability: AbilityName
    most: GreatestValue = 12


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
    """Which faces count: the most or the least."""


@record
class MoreSidesteps(Modifier):
    """The agility stance grants more than one sidestep."""

    kind: ClassVar[str] = "more_sidesteps"
    extra: Count = 1
    """How many more."""


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
    points: PointCount


@record
class HalfDefense(Modifier):
    """Attacks with *stance* on this creature count only half its defense roll."""

    kind: ClassVar[str] = "half_defense"
    stance: StanceName


@record
class Riposte(Modifier):
    """Where the defense roll exceeds the attack roll, the attacker takes the difference."""

    kind: ClassVar[str] = "riposte"


@record
class DicePool(Modifier):
    """Dice that may be added to defense rolls before they are seen, any number each time."""

    kind: ClassVar[str] = "dice_pool"
    sides: DiceSides
    left: DiceCount
    """How many are left."""


@record
class Curse(Modifier):
    """This creature takes damage whenever it attacks any of *guarded* near the creature that cursed it."""

    kind: ClassVar[str] = "curse"
    count: DiceCount
    """How many dice."""
    sides: DiceSides
    within_ft: WithinFeet
    guarded: tuple[CreatureRef, ...]
    """The ids of the creatures that it guards."""


@record
class Bar(Modifier):
    """This creature may not move, act, sidestep or speak; an attack on it may end that."""

    kind: ClassVar[str] = "bar"
    what: tuple[Literal["move", "act", "sidestep", "speak"], ...]
    """What it may not do."""
    until_attacked: bool = False
    """Whether it ends when the creature is attacked."""
    within_ft: WithinFeet | None = None


@record
class Shove(Modifier):
    """The next attack of this creature pushes its target."""

    kind: ClassVar[str] = "shove"
    feet: Feet


@record
class Aura(Modifier):
    """At the start of each round creatures near this one gain a condition."""

    kind: ClassVar[str] = "aura"
    condition: ConditionName
    levels: Levels = 1
    within_ft: WithinFeet = FEET
