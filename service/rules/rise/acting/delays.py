"""Let delayed and repeated effects come: in their owner's turn, at the point it picks, once per turn.

They cost no action and are resolved like any other part of the turn, by the frames of `assault`.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.creatures.creature import Creature, is_able
from service.rules.rise.creatures.lasting import Delayed
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.rulings import ruled
from service.rules.rise.space.sight import check_reach
from service.rules.rise.state import State

RI_DELAY_1: Final = Rule(
    "RI-DELAY-1",
    "What is said to come in later actions comes when its owner takes its turn in the action phase.",
    books.TIME.at("Delayed and Repeated Effects"),
)
RI_DELAY_2: Final = Rule(
    "RI-DELAY-2",
    "The owner picks when in its turn such effects come; if it says nothing they come first.",
    books.TIME.at("Delayed and Repeated Effects"),
)
RI_DELAY_5: Final = Rule(
    "RI-DELAY-5",
    "They cost no action and count like any part of the turn; only the first brings extra damage.",
    (books.TIME.at("Delayed and Repeated Effects"), books.DAMAGE),
)
RI_DELAY_4: Final = Rule(
    "RI-DELAY-4",
    "A repeated effect comes once in each turn until used up, on whom it reaches then with a clear line.",
    books.TIME.at("Delayed and Repeated Effects"),
    settles=("C-30",),
)
RI_DELAY_6: Final = Rule(
    "RI-DELAY-6",
    "Attacks in later actions are aimed when they come; an effect without an attack lies on its targets.",
    books.TIME.at("Delayed and Repeated Effects"),
)


@record
class DelayedSet(Event[State]):
    """An effect will come in its owner's next turns."""

    type: ClassVar[str] = "delayed_set"
    owner: str
    delayed: Delayed

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.owner]
        return state.with_creature(self.owner, delayed=(*creature.delayed, self.delayed))


@record
class DelayedFired(Event[State]):
    """A delayed effect comes now."""

    type: ClassVar[str] = "delayed_fired"
    owner: str
    ability: str
    targets: tuple[str, ...] = ()
    """On whom it comes."""
    missed: tuple[str, ...] = ()
    """Whom it does not reach now."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.owner]
        kept = [self._after(state, delayed) for delayed in creature.delayed]
        left = tuple([delayed for delayed in kept if delayed.remaining > 0])
        return state.with_creature(self.owner, delayed=left)

    def _after(self, state: State, delayed: Delayed) -> Delayed:
        if delayed.ability != self.ability:
            return delayed
        return changed(delayed, remaining=delayed.remaining - 1, fired=state.round)


@record
class DelayedLapsed(Event[State]):
    """What would have come in this turn does not: its owner can neither attack nor choose."""

    type: ClassVar[str] = "delayed_lapsed"
    owner: str
    ability: str

    def evolve(self, state: State) -> State:
        return DelayedFired(owner=self.owner, ability=self.ability).evolve(state)


def due(state: State, creature: Creature) -> tuple[Delayed, ...]:
    """Return the effects that come in this turn of *creature* and have not come yet."""
    return tuple(
        [
            d
            for d in creature.delayed
            if d.created < state.round and d.fired != state.round and d.remaining > 0
        ]
    )


def left_over(state: State, creature: Creature) -> tuple[Delayed, ...]:
    """Return what comes though its owner cannot act: it lies on its targets and rolls no attack (C-30)."""
    if creature.dead or creature.defeated or is_able(creature):
        return ()
    lapses = state.house.ownerless_delayed == "lapse"
    if lapses or ruled(state, "delayed_lapse", creature.id) == "yes":
        return ()
    return tuple([d for d in due(state, creature) if ability_of(creature, d.ability).strike is None])


def lapsing(state: State, creature: Creature) -> tuple[Delayed, ...]:
    """Return what does not come because its owner cannot act."""
    if is_able(creature) or creature.budget.turn != "not_started":
        return ()
    coming = left_over(state, creature)
    return tuple([delayed for delayed in due(state, creature) if delayed not in coming])


@enforces(RI_DELAY_1)
def is_due(state: State, creature: Creature) -> bool:
    """Tell whether a delayed effect of *creature* is due."""
    return bool(due(state, creature))


@enforces(RI_DELAY_2)
def fire_next(state: State, owner: str) -> Emits[State]:
    """Emit the first delayed effect of *owner* that is due."""
    return (yield from fire(state, owner, due(state, state.creatures[owner])[0]))


@enforces(RI_DELAY_5)
def fire(state: State, owner: str, delayed: Delayed, chosen: tuple[str, ...] = ()) -> Emits[State]:
    """Emit a delayed effect on the *chosen* targets, or on those it was meant for."""
    ability = ability_of(state.creatures[owner], delayed.ability)
    first = delayed.fired is None and not ability.at_once
    aimed = chosen or delayed.targets
    targets = tuple([name for name in aimed if comes_to(state, owner, ability, name)])
    missed = tuple([name for name in aimed if name not in targets])
    state = yield DelayedFired(owner=owner, ability=delayed.ability, targets=targets, missed=missed)
    return (yield AssaultBegun(assault=repeated(owner, ability, targets, first=first)))


@enforces(RI_DELAY_4)
def comes_to(state: State, owner: str, ability: Ability, target: str) -> bool:
    """Tell whether a delayed effect reaches *target*: in range, with a clear line.

    A creature that is felled already is attacked as by a strike; an area reaches those whom it caught.
    """
    user, found = state.creatures[owner], state.creatures[target]
    if (found.dead or found.defeated) and state.house.attack_the_felled == "refused":
        return False
    if owner == target or ability.area is not None:
        return True
    try:
        check_reach(state, user, found, ability.range_ft)
    except Refused:
        return False
    return True


@enforces(RI_DELAY_6)
def may_be_aimed(ability: Ability) -> bool:
    """Tell whether targets of a delayed effect are chosen when it comes."""
    return ability.strike is not None and ability.area is None


def repeated(owner: str, ability: Ability, targets: tuple[str, ...], *, first: bool) -> Assault:
    """Return a use of *ability* as it comes in a later turn; the first instance tires as any use does."""
    return Assault(
        user=owner,
        what=ability.id,
        targets=targets,
        strike=ability.strike,
        effects=ability.effects,
        on_crit=ability.on_crit,
        on_miss=ability.on_miss,
        on_loss=ability.on_loss,
        spent=not first,
        fatigue=ability.cost_fatigue if first else 0,
    )


def ability_of(creature: Creature, id_: str) -> Ability:
    """Return the ability of *creature* with this id."""
    return next(ability for ability in creature.sheet.abilities if ability.id == id_)
