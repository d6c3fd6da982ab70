"""The laws of a ruleset, each with its statement."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LAWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "listed": "Every message and frame of the ruleset's packages is listed.",
        "bounded": "Every number, text and list that a client may send has bounds.",
        "opens": "An opening without a fault opens an encounter.",
        "decides": "A legal command is decided without an error, and each of its events cites a rule.",
        "rests": "After each command the stack comes to rest, within the work that a command may take.",
        "offers": "Every required prompt offers a command, and every command that is offered is accepted.",
        "accepts": "Every command that is accepted is offered.",
        "refusals": "A refused command changes nothing.",
        "codec": "State and events are the same after they are written and read.",
        "folds": "The events alone lead to the state that was decided.",
        "repeats": "The same command in the same state is decided in the same way.",
        "spaces": "No two creatures come into one space at one height without a recorded reason.",
        "secrecy": "Others see the same whatever a seat chooses in secret; envelopes are for seats and open.",
        "rules": "Every rule takes part, and events cite no other.",
    }
)
"""The statements of the laws by name."""


class LawBroken(Exception):
    """A ruleset breaks a law; the detail says where."""

    def __init__(self, law: str, detail: str) -> None:
        super().__init__(f"{law}: {detail}")
        self.law = law
        self.detail = detail
