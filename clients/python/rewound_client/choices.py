"""Read the choices of offers: lists of values, cells by rows, and straight paths."""

from typing import Any

from rewound_client.shapes import Choice


def values_of(choice: Choice) -> list[Any]:
    """Return the values of a choice. A cell is `[x, y]`, a path is the list of the cells that are entered."""
    if isinstance(choice, list):
        return choice
    if "cells" in choice:
        return [[x, y] for y, first, last in choice["cells"] for x in range(first, last + 1)]
    (x, y), ranges = choice["start"], choice["paths"]
    lengths = [(dx, dy, n) for dx, dy, least, most in ranges for n in range(least, most + 1)]
    return [[[x + dx * i, y + dy * i] for i in range(1, n + 1)] for dx, dy, n in lengths]
