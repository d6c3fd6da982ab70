"""Describe what no fight changes: a creature's sheet, and the ground; and what is noted beside a fight."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from service.rules.heartrush import books
from service.rules.heartrush.values import (
    AbilityIds,
    ChallengeNumber,
    ConditionLevel,
    DestinyPoints,
    EndSecond,
    Matter,
    Viewers,
)
from service.rules.kernel.meaning import within
from service.rules.kernel.records import EMPTY, record, sealable
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    AbilityId,
    Bonus,
    Cell,
    CellKey,
    CheckNumber,
    Code,
    Count,
    CreatureId,
    DiceCount,
    Experience,
    Feet,
    HitPoints,
    Level,
    Name,
    Prose,
    Rank,
    Seconds,
    SideId,
    Speed,
    WeaponId,
)
from service.rules.openings import Id
from service.rules.rolls.withheld import ROLLS
from service.rules.space.walls import EdgeKey

# --- sheets --------------------------------------------------------------------------------------------
# Sizes, dice, weapons, armor. No fight changes it.

HR_SIZE_1: Final = Rule(
    "HR-SIZE-1",
    "Sizes go from minuscule over tiny, small, medium and large to L2 and on; a step is one level.",
    books.BASICS.at("Size"),
)


Size = Literal["minuscule", "tiny", "small", "medium", "large", "l2", "l3", "l4", "l5", "l6", "l7", "l8"]
SizeClass = Literal["ultralight", "light", "heavy"]
AttackType = Literal["melee", "ranged", "thrown", "whip"]
DamageType = Literal["bludgeoning", "slashing", "piercing", "none"]
ArmorKind = Literal["none", "light", "medium", "heavy", "natural"]
ShieldKind = Literal["none", "light", "heavy"]
Ability: TypeAlias = Annotated[
    Literal["might", "agility", "cunning", "presence"], "Might, agility, cunning or presence."
]
DieSize = Literal[2, 4, 6, 8, 10, 12, 20]

SIZES: Final[tuple[str, ...]] = (
    "minuscule",
    "tiny",
    "small",
    "medium",
    "large",
    "l2",
    "l3",
    "l4",
    "l5",
    "l6",
    "l7",
    "l8",
)
WEAPON_DIE: Final[Mapping[str, int]] = MappingProxyType({"heavy": 12, "light": 8, "ultralight": 4})
ARMOR: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "light": 2, "medium": 4, "heavy": 6})
ARMOR_PENALTY: Final[Mapping[str, int]] = MappingProxyType(
    {"none": 0, "light": 5, "medium": 10, "heavy": 15, "natural": 0}
)
SHIELD: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "light": 1, "heavy": 2})
SHIELD_PENALTY: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "light": 0, "heavy": 5})
HEAVY_WEAPON_PENALTY: Final = 5


@record
class Cantrip:
    """What makes a weapon a cantrip: the element it needs, its form, and what a hit brings."""

    element: AbilityId
    """The id of the element to which its wielder has to be attuned."""
    form: Literal["bolt", "blast"]
    """Whether it strikes one creature or an area."""
    harmless: bool = False
    """Whether a hit does no damage, only what else it brings."""
    conditions: Mapping[Code, ConditionLevel] = EMPTY
    """Levels of conditions for whom it hits."""
    push_ft: Annotated[Feet, within(0, 1_000, step=5)] = 0
    """Feet it pushes whom it hits straight away, in fives."""
    drenches: bool = False
    """Whether whom it hits is wet, and burns no more."""
    doubled_by: tuple[Literal["wet", "metal_armor"], ...] = ()
    """What about the target doubles the attack roll."""
    might_conditions: Mapping[Code, ConditionLevel] = EMPTY
    """The levels of each condition that a strong hit adds."""
    might_push_ft: Annotated[Feet, within(0, 1_000, step=5)] = 0
    """The might bonus, added to the above; with neither it has the bonus of its attack type."""


@record
class Weapon:
    """One weapon: how heavy it is, how it strikes, and which stance its damage type favours.

    A cantrip is a weapon with the tag `spell`: a bolt is ranged, a blast melee.
    """

    many: ClassVar[int] = 40
    sentence: ClassVar[str] = "{id}"
    id: WeaponId
    """The id."""
    size_class: SizeClass = "ultralight"
    """The weapon's class: light, heavy and so on."""
    attack_type: AttackType = "melee"
    """Whether it strikes in melee or at range."""
    damage_type: DamageType = "bludgeoning"
    """`none` is for cantrips that are of no such kind."""
    tags: tuple[Literal["reach", "natural", "spell"], ...] = ()
    """What is special about it."""
    cantrip: Cantrip | None = None
    """The cantrip that the weapon casts; null for none."""

    def in_words(self) -> str:
        """Return what people read of it beside its name."""
        damage = "" if self.damage_type == "none" else f", {self.damage_type}"
        tags = "".join(f", {tag}" for tag in self.tags)
        return f"{self.size_class} {self.attack_type} weapon{damage}{tags}"


