"""Define the base class of all errors of the dice.

Each subclass is defined beside the code that raises it. `code` is for machines and never changes. The detail
names the faulty value, in lower case, and never contains a seed or an undisclosed link.
"""

from typing import ClassVar


class DiceError(ValueError):
    """The dice cannot do what was asked; only subclasses are raised."""

    code: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class BadParameter(DiceError):
    """A length, number or id is outside the format rewound/dice/1."""

    code = "dice_parameter"
