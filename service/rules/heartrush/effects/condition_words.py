"""Know which words are conditions: one that means something elsewhere, or nothing, is refused.

A condition of the GM's own does nothing by itself, so it says so (`custom`): a slip of the pen is none. One
that means nothing without a second creature names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush.body.conditions import CONDITIONS
from service.rules.heartrush.creatures.size_and_bonds import BONDS
from service.rules.kernel.near import misspelt_name
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_SVC_9: Final = Rule(
    "HR-SVC-9",
    "A condition that is laid is one of the book, with the creature that it needs, or is said to be custom.",
    RULING,
    left_open="the ledger has the conditions of the book, and not words that a GM makes up",
)

ELSEWHERE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unconscious": "the effect knock_out",
        "dead": "the effect die",
        "hidden": "the effect hidden",
        "surprised": "the effect surprise",
        "helpless": "the effect expose",
        "exposed": "the effect expose",
        "wounded": "the effect wound",
    }
)
"""Words of the book that no condition is stored for, with what they are laid by."""


def lone_fault(word: str, *, caused: bool = True) -> str | None:
    """Return what is wrong with a condition that is laid on one creature alone: a bond has two ends."""
    if word in BONDS:
        return f"{word} ties two creatures: lay it with the effect condition"
    return word_fault(word, custom=False, other=caused)


@enforces(HR_SVC_9)
def word_fault(word: str, *, custom: bool, other: bool) -> str | None:
    """Return what is wrong with a condition as it is written; *other*: a second creature is named with it."""
    if word.startswith("$"):
        return None  # what a parameter says
    kind = CONDITIONS.get(word)
    if kind is not None:
        if custom:
            return f"{word} is a condition of the book, so it is not custom"
        return f"{word} needs another creature: name it in by" if kind.of_somebody and not other else None
    if word in ELSEWHERE:
        return f"{word} is no condition: lay it with {ELSEWHERE[word]}"
    meant = misspelt_name(word, CONDITIONS)
    if meant is not None:
        return f"{word} is no condition; {meant} is one"
    return None if custom else f"{word} is no condition of the book; say custom if it is one of yours"
