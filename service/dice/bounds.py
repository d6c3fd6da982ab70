"""Limit the dice that a client may request.

These limits apply to the dice in a request. The engine's step limit bounds the dice that rules throw: the
last stance of a large engagement may throw 240 dice that no client requested.
"""

from collections.abc import Sequence
from typing import Final

from service.dice.errors import DiceError
from service.dice.stream import MIN_SIDES

MAX_DICE_IN_TERM: Final = 100
MAX_DICE_IN_COMMAND: Final = 200
MAX_ASKED_SIDES: Final = 1000


class TooManyDice(DiceError):
    """The request has more dice than allowed, or dice with too many or too few sides."""

    code = "dice_bounds"


def check_asked(terms: Sequence[Sequence[int]]) -> None:
    """Check all dice that one command requests; raises `TooManyDice`.

    *terms* has one entry per term (`3d6` is a term), with the sides of each of its dice.
    """
    for number, sides in enumerate(terms, 1):
        if len(sides) > MAX_DICE_IN_TERM:
            raise TooManyDice(f"term {number} has {len(sides)} dice, the most are {MAX_DICE_IN_TERM}")
        for side in sides:
            if not MIN_SIDES <= side <= MAX_ASKED_SIDES:
                raise TooManyDice(
                    f"term {number} has a d{side}, dice have {MIN_SIDES} to {MAX_ASKED_SIDES} sides"
                )
    asked = sum(map(len, terms))
    if asked > MAX_DICE_IN_COMMAND:
        raise TooManyDice(f"the command asks for {asked} dice, the most are {MAX_DICE_IN_COMMAND}")
