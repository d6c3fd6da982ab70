"""Hold and let go: who is in a grapple with whom; it ends where one is gone, senseless or out of touch."""

from __future__ import annotations

from service.rules.kernel.messages import Emits
from service.rules.rise.creatures.creature import Creature, is_able
from service.rules.rise.creatures.lasting import Atom, Condition
from service.rules.rise.harm.conditions import lose
from service.rules.rise.harm.effects import note
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance


def grapplers(creature: Creature) -> tuple[str, ...]:
    """Return who is in a grapple with *creature*."""
    return tuple(dict.fromkeys([c.source for c in creature.conditions if c.name == "grappled"]))


def grasp(state: State, chance: Chance, user: str, target: str) -> Emits[State]:
    """Tell that two creatures are grappled by each other."""
    for one, other in ((target, user), (user, target)):
        held = Condition(name="grappled", source=other, since=state.round)
        atom = Atom(seq=0, source=user, target=one, does="gain", condition=held)
        state = yield from note(state, chance, atom)
    return state


def part(state: State, chance: Chance, user: str, target: str) -> Emits[State]:
    """Tell that two creatures are in no grapple with each other any more; other holds on them stay."""
    for one, other in ((target, user), (user, target)):
        atom = Atom(seq=0, source=user, target=one, does="lose", name=f"grappled@{other}")
        state = yield from note(state, chance, atom)
    return state


def let_go(state: State) -> Emits[State]:
    """Tell which grapples are over because one cannot hold on, or because they are apart."""
    for name, creature in state.creatures.items():
        for other in grapplers(creature):
            holder = state.creatures[other]
            if is_able(holder) and is_able(creature) and state.adjacent(creature, holder):
                continue
            state = yield from lose(state, name, f"grappled@{other}")
            state = yield from lose(state, other, f"grappled@{name}")
    return state
