"""Describe wounds, treat them once, and let them heal: what a wound is after it was marked.

A wound is treated by one check, never twice; only what was treated heals by itself. Nothing here changes hit
points: a wound lowers what they can rise to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.permission import gm
from service.rules.heartrush.state import State, Wound
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_WND_5: Final = Rule(
    "HR-WND-5",
    "A wound brought to rank 0 or below is gone; where the house says so, one of rank 0 stays listed.",
    books.MECHANICS.at("Treating Wounds"),
    settles=("A-25",),
)
HR_WND_7: Final = Rule(
    "HR-WND-7",
    "One check treats all wounds that were not treated before; a treated wound is never treated again.",
    books.MECHANICS.at("Treating Wounds"),
)
HR_WND_8: Final = Rule(
    "HR-WND-8",
    "Treated wounds heal over long rests; untreated ones only where the house says so.",
    books.MECHANICS.at("Treating Wounds"),
    settles=("A-27",),
)
HR_WND_2: Final = Rule(
    "HR-WND-2",
    "The GM gives a wound a short description; until then it is just a wound.",
    books.MECHANICS.at("More Than 10 Damage"),
)


DESCRIPTION_LENGTH: Final = 280


@record
class WoundDescribed(Event[State]):
    """The GM said what a wound looks like."""

    type: ClassVar[str] = "wound_described"
    creature: str
    wound: str
    description: str

    def evolve(self, state: State) -> State:
        wounds = tuple(
            changed(wound, description=self.description) if wound.id == self.wound else wound
            for wound in state.creatures[self.creature].wounds
        )
        return state.with_creature(self.creature, wounds=wounds)


@record
class WoundTreated(Event[State]):
    """Wounds of a creature were treated, with what is left of each; none of them is treated again."""

    type: ClassVar[str] = "wound_treated"
    creature: str
    healer: str
    total: int
    ranks: Mapping[str, int]

    def evolve(self, state: State) -> State:
        wounds = with_ranks(state, state.creatures[self.creature].wounds, self.ranks)
        treated = tuple(changed(w, treated=True) if w.id in self.ranks else w for w in wounds)
        return state.with_creature(self.creature, wounds=treated)


@record
class WoundsEased(Event[State]):
    """Wounds of a creature have other ranks; what is healed is gone."""

    type: ClassVar[str] = "wounds_eased"
    creature: str
    ranks: Mapping[str, int]

    def evolve(self, state: State) -> State:
        wounds = with_ranks(state, state.creatures[self.creature].wounds, self.ranks)
        return state.with_creature(self.creature, wounds=wounds)


def with_ranks(state: State, wounds: tuple[Wound, ...], ranks: Mapping[str, int]) -> tuple[Wound, ...]:
    """Return *wounds* with other ranks; those that are healed are left out."""
    new = (changed(wound, rank=ranks.get(wound.id, wound.rank)) for wound in wounds)
    return tuple(wound for wound in new if not is_healed(state, wound.rank))


@enforces(HR_WND_5)
def is_healed(state: State, rank: int) -> bool:
    """Tell whether a wound of *rank* is gone."""
    return rank < 0 or (rank == 0 and not state.house.keep_rank0_wounds)


def eased(wounds: tuple[Wound, ...], amount: int) -> dict[str, int]:
    """Return the ranks of *wounds* after each is lowered by *amount*; -1 stands for all below zero."""
    return {wound.id: max(-1, wound.rank - amount) for wound in wounds}


@enforces(HR_WND_7)
def treatable(wounds: tuple[Wound, ...]) -> tuple[Wound, ...]:
    """Return the wounds that were not treated before."""
    return tuple(wound for wound in wounds if not wound.treated)


@enforces(HR_WND_8)
def heals_by_itself(state: State, wound: Wound) -> bool:
    """Tell whether a long rest eases *wound*."""
    return wound.treated or state.house.untreated_wounds_heal


@enforces(HR_WND_2)
@record
class DescribeWound(Command[State]):
    """Describe a wound in a few words, as the GM."""

    type: ClassVar[str] = "describe_wound"
    creature: str
    wound: str
    description: str

    def check(self, view: State) -> None:
        gm(self)
        wounds_of(view, self.creature)
        if all(wound.id != self.wound for wound in view.creatures[self.creature].wounds):
            raise Refused("wound_none", f"{self.creature} has no wound {self.wound}")
        if not 0 < len(self.description) <= DESCRIPTION_LENGTH:
            raise Refused("params_missing", f"1 to {DESCRIPTION_LENGTH} characters")

    def decide(self, state: State) -> Emits[State]:
        return (yield WoundDescribed(creature=self.creature, wound=self.wound, description=self.description))


def wounds_of(view: State, creature: str) -> tuple[Wound, ...]:
    """Return the wounds of *creature*; refused where there is no such creature or it has none."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if not found.wounds:
        raise Refused("wound_none", f"{creature} has no wounds", "HR-WND-4")
    return found.wounds
