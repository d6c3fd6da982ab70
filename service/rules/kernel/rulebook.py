"""Declare each rule once, as a value, and mark the code that is the rule.

A rule is a value at the head of its module: an id, a statement in our own words, and where its books have it.
`@enforces` marks the code that is the rule: a function or class, in as many places as the rule has lines. A
marked generator names its rules in the events that it emits (`naming.py`); any other function stays as it is,
and costs nothing extra to call. A refusal is raised with the id of its rule; without one it is by the rule of
the `check` that it leaves. Code that enforces several rules cites all of them, in the order in which the mark
names them. An event names another rule by its id in `because`. An id is unique in its package, so rulesets of
two authors may use the same ids.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from service.rules.kernel.naming import Mark, emits, naming

T = TypeVar("T")

Home: TypeAlias = tuple[str, str]
"""A function: its module and its qualified name."""


@dataclass(frozen=True)
class Book:
    """A book that rules come from, in one of its editions."""

    title: str
    edition: str = ""
    text: str = ""
    """What it is and where a reader finds it, for `docs/books.md`."""

    @property
    def name(self) -> str:
        """The title, and the edition if there are several."""
        return f"{self.title}, {self.edition}" if self.edition else self.title

    def at(self, chapter: str) -> "Source":
        """Return the source that is *chapter* of this book."""
        return Source(self, chapter)


@dataclass(frozen=True)
class Source:
    """Where a book has a rule: a chapter, and mostly a heading in it."""

    book: Book
    chapter: str = ""
    heading: str = ""

    def at(self, heading: str) -> "Source":
        """Return the source that is *heading* in this chapter."""
        return replace(self, heading=heading)

    def __str__(self) -> str:
        """Return the source as a reader looks it up."""
        place = ", ".join(part for part in (self.chapter, self.heading) if part)
        return f"{self.book.name}: {place}" if place else self.book.name


RULING: Final = Source(Book("ruling of this service"))
"""The source of a rule on what the books leave open, or on what only a service needs."""


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule; two are never equal, because rulesets may use the same ids."""

    id: str
    statement: str
    """The rule in our own words, never the book's sentences."""
    sources: Source | tuple[Source, ...]
    settles: tuple[str, ...] = ()
    """The ambiguities of the ledger (A-.., C-..) that this rule decides."""
    left_open: str = ""
    """What the books and the ledger leave open, of a rule that answers it; empty for one that they have."""

    @property
    def places(self) -> tuple[Source, ...]:
        """Each source by itself."""
        return self.sources if isinstance(self.sources, tuple) else (self.sources,)

    @property
    def source(self) -> str:
        """Where the books have the rule, as a reader looks it up."""
        return "; ".join(str(place) for place in self.places)


SHARED: Final = "service.rules"
"""The package of the rules that every ruleset has."""

_MARK: Final = "_mark"
"""The attribute of a marked function with its `Mark`."""
_rules: Final[dict[tuple[str, str], Rule]] = {}  # filled while modules import, read-only afterwards
_homes: Final[dict[Rule, tuple[str, ...]]] = {}
_marks: Final[dict[Home, Mark]] = {}

RULES: Final[Mapping[tuple[str, str], Rule]] = MappingProxyType(_rules)
"""The rules by package and id."""
HOMES: Final[Mapping[Rule, tuple[str, ...]]] = MappingProxyType(_homes)
"""The code that enforces each rule, by the names of its modules, functions and classes."""
MARKS: Final[Mapping[Home, Mark]] = MappingProxyType(_marks)
"""The mark of each function that enforces a rule."""


def enforces(*rules: Rule) -> Callable[[T], T]:
    """Mark a function or a class as code that enforces *rules*.

    Raises `AssertionError` if another rule of the same package has the id of one of them.
    """

    def mark(home: T) -> T:
        module = getattr(home, "__module__", "")
        package = package_of(module)
        for rule in rules:
            known = _rules.setdefault((package, rule.id), rule)
            assert known is rule, f"{rule.id} is declared twice"
            _homes[rule] = (*_homes.get(rule, ()), f"{module}.{getattr(home, '__qualname__', '')}")
        if isinstance(home, FunctionType):
            return entered(home)  # type: ignore[no-any-return]  # it takes the place of *home*
        for name, member in functions_of(home).items():
            found = member if isinstance(member, FunctionType) else member.__func__
            made = entered(found)
            if made is not found:
                setattr(home, name, made if found is member else type(member)(made))
        return home

    def entered(function: Any) -> Any:  # noqa: ANN401 - of any type
        made: Mark | None = vars(function).get(_MARK)
        if made is None:
            made = function.__dict__[_MARK] = _marks[function.__module__, function.__qualname__] = Mark()
            function = naming(function, made) if emits(function) else function
        made.add([rule.id for rule in rules], [each for rule in rules for each in rule.settles])
        return function

    return mark


def rule_of(function: object) -> str | None:
    """Return the id of the first rule that *function* enforces, None if it enforces none."""
    mark: Mark | None = getattr(function, _MARK, None)
    return mark.rules[0] if mark is not None else None


def functions_of(home: object) -> Mapping[str, Any]:
    """Return the functions of a class, also static ones and those of the class, by name.

    Those that Python calls are left out, because records share them.
    """
    kinds = (FunctionType, staticmethod, classmethod)
    return {
        name: member
        for name, member in vars(home).items()
        if isinstance(member, kinds) and not name.startswith("__")
    }


def package_of(module: str) -> str:
    """Return the package in which the ids of the rules in *module* are unique."""
    first, *inside = module.removeprefix(f"{SHARED}.").split(".")
    if not module.startswith(f"{SHARED}."):
        return module.split(".", maxsplit=1)[0]
    return f"{SHARED}.{first}" if inside and first not in SHARED_PARTS else SHARED


SHARED_PARTS: Final = ("contests", "kernel", "rolls", "secrecy", "space", "table")
"""The packages in `SHARED` that are no ruleset's; the ids of their rules are unique together."""


def rules_in(packages: Iterable[str], *, shared: bool = True) -> Mapping[str, Rule]:
    """Return the rules that code in *packages* enforces, and if *shared* those of every ruleset, by id.

    Raises `AssertionError` for an id that two of them have.
    """
    insides = tuple([f"{package}." for package in packages])
    found: dict[str, Rule] = {}
    for (package, id_), rule in _rules.items():
        if (shared and package == SHARED) or any(home.startswith(insides) for home in _homes[rule]):
            assert id_ not in found, f"{id_} is a rule of {_homes[found[id_]][0]} and of {_homes[rule][0]}"
            found[id_] = rule
    return MappingProxyType(found)
