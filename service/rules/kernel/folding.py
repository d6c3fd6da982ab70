"""Fold choices that go together into products, as offers name them, and unfold them again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final, TypeVar

A = TypeVar("A", bound=Hashable)
B = TypeVar("B", bound=Hashable)
C = TypeVar("C")
D = TypeVar("D", bound=Hashable)

MOST_COMBINATIONS: Final = 256
"""The most values of an offer's first choice, and combinations with each, tried before the seal of dice."""


def products(rows: Iterable[tuple[A, tuple[B, ...]]]) -> list[tuple[tuple[A, ...], tuple[B, ...]]]:
    """Return few sets whose products are exactly *rows*, each a value and all that it goes with.

    Values that go with the same are in one product, or what goes with the same values is, whichever makes
    fewer products. Values that go with nothing are in none. The order is that of first appearance.
    """
    known = [(value, partners) for value, partners in rows if partners]
    found = _together(known)
    values_of: dict[B, list[A]] = {}
    for value, partners in known:
        for partner in partners:
            values_of.setdefault(partner, []).append(value)
    turned = _together([(partner, tuple(values)) for partner, values in values_of.items()])
    return found if len(found) <= len(turned) else [(values, partners) for partners, values in turned]


def _together(
    rows: Iterable[tuple[C, tuple[D, ...]]],
) -> list[tuple[tuple[C, ...], tuple[D, ...]]]:
    """Return the first members of *rows* that go with the same, together with that."""
    found: dict[tuple[D, ...], list[C]] = {}
    for value, partners in rows:
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
