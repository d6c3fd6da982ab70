"""Hold creatures: seize them, hurt them while they are held, and break free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, action_price, has_action
from service.rules.heartrush.body.conditions import gain
from service.rules.heartrush.body.damage import half
from service.rules.heartrush.body.permission import taking_action
from service.rules.heartrush.body.weapons import HANDS, free_hands
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.size_and_bonds import captive_of, freed, grappler_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.contests import (
    BODILY,
    Bodily,
    ContestFrame,
    OffensiveContest,
    OffensiveTried,
)
from service.rules.heartrush.rolling.rolls import Edge, hampered
from service.rules.heartrush.values import ContestStepId, HandsUsed, OpponentId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId

HR_GRAP_1: Final = Rule(
    "HR-GRAP-1",
    "A grapple is a might check on an adjacent creature against its might or agility; a tie fails.",
    books.OFFENSIVES.at("Grappling"),
)
HR_GRAP_5: Final = Rule(
    "HR-GRAP-5",
    "A creature is held by one creature at most, and holds one at most.",
    (books.OFFENSIVES.at("Grappling"), books.COMBAT.at("Other Offensive Actions")),
)
HR_GRAP_3: Final = Rule(
    "HR-GRAP-3",
    "A grapple takes a free hand; with only one the total is halved, rounded up.",
    books.OFFENSIVES.at("Grappling"),
)
HR_SIZE_7: Final = Rule(
    "HR-SIZE-7",
    "In a grapple the larger creature has a level of advantage for each size of difference.",
    books.BASICS.at("Size"),
)
HR_GRAP_2: Final = Rule(
    "HR-GRAP-2",
    "In a grapple the larger creature has a level of advantage for each size of difference.",
    (books.OFFENSIVES.at("Grappling"), books.BASICS.at("Size")),
)
HR_GRAP_4: Final = Rule(
    "HR-GRAP-4",
    "The winner of the check is grappling, and its target is grappled.",
    books.OFFENSIVES.at("Grappling"),
)
HR_GRAP_7: Final = Rule(
    "HR-GRAP-7",
    "An action, and might or agility that beats the grappler's, breaks a hold; the hold hampers neither.",
    books.CONDITIONS.at("Grappled"),
    settles=("A-76",),
)


# --- seizing -----------------------------------------------------------------------------------------


@enforces(HR_GRAP_1)
def check_reach(view: State, creature: Creature, target: Creature) -> None:
    """Refuse to grapple a creature that is not adjacent."""
    if not is_adjacent(view, creature, target):
        raise Refused("not_adjacent", f"{target.id} is not adjacent to {creature.id}", HR_GRAP_1.id)


@enforces(HR_GRAP_5)
def check_unheld(creature: Creature, target: Creature) -> None:
    """Refuse to grapple a creature that is held, or by one that holds another."""
    if target.has("grappled"):
        raise Refused("already_grappled", f"{target.id} is held already", HR_GRAP_5.id)
    if creature.has("grappling"):
        raise Refused("already_grappling", f"{creature.id} holds somebody already", HR_GRAP_5.id)


@enforces(HR_GRAP_3)
def by_hands(total: int, hands: int) -> int:
    """Return the total of a grapple with so many free *hands*."""
    return half(total) if hands == 1 else total


def check_grapple(view: State, creature: Creature, target: Creature) -> None:
    """Refuse a grapple that cannot be tried."""
    check_reach(view, creature, target)
    check_unheld(creature, target)
    if not free_hands(creature):
        raise Refused("no_free_hand", f"{creature.id} has no hand free", "HR-GRAP-3")


@enforces(HR_GRAP_2, HR_SIZE_7)
def size_edges(who: Creature, other: Creature) -> tuple[Edge, ...]:
    """Return the edge of *who* by size over *other* in a grapple, none for the smaller."""
    levels = who.rank - other.rank
    return (Edge(levels, "larger", "HR-GRAP-2"),) if levels > 0 else ()


@enforces(HR_GRAP_4)
def seize(state: State, creature: str, target: str) -> Emits[State]:
    """Emit the conditions of both sides of a hold, which takes as many hands as are free."""
    hands = min(HANDS, max(1, free_hands(state.creatures[creature])))
    state = yield from gain(state, creature, "grappling", 1, target, hands=hands)
    return (yield from gain(state, target, "grappled", 1, creature))


@record
class Freed(Event[State]):
    """A captive is held no more."""

    type: ClassVar[str] = "freed"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return freed(state, state.creatures[self.creature])


# --- breaking free -----------------------------------------------------------------------------------


@record
class BreakFreeFrame(ContestFrame):
    """A captive tries to break free of its grappler."""

    kind: ClassVar[str] = "break_free"

    def rules(self) -> tuple[str, ...]:
        return ("HR-GRAP-7",)

    def edges(self, state: State, who: Creature, against: Creature) -> tuple[Edge, ...]:
        if who.id == self.creature:
            loose = freed(state, who).creatures[who.id]  # the hold itself does not hamper its captive
            found = hampered(state, loose, self.ability, "check", against=against, needs=("motion",))
        else:
            holder = who if state.house.grappler_hold_disadvantage else _unburdened(who)
            found = hampered(
                state, holder, self.ability_of(who.id), "check", against=against, needs=("motion",)
            )
        return (*found, *size_edges(who, against))

    def outcome(self, state: State, *, won: bool) -> Emits[State]:
        if not won or not state.creatures[self.creature].has("grappled"):
            return state
        return (yield Freed(creature=self.creature, because=self.rules()))


def _unburdened(grappler: Creature) -> Creature:
    conditions = {key: found for key, found in grappler.conditions.items() if key != "grappling"}
    return changed(grappler, conditions=conditions)


@record
class BreakFreeTried(Event[State]):
    """A captive begins to break free."""

    type: ClassVar[str] = "break_free_tried"
    contest: ContestStepId
    creature: CreatureId
    against: OpponentId
    ability: Bodily

    def evolve(self, state: State) -> State:
        return state.pushed(
            BreakFreeFrame(
                path=self.contest, creature=self.creature, ability=self.ability, opponents=(self.against,)
            )
        )


@enforces(HR_GRAP_7)
@record
class BreakFree(Command[State]):
    """Break a hold: an action, and a check of might or agility against the grappler's."""

    type: ClassVar[str] = "break_free"
    sentence: ClassVar[str] = "Break free[ by {ability}]"
    creature: CreatureId
    ability: Bodily

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if grappler_of(view, creature) is None:
            raise Refused("not_grappled", f"nobody holds {self.creature}", HR_GRAP_7.id)

    def decide(self, state: State) -> Emits[State]:
        grappler = grappler_of(state, state.creatures[self.creature])
        assert grappler is not None
        paid = action_price(state, state.creatures[self.creature])
        state = yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
        )
        return (
            yield BreakFreeTried(
                contest=f"r{state.round}/break-free/{self.creature}",
                creature=self.creature,
                against=grappler.id,
                ability=self.ability,
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if has_action(view, creature) and creature.has("grappled"):
            yield Offer(type=cls.type, creature=creature.id, choices={"ability": BODILY})


@record
class LetGo(Command[State]):
    """Let go of whom you hold; it costs nothing."""

    type: ClassVar[str] = "let_go"
    sentence: ClassVar[str] = "Let go of whom you hold"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        if captive_of(view, creature) is None:
            raise Refused("not_grappled", f"{self.creature} holds nobody", "HR-COND-24")

    def decide(self, state: State) -> Emits[State]:
        captive = captive_of(state, state.creatures[self.creature])
        assert captive is not None
        return (yield Freed(creature=captive.id, because=("HR-COND-24",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.has("grappling"):
            yield Offer(type=cls.type, creature=creature.id)


# --- as an offensive action --------------------------------------------------------------------------


@record
class GrappleFrame(OffensiveContest):
    """A creature tries to seize another."""

    kind: ClassVar[str] = "grapple"
    hands: HandsUsed

    def rules(self) -> tuple[str, ...]:
        return ("HR-GRAP-1", "HR-OFF-4")

    def edges(self, state: State, who: Creature, against: Creature) -> tuple[Edge, ...]:
        return (*super().edges(state, who, against), *size_edges(who, against))

    def final(self, who: str, total: int) -> int:
        return by_hands(total, self.hands) if who == self.creature else total


@record
class GrappleTried(OffensiveTried):
    """A creature begins to seize another, with so many hands."""

    type: ClassVar[str] = "grapple_tried"
    hands: HandsUsed

    def evolve(self, state: State) -> State:
        return state.pushed(GrappleFrame(ability="might", hands=self.hands, **self.terms(state)))
