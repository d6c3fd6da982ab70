"""A field says how it is sealed: of which creature it reveals which fact, and what others read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_args, get_type_hints

import pytest

from service.rules.kernel.messages import Event, Private, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, record, sealable, sealable_fields
from service.rules.kernel.sealed import view
from service.rules.registry import REGISTRY
from service.rules.secrecy.gm_only import facts_of, guarded, hide_gm_only, revealing
from service.rules.table.table import GM, Table


@record
class Beast:
    """A creature with fields that may be GM-only."""

    most: int = sealable(default=20, brings=("hp", "mood"))
    legs: int = sealable(default=4)
    hp: int = sealable(blank=lambda beast: beast.most)


@record
class Blow:
    """A part of an event."""

    excess: int = sealable(of="beast", fact="hp", blank=0, shown=lambda blow: blow.dice)
    dice: int = 0


@record
class Struck(Event["Lair"]):
    """A beast was struck."""

    type: ClassVar[str] = "struck"
    beast: str
    hp: int = sealable(of="beast", blank=0)
    by: str = "pia"
    blow: Blow | None = None

    def evolve(self, state: Lair) -> Lair:
        return state


@record
class Lair(Table):
    """A table where the facts about each beast are GM-only that are listed."""

    gm_only: Mapping[str, tuple[str, ...]] = EMPTY

    def gm_only_of(self, creature: str) -> tuple[str, ...]:
        return self.gm_only.get(creature, ())


SECRET = Lair(gm_only={"wolf": ("hp",)})
STRUCK = Struck(beast="wolf", hp=7, blow=Blow(excess=5, dice=3), because=("X-1",))


def struck(event: Struck) -> Struck:
    found = guarded(SECRET, event)
    assert isinstance(found, Struck)
    return found


def test_an_event_is_sealed_while_its_fact_is_gm_only_and_rules_read_it_as_before() -> None:
    sealed = struck(STRUCK)

    assert (sealed.hp, sealed.blow and sealed.blow.excess, sealed.by) == (7, 5, "pia")
    assert isinstance(vars(sealed)["hp"], Sealed)
    assert view(sealed, GM) == STRUCK


def test_others_read_a_blank_or_what_is_shown() -> None:
    seen = view(struck(STRUCK), "pia")

    assert (seen.hp, seen.blow and seen.blow.excess) == (0, 3)
    assert "7" not in repr(vars(seen))


def test_a_private_event_is_sealed_within() -> None:
    scope = Scope(audience=("seat:pia",), opens="end")
    found: Any = guarded(SECRET, Private(scope=scope, event=STRUCK))

    assert view(found.event, "pia").hp == 0


@pytest.mark.parametrize("event", [changed(STRUCK, beast="orc"), Struck(beast="orc", hp=7)])
def test_an_event_about_another_creature_stays_as_it_is(event: Struck) -> None:
    assert struck(event) == event
    assert view(struck(event), "pia").hp == 7


def test_a_creature_is_sealed_in_what_is_named_and_in_what_that_brings() -> None:
    facts = facts_of(Beast, ("most",))
    seen = view(hide_gm_only(Beast(most=30, hp=12), "wolf", facts), "pia")

    assert facts == ("most", "hp", "mood")
    assert (seen.most, seen.hp, seen.legs) == (20, 20, 4)


def test_a_value_that_replaces_a_sealed_one_is_sealed() -> None:
    beast = changed(hide_gm_only(Beast(hp=12), "wolf", ("hp",)), hp=5)

    assert (beast.hp, view(beast, "pia").hp) == (5, 20)


@pytest.mark.parametrize("edition", list(REGISTRY))
def test_every_sealable_field_of_an_event_names_a_field_with_a_creature(edition: str) -> None:
    events: Any = REGISTRY[edition].events.values()
    sealed = [(event, revealing(event)) for event in events if revealing(event)]

    assert sealed
    for event, fields in sealed:
        hints = get_type_hints(event)
        for name, how in fields.items():
            parts = [how] if how else sealable_fields(record_in(hints[name])).values()
            assert all(hints[part.of] is str for part in parts if part.of)


def record_in(hint: Any) -> Any:
    return next(each for each in (hint, *get_args(hint)) if sealable_fields(each))
