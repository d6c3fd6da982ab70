"""Roll initiative where actions cannot all happen: one check a phase, ties again, exertion once more."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import ClassVar, Final

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Creatures, Total
from service.rules.rise import books
from service.rules.rise.body.taking_damage import tire
from service.rules.rise.creatures.combat_statistics import (
    EXERTED,
    asks_to_exert,
    first_counts,
    speed_of,
    tired,
)
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.rise.planning.groups import GroupFrame
from service.rules.rolls.chance import Chance, PoolDie

RI_INIT_1: Final = Rule(
    "RI-INIT-1",
    "An initiative check is a d10 and Dexterity; it is not an attack and never explodes.",
    (books.TIME.at("Conflicting Actions"), books.MECHANICS.at("Opposed Checks")),
    settles=("C-12",),
)
RI_INIT_2: Final = Rule(
    "RI-INIT-2", "Initiative is a check, so fatigue counts.", books.RESOURCES.at("Fatigue")
)
RI_INIT_4: Final = Rule(
    "RI-INIT-4",
    "One initiative check serves a creature for all conflicts of a phase.",
    RULING,
    settles=("C-11",),
)
RI_INIT_3: Final = Rule(
    "RI-INIT-3",
    "Creatures with equal checks, and only they, roll again among themselves.",
    books.MECHANICS.at("Opposed Checks"),
    settles=("C-11",),
)


@record
class InitiativeRolled(Event[State]):
    """A creature's initiative check of this phase, or its re-roll of a tie."""

    type: ClassVar[str] = "initiative_rolled"
    creature: CreatureId
    total: Total
    again: bool
    """Whether it rolls again because its check equals another one."""

    def evolve(self, state: State) -> State:
        known = (*state.initiative.get(self.creature, ()), self.total)
        return changed(state, initiative=with_key(state.initiative, self.creature, known))


@record
class InitiativeShown(Event[State]):
    """Checks are rolled, and their players may exert themselves before the order is applied."""

    type: ClassVar[str] = "initiative_shown"
    creatures: Creatures

    def evolve(self, state: State) -> State:
        frame = state.top_frame(GroupFrame)
        return state.put(changed(frame, shown=(*frame.shown, *self.creatures)))


@record
class InitiativeAnswered(Event[State]):
    """A player rolls its initiative again with desperate exertion, or lets it stand."""

    type: ClassVar[str] = "initiative_answered"
    creature: CreatureId
    exerts: bool
    """Whether it exerts itself."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(GroupFrame)
        shown = tuple([name for name in frame.shown if name != self.creature])
        exerting = (*frame.exerting, self.creature) if self.exerts else frame.exerting
        return state.put(changed(frame, shown=shown, exerting=exerting))


@record
class ExertionRolled(Event[State]):
    """The check of a creature that exerted itself stands now."""

    type: ClassVar[str] = "exertion_rolled"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.top_frame(GroupFrame)
        exerting = tuple([name for name in frame.exerting if name != self.creature])
        return state.put(changed(frame, exerting=exerting, exerted=(*frame.exerted, self.creature)))


@record
class InitiativeRerolled(Event[State]):
    """A creature has rolled its initiative again with desperate exertion; what counts from now on."""

    type: ClassVar[str] = "initiative_rerolled"
    creature: CreatureId
    total: Total
    counts: bool
    """Whether the new roll counts."""

    def evolve(self, state: State) -> State:
        if not self.counts:
            return state
        return changed(state, initiative=with_key(state.initiative, self.creature, (self.total,)))


def asks_players(state: State) -> bool:
    """Return whether players are asked about their initiative: then the step ends, to be taken again."""
    return bool(state.top_frame(GroupFrame).shown)


def exertions(state: State, chance: Chance) -> Emits[State]:
    """Emit what those roll who exert themselves for their initiative."""
    for name in state.top_frame(GroupFrame).exerting:
        state = yield from roll_again(state, chance, name)
        state = yield ExertionRolled(creature=name, because=("RI-UNIV-DESPERATE",))
    return state


def spent(state: State) -> Emits[State]:
    """Emit what exertion costs those who rolled their initiative again: 2 fatigue, once all is done."""
    for name in sorted(state.top_frame(GroupFrame).exerted):
        state = yield from tire(state, name, 2, "desperate exertion")
    return state


@enforces(RI_INIT_1, RI_INIT_2)
def initiative_terms(state: State, creature: Creature) -> tuple[Term, ...]:
    """Return the modifiers of an initiative check of *creature*."""
    if state.house.initiative == "speed":
        base = Term(amount=speed_of(state, creature) // 5, what="speed", rule="RI-INIT-1")
    else:
        base = Term(amount=creature.sheet.dexterity, what="dexterity", rule="RI-INIT-1")
    return (base, *tired(creature))


def thrown(
    state: State, chance: Chance, creature: str, name: str, bonus: tuple[Term, ...] = ()
) -> Generator[Fact[State], State, tuple[State, Roll]]:
    """Emit one d10 for initiative, on the creature's stream of this phase called *name*."""
    return (
        yield from chance.throw(
            state,
            owner=creature,
            stream=f"{creature}/initiative/{state.stage}/{name}",
            purpose={"who": creature, "what": "initiative"},
            pool=(PoolDie(role="initiative", sides=10),),
            terms=(*initiative_terms(state, state.creatures[creature]), *bonus),
        )
    )


