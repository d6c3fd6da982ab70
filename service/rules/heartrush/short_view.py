"""Show the creatures of Heart Rush as tokens."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.entries import creature_of
from service.rules.heartrush.sheets.sheet import side_of
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.table.short_view import CreatureToken, ShownCondition, TokenStatus, legible

_STATUS: Final[dict[str, TokenStatus]] = {
    "active": "active",
    "unconscious": "down",
    "dead": "dead",
    "gone": "gone",
}


def tokens(view: State) -> tuple[CreatureToken, ...]:
    """Return every creature of a seat's *view*, those that are hidden last."""
    hidden = (unsealed(entry) for entry in view.hidden_creatures.values() if not is_closed(entry))
    return (
        *(_token(creature) for creature in view.creatures.values()),
        *(changed(_token(creature_of(entry)), hidden=True) for entry in hidden),
    )


def _token(creature: Creature) -> CreatureToken:
    sheet = creature.sheet
    return CreatureToken(
        id=sheet.id,
        name=sheet.name,
        side=sheet.side,
        kind=sheet.kind,
        size=sheet.size,
        space=side_of(sheet.size),
        position=creature.position,
        height_ft=0,
        status=_STATUS[creature.status],
        hp=legible(creature, "hp"),
        hp_max=legible(sheet, "hp_max"),
        conditions=tuple(
            ShownCondition(name=name, level=condition.level)
            for name, condition in creature.conditions.items()
        ),
    )
