"""Declare what a participant does in its step: whom it may attack, with what, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, ClassVar, Final, Literal, Protocol, TypeAlias

from service.rules.heartrush import books
from service.rules.heartrush.body.answers import sealed_to
from service.rules.heartrush.body.permission import acting, answering_for
from service.rules.heartrush.body.weapons import (
    RULE,
    check_works,
    in_range,
    most_targets,
    out_of_range,
    wielded,
)
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.engaging.stances import ATTACKING, may_target
from service.rules.heartrush.timing.engagement import (
    Declaration,
    EngagementFrame,
    Offensive,
    Planned,
    engagement_open,
    put,
)
from service.rules.heartrush.values import EngagementId, Perks
from service.rules.kernel.messages import (
    Actor,
    Answering,
    Awaited,
    Command,
    Emits,
    Event,
    Noted,
    Offer,
    Private,
    Refused,
    Scope,
)
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import CreatureId, PromptId, SeatId, TargetId

# --- what a cunning attack may add ---------------------------------------------------------------------
# Up to two levels of three conditions.

PERKS: Final = ("dazed", "off_balanced", "weakened")
PERK_LIMIT: Final = 2

PERK_CHOICES: Final[tuple[Mapping[str, int], ...]] = (
    {},
    *({name: levels} for name in PERKS for levels in (1, 2)),
    *({a: 1, b: 1} for i, a in enumerate(PERKS) for b in PERKS[i + 1 :]),
)
"""Every way to spend the levels."""


def check_levels(perk: Mapping[str, int]) -> None:
    """Refuse other conditions, and more than two levels in all."""
    if any(name not in PERKS or levels < 0 for name, levels in perk.items()):
        raise Refused(
            "perk_not_available", "the perk is levels of dazed, off_balanced or weakened", "HR-STANCE-CUN-2"
        )
    if sum(perk.values()) > PERK_LIMIT:
        raise Refused("perk_over_limit", f"at most {PERK_LIMIT} levels in all", "HR-STANCE-CUN-2")


# --- who may attack whom -------------------------------------------------------------------------------

HR_RES_2: Final = Rule(
    "HR-RES-2",
    "A participant may attack one other participant that its stance may target and its weapon reaches.",
    books.COMBAT.at("Resolution"),
    settles=("A-67", "A-77"),
)
HR_RES_5: Final = Rule(
    "HR-RES-5",
    "Earlier steps count: a creature that was pushed out of reach, killed or knocked out does not attack.",
    books.COMBAT.at("Resolution"),
)
HR_RES_7: Final = Rule(
    "HR-RES-7",
    "Falling to zero takes nobody out of an engagement; only unconsciousness, death or a stun does.",
    RULING,
)
HR_RES_3: Final = Rule(
    "HR-RES-3",
    "Targets are declared before any dice of the step; two that chose each other meet in one contest.",
    (RULING, books.MECHANICS.at("Resolution of Attacks")),
    settles=("A-13",),
)
HR_ATK_5: Final = Rule(
    "HR-ATK-5",
    "A target of one's own stance that attacks somebody else, or nobody, simply defends.",
    (books.COMBAT.at("Resolution"), RULING),
)


Step: TypeAlias = Annotated[
    Literal["cunning", "agility", "might"], "The step of the engagement, by its stance."
]


def targets_occasion(path: str, step: str) -> str:
    """Return the occasion at which a step's declarations open."""
    return f"{path}/{step}/targets"


def step_in_hand(frame: EngagementFrame) -> Step:
    """Return the step the engagement is in."""
    assert frame.phase in ("cunning", "agility", "might"), frame.phase
    return frame.phase


def stance_of(frame: EngagementFrame, creature: str) -> str:
    """Return the revealed stance of a participant."""
    return unsealed(frame.participants[creature].stance) or "helpless"


