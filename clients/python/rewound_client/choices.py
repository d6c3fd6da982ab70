"""Read the choices of offers: lists of values, cells by rows, and straight paths."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewound_client.shapes import Choice, Options


def values_of(choice: Choice) -> list[Any]:
    """Return the values of a choice. A cell is `[x, y]`, a path is the list of the cells that are entered.

    The choice is of options `with_lists`, as `Table.options` returns them.
    """
    if isinstance(choice, list):
        return choice
    if "cells" in choice:
        return [[x, y] for y, first, last in choice["cells"] for x in range(first, last + 1)]
    if "list" in choice:
        raise ValueError("the choice names a list of its answer: read it from `with_lists(options)`")
    (x, y), ranges = choice["start"], choice["paths"]
    lengths = [(dx, dy, n) for dx, dy, least, most in ranges for n in range(least, most + 1)]
    return [[[x + dx * i, y + dy * i] for i in range(1, n + 1)] for dx, dy, n in lengths]


def with_lists(options: Options) -> Options:
    """Return an answer of `GET …/options` in which each choice has its own list of values."""
    lists = options["lists"]
    if not lists:
        return options
    every = [
        {**option, "commands": [_with_lists(offer, lists) for offer in option["commands"]]}
        for option in options["options"]
    ]
    return cast("Options", {**options, "options": every, "lists": []})


def _with_lists(offer: Mapping[str, Any], lists: Sequence[list[Any]]) -> dict[str, Any]:
    choices = {name: _listed(choice, lists) for name, choice in offer["choices"].items()}
    seals = {"seals": [_with_lists(each, lists) for each in offer["seals"]]} if "seals" in offer else {}
    return {**offer, "choices": choices, **seals}


def _listed(choice: Choice, lists: Sequence[list[Any]]) -> Choice:
    if isinstance(choice, list) or "list" not in choice:
        return choice
    but = choice.get("but", [])
    return [value for value in lists[choice["list"]] if value not in but]
