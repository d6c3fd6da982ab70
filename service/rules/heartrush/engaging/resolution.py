"""Lead an engagement through its phases and steps: reveal, exchanges, what lands, and its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import gain
from service.rules.heartrush.body.lasting import without
from service.rules.heartrush.body.permission import answering_for, own, running, timing_of
from service.rules.heartrush.body.weapons import pushes, wielded
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.engaging.attacks import HR_RES_4, ExchangeBegun, land_first
from service.rules.heartrush.engaging.declaring import (
    Step,
    declarations,
    eligible,
    is_one_sided,
    is_settled,
    plan,
    stance_of,
    step_in_hand,
    targets_occasion,
    undeclared,
)
from service.rules.heartrush.engaging.offensive_actions import forgo
from service.rules.heartrush.engaging.stances import (
    ATTACKING,
    ChooseStance,
    can_choose,
    fill_helpless,
    reveal_stances,
)
from service.rules.heartrush.timing.engagement import (
    Declaration,
    EngagementFrame,
    Participant,
    Pending,
    PhaseRules,
    Planned,
    among,
)
from service.rules.heartrush.values import EngagementId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import AttackerId, CreatureId, Occasion, PromptId, TargetId
from service.rules.secrecy.choices import by_seats, to_open, to_seal

# --- the order of cunning attacks ----------------------------------------------------------------------
# Who of it rolls next.

TABLE_ORDER_1: Final = Rule(
    "TABLE-ORDER-1",
    "Cunning attacks come in any order: the side that was engaged says which of its own is rolled next.",
    (books.COMBAT.at("Cunning"), RULING),
)


@enforces(TABLE_ORDER_1)
def to_order(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return the attackers of which the engaged side may say who rolls next, none if there is no choice."""
    if frame.stage != "exchanges" or not frame.exchanges or state.house.cunning_order != "chosen":
        return ()
    mine = tuple(dict.fromkeys(one.attacker for one in frame.exchanges if _is_own(state, frame, one)))
    is_next = _is_own(state, frame, frame.exchanges[0])
    return mine if is_next and frame.leading not in mine and len(mine) > 1 else ()


def _is_own(state: State, frame: EngagementFrame, planned: Planned) -> bool:
    return state.creatures[planned.attacker].side == frame.targeted_side


@record
class AttackerChosen(Event[State]):
    """The side that was engaged lets this one of its attackers roll next."""

    type: ClassVar[str] = "attacker_chosen"
    engagement: EngagementId
    attacker: AttackerId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        mine = [planned for planned in frame.exchanges if _is_own(state, frame, planned)]
        turned = iter(sorted(mine, key=lambda planned: planned.attacker != self.attacker))
        order = tuple(
            next(turned) if _is_own(state, frame, planned) else planned for planned in frame.exchanges
        )
        return state.put(changed(frame, exchanges=order, leading=self.attacker))


@record
class AttackNext(Command[State]):
    """Say which attacker of the engaged side rolls next in the cunning step."""

    type: ClassVar[str] = "attack_next"
    sentence: ClassVar[str] = "Attack next: {attacker}"
    creature: CreatureId
    """Who is asked: the first of the side's attackers."""
    attacker: AttackerId
    prompt: PromptId

    def check(self, view: State) -> None:
        running(view)
        own(view, self, self.creature)
        answering_for(view, self, self.creature)
        frame = view.top_frame(EngagementFrame)
        if self.attacker not in to_order(view, frame):
            raise Refused("no_valid_target", f"{self.attacker} has no attack left to roll", "TABLE-ORDER-1")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (
            yield AttackerChosen(engagement=frame.path, attacker=self.attacker, because=("TABLE-ORDER-1",))
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, EngagementFrame):
            names = to_order(view, frame)
            yield Offer(
                type=cls.type, creature=awaited.creature, prompt=awaited.prompt, choices={"attacker": names}
            )


# --- steps ---------------------------------------------------------------------------------------------
# The reveal of targets, the exchanges, and what lands at a step's end. Within a step targets are declared
# before any die is thrown, so that mutual attacks are known; its attacks are simultaneous and see the
# creatures as the step began.

HR_RES_1: Final = Rule(
    "HR-RES-1",
    "Cunning attacks first, then agility, then might; a step with nobody in it is skipped.",
    (books.COMBAT.at("Resolution"), books.MECHANICS.at("Resolution of Attacks")),
)
HR_STANCE_MIG_2: Final = Rule(
    "HR-STANCE-MIG-2",
    "A might attack on a creature in cunning triggers the weapon's might bonus.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Might")),
)
HR_STANCE_CUN_2: Final = Rule(
    "HR-STANCE-CUN-2",
    "A cunning attack on agility adds up to two levels of dazed, off-balanced or weakened at step end.",
    books.COMBAT.at("Cunning"),
    settles=("A-34",),
)


