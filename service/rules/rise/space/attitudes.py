"""Tell who is whose ally, and which allies are in touch."""

from __future__ import annotations

from typing import Final

from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.state import State

RI_GROUP_7: Final = Rule(
    "RI-GROUP-7",
    "A creature that can communicate with no ally is a group of its own.",
    books.TIME.at("Resolving Actions"),
)
RI_GROUP_2: Final = Rule(
    "RI-GROUP-2",
    "To be allies takes both to say so; to be enemies one is enough.",
    books.SPECIAL.at("Allies and Enemies"),
)


@enforces(RI_GROUP_7)
def may_join(state: State, name: str, other: str) -> bool:
    """Tell whether two creatures are allies that can communicate."""
    both = state.creatures[name].sheet.communicates and state.creatures[other].sheet.communicates
    return both and are_allies(state, name, other)


@enforces(RI_GROUP_2)
def are_allies(state: State, name: str, other: str) -> bool:
    """Tell whether two creatures are allies."""
    return state.attitude(name, other) == "ally" and state.attitude(other, name) == "ally"
