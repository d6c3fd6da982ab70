"""Let creatures take turns: in what order, who delays, and what each may do while somebody's turn lasts.

Only the turn edition comes here. The order is made once, when priority would be granted, and is the same
every round; a round is over when everybody able has had its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.permission import (
    Timing,
    acting,
    assumed_slow,
    built_in_speed,
    check_turn,
    engaged,
    left_by_bars,
    speed_in_turns,
    what_waits,
    whose_turn,
)
from service.rules.heartrush.creatures.abilities import Ability, Spell
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.rolling.rolls import ability_die, heart_die, helped, hindered, spend_help, throw
from service.rules.heartrush.timing.priority import RoundRanOut
from service.rules.heartrush.timing.starting_combat import OpeningDecided, first_side
from service.rules.heartrush.values import PredecessorId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Count, CreatureId, Total
from service.rules.rolls.chance import Chance

HR_TIME_9: Final = Rule(
    "HR-TIME-9",
    "Turns follow the order given, or agility checks, the highest first, players before others on ties.",
    (RULING, books.COMBAT_IN_TURNS),
    settles=("A-47",),
)
HR_TIME_11: Final = Rule(
    "HR-TIME-11",
    "In turns play goes back after an engagement to the turn it interrupted.",
    books.COMBAT_IN_TURNS,
)


OWN_TURN: Final = (
    "dash",
    "sidestep",
    "engage",
    "object",
    "drink_potion",
    "help",
    "call_out",
    "treat_wounds",
    "break_free",
    "let_go",
    "shake_off",
    "steady",
    "douse",
    "hold_breath",
    "breathe",
    "go_unconscious",
)
"""What a creature may do in its turn; with priority it may do the same."""
ALLY_TURN: Final = ("sidestep", "object", "drink_potion", "help")


@record
class InitiativeRolled(Event[State]):
    """An agility check that counts for the order of turns."""

    type: ClassVar[str] = "initiative_rolled"
    creature: CreatureId
    total: Total

    def evolve(self, state: State) -> State:
        return changed(state, initiative=with_key(state.initiative, self.creature, self.total))


@record
class TurnOrderSet(Event[State]):
    """The order of turns, the same every round."""

    type: ClassVar[str] = "turn_order_set"
    order: tuple[CreatureId, ...]
    """The ids of the creatures, in the order of their turns."""

    def evolve(self, state: State) -> State:
        first = state.creatures[self.order[0]].side
        return changed(state, turn_order=self.order, turns=self.order, starting_side=first)


@record
class TurnStarted(Event[State]):
    """It is a creature's turn."""

    type: ClassVar[str] = "turn_started"
    creature: CreatureId
    place: Count
    """The place in the order of turns, from 0."""

    def evolve(self, state: State) -> State:
        return changed(state, phase="turn", turn=self.place)


@record
class TurnEnded(Event[State]):
    """A creature's turn is over."""

    type: ClassVar[str] = "turn_ended"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return changed(state, turn=state.turn + 1)


@record
class TurnDelayed(Event[State]):
    """A creature takes its turn later this round, right after another."""

    type: ClassVar[str] = "turn_delayed"
    creature: CreatureId
    after: PredecessorId

    def evolve(self, state: State) -> State:
        rest = [name for name in state.turns if name != self.creature]
        at = rest.index(self.after) + 1
        turns = (*rest[:at], self.creature, *rest[at:])
        return changed(state, turns=turns, delayed=(*state.delayed, self.creature))


@enforces(HR_TIME_9)
def set_order(state: State, chance: Chance) -> Emits[State]:
    """Emit the order of the turns, or the next agility check that decides it."""
    option = state.house.turn_order
    if option == "given" and state.given_order:
        return (yield from begin(state, state.given_order))
    if option == "alternate_sides":
        if state.unaware_side is not None:
            return (yield from begin(state, alternating(state, state.other(state.unaware_side))))
        state, side = yield from first_side(state, chance)
        return (yield from begin(state, alternating(state, side)))
    waiting = next((c for c in state.creatures.values() if c.id not in state.initiative), None)
    if waiting is not None:
        return (yield from roll_initiative(state, chance, waiting))
    names = list(state.creatures)
    return (yield from begin(state, tuple(sorted(names, key=lambda name: _rank(state, names, name)))))


def _rank(state: State, names: list[str], name: str) -> tuple[int, bool, int]:
    others = state.creatures[name].side != state.player_side
    return -state.initiative[name], others, names.index(name)


def alternating(state: State, first: str) -> tuple[str, ...]:
    """Return an order in which the sides alternate, each creature once; one side's surplus goes last."""
    one, two = ([creature.id for creature in state.members(side)] for side in (first, state.other(first)))
    both = min(len(one), len(two))
    paired = [name for pair in zip(one, two, strict=False) for name in pair]
    return (*paired, *one[both:], *two[both:])


def roll_initiative(state: State, chance: Chance, creature: Creature) -> Emits[State]:
    """Emit the agility check of one creature for the order of turns."""
    roll: Roll
    state, roll = yield from throw(
        state,
        chance,
        owner=creature.id,
        stream=f"{creature.id}/initiative",
        purpose={"what": "initiative"},
        pool=(heart_die(creature), ability_die(creature, "agility")),
        edges=(*helped(state, creature.id), *hindered(state, creature, "agility")),
        rolling="check",
        ability="agility",
    )
    state = yield from spend_help(state, creature.id)
    return (yield InitiativeRolled(creature=creature.id, total=roll.total, because=("HR-TIME-9", "A-47")))


