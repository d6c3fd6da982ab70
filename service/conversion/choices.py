"""What a person chooses about a file, as words of a command line or members of a request."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, cast

from service.conversion.drawing import RANKS, MapChoices, MapPart, Spot
from service.conversion.faults import Unconvertible

FARTHEST: Final = 1_000
"""Cells, either way."""
_NUMBER: Final = re.compile(r"-?\d{1,4}(\.\d{1,6})?")


def map_choices(
    *,
    windows: str = "wall",
    ambient: str | None = None,
    part: str | None = None,
    shift: str | None = None,
) -> MapChoices:
    """Return what is chosen about a map; raises `Unconvertible` that names the choice."""
    if windows not in ("wall", "open"):
        raise Unconvertible("windows: wall or open")
    if ambient not in (None, *RANKS):
        raise Unconvertible(f"ambient: one of {', '.join(RANKS)}")
    cells = None if part is None else MapPart(*map(int, _numbers("part", part, 4, whole=True)))
    if cells is not None and (cells.width < 1 or cells.height < 1):
        raise Unconvertible("part: a width and a height of at least 1")
    return MapChoices(
        windows=cast("Literal['wall', 'open']", windows),
        ambient=ambient,
        part=cells,
        shift=Spot(0, 0) if shift is None else Spot(*_numbers("shift", shift, 2, whole=False)),
    )


class CreatureChoices(NamedTuple):
    """What a person chooses about a list of creatures that the list does not say."""

    only: tuple[str, ...] = ()
    """Names or ids of the creatures that are wanted; all if there are none."""
    place: tuple[int, int] | None = None
    """Where creatures without a place begin, side by side; 0,0 with a note if it is not chosen."""
    side: str | None = None
    """The side of creatures that have none; `foes` with a note if it is not chosen."""
    stat_block: str | None = None
    """The stat block for what a list of another game cannot say."""

    @classmethod
    def of(
        cls,
        *,
        only: str | None = None,
        place: str | None = None,
        side: str | None = None,
        stat_block: str | None = None,
    ) -> CreatureChoices:
        """Return the choices that words make; raises `Unconvertible` that names the choice."""
        names = tuple(each.strip() for each in (only or "").split(",") if each.strip())
        if only is not None and not names:
            raise Unconvertible("only: at least one name")
        at = None if place is None else _numbers("place", place, 2, whole=True)
        cell = None if at is None else (int(at[0]), int(at[1]))
        return cls(only=names, place=cell, side=side, stat_block=stat_block)


ANY: Final = CreatureChoices()


def _numbers(name: str, words: str, count: int, *, whole: bool) -> list[float]:
    parts = [each.strip() for each in words.split(",")]
    fits = all(_NUMBER.fullmatch(each) and not (whole and "." in each) for each in parts)
    numbers = [float(each) for each in parts] if fits else []
    if len(numbers) != count or any(abs(each) > FARTHEST for each in numbers):
        kind = "whole numbers" if whole else "numbers"
        raise Unconvertible(f"{name}: {count} {kind} with commas between, from -{FARTHEST} to {FARTHEST}")
    return numbers
