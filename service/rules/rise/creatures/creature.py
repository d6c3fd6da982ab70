"""Hold one creature of Rise as it is now, and what a fight records: effects, plans, the GM's rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.sealed import names
from service.rules.kernel.values import (
    AbilityId,
    Amount,
    AttackerId,
    Bonus,
    Code,
    Count,
    CreatureId,
    Feet,
    FeetAboveGround,
    GroupId,
    HitPoints,
    Label,
    Ordinal,
    Position,
    Question,
    Remark,
    Round,
    RulingId,
    SourceId,
    TargetId,
    Targets,
    ThingName,
    Total,
)
from service.rules.rise.creatures.character import Character, Condition, Entry, sheet_of
from service.rules.rise.creatures.sheet import Effect, Sheet, Sort, Strike
from service.rules.rise.values import (
    AreaAltitude,
    AreaCell,
    CellPath,
    ChosenAnswer,
    CustomFeet,
    EffectSource,
    GmNote,
    MeansName,
    ModeName,
    MountId,
    OnlySubdues,
    Subjects,
)
from service.rules.secrecy.gm_only import facts_of, hide_gm_only
from service.rules.space.grid import Cell, heights_apart

# --- what lasts ----------------------------------------------------------------------------------------
# Effects, plans, the GM's rulings.

How = Literal["self", "continued", "forced", "teleport", "placed", "landed"]


@record
class Delayed:
    """An effect that comes when its owner takes a turn."""

    ability: AbilityId
    targets: Targets
    remaining: Count
    """How many turns it still waits."""
    created: Count
    """The round in which it was made."""
    fired: Round | None = None
    """The round in which it came; null until then."""


@record
class Cover:
    """What shelters a target from an attack."""

    by: SourceId
    """The creature in the way, or the cell `x,y` of a low obstacle."""
    bonus: Bonus
    """What it adds to Armor and Reflex."""


@record
class Unjudged:
    """An attack whose outcome is sealed from its own group until the announcement; its dice are thrown."""

    attacker: AttackerId
    target: TargetId
    what: MeansName
    total: Total
    strike: Strike
    """The strike; null for none."""
    damage: HitPoints = 0
    """What its damage dice and fixed part came to, before halves and multiples."""
    defense_terms: Mapping[Code, Total] = EMPTY
    """What adds to the defense, by reason."""
    cover: Cover | None = None
    """The cover between the two; null for none."""
    spared: tuple[CreatureId, ...] = ()
    """Whom the same use attacks anyway: as cover they are not attacked a second time."""
    use: Count = 0
    """Which use of its attacker's this was in its turn."""
    subdual: OnlySubdues = False
    effects: tuple[Effect, ...] = ()
    """The effects, in order."""
    on_crit: tuple[Effect, ...] = ()
    """The effects of a critical hit."""
    on_miss: tuple[Effect, ...] = ()
    """The effects of a miss."""
    on_loss: tuple[Effect, ...] = ()
    """The effects of a hit that takes hit points."""


UNNUMBERED: Final = 0
"""The number of an effect that no log has: the log gives it one."""


@record
class Atom:
    """One effect in a group's log, with its nominal amount: resistance and limits come when it is applied."""

    seq: Ordinal
    """The place in the group's log."""
    source: EffectSource
    target: TargetId
    does: Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate", "attack"]
    """What it does."""
    amount: Amount = 0
    sort: Sort = "normal"
    condition: Condition | None = None
    """The condition; null for none."""
    name: Label = ""
    """The condition lost."""
    path: CellPath = ()
    how: How = "self"
    """How it moves: by itself, or by others."""
    swift: bool = False
    """Whether it takes effect before the others."""
    group: GroupId = ""


@record
class Deed:
    """What a creature has tried that no ability names."""

    creature: CreatureId
    deed: Remark
    """What it tries, in its player's words."""
    targets: tuple[CreatureId, ...] = ()
    """The creatures that it is about."""
    thing: ThingName = ""
    """The thing or place that it is about."""
    group: GroupId = ""
    after: Count = 0
    """How many effects of its group came before it."""