def begin(state: State, order: tuple[str, ...]) -> Emits[State]:
    """Emit the order of turns, and the first turn."""
    state = yield TurnOrderSet(order=order, because=("HR-TIME-9", "A-47"))
    return (yield from turn_from(state, 0))


def turn_from(state: State, place: int) -> Emits[State]:
    """Emit the turn of the first creature from *place* on that can act, or the end of the round."""
    for at in range(place, len(state.turns)):
        name = state.turns[at]
        if name in state.creatures and is_able(state.creatures[name]):
            return (yield TurnStarted(creature=name, place=at, because=("HR-TIME-9",)))
    return (yield RoundRanOut(passes=0, because=("HR-TIME-9",)))


def turn_over(state: State) -> Emits[State]:
    """Emit the end of the turn in hand, and what comes next."""
    state = yield TurnEnded(creature=state.turns[state.turn], because=("HR-TIME-9",))
    return (yield from turn_from(state, state.turn))


def can_take_turn(state: State) -> bool:
    """Return whether the creature whose turn it is can act."""
    creature = whose_turn(state)
    return creature is not None and is_able(creature)


def taking_part(state: State, path: str, extra: Mapping[str, tuple[str, ...]]) -> tuple[Awaited, ...]:
    """Return who may act in this turn: the creature that has it, and allies with what is quick."""
    at_turn = whose_turn(state)
    assert at_turn is not None
    found = []
    for creature in state.creatures.values():
        own = creature.id == at_turn.id
        if creature.side != at_turn.side or not is_able(creature):
            continue
        known = (*(OWN_TURN if own else ALLY_TURN), *extra.get(creature.id, ()))
        allowed = left_by_bars(state, creature, known if own else _without_meditation(known))
        if own:
            allowed += ("end_turn", "delay")
        if allowed:
            found.append(
                Awaited(
                    prompt=f"{path}/{creature.id}",
                    seat=state.controller(creature.id),
                    accepts=allowed,
                    creature=creature.id,
                    optional=not own,
                )
            )
    return tuple(found)


def _without_meditation(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name != "meditate")


def check_own_turn(view: State, creature: Creature) -> None:
    """Refuse a creature that had its turn this round, and one whose turn is still to come."""
    if engaged(view):
        raise Refused("engagement_in_progress", "an engagement is open", "HR-TIME-2")
    at_turn = whose_turn(view)
    if at_turn is not None and at_turn.id == creature.id:
        if view.top is not None and view.top.kind != "combat":
            raise Refused("not_your_turn", what_waits(view), "HR-TIME-9")
        return
    had = creature.id in view.turns[: view.turn]
    code = "turn_already_taken" if had else "not_your_turn"
    raise Refused(code, f"it is not {creature.id}'s turn", "HR-TIME-9")


@record
class EndTurn(Command[State]):
    """End your turn; the next creature in order has its own."""

    type: ClassVar[str] = "end_turn"
    sentence: ClassVar[str] = "End the turn"
    passes: ClassVar[bool] = True
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        check_own_turn(view, creature)

    def decide(self, state: State) -> Emits[State]:
        return (yield from turn_over(state))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature)


@record
class Delay(Command[State]):
    """Take your turn later this round, right after the turn of another."""

    type: ClassVar[str] = "delay"
    sentence: ClassVar[str] = "Wait until after {after}"
    creature: CreatureId
    after: PredecessorId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        check_own_turn(view, creature)
        if self.creature in view.delayed:
            raise Refused("already_delayed", f"{self.creature} has delayed this round", "HR-TIME-9")
        if self.after not in view.turns[view.turn + 1 :]:
            raise Refused("no_valid_target", f"{self.after} has no turn later this round", "HR-TIME-9")

    def decide(self, state: State) -> Emits[State]:
        state = yield TurnDelayed(creature=self.creature, after=self.after, because=("HR-TIME-9",))
        return (yield from turn_from(state, state.turn))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        later = view.turns[view.turn + 1 :]
        if later and awaited.creature not in view.delayed:
            yield Offer(type=cls.type, creature=awaited.creature, choices={"after": later})


@record
class InTurns(Timing):
    """Creatures take turns."""

    kind: ClassVar[str] = "turns"

    def begin(self, state: State, starter: str | None) -> Emits[State]:
        return (yield OpeningDecided(because=("HR-TIME-9",)))

    def open(self, state: State, chance: Chance) -> Emits[State]:
        return (yield from set_order(state, chance))

    def order_of_round(self, state: State) -> tuple[str, ...]:
        late = tuple(name for name in state.creatures if name not in state.turn_order)
        return state.turn_order + late

    def begin_round(self, state: State) -> Emits[State]:
        return (yield from turn_from(state, 0))

    @enforces(HR_TIME_11)
    def after_engagement(self, ended: Event[State], targeted_side: str) -> Emits[State]:
        """Emit *ended*; the interrupted turn goes on."""
        return (yield ended)

    def check_action(self, view: State, creature: Creature, action: str) -> None:
        check_turn(view, creature, built_in_speed(action))

    def check_ability(self, view: State, creature: Creature, definition: Ability | Spell) -> None:
        check_turn(view, creature, speed_in_turns(definition))

    def assumed(self, state: State) -> tuple[str, ...]:
        return tuple(name for name, found in state.abilities.items() if assumed_slow(found))
