"""Hold what differs between two printings of Rise as data: which defenses there are, and what a wound does.

Code asks the profile; it never asks which profile it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.kernel.records import record


@record
class Profile:
    """One printing: its defenses, and which of them the brawling abilities attack."""

    defenses: tuple[str, ...]
    shove: tuple[str, ...]
    """The defense that shove, overrun and throwing the unwilling attack."""
    grapple: tuple[str, ...]
    trip: tuple[str, ...]
    vital: Mapping[int, str]
    """What a vital roll of 1 to 9 does, by result."""
    throw_base_ft: int
    exploding: bool
    """Whether the table may lower the face that explodes."""
    dirty_trick: bool
    squeeze_halves_speed: bool
    mounts_sprint: bool
    thrown_ft: int
    """How far a weapon flies that is not made for throwing."""


FOUR: Final = ("armor", "fortitude", "reflex", "mental")
FIVE: Final = ("armor", "brawn", "fortitude", "reflex", "mental")

_FIRST: Final = {1: "faint_below_half", 2: "accuracy", 3: "speed"}

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "rise-4d": Profile(
            defenses=FOUR,
            shove=("fortitude",),
            grapple=("fortitude", "reflex"),
            trip=("fortitude", "reflex"),
            vital=MappingProxyType(
                _FIRST
                | {4: "half_dr", 5: "tolerance", 6: "defenses", 7: "fortitude", 8: "reflex", 9: "mental"}
            ),
            throw_base_ft=15,
            exploding=True,
            dirty_trick=True,
            squeeze_halves_speed=True,
            mounts_sprint=True,
            thrown_ft=30,
        ),
        "rise-5d": Profile(
            defenses=FIVE,
            shove=("brawn",),
            grapple=("brawn", "reflex"),
            trip=("brawn",),
            vital=MappingProxyType(
                _FIRST | {4: "tolerance", 5: "defenses", 6: "brawn", 7: "fortitude", 8: "reflex", 9: "mental"}
            ),
            throw_base_ft=10,
            exploding=False,
            dirty_trick=False,
            squeeze_halves_speed=False,
            mounts_sprint=False,
            thrown_ft=20,
        ),
    }
)