UNARMED: Final = Weapon(id="unarmed")
"""Fists count as an improvised, ultralight melee weapon."""


@record
class Aspect:
    """Something a character is known for, with its rank from 1 to 5."""

    many: ClassVar[int] = 20
    text: Prose
    rank: Rank = 1
    """The rank."""


@record
class Growth:
    """What a character has earned and bought; bought dice and hit points stand on the sheet itself."""

    xp_total: Experience = 0
    """Everything ever awarded: the heart die grows with it, spent or not."""
    xp_unspent: Experience = 0
    """Its experience that is not spent yet."""
    aspects: tuple[Aspect, ...] = ()
    """Its aspects."""
    combat_talents: tuple[AbilityId, ...] = ()
    """The ids of its combat talents."""
    noncombat_talents: tuple[AbilityId, ...] = ()
    """The ids of its talents outside combat."""
    destiny_levels: tuple[AbilityId, ...] = ()
    """Talents whose destiny level is owned, once for each level."""
    spells: tuple[AbilityId, ...] = ()
    """The ids of its spells."""
    attunements: tuple[AbilityId, ...] = ()
    """Elements it is attuned to."""
    advanced_attunements: tuple[AbilityId, ...] = ()
    """The elements to which its attunement is advanced."""
    paragon_attunements: tuple[AbilityId, ...] = ()
    """The elements to which its attunement is a paragon's."""
    spelltouched: bool = False
    """Whether it is spelltouched."""


@record
class Poison:
    """One poison: what a dose does to whom a coated weapon hurts, and how long a coat of it stays potent."""

    many: ClassVar[int] = 20
    sentence: ClassVar[str] = "{id}"
    id: Id
    doses: Annotated[Count, within(0, 100)] = 1
    """How many doses are left."""
    dice: Annotated[DiceCount, within(0, 20)] = 1
    """The number of dice."""
    sides: DieSize = 6
    """The number of sides of its dice."""
    conditions: Mapping[Code, Level] = EMPTY
    """Levels of conditions it brings besides its damage."""
    potent_s: Annotated[Seconds, within(0, 10**11)] | None = None
    """Seconds a coat stays potent; null lasts until it is used."""
    on_weapons: bool = True
    """Whether it coats weapons."""


@record
class Sheet:
    """What a creature is before the fight: dice as numbers of faces, distances in feet.

    Sealable fields may be GM-only. The heart die is none: every roll throws it. Nor are weapons, which are
    seen, nor abilities: the fight holds what they do, and a prompt shows them.
    """

    sentence: ClassVar[str] = "{name}"
    id: CreatureId
    """The id."""
    name: Name
    side: SideId
    kind: Literal["pc", "npc", "companion"] = "npc"
    """The kind: which of those listed."""
    size: Size = "medium"
    """Its size."""
    might: DieSize = sealable(default=6)
    """The sides of its might die."""
    agility: DieSize = sealable(default=6)
    """The sides of its agility die."""
    cunning: DieSize = sealable(default=4)
    """The sides of its cunning die."""
    presence: DieSize = sealable(default=4)
    """The sides of its presence die."""
    heart_die: DieSize = 8
    """The largest the heart die gets; shrugging off lowers the live one."""
    hp_max: Annotated[HitPoints, within(1, 10_000)] = sealable(default=40, brings=("hp",))
    """Its greatest hit points."""
    wound_threshold: HitPoints | None = sealable(default=None)
    """Final damage that wounds; null takes the house's option."""
    woundable: bool = True
    """Whether it gains wounds."""
    armor: ArmorKind = sealable(default="none", brings=(ROLLS,))
    """The armor that it wears."""
    natural_armor: Bonus = sealable(default=0, brings=(ROLLS,))
    """The armor value of its body."""
    metal_armor: bool = False
    """Whether its armor conducts."""
    shield: ShieldKind = sealable(default="none", brings=(ROLLS,))
    """The shield that it carries."""
    attack_bonus: Bonus = sealable(default=0, brings=(ROLLS,))
    """What is added to its attack rolls."""
    defense_bonus: Bonus = sealable(default=0, brings=(ROLLS,))
    """What is added to its defense rolls."""
    weapons: tuple[Weapon, ...] = ()
    """Its weapons."""
    wielded: WeaponId | None = None
    """The weapon in hand when the fight begins; null takes the first."""
    speed: Speed = sealable(default=60)
    """Its speed in feet."""
    swim_speed: Speed = sealable(default=15)
    """Its swimming speed in feet."""
    climb_speed: Speed = sealable(default=5)
    """Its climbing speed in feet."""
    darkvision: bool = False
    """Whether it sees in the dark."""
    breathes_water: bool = False
    """Whether it needs no breath under water."""
    abilities: AbilityIds = ()
    poisons: tuple[Poison, ...] = ()
    """The poisons that it carries."""
    potions: Annotated[Count, within(0, 100)] = 0
    """Healing potions it carries."""
    lantern_ft: Annotated[Feet, within(0, 60, step=5)] = 0
    """Feet around it that its lantern lights brightly, and as far again dimly; 0 for no lantern."""
    paragon_level: Level = 0
    """Its paragon level."""
    combat_rank: Level = 0
    """Its combat rank."""
    destiny_points: DestinyPoints = 3
    growth: Growth = Growth()
    """What its experience has bought."""


