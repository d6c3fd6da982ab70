"""Convert records to plain data and back, by their type hints alone.

Decoding returns exactly the records that were encoded: lists become tuples again, frames and abilities are
found by their kind, in the families of the ruleset. Data that does not fit raises `Malformed` with a JSON
pointer. Codecs are compiled once per class and ruleset, because a fold reads a hundred thousand events a
second.

What somebody sends is read within the bounds of its fields (`meaning.py`): a class says so with `bounded`, as
every command does. What the rules made of it, events and states, is read as it is.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from service.rules.kernel import hints
from service.rules.kernel.families import NO_FAMILIES, Families, tag_of
from service.rules.kernel.hints import Shape
from service.rules.kernel.json_pointer import escaped
from service.rules.kernel.meaning import A_LIST, AN_OBJECT
from service.rules.kernel.records import Sealed, rebuilt, sealable_fields, values_of

T = TypeVar("T")
Decode = Callable[[Any], Any]


class _Reading(NamedTuple):
    """How data is read: with the members of which families, and whether within the bounds of its fields."""

    families: Families
    bounded: bool


_SCALARS: Final[Mapping[type, str]] = types.MappingProxyType(
    {str: "a string", int: "a whole number", bool: "true or false"}
)

_PLAIN: Final = frozenset({str, int, bool, type(None)})
"""Types whose values are JSON already."""

_LISTS: Final = (list, tuple)

FAMILIES: Final = "families"
"""The field in which a state has the families that it is read with; data does not contain it."""


class Malformed(ValueError):
    """Data that does not fit its class: where (a JSON pointer) and what was expected."""

    def __init__(self, pointer: str, expected: str) -> None:
        super().__init__(f"{pointer or '/'}: {expected}")
        self.pointer = pointer
        self.expected = expected


def to_data(value: Any) -> Any:
    """Return *value* as JSON-ready data; an open sealed value has audience, occasion and value."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return [item if type(item) in _PLAIN else to_data(item) for item in value]
    if kind is dict or not hasattr(kind, "__dataclass_fields__"):  # anything else than a record is a mapping
        return {key: to_data(item) for key, item in value.items()}
    own, tag, names, read, others = _spelling(kind)
    if own is not None:
        return own(value)
    data = {**tag, **dict(zip(names, read(value.__dict__), strict=True))}
    for name in others:
        item = data[name]
        if type(item) not in _PLAIN:  # a call for each field would double it
            data[name] = to_data(item)
    return data


def _sealed_data(value: Sealed[Any]) -> dict[str, Any]:
    data: dict[str, Any] = {"sealed": list(value.audience)}
    if value.shown is not None:
        data["shown"] = to_data(value.shown)
    if value.closed:
        return data
    return {**data, "opens": value.opens, "value": to_data(value.value)}


def from_data(
    kind: type[T],
    data: Any,
    pointer: str = "",
    /,
    *,
    families: Families = NO_FAMILIES,
    bounded: bool = False,
    **filled: Any,
) -> T:
    """Return *data*, which is at *pointer* in its document, as a *kind*; raises `Malformed`.

    *families* are those of the ruleset, needed if a *kind* may contain frames or others of a family. With
    *bounded* every value must be within the bounds of its field, as it must in a command. *filled* are fields
    that data never contains (`given: False`), such as the sender of a command.
    """
    try:
        new: T = decoder(kind, families, bounded=bounded)(data)  # type: ignore[arg-type]  # every class is hashable
    except Malformed as fault:
        raise Malformed(pointer + fault.pointer, fault.expected) from None
    if filled:
        new.__dict__.update(filled)
    return new


def placed(whole: T, way: Sequence[str], data: Any, families: Families) -> T:
    """Return the record *whole* with *data*, read as what belongs there, at the path *way*.

    Only what lies on the way is made anew. Raises `LookupError` if the way leads into what is closed, and
    `Malformed`.
    """
    reading = _Reading(families, bounded=False)
    new: T = _placed(whole, hints.RecordObject(type(whole)), _none, tuple(way), data, reading)
    return new


