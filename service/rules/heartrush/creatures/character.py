"""Describe a character as it goes on from fight to fight, and how a creature enters one.

`Character` is the part of a creature's state that outlasts a fight. The state of a creature extends it, what
is carried to another encounter contains it, and an opening takes it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from service.rules.heartrush import books
from service.rules.heartrush.creatures.abilities import Ability, Spell
from service.rules.heartrush.creatures.sheet import Coat, Sheet, Weapon, rank, side_of
from service.rules.heartrush.values import (
    MOST_LEVELS,
    ClockSecond,
    ComesFrom,
    DestinyPoints,
    HeartDie,
    HoldHands,
    Looks,
)
from service.rules.kernel.records import EMPTY, computed_from, record, sealable
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    AbilityId,
    BeganInRound,
    Code,
    Count,
    CreatureId,
    Days,
    DieSides,
    EntryHitPoints,
    GmOnlyFields,
    HitPointsNow,
    Label,
    Level,
    Ordinal,
    Position,
    Seconds,
    SideId,
    Sum,
    Total,
    WasTreated,
    WeaponId,
    WoundId,
)
from service.rules.table.carried import Carried


@record
class Wound:
    """One wound: its rank lowers what hit points can rise to."""

    many: ClassVar[int] = 10_000
    id: WoundId
    """The id."""
    rank: Sum
    """The rank."""
    initial_rank: Sum
    """The rank with which it began."""
    description: Looks = "wound"
    treated: WasTreated = False


@record
class Condition:
    """A condition that affects a creature, with its level (1 where levels mean nothing)."""

    level: Level = 1
    """The level."""
    source: ComesFrom | None = None
    since: BeganInRound = 0
    until_s: Seconds | None = None
    """The campaign second at which it ends by itself; null where only somebody or something ends it."""
    hands: HoldHands = 0


HR_COND_25: Final = Rule(
    "HR-COND-25",
    "A grappled creature has one level of restrained until it is free.",
    books.CONDITIONS.at("Grappled"),
)


@enforces(HR_COND_25)
def held_levels(conditions: Mapping[str, Condition]) -> int:
    """Return the levels of restrained that a hold brings: one while it lasts, stored nowhere."""
    return 1 if "grappled" in conditions else 0


@record
class Character:
    """What of a creature goes on when a fight is over; its sheet says what it was made with."""

    sheet: Sheet
    """What is written down about the creature."""
    heart_die: HeartDie
    hp: HitPointsNow = sealable(blank=lambda creature: creature.sheet.hp_max)
    wielded: WeaponId | None = None
    """The id of the weapon in hand; null for none."""
    shield_down: bool = False
    """Whether it has put its shield down."""
    thrown: tuple[WeaponId, ...] = ()
    """Weapons that it threw or let go, and has no more."""
    lantern_out: bool = False
    """Whether it has put its lantern out."""
    wounds: tuple[Wound, ...] = ()
    """Its wounds."""
    conditions: Mapping[Code, Condition] = EMPTY
    """Its conditions, by name."""
    status: Literal["active", "unconscious", "dead", "gone"] = "active"
    """Gone is out of the fight alive: fled, yielded, taken away."""
    down_since_s: Seconds | None = None
    """The campaign second at which hit points fell to zero or below: the ten-minute clock runs from it."""
    spent: tuple[AbilityId, ...] = ()
    """Heart and major abilities that are not charged."""
    last_used: Mapping[Code, Seconds] = EMPTY
    """The campaign second of the last use of each weekly and monthly ability."""
    cooldowns: Mapping[Code, Count] = EMPTY
    """Long rests each spell that was cast still waits; at 0 a short rest will do."""
    destiny_points: DestinyPoints = 3
    penalty: Sum = 0
    """What an invoked wound or aspect takes off the next check."""
    bonus: Total = 0
    """What destiny points add to the next skill check."""
    long_rests: Sum = 0
    """Long rests it has taken: what waits for some of them counts from here."""
    last_long_rest_day: Ordinal | None = None
    """The campaign day on which its last long rest ended."""
    failed_nights: Sum = 0
    """Nights of failed sleep in a row."""
    potions: Count = 0
    """The number of its healing potions."""
    potions_at_s: tuple[Seconds, ...] = ()
    """The campaign seconds at which potions that it drank will work."""
    doses: Mapping[Code, Count] = EMPTY
    """Doses left of each of its poisons."""
    coats: Mapping[Code, Coat] = EMPTY
    """Poison on its weapons, by weapon."""
    gm_only: GmOnlyFields = ()

    @computed_from("sheet")
    def id(self) -> str:
        """Its id, as on the sheet."""
        return self.sheet.id

    @computed_from("sheet")
    def side(self) -> str:
        """The side it fights for."""
        return self.sheet.side

    @computed_from("sheet")
    def rank(self) -> int:
        """Its size as a number; differences are levels of size difference."""
        return rank(self.sheet.size)

    @computed_from("sheet")
    def space(self) -> int:
        """Cells along one side of its space."""
        return side_of(self.sheet.size)

    @computed_from("sheet", "wielded")
    def in_hand(self) -> Weapon | None:
        """The weapon that it wields, None for bare hands."""
        return next((weapon for weapon in self.sheet.weapons if weapon.id == self.wielded), None)

    @computed_from("sheet", "wounds")
    def hp_cap(self) -> int:
        """What healing can reach: the maximum less the ranks of all wounds."""
        return self.sheet.hp_max - sum(wound.rank for wound in self.wounds)

    @computed_from("status")
    def is_present(self) -> bool:
        """Whether it is here and alive, awake or not."""
        return self.status in ("active", "unconscious")

    def level(self, condition: str) -> int:
        """Return the level of *condition*, 0 where it does not affect the creature.

        A hold brings a level of restrained as long as it lasts; that level is stored nowhere.
        """
        found = self.conditions.get(condition)
        own = found.level if found else 0
        return min(MOST_LEVELS, own + held_levels(self.conditions)) if condition == "restrained" else own

    def has(self, condition: str) -> bool:
        """Return whether the creature has *condition*."""
        return condition in self.conditions or (condition == "restrained" and bool(self.level(condition)))


@record
class CarriedCharacter(Carried):
    """A character as it stood after a commit of another encounter; an opening takes it as it is."""

    character: Character
    """The character as it stood."""
    clock_s: ClockSecond
    """What the campaign clock showed then, in seconds."""
    abilities: tuple[Ability, ...] = ()
    """What those of its abilities do that the other encounter's opening defined."""
    spells: tuple[Spell, ...] = ()
    """What those of its spells do that the other encounter's opening defined."""


