"""Say whether a command is one of those that are offered, and how offer and outcome of one differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from service.rules.kernel.messages import Offer

FREE: Final = frozenset({"words", "text", "faces", "reason", "params"})
"""What people say or throw themselves, and how an ability is used, of which offers name some ways only."""


class Unheld(AssertionError):
    """Options say one thing about a command at this moment, and the rules do another."""

    def __init__(self, seed: int, type_: str, seat: str, data: Mapping[str, Any], fault: str) -> None:
        super().__init__(f"seed {seed}: {type_} {data} by {seat} {fault}")
        self.type, self.seat, self.data, self.fault = type_, seat, data, fault


class Stuck(AssertionError):
    """Nobody may do anything, and the fight is not over."""


def refused_offer(code: str) -> str:
    """Return the fault of a command that is offered, and refused with *code*."""
    return f"is offered, but refused: {code}"


def fits(offer: Offer, type_: str, data: Mapping[str, Any]) -> bool:
    """Tell whether *offer* offers this command."""
    if offer.type != type_ or (offer.prompt is not None and data.get("prompt") != offer.prompt):
        return False
    if type_ != "throw_dice" and data.get("creature") not in (None, offer.creature):
        return False
    chosen = {key: value for key, value in data.items() if key not in ("prompt", "creature", *FREE)}
    return all(_allows(offer, key, value) for key, value in chosen.items())


def _allows(offer: Offer, key: str, value: object) -> bool:
    if key in offer.written:
        return bool(value)
    if key in offer.choices:
        return value in map(_plain, offer.choices[key])
    return not value if key not in offer.given else value == _plain(offer.given[key])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
