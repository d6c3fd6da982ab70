"""Use what stands on the sheet: special abilities, sustained ones, and those whose effects come later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from service.rules.kernel.folding import alike
from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.acting.actions import Pay, check_free, check_pay, pay_for
from service.rules.rise.acting.aiming import Choices, aimed, check_targets, targetable
from service.rules.rise.acting.delays import DelayedSet, ability_of, due, fire, may_be_aimed
from service.rules.rise.acting.offering import offered, on_turn, sender
from service.rules.rise.acting.swift import SwiftFollowed, SwiftFrame, check_follows
from service.rules.rise.acting.swift_abilities import early
from service.rules.rise.acting.turns import TurnFrame, begun, taking_turn, turns
from service.rules.rise.attacks.areas import caught, origin_of
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.attacks.zones import check_place, made
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Condition, Delayed
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.permission import Act, able, in_phase, is_allowed
from service.rules.rise.rulings import ruled
from service.rules.rise.state import State
from service.rules.space.grid import Cell

RI_UNIV_READY: Final = Rule(
    "RI-UNIV-READY",
    "Readying, and whatever else acts before its trigger, is not played: it contradicts simultaneity.",
    books.CODEX_COMBAT,
    settles=("C-45",),
)
RI_SWIFT_9: Final = Rule(
    "RI-SWIFT-9",
    "Keep up an effect by paying its action; what is not kept up ends before anybody acts.",
    (books.CODEX_COMBAT, books.GLOSSARY),
)
RI_DELAY_3: Final = Rule(
    "RI-DELAY-3",
    "Let a delayed effect come now: at any point of its owner's turn, but never apart from it.",
    books.TIME.at("Delayed and Repeated Effects"),
)


DEFAULT_PAY: Final[Mapping[str, str]] = MappingProxyType({"move_or_standard": "standard", "none": "free"})
"""How usages are paid that are not named for an action."""
OTHER_PAY: Final[Mapping[str, tuple[Pay | None, ...]]] = MappingProxyType(
    {"minor": (None, "standard"), "move_or_standard": (None, "movement")}
)
"""The ways to pay that are offered, null for the usual one."""


@record
class Sustained(Event[State]):
    """A creature keeps up what it would otherwise lose."""

    type: ClassVar[str] = "sustained"
    creature: str
    name: str

    def evolve(self, state: State) -> State:
        kept = (*state.creatures[self.creature].budget.sustained, self.name)
        return state.with_budget(self.creature, sustained=kept)


def ability_on(creature: Creature, id_: str) -> Ability:
    """Return the creature's ability; refused where it has none of this name."""
    for ability in creature.sheet.abilities:
        if ability.id == id_ and is_played(ability):
            return ability
    raise Refused("ability_not_in_profile", f"{creature.id} has no ability {id_}", "RI-ACT-1")


def priced(view: State, ability: Ability) -> Ability:
    """Return *ability* with what the GM says it costs, where the sheet names no action."""
    said = ruled(view, "action_cost", ability.id) if ability.usage == "none" else None
    return changed(ability, usage=said) if said in ("standard", "minor", "free") else ability


@enforces(RI_UNIV_READY)
def is_played(ability: Ability) -> bool:
    """Tell whether this ruleset plays *ability*; it plays no readied action and no counter."""
    return ability.id not in ("ready", "counter")


