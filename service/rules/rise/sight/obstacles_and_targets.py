"""Obstacles and targets: one use of an ability, whom its area catches, zones, and cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Code,
    Count,
    CreatureId,
    PlaceOf,
    PushFeet,
    Targets,
    Total,
)
from service.rules.rise import books
from service.rules.rise.body.effects import knocked_back, note, pushed
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.combat_statistics import condition_of
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Cover, Creature, above
from service.rules.rise.creatures.sheet import Ability, Area, Effect, Strike, Zone
from service.rules.rise.creatures.state import Placed, State
from service.rules.rise.sight.vision_and_lines import are_allies, between, facing, is_clear, may_join
from service.rules.rise.values import Altitude, FatigueCost, MeansName, OnlySubdues, UserId
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import FEET, Cell, cells, distance, is_height
from service.rules.space.spread import Spans, disc_around, is_within, spread

# --- uses ----------------------------------------------------------------------------------------------
# One use as it was declared, and its single effects. What was settled at the declaration stands here; how it
# comes out is the business of `making_attacks`.

RI_ATK_11: Final = Rule(
    "RI-ATK-11",
    "A reactive attack, made during another's action, is neither modified nor rolled again.",
    books.GLOSSARY,
)


@record
class AreaOrigin:
    """Where an area begins: the corner of a space, its side in cells, and its feet above the ground."""

    at: PlaceOf
    side: Count
    """The side of the space in cells."""
    altitude: Altitude


@record
class Assault:
    """One use of an ability: who, on whom, and everything that was settled when it was declared."""

    user: UserId
    what: MeansName
    targets: Targets
    strike: Strike | None = None
    """The strike; null for none."""
    effects: tuple[Effect, ...] = ()
    """The effects, in order."""
    on_crit: tuple[Effect, ...] = ()
    """The effects of a critical hit."""
    on_miss: tuple[Effect, ...] = ()
    """The effects of a miss."""
    on_loss: tuple[Effect, ...] = ()
    """The effects of a hit that takes hit points."""
    after: tuple[Effect, ...] = ()
    """What happens to the user once all targets are done, whatever came of it."""
    terms: Mapping[Code, Total] = EMPTY
    """Bonuses and penalties of this use, by what they are for."""
    defense_terms: Mapping[Code, Total] = EMPTY
    """What helps the targets with all defenses against this use, by what it is for."""
    willing: tuple[CreatureId, ...] = ()
    """Targets that lower their defenses to nothing."""
    subdual: OnlySubdues = False
    spent: bool = False
    """Whether its extra damage was done by an earlier instance of the same use."""
    fatigue: FatigueCost = 0
    push: Cell | None = None
    """The direction in which the user pushes whom it hits, moving along."""
    push_ft: PushFeet = 0
    reactive: bool = False
    """Whether it is made during somebody else's action."""
    path: tuple[Cell, ...] = ()
    """The line along which the user overruns its targets."""
    area: AreaOrigin | None = None
    """Where its area begins: what fills an area seeks nobody out, so nothing hides from it."""
    maneuver: Code = ""
    """The brawling maneuver this is, where hitting does more than effects say."""


class Aim(NamedTuple):
    """A use, and one of its targets."""

    assault: Assault
    target: str


@enforces(RI_ATK_11)
def may_modify(assault: Assault) -> bool:
    """Return whether *assault* may be modified or rolled again."""
    return not assault.reactive


def do(
    state: State, chance: Chance, assault: Assault, effect: Effect, target: str, number: int
) -> Emits[State]:
    """Emit one effect: what it rolls, and what it enters in the log."""
    amount = effect.amount
    if effect.dice and effect.does != "gain":
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=assault.user,
            stream=f"{assault.user}/effect/{number}",
            purpose={"who": assault.user, "whom": target, "what": assault.what},
            pool=[PoolDie(role="effect", sides=sides) for sides in effect.dice],
            terms=(Term(amount=effect.amount, what="fixed", rule="RI-DMG-1"),),
        )
        amount = roll.total
    if effect.does == "push":
        return (yield from pushed(state, chance, assault.user, target, amount))
    if effect.does == "knockback":
        return (yield from knocked_back(state, chance, assault.user, target, amount))
    return (yield from note(state, chance, atom_of(state, assault, effect, target, amount)))


def atom_of(state: State, assault: Assault, effect: Effect, target: str, amount: int) -> Atom:
    """Return what *effect* enters in the log."""
    does = effect.does
    assert does != "push", "forced movement is not a single effect"
    assert does != "knockback", "forced movement is not a single effect"
    assert does != "extra", "extra damage is part of the attack"
    return Atom(
        seq=UNNUMBERED,
        source=assault.user,
        target=target,
        does=does,
        amount=amount,
        sort=effect.sort,
        condition=condition_of(effect, assault.user, state.round) if does == "gain" else None,
        name=effect.condition if does == "lose" else assault.what,
        swift=effect.swift,
    )


