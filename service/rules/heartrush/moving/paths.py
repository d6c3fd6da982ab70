"""Compute how far a creature moves and through which cells, on its own or pushed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import SPEEDS
from service.rules.heartrush.body.weapons import shield_on, wielded
from service.rules.heartrush.creatures.ledges import (
    HR_FALL_2,
    HR_FALL_3,
    drop_ft,
    is_at_brink,
    is_too_steep,
)
from service.rules.heartrush.creatures.sheet import ARMOR_PENALTY, HEAVY_WEAPON_PENALTY, SHIELD_PENALTY
from service.rules.heartrush.creatures.size_and_bonds import climbers_on, fit_together, mount_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.rolls import fears
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed, derived
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.space.compact import Cells
from service.rules.space.grid import (
    FEET,
    STEPS,
    Cell,
    Reach,
    cells,
    distance,
    ends_within,
    is_beyond,
    is_near_edge,
    is_step,
    path_to,
    reachable,
    way_to,
)
from service.rules.table.walled import TABLE_WALL_1

# --- how far -------------------------------------------------------------------------------------------
# Its speed, what lowers it, and what standing up and casting leave of it.

HR_MOVE_2: Final = Rule(
    "HR-MOVE-2",
    "A dash covers the speed less armor, heavy shield and heavy weapon; conditions lower it further.",
    (books.COMBAT.at("Dash"), books.WEAPONS, books.CONDITIONS),
)
HR_COND_5: Final = Rule(
    "HR-COND-5",
    "Restrained, stunned and grappled creatures have speed 0: no dash, no sidestep.",
    books.CONDITIONS.at("Restrained"),
)
HR_MOVE_5: Final = Rule(
    "HR-MOVE-5",
    "Standing up takes half the movement or a sidestep; while prone a creature moves at climbing speed.",
    books.CONDITIONS.at("Prone"),
    settles=("A-16",),
)


def burden(creature: Creature) -> int:
    """Return the feet that equipment takes off a creature's speed."""
    sheet, weapon = creature.sheet, wielded(creature)
    heavy = weapon.size_class == "heavy" and "natural" not in weapon.tags
    penalty = ARMOR_PENALTY[sheet.armor] + SHIELD_PENALTY[shield_on(creature)]
    return penalty + HEAVY_WEAPON_PENALTY if heavy else penalty


@enforces(HR_MOVE_2)
def speed(creature: Creature) -> int:
    """Return the feet of a dash of *creature*, after equipment and conditions."""
    feet = creature.sheet.speed - burden(creature)
    if creature.conditions:
        for lower in SPEEDS:
            feet = lower(creature, feet)
    return max(0, feet)


@enforces(HR_COND_5)
def check_can_move(creature: Creature) -> None:
    """Refuse a move of a creature whose speed is 0."""
    for condition in ("stunned", "incapacitated", "restrained", "grappled"):
        if creature.has(condition):
            raise Refused("speed_zero", f"{creature.id} is {condition}", HR_COND_5.id)
    if speed(creature) == 0:
        raise Refused("speed_zero", f"the equipment of {creature.id} leaves it no speed", HR_COND_5.id)


@enforces(HR_MOVE_5)
def standing_cost(creature: Creature) -> int:
    """Return the feet that it costs *creature* to stand up."""
    return speed(creature) // 2


def allowance(creature: Creature, *, stand: bool) -> int:
    """Return the feet of one dash, after standing up if it does."""
    if not creature.has("prone"):
        return speed(creature)
    if stand:
        return speed(creature) - standing_cost(creature)
    return min(speed(creature), creature.sheet.climb_speed)


