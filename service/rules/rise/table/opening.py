"""Open a fight of Rise: who takes part, where, by which printing; all of it is checked before it exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from service.rules import opening as common_opening
from service.rules.house_options import option_faults
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import EMPTY, changed, record, sealable_fields
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    CellKey,
    Code,
    CreatureId,
    DeclaredSides,
    GroupId,
    Title,
)
from service.rules.openings import Fault, Relation, SeatEntry, broken, seat_faults, seats_of
from service.rules.rise import books
from service.rules.rise.acting.relations import unrelated
from service.rules.rise.body.movement_and_positioning import RI_MOVE_4
from service.rules.rise.creatures.character import Entry, sheet_of
from service.rules.rise.creatures.creature import BIG_ENOUGH, creature_of, gm_only_of, spelled_out
from service.rules.rise.creatures.options import DEFAULTS, OPTIONS
from service.rules.rise.creatures.sheet import PROFILES, RESERVED, Sheet, rank, side_of
from service.rules.rise.creatures.state import Attitude, State, Terrain
from service.rules.rise.rounds.entries import entry_faults, pass_days
from service.rules.rise.rounds.rounds import CombatFrame
from service.rules.rolls.seeding import Seeding, seeding_faults
from service.rules.secrecy.gm_only import field_faults
from service.rules.space.grid import Cell, cells, heights_apart, is_height
from service.rules.space.walls import Walls, closed_edges, is_split, wall_faults
from service.rules.table.stack import Stacks
from service.rules.table.table import Option

RI_HP_4: Final = Rule(
    "RI-HP-4", "A creature whose maximum of hit points is zero dies.", books.CODEX_CHARACTERS.at("Hit Points")
)


@record
class Opening:
    """Everything a fight begins with."""

    creatures: tuple[Entry, ...]
    """The creatures of the fight, each with its sheet and its place."""
    seats: tuple[SeatEntry, ...] = ()
    """The seats, each with its role and its creatures."""
    options: Mapping[Code, Option] = EMPTY
    """The options of the house, by key."""
    terrain: Mapping[CellKey, Terrain] = EMPTY
    """What cells are made of that are not plain ground, by `x,y`, such as `3,-2`."""
    walls: Walls = EMPTY
    """Walls and doors on the edges between cells, by `x,y|x,y`, the left or upper cell first, such as
    `2,0|3,0`."""
    items: Mapping[Code, Cell] = EMPTY
    """The cells of things on the ground, as x and y, by the name of the thing."""
    declared_sides: DeclaredSides = ()
    seeding: Seeding = Seeding()
    """Who seeds the dice."""
    attitudes: Mapping[CreatureId, Mapping[CreatureId, Attitude]] = EMPTY
    """How creatures regard others from the start, by the id of the one and then of the other; by side if it
    is not here."""
    groups: Mapping[GroupId, tuple[CreatureId, ...]] = EMPTY
    """The ids of the members of groups that the GM names, by the group's id; others find their groups by
    the rules."""
    title: Title = ""


@record
class EncounterOpened(common_opening.EncounterOpened[State]):
    """The encounter exists: its edition, dice and everything it begins with, for all to see."""

    opening: Opening
    """The opening of the encounter."""

    def evolve(self, state: State) -> State:
        return initial(state, self)


def initial(blank: State, opened: EncounterOpened) -> State:
    """Return the state a fight begins with, made of the *blank* one."""
    opening = opened.opening
    return changed(
        blank,
        encounter=opened.encounter,
        edition=opened.edition,
        digest=opened.digest,
        dice=opened.dice,
        options=opening.options,
        seats=seats_of(opening.seats),
        declared_sides=opening.declared_sides,
        terrain=opening.terrain,
        walls=opening.walls,
        lying={item: (at[0], at[1]) for item, at in opening.items.items()},
        attitudes=opening.attitudes,
        next_groups=opening.groups,
        creatures={sheet_of(entry).id: creature_of(entry) for entry in opening.creatures},
        stacks=Stacks(table=(CombatFrame(path="combat"),)),
    )


@record
class OpenEncounter(common_opening.OpenEncounter[State]):
    """Open a fight of Rise with everything it begins with."""

    opened = EncounterOpened
    rules = ("RI-ROUND-1",)
    refused_by = "RI-ROUND-5"
    opening: Opening

    def check_opening(self) -> tuple[Fault, ...]:
        return tuple(faults(self.opening))

    def recorded(self) -> Opening:
        return changed(self.opening, creatures=tuple(map(spelled_out, self.opening.creatures)))

    def decide(self, state: State) -> Emits[State]:
        state = yield from super().decide(state)
        for entry in self.opening.creatures:
            state = yield from pass_days(state, entry)
        return state


def faults(opening: Opening) -> Iterator[Fault]:
    """Yield everything that keeps *opening* from being a fight, each with its place."""
    yield from option_faults(OPTIONS, opening.options)
    missing = [f for i, entry in enumerate(opening.creatures) for f in entry_faults(entry, f"/creatures/{i}")]
    if missing:
        yield from missing
        return
    yield from _creature_faults(opening)
    yield from _position_faults(opening)
    yield from seat_faults(opening.seats, [sheet_of(entry).id for entry in opening.creatures])
    yield from _group_faults(opening)
    yield from seeding_faults(opening.seeding, {entry.seat: entry.role for entry in opening.seats})
    yield from wall_faults(opening.walls)
    sides = [sheet_of(entry).side for entry in opening.creatures]
    for i, side in enumerate(opening.declared_sides):
        if side not in sides:
            yield f"/declared_sides/{i}", "a side that somebody fights for"


def _creature_faults(opening: Opening) -> Iterator[Fault]:
    profile = PROFILES.get(str(opening.options.get("profile", DEFAULTS["profile"])))
    if not opening.creatures:
        yield "/creatures", "at least one creature takes part"
    seen: dict[str, int] = {}
    for i, entry in enumerate(opening.creatures):
        sheet, at = sheet_of(entry), f"/creatures/{i}/sheet"
        if sheet.id in RESERVED:
            yield f"{at}/id", "an id is a-z, 0-9 and -, at most 24, and neither table nor gm"
        if sheet.id in seen:
            yield f"{at}/id", f"creature {seen[sheet.id]} has this id already"
        seen[sheet.id] = i
        if sheet.side in RESERVED:
            yield f"{at}/side", "an id is a-z, 0-9 and -, at most 24, and neither table nor gm"
        yield from _number_faults(entry, f"/creatures/{i}")
        allowed = () if sheet.is_pc else may_be_gm_only(opening)
        yield from field_faults(gm_only_of(entry), allowed, f"/creatures/{i}")
        known = profile.defenses if profile is not None else ()
        for name in sheet.defenses:
            if name not in known:
                yield f"{at}/defenses/{name}", "one of " + ", ".join(known)
        yield from unrelated(sheet, at, known)


def may_be_gm_only(opening: Opening) -> tuple[str, ...]:
    """Return the fields that no roll discloses: initiative checks disclose speed where they add it."""
    by_speed = opening.options.get("initiative") == "speed"
    return tuple([name for name in sealable_fields(Sheet) if not (by_speed and name == "speeds")])


ENTRY: Final = (
    Relation(
        "/hp",
        "from 0 to the maximum",
        lambda entry: entry.hp is None or 0 <= entry.hp <= sheet_of(entry).hp_max,
    ),
    Relation(
        "/dr",
        "from 0 to the maximum",
        lambda entry: entry.dr is None or entry.dr <= sheet_of(entry).dr_max,
    ),
    Relation("/altitude", "steps of 5 feet from the ground", lambda entry: is_height(entry.altitude)),
)


@enforces(RI_HP_4)
def _number_faults(entry: Entry, at: str) -> Iterator[Fault]:
    return broken(ENTRY, entry, at)


def _position_faults(opening: Opening) -> Iterator[Fault]:
    taken: dict[Cell, list[Entry]] = {}
    closed = closed_edges(opening.walls)
    names = [sheet_of(entry).id for entry in opening.creatures]
    for i, entry in enumerate(opening.creatures):
        if entry.mount is not None and entry.mount not in names:
            yield f"/creatures/{i}/mount", f"one of {', '.join(names)}"
        at: Cell = (entry.position[0], entry.position[1])
        if is_split(closed, at, side_of(sheet_of(entry).size)):
            yield f"/creatures/{i}/position", "on both sides of a wall or a closed door"
        for cell in cells(at, side_of(sheet_of(entry).size)):
            if opening.terrain.get(f"{cell[0]},{cell[1]}") == "wall":
                yield f"/creatures/{i}/position", f"there is a wall at {cell[0]},{cell[1]}"
            there = taken.setdefault(cell, [])
            for other in there if entry.mount is None else ():
                if _is_crowded(entry, other):
                    yield f"/creatures/{i}/position", f"{sheet_of(other).id} stands there"
            if entry.mount is None:
                there.append(entry)


@enforces(RI_MOVE_4)
def _is_crowded(one: Entry, other: Entry) -> bool:
    """Return whether two creatures cannot be in one cell: of like size, and neither above the other."""
    mine, theirs = sheet_of(one).size, sheet_of(other).size
    if abs(rank(mine) - rank(theirs)) >= BIG_ENOUGH:
        return False
    return not heights_apart(one.altitude, side_of(mine), other.altitude, side_of(theirs))


def _group_faults(opening: Opening) -> Iterator[Fault]:
    names = [sheet_of(entry).id for entry in opening.creatures]
    seen: list[str] = []
    for group, members in opening.groups.items():
        if group in RESERVED:
            yield f"/groups/{group}", "neither table nor gm"
        for name in members:
            if name not in names or name in seen:
                yield f"/groups/{group}", f"{name} is not a creature, or is in two groups"
            seen.append(name)
    for creature, said in opening.attitudes.items():
        for other in (creature, *said):
            if other not in names:
                yield f"/attitudes/{creature}", f"no creature is called {other}"
        if creature in said:
            yield f"/attitudes/{creature}", "a creature has no attitude to itself"