@enforces(HR_RES_2)
def targets(
    state: State,
    frame: EngagementFrame,
    creature: Creature,
    *,
    anywhere: bool = False,
    weapon: Weapon | None = None,
) -> tuple[str, ...]:
    """Return the participants that *creature* may attack: by stance, side and range."""
    stance = stance_of(frame, creature.id)
    return tuple(
        name
        for name in frame.participants
        if name != creature.id
        and may_target(state, stance, stance_of(frame, name))
        and is_foe(state, creature, state.creatures[name])
        and state.creatures[name].is_present
        and (anywhere or in_range(state, creature, state.creatures[name], weapon))
    )


def is_foe(state: State, creature: Creature, other: Creature) -> bool:
    """Return whether *creature* may harm *other*: an enemy, or anybody if the house says so."""
    return state.house.friendly_fire or other.side != creature.side


def check_foe(state: State, creature: Creature, other: Creature) -> None:
    """Refuse to harm a creature of one's own side, where the house does not let friends be harmed."""
    if not is_foe(state, creature, other):
        raise Refused("no_valid_target", f"{other.id} is on the same side", "HR-RES-2")


def check_target(
    state: State, frame: EngagementFrame, creature: Creature, target: str, *, anywhere: bool
) -> None:
    """Refuse a target the step does not allow, with the reason that comes first."""
    other = state.creatures.get(target)
    if target not in frame.participants or other is None or target == creature.id:
        raise Refused("no_valid_target", f"{target} is not another participant of {frame.path}", "HR-RES-2")
    if not other.is_present:
        raise Refused("target_dead", f"{target} is dead", "HR-RES-2")
    stance, against = stance_of(frame, creature.id), stance_of(frame, target)
    if not may_target(state, stance, against):
        raise Refused("no_valid_target", f"{stance} may not attack {against}", "HR-STANCE-4")
    check_foe(state, creature, other)
    if anywhere:
        return  # the sidestep may lead near enough, or out of the water
    check_works(state, creature, other)
    if not in_range(state, creature, other):
        raise out_of_range(state, creature, other, "HR-RES-2")


@enforces(HR_RES_5)
def eligible(state: State, frame: EngagementFrame, step: str) -> tuple[str, ...]:
    """Return the participants that may still act in *step*, given what earlier steps did."""
    return tuple(
        name
        for name, part in frame.participants.items()
        if unsealed(part.stance) == step
        and takes_part(state, name)
        and (step == "agility" or targets(state, frame, state.creatures[name]))
    )


def is_one_sided(state: State, frame: EngagementFrame) -> bool:
    """Return whether all participants that are still present belong to one side."""
    present = (state.creatures[name] for name in frame.participants)
    return len({creature.side for creature in present if creature.is_present}) < 2