@record
class Entry:
    """A creature that takes part, and where and how it stands: by its sheet or stat block, or as carried.

    A stat block needs `id` and `side` beside it; a sheet has them itself. Beside a carried character `sheet`,
    `hp` and `heart_die` replace what was carried: the audit names them as written in by hand.
    """

    many: ClassVar[int] = 200
    sentence: ClassVar[str] = "[{sheet}][{stat_block}][, called {name},] at {position}"
    position: Position
    sheet: Sheet | None = None
    """What is written down about the creature."""
    stat_block: Code | None = None
    """The name of a shipped stat block."""
    id: CreatureId | None = None
    """The id."""
    side: SideId | None = None
    name: Label | None = None
    """Null takes the stat block's."""
    hp: EntryHitPoints | None = sealable(default=None)
    heart_die: DieSides | None = None
    """The live heart die as faces; null takes what was carried, or the maximum."""
    gm_only: tuple[Code, ...] = ()
    """Fields of the sheet that only the GM sees."""
    carried: CarriedCharacter | None = None
    """The character as it stood in another encounter."""
    days_between: Days = 0
    """Days that pass for a carried character before it enters, each with a long rest that succeeds."""


Entering: TypeAlias = Annotated[
    Entry, "The creature as it enters the fight: its sheet, its place and who controls it."
]
