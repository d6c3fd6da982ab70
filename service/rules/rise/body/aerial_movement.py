"""Aerial movement: stay in the air or fall, and follow others through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, TypeAlias

from service.dice.values import Roll
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Feet
from service.rules.rise import books
from service.rules.rise.body.effects import displace
from service.rules.rise.body.movement_and_positioning import occupant
from service.rules.rise.body.taking_damage import consequences, hurt
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.creature import Creature, Plan, above, is_able
from service.rules.rise.creatures.state import State
from service.rules.rise.values import Altitude
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import FEET, Cell, cells, distance, is_height, nearest

# --- flying and falling --------------------------------------------------------------------------------
# What does not move in a phase comes down at its end.

RI_ORDER_5: Final = Rule(
    "RI-ORDER-5",
    "Falls happen at the end of each phase; a fall is not a movement of the creature's own.",
    (books.AERIAL, books.CODEX_CHARACTERS.at("Falling Damage")),
    settles=("C-43",),
)
RI_MOVE_9: Final = Rule(
    "RI-MOVE-9",
    "Flying and gliding creatures have to move in both phases, or fall 300 feet; floating ones do not.",
    books.AERIAL,
)
RI_MOVE_10: Final = Rule(
    "RI-MOVE-10",
    "A creature that jumps into the air in the movement phase begins to fall only in the next.",
    books.MOVEMENT.at("Jumping"),
)


FALL_FT = 300
"""How far a phase's fall goes."""
AIRBORNE: Final = ("fly", "glide")
GLIDE_FT = 10
"""How far gliding goes down with each movement."""


@record
class TookOff(Event[State]):
    """A creature is in the air, or on the ground again."""

    type: ClassVar[str] = "took_off"
    creature: CreatureId
    jumped: bool = False
    """Whether it jumped."""
    altitude: Altitude = 5

    def evolve(self, state: State) -> State:
        how = "jumping" if self.jumped else "flying"
        for name in (self.creature, *seated(state, self.creature)):
            state = state.with_creature(
                name, aloft=how if self.altitude else None, altitude=self.altitude, hovered=True
            )
        return state


def seated(state: State, mount: str) -> tuple[str, ...]:
    """Return who sits on *mount*, and is as high as it is."""
    under = state.creatures[mount]
    room = cells(under.position, under.space)
    return tuple([name for name, c in state.creatures.items() if c.mount == mount and c.position in room])


@record
class Fell(Event[State]):
    """A creature falls out of the air; it lies where it comes down, or goes on falling."""

    type: ClassVar[str] = "fell"
    creature: CreatureId
    feet: Feet

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        left = max(0, creature.altitude - self.feet)
        if left:
            return state.with_creature(self.creature, aloft="falling", altitude=left)
        if not creature.has("prone"):
            creature = changed(
                creature, conditions=(*creature.conditions, Condition(name="prone", source=self.creature))
            )
        return state.with_creature(self.creature, aloft=None, altitude=0, conditions=creature.conditions)


@record
class WillFall(Event[State]):
    """A creature that jumped is in mid-air; it comes down with the next phase."""

    type: ClassVar[str] = "mid_air"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, aloft="falling")


def height(creature: Creature, ability: str, mode: str, wanted: int | None) -> int:
    """Return how high a movement ends."""
    if mode == "glide":
        return max(0, creature.altitude - GLIDE_FT)
    if wanted is not None:
        return wanted
    return max(5, creature.altitude) if mode == "fly" or ability == "jump" else creature.altitude


def climb_ft(creature: Creature, ability: str, mode: str, wanted: int | None) -> int:
    """Return the feet of a movement that go up or down; refused where the creature cannot get there."""
    if wanted is None or mode == "glide":
        return 0
    if not is_height(wanted):
        raise Refused("path_blocked", "heights are counted in steps of 5 feet from the ground", "RI-MOVE-9")
    if ability == "jump":
        if wanted > jump_ft(creature) // 2:
            raise Refused("insufficient_speed", f"{creature.id} does not jump so high", "RI-MOVE-10")
    elif mode != "fly":
        raise Refused("no_such_movement_mode", f"{creature.id} does not fly", "RI-MOVE-9")
    return abs(wanted - creature.altitude)


