"""Cached states have a bound in bytes: what is large gives way to what is used."""

from __future__ import annotations

import sys
from types import MappingProxyType

import pytest

from service.core.decide import unfolded
from service.core.fold import WEIGHED_EVERY, Folder
from service.core.weighing import weight_of
from service.log.memory import MemoryLog
from service.rules.kernel.records import changed
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import eid


def test_a_value_weighs_what_it_refers_to_once() -> None:
    text = "x" * 1_000
    pair = (text, [text], {"key": (text,)})

    assert sys.getsizeof(text) < weight_of(pair) < 2 * sys.getsizeof(text)
    assert weight_of(MappingProxyType({"key": text})) > 1_000


def test_a_state_weighs_more_with_what_is_added() -> None:
    state = unfolded(eid(), TINY).state
    larger = changed(state, spoken=tuple(f"{number}" * 100 for number in range(100)))

    assert weight_of(larger) - weight_of(state) > 10_000


def kept(folder: Folder, number: int, n: int, words: int) -> str:
    folded = unfolded(eid(number), TINY)
    state = changed(folded.state, spoken=tuple(f"{each:0100}" for each in range(words)))
    folder.keep(changed(folded, n=n, state=state))
    return eid(number)


@pytest.mark.parametrize("words", [10, 100])
def test_states_that_were_used_longest_ago_give_way_when_there_is_no_room(words: int) -> None:
    folder = Folder(MemoryLog(), SHELF, capacity=1_000, room=200 * 1024)
    encounters = [kept(folder, number, 1, words) for number in range(1, 101)]

    left = [each for each in encounters if folder.kept(each) is not None]

    assert left == encounters[-len(left) :], "those used last are there"
    assert 1 <= len(left) < 100
    assert len(left) * words < 3_000


def test_one_state_is_kept_however_large_it_is() -> None:
    folder = Folder(MemoryLog(), SHELF, room=1)
    kept(folder, 1, 1, 10)
    large = kept(folder, 2, 1, 1_000)
    assert folder.kept(large) is not None
    assert folder.kept(eid(1)) is None


def test_a_state_that_grows_is_weighed_again_and_one_that_is_dropped_weighs_nothing() -> None:
    folder = Folder(MemoryLog(), SHELF, room=300 * 1024)
    for number in range(1, 6):
        kept(folder, number, 1, 10)
    kept(folder, 5, 1 + WEIGHED_EVERY, 3_000)
    assert [folder.kept(eid(number)) is None for number in range(1, 6)] == [True] * 4 + [False]

    folder.drop(eid(5))
    for number in range(1, 6):
        kept(folder, number, 1, 10)
    assert all(folder.kept(eid(number)) is not None for number in range(1, 6))
