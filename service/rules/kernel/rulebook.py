"""Give every rule one home in the code and one id, and find which rule made an event or a refusal.

`@rule` does not change what it marks: it registers id, source, statement and code object. The rule of an
event is read from the running generator (`speaker`), that of a refusal from its traceback (`refuser`). So a
marked function costs nothing extra to call, and an explanation can watch the same code objects from outside.
The statement of a rule is the first line of its docstring, in our own words. One home may have several rules,
if two chapters have the same rule: its events cite all of them, the rule nearest to the code first. An id is
unique in its package, so rulesets of two authors may use the same ids.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, MappingProxyType, TracebackType
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

CodeKey: TypeAlias = tuple[str, CodeType]


@dataclass(frozen=True)
class Rule:
    """One rule of a book, and its home in the code."""

    id: str
    source: str
    settles: tuple[str, ...]
    """The ambiguities of the ledger (A-.., C-..) that this rule decides."""
    statement: str
    home: str
    package: str
    """The package in which the id is unique: that of a ruleset, or `SHARED`."""


SHARED: Final = "service.rules"
"""The package of the rules that every ruleset has."""

_rules: Final[dict[tuple[str, str], Rule]] = {}  # filled while modules import, read-only afterwards
_by_code: Final[dict[CodeKey, tuple[Rule, ...]]] = {}
_said_by_code: Final[dict[CodeKey, tuple[str, ...]]] = {}

RULES: Final[Mapping[tuple[str, str], Rule]] = MappingProxyType(_rules)
"""The rules by package and id."""
BY_CODE: Final[Mapping[CodeKey, tuple[Rule, ...]]] = MappingProxyType(_by_code)
"""The rules of each code object, the rule nearest to the code first."""


def key_of(code: CodeType) -> CodeKey:
    """Return the key of *code* in `BY_CODE`: with its file, since the code of a copied ruleset is equal."""
    return code.co_filename, code


def rule(id: str, source: str, *, settles: Iterable[str] = ()) -> Callable[[T], T]:  # noqa: A002 - the book's word
    """Mark a function or a class as the home of rule *id*; raises `AssertionError` for a second home."""

    def mark(home: T) -> T:
        statement = (getattr(home, "__doc__", None) or "").strip().split("\n")[0]
        assert statement, f"{id} has no statement"
        module = getattr(home, "__module__", "")
        package = package_of(module)
        assert (package, id) not in _rules, f"{id} has two homes"
        entry = Rule(
            id=id,
            source=source,
            settles=tuple(settles),
            statement=statement,
            home=f"{module}.{getattr(home, '__qualname__', '')}",
            package=package,
        )
        _rules[package, id] = entry
        for code in _codes(home):
            key = key_of(code)
            _by_code[key] = (*_by_code.get(key, ()), entry)
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


def rules_in(packages: Iterable[str]) -> Mapping[str, Rule]:
    """Return the rules with a home in *packages*, and those that every ruleset has, by id.

    Raises `AssertionError` for an id that two of them have.
    """
    homes = tuple([f"{package}." for package in packages])
    found: dict[str, Rule] = {}
    for each in _rules.values():
        if each.package == SHARED or each.home.startswith(homes):
            assert each.id not in found, f"{each.id} is a rule of {found[each.id].home} and of {each.home}"
            found[each.id] = each
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

    These are the ids of the innermost home's rules, then the ambiguities that they settle.
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
    """Return the id of the innermost rule in *trace* (the first, if its home has several), None if none."""
    found = None
    while trace is not None:
        rules = _by_code.get(key_of(trace.tb_frame.f_code))
        if rules is not None:
            found = rules[0].id
        trace = trace.tb_next
    return found