@record
class UseAbility(Act):
    """Use a special ability of the creature's sheet on its targets."""

    type: ClassVar[str] = "use_ability"
    ability: str
    targets: tuple[str, ...] = ()
    pay: Pay | None = None
    """Null pays with the action the ability costs."""
    at: tuple[int, int] | None = None
    """The cell around which its zone or area lies, or towards which its area points."""
    altitude_ft: int = 0
    """How high above that cell the area begins."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        ability = self.check_use(view, creature)
        check_place(view, creature, ability, self.at, self.altitude_ft)
        check_targets(view, creature, ability, self.targets)

    def check_use(self, view: State, creature: Creature) -> Ability:
        """Return what is used; refused where *creature* cannot use it now, wherever it aims."""
        ability = priced(view, ability_on(creature, self.ability))
        if not (early(ability) and check_follows(view, creature, ability.id)):
            pay = self.pay or DEFAULT_PAY.get(ability.usage, ability.usage)
            check_pay(creature, ability.usage, pay, ability.id, repeatable=ability.repeat_same_round)
            if ability.usage == "free":
                check_free(view, creature, ability.id, ability.per_round_limit)
        elif "swift" in ability.tags:
            raise Refused("standard_action_spent", f"{ability.id} is in force already", "RI-ACT-2")
        if ability.usage == "minor" and creature.budget.paused and not view.house.minor_in_movement:
            raise Refused("wrong_step", f"{creature.id} is moving", "RI-ACT-6")
        if ability.trigger != "none":
            raise Refused("unknown_action_type", f"{ability.id} comes by itself", "RI-ACT-1")
        return ability

    def decide(self, state: State) -> Emits[State]:
        creature = state.creatures[self.creature]
        ability = priced(state, ability_on(creature, self.ability))
        state = yield from begun(state, self.creature)
        if ability.id in creature.budget.swift:
            state = yield SwiftFollowed(creature=creature.id, ability=ability.id, because=("RI-SWIFT-6",))
            late = tuple([effect for effect in ability.effects if not effect.swift])
            ability = changed(ability, effects=late, cost_fatigue=0)
        else:
            state = yield from pay_for(self.creature, ability.usage, self.pay_of(ability), ability.id)
        aim = (self.at, self.altitude_ft)
        return (yield from carried_out(state, self.creature, ability, self.targets, *aim))

    def pay_of(self, ability: Ability) -> Pay:
        """Return the action that pays for *ability*."""
        if ability.usage == "free":
            return "free"
        return self.pay or ("minor" if ability.usage == "minor" else "standard")

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        for given, choices in alike(cls.uses(view, awaited)):
            yield Offer(type=cls.type, creature=awaited.creature, given=given, choices=choices)

    @classmethod
    def uses(cls, view: State, awaited: Awaited) -> Iterator[tuple[Mapping[str, Any], Choices]]:
        """Yield the uses of each ability that are offered, each as what is given and what is to choose."""
        by, name = sender(view, awaited), awaited.creature or ""
        for ability in view.creatures[name].sheet.abilities:
            for pay in OTHER_PAY.get(ability.usage, (None,)):
                given: Mapping[str, Any] = {"ability": ability.id, **({"pay": pay} if pay else {})}
                command = cls(by=by, creature=name, **given)
                user = on_turn(view, command)
                if user is None or not is_allowed(command.check_use, view, user):
                    continue
                for more, choices in aimed(view, user, priced(view, ability)):
                    yield {**given, **more}, choices


def carried_out(
    state: State,
    user: str,
    ability: Ability,
    targets: tuple[str, ...],
    at: Cell | None,
    altitude: int = 0,
) -> Emits[State]:
    """Tell what a use of *ability* does that is paid for."""
    if ability.zone is not None and at is not None:
        state = yield from made(state, user, ability.zone, at)
    use = use_of(state, user, ability, targets, at, altitude)
    if ability.later != "none":
        state = yield from later(state, user, ability, use.targets)
        if not ability.at_once:
            return state
    return (yield AssaultBegun(assault=use, because=("RI-ATK-1",)))


def use_of(
    state: State,
    user: str,
    ability: Ability,
    targets: tuple[str, ...],
    at: Cell | None = None,
    altitude: int = 0,
) -> Assault:
    """Return what one use of *ability* does: to its targets, or to whom its area catches."""
    origin = None
    if ability.area is not None:
        creature = state.creatures[user]
        origin = origin_of(creature, ability.area, at, altitude)
        targets = caught(state, creature, ability, at, altitude)
    swift = early(ability)
    effects = ability.effects
    if "swift" in ability.tags:
        effects, swift = swift, ()
    else:
        effects = tuple([effect for effect in effects if not effect.swift])
    strike = ability.strike
    if strike is not None and "brawling" in ability.tags:
        strike = changed(strike, brawling=True)
    return Assault(
        user=user,
        what=ability.id,
        targets=targets,
        strike=strike,
        effects=effects,
        on_crit=ability.on_crit,
        on_miss=ability.on_miss,
        on_loss=ability.on_loss,
        after=swift,
        fatigue=ability.cost_fatigue,
        reactive="reactive" in ability.tags,
        area=origin,
    )


def later(state: State, owner: str, ability: Ability, targets: tuple[str, ...]) -> Emits[State]:
    """Tell that the effects of *ability* come in the owner's next turns."""
    times = 1 if ability.later == "next_action" else ability.times
    delayed = Delayed(ability=ability.id, targets=targets, remaining=times, created=state.round)
    return (yield DelayedSet(owner=owner, delayed=delayed, because=("RI-DELAY-1",)))


