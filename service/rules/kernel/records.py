"""The one kind of record that the rules use: immutable, cheap to make, and cheap to copy with changes.

A frozen dataclass with slots takes 4 to 5 us for one `dataclasses.replace`; copying `__dict__` takes a tenth
of that, and a command changes several records. The `__init__` of a frozen dataclass sets field by field, so a
record has another one, which fills `__dict__` at once. Every update of a state goes through `changed`, so
only this file knows the representation.

A field that is declared `sealable` may have a `Sealed` value. A rule reads `creature.hp` and gets the true
number, whether or not it is sealed. In a view that may not open the field, the rule reads what the envelope
shows to others, or a blank. So rules run on every view.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter, itemgetter
from typing import Any, Final, Generic, NoReturn, Self, TypeVar, dataclass_transform, overload

from service.rules.kernel.meter import Cached, apart

R = TypeVar("R")
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

HIDING: Final = "_hiding"
"""The key under which a record caches its fields that hide something (see `sealed.py`); a copy drops it."""

EXAMINED: Final = "_examined"
"""The key for the values in which nothing was sealed; a changed copy does not examine them again."""

DERIVED: Final = "_derived"
"""The key under which a record caches what was derived from it (see `derived`); a changed copy drops it."""


class _NoChanges(dict[Any, Any]):
    """An empty mapping that cannot change: a dict, because every roll and every view reads it.

    It is hashable, because Python 3.11 accepts no unhashable default in a dataclass.
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        text = "what every record shares never changes"
        raise TypeError(text)

    __setitem__ = __delitem__ = __ior__ = update = setdefault = _refuse
    pop = popitem = clear = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # it never changes
        return 0


EMPTY: Final[Mapping[Any, Any]] = _NoChanges()
"""The empty mapping, safe to share as a default."""


SEALABLE: Final = "_sealable"
"""The key of a `Sealable` in the metadata of its field, and the attribute with all of a class of records."""

COMPUTED: Final = "_computed"
"""The attribute with the names of the computed attributes that depend on each field (see `computed_from`)."""


@dataclass(frozen=True)
class Sealable:
    """How a field may be sealed; `sealable` says what each part means."""

    blank: Callable[[Any], object]
    of: str | None
    fact: str
    shown: Callable[[Any], object]
    brings: tuple[str, ...]


@overload
def sealable(
    *,
    default: T,
    blank: object = ...,
    of: str | None = ...,
    fact: str = ...,
    shown: Callable[[Any], object] = ...,
    brings: tuple[str, ...] = ...,
) -> T: ...


@overload
def sealable(
    *,
    blank: object,
    of: str | None = ...,
    fact: str = ...,
    shown: Callable[[Any], object] = ...,
    brings: tuple[str, ...] = ...,
) -> Any: ...  # noqa: ANN401 - a field of any type


def sealable(
    *,
    default: Any = MISSING,
    blank: object = MISSING,
    of: str | None = None,
    fact: str = "",
    shown: Callable[[Any], object] = lambda _: None,
    brings: tuple[str, ...] = (),
) -> Any:
    """Declare a field of a record that may be sealed.

    A view that may not open it reads *blank*: a value, or a function of the record; by default the *default*.
    *fact* is what the field reveals about a creature, by default its own name; *brings* are other facts that
    are secret with it. In an event, *of* names the field with the id of that creature: the field is sealed
    while the fact is GM-only (`secrecy/gm_only.py`), and others read what *shown* returns for the record.
    """
    found = default if blank is MISSING else blank
    assert found is not MISSING, "a sealable field has a default or a blank"
    read: Callable[[Any], object] = found if callable(found) else lambda _: found
    how = Sealable(blank=read, of=of, fact=fact, shown=shown, brings=brings)
    return field(default=default, metadata={SEALABLE: how})


def sealable_fields(kind: type) -> Mapping[str, Sealable]:
    """Return how each sealable field of a class of records may be sealed, by name, in order."""
    found: Mapping[str, Sealable] = getattr(kind, SEALABLE, EMPTY)
    return found


_new: Final = object.__new__
_set_fields: Final = object.__setattr__


class _ComputedAttribute(Generic[R, V]):
    """An attribute whose first reader computes it; see `computed_from`."""

    def __init__(self, fields_read: tuple[str, ...], compute: Callable[[R], V]) -> None:
        self.fields_read = fields_read
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, of: None, kind: type) -> Self: ...

    @overload
    def __get__(self, of: R, kind: type) -> V: ...

    def __get__(self, of: R | None, kind: type) -> V | Self:
        if of is None:
            return self
        found = apart(lambda: self.compute(of))
        of.__dict__[self.name] = found  # later readers find it there, without a call
        return found


