"""Engage the enemy: declare an engagement, let others join it, and hold it while it is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, afford_action, make_active
from service.rules.heartrush.body.permission import acting, answering_for, holding_priority, is_unbarred
from service.rules.heartrush.body.weapons import check_works, in_range, out_of_range
from service.rules.heartrush.body.wounds import falling
from service.rules.heartrush.creatures.abilities import Moment
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.timing.exposed import proactive
from service.rules.heartrush.timing.windows import (
    Deed,
    Interruptible,
    Said,
    declared,
    idle,
    is_answered,
    listens,
    moment,
)
from service.rules.heartrush.values import (
    BlastTargets,
    ComesFrom,
    DefenderId,
    EngagementId,
    InitiatorId,
    Perks,
)
from service.rules.kernel.families import Families
from service.rules.kernel.messages import Answering, Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, Sealed, changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Amount,
    AttackerId,
    Code,
    ConditionName,
    Count,
    CreatureId,
    Levels,
    PromptId,
    SideId,
    TargetId,
    WeaponId,
    Words,
)
from service.rules.rolls.chance import Chance

# --- the open engagement -------------------------------------------------------------------------------
# The frame is data; what happens in each phase lives in its chapter (`stances`, `resolution`,
# `agility_and_might`, `aftermath`) in a `PhaseRules` that names the phases it is for.

Phase = Literal[
    "join", "commit", "reveal", "cunning", "agility", "might", "aftermath", "offensive", "closing"
]
Attack = Literal["unused", "declared", "made", "forgone", "declined", "none"]
Order = Literal["attack_first", "move_first", "no_move"]


@record
class Offensive:
    """What is done instead of an attack, with everything it needs."""

    sentence: ClassVar[Sentence] = {
        "what=stunt": "a stunt ({text})",
        "": "to {what}[ ({way})][, so that it is {condition}]",
    }
    what: Annotated[Literal["grapple", "climb", "hinder", "stunt"], "Which offensive action it is."]
    ability: Literal["might", "agility"] = "might"
    """What the check is made with: might for a grapple, a choice for a climb."""
    way: Annotated[Literal["harm", "blind", "topple", "push"] | None, "How a hinder hinders."] = None
    condition: Literal["weakened", "off_balanced", "dazed"] | None = None
    """What a hinder that harms brings besides."""
    text: Annotated[Words, "What a stunt is."] = ""


@record
class Earned:
    """An offensive action that was won, and lands after all attacks."""

    creature: CreatureId
    target: TargetId
    offensive: Annotated[Offensive, "The offensive action."]


@record
class Declaration:
    """What a participant will do in its step."""

    sentence: ClassVar[Sentence] = {
        "target=None": "no attack[, {order}]",
        "offensive=None": "an attack on {target}[ and {also}][, with {perk}][, {order}]",
        "": "{offensive}, against {target}[, {order}]",
    }
    target: TargetId | None
    also: BlastTargets = ()
    perk: Perks = EMPTY
    order: Annotated[Order, "Whether it moves before or after its attack."] = "no_move"
    offensive: Annotated[Offensive | None, "What is done to the target instead of an attack."] = None

    @property
    def targets(self) -> tuple[str, ...]:
        """Everybody it is meant for, in order."""
        return () if self.target is None else (self.target, *self.also)


@record
class Participant:
    """One creature in an engagement."""

    entry: Annotated[Literal["initiated", "forced", "joined"], "How it came into the engagement."]
    stance: Annotated[Code | Sealed[Code] | None, "The stance."] = None
    declaration: Declaration | Sealed[Declaration] | None = None
    """What it will do in its step; null until it is declared."""
    attack: Annotated[Attack, "What has become of its attack."] = "unused"
    sidesteps_left: Annotated[Count, "How many sidesteps are left."] = 0


@record
class Pending:
    """Something that lands at the end of a step or after all attacks: levels of a condition, or a push."""

    what: Annotated[Literal["condition", "push"], "What waits: a condition or a push."]
    source: ComesFrom
    target: TargetId
    condition: ConditionName = ""
    levels: Levels = 0


@record
class Brought:
    """An effect of a cantrip's hit besides damage: a condition, a push or a drenching."""

    what: Annotated[Literal["condition", "shove", "drench"], "What it brings."]
    source: ComesFrom
    target: TargetId
    condition: ConditionName = ""
    amount: Annotated[Amount, "Levels of the condition, or feet of the push."] = 0


