"""Use what stands on the sheet: special, sustained and later abilities, and those that react."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

from service.rules.kernel.folding import alike
from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.meter import spend
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AbilityId, ConditionName, CreatureId, Name, TargetId, Targets
from service.rules.rise import books
from service.rules.rise.acting.brawling import check_size
from service.rules.rise.acting.combat_time import (
    DelayedSet,
    Pay,
    ability_of,
    check_free,
    check_pay,
    due,
    fire,
    may_be_aimed,
    pay_for,
)
from service.rules.rise.acting.swift import SwiftFollowed, SwiftFrame, check_follows, early
from service.rules.rise.acting.turns import TurnFrame, begun, offered, on_turn, sender, taking_turn, turns
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.creature import Creature, Delayed, is_able
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import (
    Assault,
    aims,
    caught,
    check_named,
    check_place,
    is_aimed,
    made,
    origin_of,
)
from service.rules.rise.sight.vision_and_lines import in_reach, known_of, targets_of
from service.rules.rise.values import AreaAltitude, AreaCell, OwnerId
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell, distance
from service.rules.table.stack import Frame, FrameDone

# --- aiming --------------------------------------------------------------------------------------------
# Who may be named, where an area or zone may come, what is offered.

Choices: TypeAlias = Mapping[str, tuple[Any, ...]]


def check_targets(view: State, creature: Creature, ability: Ability, targets: tuple[str, ...]) -> None:
    """Refuse targets that are not there, out of reach, or too big."""
    check_named(ability, targets)
    if not targets and ability.zone is None and ability.area is None:
        raise Refused("invalid_target", f"{ability.id} needs a target", "RI-ATK-1")
    for target in targets_of(view, creature, targets, ability.range_ft):
        check_fit(creature, target, ability)


def check_fit(user: Creature, target: Creature, ability: Ability) -> None:
    """Refuse a target that is too big for *ability*."""
    if "size_based" in ability.tags and target.id != user.id:
        check_size(user, target)


# --- offers ------------------------------------------------------------------------------------------


def aimed(view: State, user: Creature, ability: Ability) -> Iterator[tuple[Mapping[str, Any], Choices]]:
    """Yield the ways to aim *ability* that are offered, each as what is fixed and what is to choose."""
    found = single_aims(view, user, ability)
    if ability.area is None and ability.zone is None and found:
        targets = tuple([aim["targets"] for aim in found])
        everybody = (tuple([name for (name,) in targets]),) if len(targets) > 1 else ()
        yield EMPTY, {"targets": (*targets, *everybody)}
    elif found == [{}]:
        yield EMPTY, EMPTY
    elif ability.area is not None:
        for altitude in dict.fromkeys([aim.get("altitude_ft", 0) for aim in found]):
            spots = tuple([aim["at"] for aim in found if aim.get("altitude_ft", 0) == altitude])
            yield {"altitude_ft": altitude} if altitude else EMPTY, {"at": spots}
    else:
        for at in dict.fromkeys([aim["at"] for aim in found]):
            yield {"at": at}, {"targets": tuple([aim["targets"] for aim in found if aim["at"] == at])}


def single_aims(view: State, user: Creature, ability: Ability) -> list[dict[str, Any]]:
    """Return the ways to aim *ability* at one creature: an area or zone where somebody stands."""
    if ability.area is not None:
        return [aim for aim in aims(view, ability) if is_allowed(check_aim, view, user, ability, **aim)]
    targets = targetable(view, user, ability)
    if ability.zone is None:
        is_placed = is_allowed(check_place, view, user, ability, None)
        return [{"targets": (name,)} for name in targets if is_placed]
    places = {name: view.creatures[name].position for name in targets}
    near = [name for name in targets if is_allowed(check_place, view, user, ability, places[name])]
    return [{"targets": (name,), "at": places[name]} for name in near]


def check_aim(
    view: State, user: Creature, ability: Ability, at: Cell | None = None, altitude_ft: int = 0
) -> None:
    """Refuse an area that cannot be placed so."""
    check_place(view, user, ability, at, altitude_ft)
    check_targets(view, user, ability, ())


def targetable(view: State, user: Creature, ability: Ability) -> tuple[str, ...]:
    """Return whom *ability* may name: its user, and everybody in reach who is not too big."""

    def find(_: State) -> tuple[str, ...]:
        near = dict.fromkeys((user.id, *in_reach(view, user, ability.range_ft)))
        return tuple([name for name in view.creatures if name in near])

    found = known_of(view, user, f"targetable/{ability.range_ft}", find)
    if "size_based" not in ability.tags:
        return found
    return tuple([name for name in found if is_allowed(check_fit, user, view.creatures[name], ability)])


# --- special abilities ---------------------------------------------------------------------------------
# Special abilities, sustained ones, and those whose effects come later.

RI_UNIV_READY: Final = Rule(
    "RI-UNIV-READY",
    "Readying, and anything else that acts before its trigger, is not played: it contradicts simultaneity.",
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
    creature: CreatureId
    name: Name

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
    """Return whether this ruleset plays *ability*; it plays no readied action and no counter."""
    return ability.id not in ("ready", "counter")


@record
class UseAbility(Act):
    """Use a special ability of the creature's sheet on its targets."""

    type: ClassVar[str] = "use_ability"
    sentence: ClassVar[str] = "Use {ability}[ on {targets}][, for the {pay} action]"
    ability: AbilityId
    targets: Targets = ()
    pay: Pay | None = None
    """Null pays with the action the ability costs."""
    at: AreaCell | None = None
    altitude_ft: AreaAltitude = 0

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
            raise Refused("unknown_action_type", f"{ability.id} comes by itself, by its trigger", "RI-ACT-1")
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
    """Emit what a use of *ability* does that is paid for."""
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
    """Emit that the effects of *ability* come in the owner's next turns."""
    times = 1 if ability.later == "next_action" else ability.times
    delayed = Delayed(ability=ability.id, targets=targets, remaining=times, created=state.round)
    return (yield DelayedSet(owner=owner, delayed=delayed, because=("RI-DELAY-1",)))


