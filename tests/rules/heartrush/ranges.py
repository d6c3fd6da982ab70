"""Say what no fight may ever be: numbers out of their ranges, bonds with one end, what is nowhere.

`faults` is asked after every commit of random play; it names each law that is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from service.rules.heartrush.creatures.abilities import Lasting
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.size_and_bonds import (
    Moved,
    captive_of,
    climbers_on,
    fit_together,
    grappler_of,
    mount_of,
)
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.effects import ActionGiven
from service.rules.heartrush.moving.movement import MovementFrame
from service.rules.heartrush.timing.clock import ClockAdvanced
from service.rules.kernel.messages import Fact
from service.rules.space.grid import cells

LADDER: Final = (4, 6, 8, 10, 12, 20)
MOST_DESTINY: Final = 10

CREATURE: Final[Mapping[str, Callable[[Creature], bool]]] = {
    "hit points are at most the maximum": lambda c: c.hp <= c.sheet.hp_max,
    "rush is 0 or more": lambda c: c.rush >= 0,
    "actions are 0 or more": lambda c: c.action >= 0,
    "the heart die is a die, at most the sheet's": lambda c: (
        c.heart_die in LADDER and c.heart_die <= c.sheet.heart_die
    ),
    "counts are 0 or more": lambda c: min(c.shrugs, c.help, c.moved_ft, c.penalty, c.meditation) >= 0,
    "levels are 1 to 5": lambda c: all(1 <= condition.level <= 5 for condition in c.conditions.values()),
    "doses are 0 or more": lambda c: all(doses >= 0 for doses in c.doses.values()),
    "uses are 0 or more": lambda c: all(uses >= 0 for uses in c.uses.values()),
    "cooldowns are 0 or more": lambda c: all(rests >= 0 for rests in c.cooldowns.values()),
    "nothing is spent twice": lambda c: len(c.spent) == len(set(c.spent)),
    "breath is 0 or more": lambda c: c.breath is None or c.breath >= 0,
    "wounds have ranks of 0 or more, below the first": lambda c: all(
        0 <= w.rank <= w.initial_rank for w in c.wounds
    ),
    "destiny is 0 to 10": lambda c: 0 <= c.destiny_points <= MOST_DESTINY,
    "no more experience is left than was won": lambda c: (
        0 <= c.sheet.growth.xp_unspent <= c.sheet.growth.xp_total
    ),
    "what is in hand is a weapon of the sheet": lambda c: (
        c.wielded is None or c.wielded in {w.id for w in c.sheet.weapons}
    ),
    "what was thrown is not in hand": lambda c: c.wielded not in c.thrown or c.wielded is None,
}
"""What holds for every creature at any time."""


def _charges(state: State) -> bool:
    """Tell whether what is not charged is something its owner has."""
    return all(set(c.spent) <= {*c.sheet.abilities, *c.sheet.growth.spells} for c in state.creatures.values())


def _holds(state: State) -> bool:
    """Tell whether every hold has two ends that name each other."""
    for creature in state.creatures.values():
        held, holder = captive_of(state, creature), grappler_of(state, creature)
        if held is not None and grappler_of(state, held) is not creature:
            return False
        if holder is not None and captive_of(state, holder) is not creature:
            return False
    return True


def _climbs(state: State) -> bool:
    """Tell whether everybody that climbs has a mount that knows it."""
    mounts = ((c, mount_of(state, c)) for c in state.creatures.values())
    return all(mount is None or c in climbers_on(state, mount) for c, mount in mounts)


def _reaching(state: State) -> bool:
    """Tell whether everybody who holds somebody is next to it, and every climber in its mount's space."""
    for creature in state.creatures.values():
        holder, mount = grappler_of(state, creature), mount_of(state, creature)
        if holder is not None and not is_adjacent(state, holder, creature):
            return False
        if mount is not None and creature.position not in cells(mount.position, mount.space):
            return False
    return True


OVER: Final[Mapping[str, Callable[[State], bool]]] = {
    "nobody has priority, or is named to begin": lambda s: (
        not (s.priority_side or s.last_actor_side or s.last_actor or s.starter or s.unaware_side)
    ),
    "nobody has passed": lambda s: not (s.passes or s.auto_passes or s.member_passed or s.acted_this_round),
    "nobody has a turn": lambda s: not (s.turns or s.turn or s.turn_order or s.delayed or s.initiative),
    "nobody is in an engagement": lambda s: (
        not any(frame.kind in ("engagement", "exchange") for frame in s.stacks.table)
    ),
    "nobody has rush": lambda s: not any(c.rush for c in s.creatures.values()),
    "nothing is counted by rounds": lambda s: (
        not any(c.shrugs or c.meditation or c.moved_ft or c.cast_at_ft for c in s.creatures.values())
    ),
    "no round is marked": lambda s: (
        not any(
            c.surprised or c.drenched or c.meditates or c.used_reach or c.dashed or c.ranged_stance_taken
            for c in s.creatures.values()
        )
    ),
}
"""What holds while no combat runs: nothing outlives the fight that it belongs to."""