DECLARING = ("declare_attack", "declare_offensive", "decline_attack")


@record
class StepStarted(Event[State]):
    """A step begins: these participants may act in it, and it sees everybody as they are now."""

    type: ClassVar[str] = "step_started"
    engagement: EngagementId
    step: Step
    eligible: tuple[CreatureId, ...]
    """The ids of the creatures that may act."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        participants = {
            name: changed(part, attack="none") if self._left_out(name, part) else part
            for name, part in frame.participants.items()
        }
        snapshot = {name: state.creatures[name] for name in participants}
        return frame.moved_to(state, self.step, participants=participants, snapshot=snapshot, leading=None)

    def _left_out(self, name: str, part: Participant) -> bool:
        return part.stance == self.step and name not in self.eligible


@record
class TargetsRevealed(Event[State]):
    """All declarations of a step are open, at once; the exchanges they lead to are known."""

    type: ClassVar[str] = "targets_revealed"
    engagement: EngagementId
    step: Step
    declarations: Mapping[CreatureId, Declaration]
    """What each will do in this step, by creature."""
    exchanges: tuple[Planned, ...]
    """The exchanges that are still to be rolled."""
    movers: tuple[CreatureId, ...]
    """The ids of the creatures that move."""
    occasion: Occasion

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        shown = {
            creature: {"declaration": declaration, "attack": "declared" if declaration.target else "declined"}
            for creature, declaration in self.declarations.items()
        }
        pending = tuple(_perks(self.declarations))
        return state.put(
            changed(
                frame,
                participants=among(frame, shown),
                stage="exchanges",
                exchanges=self.exchanges,
                movers=self.movers,
                pending=(*frame.pending, *pending),
            )
        )


def _perks(declarations: Mapping[str, Declaration]) -> Iterator[Pending]:
    for creature, declaration in declarations.items():
        for condition, levels in declaration.perk.items():
            if levels and declaration.target:
                yield Pending(
                    what="condition",
                    source=creature,
                    target=declaration.target,
                    condition=condition,
                    levels=levels,
                )


@record
class PushEarned(Event[State]):
    """A might attack won its melee weapon's bonus: a push, once all might attacks are done."""

    type: ClassVar[str] = "push_earned"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        push = Pending(what="push", source=self.creature, target=self.target)
        return state.put(changed(frame, pending=(*frame.pending, push)))


@record
class StepEnded(Event[State]):
    """A step is over; what it does beyond damage lands now."""

    type: ClassVar[str] = "step_ended"
    engagement: EngagementId
    step: Step

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        pushes = tuple(pending for pending in frame.pending if pending.what == "push")
        return state.put(changed(frame, stage="done", snapshot=EMPTY, movers=(), pending=pushes))


@record
class AttacksOver(Event[State]):
    """Everyone who can attack has done so or declined."""

    type: ClassVar[str] = "attacks_over"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        return state.frame(self.engagement, EngagementFrame).moved_to(state, "aftermath", snapshot=EMPTY)


@enforces(HR_RES_1)
def next_step(state: State, frame: EngagementFrame) -> Emits[State]:
    """Emit the start of the next step that has an attacker, or the end of all attacks.

    Once nobody left to act has an enemy to attack, no step comes any more.
    """
    done = ATTACKING.index(frame.phase) + 1 if frame.phase in ATTACKING else 0
    steps: tuple[Step, ...] = ("cunning", "agility", "might")
    able: dict[str, tuple[str, ...]] = {step: eligible(state, frame, step) for step in steps[done:]}
    for step in steps[done:]:
        if able[step] and not is_settled(state, frame, able):
            return (yield StepStarted(engagement=frame.path, step=step, eligible=able[step]))
    return (yield AttacksOver(engagement=frame.path, because=("HR-RES-6",)))


def reveal_targets(
    state: State,
    frame: EngagementFrame,
    exchanges: tuple[Planned, ...],
    movers: tuple[str, ...],
) -> Emits[State]:
    """Emit all declarations of the step in hand at once; who has left neither strikes nor is struck."""
    return (
        yield TargetsRevealed(
            engagement=frame.path,
            step=step_in_hand(frame),
            declarations=declarations(frame),
            exchanges=_without_those_gone(state, exchanges),
            movers=movers,
            occasion=targets_occasion(frame.path, frame.phase),
            because=("HR-RES-3", "A-13"),
        )
    )


def _without_those_gone(state: State, exchanges: tuple[Planned, ...]) -> tuple[Planned, ...]:
    there = {name for name, creature in state.creatures.items() if creature.status != "gone"}
    return tuple([one for one in exchanges if {one.attacker, one.defender} <= there])