@enforces(RI_SWIFT_9)
@record
class Sustain(Act):
    """Keep up an effect by paying its action; it ends otherwise."""

    type: ClassVar[str] = "sustain"
    sentence: ClassVar[str] = "Keep up {condition}"
    condition: ConditionName
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
            raise Refused(
                "sustain_not_declared", f"{self.creature} sustains no {self.condition}", RI_SWIFT_9.id
            )
        if self.condition in creature.budget.sustained:
            raise Refused("sustain_same_ability_twice", f"{self.condition} is kept up already", RI_SWIFT_9.id)
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
    sentence: ClassVar[str] = "Let {ability} come now[, on {targets}]"
    ability: AbilityId
    targets: tuple[CreatureId, ...] = ()
    """On whom, where it is an attack; none are those it was meant for."""

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        top = view.top
        if not isinstance(top, TurnFrame) or top.creature != self.creature:
            raise Refused("turn_split", f"{self.creature} is not taking its turn", RI_DELAY_3.id)
        if not any(delayed.ability == self.ability for delayed in due(view, creature)):
            raise Refused("delayed_already_fired", f"{self.ability} is not due", "RI-DELAY-4")
        if self.targets:
            ability = ability_of(creature, self.ability)
            if not may_be_aimed(ability):
                raise Refused(
                    "invalid_target", f"{self.ability} keeps the targets of its first use", "RI-DELAY-6"
                )
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


# --- reactive attacks ----------------------------------------------------------------------------------
# What a phase sets off resolves at its end, and sets nothing off itself.


@record
class Reaction:
    """An ability that was set off: whose, which, by whom."""

    owner: OwnerId
    ability: AbilityId
    target: TargetId


