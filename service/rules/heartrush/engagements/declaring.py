"""Declare what a participant does in its step: attack, or decline; sealed until all have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Protocol

from service.rules.heartrush import books
from service.rules.heartrush.creatures.weapons import in_range
from service.rules.heartrush.engagements.perks import PERK_CHOICES, check_levels
from service.rules.heartrush.engagements.scene import (
    Declaration,
    EngagementFrame,
    Offensive,
    Planned,
    engagement_open,
    put,
)
from service.rules.heartrush.engagements.stances import ATTACKING
from service.rules.heartrush.engagements.targets import (
    Step,
    check_also,
    check_target,
    further,
    stance_of,
    step_in_hand,
    targets,
    targets_occasion,
)
from service.rules.heartrush.permission import acting, answering
from service.rules.heartrush.secrecy import sealed_to
from service.rules.heartrush.state import State
from service.rules.kernel.messages import (
    Actor,
    Awaited,
    Command,
    Emits,
    Event,
    Offer,
    Private,
    Refused,
    Scope,
)
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.sealed import unsealed

HR_STANCE_CUN_1: Final = Rule(
    "HR-STANCE-CUN-1",
    "Attack one participant that your stance may target, in your own step.",
    (books.COMBAT.at("Cunning"), books.MECHANICS.at("Engagements")),
)


@record
class DeclarationMade(Event[State]):
    """A participant has said what it does in this step; what that is stays sealed."""

    type: ClassVar[str] = "declaration_made"
    creature: str

    def evolve(self, state: State) -> State:
        return state


@record
class Declared(Event[State]):
    """What a participant does in this step; shown to its seat alone until all targets are revealed."""

    type: ClassVar[str] = "declared"
    engagement: str
    step: Step
    creature: str
    declaration: Declaration
    seat: str

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
    answering(view, command, late="no_valid_target" if part.attack == "none" else "prompt_gone")
    if not command.prompt.endswith(f"/{command.creature}"):
        raise Refused("not_your_prompt", f"{command.prompt} is not for {command.creature}", "TABLE-SEAT-1")
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
    """Tell a declaration: sealed to its seat where the house says so, with a trace for all."""
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
    creature: str
    target: str
    prompt: str
    perk: Mapping[str, int] = EMPTY
    also: tuple[str, ...] = ()

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
    engagement: str
    creature: str
    exchanges: tuple[Planned, ...]
    offensive: Offensive | None = None

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
        other.stance == frame.participants[name].stance
        and other.attack in ("unused", "declared")
        and other.declaration is not None
        and name in unsealed(other.declaration).targets
    )
    contested = mutual and in_range(state, state.creatures[target], state.creatures[name])
    return Planned(attacker=name, defender=target, contested=contested)


def attack_now(
    state: State,
    frame: EngagementFrame,
    creature: str,
    chosen: tuple[str, ...],
    offensive: Offensive | None = None,
) -> Emits[State]:
    """Tell whom a mover picks once it stands where it stands."""
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
class DeclineAttack(Command[State]):
    """Make no attack in this engagement."""

    type: ClassVar[str] = "decline_attack"
    creature: str
    prompt: str

    def scope(self, state: State) -> Scope | None:
        return sealed_declaration(state, self.by.seat)

    def check(self, view: State) -> None:
        check_step(view, self, None)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        if frame.movers:
            return (yield from attack_now(state, frame, self.creature, ()))
        return (yield from declare(state, self.by.seat, self.creature, Declaration(target=None)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)
