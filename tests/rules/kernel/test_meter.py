"""The meter counts the steps of a piece of work, the same whether or not a cache is filled, and stops it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.rules.kernel.meter import (
    ATTRIBUTE,
    Meter,
    Stop,
    TooMuchWork,
    WorkStopped,
    apart,
    end_if_stopped,
    spend,
)
from service.rules.kernel.records import changed, computed_from, derived, record


@record
class Walker:
    """A record whose ways take work."""

    feet: int = 0

    @computed_from("feet")
    def reach(self) -> int:
        """Something that takes a step a foot, once."""
        spend(self.feet)
        return self.feet

    def way(self) -> int:
        """Return something that takes a step a foot, and is cached."""
        return derived(self, "way", lambda of: of.back() + _spent(of.feet))

    def back(self) -> int:
        """Return something that takes one step, and is cached too."""
        return derived(self, "back", lambda _: _spent(1))


def _spent(steps: int) -> int:
    spend(steps)
    return steps


def steps_of(work: Callable[[], object]) -> int:
    with Meter() as meter:
        work()
    return meter.spent


def test_work_within_the_limit_is_done_and_beyond_it_is_stopped() -> None:
    with Meter(3) as meter:
        spend(3)
    assert meter.spent == 3
    with Meter(4) as meter:
        spend(4)
        with pytest.raises(TooMuchWork, match="more than 4 steps"):
            spend()
    spend(10**9)  # nobody counts here


def test_work_inside_work_is_counted_in_both_and_has_what_is_left_of_both() -> None:
    with Meter(10) as around:
        spend(2)
        with Meter(5) as inside:
            spend(4)
        assert (inside.spent, around.spent) == (4, 6)
        with pytest.raises(TooMuchWork), Meter(100):
            spend(5)
    assert around.left < 0
    with pytest.raises(TooMuchWork), Meter(10), Meter(3):
        spend(4)


def test_a_meter_goes_on_where_it_was_left() -> None:
    meter = Meter(5)
    for _ in range(5):
        with meter:
            spend()
    with pytest.raises(TooMuchWork), meter:
        spend()


@pytest.mark.parametrize("is_filled", [True, False])
@pytest.mark.parametrize("is_counted", [True, False])
def test_what_a_record_caches_costs_each_reader_the_same(*, is_filled: bool, is_counted: bool) -> None:
    walker = Walker(feet=7)
    if is_filled and is_counted:
        steps_of(walker.way)
    elif is_filled:
        walker.way()
    assert steps_of(walker.way) == 8
    assert steps_of(lambda: (walker.way(), walker.way(), walker.back(), walker.back())) == 9
    assert steps_of(lambda: (walker.back(), walker.way())) == 9


def test_it_costs_a_read_nothing_once_it_is_there() -> None:
    walker = Walker(feet=7)
    for steps in (8, 0):
        with Meter(is_lenient=True) as meter:
            walker.way()
        assert (meter.spent, meter.counted) == (steps, 8)
    assert steps_of(walker.way) == 8


def test_what_does_not_fit_the_limit_fails_with_a_filled_cache_too() -> None:
    walker = Walker(feet=7)
    for _ in range(2):
        with pytest.raises(TooMuchWork), Meter(7):
            walker.way()
        walker.way()


def test_a_computed_attribute_costs_its_readers_nothing_and_has_a_limit_of_its_own() -> None:
    walker = Walker(feet=ATTRIBUTE)
    with Meter(1) as meter:
        assert walker.reach == walker.reach == ATTRIBUTE
    assert meter.spent == 0
    for _ in range(2):
        with pytest.raises(TooMuchWork):
            _ = changed(walker, feet=ATTRIBUTE + 1).reach
    assert apart(lambda: _spent(3), limit=3) == 3


def test_work_that_is_stopped_ends_at_its_next_step_with_all_that_is_inside_it() -> None:
    stop = Stop()
    with Meter(stop=stop), Meter(10):
        spend()
        end_if_stopped()
        stop.is_set = True
        with pytest.raises(WorkStopped):
            spend()
        with pytest.raises(WorkStopped):
            end_if_stopped()
        with Meter() as last, pytest.raises(WorkStopped):
            last.spend(1)
    spend()  # nobody counts here, and nobody stops it
    end_if_stopped()
