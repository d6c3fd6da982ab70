"""Say whom a moment asks: those who could answer it with what is on their sheets, or by the house everybody.

A moment nobody could answer opens no window, so one that opens shows that somebody could; a house that minds
asks everybody who is able, every time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.means.charges import can_afford, in_combat
from service.rules.heartrush.operations.saying import ways
from service.rules.heartrush.permission import is_unbarred
from service.rules.heartrush.sheets.abilities import Ability, Moment, Spell, Use, is_instant
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.kernel.rulebook import RULING, Rule, enforces

TABLE_WINDOW_1: Final = Rule(
    "TABLE-WINDOW-1",
    "A window asks who could answer; by the house it opens always, and asks everybody who is able.",
    RULING,
)
HR_TIME_4: Final = Rule(
    "HR-TIME-4",
    "An instant is used at any moment: in others' actions, between dice and results, in engagements.",
    (books.COMBAT.at("Instant Actions"), books.BASICS.at("Instant Timing")),
)


@enforces(TABLE_WINDOW_1)
def asks_all(state: State) -> bool:
    """Tell whether windows ask everybody who is able, and not only those who could answer."""
    return state.house.windows == "all"


def listens(state: State) -> bool:
    """Tell whether moments open windows at all: combat runs, and there are abilities or all are asked."""
    return in_combat(state) and (bool(state.abilities) or asks_all(state))


def listens_for(state: State, trigger: Moment) -> bool:
    """Tell whether a moment may open a window at all: an ability answers it, or all are asked."""
    return listens(state) and (asks_all(state) or any(trigger in d.trigger for d in state.abilities.values()))


def is_worth_asking(state: State, trigger: Moment, about: Mapping[str, str | int]) -> bool:
    """Tell whether a moment asks anybody."""
    if asks_all(state):
        return any(is_able(creature) for creature in state.creatures.values())
    return any(answers(state, creature, trigger, about) for creature in state.creatures.values())


def answers(
    state: State, creature: Creature, trigger: Moment, about: Mapping[str, str | int]
) -> tuple[str, ...]:
    """Return the commands with which *creature* could answer a moment with what is on its sheet."""
    if not creature.sheet.abilities and not creature.sheet.growth.spells:
        return ()
    if not is_able(creature):
        return ()
    found = {
        "cast" if isinstance(definition, Spell) else "declare_instant"
        for definition in usable(state, creature, trigger, about)
    }
    return tuple(name for name in sorted(found) if is_unbarred(state, creature, name))


@enforces(HR_TIME_4)
def usable(
    state: State, creature: Creature, trigger: Moment, about: Mapping[str, str | int]
) -> Iterator[Ability | Spell]:
    """Yield the instant abilities and spells that *creature* could use at the moment *trigger*."""
    for name in known(creature):
        definition = state.abilities.get(name)
        if definition is None or not is_instant(definition):
            continue
        if definition.trigger and trigger not in definition.trigger:
            continue
        if not can_afford(state, creature, definition) or not in_combat(state):
            continue
        use = Use(path="", creature=creature.id, ability=name, moment=trigger, about=about)
        if any(requirement.lacking(state, use) for requirement in definition.requires):
            continue
        if any(True for _ in ways(state, creature, definition)):
            yield definition


def known(creature: Creature) -> tuple[str, ...]:
    """Return the abilities and spells on a creature's sheet."""
    return creature.sheet.abilities + creature.sheet.growth.spells
