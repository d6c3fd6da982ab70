"""List what abilities may do: carry effects out, meet in a contest, or wait for the GM's word.

An operation is data with places left open (`$target`, `self`, `hurt`); when its turn comes the places are
filled from what was said, and the effects go the way all effects go (`effects.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

from service.rules.heartrush.operations.effects import Effect, EffectsBegun
from service.rules.heartrush.operations.saying import whom
from service.rules.heartrush.sheets.abilities import Op, Use, Value
from service.rules.heartrush.sheets.sheet import Ability
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.rolls.chance import Chance


@record
class Do(Op[State]):
    """Carry out an effect, once for each creature it is about."""

    kind: ClassVar[str] = "do"
    effect: Effect
    when: Mapping[str, str] = EMPTY
    """Parameters that must have been said so for this to happen."""
    if_won: bool = False
    """Only after a contest that the user has won."""

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        order = concrete(state, self.effect, use)
        if not order or not said(self.when, use):
            return state
        return (
            yield EffectsBegun(
                effects=f"{use.path}/{type(self.effect).kind}",
                order=order,
                source=use.creature,
                cause=use.ability,
                because=("HR-ABIL-8",),
            )
        )


@record
class Contest(Op[State]):
    """The user makes a check that a creature contests with one of the abilities listed, by its own choice."""

    kind: ClassVar[str] = "contest"
    ability: Ability
    against: str
    """Whom: a creature the operation is about."""
    answered_with: tuple[Ability, ...] = ("might", "agility")
    what: str = "contest"
    size_counts: bool = False

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself leads its contests."""
        raise AssertionError(use.path)


@record
class Save(Op[State]):
    """Creatures make a saving throw against the user; those who fail are `failed` from then on."""

    kind: ClassVar[str] = "save"
    who: str
    ability: Ability

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself asks for saves."""
        raise AssertionError(use.path)


@record
class Adjudicate(Op[State]):
    """The GM rules what comes of it: accepts with effects, or rejects."""

    kind: ClassVar[str] = "adjudicate"
    question: str

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself waits for the GM."""
        raise AssertionError(use.path)


def said(when: Mapping[str, str], use: Use) -> bool:
    """Tell whether every parameter in *when* was said as it demands."""
    return all(use.params.get(name) == value for name, value in when.items())


def concrete(state: State, effect: Effect, use: Use) -> tuple[Effect, ...]:
    """Return *effect* with its places filled, once for each creature it is about; none if one stays open."""
    filled = fill(effect, use)
    if filled is None:
        return ()
    who = getattr(filled, "creature", None)
    if who is None:
        return (filled,)
    return tuple(changed(filled, creature=name) for name in whom(state, use, who))


def fill(value: Value, use: Use, *, top: bool = True) -> Value:
    """Return *value*, a record, with each `$name` replaced by what was said; None where something was not.

    The creature is left for last, for it may be several.
    """
    new = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if top and field.name == "creature":
            continue
        if isinstance(old, str) and old.startswith("$"):
            new[field.name] = use.rush if old == "$rush" else use.params.get(old[1:])
            if new[field.name] is None:
                return None
        elif isinstance(old, tuple) and any(_is_open(item) for item in old):
            new[field.name] = _listed(old, use)
        elif hasattr(old, "__dataclass_fields__"):
            new[field.name] = fill(old, use, top=False)
            if new[field.name] is None:
                return None
    return changed(value, **new) if new else value


def _is_open(item: object) -> bool:
    return isinstance(item, str) and (item == "self" or item.startswith("$"))


def _listed(items: tuple[Any, ...], use: Use) -> tuple[Any, ...]:
    found: list[Any] = []
    for item in items:
        if item == "self":
            found.append(use.creature)
            continue
        value = use.params.get(item[1:]) if isinstance(item, str) and item.startswith("$") else item
        found += value if isinstance(value, tuple) else [value] if value is not None else []
    return tuple(found)
