"""A process that looks for cycles seldom still finds them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from service.collecting import YOUNG, collect_seldom


class Knot:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_cycle_is_found_once_enough_was_made() -> None:
    collect_seldom()
    knot = ref(Knot())
    assert knot() is not None

    kept: list[list[int]] = [[] for _ in range(2 * YOUNG)]

    assert knot() is None
    assert len(kept) == 2 * YOUNG
