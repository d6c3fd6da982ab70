"""Take the agility step with its sidesteps, and the might step, the last of the three."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.permission import acting, answering_for, is_unbarred
from service.rules.heartrush.body.weapons import leaves_no_step, throwable
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.engaging.declaring import (
    check_also,
    check_step,
    check_target,
    declarations,
    declare,
    further,
    is_met,
    meeting,
    sealed_declaration,
    takes_part,
    targets,
    undeclared,
)
from service.rules.heartrush.engaging.resolution import (
    DECLARING,
    declaring,
    end_step,
    exchange,
    next_step,
    owing,
    reveal_targets,
    take_step,
)
from service.rules.heartrush.moving.dash_and_sidestep import sidesteps, sidesteps_of
from service.rules.heartrush.moving.paths import check_can_move, speed
from service.rules.heartrush.timing.engagement import Declaration, EngagementFrame, Order, PhaseRules, Planned
from service.rules.heartrush.values import BlastTargets, EngagementId
from service.rules.kernel.messages import (
    Answering,
    Awaited,
    Command,
    Emits,
    Event,
    Offer,
    Refused,
    Scope,
    Sentence,
)
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, PromptId, TargetId, WeaponId

# --- a second thrown weapon ----------------------------------------------------------------------------
# The might bonus of a thrown one, at once and at somebody else.

HR_WPN_8: Final = Rule(
    "HR-WPN-8",
    "The might bonus of a thrown weapon: its first hit lets another fly at once, at another valid target.",
    books.WEAPONS.at("Thrown"),
)


@record
class FollowUpMade(Event[State]):
    """A second thrown weapon flies at another target; it is gone from the thrower's hands."""

    type: ClassVar[str] = "follow_up_made"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    weapon: WeaponId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        planned = Planned(attacker=self.creature, defender=self.target, contested=False, weapon=self.weapon)
        thrown = (*state.creatures[self.creature].thrown, self.weapon)
        state = state.with_creature(self.creature, thrown=thrown)
        return state.put(changed(frame, following=None, exchanges=(planned, *frame.exchanges)))


@record
class FollowUpForgone(Event[State]):
    """No second weapon is thrown."""

    type: ClassVar[str] = "follow_up_forgone"
    engagement: EngagementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.engagement, EngagementFrame, following=None)


def next_targets(state: State, frame: EngagementFrame, creature: Creature) -> tuple[str, ...]:
    """Return whom *creature* could throw its next weapon at: valid targets but the one it has hit."""
    assert frame.following is not None
    if not throwable(creature) or not takes_part(state, creature.id):
        return ()
    found = targets(state, frame, creature, weapon=throwable(creature)[0])
    return tuple(name for name in found if name != frame.following.defender)


