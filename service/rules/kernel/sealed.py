"""Sealed values in the state, and the one `view` that opens or closes them for a reader.

A `Sealed` in the state comes from an envelope in the record and has its audience. Options, explanations,
differences and pages read views and nothing else, so a secret can leak only through a wrong audience.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from service.dice.values import Roll
from service.rules.kernel.families import Families
from service.rules.kernel.json_pointer import escaped
from service.rules.kernel.records import (
    EMPTY,
    EXAMINED,
    HIDING,
    Sealed,
    derived,
    rebuilt,
    sealable_fields,
    values_of,
)

T = TypeVar("T")

Seats: TypeAlias = "str | tuple[str, ...]"
"""A seat, or several at once: what all of them may read."""

NOBODY: Final = ""
"""The name of no seat: it reads what everybody may."""

EVERYONE: Final = "everyone"
"""The reader who may read everything: the worker itself, never a seat."""

EVERYTHING: Final = "*"
"""The occasion that opens every envelope; `roll/*` opens all whose occasion begins with `roll/`."""


def is_opened(opens: str, occasions: Container[str]) -> bool:
    """Return whether one of *occasions* opens an envelope whose occasion is *opens*."""
    if opens in occasions or EVERYTHING in occasions:
        return True
    return f"{opens.partition('/')[0]}/{EVERYTHING}" in occasions


class EnvelopeClosed(AssertionError):
    """This view may not read what was read: a mistake, unless one only tries how far it can be read."""


def unsealed(value: "T | Sealed[T] | Any") -> Any:
    """Return *value*, unsealed if it is sealed; raises `EnvelopeClosed` if this view may not read it."""
    if isinstance(value, Sealed):
        if value.closed:
            text = "this view may not open the sealed value"
            raise EnvelopeClosed(text)
        return cast("T", value.value)
    return value


def is_closed(value: object) -> bool:
    """Return whether the reader of this view may not read *value*."""
    return isinstance(value, Sealed) and value.closed


def view(state: T, seat: Seats) -> T:
    """Return *state* as *seat* may see it: its own envelopes opened, all others closed.

    Parts without sealed values are the same objects, so the view of a state without secrets costs nothing.
    The view of a record is cached in it.
    """
    return state if is_public(state) else cast("T", _view(state, audience_of(seat)))


def audience_of(seat: Seats) -> frozenset[str]:
    """Return whom an envelope must name to be open to *seat*."""
    return frozenset((f"seat:{seat}",) if isinstance(seat, str) else [f"seat:{each}" for each in seat])


def _view(value: Any, readers: frozenset[str]) -> Any:
    """Return the view of *value*; that of a record is cached in it, since most of a state stays as it was."""
    if isinstance(value, Sealed):
        if readers.issubset(value.audience):
            return _view(value.value, readers)
        return rebuilt(value, value=None, closed=True)
    if is_public(value):
        return value
    if hasattr(value, _FIELDS):
        return derived(value, readers, lambda of: _parts(of, lambda item: _view(item, readers)))
    return _parts(value, lambda item: _view(item, readers))


def opened(value: T, occasions: Container[str]) -> T:
    """Return *value* with everything opened that one of *occasions* opens."""
    return value if occasions == () else cast("T", _opened(value, occasions))


def _opened(value: Any, occasions: Container[str]) -> Any:
    if isinstance(value, Sealed):
        return _opened(value.value, occasions) if is_opened(value.opens, occasions) else value
    return _within(value, lambda item: _opened(item, occasions))


def _within(value: Any, way: Callable[[Any], Any]) -> Any:
    """Return *value* with *way* applied to its parts that contain sealed values."""
    return value if is_public(value) else _parts(value, way)


def _parts(value: Any, way: Callable[[Any], Any]) -> Any:
    """Return *value*, which is not public, with *way* applied to its parts that contain sealed values."""
    if isinstance(value, tuple):
        return tuple([item if is_public(item) else way(item) for item in value])
    if not hasattr(value, _FIELDS):  # a mapping
        return {key: item if is_public(item) else way(item) for key, item in value.items()}
    known = vars(value)
    return rebuilt(value, **{name: way(known[name]) for name in _hiding(value)})


_FIELDS: Final = "__dataclass_fields__"
"""What records have, and no mapping or tuple."""

_CONTAINERS: Final = (tuple, Mapping, Union, UnionType, Annotated)
"""Generic types that contain only values of their arguments; any other generic may be sealed."""

_PLAIN: Final = frozenset({str, int, bool, type(None), type(EMPTY), Roll, Families})
"""Types that contain nothing sealed; a roll is public as a whole."""


def resealed(value: T, audience: tuple[str, ...]) -> T:
    """Return *value* in which *audience* replaces the audience of everything sealed."""
    return cast("T", _resealed(value, audience))


def _resealed(value: Any, audience: tuple[str, ...]) -> Any:
    if isinstance(value, Sealed):
        return rebuilt(value, audience=audience, value=_resealed(value.value, audience))
    return _within(value, lambda item: _resealed(item, audience))


def places_of_sealed(value: Any, pointer: str = "") -> Iterator[tuple[str, Sealed[Any]]]:
    """Yield the JSON pointer and the `Sealed` of each sealed part of *value*; outer ones come first."""
    if isinstance(value, Sealed):
        yield pointer, value
        yield from places_of_sealed(value.value, f"{pointer}/value")
    elif is_public(value):
        return
    elif isinstance(value, tuple | list):
        for i, item in enumerate(value):
            yield from places_of_sealed(item, f"{pointer}/{i}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from places_of_sealed(item, f"{pointer}/{escaped(key)}")
    else:
        for name in names(cast("Any", type(value))):
            yield from places_of_sealed(vars(value)[name], f"{pointer}/{name}")


def is_public(value: Any) -> bool:
    """Return whether nothing in *value* is sealed; records cache the answer, because they never change."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return True
    if kind is tuple or kind is list:
        return _are_public(value)
    if kind is dict:
        return _are_public(value.values())
    if kind is Sealed:
        return False
    hiding = getattr(value, "__dict__", EMPTY).get(HIDING)
    if hiding is None:
        if not hasattr(kind, _FIELDS):  # anything else than a record is a mapping
            return _are_public(value.values())
        hiding = _hiding(value)
    return not hiding