# --- areas ---------------------------------------------------------------------------------------------
# Shapes on the grid, what walls keep out, and whom the ability means. No target is named: an area catches
# those it means who are in it, as far as the user's group knows.


def is_aimed(ability: Ability) -> bool:
    """Return whether a use of *ability* names a cell: the place of its zone or area, or its direction."""
    area = ability.area
    return ability.zone is not None or (area is not None and (area.is_narrow or area.range_ft > 0))


def origin_of(user: Creature, area: Area, at: Cell | None, altitude: int = 0) -> AreaOrigin:
    """Return where an area begins: at a cell in range, or at its user, on the side it points to."""
    if at is not None and area.is_narrow:
        start, _ = facing(user.position, user.space, at, 1)
        return AreaOrigin(at=start, side=1, altitude=user.altitude)
    if at is not None and area.range_ft:
        return AreaOrigin(at=at, side=1, altitude=altitude)
    return AreaOrigin(at=user.position, side=user.space, altitude=user.altitude)


def check_area(view: State, user: Creature, area: Area, at: Cell, altitude: int) -> None:
    """Refuse an area that begins out of range or behind a wall, or that points nowhere within its length."""
    start, _ = facing(user.position, user.space, at, 1)
    flat = distance(user.position, user.space, at, 1, "alternating")
    if area.is_narrow:
        if start == at or altitude:
            raise Refused("invalid_target", f"{at} is not a direction from {user.id}", "RI-ATK-1")
        if flat > area.size_ft:
            raise Refused("target_out_of_range", f"{at} is out of reach of {user.id}", "RI-ATK-1")
        return
    if not is_height(altitude):
        raise Refused("invalid_target", "heights are steps of 5 feet from the ground", "RI-ATK-1")
    if combined(flat, abs(altitude - user.altitude)) > area.range_ft:
        raise Refused("target_out_of_range", f"{at} is out of reach of {user.id}", "RI-ATK-1")
    if view.ground(at) == "wall" or not is_clear(view, start, at):
        raise Refused("no_line_of_effect", f"something stands between {user.id} and {at}", "RI-ATK-1")


def check_named(ability: Ability, targets: tuple[str, ...]) -> None:
    """Refuse targets for what fills an area: it names nobody."""
    if ability.area is not None and targets:
        raise Refused("invalid_target", f"{ability.id} fills an area and takes no targets", "RI-ATK-1")


def caught(
    state: State, user: Creature, ability: Ability, at: Cell | None = None, altitude: int = 0
) -> tuple[str, ...]:
    """Return whom the area of *ability* catches, in the order in which they entered the fight."""
    area = ability.area
    assert area is not None, "only areas catch"
    origin = origin_of(user, area, at, altitude)
    goes_around = area.shape == "cylinder" and not state.is_plain
    spans = filled(state, area, origin) if goes_around else None

    def is_in(cell: Cell) -> bool:
        if spans is not None:
            return is_within(spans, cell)
        return is_filled(area, origin, at, cell) and reaches(state, origin, cell)

    return tuple(
        [
            other.id
            for other in state.creatures.values()
            if is_meant(state, user, other, ability)
            for body in (state.body(other),)
            if is_level(area, origin, body) and any(is_in(cell) for cell in cells(body.position, body.space))
        ]
    )


