"""Hold one creature of Rise as it is now, what lasts beside its numbers, and how it enters a fight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from service.rules.kernel.records import EMPTY, changed, record, sealable
from service.rules.openings import Id
from service.rules.rise.sheet import Effect, Sheet, Sort, Strike, Tick, Until, rank, side_of
from service.rules.secrecy.gm_only import facts_of, hide_gm_only
from service.rules.space.grid import Cell, heights_apart

# --- what lasts ----------------------------------------------------------------------------------------
# Conditions, wounds, effects, plans, the GM's rulings.

How = Literal["self", "continued", "ally", "forced", "teleport", "carry"]


@record
class Condition:
    """A condition or timed effect on a creature."""

    name: str
    source: str = ""
    until: Until = "condition"
    expires: int | None = None
    """The round at whose end it is gone."""
    since: int = 0
    """The round in which it began."""
    modifiers: Mapping[str, int] = EMPTY
    dice: tuple[int, ...] = ()
    """Dice of extra damage that it adds to attacks of a creature that has it."""
    tick: Tick | None = None
    keep: Literal["free", "minor", "standard"] = "minor"
    """The action that keeps it up, where it is sustained."""


@record
class VitalWound:
    """One vital wound: its die, what it came to, and the round in which it kills if nobody treats it."""

    die: int
    result: int
    effect: str
    gained: int
    """The round in which it was gained."""
    phase: str = ""
    """The stage of that round."""
    treated: bool = False
    deadline: int | None = None
    by: str | None = None
    """The seat that declared the die."""


@record
class Delayed:
    """An effect that comes when its owner takes a turn."""

    ability: str
    targets: tuple[str, ...]
    remaining: int
    created: int
    fired: int | None = None


@record
class Cover:
    """What shelters a target from an attack."""

    by: str
    """The creature in the way, or the cell `x,y` of a low obstacle."""
    bonus: int
    """What it adds to Armor and Reflex."""


@record
class Unjudged:
    """An attack whose outcome is sealed from its own group until the announcement; its dice are thrown."""

    attacker: str
    target: str
    what: str
    total: int
    strike: Strike
    damage: int = 0
    """What its damage dice and fixed part came to, before halves and multiples."""
    defense_terms: Mapping[str, int] = EMPTY
    cover: Cover | None = None
    spared: tuple[str, ...] = ()
    """Whom the same use attacks anyway: as cover they are not attacked a second time."""
    use: int = 0
    """Which use of its attacker's this was in its turn."""
    subdual: bool = False
    effects: tuple[Effect, ...] = ()
    on_crit: tuple[Effect, ...] = ()
    on_miss: tuple[Effect, ...] = ()
    on_loss: tuple[Effect, ...] = ()


@record
class Atom:
    """One effect in a group's log, with its nominal amount: resistance and limits come when it is applied."""

    seq: int
    source: str
    target: str
    does: Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate", "attack"]
    amount: int = 0
    sort: Sort = "normal"
    condition: Condition | None = None
    name: str = ""
    """The condition lost."""
    path: tuple[Cell, ...] = ()
    how: How = "self"
    swift: bool = False
    group: str = ""


@record
class HiddenSwift:
    """What a group's Swift abilities do that others do not know before its announcement."""

    effects: tuple[Atom, ...] = ()
    gained: Mapping[str, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have by them, by creature."""
    lost: Mapping[str, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have no more, by creature."""


@record
class FreeUse:
    """A free ability that is used in the course of a movement."""

    ability: str
    targets: tuple[str, ...] = ()
    step: int = 0
    """After how many steps of the path; 0 is where it begins."""
    at: Cell | None = None
    """The cell around which its zone or area lies, or towards which its area points."""
    altitude_ft: int = 0
    """How high above that cell the area begins."""


@record
class Plan:
    """What a creature will do with its movement: a path, or a simple rule about others."""

    ability: str
    path: tuple[Cell, ...] = ()
    targets: tuple[str, ...] = ()
    distance_ft: int = 0
    mode: str = "land"
    sprint: Literal["never", "ask", "auto"] = "never"
    carry: tuple[str, ...] = ()
    mount: str | None = None
    """Whom it mounts where it ends."""
    stand_up: bool = False
    """Whether it gets up from prone first."""
    step: Cell | None = None
    """The one direction in which a shove or a custom movement goes."""
    within_ft: int | None = None
    """Custom: how near it stays to its targets."""
    beyond_ft: int | None = None
    """Custom: how far it keeps from its targets."""
    altitude_ft: int | None = None
    """How high above the ground it ends; null stays as high, or just above it."""
    free_actions: tuple[FreeUse, ...] = ()
    """The free abilities used on the way."""
    feet: int | None = None
    """How far it may go, where that was fixed when it was paid for."""
    passes: tuple[str, ...] = ()
    """Whom it has run over or pushes along: they stand in its way no more."""


@record
class Ruling:
    """The GM's answer to a question that the rules leave open."""

    id: str
    question: str
    subjects: tuple[str, ...]
    chosen: str
    note: str = ""
    scope: Literal["once", "encounter", "campaign"] = "once"
    supersedes: str | None = None
    round: int = 0


# --- the creature --------------------------------------------------------------------------------------
# Place, hurts, what it has spent, what it can do.

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
        """Return whether the condition *name* lies on it."""
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
    """Return whether *creature* lies unconscious: by a wound, below half its hit points, or by fatigue."""
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
    """Return whether *creature* can act at all; objects never do."""
    gone = creature.dead or creature.defeated or creature.sheet.kind == "object"
    return not (gone or is_unconscious(creature))


def obeys(creature: Creature) -> bool:
    """Return whether *creature* can act, and obeys: a mount that bolts does not."""
    return is_able(creature) and not creature.budget.bolts


# --- entries -------------------------------------------------------------------------------------------
# Its sheet, and where and how it stands then.


@record
class Entry:
    """A creature that takes part: its sheet, and where and how it stands when the fight begins."""

    sheet: Sheet
    position: tuple[int, int]
    hp: int | None = sealable(default=None)
    """Null takes the maximum."""
    dr: int | None = sealable(default=None)
    fatigue: int = 0
    mount: Id | None = None
    """The creature it rides."""
    altitude: int = 0
    """Feet above the ground in which it flies."""
    gm_only: tuple[str, ...] = ()
    """Fields of the sheet that only the GM sees; not of a player's character."""


@record
class Arrival:
    """A creature on its way: who it is, and which player's seat is to control it."""

    entry: Entry
    seat: Id | None = None
    """Null is the GM."""


def spelled_out(entry: Entry) -> Entry:
    """Return *entry* with what is GM-only sealed."""
    facts = facts_of(Sheet, entry.gm_only)
    sheet = hide_gm_only(entry.sheet, entry.sheet.id, facts)
    return changed(hide_gm_only(entry, sheet.id, facts), sheet=sheet)


def creature_of(entry: Entry) -> Creature:
    """Return the creature that comes with *entry*."""
    sheet = entry.sheet
    creature = Creature(
        sheet=sheet,
        position=(entry.position[0], entry.position[1]),
        hp=sheet.hp_max if entry.hp is None else entry.hp,
        dr=sheet.dr_max if entry.dr is None else entry.dr,
        fatigue=entry.fatigue,
        mount=entry.mount,
        altitude=entry.altitude,
        aloft="flying" if entry.altitude else None,
        gm_only=entry.gm_only,
    )
    return hide_gm_only(creature, sheet.id, facts_of(Sheet, entry.gm_only))