@record
class Planned:
    """An exchange of a step that is still to be rolled."""

    attacker: AttackerId
    defender: DefenderId
    contested: Annotated[bool, "Whether both roll."]
    weapon: WeaponId | None = None
    """The second weapon of a follow-up; null strikes with what is in hand."""


MOMENTS: Final[Mapping[str, Moment]] = MappingProxyType(
    {
        "commit": "joining_closed",
        "reveal": "stances_revealed",
        "cunning": "step_over",
        "agility": "step_over",
        "might": "step_over",
        "closing": "engagement_closing",
    }
)
"""The window each phase of an engagement opens: a step's when it is done, the others' before they go on."""


@record
class EngagementFrame(Interruptible):
    """One engagement, from its declaration to its end."""

    kind: ClassVar[str] = "engagement"
    initiator: InitiatorId
    first_target: Annotated[CreatureId, "The id of the creature that was engaged first."]
    targeted_side: Annotated[SideId, "The side that was engaged."]
    phase: Annotated[Phase, "The phase."] = "join"
    stage: Literal["declare", "exchanges", "movers", "done"] = "declare"
    """How far the step in hand has come."""
    participants: Annotated[Mapping[CreatureId, Participant], "Those that take part, by creature."] = EMPTY
    declined: Annotated[tuple[CreatureId, ...], "The ids of the creatures that declined to join."] = ()
    snapshot: Mapping[CreatureId, Creature] = EMPTY
    """The participants as the step began; empty between steps."""
    exchanges: Annotated[tuple[Planned, ...], "The exchanges that are still to be rolled."] = ()
    leading: Annotated[CreatureId | None, "Cunning: whom the side that was engaged lets roll next."] = None
    movers: Annotated[tuple[CreatureId, ...], "Agility: who moves next, in order; the first is at it."] = ()
    moved: Annotated[bool, "Agility: whether the mover at hand has used or declined its sidestep."] = False
    picked: Annotated[bool, "Agility: whether the mover at hand has chosen its target after moving."] = False
    pending: Annotated[tuple[Pending, ...], "What lands at the end of the step or after all attacks."] = ()
    brought: tuple[Brought, ...] = ()
    """What cantrips have brought in the step in hand; it lands at the step's end."""
    offensives: tuple[Earned, ...] = ()
    """The offensive actions that were won, and land after all attacks."""
    hits: Annotated[tuple[CreatureId, ...], "Who has done damage with an attack here."] = ()
    following: Planned | None = None
    """Might: the thrown attack that has just hit and lets another weapon follow."""
    sidestepped: tuple[CreatureId, ...] = ()
    """Who has taken a free sidestep of the agility stance, once for each."""

    def waits(self, state: State) -> bool:
        return self.moment_due(state) is None and phase_rules(state, self.phase).waits(state, self)

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.moment_due(state) is not None:
            return ()
        owed = phase_rules(state, self.phase).waiting(state, self)
        if not owed:
            return owed
        return owed + idle(state, self.path) + proactive(state, self.path) + falling(state, self.path, ())

    def moment_due(self, state: State) -> Moment | None:
        """Return the moment that comes now, if somebody could answer it with an instant."""
        if not listens(state):
            return None
        trigger = MOMENTS.get(self.phase)
        if trigger is None or (trigger == "step_over" and self.stage != "done"):
            return None
        return trigger if is_answered(state, self, trigger, self.about()) else None

    def about(self) -> Mapping[str, str | int]:
        """Return what a moment of this engagement is about."""
        return {"engagement": self.path, "phase": self.phase}

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        trigger = self.moment_due(state)
        if trigger is not None:
            return (yield from moment(self, trigger, self.about(), self.initiator))
        return (yield from phase_rules(state, self.phase).advance(state, self))

    def prompt_of(self, what: str, creature: str) -> str:
        """Return the prompt id of what *creature* owes here."""
        return f"{self.path}/{what}/{creature}"

    def awaited(self, state: State, what: str, creature: str, *accepts: str) -> Awaited:
        """Return the answer that *creature* owes here."""
        return Awaited(
            prompt=self.prompt_of(what, creature),
            seat=state.controller(creature),
            accepts=accepts,
            creature=creature,
        )

    def moved_to(self, state: State, phase: Phase, **changes: object) -> State:
        """Return the state with this engagement in another phase, its step begun afresh."""
        return state.put(changed(self, phase=phase, stage="declare", offered=(), **changes))


