"""Give the rules their one kind of record: immutable, cheap to make and cheap to change one field of.

A frozen dataclass with slots takes 4 to 5 us for one `dataclasses.replace`; copying `__dict__` takes a tenth
of that, and a command changes several records. Its own `__init__` sets field by field past its own lock, so a
record has another, which fills `__dict__` at once. Every update of a state goes through `changed`, so this
file is the place to try another representation.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform

R = TypeVar("R")
K = TypeVar("K")
V = TypeVar("V")

PUBLIC: Final = "_public"
"""Where a record remembers whether nothing in it is sealed (see `sealed.py`); a changed record does not."""

SEEN: Final = "_seen"
"""Where it keeps the values in which nothing was; a changed record need not look into those it still has."""

DERIVED: Final = "_derived"
"""Where a record keeps what was once derived from it (see `derived`); a changed record does not."""


class _NoChanges(dict[Any, Any]):
    """The mapping with nothing in it, for good: a dict, for it is asked on every roll and by every view.

    Hashable, or Python 3.11 takes it for no record's default.
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        text = "what every record shares never changes"
        raise TypeError(text)

    __setitem__ = __delitem__ = __ior__ = update = setdefault = _refuse
    pop = popitem = clear = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # it never changes
        return 0


EMPTY: Final[Mapping[Any, Any]] = _NoChanges()
"""The mapping with nothing in it, safe to share as a default."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: type[R]) -> type[R]:
    """Make *cls* a frozen dataclass whose fields are named when it is built."""
    made = dataclass(frozen=True, kw_only=True, init=False)(cls)
    made.__init__ = _filling(made)  # type: ignore[method-assign]  # that is the idea
    if not hasattr(made, RESEALED):
        setattr(made, RESEALED, None)
    return made


def _filling(kind: type) -> Callable[..., None]:
    """Return the `__init__` of *kind*: it fills all fields, or says which are missing or unknown."""
    every = fields(kind)
    assert all(field.default_factory is MISSING for field in every), "a default never changes: it is shared"
    names = {field.name for field in every}
    defaults = {field.name: field.default for field in every if field.default is not MISSING}
    count = len(names)

    def __init__(self: object, /, **given: object) -> None:  # noqa: N807 - it becomes one
        known = self.__dict__
        known.update(defaults)
        known.update(given)
        if len(known) != count:  # one too many for one too few would pass: the types are for that
            text = f"{kind.__name__} lacks, or does not have: {', '.join(sorted(names ^ known.keys()))}"
            raise TypeError(text)

    return __init__


SEALABLE: Final = "_sealable"
"""Where a class of records names the fields that may hold something sealed (see `sealable.py`)."""

RESEALED: Final = "_resealed"
"""Where such a class says how changes are sealed as what they replace was; None for all others."""


def changed(old: R, /, **changes: object) -> R:
    """Return *old* with *changes*; a field it does not have is a programming mistake.

    What takes the place of something sealed is sealed as that was.
    """
    kind: Any = type(old)
    reseal = kind._resealed  # noqa: SLF001 - this is `RESEALED`, and getattr takes four times as long
    return _with(old, changes if reseal is None else reseal(old, changes))


def rebuilt(old: R, /, **changes: object) -> R:
    """Return *old* with exactly *changes* in it."""
    return _with(old, changes)


def _with(old: R, changes: dict[str, object]) -> R:
    known = old.__dict__
    copy = known | changes
    if len(copy) != len(known):
        text = f"no field of {type(old).__name__}: {changes.keys() - known.keys()}"
        raise AssertionError(text)
    if PUBLIC in known:
        del copy[PUBLIC]
    if DERIVED in known:
        del copy[DERIVED]
    new = object.__new__(type(old))
    object.__setattr__(new, "__dict__", copy)
    return new


def derived(of: R, name: str, derive: Callable[[R], V]) -> V:
    """Return what *derive* makes of a record, made once: neither the record nor the answer ever changes."""
    known: dict[str, Any] = of.__dict__.setdefault(DERIVED, {})
    if name not in known:
        known[name] = derive(of)
    found: V = known[name]
    return found


def with_key(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    """Return *mapping* with *key* set; order of first insertion is kept, so iteration is reproducible."""
    return {**mapping, key: value}


def without_key(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """Return *mapping* without *key*; a key it does not have is no fault."""
    return {k: v for k, v in mapping.items() if k != key}