def awaited(state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
    """Return the answer owed by who may throw again, if it can."""
    if frame.following is None:
        return ()
    name = frame.following.attacker
    if not next_targets(state, frame, state.creatures[name]):
        return ()
    return (frame.awaited(state, "follow_up", name, FollowUp.type, ForgoFollowUp.type),)


def forgone(frame: EngagementFrame) -> Emits[State]:
    """Emit that nothing follows, for want of a weapon or a target."""
    assert frame.following is not None
    return (
        yield FollowUpForgone(engagement=frame.path, creature=frame.following.attacker, because=("HR-WPN-8",))
    )


def _frame(view: State, command: FollowUp | ForgoFollowUp) -> EngagementFrame:
    acting(view, command, command.creature, allow=("surprised",))
    answering_for(view, command, command.creature)
    return view.top_frame(EngagementFrame)


@enforces(HR_WPN_8)
@record
class FollowUp(Command[State]):
    """Throw another weapon at another valid target, after the first hit of a thrown weapon's might bonus."""

    type: ClassVar[str] = "follow_up"
    sentence: ClassVar[str] = "Throw the {weapon} at {target} too"
    creature: CreatureId
    prompt: PromptId
    target: TargetId
    weapon: WeaponId

    def check(self, view: State) -> None:
        frame = _frame(view, self)
        creature = view.creatures[self.creature]
        if self.weapon not in [weapon.id for weapon in throwable(creature)]:
            raise Refused(
                "weapon_not_wieldable", f"{self.creature} has no {self.weapon} to throw", HR_WPN_8.id
            )
        if self.target not in next_targets(view, frame, creature):
            raise Refused("no_valid_target", f"{self.weapon} cannot be thrown at {self.target}", HR_WPN_8.id)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (
            yield FollowUpMade(
                engagement=frame.path, creature=self.creature, target=self.target, weapon=self.weapon
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if isinstance(frame, EngagementFrame) and frame.following is not None:
            yield Offer(
                type=cls.type,
                creature=creature.id,
                prompt=awaited.prompt,
                choices={
                    "target": next_targets(view, frame, creature),
                    "weapon": tuple(weapon.id for weapon in throwable(creature)),
                },
            )


@record
class ForgoFollowUp(Answering[State]):
    """Throw no second weapon."""

    type: ClassVar[str] = "forgo_follow_up"
    sentence: ClassVar[str] = "Throw nothing more"
    passes: ClassVar[bool] = True
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        _frame(view, self)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (yield from forgone(frame))


# --- the agility step ----------------------------------------------------------------------------------
# Attack and then sidestep, or sidestep and then attack, the sides moving by turns.

HR_STANCE_AGI_3: Final = Rule(
    "HR-STANCE-AGI-3",
    "Say whom you attack, before your sidestep or after it; those who attack first go first.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Agility")),
)
HR_STANCE_AGI_4: Final = Rule(
    "HR-STANCE-AGI-4",
    "Movers of opposite sides alternate, the side that was engaged first; one side's surplus goes last.",
    books.COMBAT.at("Agility"),
    settles=("A-15",),
)
HR_STANCE_AGI_5: Final = Rule(
    "HR-STANCE-AGI-5",
    "A mutual pair in different slots is one contest in the earlier slot if each reaches the other then.",
    RULING,
)
HR_STANCE_AGI_2: Final = Rule(
    "HR-STANCE-AGI-2",
    "A creature in agility has one free sidestep, right before or right after its attack.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Agility")),
    settles=("A-16",),
)
HR_STANCE_AGI_1: Final = Rule(
    "HR-STANCE-AGI-1",
    "Agility attacks second: one attack each, on a creature that is not in cunning.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Agility")),
)


FAST_FT: Final = 10_000
"""A speed that leaves a sidestep whatever was done before."""
FIRST = ("attack_first", "no_move")


@record
class SidestepDeclined(Event[State]):
    """A mover stays where it is."""

    type: ClassVar[str] = "sidestep_declined"
    engagement: EngagementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.engagement, EngagementFrame, moved=True)


@record
class AttackDue(Event[State]):
    """Declared attacks of movers come now, in a contest where they are mutual."""

    type: ClassVar[str] = "attack_due"
    engagement: EngagementId
    exchanges: tuple[Planned, ...]
    """The exchanges that are still to be rolled."""

    def evolve(self, state: State) -> State:
        return state.with_frame(self.engagement, EngagementFrame, exchanges=self.exchanges)


@record
class MoverDone(Event[State]):
    """A mover has had its sidestep and its attack; the next one moves."""

    type: ClassVar[str] = "mover_done"
    engagement: EngagementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, movers=frame.movers[1:], moved=False, picked=False))


