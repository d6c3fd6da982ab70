"""Open a fight: who takes part, where, by which house options; all of it is checked before it exists."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules import opening as common_opening
from service.rules.heartrush import books
from service.rules.heartrush.combat import CombatFrame
from service.rules.heartrush.entries import Opening, creature_of, known_in, sheet_of, spelled_out
from service.rules.heartrush.means.timing import timing_of
from service.rules.heartrush.opening_faults import faults
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.openings import Fault, seats_of
from service.rules.table.stack import Stacks

HR_GEN_1: Final = Rule(
    "HR-GEN-1",
    "Combat is a sequence of rounds, in which creatures use abilities and fight engagements.",
    books.COMBAT,
)


@record
class EncounterOpened(common_opening.EncounterOpened[State]):
    """The encounter exists: its edition, dice and everything it begins with, for all to see."""

    opening: Opening

    def evolve(self, state: State) -> State:
        return initial(state, self)


@record
class TimingAssumed(Event[State]):
    """A warning: these abilities carry no timing tag, and in turns they count as slow."""

    type: ClassVar[str] = "timing_assumed"
    abilities: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state


def initial(blank: State, opened: EncounterOpened) -> State:
    """Return the state a fight begins with, made of the *blank* one."""
    opening = opened.opening
    return changed(
        blank,
        encounter=opened.encounter,
        edition=opened.edition,
        digest=opened.digest,
        dice=opened.dice,
        options=opening.options,
        seats=seats_of(opening.seats),
        sides=opening.sides,
        player_side=opening.player_side,
        declared_sides=opening.declared_sides,
        terrain=opening.terrain,
        scenery=opening.scenery,
        creatures={sheet_of(entry).id: creature_of(entry) for entry in opening.creatures},
        abilities=known_in(opening),
        given_order=opening.turn_order,
        stacks=Stacks(table=(CombatFrame(path="combat"),)),
    )


@enforces(HR_GEN_1)
@record
class OpenEncounter(common_opening.OpenEncounter[State]):
    """Open an encounter of Heart Rush."""

    opened = EncounterOpened
    rules = ("HR-GEN-1",)
    refused_by = "HR-GEN-1"
    opening: Opening

    def check_opening(self) -> tuple[Fault, ...]:
        return tuple(faults(self.opening))

    def recorded(self) -> Opening:
        return changed(self.opening, creatures=tuple(map(spelled_out, self.opening.creatures)))

    def decide(self, state: State) -> Emits[State]:
        state = yield from super().decide(state)
        untimed = timing_of(state).assumed(state)
        if not untimed:
            return state
        return (yield TimingAssumed(abilities=untimed, because=("HR-TIME-5", "A-47")))
