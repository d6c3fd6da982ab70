"""Fold choices that go together into products, as offers name them, and unfold them again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final, TypeVar

A = TypeVar("A")
B = TypeVar("B", bound=Hashable)

MOST_COMBINATIONS: Final = 256
"""The most values of an offer's first choice, and combinations with each, tried before the seal of dice."""


def products(rows: Iterable[tuple[A, tuple[B, ...]]]) -> list[tuple[tuple[A, ...], tuple[B, ...]]]:
    """Return sets whose products are exactly *rows*, each a value and all that it goes with.

    Values that go with the same are in one product; those that go with nothing are in none. The order is that
    of first appearance.
    """
    found: dict[tuple[B, ...], list[A]] = {}
    for value, partners in rows:
        if partners:
            found.setdefault(partners, []).append(value)
    return [(tuple(values), partners) for partners, values in found.items()]


def alike(
    found: Iterable[tuple[Mapping[str, Any], Mapping[str, Sequence[Any]]]],
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Sequence[Any]]]]:
    """Yield what is given and what is to choose; those that differ only in what is given first become one.

    What is given first is then to choose. The order is that of first appearance.
    """
    groups: dict[Any, list[Any]] = {}
    for given, choices in found:
        (name, value), *others = given.items()
        groups.setdefault((name, tuple(others), tuple(choices.items())), []).append(value)
    for (name, others, choices), values in groups.items():
        if len(values) == 1:
            yield {name: values[0], **dict(others)}, dict(choices)
        else:
            yield dict(others), {name: tuple(values), **dict(choices)}


def combinations(*choices: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield combinations of *choices*: `MOST_COMBINATIONS` values of the first, each with as many others."""
    if not choices:
        yield ()
        return
    for value in choices[0][:MOST_COMBINATIONS]:
        for others in islice(product(*choices[1:]), MOST_COMBINATIONS):
            yield (value, *others)
