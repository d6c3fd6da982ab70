"""Write a long list of values once for all offers that have it, or that have it but for a few values.

In a fight of two hundred each creature may do most things to everybody but itself, so without this the answer
would hold nearly the same list some thousand times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from service.record.canonical import dumps

Data = dict[str, Any]

LONG: Final = 8
"""The fewest values of a list that is shared."""

FEW: Final = 3
"""The most values that a list may lack of the list that stands for it."""


class SharedLists:
    """The lists of one answer."""

    def __init__(self, names: Sequence[str]) -> None:
        """Begin with two lists that others may stand for: *names*, and each of them alone."""
        self.lists: list[list[Any]] = []
        self._bases = (list(names), [[name] for name in names])
        self._known: dict[bytes, Data] = {}
        self._places: dict[bytes, int] = {}

    def offer(self, offer: Data) -> Data:
        """Return *offer* with its long lists replaced."""
        choices = {name: self.choice(choice) for name, choice in offer["choices"].items()}
        shared = {**offer, "choices": choices}
        if "seals" in offer:
            shared["seals"] = [self.offer(each) for each in offer["seals"]]
        return shared

    def choice(self, choice: Any) -> Any:  # noqa: ANN401 - the values of a field are of any type
        """Return what stands for *choice*: itself unless it is a long list."""
        if not isinstance(choice, list | tuple) or len(choice) < LONG:
            return choice
        values = list(choice)
        key = dumps(values)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._shared(values, key)
        return found

    def _shared(self, values: list[Any], key: bytes) -> Data:
        for base in self._bases:
            lacking = _lacking(base, values)
            if lacking is not None:
                shared: Data = {"list": self._place(base, dumps(base))}
                return shared | {"but": lacking} if lacking else shared
        return {"list": self._place(values, key)}

    def _place(self, values: list[Any], key: bytes) -> int:
        """Return the place of a list, which is added if it is not there."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.lists)
            self.lists.append(values)
        return place


def _lacking(base: Sequence[Any], values: Sequence[Any]) -> list[Any] | None:
    """Return what *values* lacks of *base*; None if that is much, or if they are not in its order."""
    if not 0 <= len(base) - len(values) <= FEW:
        return None
    lacking: list[Any] = []
    at = 0
    for value in base:
        if at < len(values) and values[at] == value:
            at += 1
        else:
            lacking.append(value)
            if len(lacking) > FEW:
                return None
    return lacking if at == len(values) else None