def _are_public(values: Iterable[Any]) -> bool:
    for value in values:  # noqa: SIM110 - under `all` it would enter a generator for each value
        if type(value) not in _PLAIN and not is_public(value):
            return False
    return True


def _hiding(value: Any) -> tuple[str, ...]:
    """Return the fields of the record *value* in which something is sealed.

    Records cache the answer, because they never change.
    """
    known = value.__dict__
    found: tuple[str, ...] | None = known.get(HIDING)
    if found is None:
        kind: Any = type(value)
        read = _reading_suspects(kind)
        found = () if read is None else _hiding_now(known, tuple(_suspects(kind)), read(known))
        known[HIDING] = found
    return found


def _hiding_now(known: dict[str, Any], suspects: tuple[str, ...], now: tuple[Any, ...]) -> tuple[str, ...]:
    """Return those of the fields *suspects*, with the values *now*, in which something is sealed.

    Values that an earlier copy had, and in which nothing was sealed, are not examined again.
    """
    public = known.get(EXAMINED)
    others: Iterable[str] = suspects
    if public is not None:
        others = [name for name, new, old in zip(suspects, now, public, strict=True) if new is not old]
    found = tuple([name for name in others if not is_public(known[name])])
    if found:  # a view is a copy, so what is sealed must not stay here
        now = tuple([None if name in found else known[name] for name in suspects])
    known[EXAMINED] = now
    return found


@cache
def names(kind: type) -> tuple[str, ...]:
    """Return the names of a record's fields."""
    return tuple(field.name for field in fields(kind))


@cache
def _suspects(kind: type) -> Mapping[str, None]:
    """Return the fields of a record whose types allow something sealed."""
    hints = get_type_hints(kind)
    sealable = sealable_fields(kind)
    return {name: None for name in names(kind) if name in sealable or not _is_plain(hints[name], set())}


@cache
def _reading_suspects(kind: type) -> Callable[[Mapping[str, Any]], tuple[Any, ...]] | None:
    """Return the function that reads the suspects' values from a record's fields; None without suspects."""
    suspects = tuple(_suspects(kind))
    return values_of(suspects) if suspects else None


def _is_plain(hint: Any, known: set[type]) -> bool:
    """Return whether no value of the type *hint* can contain anything sealed.

    *known* are the classes of records that were examined already.
    """
    if hint is Ellipsis or hint in _PLAIN or hint in known:
        return True
    if get_origin(hint) is Literal:
        return True
    if is_dataclass(hint) and isinstance(hint, type) and hint is not Sealed:
        known.add(hint)
        # a subclass may have other fields, so a class with subclasses is not plain
        return not (hint.__subclasses__() or sealable_fields(hint)) and all(
            _is_plain(inner, known) for inner in get_type_hints(hint).values()
        )
    return get_origin(hint) in _CONTAINERS and all(_is_plain(part, known) for part in get_args(hint))