@record
class HiddenSwift:
    """What a group's Swift abilities do that others do not know before its announcement."""

    effects: tuple[Atom, ...] = ()
    """The effects, in order."""
    gained: Mapping[CreatureId, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have by them, by creature."""
    lost: Mapping[CreatureId, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have no more, by creature."""


@record
class FreeUse:
    """A free ability that is used in the course of a movement."""

    many: ClassVar[int] = 50
    sentence: ClassVar[str] = "{ability}[ on {targets}][ around {at}]"
    ability: AbilityId
    targets: Targets = ()
    step: Count = 0
    """After how many steps of the path; 0 is where it begins."""
    at: AreaCell | None = None
    altitude_ft: AreaAltitude = 0


@record
class Plan:
    """What a creature will do with its movement: a path, or a simple rule about others."""

    sentence: ClassVar[str] = (
        "[{stand_up}to stand up and ]{ability}[ along {path}][ about {targets}][, {within_ft} ft near]"
        "[, {beyond_ft} ft away][, carrying {carry}][, mounting {mount}][, {altitude_ft} ft up]"
        "[, with {free_actions}]"
    )
    ability: AbilityId
    path: CellPath = ()
    targets: Targets = ()
    distance_ft: CustomFeet = 0
    mode: ModeName = "land"
    sprint: Literal["never", "ask", "auto"] = "never"
    """Whether it sprints: never, if asked, or by itself."""
    carry: tuple[CreatureId, ...] = ()
    """The ids of the creatures that it carries."""
    mount: CreatureId | None = None
    """Whom it mounts where it ends."""
    stand_up: bool = False
    """Whether it gets up from prone first."""
    step: Cell | None = None
    """The one direction in which a shove or a custom movement goes."""
    within_ft: Feet | None = None
    """Custom: how near it stays to its targets."""
    beyond_ft: Feet | None = None
    """Custom: how far it keeps from its targets."""
    altitude_ft: Feet | None = None
    """How high above the ground it ends; null stays as high, or just above it."""
    free_actions: tuple[FreeUse, ...] = ()
    """The free abilities used on the way."""
    feet: Feet | None = None
    """How far it may go, where that was fixed when it was paid for."""
    passes: tuple[CreatureId, ...] = ()
    """Whom it has run over or pushes along: they stand in its way no more."""


@record
class Ruling:
    """The GM's answer to a question that the rules leave open."""

    id: Code
    """The id."""
    question: Question
    subjects: Subjects
    chosen: ChosenAnswer
    note: GmNote = ""
    scope: Literal["once", "encounter", "campaign"] = "once"
    """How long it holds."""
    supersedes: RulingId | None = None
    """The id of the ruling that it replaces; null for none."""
    round: Round = 0


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
    """Whether the standard action is spent, and on what."""
    minors: tuple[Code, ...] = ()
    """The minor actions used this round."""
    turn: Turn = "not_started"
    """How far its turn has come."""
    free: Mapping[Code, Count] = EMPTY
    """Uses of each free ability this round."""
    free_manipulation: bool = False
    """Whether the free handling of an object is spent."""
    manipulations: Count = 0
    """How many objects it has handled in this round."""
    sustained: tuple[AbilityId, ...] = ()
    """The ids of the abilities that it has kept up in this round."""
    swift: tuple[AbilityId, ...] = ()
    """The Swift abilities it has committed to before anybody rolled."""
    followed: tuple[AbilityId, ...] = ()
    """Those of them whose other part, with the usual timing, has been used."""
    unswift: bool = False
    """Whether it commits to no more of them in this phase."""
    attacks: Count = 0
    """How many attacks it has made in this round."""
    modes: Mapping[Code, Feet] = EMPTY
    """Feet of the traded movement spent so far, by way of moving."""
    paused: bool = False
    """Whether that movement goes on."""
    knees: bool = False
    """Whether it guides its mount with its knees, which leaves both hands free."""
    bolts: bool = False
    """Whether it goes where it likes: its rider could not hold it."""


@record
class Creature(Character):
    """One creature as it is now: the character, and what the fight has made of it."""

    position: Position
    depth: Count = 0
    """Vital wounds already taken for this time below zero."""
    credit: tuple[CreatureId, ...] = ()
    """Who is said to have defeated it."""
    hurt_by: tuple[CreatureId, ...] = ()
    """Who damaged it in this phase."""
    unaware_of: tuple[CreatureId, ...] = ()
    """The ids of the creatures that it is not aware of."""
    partly_unaware_of: tuple[CreatureId, ...] = ()
    """Whose attacks it expects without knowing where they come from."""
    budget: Budget = Budget()
    """What it has spent of its round."""
    location_changed: bool = False
    """Whether its place changed in this phase."""
    mount: MountId | None = None
    delayed: tuple[Delayed, ...] = ()
    """Its effects that come when it takes a turn."""
    aloft: Literal["flying", "jumping", "falling"] | None = None
    """How it is in the air, if it is."""
    stood: Cell | None = None
    """Where it was when the phase began."""
    stood_ft: Feet = 0
    """How high it was then."""
    hovered: bool = False
    """Whether it spent a movement in the air in this phase, in its place or along a way."""
    altitude: FeetAboveGround = 0


def above(a: Creature, b: Creature) -> int:
    """Return the feet between two creatures' heights: 0 where they overlap, 5 for one on top of the other."""
    return heights_apart(a.altitude, a.space, b.altitude, b.space)


def on_its_way(creature: Creature, high: int) -> Creature:
    """Return *creature* as it passes others: it rises before its first step, and sinks after its last."""
    return changed(creature, altitude=max(creature.stood_ft, high))


BIG_ENOUGH: Final = 2
"""Sizes apart at which two creatures do not block each other."""


def may_share(a: Creature, b: Creature) -> bool:
    """Return whether two creatures may be in one space: a rider and its mount, or two sizes apart."""
    return abs(a.rank - b.rank) >= BIG_ENOUGH or a.id == b.mount or b.id == a.mount or are_seated(a, b)


def are_seated(a: Creature, b: Creature) -> bool:
    """Return whether two creatures ride the same mount."""
    return a.mount is not None and a.mount == b.mount


def is_able(creature: Creature) -> bool:
    """Return whether *creature* can act at all; objects never do."""
    gone = creature.dead or creature.defeated or creature.sheet.kind == "object"
    return not (gone or creature.is_unconscious)


def obeys(creature: Creature) -> bool:
    """Return whether *creature* can act, and obeys: a mount that bolts does not."""
    return is_able(creature) and not creature.budget.bolts


# --- entries -------------------------------------------------------------------------------------------
# How a creature comes of its entry: from a sheet, or as it stood in another encounter.


def gm_only_of(entry: Entry) -> tuple[str, ...]:
    """Return the fields of the sheet that are GM-only: those of *entry*, and those that were so before."""
    before = () if entry.carried is None else entry.carried.character.gm_only
    return tuple(dict.fromkeys((*entry.gm_only, *before)))


def spelled_out(entry: Entry) -> Entry:
    """Return *entry* with its whole sheet, and with what is GM-only sealed."""
    sheet, gm_only = sheet_of(entry), gm_only_of(entry)
    entry = changed(entry, sheet=sheet, gm_only=gm_only)
    facts, carried = facts_of(Sheet, gm_only), entry.carried
    if carried is not None:
        character = changed(carried.character, sheet=hide_gm_only(carried.character.sheet, sheet.id, facts))
        carried = changed(carried, character=hide_gm_only(character, sheet.id, facts))
    hidden = hide_gm_only(sheet, sheet.id, facts)
    return changed(hide_gm_only(entry, sheet.id, facts), sheet=hidden, carried=carried)


def creature_of(entry: Entry) -> Creature:
    """Return the creature that comes with *entry*, as it is before anything happens."""
    sheet, gm_only = sheet_of(entry), gm_only_of(entry)
    carried = entry.carried
    known = (
        _new(sheet)
        if carried is None
        else {name: getattr(carried.character, name) for name in names(Character)}
    )
    written = {"sheet": entry.sheet, "hp": entry.hp, "dr": entry.dr, "fatigue": entry.fatigue}
    by_hand = {name: value for name, value in written.items() if value is not None}
    here = {
        "position": (entry.position[0], entry.position[1]),
        "mount": entry.mount,
        "altitude": entry.altitude,
        "aloft": "flying" if entry.altitude else None,
        "gm_only": gm_only,
    }
    creature = Creature(**(known | by_hand | here))
    return hide_gm_only(creature, sheet.id, facts_of(Sheet, gm_only))


def _new(sheet: Sheet) -> dict[str, Any]:
    return {"sheet": sheet, "hp": sheet.hp_max, "dr": sheet.dr_max}


def _stood(character: Character) -> dict[str, Any]:
    return {name: getattr(character, name) for name in names(Character)}
