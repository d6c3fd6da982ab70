"""Begin a line of play from a commit of another encounter: with its state, its sealed values, and its dice.

Commit 1 of the new line contains the state. Sealed values are in envelopes with the same audience and the
same occasion as before, so the new line reveals nothing that the old one did not. A fork has dice of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, is_dataclass
from typing import Any, ClassVar, Final, Self, TypeAlias, cast

from service.dice.values import Roll
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.json_pointer import escaped, steps
from service.rules.kernel.messages import Command, Emits, Event, Private, Refused, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import names, places_of_sealed
from service.rules.kernel.sealed_data import holder, put, taken
from service.rules.kernel.values import (
    Code,
    Digest,
    Edition,
    EncounterId,
    Hexadecimal,
    Occasion,
    Ordinal,
    Reader,
    SourceId,
    StateData,
)
from service.rules.table.lines import Origin
from service.rules.table.table import DiceSetup, Table

TABLE_LINE_1: Final = Rule(
    "TABLE-LINE-1",
    "A line of play that continues from a commit names it and has the state at it, sealed as before.",
    RULING,
)
TABLE_LINE_2: Final = Rule(
    "TABLE-LINE-2",
    "A fork has dice of its own, and may begin only where nothing is sealed from its maker.",
    RULING,
)


Orders: TypeAlias = Mapping[Code, tuple[Code, ...]]
"""The insertion order of mappings' keys, by JSON pointer, because canonical JSON sorts them."""

BECAUSE = ("TABLE-LINE-1",)


@record
class SealedValues:
    """The values that are sealed for one audience until one occasion, by JSON pointer into the state."""

    audience: tuple[Reader, ...]
    opens: Occasion
    values: StateData
    orders: Orders = EMPTY


@record
class Link:
    """A link of the dice's chain that the old line disclosed."""

    lane: Ordinal
    epoch: Ordinal
    link: Hexadecimal


# --- facts -----------------------------------------------------------------------------------------------


@record
class LineBegun(Event[Table]):
    """The encounter continues another one from a commit, with the state at that commit."""

    type: ClassVar[str] = "line_begun"
    decides: ClassVar[str] = "line"
    encounter: EncounterId
    edition: Edition
    digest: Digest
    dice: DiceSetup
    origin: Origin
    source: SourceId
    """The encounter whose commands are decided again."""
    plan: tuple[Ordinal, ...]
    """For each of the next commands the number of the old one that it repeats; 0 if the ruling added it."""
    state: StateData
    orders: Orders
    """The insertion order of mappings whose keys are not sorted, by JSON pointer."""

    def evolve(self, state: Table) -> Table:
        data = _ordered(to_data(self.state), self.orders)
        return from_data(type(state), data, families=state.families)


@record
class Forked(LineBegun):
    """A fork begins: from a commit of another encounter, with the state at that commit."""

    type: ClassVar[str] = "forked"


@record
class SealedValuesInherited(Event[Table]):
    """Values that were sealed in the old line stay sealed for the same audience."""

    type: ClassVar[str] = "sealed_values_inherited"
    values: StateData
    orders: Orders

    def evolve(self, state: Table) -> Table:
        assert state.origin is not None
        data, mine = to_data(state), {pointer: to_data(value) for pointer, value in self.values.items()}
        for pointer, value in mine.items():
            inside = {at[len(pointer) :]: keys for at, keys in self.orders.items() if at.startswith(pointer)}
            _ordered(value, inside)
        values = {**state.origin.pending_sealed, **mine}
        # Sorted by pointer, so that a world exists before another audience's values are put inside it.
        waiting = [pointer for pointer in sorted(values) if not put(data, pointer, to_data(values[pointer]))]
        data["origin"]["pending_sealed"] = {pointer: values[pointer] for pointer in waiting}
        return from_data(type(state), data, families=state.families)


@record
class OccasionInherited(Event[Table]):
    """An occasion of the old line, whose envelopes are open in this line too."""

    type: ClassVar[str] = "occasion_inherited"
    occasion: Occasion

    def evolve(self, state: Table) -> Table:
        return state


@record
class LinkInherited(Event[Table]):
    """A link that the old line disclosed; it proves the dice that this line repeats."""

    type: ClassVar[str] = "link_inherited"
    lane: Ordinal
    epoch: Ordinal
    link: Hexadecimal

    def evolve(self, state: Table) -> Table:
        return state


# --- the command -----------------------------------------------------------------------------------------


