"""Begin a line of play from a commit of another one, or a fork.

The record of a line of play has the commits of the line that it continues up to the seam, byte for byte,
and goes on with their numbers. So the state at the seam follows from the record, and the line's first own
commit names only what differs from it. A fork is an encounter of its own, with dice of its own: its commit
1 contains the state. Sealed values are in envelopes with the same audience and the same occasion as before,
so nothing is revealed that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import field, is_dataclass
from typing import Any, ClassVar, Final, Self, TypeAlias, cast

from service.dice.values import Roll
from service.rules.kernel.codec import from_data, placed, to_data
from service.rules.kernel.json_pointer import escaped, steps
from service.rules.kernel.messages import Command, Emits, Event, Noted, Private, Refused, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import names, places_of_sealed
from service.rules.kernel.sealed_data import holder, taken
from service.rules.kernel.values import (
    Code,
    Digest,
    DisclosedLink,
    Edition,
    EncounterId,
    Epoch,
    Hexadecimal,
    LaneNumber,
    Occasion,
    Ordinal,
    Reader,
    RulesEdition,
    RulesetDigest,
    StateData,
)
from service.rules.table.lines import FORK, Origin
from service.rules.table.table import DiceSetup, Table

TABLE_LINE_1: Final = Rule(
    "TABLE-LINE-1",
    "A line of play continues the record up to a commit, with the state at it, sealed as before.",
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

LINE_OWN: Final = (
    "amendment",
    "amendments",
    "amendments_dropped",
    "contests",
    "dice",
    "digest",
    "draft",
    "encounter",
    "last_exposed_epoch",
    "line",
    "origin",
    "sealing",
    "seats_by_command",
    "stopped",
    "undisclosed_epochs",
)
"""The members of a state in which a line of play differs from the one that it continues, where they part."""


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
    """The record goes on in another line of play, from the commit before this one."""

    type: ClassVar[str] = "line_begun"
    decides: ClassVar[str] = "line"
    encounter: EncounterId
    digest: RulesetDigest
    origin: Origin
    """The commit of another encounter from which this one continues."""
    plan: tuple[Ordinal, ...]
    """For each of the next commands the number of the old one that it repeats; 0 if the ruling added it."""
    state: StateData
    """The members of the state (`LINE_OWN`) that differ from those after the commit before this one."""
    orders: Orders
    """The insertion order of mappings whose keys are not sorted, by JSON pointer."""

    def evolve(self, state: Table) -> Table:
        data = {**to_data(state), **_ordered(to_data(self.state), self.orders)}
        return from_data(type(state), data, families=state.families)


@record
class Forked(Event[Table]):
    """A fork begins: from a commit of another encounter, with the state at that commit."""

    type: ClassVar[str] = "forked"
    decides: ClassVar[str] = "line"
    encounter: EncounterId
    edition: RulesEdition
    digest: RulesetDigest
    dice: DiceSetup
    """How the dice are derived."""
    origin: Origin
    """The commit of another encounter from which this one continues."""
    state: StateData
    """The state that the line of play begins with."""
    orders: Orders
    """The insertion order of mappings whose keys are not sorted, by JSON pointer."""

    def evolve(self, state: Table) -> Table:
        data = _ordered(to_data(self.state), self.orders)
        return from_data(type(state), data, families=state.families)


@record
class SealedValuesInherited(Event[Table]):
    """Values that were sealed in the old line stay sealed for the same audience."""

    type: ClassVar[str] = "sealed_values_inherited"
    values: StateData
    """The sealed values, by place."""
    orders: Orders
    """The orders of the sealed values."""

    def evolve(self, state: Table) -> Table:
        assert state.origin is not None
        mine = {pointer: to_data(value) for pointer, value in self.values.items()}
        for pointer, value in mine.items():
            inside = {at[len(pointer) :]: keys for at, keys in self.orders.items() if at.startswith(pointer)}
            _ordered(value, inside)
        values, waiting = {**to_data(state.origin.pending_sealed), **mine}, {}
        # Sorted by pointer, so that a world exists before another audience's values are put inside it.
        for pointer in sorted(values):
            try:
                state = placed(state, steps(pointer), values[pointer], state.families)
            except LookupError:
                waiting[pointer] = values[pointer]
        return placed(state, ("origin", "pending_sealed"), waiting, state.families)


@record
class OccasionInherited(Noted[Table]):
    """An occasion of the encounter that a fork continues, whose envelopes are open in the fork too."""

    type: ClassVar[str] = "occasion_inherited"
    occasion: Occasion


@record
class LinkInherited(Noted[Table]):
    """A link that the old line disclosed; it proves the dice that this line repeats."""

    type: ClassVar[str] = "link_inherited"
    lane: LaneNumber
    epoch: Epoch
    link: DisclosedLink


# --- the command -----------------------------------------------------------------------------------------


@enforces(TABLE_LINE_1)
@record
class BeginLine(Command[Table]):
    """Go on in a line of play of its own from the commit before this one, or begin a fork."""

    type: ClassVar[str] = "begin_line"
    bounded: ClassVar[bool] = False
    encounter: EncounterId
    edition: Edition
    digest: Digest
    origin: Origin
    state: StateData
    dice: DiceSetup | None = None
    """A fork's own dice; a line of play keeps those that it has."""
    orders: Orders = EMPTY
    plan: tuple[Ordinal, ...] = ()
    occasions: tuple[Occasion, ...] = ()
    links: tuple[Link, ...] = ()
    kept: tuple[SealedValues, ...] = field(default=(), metadata={"given": False})
    """The sealed values of the state; the worker adds them, because a request is not sealed."""

    def completed(self, kept: Callable[[Origin], tuple[SealedValues, ...]]) -> Self:
        return changed(self, kept=kept(self.origin))

    def check(self, view: Table) -> None:
        if self.origin.kind == FORK:
            if view.encounter:
                raise Refused("already_open", f"{view.encounter} is open already", TABLE_LINE_1.id)
        elif not view.encounter or not self.state.keys() <= set(LINE_OWN):
            raise Refused("other_line", "a line of play continues the record before it", TABLE_LINE_1.id)

    def decide(self, state: Table) -> Emits[Table]:
        state = yield self._begun()
        for kept in self.kept:
            scope = Scope(audience=kept.audience, opens=kept.opens)
            state = yield Private(scope=scope, event=_sealed(kept))
        for occasion in self.occasions:
            state = yield OccasionInherited(occasion=occasion, because=BECAUSE)
        for link in self.links:
            state = yield LinkInherited(lane=link.lane, epoch=link.epoch, link=link.link, because=BECAUSE)
        return state

    def _begun(self) -> Event[Table]:
        if self.origin.kind != FORK:
            return LineBegun(
                encounter=self.encounter,
                digest=self.digest,
                origin=self.origin,
                plan=self.plan,
                state=self.state,
                orders=self.orders,
                because=BECAUSE,
            )
        assert self.dice is not None, "a fork has dice of its own"
        return Forked(
            encounter=self.encounter,
            edition=self.edition,
            digest=self.digest,
            dice=self.dice,
            origin=self.origin,
            state=self.state,
            orders=self.orders,
            because=what_if(),
        )


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


def split_sealed(
    state: Table, members: Container[str] | None = None
) -> tuple[Open, tuple[SealedValues, ...]]:
    """Return *state* without its sealed values, and these values by audience and occasion.

    With *members*, only these members of the state.
    """
    data: dict[str, Any] = to_data(state)
    found: dict[tuple[tuple[str, ...], str], tuple[dict[str, Any], dict[str, Any]]] = {}

    def is_wanted(pointer: str) -> bool:
        return members is None or steps(pointer)[0] in members

    for pointer, sealed in reversed(list(places_of_sealed(state))):  # inner values come before outer ones
        if not is_wanted(pointer):
            continue
        values, orders = found.setdefault((sealed.audience, sealed.opens), ({}, {}))
        values[pointer] = taken(data, pointer)
        orders |= _orders(sealed.value, f"{pointer}/value")
    kept = [
        SealedValues(audience=who, opens=when, values=v, orders=o) for (who, when), (v, o) in found.items()
    ]
    orders_of_all = {at: keys for at, keys in _orders(state, "") if members is None or (at and is_wanted(at))}
    data = {name: value for name, value in data.items() if members is None or name in members}
    everybody = Open(data=data, orders=orders_of_all)
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
