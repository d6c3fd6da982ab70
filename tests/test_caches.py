"""A cache has as many values as fit, those that were used last, and none that is too old."""

from __future__ import annotations

import sys
from functools import partial
from threading import Barrier, Thread

import pytest

from service.caches import SLOW_FOR_S, RecentCache, SlowKeys


def filled(cache: RecentCache[str, int], values: str) -> RecentCache[str, int]:
    """Return *cache* with each letter of *values*, in order."""
    for place, letter in enumerate(values):
        cache.put(letter, place)
    return cache


def held(cache: RecentCache[str, int], letters: str) -> str:
    """Return those of *letters* that are cached; asking uses them."""
    return "".join(letter for letter in letters if cache.get(letter) is not None)


def test_the_value_used_longest_ago_makes_room() -> None:
    cache = filled(RecentCache(3), "abc")

    assert cache.get("a") == 0
    cache.put("d", 3)

    assert held(cache, "abcd") == "acd"
    assert len(cache) == 3


def test_a_value_is_made_once() -> None:
    cache: RecentCache[str, list[int]] = RecentCache(2)

    assert cache.get_or_add("a", list) is cache.get_or_add("a", list)


@pytest.mark.parametrize(
    ("sizes", "kept"), [((4, 4, 4), "bc"), ((4, 4, 100), "c"), ((100,), "a"), ((100, 1), "b")]
)
def test_values_of_a_size_fill_the_capacity(sizes: tuple[int, ...], kept: str) -> None:
    cache: RecentCache[str, int] = RecentCache(10, size_of=lambda size: size)
    for letter, size in zip("abc", sizes, strict=False):
        cache.put(letter, size)

    assert held(cache, "abc") == kept


def test_a_value_is_dropped_when_it_is_too_old() -> None:
    now = [0.0]
    cache = filled(RecentCache(3, seconds=2, clock=lambda: now[0]), "a")
    now[0] = 1.9
    cache.put("b", 1)

    assert held(cache, "ab") == "ab"
    now[0] = 2.0
    assert held(cache, "ab") == "b"
    assert cache.drop("a") is None


def test_a_value_is_dropped_when_it_was_not_used_for_long() -> None:
    now = [0.0]
    cache = filled(RecentCache(9, seconds=2, clock=lambda: now[0], by_use=True), "abc")
    now[0] = 1.9
    assert held(cache, "b") == "b"
    now[0] = 2.0
    cache.put("d", 3)

    assert set(cache._values) == {"b", "d"}  # noqa: SLF001 - what nobody asks for takes no memory either
    now[0] = 3.9
    assert held(cache, "bd") == "d"


def test_values_are_dropped_by_key_by_value_and_all() -> None:
    cache = filled(RecentCache(9), "abcd")

    assert cache.drop("a") == 0
    assert cache.drop("a") is None
    assert cache.drop_all(lambda letter, place: letter == "b" or place == 3) == ["b", "d"]
    assert held(cache, "abcd") == "c"
    assert cache.drop_all() == ["c"]
    assert len(cache) == 0


def test_threads_use_one_cache_at_once() -> None:
    cache: RecentCache[int, int] = RecentCache(8)
    begun, wrong = Barrier(4), []

    def use(step: int) -> None:
        begun.wait()
        try:
            for each in range(3_000):
                key = each * step % 13
                cache.put(key, key)
                if cache.get((key + 1) % 13) not in {None, (key + 1) % 13}:
                    wrong.append("another key's value")
                cache.drop(key) if each % 5 == 0 else cache.get_or_add(key, partial(int, key))
        except (KeyError, RuntimeError) as fault:
            wrong.append(repr(fault))

    pace = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=use, args=(step,)) for step in (1, 2, 3, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(pace)

    assert not wrong
    assert len(cache) <= 8


def test_what_was_slow_is_slow_for_a_minute_after_the_last_time() -> None:
    now = [0.0]
    slow: SlowKeys[str] = SlowKeys(lambda: now[0])

    slow.add("a")
    now[0] = SLOW_FOR_S - 1
    slow.add("b")

    assert ("a" in slow, "b" in slow, "c" in slow) == (True, True, False)
    now[0] = SLOW_FOR_S
    assert ("a" in slow, "b" in slow) == (False, True)
    slow.add("a")
    now[0] = 2 * SLOW_FOR_S - 1
    assert ("a" in slow, "b" in slow) == (True, False)