@enforces(TABLE_LINE_1)
@record
class BeginLine(Command[Table]):
    """Begin a line of play that continues from a commit, with the state at it, sealed as before."""

    type: ClassVar[str] = "begin_line"
    bounded: ClassVar[bool] = False
    encounter: EncounterId
    edition: Edition
    digest: Digest
    dice: DiceSetup
    origin: Origin
    state: StateData
    source: SourceId = ""
    orders: Orders = EMPTY
    plan: tuple[Ordinal, ...] = ()
    occasions: tuple[Occasion, ...] = ()
    links: tuple[Link, ...] = ()
    kept: tuple[SealedValues, ...] = field(default=(), metadata={"given": False})
    """The sealed values of the state; the worker adds them, because a request is not sealed."""

    def completed(self, kept: Callable[[Origin], tuple[SealedValues, ...]]) -> Self:
        return changed(self, kept=kept(self.origin))

    def check(self, view: Table) -> None:
        if view.encounter:
            raise Refused("already_open", f"{view.encounter} is open already")

    def decide(self, state: Table) -> Emits[Table]:
        begun = Forked if self.origin.kind == "fork" else LineBegun
        state = yield begun(
            encounter=self.encounter,
            edition=self.edition,
            digest=self.digest,
            dice=self.dice,
            origin=self.origin,
            source=self.source,
            plan=self.plan,
            state=self.state,
            orders=self.orders,
            because=what_if() if begun is Forked else BECAUSE,
        )
        for kept in self.kept:
            scope = Scope(audience=kept.audience, opens=kept.opens)
            state = yield Private(scope=scope, event=_sealed(kept))
        for occasion in self.occasions:
            state = yield OccasionInherited(occasion=occasion, because=BECAUSE)
        for link in self.links:
            state = yield LinkInherited(lane=link.lane, epoch=link.epoch, link=link.link, because=BECAUSE)
        return state


@enforces(TABLE_LINE_2)
def what_if() -> tuple[str, ...]:
    """Return the rules that a fork cites."""
    return ("TABLE-LINE-2",)


def _sealed(kept: SealedValues) -> SealedValuesInherited:
    return SealedValuesInherited(values=kept.values, orders=kept.orders, because=BECAUSE)


@record
class Open:
    """The part of a state that everybody may see: its data, and the orders of its mappings."""

    data: Mapping[Code, Any]
    orders: Orders


def split_sealed(state: Table) -> tuple[Open, tuple[SealedValues, ...]]:
    """Return *state* without its sealed values, and these values by audience and occasion."""
    data: dict[str, Any] = to_data(state)
    found: dict[tuple[tuple[str, ...], str], tuple[dict[str, Any], dict[str, Any]]] = {}
    for pointer, sealed in reversed(list(places_of_sealed(state))):  # inner values come before outer ones
        values, orders = found.setdefault((sealed.audience, sealed.opens), ({}, {}))
        values[pointer] = taken(data, pointer)
        orders |= _orders(sealed.value, f"{pointer}/value")
    kept = [
        SealedValues(audience=who, opens=when, values=v, orders=o) for (who, when), (v, o) in found.items()
    ]
    everybody = Open(data=data, orders=dict(_orders(state, "")))
    return everybody, tuple(sorted(kept, key=lambda each: (each.audience, each.opens)))


def _orders(value: Any, pointer: str) -> Iterator[tuple[str, tuple[str, ...]]]:  # noqa: ANN401 - states hold any value
    """Yield the pointer and keys of each mapping whose keys are not sorted, except inside sealed values."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _orders(item, f"{pointer}/{i}")
    elif isinstance(value, Mapping):
        keys = tuple(value)
        if list(keys) != sorted(keys):
            yield pointer, keys
        for key, item in value.items():
            yield from _orders(item, f"{pointer}/{escaped(key)}")
    elif is_dataclass(value) and not isinstance(value, Sealed | Roll):
        for name in names(cast("Any", type(value))):
            yield from _orders(vars(value)[name], f"{pointer}/{name}")


def _ordered(data: Any, orders: Orders) -> Any:  # noqa: ANN401 - data of any shape
    """Reorder the mappings of *data* in place by *orders*, and return it."""
    for pointer, keys in orders.items():
        found = holder(data, steps(pointer))
        if isinstance(found, dict):
            ordered = {key: found[key] for key in keys if key in found}
            found.clear()
            found.update(ordered)
    return data
