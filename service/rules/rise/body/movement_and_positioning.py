"""Movement and positioning: the cost of a step, squeezing, riding, and how far a movement goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Creatures
from service.rules.rise import books
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import (
    gain,
    hands_free,
    kinds_on,
    risen,
    speed_of,
    speed_on_its_feet,
)
from service.rules.rise.creatures.creature import Creature, above, is_able, may_share, on_its_way
from service.rules.rise.creatures.state import State
from service.rules.rise.values import MountId
from service.rules.secrecy.hiding import OccupiedSpace
from service.rules.space.grid import FEET, Cell, cells, is_beyond, is_step

# --- paths ---------------------------------------------------------------------------------------------
# What each step costs, who is in the way, and where a movement has to stop. A path is the cells entered, in
# order. What a creature cannot see does not refuse its path; it stops it.

RI_MOVE_2: Final = Rule(
    "RI-MOVE-2",
    "A path names each cell next to the one before; a step costs 5 feet, every second diagonal 10.",
    books.MOVEMENT.at("Measuring Movement"),
)
RI_MOVE_3: Final = Rule(
    "RI-MOVE-3",
    "Leaving difficult terrain, or getting over an obstacle, costs 5 feet more.",
    books.MOVEMENT.at("Movement Impediments"),
)
RI_MOVE_4: Final = Rule(
    "RI-MOVE-4",
    "Enemies block the way, others may be passed; creatures two sizes apart do not block each other.",
    (books.MOVEMENT.at("Movement Impediments"), books.MECHANICS.at("Space")),
)
RI_PHASE_5: Final = Rule(
    "RI-PHASE-5",
    "Speed is new with each phase, and every foot moved in it is taken off.",
    books.CODEX_COMBAT.at("Movement Speed"),
)


ROUGH = ("difficult", "obstacle")
"""Ground that costs 5 feet more to leave."""


class Walk(NamedTuple):
    """How far a path led: the cells entered, the feet spent, and what stopped it, if anything."""

    cells: tuple[Cell, ...]
    feet: int
    stopped: str | None


@enforces(RI_MOVE_2)
def step_feet(before: Cell, after: Cell, diagonals: int) -> int:
    """Return the feet of a step, after so many *diagonals* on the way."""
    diagonal = before[0] != after[0] and before[1] != after[1]
    return FEET * 2 if diagonal and diagonals % 2 else FEET


@enforces(RI_MOVE_3)
def leaving(state: State, creature: Creature, cell: Cell) -> int:
    """Return the feet that it costs more to leave *cell*."""
    if not state.terrain and not state.zones:
        return 0
    space = cells(cell, creature.space)
    return FEET if any(state.ground(part) in ROUGH for part in space) else 0


def steps_of(state: State, creature: Creature, path: Sequence[Cell]) -> Iterator[tuple[Cell, Cell, int]]:
    """Yield each step of *path* from where *creature* is: the cell left, the cell entered, and its feet."""
    at, diagonals = creature.position, 0
    for cell in path:
        yield at, cell, step_feet(at, cell, diagonals) + leaving(state, creature, at)
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        at = cell


def feet_of(state: State, creature: Creature, path: Sequence[Cell]) -> int:
    """Return what *path* costs *creature* from where it is."""
    return sum(feet for _, _, feet in steps_of(state, creature, path))


@enforces(RI_MOVE_4)
def in_the_way(state: State, creature: Creature, cell: Cell, passed: Sequence[str] = ()) -> Creature | None:
    """Return the creature that stops *creature* at *cell*, None if it may pass; those *passed* never do."""
    for part in cells(cell, creature.space):
        for other in state.standing_at(part):
            if other.id == creature.id or other.id in passed or is_passable(state, creature, other):
                continue
            if above(creature, other):
                continue
            return other
    return None


def is_passable(state: State, creature: Creature, other: Creature) -> bool:
    """Return whether *creature* may walk through the space of *other*."""
    if may_share(creature, other):
        return True
    hostile = "enemy" in (state.attitude(creature.id, other.id), state.attitude(other.id, creature.id))
    return not hostile or other.down


def occupant(state: State, creature: Creature, cell: Cell, absent: Sequence[str] = ()) -> Creature | None:
    """Return who keeps *creature* from ending its movement at *cell*, if anybody; not who is *absent*."""
    for part in cells(cell, creature.space):
        for other in state.standing_at(part):
            if other.id in (creature.id, *absent) or may_share(creature, other):
                continue
            if not above(creature, other):
                return other
    return None


def standing_in(state: State, creature: Creature, cell: Cell) -> list[str]:
    """Return the others who take up room where *creature* would stand at *cell*, maybe more than once."""
    parts = cells(cell, creature.space)
    return [other.id for part in parts for other in state.standing_at(part) if other.id != creature.id]


def is_wall(state: State, creature: Creature, cell: Cell) -> bool:
    """Return whether *creature* would stand inside a wall at *cell*, or on both sides of one."""
    if is_beyond(cell, creature.space):
        return True
    if state.is_plain:
        return False
    if any(state.is_solid(part) for part in cells(cell, creature.space)):
        return True
    return state.is_divided(cell, creature.space)


def is_shut(state: State, creature: Creature, before: Cell, after: Cell) -> bool:
    """Return whether a wall or a closed door keeps *creature* from a step."""
    return is_wall(state, creature, after) or state.is_barred(before, after, creature.space)


def check_path(view: State, creature: Creature, path: Sequence[Cell], budget: int) -> None:
    """Refuse a path that no ground allows or that is too long; who stands in it is not asked here."""
    at = creature.position
    for cell in path:
        if not is_step(at, cell):
            raise Refused(
                "path_blocked", f"{cell} is no neighbour of {at}: a path names every cell", "RI-MOVE-2"
            )
        if is_shut(view, creature, at, cell):
            raise Refused("path_blocked", f"a wall keeps {creature.id} from {at} to {cell}", "RI-MOVE-1")
        at = cell
    check_budget(view, creature, path, budget)


@enforces(RI_PHASE_5)
def check_budget(view: State, creature: Creature, path: Sequence[Cell], budget: int) -> None:
    """Refuse a path that takes more feet than *budget*."""
    feet = feet_of(view, creature, path)
    if feet > budget:
        raise Refused(
            "insufficient_speed", f"{creature.id} has {budget} feet, and the path takes {feet}", RI_PHASE_5.id
        )


def check_free(
    view: State, creature: Creature, path: Sequence[Cell], high: int | None = None, *, mounts: bool = False
) -> None:
    """Refuse a path through an enemy, or into a space that is taken unless it *mounts* there."""
    passing, ending = flown(creature, high)
    for cell in path:
        other = in_the_way(view, passing, cell)
        if other is not None:
            raise Refused("enemy_blocks_path", f"{other.id} is in the way of {creature.id}", "RI-MOVE-4")
    if not mounts and (path or ending.altitude != creature.altitude):
        taken = occupant(view, ending, path[-1] if path else creature.position)
        if taken is not None:
            raise Refused("space_occupied", f"{taken.id} stands where {creature.id} would end", "RI-MOVE-4")


def flown(creature: Creature, high: int | None) -> tuple[Creature, Creature]:
    """Return a mover as it passes others and as it ends, *high* feet up; null keeps it as high as it is."""
    if high is None:
        return creature, creature
    return on_its_way(creature, high), changed(creature, altitude=high)


class Past(NamedTuple):
    """Whom a movement leads past."""

    absent: Sequence[str] = ()
    """Who is elsewhere by then."""
    through: Sequence[str] = ()
    """Who may be passed, and in whose space nobody ends."""


NOBODY: Final = Past()


def walk(
    state: State,
    creature: Creature,
    path: Sequence[Cell],
    budget: int,
    past: Past = NOBODY,
    high: int | None = None,
    *,
    is_open: bool = False,
) -> Walk:
    """Return how far *path* leads: up to what stops it, and back to the first space that may be stood in.

    It leads *past* some. *high* is how high it ends, null where that is as high as it began. A way *is_open*
    if no wall is looked for on it.
    """
    passing, ending = flown(creature, high)
    taken: list[Cell] = []
    spent, stopped = 0, None
    costs = [0]
    passed = (*past.absent, *past.through)
    for at, cell, feet in steps_of(state, creature, path):
        blocker = in_the_way(state, passing, cell, passed)
        if (
            spent + feet > budget
            or blocker is not None
            or (not is_open and is_shut(state, creature, at, cell))
        ):
            stopped = blocker.id if blocker is not None else "speed"
            break
        spent += feet
        taken.append(cell)
        costs.append(spent)
    while taken and (other := occupant(state, ending, taken[-1], past.absent)) is not None:
        taken.pop()
        costs.pop()
        stopped = other.id
    return Walk(tuple(taken), costs[-1], stopped)


def check_direction(step: Cell) -> None:
    """Refuse what is not one of the eight steps."""
    if step == (0, 0) or max(abs(step[0]), abs(step[1])) > 1:
        raise Refused("path_not_straight", "a direction is one of eight steps", "RI-MOVE-7")


# --- hidden creatures ----------------------------------------------------------------------------------
# No group knows of it. A mover that discovers a hidden creature stops before it as before anybody in its
# way, and what is left of its way is lost. What was done on the way stands, as it does after a conflict. In
# a group's world nothing is hidden.


def hidden_creature_at(state: State, creature: Creature, cell: Cell) -> str | None:
    """Return the hidden creature where *creature* would stand at *cell*."""
    return state.hidden_creature_in(OccupiedSpace(cell, creature.space, creature.altitude))


def before_hidden_creatures(state: State, creature: Creature, path: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return the part of *path* before a hidden creature; empty where it is met without a step."""
    at = creature.position
    for done, cell in enumerate(path if state.hidden_creatures else ()):
        if is_step(at, cell) and hidden_creature_at(state, creature, cell) is not None:
            return path[:done]
        at = cell
    return path


