"""What a rule emits or refuses, for tests that ask the rule itself."""

from __future__ import annotations

from typing import Any

from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import Malformed
from service.rules.kernel.messages import Refused
from tests.rules.heartrush.kit import Fight

MALFORMED = ("malformed", None)
"""What `refusal_of` returns for a command that a declared bound of a field refuses."""

PLACES = {"pia": (0, 0), "ash": (4, 0), "orc": (10, 0)}


def emitted(emits: Any, state: State) -> list[Any]:
    """Return the events of a part of a decision."""
    found = []
    try:
        event = next(emits)
        while True:
            found.append(event)
            state = event.evolve(state)
            event = emits.send(state)
    except StopIteration:
        return found


def types(emits: Any, state: State) -> list[str]:
    """Return the types of the events of a part of a decision."""
    return [event.type for event in emitted(emits, state)]


def code_of(call: Any, *args: Any) -> str | None:
    """Return the code with which *call* refuses, None if it does not."""
    try:
        call(*args)
    except Refused as refused:
        return refused.code
    return None


def refusal_of(fight: Fight, by: str, type_: str, **data: Any) -> tuple[str, str | None] | None:
    """Return the code and the rule of a refusal, None if the command is accepted.

    What a declared bound refuses reaches no rule: `malformed`, and no rule.
    """
    try:
        found = fight.send(type_, by, **data).refusal
    except Malformed:
        return MALFORMED
    return (found.code, found.rule) if found is not None else None
