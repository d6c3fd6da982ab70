"""Describe what is printed: a creature's sheet, and what differs between two printings of the book."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from service.rules.kernel.meaning import within
from service.rules.kernel.messages import TABLE
from service.rules.kernel.records import EMPTY, computed_from, record, sealable
from service.rules.kernel.values import (
    AbilityId,
    Amount,
    Bonus,
    Code,
    ConditionName,
    Count,
    CreatureId,
    DamagePoints,
    DieSides,
    Feet,
    HitPoints,
    Level,
    Name,
    SideId,
    Speed,
    Total,
    WeaponId,
)
from service.rules.rise.values import FatigueCost
from service.rules.table.table import GM

# --- printings -----------------------------------------------------------------------------------------
# Which defenses there are, and what a wound does. Code asks the profile; it never asks which profile it is.


@record
class Profile:
    """One printing: its defenses, and which of them the brawling abilities attack."""

    defenses: tuple[Code, ...]
    shove: tuple[Code, ...]
    """The defense that shove, overrun and throwing the unwilling attack."""
    grapple: tuple[Code, ...]
    trip: tuple[Code, ...]
    vital: Mapping[int, Code]
    """What a vital roll of 1 to 9 does, by result."""
    throw_base_ft: Feet
    exploding: bool
    """Whether the table may lower the face that explodes."""
    dirty_trick: bool
    squeeze_halves_speed: bool
    mounts_sprint: bool
    thrown_ft: Feet
    """How far a weapon flies that is not made for throwing."""


FOUR: Final = ("armor", "fortitude", "reflex", "mental")
FIVE: Final = ("armor", "brawn", "fortitude", "reflex", "mental")

_FIRST: Final = {1: "faint_below_half", 2: "accuracy", 3: "speed"}

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "rise-4d": Profile(
            defenses=FOUR,
            shove=("fortitude",),
            grapple=("fortitude", "reflex"),
            trip=("fortitude", "reflex"),
            vital=MappingProxyType(
                _FIRST
                | {4: "half_dr", 5: "tolerance", 6: "defenses", 7: "fortitude", 8: "reflex", 9: "mental"}
            ),
            throw_base_ft=15,
            exploding=True,
            dirty_trick=True,
            squeeze_halves_speed=True,
            mounts_sprint=True,
            thrown_ft=30,
        ),
        "rise-5d": Profile(
            defenses=FIVE,
            shove=("brawn",),
            grapple=("brawn", "reflex"),
            trip=("brawn",),
            vital=MappingProxyType(
                _FIRST | {4: "tolerance", 5: "defenses", 6: "brawn", 7: "fortitude", 8: "reflex", 9: "mental"}
            ),
            throw_base_ft=10,
            exploding=False,
            dirty_trick=False,
            squeeze_halves_speed=False,
            mounts_sprint=False,
            thrown_ft=20,
        ),
    }
)


# --- sheets --------------------------------------------------------------------------------------------
# Attributes, defenses, weapons, abilities.

RESERVED: Final = (TABLE, GM)
"""Names that are nobody's: the table's and the gm's."""

Size = Literal["fine", "diminutive", "tiny", "small", "medium", "large", "huge", "gargantuan", "colossal"]
Usage = Literal["standard", "minor", "free", "movement", "move_or_standard", "none"]
Sort: TypeAlias = Annotated[Literal["normal", "environmental", "subdual"], "The sort of damage."]
Until = Literal["phase", "round", "brief", "sustain", "condition", "permanent"]
GroundUntil = Literal["phase", "round", "brief", "condition", "permanent"]
"""How long a zone lasts: nobody keeps one up."""
Mode = Literal["land", "climb", "swim", "fly", "glide", "burrow", "teleport"]

SIZES: Final[tuple[str, ...]] = (
    "fine",
    "diminutive",
    "tiny",
    "small",
    "medium",
    "large",
    "huge",
    "gargantuan",
    "colossal",
)
_SPACES: Final[Mapping[str, int]] = MappingProxyType({"large": 2, "huge": 3, "gargantuan": 4, "colossal": 6})
_SPEEDS: Final = (10, 10, 20, 20, 30, 40, 50, 60, 80)


def rank(size: str) -> int:
    """Return the place of *size* in the order of sizes."""
    return SIZES.index(size)


def side_of(size: str) -> int:
    """Return how many cells a creature of *size* fills along one side."""
    return _SPACES.get(size, 1)


def base_speed(size: str) -> int:
    """Return the feet a creature of *size* walks where its sheet does not say."""
    return _SPEEDS[rank(size)]


@record
class Tick:
    """What an effect does by itself at one of the six boundaries of a round: steps 1, 2, 4, 5, 10 and 11."""

    step: Annotated[Count, within(1, 11)]
    """The step of the round, from 1 to 11."""
    damage: DamagePoints = 0
    heal: HitPoints = 0
    """The hit points that it heals."""
    sort: Sort = "environmental"


