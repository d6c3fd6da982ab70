"""Hold worlds: what a group does apart is true there alone, sealed to its seats, its rolls counted apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from service.dice.values import Die, Roll, RollName
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.families import Families
from service.rules.kernel.messages import TABLE, Awaited, Event, Private, Rolled
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.sealed import is_closed, view
from service.rules.ruleset import waiting
from service.rules.secrecy.worlds import SplitTable
from service.rules.table.stack import Frame, Stacks


@record
class Apart(SplitTable):
    """A table that counts, and so do its groups."""

    counter: int = 0
    worlds: Mapping[str, Apart | Sealed[Apart]] = EMPTY


@record
class Bumped(Event[Apart]):
    type: ClassVar[str] = "bumped_apart"

    def evolve(self, state: Apart) -> Apart:
        return changed(state, counter=state.counter + 1)


@record
class WorkFrame(Frame[Apart]):
    kind: ClassVar[str] = "apart_work"

    def waiting(self, state: Apart) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat=f"seat-{state.here}", accepts=("bump",)),)


FAMILIES = Families({Frame: (WorkFrame,)})


def table() -> Apart:
    """Return a table with two groups apart, each of which waits for its seat."""
    worlds: dict[str, Apart | Sealed[Apart]] = {}
    for group in ("a", "b"):
        frame = WorkFrame(path=f"work/{group}")
        world = Apart(here=group, stacks=Stacks(table=(frame,)), families=FAMILIES)
        worlds[group] = Sealed(audience=(f"seat:seat-{group}",), opens=f"{group}/announced", value=world)
    return Apart(round=3, worlds=worlds, families=FAMILIES)


def private(state: Apart, group: str, event: Event[Apart] | Rolled[Apart]) -> Private[Apart]:
    scope = state.scope_at(group)
    assert scope is not None
    return Private(scope=scope, event=event)


def test_a_fact_told_apart_is_true_in_its_world_alone() -> None:
    before = table()
    after = private(before, "a", Bumped()).evolve(before)

    assert (after.counter, after.at("a").counter, after.at("b").counter) == (0, 1, 0)
    assert after.at(TABLE) is after


def test_a_state_makes_each_world_once() -> None:
    state = table()
    assert state.at("a") is state.at("a")
    assert changed(state, round=3).at("a").round == 3
    assert changed(state.at("a"), counter=5).counter != state.at("a").counter


def test_a_world_counts_its_own_rolls() -> None:
    before = table()
    name = RollName(epoch=1, lane=0, stream="a/attack", place=0)
    roll = Roll(name=name, purpose=(), dice=(Die(role="attack", sides=10, face=3),))
    after = private(before, "a", Rolled(roll=roll)).evolve(before)

    assert after.at("a").place(0, "a/attack") == 1
    assert after.place(0, "a/attack") == after.at("b").place(0, "a/attack") == 0


def test_seats_options_and_the_epoch_are_always_the_tables() -> None:
    state = changed(table(), epoch=7, options={"x": 1})

    assert state.at("a").round == 3
    assert (state.at("a").epoch, state.at("a").options) == (7, {"x": 1})


def test_a_seat_sees_its_own_world_and_is_asked_there() -> None:
    state = table()
    seen = view(state, "seat-a")

    assert seen.apart == ("a",)
    assert is_closed(seen.worlds["b"])
    assert [awaited.prompt for awaited in waiting(seen)] == ["work/a"]
    assert [awaited.prompt for awaited in waiting(state)] == ["work/a", "work/b"]


def test_secrets_inside_a_world_stay_secret_to_those_who_share_it() -> None:
    inner = Sealed(audience=("seat:gm",), opens="later", value=5)
    outer = Sealed(audience=("seat:gm", "seat:seat-a"), opens="later", value=(inner,))

    seen: Any = view((outer,), "seat-a")
    whole: Any = view((outer,), "gm")
    assert is_closed(seen[0][0])
    assert whole == ((5,),)


def test_worlds_come_back_from_data() -> None:
    state = table()
    assert from_data(Apart, to_data(state), families=FAMILIES) == state


def test_nobody_acts_apart_once_the_encounter_is_closed() -> None:
    assert changed(table(), closed=True).apart == ()