class PhaseRules:
    """What one phase of an engagement waits for, and how it goes on."""

    phases: ClassVar[tuple[Phase, ...]]

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        """Return the answers owed in this phase."""
        raise NotImplementedError

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        """Return whether `waiting` would name anybody; a phase with many answers says so more cheaply."""
        return bool(self.waiting(state, frame))

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next step of this phase."""
        raise NotImplementedError


def phase_rules(state: State, phase: Phase) -> PhaseRules:
    """Return the rules of *phase*: the `PhaseRules` of the ruleset that names it."""
    return _by_phase(state.families)[phase]


@cache
def _by_phase(families: Families) -> Mapping[Phase, PhaseRules]:
    return {phase: kind() for kind in families.listed(PhaseRules) for phase in kind.phases}


def engagement_open(state: State) -> EngagementFrame | None:
    """Return the engagement that is open, also while a window or something else is above it."""
    found = (frame for frame in state.stacks.table if isinstance(frame, EngagementFrame))
    return next(found, None)


def put(state: State, path: str, creature: str, /, **changes: object) -> State:
    """Return the state with fields of one participant changed."""
    frame = state.frame(path, EngagementFrame)
    return state.put(changed(frame, participants=among(frame, {creature: changes})))


def among(frame: EngagementFrame, changes: Mapping[str, Mapping[str, object]]) -> Mapping[str, Participant]:
    """Return the participants of *frame* with fields of some changed, by creature."""
    parts = frame.participants
    return {**parts, **{name: changed(parts[name], **fields) for name, fields in changes.items()}}


# --- declaring and joining -----------------------------------------------------------------------------
# Others may join until nobody wants to any more.

HR_ENG_3: Final = Rule(
    "HR-ENG-3",
    "From the declaration of an engagement until its end nobody has priority.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_1: Final = Rule(
    "HR-ENG-1",
    "The initiator names an enemy it could hit with the weapon in its hand; both are in the engagement.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ACT_5: Final = Rule(
    "HR-ACT-5",
    "A full action starts an engagement with an enemy in range; it is spent whatever comes of it.",
    books.COMBAT.at("Engage the Enemy"),
)
HR_ENG_2: Final = Rule(
    "HR-ENG-2",
    "The enemy that is named cannot refuse, and it spends no action.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_7: Final = Rule(
    "HR-ENG-7",
    "A round may have several engagements; a creature with an action left may start or join the next one.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_5: Final = Rule(
    "HR-ENG-5",
    "To join, a creature spends its action and has an enemy in the engagement within weapon range.",
    books.COMBAT.at("Engaging the Enemy"),
    settles=("A-40",),
)
HR_ENG_6: Final = Rule(
    "HR-ENG-6",
    "A creature that can pay, act and reach somebody may join, also if only a newcomer is in its reach.",
    RULING,
)
HR_ACT_12: Final = Rule(
    "HR-ACT-12",
    "Enter an engagement that has been declared but not begun: a full action, at instant speed.",
    books.COMBAT.at("Enter An Engagement"),
)
HR_ENG_4: Final = Rule(
    "HR-ENG-4",
    "Before stances are chosen all others may join, until nobody else wants to.",
    books.COMBAT.at("Engaging the Enemy"),
)


@enforces(HR_ENG_3)
@record
class EngagementDeclared(Event[State]):
    """An engagement is declared: its initiator and target are in it, and no side has priority."""

    type: ClassVar[str] = "engagement_declared"
    engagement: EngagementId
    initiator: InitiatorId
    target: TargetId

    def evolve(self, state: State) -> State:
        frame = EngagementFrame(
            path=self.engagement,
            initiator=self.initiator,
            first_target=self.target,
            targeted_side=state.creatures[self.target].side,
            participants={
                self.initiator: Participant(entry="initiated"),
                self.target: Participant(entry="forced"),
            },
        )
        state = changed(state, engagements=state.engagements + 1)
        return make_active(make_active(state, self.initiator), self.target).pushed(frame)


@enforces(HR_ENG_4)
@record
class EngagementJoined(Event[State]):
    """Another creature enters the engagement; those that declined are asked again."""

    type: ClassVar[str] = "engagement_joined"
    engagement: EngagementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        participants = with_key(frame.participants, self.creature, Participant(entry="joined"))
        return make_active(state, self.creature).put(changed(frame, participants=participants, declined=()))


@record
class JoinDeclined(Event[State]):
    """A creature stays out, unless somebody else joins."""

    type: ClassVar[str] = "join_declined"
    engagement: EngagementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, declined=(*frame.declined, self.creature)))


@record
class JoiningClosed(Event[State]):
    """Nobody else joins; stances are chosen next."""

    type: ClassVar[str] = "joining_closed"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        return state.frame(self.engagement, EngagementFrame).moved_to(state, "commit")


@enforces(HR_ENG_1)
def check_engage(view: State, creature: Creature, target: Creature | None) -> None:
    """Refuse to engage what is not an enemy, is dead, or is out of the range of the weapon in hand."""
    if target is None or target.side == creature.side:
        raise Refused(
            "target_not_enemy",
            f"{target.id if target else 'nobody'} is not an enemy of {creature.id}",
            HR_ENG_1.id,
        )
    if not target.is_present:
        raise Refused("target_dead", f"{target.id} is dead", HR_ENG_1.id)
    check_works(view, creature, target)
    if not in_range(view, creature, target):
        raise out_of_range(view, creature, target, "HR-ENG-1")


@enforces(HR_ACT_5)
@record
class Engage(Command[State]):
    """Start an engagement with an enemy in range: a full action, spent whatever follows."""

    type: ClassVar[str] = "engage"
    sentence: ClassVar[str] = "Engage {target}"
    creature: CreatureId
    target: TargetId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "engage")
        afford_action(creature)
        if self.target not in view.creatures:
            raise Refused("target_not_enemy", f"there is no creature {self.target}", "HR-ENG-1")
        check_engage(view, creature, view.creatures[self.target])

    def decide(self, state: State) -> Emits[State]:
        state = yield AbilityUsed(creature=self.creature, ability="engage", paid="action")
        return (yield from declared(state, EngageDeed(), self.creature, "action", Said(target=self.target)))

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does, now that its turn has come."""
        return (yield from declare(state, creature, said.target or ""))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        targets = tuple(
            other.id
            for other in view.creatures.values()
            if other.side != creature.side and other.is_present and in_range(view, creature, other)
        )
        if creature.action and targets:
            yield Offer(type=cls.type, creature=creature.id, choices={"target": targets})