@record
class Effect:
    """One thing an ability does to its target or its user."""

    many: ClassVar[int] = 20
    does: Literal["damage", "extra", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "push", "knockback"]
    """Extra damage is added to the ability's own attack, halved and multiplied with it.

    Pushes and knockbacks go straight away from the user, as many feet as the amount says.
    """
    to: Literal["target", "self"] = "target"
    """Whether it happens to the target or to the user."""
    amount: Annotated[Amount, within(0, 1_000)] = 0
    dice: tuple[DieSides, ...] = ()
    """Dice added to the amount; of a condition gained, what it adds to the damage of each attack."""
    sort: Sort = "normal"
    condition: ConditionName = ""
    """The condition gained or lost; `*` loses all."""
    modifiers: Mapping[Code, Bonus] = EMPTY
    """What the condition adds, by defense, `defenses`, `accuracy`, `speed`, or `damage` of attacks."""
    until: Until = "condition"
    """When it ends."""
    tick: Tick | None = None
    """What it does by itself at the boundaries of rounds; null for nothing."""
    keep: Literal["free", "minor", "standard"] = "minor"
    """The action that keeps it up, where it lasts as long as it is sustained."""
    swift: bool = False
    """Whether this part resolves before everything that is not Swift."""


@record
class Strike:
    """How something attacks: against which defenses, all of which it must beat, and with what damage."""

    versus: tuple[Code, ...] = ("armor",)
    """The defenses against which it is rolled."""
    accuracy: Bonus = 0
    """What is added to the attack roll."""
    dice: tuple[DieSides, ...] = ()
    """The dice of its damage, each as its number of sides."""
    flat: Bonus = 0
    """What is added to the damage."""
    sort: Sort = "normal"
    damaging: bool = True
    """Whether it does damage."""
    half_on_miss: bool = False
    """Whether a miss does half damage."""
    brawling: bool = False
    """Whether it is made without a weapon."""
    crit_bonus: Bonus = 0
    """Accuracy that counts only for whether a hit is critical."""

    def in_words(self) -> str:
        """Return what people read of it."""
        parts = [*(f"d{sides}" for sides in self.dice), *([str(self.flat)] if self.flat else [])]
        damage = f"{' + '.join(parts)} damage" if parts and self.damaging else "no damage"
        accuracy = f", {self.accuracy:+d} accuracy" if self.accuracy else ""
        half = ", half on a miss" if self.half_on_miss else ""
        return f"{damage} against {' and '.join(self.versus)}{accuracy}{half}"


@record
class Weapon:
    """A weapon: its strike, and how far it reaches."""

    many: ClassVar[int] = 40
    id: WeaponId
    """The id."""
    strike: Strike
    """The strike; null for none."""
    melee: bool = True
    """Whether it strikes in melee."""
    projectile: bool = False
    """Whether it shoots."""
    thrown: bool = False
    """Whether it can be thrown."""
    close_ft: Feet = 5
    """Reach, or the range up to which there is no penalty."""
    long_ft: Feet = 5
    """Its long range in feet."""

    def in_words(self) -> str:
        """Return what people read of it beside its name."""
        ways = {"melee": self.melee, "shot": self.projectile, "thrown": self.thrown}
        how = " or ".join(way for way, is_so in ways.items() if is_so)
        far = f"{self.close_ft} to {self.long_ft}" if self.long_ft > self.close_ft else str(self.close_ft)
        return f"{self.strike.in_words()}, {how}, {far} feet"


@record
class Zone:
    """What an ability makes of the ground around a cell: walls, rough or dark ground, or one that hurts."""

    sentence: ClassVar[str] = "{kind} of {radius_ft} ft"
    kind: Literal["wall", "difficult", "darkness", "hazard"]
    """The kind: which of those listed."""
    radius_ft: Annotated[Feet, within(0, 240, step=5)] = 5
    """Its radius in feet."""
    until: GroundUntil = "brief"
    """When it ends."""
    damage: HitPoints = 0
    """What everybody in it takes at the end of each phase."""
    sort: Sort = "environmental"


@record
class Area:
    """What an ability fills instead of naming its targets."""

    shape: Literal["sphere", "cylinder", "cone", "line"]
    """A cylinder goes around walls; cones, a quarter of a circle, and lines point away from the user."""
    size_ft: Annotated[Feet, within(5, 480, step=5)] = 15
    """Its radius or length."""
    width_ft: Annotated[Feet, within(5, 480, step=5)] = 5
    """How wide a line is."""
    range_ft: Annotated[Feet, within(0, 480, step=5)] = 0
    """How far away a sphere or cylinder may begin; with 0 it spreads from its user, and spares it."""
    whom: Literal["everyone", "enemies", "allies"] = "everyone"
    """Whom the area reaches."""

    @property
    def is_narrow(self) -> bool:
        """Whether it points somewhere."""
        return self.shape in ("cone", "line")