def whom(state: State, user: str, ability: Ability, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return whom what is Swift of an ability is for: its area, its targets, or else its user."""
    if ability.strike is None and ability.area is not None:
        return caught(state, state.creatures[user], ability)
    return targets if targets and ability.strike is None else (user,)


def is_meant(state: State, user: Creature, other: Creature, ability: Ability) -> bool:
    """Return whether the ability does something to *other* if it stands in its area."""
    area = ability.area
    assert area is not None, "only areas catch"
    too_big = "size_based" in ability.tags and other.rank - other.has("prone") - user.rank > 1
    if other.dead or other.defeated or too_big:
        return False
    if other.id == user.id:
        return area.whom == "everyone" and area.range_ft > 0
    if area.whom == "enemies":
        return state.attitude(user.id, other.id) == "enemy"
    return area.whom == "everyone" or are_allies(state, user.id, other.id)


# --- geometry ----------------------------------------------------------------------------------------


def is_filled(area: Area, origin: AreaOrigin, at: Cell | None, cell: Cell) -> bool:
    """Return whether the shape covers *cell*, whatever stands in between."""
    if distance(origin.at, origin.side, cell, 1, "alternating") > area.size_ft:
        return False
    if not area.is_narrow:
        return True
    assert at is not None, "cones and lines point somewhere"
    dx, dy = at[0] - origin.at[0], at[1] - origin.at[1]
    x, y = cell[0] - origin.at[0], cell[1] - origin.at[1]
    along, across = x * dx + y * dy, x * dy - y * dx
    if along <= 0:
        return False
    return abs(across) <= along if area.shape == "cone" else is_on_line(area, (dx, dy), across)


def is_on_line(area: Area, towards: Cell, across: int) -> bool:
    """Return whether a cell so far beside a line, scaled by its direction, lies within its width.

    A line takes the cells that it passes through, and those whose middle lies within its width; where its
    edge goes through middles, those on one fixed side.
    """
    dx, dy = towards
    beside = 4 * across**2 - (area.width_ft // FEET) ** 2 * (dx**2 + dy**2)
    return 2 * abs(across) < abs(dx) + abs(dy) or beside < 0 or (beside == 0 and across > 0)


def is_level(area: Area, origin: AreaOrigin, other: Creature) -> bool:
    """Return whether the area reaches *other* in height: a line is 5 feet high, others as they are wide."""
    up = height(origin, other)
    if area.shape == "line":
        return up == 0
    if area.shape == "cylinder":
        return up <= area.size_ft
    flat = distance(origin.at, origin.side, other.position, other.space, "alternating")
    return combined(flat, up) <= area.size_ft


def height(origin: AreaOrigin, other: Creature) -> int:
    """Return the feet between where an area begins and the height of *other*, 0 where they overlap."""
    top, over = other.altitude + FEET * (other.space - 1), origin.altitude + FEET * (origin.side - 1)
    return max(0, other.altitude - over, origin.altitude - top)


def combined(flat: int, up: int) -> int:
    """Return the feet of a way that goes so far and so high, every second diagonal counting double."""
    return max(flat, up) + min(flat, up) // 10 * FEET


def reaches(state: State, origin: AreaOrigin, cell: Cell) -> bool:
    """Return whether no wall lies between where the area begins and *cell*."""
    return is_clear(state, facing(origin.at, origin.side, cell, 1)[0], cell)


def filled(state: State, area: Area, origin: AreaOrigin) -> Spans:
    """Return what a cylinder fills: it goes around walls as long as it stays within its radius."""
    shape = disc_around(origin.at, origin.side, area.size_ft)
    beside = state.beside_closed_edges
    return spread(origin.at, shape, state.solid_spans, lambda y: beside.get(y, ()), state.bars())


# --- offers ------------------------------------------------------------------------------------------


def aims(view: State, ability: Ability) -> Iterator[dict[str, Any]]:
    """Yield the ways to place the area of *ability* that options name: around or towards each creature."""
    area = ability.area
    if area is None or not is_aimed(ability):
        yield {}
        return
    spots = [(c.position, 0 if area.is_narrow else c.altitude) for c in view.creatures.values()]
    for at, altitude in dict.fromkeys(spots):
        yield {"at": at, "altitude_ft": altitude} if altitude else {"at": at}


# --- zones ---------------------------------------------------------------------------------------------
# Walls, rough ground, darkness and hazards, there for their own group at once, then for all. What a zone
# does to others begins when it is announced; it hurts at the end of a phase for the first time.


@record
class ZoneMade(Event[State]):
    """Ground is changed, as far as the makers know; for everybody else from the announcement on."""

    type: ClassVar[str] = "zone_made"
    placed: Placed
    """The zone as it lies on the ground."""

    def evolve(self, state: State) -> State:
        return changed(state, zones=(*state.zones, self.placed))


@record
class ZonesEnded(Event[State]):
    """The ground is again what it was."""

    type: ClassVar[str] = "zones_ended"
    ended: tuple[Placed, ...]
    """The zones that ended."""

    def evolve(self, state: State) -> State:
        return changed(state, zones=tuple([placed for placed in state.zones if placed not in self.ended]))


def check_place(
    view: State, creature: Creature, ability: Ability, at: Cell | None, altitude: int = 0
) -> None:
    """Refuse a zone or area that is not in reach, or a place for what needs none."""
    if is_aimed(ability) is (at is None) or (altitude and (at is None or ability.area is None)):
        raise Refused("invalid_target", f"{ability.id} needs a place if it can be aimed", "RI-ATK-1")
    if at is None:
        return
    if ability.area is not None and (ability.area.is_narrow or ability.area.range_ft):
        check_area(view, creature, ability.area, at, altitude)
    if ability.zone is None:
        return
    if creature.space and view.distance(creature, changed(creature, position=at)) > ability.range_ft:
        raise Refused("target_out_of_range", f"{at} is out of reach of {creature.id}", "RI-ATK-1")
    if not is_clear(view, creature.position, at):
        raise Refused("no_line_of_effect", f"something stands between {creature.id} and {at}", "RI-ATK-1")


def made(state: State, source: str, zone: Zone, at: Cell) -> Emits[State]:
    """Emit that the ground around a cell is changed."""
    number = sum(placed.source == source and placed.since == state.round for placed in state.zones)
    placed = Placed(zone=zone, at=at, source=source, since=state.round, number=number)
    return (yield ZoneMade(placed=placed, because=("RI-RES-2", "C-38")))


def clear(state: State, step: int) -> Emits[State]:
    """Emit which zones are over: they last as long as conditions of the same duration."""
    ended = tuple([placed for placed in state.zones if is_over(state, placed, step)])
    return (yield ZonesEnded(ended=ended, because=("RI-DUR-1", "C-38"))) if ended else state


def is_over(state: State, placed: Placed, step: int) -> bool:
    """Return whether a zone ends with *step* of this round."""
    if placed.zone.until == "phase":
        return step in (4, 10)
    lasts = {"round": 0, "brief": 1}.get(placed.zone.until)
    return step == 11 and lasts is not None and placed.since + lasts <= state.round


def burning(state: State) -> list[tuple[str, Placed]]:
    """Return who stands in what hurts, zone by zone."""
    return [
        (name, placed)
        for placed in state.zones
        if placed.zone.damage
        for name, creature in state.creatures.items()
        for body in (state.body(creature),)
        if any(placed.covers(cell) for cell in cells(body.position, body.space))
    ]


def is_dark(state: State, creature: Creature) -> bool:
    """Return whether *creature* stands in the dark."""
    return any(placed.zone.kind == "darkness" and placed.covers(creature.position) for placed in state.zones)


# --- cover ---------------------------------------------------------------------------------------------

RI_ATK_15: Final = Rule(
    "RI-ATK-15",
    "Cover adds 2 to Armor and Reflex, or 4 by ruling, and is hit by attacks that miss or glance.",
    books.OBSTACLES.at("Cover"),
)


SHELTERED: Final = ("armor", "reflex")
"""The defenses that cover adds to; attacks against none of them are not stopped by what is in the way."""
COVER: Final = 2
IMPROVED: Final = 4


def covered(state: State, aim: Aim, strike: Strike) -> Cover | None:
    """Return what shelters the target of an attack, if anything; brawling goes around it."""
    assault = aim.assault
    if assault.maneuver or aim.target in assault.willing:
        return None
    if not any(name in SHELTERED for name in strike.versus):
        return None
    user, target = state.creatures[assault.user], state.creatures[aim.target]
    mine, theirs = state.body(user), state.body(target)
    start = assault.area or AreaOrigin(at=mine.position, side=mine.space, altitude=mine.altitude)
    line = facing(start.at, start.side, theirs.position, theirs.space)
    return cover(state, user, target, tuple(between(*line)))


@enforces(RI_ATK_15)
def cover(state: State, user: Creature, target: Creature, line: Sequence[Cell]) -> Cover | None:
    """Return the first cover on *line* between *user* and *target*, None if there is none.

    Allies who communicate with the attacker give no cover against it.
    """
    for cell in line:
        for by in in_between(state, user, target, cell):
            improved = ruled(state, "improved_cover", target.id) == str(IMPROVED)
            return Cover(by=by, bonus=IMPROVED if improved else COVER)
    return None


def takes(state: State, cover: Cover, attacked: Sequence[str]) -> bool:
    """Return whether the attack goes on against *cover*: it can be hurt and is not among those *attacked*."""
    return cover.by in state.creatures and cover.by not in attacked


def in_between(state: State, user: Creature, target: Creature, cell: Cell) -> Iterator[str]:
    """Yield what stands in the way at *cell*: creatures by their ids, a low obstacle by its cell `x,y`."""
    for other in state.standing_at(cell):
        theirs = belongs(other, user) or belongs(other, target)
        is_in_touch = other.sheet.kind != "object" and may_join(state, user.id, other.id)
        if not theirs and not is_overhead(other, user, target) and not is_in_touch:
            yield other.id
    if state.ground(cell) == "obstacle" and not (user.altitude and target.altitude):
        yield f"{cell[0]},{cell[1]}"


def is_overhead(other: Creature, user: Creature, target: Creature) -> bool:
    """Return whether *other* is at another height than both."""
    return bool(above(other, user) and above(other, target))


def belongs(other: Creature, to: Creature) -> bool:
    """Return whether *other* is a creature itself, its mount or its rider."""
    return other.id in (to.id, to.mount) or other.mount == to.id