def _placed(
    value: Any, shape: Shape, read: Decode, way: tuple[str, ...], data: Any, reading: _Reading
) -> Any:
    """Return *value*, of *shape*, with *data* at *way* in it; *read* reads what is in its place."""
    if not way:
        return read(data)
    step, rest = way[0], way[1:]
    if isinstance(value, Sealed):
        inner = shape.inner if isinstance(shape, hints.SealedValue) else shape
        known = None if value.closed else vars(value).get(step)
        return rebuilt(value, **{step: _placed(known, inner, _way(inner, reading), rest, data, reading)})
    if hasattr(value, "__dataclass_fields__"):
        fields = _shape_of(type(value), reading)  # type: ignore[arg-type]  # every class is hashable
        new = _placed(vars(value)[step], fields.shapes[step], fields.ways[step], rest, data, reading)
        return rebuilt(value, **{step: new})
    each = _each(shape, value, step)
    if isinstance(value, tuple):
        at = int(step)
        return (
            *value[:at],
            _placed(value[at], each, _way(each, reading), rest, data, reading),
            *value[at + 1 :],
        )
    if isinstance(value, Mapping):
        return {**value, step: _placed(value.get(step), each, _way(each, reading), rest, data, reading)}
    raise LookupError(step)


def _each(shape: Shape, value: Any, step: str) -> Shape:
    """Return the shape of what is at *step* in the list or mapping *value*; *shape* is that of *value*."""
    if isinstance(shape, hints.Alternatives):
        wanted = (hints.AnyList, hints.FixedList) if isinstance(value, tuple) else (hints.Names,)
        shape = next((way for way in shape.ways if isinstance(way, wanted)), hints.Anything())
    if isinstance(shape, hints.FixedList):
        return shape.items[int(step)]
    return shape.each if isinstance(shape, hints.AnyList | hints.Names) else hints.Anything()


class _Spelling(NamedTuple):
    """How a class of records is encoded."""

    own: Callable[[Any], Any] | None
    """The function that encodes it, if it has its own."""
    tag: Mapping[str, str]
    """Its tag, if it has one."""
    names: tuple[str, ...]
    """Its fields."""
    read: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    """Returns their values."""
    others: tuple[str, ...]
    """Those of them whose types allow other values than JSON's plain ones."""


@cache
def _spelling(kind: Any) -> _Spelling:
    own = _sealed_data if kind is Sealed else getattr(kind, "to_data", None)
    tag = tag_of(kind)
    names = tuple(field.name for field in fields(kind) if field.metadata.get("given", True))
    return _Spelling(
        own,
        {tag: getattr(kind, tag)} if tag else {},
        names,
        values_of(names),
        () if own else tuple(_others(kind)),
    )


def _others(kind: Any) -> Iterator[str]:
    sealable = sealable_fields(kind)
    for field in hints.fields_of(kind):
        if field.given and (field.name in sealable or not hints.is_plain(field.shape)):
            yield field.name


@cache
def decoder(hint: Any, families: Families, *, bounded: bool = False) -> Decode:
    """Return the function that reads a value of type *hint* from data, and what it contains of *families*."""
    return _way(hints.shape_of(hint), _Reading(families, bounded))


def _way(shape: Shape, reading: _Reading) -> Decode:
    return _WAYS[type(shape)](shape, reading)


@cache
def _class(kind: Any, reading: _Reading) -> Decode:
    """Return the decoder of *kind*: its own `from_data`, or field by field."""
    own: Decode | None = getattr(kind, "from_data", None)
    if own is not None:
        return own
    return _record(kind, reading._replace(bounded=reading.bounded or getattr(kind, "bounded", False)))


def _scalar(shape: hints.Scalar, reading: _Reading) -> Decode:
    kind = shape.kind
    fault = _fault_of(shape, reading)

    def decode(data: Any) -> Any:
        if type(data) is kind:
            return data
        raise Malformed("", _SCALARS[kind])

    def bounded(data: Any) -> Any:
        expected = _SCALARS[kind] if type(data) is not kind else fault and fault(data)
        if expected is None:
            return data
        raise Malformed("", expected)

    return bounded if fault else decode


def _fault_of(shape: hints.Scalar, reading: _Reading) -> Callable[[Any], str | None] | None:
    """Return the function that says what is expected of a value out of bounds; None if there are none."""
    if not reading.bounded or shape.kind is bool:
        return None
    return shape.meaning.number_fault if shape.kind is int else shape.meaning.text_fault


