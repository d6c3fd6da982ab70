"""Read stat blocks of D&D and games like it from text, as people copy them: name, size, speed, hit points.

A block has a line that begins with the armor class. Above it stand the name and, in most, a line that
begins with the size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from service.conversion.foreign import FULL_SIZES

MOST_ABOVE: Final = 10
"""Lines from the name to the armor class, empty ones not counted."""
LARGEST: Final = 4 * 1024 * 1024
"""Characters of a text with stat blocks: a bestiary is shorter."""
LONGEST: Final = 300
"""Letters of a line of which something is read."""
_SIGNS: Final = " \t>#*_|-\u2022"
_MARKS: Final = re.compile("[*_|]")
_ARMOR: Final = re.compile(r"(?:armou?r class|ac)\b[\s:]*\d", re.IGNORECASE)
_HIT_POINTS: Final = re.compile(r"(?:hit points|hp)\b[\s:]*(\d[^;,]*)", re.IGNORECASE)
_SPEED: Final = re.compile(r"speed\b[\s:]*(\d\S.*)", re.IGNORECASE)
_SIZE: Final = re.compile(rf"({'|'.join(sorted(FULL_SIZES))})\b", re.IGNORECASE)
_LEVEL: Final = re.compile(r"\s+(?:creature\s+\S{1,3}|cr\s+[\d/]+)$", re.IGNORECASE)

Line = tuple[int, str]
"""A line of the file, and its text without the signs of Markdown."""


def blocks_in(text: str) -> Sequence[tuple[int, dict[str, Any]]]:
    """Return the blocks of a text, each with the line of its name and its values; none of another text."""
    if len(text) > LARGEST:
        return []
    plain = ((n, line[:LONGEST].lstrip(_SIGNS)) for n, line in enumerate(text.splitlines(), 1))
    lines = [(n, _MARKS.sub("", line).strip()) for n, line in plain if line]
    armored = [i for i, (_, line) in enumerate(lines) if _ARMOR.match(line)]
    return [*_blocks(lines, armored)] if armored else []


def _blocks(lines: Sequence[Line], armored: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    above = 0
    for i, end in zip(armored, (*armored[1:], len(lines)), strict=True):
        number, values = _head(lines[max(above, i - MOST_ABOVE) : i])
        above = i + 1
        below = [line for _, line in lines[i:end]]
        hp = next((found[1] for line in below if (found := _HIT_POINTS.match(line))), None)
        if hp is None and (found := _HIT_POINTS.search(below[0])):  # in one line with the armor class
            hp = found[1]
        speed = next((found[1] for line in below if (found := _SPEED.match(line))), None)
        if values and hp is not None:
            yield number, {**values, "hp_max": hp.strip(), **({} if speed is None else {"speed": speed})}


def _head(lines: Sequence[Line]) -> tuple[int, dict[str, Any]]:
    """Return the name and the size that stand above the numbers of a block, with the line of the name."""
    sizes = [n for n, (_, line) in enumerate(lines) if _SIZE.match(line)]
    named = [n for n, (_, line) in enumerate(lines) if _LEVEL.search(line)]
    at = named[-1] if named else (sizes[-1] if sizes else len(lines)) - 1
    if at < 0:
        return 0, {}
    number, name = lines[at]
    values = {"name": _LEVEL.sub("", name)}
    return number, values | ({"size": lines[sizes[-1]][1].split()[0]} if sizes else {})
