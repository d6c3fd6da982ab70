"""Say who may attack whom in a step, and how declared attacks meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.cantrips import RULE, most_targets
from service.rules.heartrush.creatures.weapons import check_works, in_range, out_of_range, wielded
from service.rules.heartrush.engagements.scene import (
    Declaration,
    EngagementFrame,
    Planned,
)
from service.rules.heartrush.engagements.stances import may_target
from service.rules.heartrush.sheets.sheet import Weapon
from service.rules.heartrush.state import Creature, State, is_able_if_aware
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed

HR_RES_2: Final = Rule(
    "HR-RES-2",
    "A participant may attack one other participant that its stance may target and its weapon reaches.",
    books.COMBAT.at("Resolution"),
    settles=("A-67", "A-77"),
)
HR_RES_5: Final = Rule(
    "HR-RES-5",
    "What earlier steps did counts: who was pushed out of reach, killed or knocked out attacks no more.",
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


Step = Literal["cunning", "agility", "might"]


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
        and (state.house.friendly_fire or state.creatures[name].side != creature.side)
        and state.creatures[name].is_present
        and (anywhere or in_range(state, creature, state.creatures[name], weapon))
    )


def check_target(
    state: State, frame: EngagementFrame, creature: Creature, target: str, *, anywhere: bool
) -> None:
    """Refuse a target the step does not allow, with the reason that comes first."""
    other = state.creatures.get(target)
    if target not in frame.participants or other is None or target == creature.id:
        raise Refused("no_valid_target", f"{target} is no other participant of {frame.path}", "HR-RES-2")
    if not other.is_present:
        raise Refused("target_dead", f"{target} is dead", "HR-RES-2")
    stance, against = stance_of(frame, creature.id), stance_of(frame, target)
    if not may_target(state, stance, against):
        raise Refused("no_valid_target", f"{stance} may not attack {against}", "HR-STANCE-4")
    if not state.house.friendly_fire and other.side == creature.side:
        raise Refused("no_valid_target", f"{target} is on the same side", "HR-RES-2")
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
    """Tell whether creature *name* can still act in its engagement; zero hit points alone do not stop it."""
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
    """Tell whether the attack of *creature* on *target* is part of a contest that is planned already."""
    return any(p.contested and (p.attacker, p.defender) == (target, creature) for p in planned)


@enforces(HR_ATK_5)
def are_mutual(declarations: Mapping[str, Declaration], creature: str, target: str) -> bool:
    """Tell whether *target* attacks *creature* too, by the *declarations* of a step."""
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
    """Return who still owes a declaration in this step."""
    return tuple(
        name
        for name, part in frame.participants.items()
        if part.stance == frame.phase
        and part.attack == "unused"
        and part.declaration is None
        and takes_part(state, name)
    )


def declarations(frame: EngagementFrame) -> dict[str, Declaration]:
    """Return what the participants of the step in hand have declared, in their order."""
    found = {}
    for name, part in frame.participants.items():
        if part.stance == frame.phase and part.declaration is not None:
            found[name] = unsealed(part.declaration)
    return found
