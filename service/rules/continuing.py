"""Begin an encounter in the midst of another: with its state, its seals, and (if it continues it) its dice.

The state stands open in commit 1 but for what is sealed in it, which lies in envelopes for the same audience
until the same occasion. So a line that goes on betrays nothing that the old one did not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, is_dataclass
from typing import Any, ClassVar, TypeAlias, cast

from service.dice.values import Roll
from service.rules.codec import from_data, to_data
from service.rules.json_pointer import escaped, steps
from service.rules.lines import Origin
from service.rules.messages import Command, Emits, Event, Private, Refused, Scope
from service.rules.records import EMPTY, record
from service.rules.rulebook import rule
from service.rules.sealed import Sealed, names, places_of_sealed
from service.rules.sealed_data import holder, put, taken
from service.rules.table import DiceSetup, Table

Orders: TypeAlias = Mapping[str, tuple[str, ...]]
"""Keys of mappings in the order in which they were made, by JSON pointer: canonical JSON sorts them."""

BECAUSE = ("TABLE-LINE-1",)


@record
class Kept:
    """What is sealed for one audience until one occasion: values by JSON pointer into the state."""

    audience: tuple[str, ...]
    opens: str
    values: Mapping[str, Any]
    orders: Orders = EMPTY


@record
class Link:
    """A link of the dice's chain that the old line disclosed."""

    lane: int
    epoch: int
    link: str


# --- facts -----------------------------------------------------------------------------------------------


@record
class LineBegun(Event[Table]):
    """The encounter begins in the midst of another: from which moment, and with which state."""

    type: ClassVar[str] = "line_begun"
    encounter: str
    edition: str
    digest: str
    dice: DiceSetup
    origin: Origin
    source: str
    """The encounter whose commands are taken again."""
    plan: tuple[int, ...]
    """The old command that each of the next commands is; 0 is one that the ruling put in."""
    state: Mapping[str, Any]
    orders: Orders
    """In which order mappings were made that are not in the order of their names, by JSON pointer."""

    def evolve(self, state: Table) -> Table:
        return from_data(type(state), _ordered(to_data(self.state), self.orders))


@record
class Forked(LineBegun):
    """A what-if begins: from which moment of which encounter, and with which state."""

    type: ClassVar[str] = "forked"


@record
class SealsKept(Event[Table]):
    """What was sealed stays sealed for the same audience."""

    type: ClassVar[str] = "seals_kept"
    values: Mapping[str, Any]
    orders: Orders

    def evolve(self, state: Table) -> Table:
        assert state.origin is not None
        data, mine = to_data(state), {pointer: to_data(value) for pointer, value in self.values.items()}
        for pointer, value in mine.items():
            inside = {at[len(pointer) :]: keys for at, keys in self.orders.items() if at.startswith(pointer)}
            _ordered(value, inside)
        values = {**state.origin.pending_sealed, **mine}
        # By pointer, so that a world is there before what another audience's envelope keeps inside it.
        waiting = [pointer for pointer in sorted(values) if not put(data, pointer, to_data(values[pointer]))]
        data["origin"]["pending_sealed"] = {pointer: values[pointer] for pointer in waiting}
        return from_data(type(state), data)


@record
class OccasionKept(Event[Table]):
    """An occasion that had come in the old line: what it opened is open here."""

    type: ClassVar[str] = "occasion_kept"
    occasion: str

    def evolve(self, state: Table) -> Table:
        return state


@record
class LinkKept(Event[Table]):
    """A link that the old line disclosed: it proves the dice that are kept."""

    type: ClassVar[str] = "link_kept"
    lane: int
    epoch: int
    link: str

    def evolve(self, state: Table) -> Table:
        return state


# --- the command -----------------------------------------------------------------------------------------


@rule("TABLE-LINE-1", "service ruling")
@record
class BeginLine(Command[Table]):
    """A line of play that goes on from a moment has its state with all seals, and says which moment it is."""

    type: ClassVar[str] = "begin_line"
    encounter: str
    edition: str
    digest: str
    dice: DiceSetup
    origin: Origin
    state: Mapping[str, Any]
    source: str = ""
    orders: Orders = EMPTY
    plan: tuple[int, ...] = ()
    occasions: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    kept: tuple[Kept, ...] = field(default=(), metadata={"given": False})
    """What is sealed in the state: lent by whoever decides, for a request is not sealed."""

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
            state = yield OccasionKept(occasion=occasion, because=BECAUSE)
        for link in self.links:
            state = yield LinkKept(lane=link.lane, epoch=link.epoch, link=link.link, because=BECAUSE)
        return state


@rule("TABLE-LINE-2", "service ruling")
def what_if() -> tuple[str, ...]:
    """A what-if has dice of its own, and begins only where nothing is sealed from its maker."""
    return ("TABLE-LINE-2",)


def _sealed(kept: Kept) -> SealsKept:
    return SealsKept(values=kept.values, orders=kept.orders, because=BECAUSE)


@record
class Open:
    """What everybody may see of a state: its data, and the orders of its mappings."""

    data: Mapping[str, Any]
    orders: Orders


def split_sealed(state: Table) -> tuple[Open, tuple[Kept, ...]]:
    """Return *state* without what is sealed in it, and that by audience and occasion."""
    data: dict[str, Any] = to_data(state)
    found: dict[tuple[tuple[str, ...], str], tuple[dict[str, Any], dict[str, Any]]] = {}
    for pointer, sealed in reversed(list(places_of_sealed(state))):  # what lies inside another comes first
        values, orders = found.setdefault((sealed.audience, sealed.opens), ({}, {}))
        values[pointer] = taken(data, pointer)
        orders |= _orders(sealed.value, f"{pointer}/value")
    kept = [Kept(audience=who, opens=when, values=v, orders=o) for (who, when), (v, o) in found.items()]
    everybody = Open(data=data, orders=dict(_orders(state, "")))
    return everybody, tuple(sorted(kept, key=lambda each: (each.audience, each.opens)))


def _orders(value: Any, pointer: str) -> Iterator[tuple[str, tuple[str, ...]]]:  # noqa: ANN401 - states hold any value
    """Yield the keys of mappings that are not in the order of their names, but not inside what is sealed."""
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
    """Put the mappings of *data* into the orders told, and return it."""
    for pointer, keys in orders.items():
        found = holder(data, steps(pointer))
        if isinstance(found, dict):
            told = {key: found[key] for key in keys if key in found}
            found.clear()
            found.update(told)
    return data