@enforces(HR_RES_4)
def exchange(state: State, frame: EngagementFrame, planned: Planned) -> Emits[State]:
    """Emit the exchange of one planned attack, or the offensive action that replaces it."""
    declared = unsealed(frame.participants[planned.attacker].declaration)
    if declared is not None and declared.offensive is not None:
        return (yield from forgo(state, frame, planned.attacker, planned.defender, declared.offensive))
    stance = stance_of(frame, planned.attacker)
    against = stance_of(frame, planned.defender)
    bonus = planned.weapon is None and might_bonus(stance, against)
    if bonus and pushes(wielded(state.creatures[planned.attacker])):
        state = yield PushEarned(
            engagement=frame.path, creature=planned.attacker, target=planned.defender, because=("HR-WPN-6",)
        )
    return (
        yield ExchangeBegun(
            exchange=f"{frame.path}/{stance}/{planned.attacker}/{planned.defender}",
            attacker=planned.attacker,
            defender=planned.defender,
            stance=stance,
            how="contested" if planned.contested else "normal",
            might_bonus=bonus,
            defending_stance=against,
            engagement=frame.path,
            thrown=planned.weapon,
        )
    )


@enforces(HR_STANCE_MIG_2)
def might_bonus(stance: str, against: str) -> bool:
    """Return whether an attack in *stance* on a creature in *against* triggers the weapon's might bonus."""
    return stance == "might" and against == "cunning"


@enforces(HR_STANCE_CUN_2)
def land_perks(state: State, frame: EngagementFrame) -> Emits[State]:
    """Emit the conditions that cunning attacks on agility add at the end of their step."""
    for pending in frame.pending:
        hit = pending.source in frame.hits or not state.house.cunning_perk_needs_hit
        if pending.what == "condition" and hit:
            state = yield from gain(state, pending.target, pending.condition, pending.levels, pending.source)
    return state


def declaring(state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
    """Return the declarations owed in the cunning or the might step."""
    return tuple(frame.awaited(state, frame.phase, name, *DECLARING) for name in owing(state, frame))


def owing(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return who owes a declaration in the cunning or the might step."""
    return undeclared(state, frame) if frame.stage == "declare" and frame.snapshot else ()


def take_step(state: State, frame: EngagementFrame) -> Emits[State]:
    """Emit the next thing of such a step: the reveal, an exchange, its end, or the step after it."""
    if frame.stage == "declare":
        return (yield from reveal_targets(state, frame, plan(frame, declarations(frame)), ()))
    if frame.stage == "exchanges" and frame.exchanges:
        return (yield from exchange(state, frame, frame.exchanges[0]))
    if frame.stage == "exchanges":
        return (yield from end_step(state, frame))
    return (yield from next_step(state, frame))


class CunningStep(PhaseRules):
    """The cunning step, the first of the three; the side that was engaged orders its attacks."""

    phases = ("cunning",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        unordered = to_order(state, frame)
        if unordered:
            return (frame.awaited(state, "order", unordered[0], AttackNext.type),)
        return declaring(state, frame)

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return bool(owing(state, frame) or to_order(state, frame))

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        return (yield from take_step(state, frame))


def end_step(state: State, frame: EngagementFrame) -> Emits[State]:
    """Emit what lands at the end of a step, one thing at a time, and its end."""
    if frame.brought:
        return (yield from land_first(state, frame))
    state = yield from land_perks(state, frame)
    return (
        yield StepEnded(
            engagement=frame.path,
            step=step_in_hand(frame),
            because=("HR-RES-4",),
        )
    )


class Reveal(PhaseRules):
    """Stances are open: the moment before the first step."""

    phases = ("reveal",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        return (yield from next_step(state, frame))


# --- phases --------------------------------------------------------------------------------------------
# Priority goes back when the engagement ends.


@record
class EngagementEnded(Event[State]):
    """An engagement is over."""

    type: ClassVar[str] = "engagement_ended"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        if state.lasting:
            state = changed(state, lasting=without(state, "engagement"))
        return state.popped(self.engagement)


class Committing(PhaseRules):
    """Everybody who can chooses a stance; the others stand helpless."""

    phases = ("commit",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        answers = tuple(
            frame.awaited(state, "stance", name, ChooseStance.type) for name in self._choosing(state, frame)
        )
        return to_seal(state, answers) or to_open(state, answers) if by_seats(state) else answers

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return any(True for _ in self._choosing(state, frame))

    @staticmethod
    def _choosing(state: State, frame: EngagementFrame) -> Iterator[str]:
        if is_one_sided(state, frame):
            return
        for name, part in frame.participants.items():
            if part.stance is None and can_choose(state, name):
                yield name

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        helpless = next((name for name, part in frame.participants.items() if part.stance is None), None)
        if helpless is not None:
            return (yield from fill_helpless(state, frame, helpless))
        return (yield from reveal_stances(state, frame))


class Closing(PhaseRules):
    """Everything is done."""

    phases = ("closing",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        ended = EngagementEnded(engagement=frame.path)
        return (yield from timing_of(state).after_engagement(ended, frame.targeted_side))