@record
class ReactionsFrame(Frame[State]):
    """What a phase set off, one after the other."""

    kind: ClassVar[str] = "rise_reactions"
    pending: tuple[Reaction, ...]
    """The abilities that were set off and are still to come."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        for reaction in self.pending:
            owner = state.creatures[reaction.owner]
            state = yield ReactionCame(reaction=reaction, because=("RI-ATK-11",))
            ability = next(a for a in owner.sheet.abilities if a.id == reaction.ability)
            at = state.creatures[reaction.target].position if is_aimed(ability) else None
            use = changed(use_of(state, owner.id, ability, (reaction.target,), at), reactive=True)
            return (yield AssaultBegun(assault=use, because=("RI-ATK-11",)))
        return (yield ReactionsDone(path=self.path, because=("RI-ATK-11",)))


@record
class ReactionsSetOff(Event[State]):
    """These abilities were set off in the phase that ends."""

    type: ClassVar[str] = "reactions_set_off"
    reactions: tuple[Reaction, ...]
    """The abilities that were set off."""

    def evolve(self, state: State) -> State:
        frame = ReactionsFrame(path=f"r{state.round}/{state.stage}/reactions", pending=self.reactions)
        return changed(state, reacted=True).pushed(frame)


@record
class ReactionCame(Event[State]):
    """One of them comes now."""

    type: ClassVar[str] = "reaction_came"
    reaction: Reaction
    """The ability that was set off."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(ReactionsFrame)
        state = state.put(changed(frame, pending=frame.pending[1:]))
        free = state.creatures[self.reaction.owner].budget.free
        used = with_key(free, self.reaction.ability, free.get(self.reaction.ability, 0) + 1)
        return state.with_budget(self.reaction.owner, free=used)


@record
class ReactionsDone(FrameDone[State]):
    """Everything that was set off has come."""

    type: ClassVar[str] = "reactions_done"


def react(due: tuple[Reaction, ...]) -> Emits[State]:
    """Emit what the phase set off."""
    return (yield ReactionsSetOff(reactions=due, because=("RI-ATK-11",)))


def set_off(state: State) -> tuple[Reaction, ...]:
    """Return what the phase that ends has set off and has not come yet, by owner and ability.

    It comes together, so it also comes of whom another reaction fells. Where more set an ability off than it
    may be used, the nearest do.
    """
    if state.reacted:
        return ()
    found: list[Reaction] = []
    for name, owner in sorted(state.creatures.items()):
        for ability in owner.sheet.abilities if is_able(owner) else ():
            left = (ability.per_round_limit or 1) - owner.budget.free.get(ability.id, 0)
            if ability.trigger == "none" or left <= 0:
                continue
            spend(1 + len(state.creatures) // 4)
            by = sorted(
                [other for other in state.creatures if was_set_off(state, owner, ability, other)],
                key=lambda other: nearness(state, owner, other),
            )
            found += [Reaction(owner=name, ability=ability.id, target=other) for other in by[: max(0, left)]]
    return tuple(found)


def nearness(state: State, owner: Creature, other: str) -> tuple[int, Cell, str]:
    """Return what sorts creatures by how near they are now to *owner*; of those alike their places decide."""
    them = state.creatures[other]
    return _apart(owner, them, before=False), them.position, other


def was_set_off(state: State, owner: Creature, ability: Ability, other: str) -> bool:
    """Return whether *other*, an enemy, did in this phase what sets the ability off."""
    if ability.trigger == "none" or other == owner.id or state.attitude(owner.id, other) != "enemy":
        return False
    them = state.creatures[other]
    if them.dead or them.defeated:
        return False
    if ability.trigger == "hurt":
        return other in owner.hurt_by
    was, now = _apart(owner, them, before=True), _apart(owner, them, before=False)
    if ability.trigger == "enters_reach":
        return was > ability.range_ft >= now
    return now > ability.range_ft >= was


def _apart(owner: Creature, them: Creature, *, before: bool) -> int:
    a = owner.stood if before and owner.stood is not None else owner.position
    b = them.stood if before and them.stood is not None else them.position
    return distance(a, owner.space, b, them.space, "alternating")