def _counting(shape: Shape, of: str, way: Decode, reading: _Reading) -> Decode:
    """Return *way* with a check of how many items the list or object *of* has before they are read."""
    meaning = shape.meaning
    if not reading.bounded or (meaning.count is None and meaning.fewest is None):
        return way

    def counted(data: Any) -> Any:
        fault = meaning.count_fault(len(data), of) if isinstance(data, (*_LISTS, Mapping)) else None
        if fault is not None:
            raise Malformed("", fault)
        return way(data)

    return counted


def _none(data: Any) -> None:
    if data is not None:
        raise Malformed("", "null")


def _frozen(data: Any) -> Any:
    """Return free-form data unchanged, but with tuples for lists, as it was written."""
    if isinstance(data, list):
        return tuple(map(_frozen, data))
    if isinstance(data, Mapping):
        return {key: _frozen(item) for key, item in data.items()}
    return data


def _choice(shape: hints.Choice, _: _Reading) -> Decode:
    values = shape.values
    known = {(type(value), value): value for value in values}  # True equals 1, and is another value

    def decode(data: Any) -> Any:
        if type(data) in _PLAIN and (type(data), data) in known:
            return known[type(data), data]  # one object for all states
        raise Malformed("", "one of " + ", ".join(map(str, values)))

    return decode


def _alternatives(shape: hints.Alternatives, reading: _Reading) -> Decode:
    """Try each alternative in turn; None first, for it is the common one."""
    nothing = shape.optional
    ways = tuple([_way(each, reading) for each in shape.ways])

    def decode(data: Any) -> Any:
        if data is None and nothing:
            return None
        fault: Malformed | None = None
        for way in ways:
            try:
                return way(data)
            except Malformed as malformed:
                fault = fault or malformed
        raise fault or Malformed("", "a value of a known kind")

    return decode


def _exactly(shape: hints.FixedList, reading: _Reading) -> Decode:
    ways = tuple([_way(each, reading) for each in shape.items])

    def exact(data: Any) -> Any:
        if not isinstance(data, _LISTS) or len(data) != len(ways):
            raise Malformed("", f"a list of {len(ways)}")
        return tuple([_at(str(i), way, item) for i, (way, item) in enumerate(zip(ways, data, strict=True))])

    return exact


def _many(shape: hints.AnyList, reading: _Reading) -> Decode:
    each = _way(shape.each, reading)

    def many(data: Any) -> Any:
        if not isinstance(data, _LISTS):
            raise Malformed("", "a list")
        try:
            return tuple(map(each, data))
        except Malformed:
            return tuple([_at(str(i), each, item) for i, item in enumerate(data)])  # once more, for the place

    item = shape.each
    if not isinstance(item, hints.Scalar) or item.kind is bool or reading.bounded:
        return _counting(shape, A_LIST, many, reading)
    kind = item.kind
    only = {kind}

    def plain(data: Any) -> Any:
        if isinstance(data, _LISTS) and only.issuperset(map(type, data)):
            return tuple(data)
        raise Malformed("", f"a list of {_SCALARS[kind]}")

    return plain


def _names(shape: hints.Names, reading: _Reading) -> Decode:
    each = _way(shape.each, reading)

    name = _way(shape.key, reading) if reading.bounded else None

    def decode(data: Any) -> Any:
        if not _is_object(data):
            raise Malformed("", "an object")
        if name is not None:
            for key in data:
                _at(key, name, key)
        return {key: _at(key, each, item) for key, item in data.items()}

    return _counting(shape, AN_OBJECT, decode, reading)


def _sealed(shape: Shape, reading: _Reading) -> Decode:
    inner = _way(shape, reading)

    def decode(data: Any) -> Any:
        if not _is_object(data) or "sealed" not in data:
            raise Malformed("", "a sealed value")
        audience = tuple(data["sealed"])
        shown = _at("shown", inner, data["shown"]) if "shown" in data else None
        if "value" not in data:
            return Sealed(audience=audience, opens="", value=None, closed=True, shown=shown)
        value = _at("value", inner, data["value"])
        return Sealed(audience=audience, opens=data["opens"], value=value, shown=shown)

    return decode


def _sealable(inner: Decode, sealed: Decode) -> Decode:
    """Return the decoder of a field that may be sealed; a sealed value has a list of its audience."""

    def decode(data: Any) -> Any:
        if _is_object(data) and isinstance(data.get("sealed"), _LISTS):
            return sealed(data)
        return inner(data)

    return decode