def is_settled(state: State, frame: EngagementFrame, able: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether no creature *able* to act in a later step has an enemy to attack in it."""
    return not any(_has_enemy(state, frame, name, step) for step, names in able.items() for name in names)


def _has_enemy(state: State, frame: EngagementFrame, name: str, step: str) -> bool:
    creature = state.creatures[name]
    if step == "agility":  # it may move first, and its free sidestep is worth something by itself
        others = (state.creatures[other] for other in frame.participants)
        return any(other.side != creature.side and other.is_present for other in others)
    return any(state.creatures[other].side != creature.side for other in targets(state, frame, creature))


@enforces(HR_RES_7)
def takes_part(state: State, name: str) -> bool:
    """Return whether creature *name* can still act in its engagement; it can at zero hit points."""
    return is_able_if_aware(state.creatures[name])


@enforces(HR_RES_3)
def plan(frame: EngagementFrame, declarations: Mapping[str, Declaration]) -> tuple[Planned, ...]:
    """Return the exchanges of a step by its *declarations*; two that chose each other meet in one contest."""
    planned: list[Planned] = []
    for creature in frame.participants:
        for target in declarations[creature].targets if creature in declarations else ():
            if is_met(planned, creature, target):
                continue
            contested = are_mutual(declarations, creature, target)
            planned.append(Planned(attacker=creature, defender=target, contested=contested))
    return tuple(planned)


def is_met(planned: Iterable[Planned], creature: str, target: str) -> bool:
    """Return whether the attack of *creature* on *target* is part of a contest that is planned already."""
    return any(p.contested and (p.attacker, p.defender) == (target, creature) for p in planned)


@enforces(HR_ATK_5)
def are_mutual(declarations: Mapping[str, Declaration], creature: str, target: str) -> bool:
    """Return whether *target* attacks *creature* too, by the *declarations* of a step."""
    other = declarations.get(target)
    return other is not None and creature in other.targets


def check_also(
    state: State,
    frame: EngagementFrame,
    creature: Creature,
    target: str | None,
    also: tuple[str, ...],
    *,
    anywhere: bool,
) -> None:
    """Refuse further targets that a blast does not strike: too many, one twice, or none that is valid."""
    if not also:
        return
    most = most_targets(creature, wielded(creature))
    struck = (target, *also)
    if (
        target is None
        or (most is not None and len(struck) > most)
        or len(dict.fromkeys(struck)) < len(struck)
    ):
        raise Refused("no_valid_target", f"{creature.id} strikes at most {most or 'each once'}", RULE)
    for name in also:
        check_target(state, frame, creature, name, anywhere=anywhere)


def further(creature: Creature, target: str, found: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return whom else a blast at *target* may strike: nobody, one of the others, or all it may at once."""
    most = most_targets(creature, wielded(creature))
    others = tuple(name for name in found if name != target)
    if most == 1 or not others:
        return ()
    alone = tuple((name,) for name in others)
    return ((), *alone) if most is not None or len(others) == 1 else ((), *alone, others)


def undeclared(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return who still owes a declaration in this step; nobody, once one side has left the engagement."""
    if is_one_sided(state, frame):
        return ()
    # Who had a target as the step began has one still, unless somebody was moved or fell since.
    looks = frame.phase != "agility" and _is_disturbed(state, frame)
    return tuple(
        name
        for name, part in frame.participants.items()
        if part.stance == frame.phase
        and part.attack == "unused"
        and part.declaration is None
        and takes_part(state, name)
        and (not looks or targets(state, frame, state.creatures[name]))
    )


def _is_disturbed(state: State, frame: EngagementFrame) -> bool:
    """Return whether a participant stands elsewhere than when the step began, or is not there any more."""
    return any(
        state.creatures[name].position != was.position or state.creatures[name].is_present != was.is_present
        for name, was in frame.snapshot.items()
    )


def declarations(frame: EngagementFrame) -> dict[str, Declaration]:
    """Return what the participants of the step in hand have declared, in their order."""
    found = {}
    for name, part in frame.participants.items():
        if part.stance == frame.phase and part.declaration is not None:
            found[name] = unsealed(part.declaration)
    return found


# --- declarations --------------------------------------------------------------------------------------
# Attack, or decline; sealed until all have.

HR_STANCE_CUN_1: Final = Rule(
    "HR-STANCE-CUN-1",
    "Attack one participant that your stance may target, in your own step.",
    (books.COMBAT.at("Cunning"), books.MECHANICS.at("Engagements")),
)


@record
class DeclarationMade(Noted[State]):
    """A participant has said what it does in this step; what that is stays sealed."""

    type: ClassVar[str] = "declaration_made"
    creature: CreatureId


@record
class Declared(Event[State]):
    """What a participant does in this step; shown to its seat alone until all targets are revealed."""

    type: ClassVar[str] = "declared"
    engagement: EngagementId
    step: Step
    creature: CreatureId
    declaration: Declaration
    """What it will do in its step; null until it is declared."""
    seat: SeatId

    def evolve(self, state: State) -> State:
        opens = targets_occasion(self.engagement, self.step)
        if state.house.target_declaration == "open":
            return put(state, self.engagement, self.creature, declaration=self.declaration)
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=opens, value=self.declaration)
        return put(state, self.engagement, self.creature, declaration=sealed)


class Declaring(Protocol):
    """What every command that declares something in a step has."""

    @property
    def type(self) -> str: ...
    @property
    def by(self) -> Actor: ...
    @property
    def creature(self) -> str: ...
    @property
    def prompt(self) -> str: ...


def check_step(view: State, command: Declaring, step: str | None) -> EngagementFrame:
    """Return the engagement whose step the command belongs to, or refuse."""
    acting(view, command, command.creature, allow=("surprised",))
    frame = view.top
    if not isinstance(frame, EngagementFrame) or command.creature not in frame.participants:
        raise Refused("not_in_engagement", f"{command.creature} is in no engagement", "HR-RES-2")
    part = frame.participants[command.creature]
    if part.attack in ("made", "forgone") or (part.declaration is not None and not frame.movers):
        raise Refused("attack_already_made", f"{command.creature} has declared already", "HR-RES-2")
    if frame.phase not in ATTACKING or frame.phase != part.stance:
        code = "stance_not_allowed" if part.stance in ("defensive", "helpless") else "not_your_step"
        raise Refused(code, f"{command.creature} does not act in this step", "HR-RES-2")
    if step == "attack" and frame.phase == "agility" and not frame.movers:
        raise Refused(
            "params_missing", "in agility, declare_agility also says when to move", "HR-STANCE-AGI-3"
        )
    if step == "agility" and frame.phase != "agility":
        raise Refused("not_agility_stance", f"{command.creature} is not in agility", "HR-STANCE-AGI-2")
    late = "no_valid_target" if part.attack == "none" else "prompt_gone"
    answering_for(view, command, command.creature, late=late)
    return frame


def check_perk(frame: EngagementFrame, creature: str, target: str, perk: Mapping[str, int]) -> None:
    """Refuse more than two levels, other conditions, or a perk where cunning does not meet agility."""
    check_levels(perk)
    if any(perk.values()) and (stance_of(frame, creature), stance_of(frame, target)) != (
        "cunning",
        "agility",
    ):
        raise Refused(
            "perk_not_available", "only a cunning attack on agility has this perk", "HR-STANCE-CUN-2"
        )


def sealed_declaration(state: State, by: str) -> Scope | None:
    """Return the scope a step's declarations are sealed in, unless the house plays with open targets."""
    frame = engagement_open(state)
    if frame is None or frame.stage != "declare" or frame.phase not in ATTACKING:
        return None
    if state.house.target_declaration == "open":
        return None
    return sealed_to(by, targets_occasion(frame.path, frame.phase))


def declare(state: State, by: str, creature: str, declaration: Declaration) -> Emits[State]:
    """Emit a declaration: sealed to its seat where the house says so, with a trace for all."""
    frame = state.top_frame(EngagementFrame)
    scope = sealed_declaration(state, by)
    state = yield DeclarationMade(creature=creature, because=("HR-RES-3", "A-13"))
    event = Declared(
        engagement=frame.path,
        step=step_in_hand(frame),
        creature=creature,
        declaration=declaration,
        seat=by,
        because=("HR-RES-3", "A-13"),
    )
    return (yield Private(scope=scope, event=event)) if scope else (yield event)


@enforces(HR_STANCE_CUN_1)
@record
class DeclareAttack(Command[State]):
    """Attack one participant that the stance may target, in the step of the stance.

    A cunning attack on a creature in agility may add up to two levels of conditions with `perk`. A blast may
    strike others with `also`; the perk is for the first.
    """

    type: ClassVar[str] = "declare_attack"
    sentence: ClassVar[str] = "Attack {target}[, and {also} too][, with {perk}]"
    creature: CreatureId
    target: TargetId
    prompt: PromptId
    perk: Perks = EMPTY
    also: tuple[CreatureId, ...] = ()
    """The ids of the creatures that a blast strikes besides."""

    def scope(self, state: State) -> Scope | None:
        return sealed_declaration(state, self.by.seat)

    def check(self, view: State) -> None:
        frame = check_step(view, self, "attack")
        check_target(view, frame, view.creatures[self.creature], self.target, anywhere=False)
        check_also(view, frame, view.creatures[self.creature], self.target, self.also, anywhere=False)
        check_perk(frame, self.creature, self.target, self.perk)

    def decide(self, state: State) -> Emits[State]:
        perk = {name: levels for name, levels in self.perk.items() if levels}
        frame = state.top_frame(EngagementFrame)
        if frame.movers:
            return (yield from attack_now(state, frame, self.creature, (self.target, *self.also)))
        declaration = Declaration(target=self.target, also=self.also, perk=perk)
        return (yield from declare(state, self.by.seat, self.creature, declaration))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if not isinstance(frame, EngagementFrame):
            return
        found = targets(view, frame, creature)
        plain = tuple(name for name in found if not _has_perk(frame, creature.id, name))
        perked = tuple(name for name in found if _has_perk(frame, creature.id, name))
        if plain:
            yield Offer(type=cls.type, creature=creature.id, prompt=awaited.prompt, choices={"target": plain})
        if perked:
            yield Offer(
                type=cls.type,
                creature=creature.id,
                prompt=awaited.prompt,
                choices={"target": perked, "perk": PERK_CHOICES},
            )
        for name in found:
            also = further(creature, name, found)
            if also:
                yield Offer(
                    type=cls.type,
                    creature=creature.id,
                    prompt=awaited.prompt,
                    given={"target": name},
                    choices={"also": also},
                )


def _has_perk(frame: EngagementFrame, creature: str, target: str) -> bool:
    return (stance_of(frame, creature), stance_of(frame, target)) == ("cunning", "agility")


@record
class AttackChosen(Event[State]):
    """A mover in agility picks its target after its sidestep."""

    type: ClassVar[str] = "attack_chosen"
    engagement: EngagementId
    creature: CreatureId
    exchanges: tuple[Planned, ...]
    """The exchanges that are still to be rolled."""
    offensive: Offensive | None = None
    """The offensive action; null for none."""

    def evolve(self, state: State) -> State:
        attack = "declared" if self.exchanges else "declined"
        part = state.frame(self.engagement, EngagementFrame).participants[self.creature]
        declaration = changed(unsealed(part.declaration), offensive=self.offensive)
        state = put(state, self.engagement, self.creature, attack=attack, declaration=declaration)
        return state.with_frame(self.engagement, EngagementFrame, exchanges=self.exchanges, picked=True)


def meeting(state: State, frame: EngagementFrame, name: str, target: str) -> Planned:
    """Return the exchange of *name* on *target*: contested if that one's own unused attack reaches back."""
    other = frame.participants[target]
    mutual = (
        is_slot_left(state, frame, target)
        and other.stance == frame.participants[name].stance
        and other.attack in ("unused", "declared")
        and other.declaration is not None
        and name in unsealed(other.declaration).targets
    )
    contested = mutual and in_range(state, state.creatures[target], state.creatures[name])
    return Planned(attacker=name, defender=target, contested=contested)


def is_slot_left(state: State, frame: EngagementFrame, name: str) -> bool:
    """Return whether the time at which *name* strikes in the step in hand is still to come.

    In agility each mover has a time of its own. When it is over its attack is lost, whatever it declared.
    """
    if frame.phase != "agility" or frame.stage == "declare":
        return True
    declared = unsealed(frame.participants[name].declaration)
    moves_first = declared is not None and declared.order == "move_first"
    return moves_first and (name in frame.movers or state.house.agility_2b == "batch")


def attack_now(
    state: State,
    frame: EngagementFrame,
    creature: str,
    chosen: tuple[str, ...],
    offensive: Offensive | None = None,
) -> Emits[State]:
    """Emit whom a mover picks once it stands where it stands."""
    planned = tuple(meeting(state, frame, creature, target) for target in chosen)
    return (
        yield AttackChosen(
            engagement=frame.path,
            creature=creature,
            exchanges=planned,
            offensive=offensive,
            because=("HR-STANCE-AGI-3", "A-16"),
        )
    )


@record
class DeclineAttack(Answering[State]):
    """Make no attack in this engagement."""

    type: ClassVar[str] = "decline_attack"
    sentence: ClassVar[str] = "Make no attack"
    passes: ClassVar[bool] = True
    creature: CreatureId
    prompt: PromptId

    def scope(self, state: State) -> Scope | None:
        return sealed_declaration(state, self.by.seat)

    def check(self, view: State) -> None:
        check_step(view, self, None)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        if frame.movers:
            return (yield from attack_now(state, frame, self.creature, ()))
        return (yield from declare(state, self.by.seat, self.creature, Declaration(target=None)))
