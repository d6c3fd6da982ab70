"""Watching calls hears each call once, and asks for each function once, however often it is called."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Mapping

import pytest

from service.frames import TooMuchToWatch, watched

WORK = 1_000


class Asked(Mapping[tuple[str, str], str]):
    """Values by module and name, which count how often they are asked for."""

    def __init__(self, values: Mapping[tuple[str, str], str]) -> None:
        self._known = values
        self.times = 0

    def __getitem__(self, key: tuple[str, str]) -> str:
        self.times += 1
        return self._known[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class Held:
    """What a frame may hold."""


alive: list[weakref.ref[Held]] = []


def plain(value: int) -> int:
    held = Held()
    alive.append(weakref.ref(held))
    return abs(value)


def resumed() -> Iterator[int]:
    for number in range(3):
        yield plain(number)


def around() -> None:
    for value in range(WORK):
        plain(value)
    assert list(resumed()) == [0, 1, 2]
    assert list(resumed()) == [0, 1, 2]


VALUES = {(__name__, name): name for name in ("plain", "resumed", "around")}


def test_each_call_is_heard_once_with_its_depth_and_a_resumed_generator_is_no_call() -> None:
    heard: list[tuple[str, int]] = []
    watched(around, VALUES, lambda value, depth: heard.append((value, depth)))
    assert heard[0] == ("around", 0)
    assert heard[1 : WORK + 1] == [("plain", 1)] * WORK
    assert heard[WORK + 1 :] == [("resumed", 1), *[("plain", 2)] * 3] * 2


def test_a_function_is_asked_for_once_however_often_it_is_called() -> None:
    asked = Asked(VALUES)
    watched(around, asked, lambda _value, _depth: None)
    assert asked.times < WORK / 10


def test_what_a_function_held_is_free_once_it_has_returned() -> None:
    alive.clear()

    def none_left() -> int:
        around()
        gc.collect()
        return sum(each() is not None for each in alive)

    assert watched(none_left, VALUES, lambda _value, _depth: None) == 0


def swallowing() -> str:
    try:
        around()
    except TooMuchToWatch:
        return "it goes on"
    return "it ends"


@pytest.mark.parametrize("work", [around, swallowing])
def test_a_work_of_more_calls_than_may_be_watched_is_stopped(work: Callable[[], object]) -> None:
    heard: list[str] = []
    with pytest.raises(TooMuchToWatch):
        watched(work, VALUES, lambda value, _depth: heard.append(value), most=WORK)
    assert 0 < len(heard) < WORK
    assert watched(lambda: "few", VALUES, lambda _value, _depth: None, most=WORK) == "few"