def _is_object(data: Any) -> bool:
    """Return whether *data* is an object: nearly always a dict, and `isinstance` of `Mapping` is slow."""
    return type(data) is dict or isinstance(data, Mapping)


def _at(key: str, way: Decode, data: Any) -> Any:
    """Return *data* read by *way*; raises `Malformed` with a pointer that begins with *key*."""
    try:
        return way(data)
    except Malformed as fault:
        raise Malformed(f"/{escaped(key)}{fault.pointer}", fault.expected) from None


def _member(shape: hints.Member, reading: _Reading) -> Decode:
    tag, members = shape.tag, reading.families.members(shape.head)

    def decode(data: Any) -> Any:
        member = members.get(data.get(tag)) if _is_object(data) else None
        if member is None:
            raise Malformed("", f"a known {shape.head.__name__.lower()}")
        rest = {key: value for key, value in data.items() if key != tag}
        return _class(member, reading)(rest)

    return decode


class _Shape:
    """The fields of a record: the decoder of each, the defaults, and which fields are required."""

    def __init__(self, kind: type, reading: _Reading) -> None:
        every = hints.fields_of(kind)
        given = [field for field in every if field.given]
        self.shapes = {field.name: field.shape for field in given}
        self.ways = {field.name: _way(field.shape, reading) for field in given}
        sealable = sealable_fields(kind)
        for field in given:
            if field.name in sealable:
                self.ways[field.name] = _sealable(self.ways[field.name], _sealed(field.shape, reading))
        self.scalars = {
            field.name: field.shape.kind
            for field in given
            if isinstance(field.shape, hints.Scalar) and _fault_of(field.shape, reading) is None
        }
        self.needed = tuple(field.name for field in given if field.required)
        self.defaults = {field.name: field.default for field in every if not field.required}
        if FAMILIES in self.defaults:
            self.defaults[FAMILIES] = reading.families
        self.usual = {
            field.name: to_data(field.default)
            for field in given
            if isinstance(field.shape, hints.RecordObject) and not field.required
        }
        """The data of each default that is a record; who has that data shares the default."""

    def fill(self, known: dict[str, Any], data: Mapping[str, Any]) -> None:
        """Put every field of *data*, and the defaults of the others, into *known*; raises `Malformed`."""
        known.update(self.defaults)
        known.update(data)
        ways, scalars, usual = self.ways, self.scalars, self.usual
        for key, item in data.items():
            if type(item) is scalars.get(key):  # most fields: a call for each would take a third longer
                continue
            way = ways.get(key)
            if way is None:
                raise Malformed(f"/{escaped(key)}", "no such field")
            try:
                known[key] = way(item)
                if key in usual and item == usual[key]:
                    known[key] = self.defaults[key]
            except Malformed as fault:
                raise Malformed(f"/{escaped(key)}{fault.pointer}", fault.expected) from None
        if len(data) != len(ways):
            for name in self.needed:
                if name not in data:
                    raise Malformed(f"/{name}", "a value: it is required")


@cache
def _shape_of(kind: type, reading: _Reading) -> _Shape:
    return _Shape(kind, reading)


def _record(kind: type, reading: _Reading) -> Decode:
    """Return the decoder of a record; it fills a new object's `__dict__`, as `changed` does, for speed."""
    assert not hasattr(kind, "__post_init__"), f"{kind.__name__} would be read without its __post_init__"
    shape: _Shape | None = None

    def decode(data: Any) -> Any:
        nonlocal shape
        if shape is None:  # made at first use: classes may refer to each other in a circle
            shape = _shape_of(kind, reading)
        if not _is_object(data):
            raise Malformed("", "an object")
        new: Any = object.__new__(kind)
        shape.fill(new.__dict__, data)
        return new

    return decode


_WAYS: Final[Mapping[type[Shape], Callable[[Any, _Reading], Decode]]] = types.MappingProxyType(
    {
        hints.Scalar: _scalar,
        hints.Nothing: lambda _shape, _reading: _none,
        hints.Anything: lambda _shape, _reading: _frozen,
        hints.Choice: _choice,
        hints.Alternatives: _alternatives,
        hints.FixedList: _exactly,
        hints.AnyList: _many,
        hints.Names: _names,
        hints.SealedValue: lambda shape, reading: _sealed(shape.inner, reading),
        hints.RecordObject: lambda shape, reading: _class(shape.kind, reading),
        hints.Member: _member,
    }
)
"""How a value of each shape is read."""