# --- speed ---------------------------------------------------------------------------------------------
# Speed by its mode, doubled by sprinting, less what getting up costs.

RI_MOVE_1: Final = Rule(
    "RI-MOVE-1",
    "A movement goes along a chosen path, up to the speed of the way of moving.",
    (books.TIME.at("The Movement Phase"), books.MOVEMENT.at("Movements")),
)
RI_UNIV_SPRINT: Final = Rule(
    "RI-UNIV-SPRINT",
    "Sprinting doubles the speed of one movement; it tires in the movement phase; monsters cannot.",
    books.ABILITIES.at("Sprint"),
)


@enforces(RI_MOVE_1)
def budget_of(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Return the feet of a movement of *creature* with *mode*."""
    if not creature.sheet.speed(mode):
        raise Refused("no_such_movement_mode", f"{creature.id} cannot {mode}", RI_MOVE_1.id)
    check_mobile(creature)
    speed = speed_of(view, creature, mode)
    return sprinting(view, creature, speed) if sprint else speed


def check_mobile(creature: Creature) -> None:
    """Refuse a movement of a creature that is held fast; the grappled move only by shoving who holds them."""
    if any(kind.holds_fast for kind in kinds_on(creature)):
        raise Refused("immobilized", f"{creature.id} cannot move", "RI-COND-2")


def once_up(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Return the feet left once *creature* has got up, which takes a free hand."""
    check_mobile(creature)
    if not creature.has("prone"):
        raise Refused("invalid_target", f"{creature.id} is on its feet", "RI-MOVE-5")
    if creature.sheet.hands and hands_free(creature) < 1:
        raise Refused("no_free_hand", f"{creature.id} needs a free hand to get up", "RI-MOVE-5")
    speed = speed_on_its_feet(view, creature, mode)
    return (sprinting(view, creature, speed) if sprint else speed) - risen(view, creature, mode)


@enforces(RI_UNIV_SPRINT)
def sprinting(view: State, creature: Creature, speed: int) -> int:
    """Return *speed* doubled; refuse a creature that cannot sprint."""
    check_sprints(view, creature)
    return 2 * speed


@enforces(RI_UNIV_SPRINT)
def check_sprints(view: State, creature: Creature) -> None:
    """Refuse a creature that cannot sprint."""
    if not may_sprint(view, creature):
        raise Refused("monster_cannot_sprint", f"{creature.id} is not a player character", RI_UNIV_SPRINT.id)
    if is_laden(view, creature):
        raise Refused("sprint_while_carrying", f"{creature.id} carries somebody", RI_UNIV_SPRINT.id)


def may_sprint(view: State, creature: Creature) -> bool:
    """Return whether *creature* is a player's, or a monster that the GM lets sprint."""
    return creature.sheet.is_pc or ruled(view, "monster_sprint_exception", creature.id) == "yes"


def is_laden(state: State, creature: Creature) -> bool:
    """Return whether *creature* carries a rider, with whom this printing lets nobody sprint."""
    rides = any(other.mount == creature.id for other in state.creatures.values())
    return rides and not state.profile.mounts_sprint


# --- squeezing -----------------------------------------------------------------------------------------

RI_MOVE_8: Final = Rule(
    "RI-MOVE-8",
    "Whether creatures have to squeeze is judged when a phase begins, and at no other time.",
    books.CODEX_COMBAT,
)


@record
class SqueezingJudged(Event[State]):
    """These creatures squeeze in this phase: they have less room than they need."""

    type: ClassVar[str] = "squeezing_judged"
    creatures: Creatures

    def evolve(self, state: State) -> State:
        for name, creature in state.creatures.items():
            kept = tuple([c for c in creature.conditions if c.name != "squeezing"])
            if name in self.creatures:
                kept = (*kept, Condition(name="squeezing", source=name, until="permanent"))
            if kept != creature.conditions:
                state = state.with_creature(name, conditions=kept)
        return state


def is_tight(state: State, creature: Creature) -> bool:
    """Return whether *creature* shares its space with one of about its size, or stands half in a wall."""
    if creature.dead or creature.defeated:
        return False
    return is_wall(state, creature, creature.position) or (
        occupant(state, creature, creature.position) is not None
    )


@enforces(RI_MOVE_8)
def squeeze(state: State) -> Emits[State]:
    """Emit which creatures squeeze, if that has changed."""
    tight = tuple([name for name, creature in state.creatures.items() if is_tight(state, creature)])
    known = tuple([name for name, creature in state.creatures.items() if creature.has("squeezing")])
    return (yield SqueezingJudged(creatures=tight)) if tight != known else state


# --- riding --------------------------------------------------------------------------------------------
# A ride is the rider's one change of place in its phase.

RI_MOUNT_1: Final = Rule(
    "RI-MOUNT-1",
    "A mount carries those who share its space; being carried is the rider's one change of place.",
    (books.SPECIAL.at("Mounted Combat"), books.TIME.at("Only One Movement Per Phase")),
)
RI_MOVE1_3: Final = Rule(
    "RI-MOVE1-3",
    "Nobody moves onto a mount and is carried by it in the same phase.",
    books.TIME.at("Only One Movement Per Phase"),
    settles=("C-49",),
)


JOLTED: Final = "moving mount"
"""What a strike from a distance suffers from on a mount that moves."""


@record
class Mounted(Event[State]):
    """A creature is on its mount, or on none any more."""

    type: ClassVar[str] = "mounted"
    creature: CreatureId
    mount: MountId | None

    def evolve(self, state: State) -> State:
        if self.mount is not None:
            return sit_on(state, self.creature, self.mount)
        rider = state.creatures[self.creature]
        aloft = "falling" if rider.altitude and rider.aloft == "flying" else rider.aloft
        return state.with_creature(self.creature, mount=None, aloft=aloft)


def sit_on(state: State, rider: str, mount: str) -> State:
    """Return *state* with the rider on its mount, as high as that is."""
    under = state.creatures[mount]
    return state.with_creature(
        rider, mount=mount, aloft=under.aloft, altitude=under.altitude, hovered=under.hovered
    )


def jolted(view: State, rider: Creature) -> int:
    """Return what a missile loses on a mount that has moved in this phase: 2, or 4 if it sprinted."""
    mount = view.creatures.get(rider.mount or "")
    if mount is None or not mount.location_changed:
        return 0
    feet = mount.budget.modes
    best = max([speed_of(view, mount, mode) for mode in feet], default=0)
    return -4 if sum(feet.values()) > best else -2


def come_off(state: State, names: Sequence[str] | None = None) -> Emits[State]:
    """Emit which riders are no longer where their mounts are, were knocked out, or fell with their mounts.

    Only *names* are looked at, if they are given.
    """
    for name, creature in state.creatures.items():
        if creature.mount is None or (names is not None and name not in names):
            continue
        mount = state.creatures[creature.mount]
        apart = creature.position not in cells(mount.position, mount.space)
        senseless = not is_able(creature) and not creature.sheet.military_saddle
        if apart or senseless or not is_able(mount):
            state = yield Mounted(creature=name, mount=None, because=("RI-MOUNT-1",))
            if not apart and not creature.has("prone"):
                state = yield from gain(name, Condition(name="prone", source=mount.id))
    return state


@enforces(RI_MOUNT_1)
def check_carried(view: State, mount: Creature, rider: str, *, sprints: bool) -> None:
    """Refuse to carry a rider that moves by itself or does not ride, or to sprint with it."""
    plan = view.plans.get(rider)
    if plan is not None and plan.path:
        onto_a_mount(rider)
    found = view.creatures.get(rider)
    if found is None or found.mount != mount.id:
        detail = (
            f"{rider} does not ride {mount.id}, and only riders are carried; a willing shove moves others"
        )
        raise Refused("mount_departed", detail, RI_MOUNT_1.id)
    if sprints and not view.profile.mounts_sprint:
        raise Refused("mount_cannot_sprint", f"{mount.id} carries {rider}", RI_MOUNT_1.id)


def check_mount(view: State, rider: Creature, mount: str, path: tuple[Cell, ...]) -> None:
    """Refuse to mount what carries nobody, or what is not where the path ends."""
    found = view.creatures.get(mount)
    there = path[-1] if path else rider.position
    is_mount = found is not None and found.sheet.carries_riders and found.id != rider.id
    if found is None or not is_mount or there not in cells(found.position, found.space):
        raise Refused("mount_departed", f"{rider.id} cannot mount {mount} there", "RI-MOUNT-1")
    if above(rider, found) > FEET:
        raise Refused("mount_departed", f"{mount} is out of reach of {rider.id}", "RI-MOUNT-1")


def check_not_carried(view: State, rider: Creature) -> None:
    """Refuse a movement of one's own in a phase in which one's mount carries one on (C-49)."""
    if any(rider.id in plan.carry for plan in view.plans.values()):
        onto_a_mount(rider.id)


@enforces(RI_MOVE1_3)
def onto_a_mount(rider: str) -> None:
    """Refuse a mount to a creature that moves by itself in this phase."""
    raise Refused("already_moved_this_phase", f"{rider} moves by itself in this phase", RI_MOVE1_3.id)
