"""Apply size and water to creatures, and record who holds or climbs on whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple

from service.rules.heartrush import books
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.ledges import is_open_step
from service.rules.heartrush.creatures.sheet import Sheet, Water, rank, side_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import WalkedCells
from service.rules.kernel.messages import Event
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, CreatureId, Feet
from service.rules.space.grid import Cell, cells, is_step

# --- size ----------------------------------------------------------------------------------------------
# How many share a cell, and how much is carried.

HR_SIZE_2: Final = Rule(
    "HR-SIZE-2",
    "Sizes up to small share a cell, 1000, 10 or 5 of them; medium and large fill one, Ln fills n by n.",
    books.BASICS.at("Size"),
)
HR_SIZE_8: Final = Rule(
    "HR-SIZE-8",
    "A creature carries 6 slots and half its might die; large ones all of it, small ones a quarter.",
    books.BASICS.at("Size"),
    settles=("A-62", "A-74"),
)


CELL: Final = 1000
BULK: Final[Mapping[str, int]] = MappingProxyType({"minuscule": 1, "tiny": 100, "small": 200})
"""Thousandths of a cell that a creature takes: 1,000 minuscule ones, 10 tiny or 5 small ones fill it."""
SLOTS: Final = 6
WEAPON_SLOTS: Final[Mapping[str, int]] = MappingProxyType({"heavy": 10, "light": 5, "ultralight": 2})
BODILY: Final = ("natural", "spell")
"""Tags of weapons that are not objects: part of the body, or a cantrip."""


@enforces(HR_SIZE_2)
def fit_together(mover: Creature, others: Iterable[Creature]) -> bool:
    """Return whether *mover* and *others* have room in one cell; creatures of two sides never share one."""
    there = tuple(others)
    if mover.sheet.size not in BULK or any(other.side != mover.side for other in there):
        return False
    return sum(BULK.get(creature.sheet.size, CELL) for creature in (mover, *there)) <= CELL


@enforces(HR_SIZE_8)
def slots(sheet: Sheet) -> int:
    """Return how many slots a creature of *sheet* can carry."""
    size = rank(sheet.size)
    if size < rank("medium"):
        return SLOTS + sheet.might // 4
    if size == rank("medium"):
        return SLOTS + sheet.might // 2
    cells = side_of(sheet.size) ** 2
    return (SLOTS + sheet.might) * cells


def slots_taken(sheet: Sheet) -> int:
    """Return the slots that the weapons of *sheet* take, besides the one in hand; what is worn takes none."""
    things = tuple(weapon for weapon in sheet.weapons if not set(weapon.tags) & set(BODILY))
    in_hand = sheet.wielded or (sheet.weapons[0].id if sheet.weapons else None)
    return sum(WEAPON_SLOTS[weapon.size_class] for weapon in things if weapon.id != in_hand)


# --- water ---------------------------------------------------------------------------------------------
# Swimming, standing or not, and what that does to rolls and shots.

HR_ENV_5: Final = Rule("HR-ENV-5", "Ranged weapons reach half as far under water.", books.BASICS.at("Water"))


_PLAIN: Final = Water()


def waters(state: State, creature: Creature) -> tuple[Water, ...]:
    """Return the deep water in which *creature* is: empty unless all of its cells lie in it."""
    if not state.terrain:
        return ()
    here = [f"{x},{y}" for x, y in cells(creature.position, creature.space)]
    if any(state.terrain.get(cell) != "deep_water" for cell in here):
        return ()
    return tuple(state.scenery.water.get(cell, _PLAIN) for cell in here)


def is_submerged(state: State, creature: Creature) -> bool:
    """Return whether *creature* is under water."""
    return any(water.submerged for water in waters(state, creature))


def can_stand(creature: Creature, water: Water) -> bool:
    """Return whether *creature* is of a size that stands in *water* with its head above."""
    return not water.submerged and water.stands_from is not None and creature.rank >= rank(water.stands_from)


@enforces(HR_ENV_5)
def shot_ft(feet: int, *, under_water: bool) -> int:
    """Return the range of a ranged weapon in feet, given its range in air."""
    return feet // 2 if under_water else feet


# --- bonds ---------------------------------------------------------------------------------------------
# Who holds whom, and who climbs on whom. A bond is two conditions, one on either end, each naming the other
# as its source; what ends one end ends both. Plain functions of the state: events call them, so that a death
# or a faint lets go in the same event.

BONDS: Final = ("grappling", "grappled", "creature_climber", "climbed_on")
"""The conditions that are ends of a bond."""


FEELINGS: Final = ("frightened", "enraged", "charmed")
"""The conditions that are about another creature, their source, and are no bond with it."""
HR_COND_31: Final = Rule(
    "HR-COND-31",
    "Fear, rage and charm end when the creature that they are about dies or leaves.",
    RULING,
    left_open="the ledger lifts rage by an attack on its source, and not where none is possible",
)


def captive_of(state: State, creature: Creature) -> Creature | None:
    """Return whom *creature* holds."""
    return _other_end(state, creature, "grappling")


def grappler_of(state: State, creature: Creature) -> Creature | None:
    """Return who holds *creature*."""
    return _other_end(state, creature, "grappled")


def mount_of(state: State, creature: Creature) -> Creature | None:
    """Return on whom *creature* climbs."""
    return _other_end(state, creature, "creature_climber")


def _other_end(state: State, creature: Creature, condition: str) -> Creature | None:
    found = creature.conditions.get(condition)
    return state.creatures.get(found.source) if found is not None and found.source else None


def climbers_on(state: State, mount: Creature) -> tuple[Creature, ...]:
    """Return who climbs on *mount*, in the order of the opening."""
    if not mount.has("climbed_on"):
        return ()
    return tuple(
        creature
        for creature in state.creatures.values()
        if (found := creature.conditions.get("creature_climber")) and found.source == mount.id
    )


def eased(conditions: Mapping[str, Condition], condition: str, levels: int) -> Mapping[str, Condition]:
    """Return *conditions* with *levels* off one of them; at zero it is gone."""
    found = conditions.get(condition)
    if found is None:
        return conditions
    if found.level <= levels:
        return without_key(conditions, condition)
    return with_key(conditions, condition, changed(found, level=found.level - levels))


def freed(state: State, captive: Creature) -> State:
    """Return the state in which *captive* is held no more: both ends of the grapple are gone."""
    grappler = grappler_of(state, captive)
    state = state.with_creature(captive.id, conditions=without_key(captive.conditions, "grappled"))
    if grappler is None:
        return state
    return state.with_creature(grappler.id, conditions=without_key(grappler.conditions, "grappling"))


def come_off(state: State, climber: Creature) -> State:
    """Return the state in which *climber* climbs on nobody; it stands beside its mount."""
    mount = mount_of(state, climber)
    state = state.with_creature(climber.id, conditions=without_key(climber.conditions, "creature_climber"))
    if mount is None:
        return state
    if not climbers_on(state, mount):
        mount = state.creatures[mount.id]
        state = state.with_creature(mount.id, conditions=without_key(mount.conditions, "climbed_on"))
    at = beside(state, state.creatures[climber.id], mount)
    return (
        parted(displaced(state, climber.id, at, "set_down"), climber.id) if at != climber.position else state
    )


def parted(state: State, creature: str) -> State:
    """Return the state in which nobody holds *creature*, or is held by it, without being next to it."""
    found = state.creatures[creature]
    for captive in (captive_of(state, found), found):
        grappler = grappler_of(state, captive) if captive is not None else None
        if captive is not None and grappler is not None and not is_adjacent(state, grappler, captive):
            state = freed(state, captive)
    return state


def beside(state: State, creature: Creature, mount: Creature) -> Cell:
    """Return the first free cell next to *mount*, nearest to *creature*; its own where there is none."""
    at, side = creature.position, creature.space
    if not any(cell in cells(mount.position, mount.space) for cell in cells(at, side)):
        return at
    x, y = mount.position
    ring = [
        (x + i, y + j)
        for j in range(-side, mount.space + 1)
        for i in range(-side, mount.space + 1)
        if i in (-side, mount.space) or j in (-side, mount.space)
    ]
    near = sorted(ring, key=lambda c: (max(abs(c[0] - at[0]), abs(c[1] - at[1])), c))
    for cell in near:
        room = cells(cell, side)
        free = all(not state.is_solid(c) and not state.standing_at(c) for c in room)
        if free and not _is_beyond(state, mount, cell, side):
            return cell
    return at


def _is_beyond(state: State, mount: Creature, at: Cell, side: int) -> bool:
    """Return whether walls divide the space at *at*, or walls and ledges keep it apart from the mount."""
    if not (state.walls or state.scenery.ledges):
        return False
    near = [(a, b) for a in cells(mount.position, mount.space) for b in cells(at, side) if is_step(a, b)]
    return state.is_divided(at, side) or not any(is_open_step(state, a, b) for a, b in near)


def untied(state: State, creature: str, condition: str) -> State:
    """Return the state in which one of the `BONDS` of *creature* is gone, at both ends."""
    found = state.creatures[creature]
    if condition == "grappled":
        return freed(state, found)
    if condition == "creature_climber":
        return come_off(state, found)
    captive = captive_of(state, found) if condition == "grappling" else None
    if captive is not None:
        return freed(state, captive)
    for climber in climbers_on(state, found) if condition == "climbed_on" else ():
        state = come_off(state, climber)
    left = without_key(state.creatures[creature].conditions, condition)
    return state.with_creature(creature, conditions=left)


@enforces(HR_COND_31)
def forget(state: State, source: str) -> State:
    """Return the state in which nobody fears, rages at or is charmed by *source* any more."""
    for name, creature in state.creatures.items():
        felt = [key for key in FEELINGS if key in creature.conditions]
        for key in felt:
            if creature.conditions[key].source == source:
                left = without_key(state.creatures[name].conditions, key)
                state = state.with_creature(name, conditions=left)
    return state


def let_go(state: State, creature: str, *, dead: bool) -> State:
    """Return the state in which *creature* holds and climbs nobody; if dead, nobody holds or feels for it."""
    state = forget(state, creature) if dead else state
    found = state.creatures[creature]
    if not found.conditions:
        return state
    captive = captive_of(state, found)
    if captive is not None:
        state = freed(state, captive)
    if found.has("creature_climber"):
        state = come_off(state, state.creatures[creature])
    if dead and found.has("grappled"):
        state = freed(state, state.creatures[creature])
    for climber in climbers_on(state, state.creatures[creature]) if dead else ():
        state = come_off(state, climber)
    return state


# --- being moved ---------------------------------------------------------------------------------------
# Every way to another cell is listed, with what it may bring; whatever moves a creature names its way. Only
# `displaced` changes where a creature is. What a way brings beyond the place is emitted in `movement`.

HR_MOVE_4: Final = Rule(
    "HR-MOVE-4",
    "Only willing movement lets enemies strike and counts as moved: no push, and no following after one.",
    books.COMBAT.at("Actions"),
)
HR_MOVE_7: Final = Rule(
    "HR-MOVE-7",
    "One table says of each way to move what it brings: trips, falls, strikes, breath, company.",
    RULING,
    left_open="the ledger has each way to move, and not what all of them bring",
)


class Way(NamedTuple):
    """What it brings to move in one way."""

    by_itself: bool = False
    """Whether its own legs move the creature: fear, a speed of 0 and a hold keep it where it is."""
    struck: bool = False
    """Whether enemies whose reach it leaves or crosses may strike."""
    counts: bool = False
    """Whether its feet count among those of the round."""
    pays: bool = False
    """Whether difficult ground and other spaces cost it more feet."""
    breath: bool = False
    """Whether it takes a round of air, or hurts who has none."""
    tripped: bool = False
    """Whether it may be tripped in each cell."""
    falls: bool = False
    """Whether it falls where it goes over a ledge."""
    meets: bool = False
    """Whether somebody hidden in its way is found, and stops it."""
    shakes: bool = False
    """Whether a climber that is moved so has to hold on."""
    drags: bool = False
    """Whether it drags whom it holds into the cell that it leaves."""


WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "dash": Way(
            by_itself=True,
            struck=True,
            counts=True,
            pays=True,
            breath=True,
            tripped=True,
            falls=True,
            meets=True,
        ),
        "sidestep": Way(
            by_itself=True, counts=True, breath=True, tripped=True, falls=True, meets=True, drags=True
        ),
        "followed": Way(by_itself=True, pays=True, breath=True, tripped=True, falls=True, meets=True),
        "pushed": Way(tripped=True, falls=True, meets=True, shakes=True),
        "companion": Way(tripped=True, falls=True),
        "dragged": Way(tripped=True, falls=True),
        "carried": Way(falls=True),
        "placed": Way(),
        "mounted": Way(),
        "set_down": Way(),
    }
)
"""Every way to move. A companion comes along with one of a grappling pair that is pushed; a mount carries its
climbers, and who comes off it is set down."""


@enforces(HR_MOVE_7)
def displaced(state: State, creature: str, to: Cell, how: str, /, **changes: object) -> State:
    """Return the state with *creature* at *to*, and with it the creatures that climb on it."""
    assert how in WAYS, how
    before = state.creatures[creature]
    state = state.with_creature(creature, position=to, **changes)
    if not before.conditions:
        return state
    dx, dy = to[0] - before.position[0], to[1] - before.position[1]
    for climber in climbers_on(state, state.creatures[creature]):
        x, y = climber.position
        state = displaced(state, climber.id, (x + dx, y + dy), "carried")
    return state


@record
class Moved(Event[State]):
    """A creature moved: the cells it entered, in order."""

    type: ClassVar[str] = "moved"
    creature: CreatureId
    path: WalkedCells
    feet: Feet
    how: Code
    """`dash`, `sidestep`, `followed`, `companion`, `dragged` or `placed`."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        counts = is_counted(self.how) and not state.paused()  # rounds count feet
        feet = creature.moved_ft + self.feet if counts else creature.moved_ft
        return displaced(state, self.creature, self.path[-1], self.how, moved_ft=feet)


@enforces(HR_MOVE_4)
def is_counted(how: str) -> bool:
    """Return whether the feet of a movement *how* count: a dash's or a sidestep's."""
    return WAYS[how].counts
