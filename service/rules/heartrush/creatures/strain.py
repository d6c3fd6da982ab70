"""Leave an exertion without air on the stack, to be paid for when what it was used for is over.

What it costs is emitted by the ruleset's `Exertion` (in `breath`); this file only knows that it is owed, so
that whatever uses an ability can leave it.
"""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Emits
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame


class Exertion:
    """What an exertion without air costs."""

    def tell(self, state: State, chance: Chance, frame: StrainFrame) -> Emits[State]:
        """Tell it, and that *frame* is done."""
        raise NotImplementedError


@record
class StrainFrame(Frame[State]):
    """One exertion without air: a round of breath, or a die of harm."""

    kind: ClassVar[str] = "strain"
    creature: str

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        (kind,) = state.families.listed(Exertion)
        return (yield from kind().tell(state, chance, self))


def is_airless(creature: Creature) -> bool:
    """Tell whether *creature* breathes nothing now."""
    return creature.breath is not None or creature.has("suffocating")


def strained(state: State, creature: str) -> State:
    """Return the state with an exertion of *creature* on the stack."""
    number = state.rulings + 1
    frame = StrainFrame(path=f"r{state.round}/strain/{creature}-{number}", creature=creature)
    return changed(state, rulings=number).pushed(frame)


def stream_of(creature: str) -> str:
    """Return the stream of the dice of suffocation."""
    return f"{creature}/suffocation"