def half_speed(creature: Creature) -> int:
    """Return half of a creature's speed, rounded up to whole feet."""
    return -(-speed(creature) // 2)


def left_after_casting(creature: Creature, budget: int) -> int:
    """Return the feet a creature may still move: *budget*, or what a spell has left of half its speed."""
    if not creature.spell_cast:
        return budget
    return max(0, half_speed(creature) - (creature.moved_ft - creature.cast_at_ft))


def left_this_round(creature: Creature, budget: int) -> int:
    """Return the feet of a dash that a shot and a spell of this round leave of *budget*."""
    cap = speed(creature) // 2 - creature.moved_ft if creature.ranged_stance_taken else budget
    return min(budget, max(0, cap), left_after_casting(creature, budget))


def check_move_after_casting(creature: Creature, feet: int) -> None:
    """Refuse more than half the speed after a spell was cast this round."""
    if feet > left_after_casting(creature, feet):
        raise Refused("moved_too_far_to_cast", f"{creature.id} has cast a spell this round", "HR-CAST-1")


# --- through which cells -------------------------------------------------------------------------------
# Speed, ground, other creatures' spaces.

HR_ENV_1: Final = Rule(
    "HR-ENV-1",
    "A step costs 5 ft, twice that onto difficult ground, shallow water or into a space shared by size.",
    books.BASICS.at("Terrain"),
)
HR_MOVE_1: Final = Rule(
    "HR-MOVE-1",
    "Movement is a path of neighbouring cells; a diagonal costs what any step does, or by the house more.",
    RULING,
    settles=("A-45",),
)
HR_ENV_2: Final = Rule(
    "HR-ENV-2",
    "Shallow water is difficult ground; a dash swims deeper water: 15 ft of it, less equipment.",
    books.BASICS.at("Water"),
)
HR_ENV_6: Final = Rule(
    "HR-ENV-6",
    "Climbing may take a might check first; it goes at 5 ft, which equipment does not lower.",
    books.BASICS.at("Vertical Surfaces"),
)
HR_SIZE_4: Final = Rule(
    "HR-SIZE-4",
    "A creature two sizes smaller may enter another's space; allies may be walked through, others block.",
    books.BASICS.at("Size"),
    settles=("A-37",),
)
HR_MOVE_6: Final = Rule(
    "HR-MOVE-6",
    "Every cell of a path is tested before the first step: neighbours, room, and feet enough.",
    books.BASICS.at("Size"),
)


SLOW_GROUND: Final = ("difficult", "shallow_water")


@enforces(HR_ENV_1)
def step_cost(state: State, creature: Creature, old: Cell, new: Cell, diagonals: int) -> int:
    """Return the feet of a step from *old* to *new*, after so many *diagonals* on the way."""
    return _slant(state, old, new, diagonals) * (_entering_ft(state, creature, new) or NEVER_FT)


NEVER_FT: Final = 10**6
"""More feet than any dash has: what a cell costs that cannot be entered at all."""


@enforces(HR_MOVE_1)
def _slant(state: State, old: Cell, new: Cell, diagonals: int) -> int:
    """Return how often a step from *old* to *new* counts: 2 for some diagonals if the house says so."""
    diagonal = old[0] != new[0] and old[1] != new[1]
    return 2 if diagonal and diagonals % 2 and state.house.metric != "chebyshev" else 1


def _entering_ft(state: State, creature: Creature, new: Cell) -> int:
    """Return the feet of a straight step onto *new*; 0 where the creature is too slow to go there at all."""
    feet = _ground_ft(state, creature, new) if state.terrain else FEET
    if creature.conditions and _is_on_mount(state, creature, new):
        return _pace_ft(creature, creature.sheet.climb_speed)
    others = others_at(state, creature, new)
    return 2 * feet if any(may_share(state, creature, other) for other in others) else feet


def _ground_ft(state: State, creature: Creature, new: Cell) -> int:
    here = [state.ground(cell) for cell in cells(new, creature.space)]
    if "climb" in here:
        return climb_ft(state, creature, new)
    if all(ground == "deep_water" for ground in here):
        return swim_ft(creature)
    return 2 * FEET if any(ground in SLOW_GROUND for ground in here) else FEET


@enforces(HR_ENV_2)
def swim_ft(creature: Creature) -> int:
    """Return the feet of deeper water that *creature* swims in a dash."""
    return _pace_ft(creature, creature.sheet.swim_speed - burden(creature))


@enforces(HR_ENV_6)
def climb_ft(state: State, creature: Creature, new: Cell) -> int:
    """Return the feet that *creature* climbs to *new*, 0 where nothing can be climbed."""
    if any(f"{x},{y}" in state.scenery.sheer for x, y in cells(new, creature.space)):
        return 0
    return _pace_ft(creature, creature.sheet.climb_speed)


def _pace_ft(creature: Creature, pace: int) -> int:
    """Return the feet of a dash one cell takes where a whole one goes *pace* feet; 0: too slow."""
    whole = creature.sheet.speed - burden(creature)
    if pace >= whole:
        return FEET
    steps = pace // FEET
    return max(FEET, whole // steps) if steps > 0 else 0


def climb_cn(state: State, creature: Creature, old: Cell, new: Cell) -> int:
    """Return the number of the check a step onto *new* asks for; 0 where it asks for none."""
    if not state.scenery.climb_cn or state.ground(old) == "climb":
        return 0
    return max(state.scenery.climb_cn.get(f"{x},{y}", 0) for x, y in cells(new, creature.space))


def _is_on_mount(state: State, creature: Creature, cell: Cell) -> bool:
    mount = mount_of(state, creature)
    return mount is not None and cell in cells(mount.position, mount.space)


def approaches(state: State, creature: Creature, old: Cell, new: Cell) -> bool:
    """Return whether a step brings *creature* nearer to what it fears and sees (HR-COND-15)."""
    if not creature.conditions:
        return False
    feared = fears(state, creature)
    if feared is None:
        return False
    metric = state.house.metric
    before = distance(old, creature.space, feared.position, feared.space, metric)
    return distance(new, creature.space, feared.position, feared.space, metric) < before


def others_at(state: State, creature: Creature, at: Cell) -> tuple[Creature, ...]:
    """Return the living creatures the mover would overlap at *at*, each once, but not its climbers."""
    if creature.conditions and creature.has("climbed_on"):
        riders = climbers_on(state, creature)
        return tuple(other for other in _covering(state, creature, at) if other not in riders)
    return _covering(state, creature, at)


def _covering(state: State, creature: Creature, at: Cell) -> tuple[Creature, ...]:
    if creature.space == 1:
        found = state.occupied.get(at)
        return tuple([other for other in found if other.id != creature.id]) if found else ()
    all_there = {c.id: c for cell in cells(at, creature.space) for c in state.standing_at(cell)}
    all_there.pop(creature.id, None)
    return tuple(all_there.values())


def may_share(state: State, mover: Creature, other: Creature) -> bool:
    """Return whether their sizes let *mover* enter and share the space of *other*, be it friend or enemy."""
    either = state.house.pass_through == "either_smaller"  # noqa: S105 - an option
    return mover.rank <= other.rank - 2 or (either and other.rank <= mover.rank - 2)


def is_walled(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether any of the mover's space would be inside a wall at *at*, or on both sides of one."""
    if is_beyond(at, mover.space):
        return True
    if state.terrain and any(state.is_solid(cell) for cell in cells(at, mover.space)):
        return True
    return state.is_divided(at, mover.space)


@enforces(HR_SIZE_4)
def may_enter(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether *mover* may enter the cell *at*."""
    if is_walled(state, mover, at):
        return False
    for other in others_at(state, mover, at):
        ally = other.side == mover.side and state.house.allies_passable
        if not ally and not may_share(state, mover, other):
            return False
    return True


def may_stop(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether *mover* may end its movement at *at*: free, or shared with who is two sizes larger."""
    return may_enter(state, mover, at) and _has_room(state, mover, at)


def _has_room(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether there is room for *mover* where it may enter."""
    beside = tuple(other for other in others_at(state, mover, at) if not may_share(state, mover, other))
    return not beside or fit_together(mover, beside)


def steps_of(at: Cell, path: tuple[Cell, ...], diagonals: int = 0) -> Iterator[tuple[Cell, Cell, int]]:
    """Yield each step of *path*: the cell left, the cell entered, and how many diagonals came before."""
    for cell in path:
        yield at, cell, diagonals
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        at = cell


@enforces(HR_MOVE_6)
def check_path(
    state: State, creature: Creature, path: tuple[Cell, ...], budget: int | None, diagonals: int = 0
) -> int:
    """Return the feet that *path* costs after so many *diagonals* of the same movement.

    Refuse a path that is blocked, occupied or too long (None: any).
    """
    spent = 0
    over = False
    for old, new, slanted in steps_of(creature.position, path, diagonals):
        if over:
            raise Refused("blocked", f"a path ends where it leads over a ledge, at {old}", HR_FALL_2.id)
        if not is_step(old, new):
            raise Refused("blocked", f"{new} is not one step from {old}", HR_MOVE_6.id)
        if is_walled(state, creature, new):
            raise Refused("blocked", f"there is a wall at {new}", HR_MOVE_6.id)
        check_barred(state, creature, old, new)
        if not may_enter(state, creature, new):
            raise Refused("space_occupied", f"{new} is occupied", HR_MOVE_6.id)
        if creature.conditions and approaches(state, creature, old, new):
            raise Refused("frightened_approach", f"{creature.id} fears what {new} is nearer to", "HR-COND-15")
        spent += step_cost(state, creature, old, new, slanted)
        over = drop_ft(state, creature, old, new, climbing=True) > 0
    if path and not may_stop(state, creature, path[-1]):
        raise Refused("space_occupied", f"{path[-1]} is occupied", HR_MOVE_6.id)
    if budget is not None and spent > budget:
        raise Refused(
            "insufficient_movement", f"the path takes {spent} ft, and {budget} are left", HR_MOVE_6.id
        )
    return spent


def check_barred(state: State, creature: Creature, old: Cell, new: Cell) -> None:
    """Refuse a step that a wall, a closed door or a ledge bars."""
    if state.is_barred(old, new, creature.space):
        raise Refused("blocked", f"a wall or a closed door is between {old} and {new}", TABLE_WALL_1.id)
    if is_too_steep(state, creature, old, new, climbing=True):
        raise Refused("blocked", f"a ledge leads up from {old} to {new}", HR_FALL_3.id)


def is_in_the_way(state: State, creature: Creature, old: Cell, new: Cell) -> bool:
    """Return whether a wall, a closed door or a ledge bars a willing step."""
    barred = state.is_barred(old, new, creature.space)
    return barred or is_too_steep(state, creature, old, new, climbing=True)


def within(state: State, creature: Creature, budget: int) -> Reach:
    """Return every cell the creature could walk through within *budget*, with feet and the way."""
    entering, step = _costs(state, creature)
    return reachable(creature.position, budget, entering, step, alternating=_alternates(state))


def way_within(state: State, creature: Creature, goal: Cell, budget: int) -> tuple[Cell, ...] | None:
    """Return the cheapest way of the creature to *goal*, as `within` has it; None where it is too far.

    Only where no other way is short enough it leads over a ledge.
    """
    entering, step = _costs(state, creature)
    found = way_to(creature.position, goal, budget, entering, step, alternating=_alternates(state))
    if found is None and state.scenery.ledges:
        return _leaps(state, creature, within(state, creature, budget), budget).get(goal)
    return found


def _leaps(state: State, creature: Creature, found: Reach, budget: int) -> Mapping[Cell, tuple[Cell, ...]]:
    """Return the cells that only a last step over a ledge leads to, each with the cheapest way."""
    leaps: dict[Cell, tuple[int, tuple[Cell, ...]]] = {}
    for old, (spent, _) in found.items():
        if not is_at_brink(state, creature, old):
            continue
        before = path_to(found, old)
        diagonals = sum(a[0] != b[0] and a[1] != b[1] for a, b, _ in steps_of(creature.position, before))
        for dx, dy in STEPS:
            new = (old[0] + dx, old[1] + dy)
            if new in found or not drop_ft(state, creature, old, new, climbing=True):
                continue
            if state.is_barred(old, new, creature.space) or approaches(state, creature, old, new):
                continue
            feet = spent + step_cost(state, creature, old, new, diagonals)
            is_cheaper = feet <= budget and (new not in leaps or feet < leaps[new][0])
            if is_cheaper and may_stop(state, creature, new):
                leaps[new] = (feet, (*before, new))
    return {cell: path for cell, (_, path) in leaps.items()}


def ends_of(state: State, creature: Creature, budget: int) -> Cells:
    """Return the cells where a walk of the creature of at most *budget* feet may end."""
    _, step = _costs(state, creature)
    if step is not None or is_near_edge(creature.position):  # cells or steps differ beside what is listed
        found = within(state, creature, budget)
        walked = [c for c in found if c != creature.position and may_stop(state, creature, c)]
        leaps = _leaps(state, creature, found, budget) if state.scenery.ledges else ()
        return Cells.of((*walked, *leaps))
    prices, barred = _in_the_way(state, creature, budget)
    return Cells(cells=ends_within(creature.position, budget, prices, barred, alternating=_alternates(state)))


def _in_the_way(
    state: State, creature: Creature, budget: int
) -> tuple[Mapping[Cell, int | None], Collection[Cell]]:
    """Return the price of each cell within *budget* feet that is not plain, and those with no room to stop.

    On plain ground it is the same for all of a side and size, but for the cell where the walk begins.
    """
    if state.terrain or creature.conditions or creature.space > 1:
        return _priced(state, creature, _noted(state, creature, budget))

    def find(_: State) -> tuple[Mapping[Cell, int | None], Collection[Cell]]:
        alike = changed(creature, sheet=changed(creature.sheet, id=""))
        return _priced(state, alike, state.occupied)

    return derived(state, f"in the way/{creature.side}/{creature.sheet.size}", find)


def _priced(
    state: State, creature: Creature, found: Iterable[Cell]
) -> tuple[Mapping[Cell, int | None], Collection[Cell]]:
    """Return the price of each of these cells for *creature*, and those with no room to stop."""
    entering, _ = _costs(state, creature)
    prices = {cell: entering(cell) for cell in found}
    barred = [c for c, price in prices.items() if price is not None and not _has_room(state, creature, c)]
    return prices, barred


def _noted(state: State, creature: Creature, budget: int) -> Iterator[Cell]:
    """Yield every place within *budget* feet where the creature overlaps somebody, or no plain ground."""
    (x, y), reach, side = creature.position, budget // FEET, range(creature.space)
    mount = mount_of(state, creature) if creature.conditions else None
    ridden = () if mount is None else cells(mount.position, mount.space)
    for there in (*derived(state, "noted_ground", _noted_ground), *state.occupied, *ridden):
        dx, dy = there[0] - x, there[1] - y
        if -reach <= dx <= reach + side[-1] and -reach <= dy <= reach + side[-1]:
            yield from ((there[0] - i, there[1] - j) for i in side for j in side)


def _noted_ground(state: State) -> tuple[Cell, ...]:
    """Return the cells that are not plain ground."""
    return tuple((int(x), int(y)) for x, _, y in (cell.partition(",") for cell in state.terrain))


def plain_ground(state: State, creature: Creature) -> Callable[[Cell], bool]:
    """Return a test for cells that cost the creature nothing more; most cells pass."""
    if state.terrain or creature.conditions or creature.space > 1 or is_near_edge(creature.position):
        return lambda _: False
    occupied = state.occupied
    return lambda cell: cell not in occupied


def _alternates(state: State) -> bool:
    return state.house.metric != "chebyshev"


def _costs(
    state: State, creature: Creature
) -> tuple[Callable[[Cell], int | None], Callable[[Cell, Cell, int, int], int | None] | None]:
    """Return what entering a cell costs the creature, and the price of a step if it may differ."""
    is_plain = plain_ground(state, creature)

    def entering(new: Cell) -> int | None:
        if is_plain(new):
            return FEET
        return (_entering_ft(state, creature, new) or None) if may_enter(state, creature, new) else None

    def step(old: Cell, new: Cell, diagonals: int, feet: int) -> int | None:
        if is_in_the_way(state, creature, old, new) or approaches(state, creature, old, new):
            return None
        if drop_ft(state, creature, old, new, climbing=True):
            return None  # what comes after it is no walk any more: `_leaps`
        return _slant(state, old, new, diagonals) * feet

    is_afraid = bool(creature.conditions) and fears(state, creature) is not None
    return entering, step if is_afraid or state.walls or state.scenery.ledges else None
