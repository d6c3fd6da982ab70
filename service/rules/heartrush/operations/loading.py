"""Check definitions of abilities and spells before a fight knows them: every fault with its place.

What the types say has been read by then; here is what they cannot say: tags in order, places that are named,
requirements and moments that fit together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from service.rules.heartrush.operations.operations import Contest, Do, Save
from service.rules.heartrush.sheets.abilities import (
    FREQUENCIES,
    ROLES,
    TIMINGS,
    Ability,
    Definition,
    Op,
    Param,
    Spell,
    Value,
    is_instant,
)

Fault = tuple[str, str]
"""A JSON pointer below the definition, and what is wrong there."""

PLACES = ("self", "held")
"""Creatures an operation may mean without a parameter or a moment."""


def faults(definition: Ability | Spell) -> Iterator[Fault]:
    """Yield everything that keeps *definition* from being an ability or a spell."""
    if isinstance(definition, Ability):
        yield from _tag_faults(definition)
        if definition.builds_on and definition.talent is None:
            yield "/builds_on", "only a talent builds on others"
    yield from _param_faults(definition)
    yield from _moment_faults(definition)
    for i, op in enumerate(definition.effects):
        yield from _op_faults(definition, op, f"/effects/{i}")
    if not definition.effects and not definition.always and not _is_for_people(definition):
        yield "/effects", "an ability does something: effects, or what always holds"


def _is_for_people(definition: Ability | Spell) -> bool:
    """Tell whether a definition is a noncombat talent: its text may be all there is to it."""
    return isinstance(definition, Ability) and definition.talent == "noncombat"


def _tag_faults(ability: Ability) -> Iterator[Fault]:
    if not ability.tags or ability.tags[0] not in FREQUENCIES:
        yield "/tags/0", "the first tag is the frequency: " + ", ".join(FREQUENCIES)
        return
    for i, tag in enumerate(ability.tags[1:], 1):
        if tag in FREQUENCIES:
            yield f"/tags/{i}", "a second frequency"
    timings = [tag for tag in ability.tags if tag in TIMINGS]
    if len(timings) > 1:
        yield "/tags", "more than one timing: " + ", ".join(timings)
    if ability.frequency == "passive":
        if timings or ability.full_action:
            yield "/tags", "a passive ability has neither timing nor action"
        if ability.effects or ability.params:
            yield "/effects", "a passive ability says what always holds and is not used"
    elif ability.always:
        yield "/always", "only a passive ability always holds"
    if ability.rush_extra and ability.frequency != "major":
        yield "/rush_extra", "only a major ability takes extra rush"


def _param_faults(definition: Definition) -> Iterator[Fault]:
    names: list[str] = []
    for i, param in enumerate(definition.params):
        at = f"/params/{i}"
        if param.name in names or not param.name.isidentifier() or param.name == "rush":
            yield f"{at}/name", "a name of its own, of letters, and not rush"
        names.append(param.name)
        if param.kind == "choice" and not param.choices:
            yield f"{at}/choices", "what there is to choose"
        if param.kind == "number" and param.least > param.most:
            yield f"{at}/most", "at least as much as least"
        if any(key not in names[:-1] for key in param.when):
            yield f"{at}/when", "a choice that was said before it"
        if param.within_ft is not None and not 0 < param.within_ft <= 1000:
            yield f"{at}/within_ft", "from 1 to 1000"


def _moment_faults(definition: Ability | Spell) -> Iterator[Fault]:
    if definition.trigger and not is_instant(definition):
        yield "/trigger", "only an instant answers a moment"
    for i, trigger in enumerate(definition.trigger):
        if trigger in ("any", "moves", "stands", "trip"):
            yield f"/trigger/{i}", "a moment that abilities answer"


def _op_faults(definition: Ability | Spell, op: Op[Any], at: str) -> Iterator[Fault]:
    params = {param.name: param for param in definition.params}
    if isinstance(op, Contest):
        if not op.answered_with:
            yield f"{at}/answered_with", "the abilities it may be contested with"
        yield from _who_faults(definition, op.against, f"{at}/against")
    if isinstance(op, Save):
        yield from _who_faults(definition, op.who, f"{at}/who")
    if not isinstance(op, Do):
        return
    for name, value in op.when.items():
        if name not in params or value not in params[name].choices:
            yield f"{at}/when/{name}", "a choice that is a parameter, and one of its values"
    if op.if_won and not any(isinstance(other, Contest) for other in definition.effects):
        yield f"{at}/if_won", "there is no contest to win"
    yield from _place_faults(definition, op.effect, params, f"{at}/effect")


def _place_faults(
    definition: Ability | Spell, value: Value, params: Mapping[str, Param], at: str
) -> Iterator[Fault]:
    """Yield the open places of a record that nothing fills."""
    for field in fields(value):
        held = getattr(value, field.name)
        if field.name == "creature":
            yield from _who_faults(definition, held, f"{at}/creature")
        elif hasattr(held, "__dataclass_fields__"):
            yield from _place_faults(definition, held, params, f"{at}/{field.name}")
        else:
            for item in held if isinstance(held, tuple) else (held,):
                if isinstance(item, str) and item.startswith("$") and item[1:] not in (*params, "rush"):
                    yield f"{at}/{field.name}", f"there is no parameter {item[1:]}"


def _who_faults(definition: Ability | Spell, who: str, at: str) -> Iterator[Fault]:
    if who in PLACES or (who == "failed" and any(isinstance(op, Save) for op in definition.effects)):
        return
    if who in ROLES:
        if not definition.trigger or any(moment not in ROLES[who] for moment in definition.trigger):
            yield at, f"not every moment it answers has a {who}"
        return
    names = tuple(f"${param.name}" for param in definition.params if param.kind in ("creature", "creatures"))
    if who not in names:
        yield at, "self, held, a role of the moment, or $ and a parameter that names creatures"