def roll_initiative(state: State, chance: Chance, creature: str) -> Emits[State]:
    """Emit one more initiative roll of *creature* in this phase."""
    number = len(state.initiative.get(creature, ())) + 1
    state, roll = yield from thrown(state, chance, creature, str(number))
    because = ("RI-INIT-1",) if number == 1 else ("RI-INIT-3",)
    return (yield InitiativeRolled(creature=creature, total=roll.total, again=number > 1, because=because))


def roll_again(state: State, chance: Chance, creature: str) -> Emits[State]:
    """Emit the roll of desperate exertion: 2 more, and the better of both counts unless the house differs."""
    state, roll = yield from thrown(state, chance, creature, "exertion", (EXERTED,))
    counts = not first_counts(state, state.initiative[creature][0], roll.total)
    return (
        yield InitiativeRerolled(
            creature=creature, total=roll.total, counts=counts, because=("RI-UNIV-DESPERATE", "C-44")
        )
    )


def find_order(state: State, creatures: Iterable[str]) -> tuple[str, ...] | None:
    """Return *creatures* from the highest check down, null while a check is missing or tied."""
    names = sorted(creatures)
    if any(name not in state.initiative for name in names) or ties(state, names):
        return None
    return tuple(sorted(names, key=lambda name: state.initiative[name], reverse=True))


@enforces(RI_INIT_4)
def roll_order(state: State, chance: Chance, creatures: Iterable[str]) -> Emits[State]:
    """Emit the initiative checks that *creatures* lack, and those that break ties."""
    names = sorted(creatures)
    new = [name for name in names if name not in state.initiative]
    for name in new:
        state = yield from roll_initiative(state, chance, name)
    while tied := ties(state, names):
        state = yield from break_ties(state, chance, tied)
    order = find_order(state, names)
    assert order is not None, "every check is rolled, and none is tied"
    asked = tuple([name for name in new if asks_to_exert(state, name, missed=order[0] != name)])
    if asked:
        state = yield InitiativeShown(creatures=asked, because=("RI-UNIV-DESPERATE", "C-44"))
    return state


def ties(state: State, names: Sequence[str]) -> list[str]:
    """Return those of *names* who have to roll again: as far as they have rolled they equal another."""
    known = {name: state.initiative[name] for name in names}
    tied = [n for n in names if any(m != n and known[m][: len(known[n])] == known[n] for m in names)]
    fewest = min((len(known[name]) for name in tied), default=0)
    return [name for name in tied if len(known[name]) == fewest]


@enforces(RI_INIT_3)
def break_ties(state: State, chance: Chance, tied: Sequence[str]) -> Emits[State]:
    """Emit new initiative checks of creatures that are *tied*."""
    for name in tied:
        state = yield from roll_initiative(state, chance, name)
    return state
