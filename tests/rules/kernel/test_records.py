"""Hold records to what a frozen dataclass promises, though they are made and changed another way."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from service.rules.kernel.codec import to_data
from service.rules.kernel.records import EMPTY, Sealed, changed, computed_from, derived, record, sealable
from service.rules.kernel.sealed import view


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


asked: list[int] = []
"""What each cup was filled to when it was asked how heavy it is."""


@record
class Weighed(Cup):
    """A record with an attribute that is computed from one of its fields."""

    @computed_from("holds")
    def weight(self) -> int:
        """Twice what it holds."""
        asked.append(self.holds)
        return self.holds * 2


@record
class Lidded(Weighed):
    """One that has the attribute from its base."""

    lid: bool = False


@pytest.mark.parametrize("kind", [Weighed, Lidded])
def test_copies_keep_a_computed_attribute_until_its_field_changes(kind: type[Weighed]) -> None:
    asked.clear()
    cup = kind(holds=4)
    assert cup.weight == cup.weight == changed(cup, label="milk").weight == 8
    assert asked == [4]
    assert changed(cup, holds=5).weight == 10
    assert asked == [4, 5]
    assert cup == kind(holds=4)
    assert to_data(cup) == to_data(kind(holds=4))
    assert hash(cup) == hash(kind(holds=4))
    assert "weight" not in repr(cup)


def test_a_computed_attribute_is_no_field() -> None:
    cup = Weighed(holds=4)
    assert cup.weight == 8
    for some in (cup, Weighed(holds=4)):
        with pytest.raises(AssertionError, match="no field of Weighed"):
            changed(some, weight=9)
    with pytest.raises(TypeError, match="Weighed does not have weight"):
        Weighed(holds=1, weight=2)  # type: ignore[call-arg]  # it is meant


def test_a_computed_attribute_names_fields_of_its_record() -> None:
    class Bottle(Cup):
        @computed_from("heights")
        def volume(self) -> int:
            return 1

    with pytest.raises(AssertionError, match=r"Bottle.volume reads \['heights'\]"):
        record(Bottle)


@record
class Guarded:
    """A record whose field may be sealed."""

    holds: int = sealable(default=0)
    label: str = ""

    @computed_from("holds")
    def weight(self) -> int:
        """Twice what it holds."""
        return self.holds * 2


def test_a_view_computes_from_what_it_reads() -> None:
    state = changed(Guarded(), holds=Sealed(audience=("seat:gm",), opens="end", value=3))
    assert state.weight == 6
    assert view(state, "ada").weight == 0
    assert view(state, "gm").weight == 6
    assert changed(view(state, "ada"), label="x").weight == 0
    assert changed(state, holds=4).weight == 8
