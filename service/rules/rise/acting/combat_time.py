"""Combat time: pay for actions, and let delayed and repeated effects come."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AbilityId, CreatureId
from service.rules.rise import books
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.creature import Budget, Creature, Delayed, is_able
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Assault
from service.rules.rise.sight.vision_and_lines import check_reach
from service.rules.rise.values import MeansName, OwnerId

# --- actions -------------------------------------------------------------------------------------------
# Standard, minor and free ones, the exchanges between them, and handling objects. A creature's budget is
# kept by its own group. Each way to pay is checked on the view and emitted as one event.

RI_PHASE_2: Final = Rule(
    "RI-PHASE-2",
    "The action phase holds one standard action and one minor action; the standard one is spent once.",
    books.TIME.at("The Action Phase"),
)
RI_ACT_3: Final = Rule(
    "RI-ACT-3",
    "One minor action comes with each action phase, and none with the movement phase.",
    books.TIME.at("Minor Actions"),
)
RI_ACT_4: Final = Rule(
    "RI-ACT-4",
    "An unused standard action may be given for one movement or one more minor action, and nothing else.",
    (books.TIME.at("The Action Phase"), books.TIME.at("Minor Actions")),
    settles=("C-48",),
)
RI_ACT_5: Final = Rule(
    "RI-ACT-5",
    "The same minor action is not used twice in a round unless it says so itself.",
    books.TIME.at("Minor Actions"),
    settles=("C-24",),
)
RI_ACT_9: Final = Rule(
    "RI-ACT-9",
    "A turn holds a standard and a minor action, two different minors, or a movement and a minor.",
    (books.TIME.at("The Action Phase"), books.TIME.at("Minor Actions")),
)
RI_ACT_1: Final = Rule(
    "RI-ACT-1",
    "There are standard, minor and free actions, and movement beside them; every use is paid with one.",
    (books.TIME.at("Actions"), books.CODEX_COMBAT),
)
RI_ACT_7: Final = Rule(
    "RI-ACT-7",
    "Free actions are as many as is reasonable; an ability may set its own limit.",
    books.TIME.at("Free Actions"),
    settles=("C-25",),
)


Pay = Literal["standard", "minor", "free", "movement"]
PAID_WITH: Final[Mapping[str, Pay]] = MappingProxyType(
    {"movement": "movement", "free": "free", "none": "free"}
)
"""Usages that are always paid in one way."""
MANIPULATIONS = 3
"""How often a creature may handle objects in a round."""


@record
class ActionPaid(Event[State]):
    """A creature paid for what it does."""

    type: ClassVar[str] = "action_paid"
    creature: CreatureId
    pay: Pay
    """What pays for it."""
    what: MeansName

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, budget=paid(state.creatures[self.creature].budget, self))


def paid(budget: Budget, event: ActionPaid) -> Budget:
    """Return *budget* after a payment."""
    if event.pay == "free":
        return changed(budget, free=with_key(budget.free, event.what, budget.free.get(event.what, 0) + 1))
    if event.pay == "movement":
        return changed(budget, standard="traded_movement")
    if event.what.startswith("minor:"):
        minors = (*budget.minors, event.what.removeprefix("minor:"))
        return changed(
            budget, minors=minors, standard="traded_minor" if event.pay == "standard" else budget.standard
        )
    return changed(budget, standard="used")


@enforces(RI_PHASE_2)
def check_standard(creature: Creature) -> None:
    """Refuse a creature that has spent its standard action."""
    if creature.budget.standard != "unused":
        raise Refused("standard_action_spent", f"{creature.id} has spent its standard action", RI_PHASE_2.id)


@enforces(RI_ACT_3)
def check_minor(creature: Creature) -> None:
    """Refuse a creature that has spent its minor actions of the round."""
    allowed = 2 if creature.budget.standard == "traded_minor" else 1
    if len(creature.budget.minors) >= allowed:
        raise Refused("minor_action_spent", f"{creature.id} has spent its minor action", RI_ACT_3.id)


@enforces(RI_ACT_4)
def check_trade(creature: Creature, wanted: Pay) -> None:
    """Refuse a trade of the standard action that is not for a movement or a minor action."""
    if wanted not in ("movement", "minor"):
        raise Refused("no_such_trade", f"a standard action buys no {wanted} action", RI_ACT_4.id)
    check_standard(creature)


@enforces(RI_ACT_5)
def check_new_minor(creature: Creature, ability: str, *, repeatable: bool) -> None:
    """Refuse a minor action that *creature* has used this round, unless it is *repeatable*."""
    if not repeatable and ability in creature.budget.minors:
        raise Refused("same_minor_action_twice", f"{creature.id} has used {ability} this round", RI_ACT_5.id)


def check_pay(creature: Creature, usage: str, pay: str, ability: str, *, repeatable: bool = False) -> None:
    """Refuse unless *creature* can pay for an ability of this usage in this way."""
    if usage == "standard":
        if pay != "standard":
            no_bargain(ability, pay)
        check_standard(creature)
    elif usage == "minor":
        check_new_minor(creature, ability, repeatable=repeatable)
        if pay == "standard":
            check_trade(creature, "minor")
        elif pay == "minor":
            check_minor(creature)
        else:
            no_bargain(ability, pay)
    elif usage == "movement" or (usage == "move_or_standard" and pay == "movement"):
        check_trade(creature, "movement")
    elif usage == "move_or_standard":
        check_standard(creature)
    elif usage not in ("free", "none"):
        raise Refused("unknown_action_type", f"{ability} is no action", "RI-ACT-1")


@enforces(RI_ACT_9)
def no_bargain(ability: str, pay: str) -> None:
    """Refuse to pay for *ability* with an action that cannot pay for it."""
    raise Refused("no_such_trade", f"{ability} cannot be paid with a {pay} action", RI_ACT_9.id)


@enforces(RI_ACT_1)
def pay_for(creature: str, usage: str, pay: Pay, ability: str) -> Emits[State]:
    """Emit the payment for a use of *ability*."""
    what = f"minor:{ability}" if usage == "minor" else ability
    return (yield ActionPaid(creature=creature, pay=PAID_WITH.get(usage, pay), what=what))


@enforces(RI_ACT_7)
def check_free(view: State, creature: Creature, ability: str, limit: int | None) -> None:
    """Refuse a free action beyond its own limit, or one that the GM ruled unreasonable."""
    many = sum(creature.budget.free.values()) >= view.house.free_actions_warn
    if many and ruled(view, "free_action_reasonable", creature.id) == "no":
        raise Refused(
            "free_action_unreasonable",
            f"the gm rules that {creature.id} has taken enough free actions this round",
            RI_ACT_7.id,
        )
    if limit is not None and creature.budget.free.get(ability, 0) >= limit:
        raise Refused(
            "free_ability_limit",
            f"{creature.id} has used {ability} as often as it may this round",
            RI_ACT_7.id,
        )


# --- delayed and repeated effects ----------------------------------------------------------------------
# In their owner's turn, at the point it picks, once per turn. They cost no action and are resolved like any
# other part of the turn, by the frames of `making_attacks`.

RI_DELAY_1: Final = Rule(
    "RI-DELAY-1",
    "An effect of later actions comes when its owner takes its turn in the action phase.",
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
    "Attacks in later actions are aimed when they come; an effect without an attack keeps its first targets.",
    books.TIME.at("Delayed and Repeated Effects"),
)


@record
class DelayedSet(Event[State]):
    """An effect will come in its owner's next turns."""

    type: ClassVar[str] = "delayed_set"
    owner: OwnerId
    delayed: Delayed
    """The effect that comes when its owner takes a turn."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.owner]
        return state.with_creature(self.owner, delayed=(*creature.delayed, self.delayed))


@record
class DelayedFired(Event[State]):
    """A delayed effect comes now."""

    type: ClassVar[str] = "delayed_fired"
    owner: OwnerId
    ability: AbilityId
    targets: tuple[CreatureId, ...] = ()
    """On whom it comes."""
    missed: tuple[CreatureId, ...] = ()
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
    owner: OwnerId
    ability: AbilityId

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
    """Return the effects that come though their owner cannot act: they roll no attack (C-30)."""
    if creature.dead or is_able(creature):
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
    """Return whether a delayed effect of *creature* is due."""
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


def spares_felled(view: State) -> bool:
    """Return whether the house lets nobody attack the felled."""
    return view.house.attack_the_felled == "refused"


def is_felled(creature: Creature) -> bool:
    """Return whether *creature* is dead or defeated."""
    return creature.dead or creature.defeated


@enforces(RI_DELAY_4)
def comes_to(state: State, owner: str, ability: Ability, target: str) -> bool:
    """Return whether a delayed effect reaches *target*: in range, with a clear line.

    A creature that is felled already is attacked as by a strike; an area reaches those whom it caught.
    """
    user, found = state.creatures[owner], state.creatures[target]
    if spares_felled(state) and is_felled(found):
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
    """Return whether targets of a delayed effect are chosen when it comes."""
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