@enforces(HR_ENG_2)
def declare(state: State, initiator: str, target: str) -> Emits[State]:
    """Emit the declaration of an engagement of *initiator* with *target*, who cannot refuse."""
    return (
        yield EngagementDeclared(
            engagement=next_path(state),
            initiator=initiator,
            target=target,
            because=("HR-ENG-1", "HR-ENG-2", "HR-ENG-3"),
        )
    )


@enforces(HR_ENG_7)
def next_path(state: State) -> str:
    """Return the path of the next engagement of this round."""
    return f"r{state.round}/e{state.engagements + 1}"


@enforces(HR_ENG_5)
def check_join(view: State, frame: EngagementFrame, creature: Creature) -> None:
    """Refuse a creature that has no action left, or no enemy of *frame* within its weapon's range."""
    afford_action(creature)
    if not _near(view, frame, creature):
        raise Refused(
            "not_in_range", f"no enemy of {creature.id} in {frame.path} is in its range", HR_ENG_5.id
        )


def _near(view: State, frame: EngagementFrame, creature: Creature) -> bool:
    anybody = view.house.join_requires == "any_participant_in_range"
    parts = (view.creatures[name] for name in frame.participants if view.creatures[name].is_present)
    return any((anybody or part.side != creature.side) and in_range(view, creature, part) for part in parts)


