"""Check what is said when an ability is announced, and find out whom its operations mean.

Everything must be said at once and is fixed from then on; nothing is asked for later that could have been
said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from service.rules.heartrush import books
from service.rules.heartrush.sheets.abilities import ROLES, Ability, Param, Spell, Use, Value
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import Rule, enforces

HR_ABIL_8: Final = Rule(
    "HR-ABIL-8",
    "How an ability is used, on whom and how much, is said when it is announced.",
    books.BASICS.at("Timing Tags"),
)


STANCES: Final = ("might", "agility", "cunning")
ABILITIES: Final = ("might", "agility", "cunning", "presence")
OFFERED: Final = 60
"""Ways to use an ability that are listed as offers; more exist where several creatures may be named."""
SAID_LENGTH: Final = 280


@enforces(HR_ABIL_8)
def check_params(
    view: State, creature: Creature, definition: Ability | Spell, params: Mapping[str, Any]
) -> None:
    """Refuse parameters of an ability that are unknown, missing, or not among its choices."""
    known = {param.name: param for param in definition.params}
    for name in params:
        if name not in known:
            raise Refused("params_missing", f"{definition.id} has no parameter {name}")
    for name, param in known.items():
        needed = all(params.get(key) == value for key, value in param.when.items())
        if name not in params:
            if param.optional or not needed:
                continue
            raise Refused("params_missing", f"{definition.id} needs {name}")
        if not needed:
            raise Refused("params_missing", f"{definition.id} takes no {name} for that")
        _check(view, creature, param, params[name])


def _check(view: State, creature: Creature, param: Param, value: Value) -> None:
    if param.kind == "creature":
        _check_creature(view, creature, param, value)
    elif param.kind == "creatures":
        if not isinstance(value, tuple) or not param.least <= len(dict.fromkeys(value)) == len(value):
            raise Refused("params_missing", f"{param.name} is a list of at least {param.least}, each once")
        for one in value:
            _check_creature(view, creature, param, one)
    elif not _fits(creature, param, value):
        raise Refused("params_missing", f"{param.name} is {_expected(creature, param)}")


def _fits(creature: Creature, param: Param, value: Value) -> bool:
    if param.kind == "number":
        return type(value) is int and param.least <= value <= param.most
    if param.kind == "cell":
        return isinstance(value, tuple) and [type(part) for part in value] == [int, int]
    if param.kind == "text":
        return isinstance(value, str) and 0 < len(value) <= SAID_LENGTH
    return value in listed(creature, param)


def _expected(creature: Creature, param: Param) -> str:
    if param.kind == "number":
        return f"a number from {param.least} to {param.most}"
    if param.kind == "cell":
        return "a cell"
    if param.kind == "text":
        return f"1 to {SAID_LENGTH} characters"
    return "one of " + ", ".join(listed(creature, param))


def _check_creature(view: State, creature: Creature, param: Param, value: Value) -> None:
    target = view.creatures.get(value) if isinstance(value, str) else None
    if target is None:
        raise Refused("params_missing", f"{param.name} names no creature")
    if not target.is_present:
        raise Refused("target_dead", f"{value} is dead", "HR-ABIL-8")
    if not _is_of_side(creature, target, param.side):
        code = "target_not_enemy" if param.side == "enemy" else "no_valid_target"
        raise Refused(code, f"{value} is not {param.side}", "HR-ABIL-8")
    if param.within_ft is not None and view.distance(creature, target) > param.within_ft:
        raise Refused("not_in_range", f"{value} is not within {param.within_ft} ft", "HR-ABIL-8")
    if param.engaged and value not in participants(view):
        raise Refused("not_in_engagement", f"{value} is in no engagement", "HR-ABIL-8")


def _is_of_side(creature: Creature, target: Creature, side: str) -> bool:
    if side == "enemy":
        return target.side != creature.side
    if side == "ally":
        return target.side == creature.side
    return side == "any" or target.id != creature.id


def participants(state: State) -> tuple[str, ...]:
    """Return who is in the open engagement."""
    frame: Any = next((frame for frame in state.stacks.table if frame.kind == "engagement"), None)
    return tuple(frame.participants) if frame else ()


def allowed(view: State, creature: Creature, param: Param) -> tuple[str, ...]:
    """Return the creatures a parameter may name."""
    found = []
    for name in view.creatures:
        try:
            _check_creature(view, creature, param, name)
        except Refused:
            continue
        found.append(name)
    return tuple(found)


def listed(creature: Creature, param: Param) -> tuple[str, ...]:
    """Return the words a parameter may hold, where they can be listed."""
    if param.kind == "stance":
        return STANCES
    if param.kind == "ability":
        return ABILITIES
    if param.kind == "condition":
        return tuple(creature.conditions)
    return param.choices


def ways(view: State, creature: Creature, definition: Ability | Spell) -> Iterator[Mapping[str, Any]]:
    """Yield ways to say how *definition* is used: every value of what can be listed, one of what cannot."""
    yield from islice(_said(view, creature, definition.params, {}), OFFERED)


def _said(
    view: State, creature: Creature, params: tuple[Param, ...], said: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the ways to say *params* after what was *said*: the first of them, then the others."""
    if not params:
        yield said
        return
    param, rest = params[0], params[1:]
    if param.optional or any(said.get(key) != value for key, value in param.when.items()):
        yield from _said(view, creature, rest, said)
        return
    for value in _values(view, creature, param):
        yield from _said(view, creature, rest, {**said, param.name: value})


def _values(view: State, creature: Creature, param: Param) -> Iterator[Any]:
    if param.kind == "creature":
        yield from allowed(view, creature, param)
    elif param.kind == "creatures":
        found = allowed(view, creature, param)
        if len(found) >= max(1, param.least):
            yield found
        if len(found) > 1 and param.least <= 1:
            yield from ((one,) for one in found)
    elif param.kind == "number":
        yield from range(param.least, param.most + 1)
    elif param.kind == "cell":
        x, y = creature.position
        yield from ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    elif param.kind == "text":
        yield "as I say"
    else:
        yield from listed(creature, param)


def whom(state: State, use: Use, who: str) -> tuple[str, ...]:
    """Return the creatures an operation is about, the dead left out."""
    return tuple(name for name in _named(state, use, who) if state.creatures[name].is_present)


def _named(state: State, use: Use, who: str) -> tuple[str, ...]:
    if who == "self":
        return (use.creature,)
    if who == "held":
        return held_by(state, use.creature)
    if who in ROLES:
        found = use.about.get(who)
        return (str(found),) if found is not None else ()
    value = use.params.get(who.removeprefix("$"))
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def held_by(state: State, creature: str) -> tuple[str, ...]:
    """Return whom *creature* holds in a grapple."""
    return tuple(
        other.id
        for other in state.creatures.values()
        if (found := other.conditions.get("grappled")) is not None and found.source == creature
    )