_RANKS: Final[Mapping[str, int]] = MappingProxyType({size: place for place, size in enumerate(SIZES)})
_SPACES: Final[Mapping[str, int]] = MappingProxyType(
    {size: max(1, place - _RANKS["large"] + 1) for size, place in _RANKS.items()}
)


@enforces(HR_SIZE_1)
def rank(size: str) -> int:
    """Return *size* as a number; a difference of 1 is one level."""
    return _RANKS[size]


def side_of(size: str) -> int:
    """Return how many cells a creature of *size* fills along one side: 1 up to large, n for Ln."""
    return _SPACES[size]


def smaller_die(sides: int) -> int:
    """Return the next smaller die of the ladder d4, d6, d8, d10, d12, d20; d4 stays."""
    ladder = (4, 6, 8, 10, 12, 20)
    return ladder[max(0, ladder.index(sides) - 1)] if sides in ladder else sides


# --- the ground ----------------------------------------------------------------------------------------

Terrain = Literal["normal", "difficult", "shallow_water", "deep_water", "wall", "climb"]


Light = Literal["bright", "dim", "dark"]


@record
class Water:
    """Deep water: the smallest size that can stand in it (null: none), and whether heads are under it."""

    stands_from: Size | None = "minuscule"
    """The least size that stands in it; null if nobody does."""
    submerged: bool = False
    """Whether it covers those in it."""


@record
class Scenery:
    """What the ground is like besides its terrain; cells are written `x,y`."""

    ambient: Light = "bright"
    """The light of every cell that is not listed."""
    light: Mapping[CellKey, Light] = EMPTY
    """The light of cells, by `x,y`, such as `3,-2`."""
    water: Mapping[CellKey, Water] = EMPTY
    """The water of cells of deep water, by `x,y`; in one that is not listed everybody can stand."""
    climb_cn: Mapping[CellKey, Annotated[CheckNumber, within(1, 200)]] = EMPTY
    """The number of the might check that a cell of climb takes, by `x,y`; one not listed takes none."""
    sheer: tuple[CellKey, ...] = ()
    """Cells of climb that nobody can climb, as `x,y`."""
    heights: Mapping[CellKey, Annotated[Feet, within(0, 1_000, step=5)]] = EMPTY
    """Feet that cells are above the others, in steps of 5, by `x,y`."""
    ledges: tuple[EdgeKey, ...] = ()
    """Edges between cells of different height at which the ground drops; elsewhere it slopes."""


# --- notes ---------------------------------------------------------------------------------------------
# Answers in advance, requests, coats of poison, leave.


@record
class Standing:
    """What a seat answers in advance for a creature, so that play need not wait for it."""

    sentence: ClassVar[str] = "{windows} in windows, {shrug} where it may shrug off a condition"
    windows: Literal["ask", "only_abilities", "pass"] = "ask"
    """What the seat answers in windows."""
    shrug: Literal["ask", "never", "if_it_kills"] = "ask"
    """Whether the seat shrugs off damage."""


@record
class Complication:
    """A complication that a check brought, until the GM has said what it is."""

    id: Code
    """The id."""
    creature: CreatureId
    what: Matter


@record
class Request:
    """Something a player asked the GM to rule on."""

    id: Code
    """The id."""
    creature: CreatureId
    text: Prose


@record
class Coat:
    """Poison on a weapon, and the campaign second at which it lapses; null never does."""

    poison: Poison
    """The poison."""
    until_s: EndSecond | None = None


@record
class Thing:
    """A weapon or a shield that lies on the ground."""

    position: Cell
    """The cell where it lies, as x and y."""
    weapon: Weapon | None = None
    """The weapon; null for a shield."""
    shield: ShieldKind = "none"
    """The shield; `none` for a weapon."""
    coat: Coat | None = None
    """The poison on it; null for none."""


@record
class HidingPlace:
    """The GM's leave to hide: the number of the stealth check, and whom success hides from."""

    cn: ChallengeNumber
    viewers: Viewers
