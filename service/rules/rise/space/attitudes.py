"""Tell who is whose ally, and which allies are in touch."""

from __future__ import annotations

from service.rules.kernel.rulebook import rule
from service.rules.rise.state import State


@rule("RI-GROUP-7", "P24")
def may_join(state: State, name: str, other: str) -> bool:
    """A creature that can communicate with no ally is a group of its own."""
    both = state.creatures[name].sheet.communicates and state.creatures[other].sheet.communicates
    return both and are_allies(state, name, other)


@rule("RI-GROUP-2", "R4/R5")
def are_allies(state: State, name: str, other: str) -> bool:
    """To be allies takes both to say so; to be enemies one is enough."""
    return state.attitude(name, other) == "ally" and state.attitude(other, name) == "ally"
