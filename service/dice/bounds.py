"""Bound what a client may ask the dice for.

These bounds are for what stands in a request. What follows from rules is bounded by the engine's step limit:
the last stance of a large engagement may throw 240 dice, and no client asked for them.
"""

from collections.abc import Sequence
from typing import Final

from service.dice.errors import DiceError
from service.dice.stream import MIN_SIDES

MAX_DICE_IN_TERM: Final = 100
MAX_DICE_IN_COMMAND: Final = 200
MAX_ASKED_SIDES: Final = 1000


class TooManyDice(DiceError):
    """More dice, or greater ones, than a client may ask for."""

    code = "dice_bounds"


def check_asked(terms: Sequence[Sequence[int]]) -> None:
    """Check all dice that one command asks for; raises `TooManyDice`.

    One entry per term (`3d6` is a term), each with the sides of its dice.
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