@record
class Ability:
    """A special ability: what it costs, whom it reaches, how it attacks, what it does."""

    many: ClassVar[int] = 100
    id: AbilityId
    """The id."""
    name: Name = ""
    tags: tuple[Literal["swift", "sustain", "brawling", "size_based", "reactive", "swift_roll_ok"], ...] = ()
    """What is special about it."""
    usage: Usage = "standard"
    """What it takes to use it."""
    repeat_same_round: bool = False
    """Whether it may be used again in the same round."""
    per_round_limit: Count | None = None
    """How often it may be used in a round; null for any number."""
    cost_fatigue: FatigueCost = 0
    range_ft: Feet = 5
    """How far its targets may be, or the place of its zone."""
    area: Area | None = None
    """What it fills, where it names no targets."""
    strike: Strike | None = None
    """The strike; null for none."""
    effects: tuple[Effect, ...] = ()
    """What it does where it hits, or simply does where it makes no attack."""
    on_crit: tuple[Effect, ...] = ()
    """The effects of a critical hit."""
    on_miss: tuple[Effect, ...] = ()
    """The effects of a miss."""
    on_loss: tuple[Effect, ...] = ()
    """What follows for a target that loses hit points."""
    later: Literal["none", "next_action", "each_action"] = "none"
    """Whether the effects come in the user's next turn, or in each of its turns, instead of now."""
    times: Count = 1
    """In how many turns they come, where they come later."""
    at_once: bool = False
    """Whether they come now as well, where they come later."""
    zone: Zone | None = None
    """What it makes of the ground where it is used."""
    trigger: Literal["none", "enters_reach", "leaves_reach", "hurt"] = "none"
    """What sets it off by itself, at the end of the phase, against the creature that did it."""


@record
class Sheet:
    """What a creature is before the fight; distances in feet.

    Sealable fields may be GM-only. Accuracy, power and dexterity are none: they are terms of rolls, which a
    group's announcement tells to all. Weapons are seen, and each strike names its own.
    """

    sentence: ClassVar[str] = "{name}"
    id: CreatureId
    """The id."""
    name: Name
    side: SideId
    kind: Literal["pc", "monster", "object"] = "monster"
    """The kind: which of those listed."""
    size: Size = "medium"
    """Its size."""
    level: Level = 1
    """Its level."""
    strength: Bonus = sealable(default=0)
    """Its strength."""
    dexterity: Bonus = 0
    """Its dexterity."""
    constitution: Bonus = sealable(default=0)
    """Its constitution."""
    intelligence: Bonus = sealable(default=0)
    """Its intelligence."""
    perception: Bonus = sealable(default=0)
    """Its perception."""
    willpower: Bonus = sealable(default=0)
    """Its willpower."""
    accuracy: Bonus = 0
    """Its accuracy."""
    brawling_accuracy: Bonus = 0
    """Its accuracy without a weapon."""
    defenses: Mapping[Code, Total] = sealable(default=EMPTY)
    """Its defenses, by name."""
    hp_max: Annotated[HitPoints, within(1, 10_000)] = sealable(default=20, brings=("hp",))
    """Its greatest hit points."""
    dr_max: HitPoints = sealable(default=0, brings=("dr", "hp"))
    """Its greatest damage resistance."""
    fatigue_tolerance: Level = 3
    """The levels of fatigue that do not hinder it."""
    power: Bonus = 0
    """Its power."""
    speeds: Mapping[Mode, Speed] = sealable(default=EMPTY)
    """Its speed in feet, by way of moving."""
    hands: Count = 2
    """How many hands it has."""
    weapons: tuple[Weapon, ...] = ()
    """Its weapons."""
    abilities: tuple[Ability, ...] = sealable(default=())
    """Its abilities."""
    communicates: bool = True
    """Whether allies can see or otherwise communicate with it."""
    carries_riders: bool = False
    """Whether others can ride it."""
    combat_trained: bool = True
    """Whether it stays calm in a fight: a mount that is not has to be held by its rider each round."""
    ride: Bonus | None = None
    """What it adds to Ride checks; null is its dexterity."""
    military_saddle: bool = False
    """Whether it stays mounted when it falls unconscious."""
    floats: bool = False
    """Whether it stays in the air without moving."""

    @property
    def is_pc(self) -> bool:
        """Whether vital wounds, fatigue and sprinting are its own."""
        return self.kind == "pc"

    def speed(self, mode: str = "land") -> int:
        """Return the printed speed of *mode*, 0 where it has none."""
        return self.printed_speeds.get(mode, 0)

    @computed_from("speeds", "size")
    def printed_speeds(self) -> Mapping[str, int]:
        """Its speed in feet by way of moving; on land that of its size, if none is printed."""
        found: dict[str, int] = {"land": base_speed(self.size)}
        found.update(self.speeds.items())
        return found