@enforces(HR_STANCE_AGI_3)
@record
class DeclareAgility(Command[State]):
    """Declare an agility attack before the sidestep or after it, or none."""

    type: ClassVar[str] = "declare_agility"
    sentence: ClassVar[Sentence] = {
        "target=None": "Make no agility attack",
        "order=attack_first": "Attack {target}[, and {also} too], then sidestep",
        "order=move_first": "Sidestep, then attack {target}[, and {also} too]",
        "order=no_move": "Attack {target}[, and {also} too] without a sidestep",
        "": "Attack with agility: {target}",
    }
    creature: CreatureId
    prompt: PromptId
    order: Order
    """Whether it moves before or after its attack."""
    target: CreatureId | None = None
    """Null makes no attack; with `move_first` a target may still be picked after the sidestep."""
    also: BlastTargets = ()

    def scope(self, state: State) -> Scope | None:
        return sealed_declaration(state, self.by.seat)

    def check(self, view: State) -> None:
        frame = check_step(view, self, "agility")
        if self.target is not None:
            anywhere = self.order == "move_first"
            check_target(view, frame, view.creatures[self.creature], self.target, anywhere=anywhere)
        moves = self.order == "move_first"
        check_also(view, frame, view.creatures[self.creature], self.target, self.also, anywhere=moves)

    def decide(self, state: State) -> Emits[State]:
        declaration = Declaration(target=self.target, also=self.also, order=self.order)
        return (yield from declare(state, self.by.seat, self.creature, declaration))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if not isinstance(frame, EngagementFrame):
            return
        near, anywhere = targets(view, frame, creature), targets(view, frame, creature, anywhere=True)
        for orders, found in ((FIRST, near), (("move_first",), anywhere)):
            yield Offer(
                type=cls.type,
                creature=creature.id,
                prompt=awaited.prompt,
                choices={"order": orders, "target": (None, *found)},
            )
            for name in found:
                also = further(creature, name, found)
                if also:
                    yield Offer(
                        type=cls.type,
                        creature=creature.id,
                        prompt=awaited.prompt,
                        given={"target": name},
                        choices={"order": orders, "also": also},
                    )


@record
class DeclineSidestep(Answering[State]):
    """Stay where you are; the free sidestep of the agility stance lapses."""

    type: ClassVar[str] = "decline_sidestep"
    sentence: ClassVar[str] = "Stay where you are"
    passes: ClassVar[bool] = True
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        answering_for(view, self, self.creature, late="sidestep_already_used")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (
            yield SidestepDeclined(
                engagement=frame.path, creature=self.creature, because=("HR-STANCE-AGI-2",)
            )
        )