@enforces(RI_SWIFT_9)
@record
class Sustain(Act):
    """Keep up an effect by paying its action; it ends otherwise."""

    type: ClassVar[str] = "sustain"
    condition: str
    pay: Pay | None = None
    """Null pays with the action that the effect asks for."""

    def check(self, view: State) -> None:
        if isinstance(view.top, SwiftFrame):
            creature = in_phase(view, self, "action")
            able(creature)
        else:
            creature = taking_turn(view, self)
            if turns(view).precommitted:
                raise Refused(
                    "swift_not_precommitted", f"{self.condition} was to be kept up before", "RI-SWIFT-3"
                )
        held = sustained_by(view, creature.id, self.condition)
        if not held:
            raise Refused("sustain_not_declared", f"{self.creature} sustains no {self.condition}")
        if self.condition in creature.budget.sustained:
            raise Refused("sustain_same_ability_twice", f"{self.condition} is kept up already")
        check_pay(creature, held[0].keep, self.pay or held[0].keep, f"sustain-{self.condition}")

    def decide(self, state: State) -> Emits[State]:
        keep = sustained_by(state, self.creature, self.condition)[0].keep
        if not isinstance(state.top, SwiftFrame):
            state = yield from begun(state, self.creature)
        pay = self.pay or keep
        state = yield from pay_for(self.creature, keep, pay, f"sustain-{self.condition}")
        return (yield Sustained(creature=self.creature, name=self.condition))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, name = sender(view, awaited), awaited.creature or ""
        names = [c.name for other in view.creatures.values() for c in other.conditions if c.source == name]
        for condition in dict.fromkeys(names):
            command = cls(by=by, creature=name, condition=condition)
            yield from offered(command, view, condition=condition)


def sustained_by(state: State, owner: str, name: str) -> list[Condition]:
    """Return the effects of this name that *owner* keeps up, on whomever."""
    return [
        condition
        for creature in state.creatures.values()
        for condition in creature.conditions
        if condition.name == name and condition.source == owner and condition.until == "sustain"
    ]


@enforces(RI_DELAY_3)
@record
class FireDelayed(Act):
    """Let a delayed effect come now, in its owner's turn."""

    type: ClassVar[str] = "fire_delayed"
    ability: str
    targets: tuple[str, ...] = ()
    """On whom, where it is an attack; none are those it was meant for."""

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        top = view.top
        if not isinstance(top, TurnFrame) or top.creature != self.creature:
            raise Refused("turn_split", f"{self.creature} is not taking its turn")
        if not any(delayed.ability == self.ability for delayed in due(view, creature)):
            raise Refused("delayed_already_fired", f"{self.ability} is not due", "RI-DELAY-4")
        if self.targets:
            ability = ability_of(creature, self.ability)
            if not may_be_aimed(ability):
                raise Refused("invalid_target", f"{self.ability} lies on its targets", "RI-DELAY-6")
            check_targets(view, creature, ability, self.targets)

    def decide(self, state: State) -> Emits[State]:
        creature = state.creatures[self.creature]
        delayed = next(d for d in due(state, creature) if d.ability == self.ability)
        return (yield from fire(state, self.creature, delayed, self.targets))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, creature = sender(view, awaited), view.creatures[awaited.creature or ""]
        for delayed in due(view, creature):
            command = cls(by=by, creature=creature.id, ability=delayed.ability)
            yield from offered(command, view, ability=delayed.ability)
            if is_allowed(command.check, view) and may_be_aimed(ability_of(creature, delayed.ability)):
                targets = tuple(
                    [(n,) for n in targetable(view, creature, ability_of(creature, delayed.ability))]
                )
                given = {"ability": delayed.ability}
                yield Offer(type=cls.type, creature=creature.id, given=given, choices={"targets": targets})