def jump_ft(creature: Creature) -> int:
    """Return how far *creature* jumps: 5 feet for every 2 of strength, and at least over a step."""
    return max(10, 5 * (creature.sheet.strength // 2))


@enforces(RI_ORDER_5)
def come_down(state: State, chance: Chance) -> Emits[State]:
    """Emit the falls of creatures in the air that do not stay up: mounts first, with their riders."""
    for name in sorted(state.creatures, key=lambda each: state.creatures[each].mount is not None):
        creature = state.creatures[name]
        if creature.aloft == "jumping" and state.stage == "movement_end":
            state = yield from hang(name)
        elif creature.aloft is not None and not stays_up(state.creatures.get(creature.mount or "", creature)):
            state = yield from fall(state, chance, name)
    return state


def fall(state: State, chance: Chance, name: str) -> Emits[State]:
    """Emit a fall of up to 300 feet, and what hitting the ground does: 1d6 for every 10 feet."""
    creature = state.creatures[name]
    feet = min(FALL_FT, creature.altitude)
    state = yield Fell(creature=name, feet=feet, because=("RI-ORDER-5",))
    beside = None if state.creatures[name].altitude else comes_to_lie(state, creature)
    if beside is not None:
        state = yield from displace(state, {name: ((beside,), "landed")})
    if state.creatures[name].altitude or feet < 10 or state.house.fall_damage == "none":
        return state
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=name,
        stream=f"{name}/fall",
        purpose={"who": name, "what": "fall"},
        pool=tuple([PoolDie(role="fall", sides=6)] * (feet // 10)),
    )
    state = yield from hurt(state, name, name, roll.total, "environmental")
    return (yield from consequences(state, chance, name))


def comes_to_lie(state: State, creature: Creature) -> Cell | None:
    """Return the nearest free place to where *creature* hits the ground, null if that is free itself."""
    landing = changed(creature, altitude=0)
    if occupant(state, landing, creature.position) is None:
        return None

    def is_free(place: Cell, side: int) -> bool:
        open_ = not state.is_divided(place, side) and not any(
            state.is_solid(cell) for cell in cells(place, side)
        )
        return open_ and occupant(state, landing, place) is None

    return next(place for place in nearest(creature.position) if is_free(place, creature.space))


@enforces(RI_MOVE_9)
def stays_up(creature: Creature) -> bool:
    """Return whether *creature* stays in the air: a flyer that spent a movement, no matter who pushed it."""
    if creature.dead or creature.defeated:
        return False
    flies = creature.aloft == "flying" and creature.hovered
    return creature.sheet.floats or (flies and is_able(creature))


@enforces(RI_MOVE_10)
def hang(creature: str) -> Emits[State]:
    """Emit that a creature that jumped falls in the next phase."""
    return (yield WillFall(creature=creature))


# --- following through the air -------------------------------------------------------------------------
# How high they end, and which part of the speed that takes. A foot up or down costs a foot of speed, as on a
# path of one's own. A flight ends at least 5 feet up.

Heights: TypeAlias = dict[str, int]
"""The height in feet at which each movement through the air ends."""
BY_RULE: Final = ("follow", "withdraw", "custom")
"""Movements whose height comes of whom they react to."""


def own_heights(creatures: Mapping[str, Creature], plans: Mapping[str, Plan]) -> Heights:
    """Return how high those end that chose it when they planned."""
    return {
        name: height(creatures[name], plan.ability, plan.mode, plan.altitude_ft)
        for name, plan in plans.items()
        if (soars(plan) or plan.ability == "jump") and (plan.path or plan.ability not in BY_RULE)
    }


def soars(plan: Plan) -> bool:
    """Return whether *plan* leads through the air."""
    return plan.mode in AIRBORNE


def poised(creature: Creature, plan: Plan) -> Creature:
    """Return *creature* as high as it ends by its way of moving alone: a glider sinks, a flyer takes off."""
    if not soars(plan):
        return creature
    return changed(creature, altitude=height(creature, "hustle", plan.mode, None))


def climbed(creature: Creature, plan: Plan, high: int | None) -> int:
    """Return the feet of speed that a movement spends on going up or down."""
    if high is None:
        return 0
    if plan.ability in BY_RULE and not plan.path:
        return abs(high - poised(creature, plan).altitude)
    return climb_ft(creature, plan.ability, plan.mode, plan.altitude_ft)


def lands(after: State, creature: Creature, wanted: int | None) -> int | None:
    """Return how high a movement through the air ends: short of a creature there, None for any other."""
    if wanted is None:
        return None
    there = after.creatures[creature.id]
    for high in range(wanted, creature.altitude, FEET if creature.altitude > wanted else -FEET):
        if occupant(after, changed(there, altitude=high), there.position) is None:
            return high
    return creature.altitude


def in_space(flat: int, high: int) -> int:
    """Return the feet across *flat* and *high* feet, every second slanting step counting double."""
    return max(flat, high) + min(flat, high) // 10 * 5


def apart(creature: Creature, there: Cell, altitude: int, other: Creature) -> int:
    """Return the feet in space from *creature*, so high at *there*, to where *other* is."""
    flat = distance(there, creature.space, other.position, other.space, "alternating")
    return in_space(flat, above(changed(creature, altitude=altitude), other))


def heights_in_reach(creature: Creature, plan: Plan, feet: int) -> Iterator[int]:
    """Yield the heights that *feet* lead to, from the one that costs nothing on, the higher of two first."""
    yield creature.altitude
    if plan.mode != "fly" or not soars(plan):
        return
    for climb in range(FEET, feet + 1, FEET):
        yield creature.altitude + climb
        if creature.altitude - climb >= FEET:
            yield creature.altitude - climb


def towards(creature: Creature, plan: Plan, goal: Creature, feet: int, near_ft: int) -> tuple[int, int]:
    """Return how high a follower best ends, and how near on the ground it then has to come, in feet.

    Of the heights within reach, one that needs the fewest feet in all to be *near_ft* from *goal*; where none
    is enough, one that leads nearest. A walker goes below what is in the air, as far as that helps.
    """
    flat = distance(creature.position, creature.space, goal.position, goal.space, "alternating")

    def judged(altitude: int) -> tuple[int, int, int, int]:
        high = above(changed(creature, altitude=altitude), goal)
        wanted = next((f for f in range(flat, -1, -FEET) if in_space(f, high) <= near_ft), None)
        if wanted is None:  # as near as can be
            wanted = min(range(flat, -1, -FEET), key=lambda f: (in_space(f, high), -f))
        climb = abs(altitude - creature.altitude)
        ends = max(wanted, flat - (feet - climb))
        return max(near_ft, in_space(ends, high)), climb + flat - wanted, climb, wanted

    best = min(heights_in_reach(creature, plan, feet), key=judged)
    return best, judged(best)[-1]