@enforces(HR_STANCE_AGI_4)
def alternate(state: State, frame: EngagementFrame, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return *names* in the order of their moves: sides alternate, the side that was engaged first."""
    first = [name for name in names if state.creatures[name].side == frame.targeted_side]
    second = [name for name in names if state.creatures[name].side != frame.targeted_side]
    paired = [name for pair in zip(first, second, strict=False) for name in pair]
    both = min(len(first), len(second))
    return (*paired, *first[both:], *second[both:])


def movers(state: State, frame: EngagementFrame, declared: Mapping[str, Declaration]) -> tuple[str, ...]:
    """Return who sidesteps, in order: those who attacked first, then those who move first."""
    after = tuple(name for name, d in declared.items() if d.order == "attack_first")
    before = tuple(name for name, d in declared.items() if d.order == "move_first")
    return alternate(state, frame, after) + alternate(state, frame, before)


@enforces(HR_STANCE_AGI_5)
def plan_due(state: State, frame: EngagementFrame, names: Iterator[str]) -> tuple[Planned, ...]:
    """Return the exchanges of the creatures *names*; a mutual pair in reach meets once, in a contest."""
    declared = declarations(frame)
    planned: list[Planned] = []
    for name in names:
        for target in declared[name].targets:
            away = target != declared[name].target and target not in targets(
                state, frame, state.creatures[name]
            )
            if not away and not is_met(planned, name, target):
                planned.append(meeting(state, frame, name, target))
    return tuple(planned)


@enforces(HR_STANCE_AGI_2)
def may_sidestep(state: State, frame: EngagementFrame, name: str) -> bool:
    """Return whether creature *name* has a sidestep of the agility stance left and can take it."""
    creature = as_if_fast(state.creatures[name])
    if frame.sidestepped.count(name) >= sidesteps_of(state, creature) or not is_unbarred(
        state, creature, "sidestep"
    ):
        return False
    if not is_able(creature) or leaves_no_step(creature, speed(creature)):
        return False
    try:
        check_can_move(creature)
    except Refused:
        return False
    return bool(sidesteps(state, creature)) or creature.has("prone")


def as_if_fast(creature: Creature) -> Creature:
    """Return *creature*, with enough speed where only the GM knows it: the question discloses nothing."""
    if "speed" not in creature.gm_only:
        return creature
    return changed(creature, sheet=changed(creature.sheet, speed=FAST_FT))


class AgilityStep(PhaseRules):
    """The agility step: declarations, attacks made before moving, then the movers one by one."""

    phases = ("agility",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        if frame.stage == "declare":
            return tuple(
                frame.awaited(
                    state, "agility", name, "declare_agility", "declare_offensive", "decline_attack"
                )
                for name in undeclared(state, frame)
            )
        if frame.stage != "exchanges" or frame.exchanges or not frame.movers:
            return ()
        mover = frame.movers[0]
        if not frame.moved:
            if may_sidestep(state, frame, mover):
                return (frame.awaited(state, "sidestep", mover, "sidestep", "decline_sidestep"),)
            return ()
        if self._picks(state, frame, mover):
            return (frame.awaited(state, "agility", mover, *DECLARING),)
        return ()

    def _picks(self, state: State, frame: EngagementFrame, mover: str) -> bool:
        """Return whether a mover that has moved still has to pick whom it attacks."""
        part = frame.participants[mover]
        declared = declarations(frame)[mover]
        if (
            declared.order != "move_first"
            or part.attack in ("made", "forgone")
            or frame.picked
            or batched(state)
        ):
            return False
        if not takes_part(state, mover):
            return False
        found = targets(state, frame, state.creatures[mover])
        return bool(found) and declared.target not in found

    @enforces(HR_STANCE_AGI_1)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next part of the agility step: declarations, exchanges, moves, or its end."""
        if frame.stage == "declare":
            declared = declarations(frame)
            first = plan_due(state, frame, (name for name, d in declared.items() if d.order in FIRST))
            return (yield from reveal_targets(state, frame, first, movers(state, frame, declared)))
        if frame.stage == "exchanges" and frame.exchanges:
            return (yield from exchange(state, frame, frame.exchanges[0]))
        if frame.stage == "exchanges" and frame.movers:
            return (yield from self._mover(state, frame, frame.movers[0]))
        if frame.stage == "exchanges":
            due = due_of_movers(state, frame) if batched(state) else ()
            if due:
                return (yield AttackDue(engagement=frame.path, exchanges=due, because=AFTER_MOVING))
            return (yield from end_step(state, frame))
        return (yield from next_step(state, frame))

    def _mover(self, state: State, frame: EngagementFrame, mover: str) -> Emits[State]:
        if not frame.moved:
            return (
                yield SidestepDeclined(engagement=frame.path, creature=mover, because=("HR-STANCE-AGI-2",))
            )
        if mover in reaching(state, frame, (mover,)) and not batched(state):
            due = plan_due(state, frame, iter((mover,)))
            return (yield AttackDue(engagement=frame.path, exchanges=due, because=AFTER_MOVING))
        return (yield MoverDone(engagement=frame.path, creature=mover, because=("HR-STANCE-AGI-4", "A-15")))


AFTER_MOVING = ("HR-STANCE-AGI-5", "A-15")


def batched(state: State) -> bool:
    """Return whether all who move first move before any of them attacks."""
    return state.house.agility_2b == "batch"


def reaching(state: State, frame: EngagementFrame, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of *names* that moved first, have their attack left, and reach whom they declared."""
    declared = declarations(frame)
    return tuple(
        name
        for name in names
        if declared[name].order == "move_first"
        and frame.participants[name].attack == "declared"
        and declared[name].target in targets(state, frame, state.creatures[name])
    )


def due_of_movers(state: State, frame: EngagementFrame) -> tuple[Planned, ...]:
    """Return the attacks of all who moved first, once all of them have moved."""
    return plan_due(state, frame, iter(reaching(state, frame, tuple(declarations(frame)))))


# --- the might step ------------------------------------------------------------------------------------
# The last of the three, in which a thrown weapon may be followed by another.

HR_STANCE_MIG_1: Final = Rule(
    "HR-STANCE-MIG-1",
    "Might attacks last: one attack each, on a creature that is not in agility.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Might")),
)


class MightStep(PhaseRules):
    """The might step."""

    phases = ("might",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return awaited(state, frame) or declaring(state, frame)

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return bool(awaited(state, frame) or owing(state, frame))

    @enforces(HR_STANCE_MIG_1)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next part of the might step."""
        if frame.following is not None:
            return (yield from forgone(frame))
        return (yield from take_step(state, frame))
