"""Declare each rule once, as a value, and find which rule made an event or a refusal.

A rule is a value at the head of its module: an id, a statement in our own words, and where its books have it.
`@enforces` marks the code that is the rule: a function or class, in as many places as the rule has lines. It
does not change what it marks: it registers the code object. The rule of an event is read from the running
generator (`speaker`), that of a refusal from its traceback (`refuser`). So a marked function costs nothing
extra to call, and an explanation can watch the same code objects from outside. Code that enforces several
rules cites all of them, in the order in which the mark names them. An event names another rule by its id in
`because`. An id is unique in its package, so rulesets of two authors may use the same ids.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from types import CodeType, FunctionType, MappingProxyType, TracebackType
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

CodeKey: TypeAlias = tuple[str, CodeType]


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

_rules: Final[dict[tuple[str, str], Rule]] = {}  # filled while modules import, read-only afterwards
_homes: Final[dict[Rule, tuple[str, ...]]] = {}
_by_code: Final[dict[CodeKey, tuple[Rule, ...]]] = {}
_said_by_code: Final[dict[CodeKey, tuple[str, ...]]] = {}

RULES: Final[Mapping[tuple[str, str], Rule]] = MappingProxyType(_rules)
"""The rules by package and id."""
HOMES: Final[Mapping[Rule, tuple[str, ...]]] = MappingProxyType(_homes)
"""The code that enforces each rule, by the names of its modules, functions and classes."""
BY_CODE: Final[Mapping[CodeKey, tuple[Rule, ...]]] = MappingProxyType(_by_code)
"""The rules of each code object, in the order in which events cite them."""


def key_of(code: CodeType) -> CodeKey:
    """Return the key of *code* in `BY_CODE`: with its file, since the code of a copied ruleset is equal."""
    return code.co_filename, code


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
        for code in _codes(home):
            key = key_of(code)
            _by_code[key] = (*_by_code.get(key, ()), *rules)
            _said_by_code[key] = because(_by_code[key])
        return home

    return mark


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


def _codes(home: object) -> Iterable[CodeType]:
    if isinstance(home, FunctionType):
        yield home.__code__
    else:
        for name, member in vars(home).items():
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType) and not name.startswith("__"):  # all records share those
                yield function.__code__


def speaker(tale: Generator[Any, Any, Any]) -> tuple[str, ...]:
    """Return the `because` of the event that *tale* has just yielded.

    These are the ids of the rules that the innermost code enforces, then the ambiguities that they settle.
    """
    found: tuple[str, ...] = ()
    inner: Any = tale
    while inner is not None:
        found = _said_by_code.get(key_of(inner.gi_code), found)
        inner = inner.gi_yieldfrom
    return found


def because(rules: tuple[Rule, ...]) -> tuple[str, ...]:
    """Return the ids of *rules*, then the ambiguities that they settle, each once."""
    said = (*(one.id for one in rules), *(ruling for one in rules for ruling in one.settles))
    return tuple(dict.fromkeys(said))


def refuser(trace: TracebackType | None) -> str | None:
    """Return the id of the innermost rule in *trace* (of several the first), None if there is none."""
    found = None
    while trace is not None:
        rules = _by_code.get(key_of(trace.tb_frame.f_code))
        if rules is not None:
            found = rules[0].id
        trace = trace.tb_next
    return found
