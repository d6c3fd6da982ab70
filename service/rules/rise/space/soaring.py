"""Lead movements that react through the air: how high they end, and which part of the speed that takes.

A foot up or down costs a foot of speed, as on a path of one's own. A flight ends at least 5 feet up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from service.rules.kernel.records import changed
from service.rules.rise.creatures.creature import Creature, above
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.space.aloft import AIRBORNE, climb_ft, height
from service.rules.rise.space.paths import occupant
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, distance

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
    """Tell whether *plan* leads through the air."""
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
