"""Hold records to what a frozen dataclass promises, though they are made and changed another way."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from service.rules.kernel.records import EMPTY, changed, derived, derived_from, record


@record
class Cup:
    """A record with a field that must be given and two that need not."""

    holds: int
    label: str = "tea"
    inside: Any = EMPTY


@record
class Mug(Cup):
    """One that has a field more than the one it is made of."""

    handle: bool = True


def test_a_record_has_every_field_given_or_by_default() -> None:
    assert Mug(holds=3, label="milk") == Mug(holds=3, label="milk", inside=EMPTY, handle=True)
    assert repr(Cup(holds=1)) == "Cup(holds=1, label='tea', inside={})"
    assert hash(Cup(holds=1)) == hash(Cup(holds=1, label="tea"))
    assert replace(Cup(holds=1), holds=2) == Cup(holds=2)


@pytest.mark.parametrize("given", [{}, {"label": "tea"}, {"holds": 1, "handle": True}])
def test_a_record_says_which_field_it_lacks_or_does_not_have(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Cup (lacks holds|does not have handle)$"):
        Cup(**given)


def test_a_subclass_without_the_decorator_is_named() -> None:
    class Bowl(Cup):
        handle: bool = False

    given: dict[str, Any] = {"holds": 1, "handle": True}
    with pytest.raises(TypeError, match=r"^Bowl does not have handle; the class lacks @record$"):
        Bowl(**given)


def test_a_record_is_not_made_by_position() -> None:
    make: Any = Cup
    with pytest.raises(TypeError):
        make(1)


def test_a_record_never_changes_and_a_changed_one_is_another() -> None:
    cup: Any = Cup(holds=1)
    assert derived(cup, "twice", lambda of: 2 * of.holds) == 2

    more = changed(cup, holds=5)

    assert (cup.holds, more.holds, more.label) == (1, 5, "tea")
    assert derived(more, "twice", lambda of: 2 * of.holds) == 10
    with pytest.raises(FrozenInstanceError):
        cup.holds = 2
    with pytest.raises(AssertionError, match="no field of Cup"):
        changed(cup, handle=True)


def test_the_shared_empty_mapping_never_changes() -> None:
    shared: Any = EMPTY
    for change in (
        lambda: shared.update(a=1),
        lambda: shared.setdefault("a", 1),
        lambda: shared.__setitem__("a", 1),
        lambda: shared.__ior__({"a": 1}),
        lambda: shared.pop("a", None),
        shared.popitem,
        shared.clear,
    ):
        with pytest.raises(TypeError, match="never changes"):
            change()
    assert EMPTY == {}
    assert {**EMPTY, "a": 1} == {"a": 1}


def test_what_copies_carry_is_derived_again_only_if_a_field_of_it_changes() -> None:
    asked: list[int] = []

    def double(holds: int) -> int:
        asked.append(holds)
        return holds * 2

    cup = Cup(holds=4)
    assert derived_from(cup, ("holds",), double) == derived_from(cup, ("holds",), double) == 8
    assert derived_from(changed(cup, label="milk"), ("holds",), double) == 8
    assert asked == [4]
    assert derived_from(changed(cup, holds=5), ("holds",), double) == 10
    assert cup == Cup(holds=4)