@enforces(HR_ENG_6)
def eligible(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return the creatures that may still join the engagement of *frame*."""
    return tuple(
        creature.id
        for creature in state.creatures.values()
        if creature.id not in frame.participants
        and creature.id not in frame.declined
        and is_able(creature)
        and creature.action > 0
        and is_unbarred(state, creature, "join_engagement")
        and _near(state, frame, creature)
    )


@enforces(HR_ACT_12)
@record
class JoinEngagement(Answering[State]):
    """Join an engagement that is declared and not begun: a full action, at instant speed."""

    type: ClassVar[str] = "join_engagement"
    sentence: ClassVar[str] = "Join the engagement"
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        frame = joinable(view, self.creature)
        check_join(view, frame, creature)
        answering_for(view, self, self.creature, late="join_window_closed")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        state = yield AbilityUsed(
            creature=self.creature, ability="join_engagement", paid="action", instant=True
        )
        return (yield EngagementJoined(engagement=frame.path, creature=self.creature))


@record
class DeclineJoin(Answering[State]):
    """Stay out of the engagement, until somebody else joins it."""

    type: ClassVar[str] = "decline_join"
    sentence: ClassVar[str] = "Stay out of the engagement"
    passes: ClassVar[bool] = True
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        joinable(view, self.creature)
        answering_for(view, self, self.creature, late="join_window_closed")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (yield JoinDeclined(engagement=frame.path, creature=self.creature, because=("HR-ENG-4",)))


def joinable(view: State, creature: str) -> EngagementFrame:
    """Return the engagement that can be joined now, or refuse."""
    frame = view.top
    if not isinstance(frame, EngagementFrame) or frame.phase != "join":
        raise Refused("join_window_closed", "no engagement can be joined now", "HR-ACT-12")
    if creature in frame.participants:
        raise Refused("already_in_engagement", f"{creature} takes part already", "HR-ENG-5")
    return frame


class Joining(PhaseRules):
    """Everybody else gets a chance to join, again and again, until no one wants to."""

    phases = ("join",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return tuple(
            frame.awaited(state, "join", name, JoinEngagement.type, DeclineJoin.type)
            for name in eligible(state, frame)
        )

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return bool(eligible(state, frame))

    @enforces(HR_ENG_4)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the end of joining, when no creature is left to be asked."""
        return (yield JoiningClosed(engagement=frame.path))


class EngageDeed(Deed):
    """What an engage does once nobody answers it any more."""

    name = "engage"

    def check(self, state: State, creature: Creature, said: Said) -> None:
        check_engage(state, creature, state.creatures.get(said.target or ""))

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Engage.done(state, creature, said))
