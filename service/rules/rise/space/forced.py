"""Move creatures against their will: pushes end at obstacles, and a creature that has moved stays.

A push is one effect on the pushed and one on each who walks along; each is its one change of place.
"""

from __future__ import annotations

from typing import Final

from service.dice.values import Roll
from service.rules.kernel.messages import Emits
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Atom
from service.rules.rise.harm.effects import note
from service.rules.rise.harm.numbers import speed_of
from service.rules.rise.space.paths import in_the_way, is_wall, walk
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import Cell, cells, line

RI_MOVE_7: Final = Rule(
    "RI-MOVE-7",
    "A push goes straight, 5 feet for 5 feet, and ends harmlessly at the first obstacle.",
    books.MOVEMENT.at("Push Effects"),
)
RI_MOVE1_4: Final = Rule(
    "RI-MOVE1-4",
    "Nobody is carried or shoved on by an ally after moving: the pusher walks, the pushed stays.",
    books.TIME.at("Only One Movement Per Phase"),
    settles=("C-18",),
)


TWO_SIZES = 2
UNSEEN_FT = 10_000
"""The shown reach of a push by a GM-only speed or strength: farther than any, so that it reveals nothing."""


@enforces(RI_MOVE_7)
def pushed_path(
    state: State, creature: Creature, step: Cell, feet: int, ignoring: tuple[str, ...] = ()
) -> tuple[Cell, ...]:
    """Return the cells over which *creature* is pushed."""
    return walk(state, creature, tuple(line(creature.position, step, feet // 5)), feet, ignoring).cells


def pushed(state: State, chance: Chance, user: str, target: str, feet: int) -> Emits[State]:
    """Emit that *target* is pushed straight away from *user*; the pusher stays."""
    creature = state.creatures[target]
    path = pushed_path(state, creature, state.away(creature, state.creatures[user]), feet)
    atom = Atom(seq=0, source=user, target=target, does="locate", path=path, how="forced")
    return (yield from note(state, chance, atom))


def knocked_back(state: State, chance: Chance, user: str, target: str, feet: int) -> Emits[State]:
    """Tell that *target* is thrown back; what it hits and it take 1d6 for each 10 feet that were left."""
    creature = state.creatures[target]
    step = state.away(creature, state.creatures[user])
    path = pushed_path(state, creature, step, feet)
    at = path[-1] if path else creature.position
    beyond = (at[0] + step[0], at[1] + step[1])
    blocker = in_the_way(state, creature, beyond)
    moved = state.creatures[target].location_changed
    atom = Atom(seq=0, source=user, target=target, does="locate", path=path, how="forced")
    state = yield from note(state, chance, atom)
    dice = (feet - 5 * len(path)) // 10
    if moved or not dice or (blocker is None and not is_wall(state, creature, beyond)):
        return state
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=user,
        stream=f"{user}/knockback",
        purpose={"who": user, "whom": target, "what": "knockback"},
        pool=tuple([PoolDie(role="knockback", sides=6)] * dice),
    )
    for name in (target, *([blocker.id] if blocker is not None else [])):
        hits = Atom(seq=0, source=user, target=name, does="damage", amount=roll.total)
        state = yield from note(state, chance, hits)
    return state


def push_feet(state: State, user: Creature, target: Creature, *, critical: bool) -> int:
    """Return how far *user* can push: half its speed, all of it critically or if far larger."""
    speed = speed_of(state, user)
    return speed if critical or user.rank - target.rank >= TWO_SIZES else speed // 2


def throw_feet(state: State, user: Creature) -> int:
    """Return how far *user* throws: the profile's base, and 5 feet for every 2 of strength."""
    return state.profile.throw_base_ft + 5 * max(0, user.sheet.strength // 2)


def hurl(state: State, chance: Chance, user: str, target: str, step: Cell, feet: int) -> Emits[State]:
    """Move *target* in a straight line by up to *feet*. The thrower does not move."""
    path = pushed_path(state, state.creatures[target], step, feet, (user,))
    atom = Atom(seq=0, source=user, target=target, does="locate", path=path, how="forced")
    return (yield from note(state, chance, atom))


@enforces(RI_MOVE1_4)
def push(state: State, chance: Chance, user: str, target: str, step: Cell, feet: int) -> Emits[State]:
    """Emit the movements of a push: of its target, and of its user where it walks along."""
    mover, moved = state.creatures[user], state.creatures[target]
    both = (user, target)
    path = pushed_path(state, moved, step, feet, both)
    length = len(path) if not moved.location_changed else feet // 5
    own = pushed_path(state, mover, step, 5 * length, both)
    atom = Atom(seq=0, source=user, target=target, does="locate", path=path, how="forced")
    state = yield from note(state, chance, atom)
    if mover.location_changed:
        return state
    clear = _before(own, mover, state.creatures[target]) if moved.location_changed else own
    return (yield from note(state, chance, Atom(seq=0, source=user, target=user, does="locate", path=clear)))


def _before(path: tuple[Cell, ...], mover: Creature, other: Creature) -> tuple[Cell, ...]:
    """Return *path* up to where the space of *mover* would reach into the space of *other*."""
    taken = cells(other.position, other.space)
    inside = (i for i, at in enumerate(path) if any(cell in taken for cell in cells(at, mover.space)))
    return path[: next(inside, len(path))]