STATE: Final[Mapping[str, Callable[[State], bool]]] = {
    "a hold has two ends": _holds,
    "who climbs is borne": _climbs,
    "bonds tie those that are together": _reaching,
    "only what one has is spent": _charges,
    "passes are 0 to 3": lambda s: 0 <= s.passes <= 3,
    "the clock runs from 0": lambda s: s.clock_s >= 0,
    "who holds priority is a side": lambda s: s.priority_side in (None, *s.sides),
    "what lies on somebody lies on one who is known": lambda s: all(
        set(one.on) <= s.creatures.keys() for one in s.lasting
    ),
}
"""What holds for a fight at any time."""


def faults(state: State, before: State, facts: Sequence[Fact[State]]) -> list[str]:
    """Return every law that *state* breaks, and by whom, if *before* was well and *facts* lie between."""
    laws = {**STATE, **OVER} if state.paused() else STATE
    broken = [name for name, holds in laws.items() if not holds(state)]
    if state.paused() and any(
        isinstance(fact, ClockAdvanced) and fact.seconds >= state.house.round_seconds for fact in facts
    ):
        broken += [f"{one.id} outlives its time" for one in state.lasting if _is_past(state, one)]
    new = [
        creature for name, creature in state.creatures.items() if before.creatures.get(name) is not creature
    ]
    broken += [f"{c.id}: {law}" for c in new for law, holds in CREATURE.items() if not holds(c)]
    broken += [f"{a} and {b} share a space without a reason" for a, b in _crowded(state, before, facts)]
    given = {fact.creature for fact in facts if isinstance(fact, ActionGiven)}
    more = (c for c in new if c.action > 1 and c.id not in given)
    return broken + [
        f"{c.id}: one action, unless more is given" for c in more if c.action > _action(before, c)
    ]


def _is_past(state: State, one: Lasting) -> bool:
    return one.lasts in ("round", "engagement") or (one.until_s is not None and one.until_s <= state.clock_s)


def _action(before: State, creature: Creature) -> int:
    return before.creatures[creature.id].action if creature.id in before.creatures else 1


def _crowded(state: State, before: State, facts: Iterable[Fact[State]]) -> Iterator[tuple[str, str]]:
    """Yield the creatures that share a space since *before* for no reason of size, bond or record.

    Who walks through a friend may be stopped in its space: tripped, struck down, or asked something there.
    Who is placed comes where the GM says.
    """
    if state.creatures is before.creatures:
        return
    met = {frozenset(pair) for pair in _pairs(before)}
    walking = {frame.creature for frame in state.stacks.table if isinstance(frame, MovementFrame)}
    stopped = {
        fact.creature
        for fact in facts
        if isinstance(fact, Moved) and (fact.how == "placed" or not may_end(state, fact.creature))
    }
    for one, other in _pairs(state):
        pair = (state.creatures[one], state.creatures[other])
        if frozenset((one, other)) in met or {one, other} & (walking | stopped):
            continue
        if not (_by_size(state, *pair) or _tied(state, *pair)):
            yield one, other


def may_end(state: State, creature: str) -> bool:
    """Tell whether a movement of *creature* was over: it is not lying where it was tripped or struck down."""
    found = state.creatures[creature]
    return found.status == "active" and not found.has("prone") and not found.has("stunned")


def _pairs(state: State) -> Iterator[tuple[str, str]]:
    """Yield each two creatures that share a cell."""
    found = {
        (min(one.id, other.id), max(one.id, other.id))
        for there in state.occupied.values()
        for one, other in combinations(there, 2)
    }
    yield from sorted(found)


def _by_size(state: State, one: Creature, other: Creature) -> bool:
    apart = abs(one.rank - other.rank)
    return apart >= 2 or fit_together(one, (other,)) or fit_together(other, (one,))


def _tied(state: State, one: Creature, other: Creature) -> bool:
    ridden = (mount_of(state, one), mount_of(state, other))
    return other in ridden or one in ridden or (ridden[0] is not None and ridden[0] == ridden[1])