def computed_from(*fields_read: str) -> Callable[[Callable[[R], V]], _ComputedAttribute[R, V]]:
    """Make a method an attribute that is computed once from the fields *fields_read* and from nothing else.

    A changed copy keeps the value until one of these fields changes. Reading it again costs as much as
    reading a field. What it takes to compute has a limit of its own (`meter.ATTRIBUTE`) and costs no reader.
    """
    return lambda compute: _ComputedAttribute(fields_read, compute)


def _computed(kind: type) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the computed attributes of *kind* by the field that they are computed from.

    Each of them is there too, without names.
    """
    every = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    found: dict[str, tuple[str, ...]] = {}
    for name, value in every.items():
        if isinstance(value, _ComputedAttribute):
            found[name] = ()
            unknown = set(value.fields_read) - {field.name for field in fields(kind)}
            assert not unknown, f"{kind.__name__}.{name} reads {sorted(unknown)}, which are no fields"
            for read in value.fields_read:
                found[read] = (*found.get(read, ()), name)
    return found


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(sealable,))
def record(cls: type[R]) -> type[R]:
    """Make *cls* a dataclass that never changes and takes its fields as keyword arguments."""
    # dataclass would compile five methods for each of a thousand classes, at the start of each process
    try:
        made = dataclass(kw_only=True, init=False, repr=False, eq=False)(cls)
    except ValueError as fault:  # it would advise a factory, which no record has
        if "mutable default" not in str(fault):
            raise
        text = f"{cls.__qualname__}: {fault.args[0].partition(' is not allowed')[0]}; use EMPTY or a tuple"
        raise TypeError(text) from fault
    made.__init__ = _filling(made)  # type: ignore[method-assign]  # that is the idea
    equal, hashed = _comparing(made)
    methods = {
        "__eq__": equal,
        "__hash__": hashed,
        "__repr__": _text,
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
    }
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    found = {each.name: each.metadata[SEALABLE] for each in fields(made) if SEALABLE in each.metadata}  # type: ignore[arg-type]  # a dataclass
    setattr(made, SEALABLE, found)
    for name, how in found.items():
        setattr(made, name, _SealableAttribute(name, how.blank))
    setattr(made, COMPUTED, _computed(made))
    made.__signature__ = _ArgumentsOfRecord()  # type: ignore[attr-defined]  # for help and inspect
    return made


def _filling(kind: type) -> Callable[..., None]:
    """Return the `__init__` of *kind*, which raises `TypeError` for missing and unknown fields."""
    every = fields(kind)
    assert all(field.default_factory is MISSING for field in every), "a default never changes: it is shared"
    names = {field.name for field in every}
    defaults = {field.name: field.default for field in every if field.default is not MISSING}
    count = len(names)

    def __init__(self: object, /, **given: object) -> None:  # noqa: N807 - it becomes the class's method
        known = defaults | given
        _set_fields(self, "__dict__", known)
        if len(known) != count:  # one missing and one unknown field would pass; the type checker finds those
            parts = (("lacks", names - known.keys()), ("does not have", known.keys() - names))
            said = "; ".join(f"{what} {', '.join(sorted(found))}" for what, found in parts if found)
            text = f"{type(self).__name__} {said}{'' if type(self) is kind else '; the class lacks @record'}"
            raise TypeError(text)

    __init__.__qualname__ = f"{kind.__qualname__}.__init__"
    return __init__


class _ArgumentsOfRecord:
    """The signature of a class of records; it is made when somebody asks for it."""

    def __get__(self, of: object, kind: type) -> Signature:
        return Signature(
            [
                Parameter(
                    each.name,
                    Parameter.KEYWORD_ONLY,
                    default=Parameter.empty if each.default is MISSING else each.default,
                    annotation=each.type,
                )
                for each in fields(kind)
            ]
        )


def values_of(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return the function that reads the fields *names* from the `__dict__` of a record."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda known: tuple([known[name] for name in names])  # itemgetter of one returns no tuple


def _comparing(kind: type) -> tuple[Callable[[object, object], bool], Callable[[object], int]]:
    """Return `__eq__` and `__hash__` of *kind*: equal records have one class and equal fields."""
    names = [field.name for field in fields(kind)]
    values: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807 - it becomes the class's method
        return hash(values(self))

    return equal, __hash__


def _text(self: Any) -> str:  # noqa: ANN401 - a record of any kind
    parts = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
    return f"{type(self).__qualname__}({parts})"


def _refuse_set(self: object, name: str, value: object) -> NoReturn:  # noqa: ARG001 - as Python calls it
    text = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(text)


def _refuse_delete(self: object, name: str) -> NoReturn:  # noqa: ARG001 - as Python calls it
    text = f"cannot delete field {name!r}"
    raise FrozenInstanceError(text)


@record
class Sealed(Generic[T]):
    """A value that only its audience may read, until the occasion that opens it for all."""

    audience: tuple[str, ...]
    """Readers, as `seat:<id>`."""
    opens: str
    """The occasion that opens it for all, such as `r1/e1/reveal`."""
    value: T | None
    """None in a view that may not read it."""
    closed: bool = False
    shown: T | None = None
    """What others read in its place; None for a blank."""


def changed(old: R, /, **changes: object) -> R:
    """Return *old* with *changes*; raises `AssertionError` for a field that it does not have.

    A value that replaces a sealed value is sealed in the same way.
    """
    kind: Any = type(old)
    if kind._sealable:  # noqa: SLF001 - this is `SEALABLE`, and getattr takes four times as long
        known = old.__dict__
        for name in changes:
            if type(known.get(name)) is Sealed:
                return _with(old, _resealed(known, changes))
    return _with(old, changes)


def _resealed(known: Mapping[str, object], changes: dict[str, object]) -> dict[str, object]:
    """Return *changes* with each value sealed like the value that it replaces in *known*."""
    for name, value in changes.items():
        before = known.get(name)
        if type(before) is Sealed and type(value) is not Sealed:
            alike = rebuilt(before, value=None if before.closed else value, shown=None)
            changes = {**changes, name: alike}
    return changes


class _SealableAttribute:
    """Reads one field of a record, whether it is sealed or not."""

    def __init__(self, name: str, blank: Callable[[Any], object]) -> None:
        self.name = name
        self.blank = blank

    def __get__(self, of: Any, kind: type | None = None) -> Any:  # noqa: ANN401 - a field of any type
        if of is None:
            return self
        value = of.__dict__[self.name]
        if type(value) is not Sealed:
            return value
        if not value.closed:
            return value.value
        return self.blank(of) if value.shown is None else value.shown

    def __set__(self, of: Any, value: object) -> None:  # noqa: ANN401 - a record of any kind
        of.__dict__[self.name] = value


def rebuilt(old: R, /, **changes: object) -> R:
    """Return *old* with *changes* as they are: a value that replaces a sealed one is not sealed."""
    return _with(old, changes)


def _with(old: R, changes: dict[str, object]) -> R:
    known = old.__dict__
    copy = known | changes
    kind: Any = type(old)
    if len(copy) != len(known):
        raise _no_field(kind, changes.keys() - known.keys())
    if HIDING in known:
        del copy[HIDING]
    if DERIVED in known:
        del copy[DERIVED]
    computed = kind._computed  # noqa: SLF001 - this is `COMPUTED`
    if computed:
        for name in changes:
            if name in computed:
                if not computed[name]:
                    raise _no_field(kind, {name})
                for attribute in computed[name]:
                    copy.pop(attribute, None)
    new = _new(kind)
    _set_fields(new, "__dict__", copy)
    return new  # type: ignore[no-any-return]  # of the class of *old*


def _no_field(kind: type, names: set[str]) -> AssertionError:
    return AssertionError(f"no field of {kind.__name__}: {', '.join(sorted(names))}")


def derived(of: R, name: Hashable, derive: Callable[[R], V]) -> V:
    """Return `derive(of)`, computed once and cached in the record, because neither ever changes.

    The work that reads it spends the steps that it takes to compute, whether or not it was cached before.
    """
    known: dict[Hashable, Cached[V]] = of.__dict__.setdefault(DERIVED, {})
    kept = known.get(name)
    if kept is not None:
        return kept.read()
    kept = known[name] = Cached(lambda: derive(of))
    return kept.value


def in_order(values: Mapping[str, V]) -> Mapping[str, V]:
    """Return *values* by rising keys: to decide and to fold meet them in different orders."""
    return dict(sorted(values.items()))


def with_key(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    """Return *mapping* with *key* set, in the order of first insertion, so iteration is reproducible."""
    return {**mapping, key: value}


def without_key(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """Return *mapping* without *key*, which may be missing."""
    return {k: v for k, v in mapping.items() if k != key}
