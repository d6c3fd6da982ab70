"""Name what the dice refuse, in one family.

A leaf stands beside the code that raises it. `code` is for machines and never changes; the detail names the
culprit, in lower case, and never holds a seed or an undisclosed link.
"""

from typing import ClassVar


class DiceError(ValueError):
    """Something the dice cannot do; only leaves of this class are raised."""

    code: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class BadParameter(DiceError):
    """A length, number or id that rewound/dice/1 does not know."""

    code = "dice_parameter"
