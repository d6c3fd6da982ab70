"""Tell who gives an opening: as it moves, or without any trigger because it cannot defend itself."""

from __future__ import annotations

from typing import Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.lasting import strikes_free
from service.rules.heartrush.creatures.weapons import in_range
from service.rules.heartrush.means.actions import can_answer
from service.rules.heartrush.permission import is_unbarred
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited
from service.rules.kernel.rulebook import Rule, enforces

HR_START_8: Final = Rule(
    "HR-START-8",
    "The hidden may strike before and in combat, and anybody at the surprised and the incapacitated.",
    books.BASICS.at("Hiding"),
    settles=("A-09",),
)
HR_HIDE_2: Final = Rule(
    "HR-HIDE-2",
    "While hidden, a creature may strike at those it is hidden from, and then is hidden no more.",
    books.BASICS.at("Hiding"),
)
HR_OA_2: Final = Rule(
    "HR-OA-2",
    "The incapacitated may be struck at any time; the stunned and unconscious once the GM has ruled so.",
    (books.CONDITIONS.at("Incapacitated"), books.COMBAT),
)


Trigger = Literal["moves", "stands", "trip", "step_taken"]
"""What a creature does as it moves that gives others an opening."""


def proactive(state: State, path: str) -> tuple[Awaited, ...]:
    """Return who may strike without any trigger: at the surprised, at the incapacitated, or from hiding."""
    if not any(is_open_to_some(creature) for creature in state.creatures.values()):
        return ()
    return tuple(
        Awaited(
            prompt=f"{path}/{creature.id}/strike",
            seat=state.controller(creature.id),
            accepts=("opportunity_attack",),
            creature=creature.id,
            optional=True,
        )
        for creature in state.creatures.values()
        if (can_answer(creature) or strikes_free(state, creature))
        and is_unbarred(state, creature, "opportunity_attack")
        and open_targets(state, creature)
    )


def is_open_to_some(creature: Creature) -> bool:
    """Tell whether *creature* might strike, or be struck at, without any trigger."""
    return creature.surprised or bool(creature.hidden_from) or is_defenceless(creature)


@enforces(HR_START_8)
def open_targets(state: State, creature: Creature) -> tuple[str, ...]:
    """Return the enemies in range that *creature* may strike without an engagement."""
    return tuple(
        other.id
        for other in state.creatures.values()
        if other.side != creature.side
        and other.is_present
        and gives_opening(creature, other)
        and in_range(state, creature, other)
    )


def gives_opening(creature: Creature, target: Creature) -> bool:
    """Tell whether *creature* may strike at *target* without any trigger."""
    return target.surprised or is_defenceless(target) or is_hidden_from(creature, target)


@enforces(HR_HIDE_2)
def is_hidden_from(creature: Creature, target: Creature) -> bool:
    """Tell whether *creature* is hidden from *target*, and may strike at it."""
    return target.id in creature.hidden_from


@enforces(HR_OA_2)
def is_defenceless(target: Creature) -> bool:
    """Tell whether *target* may be struck at any time: incapacitated, or exposed by a ruling."""
    return target.has("incapacitated") or target.exposed
