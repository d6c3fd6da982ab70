"""Give every rule one home and one id, and find which rule is speaking.

`@rule` changes nothing about what it marks: it writes down id, source and statement, and remembers the code
object. Who spoke is read off the running generator (`speaker`) or the traceback of a refusal (`refuser`), so
a rule costs nothing when it is called and an explanation can watch the same code objects from outside. The
statement of a rule is the first line of its docstring, in our own words.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, MappingProxyType, TracebackType
from typing import Any, Final, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """One rule of a book, and where it lives in the code."""

    id: str
    source: str
    settles: tuple[str, ...]
    """Ambiguities of the ledger (A-.., C-..) that this rule decides."""
    statement: str
    home: str

    @property
    def because(self) -> tuple[str, ...]:
        """What an event says of this rule: its id, then the ambiguity rulings it used."""
        return (self.id, *self.settles)


_rules: Final[dict[str, Rule]] = {}  # filled while modules import, read-only afterwards
_by_code: Final[dict[CodeType, Rule]] = {}

RULES: Final[Mapping[str, Rule]] = MappingProxyType(_rules)
BY_CODE: Final[Mapping[CodeType, Rule]] = MappingProxyType(_by_code)


def rule(id: str, source: str, *, settles: Iterable[str] = ()) -> Callable[[T], T]:  # noqa: A002 - the book's word
    """Mark a function or a class as the home of rule *id*; a second home for one id does not import."""

    def mark(home: T) -> T:
        statement = (getattr(home, "__doc__", None) or "").strip().split("\n")[0]
        assert statement, f"{id} has no statement"
        assert id not in _rules, f"{id} has two homes"
        entry = Rule(
            id=id,
            source=source,
            settles=tuple(settles),
            statement=statement,
            home=f"{getattr(home, '__module__', '')}.{getattr(home, '__qualname__', '')}",
        )
        _rules[id] = entry
        for code in _codes(home):
            _by_code[code] = entry
        return home

    return mark


def _codes(home: object) -> Iterable[CodeType]:
    if isinstance(home, FunctionType):
        yield home.__code__
    else:
        for member in vars(home).values():
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType):
                yield function.__code__


def speaker(tale: Generator[Any, Any, Any]) -> tuple[str, ...]:
    """Return what to write in `because` for the fact *tale* has just yielded: its innermost rule."""
    found: tuple[str, ...] = ()
    inner: Any = tale
    while inner is not None:
        entry = _by_code.get(inner.gi_code)
        if entry is not None:
            found = entry.because
        inner = inner.gi_yieldfrom
    return found


def refuser(trace: TracebackType | None) -> str | None:
    """Return the id of the innermost rule in *trace*, or None where no rule took part."""
    found = None
    while trace is not None:
        entry = _by_code.get(trace.tb_frame.f_code)
        if entry is not None:
            found = entry.id
        trace = trace.tb_next
    return found
