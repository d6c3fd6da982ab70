"""Show the creatures of Rise as tokens.

While groups act apart, a creature is shown as its own group's world has it, if the reader may read that
world. Any other creature is shown as the reader's only world has it, and as the table has it for a reader of
several worlds or of none.
"""

from __future__ import annotations

from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.rise.creatures.creature import Creature, is_unconscious
from service.rules.rise.creatures.entries import creature_of
from service.rules.rise.state import State
from service.rules.table.short_view import CreatureToken, ShownCondition, TokenStatus, legible


def tokens(view: State) -> tuple[CreatureToken, ...]:
    """Return every creature of a seat's *view*, each once, those that are hidden last."""
    hidden = (unsealed(entry) for entry in view.hidden_creatures.values() if not is_closed(entry))
    return (
        *(_token(_shown(view, name)) for name in view.creatures),
        *(changed(_token(creature_of(entry)), hidden=True) for entry in hidden),
    )


def _shown(view: State, name: str) -> Creature:
    """Return the creature *name* as the world has it that shows it."""
    apart, group = view.apart, view.group_of(name)
    place = group if group in apart else apart[0] if len(apart) == 1 else None
    world = view if place is None else view.at(place)
    return world.creatures.get(name, view.creatures[name])


def _token(creature: Creature) -> CreatureToken:
    sheet = creature.sheet
    names = dict.fromkeys(condition.name for condition in creature.conditions)
    return CreatureToken(
        id=sheet.id,
        name=sheet.name,
        side=sheet.side,
        kind=sheet.kind,
        size=sheet.size,
        space=creature.space,
        position=creature.position,
        height_ft=creature.altitude,
        status=_status(creature),
        hp=legible(creature, "hp"),
        hp_max=legible(sheet, "hp_max"),
        conditions=tuple(ShownCondition(name=name) for name in names),
    )


def _status(creature: Creature) -> TokenStatus:
    if creature.dead:
        return "dead"
    if creature.defeated:
        return "gone"
    return "down" if creature.down or is_unconscious(creature) else "active"
