"""Rules are values: each is declared once, enforced somewhere, and found by the code that enforces it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, ClassVar, Final

import pytest

from service import rules
from service.audit.explain import watched
from service.rules.heartrush.body.weapons import may_wield
from service.rules.heartrush.books import BOOKS as HEARTRUSH_BOOKS
from service.rules.heartrush.moving.grapple import size_edges
from service.rules.kernel.messages import Emits, Event, Private, Scope
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import (
    HOMES,
    MARKS,
    RULES,
    RULING,
    SHARED_PARTS,
    Book,
    Rule,
    enforces,
    rule_of,
    rules_in,
)
from service.rules.rise.books import BOOKS as RISE_BOOKS

HEARTRUSH_RULES: Final = rules_in(("service.rules.heartrush",))
MODULES: Final = [
    import_module(module.name)  # a rule is known once its module is imported
    for module in walk_packages(rules.__path__, "service.rules.")
]
DECLARED: Final = [
    (module.__name__, name, value)
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, Rule)
]


@pytest.mark.parametrize(
    ("home", "ids"),
    [(size_edges, ("HR-GRAP-2", "HR-SIZE-7")), (may_wield, ("HR-WPN-11", "HR-SIZE-5"))],
)
def test_code_that_enforces_two_rules_is_the_home_of_both(home: Any, ids: tuple[str, ...]) -> None:
    assert MARKS[home.__module__, home.__qualname__].rules == ids
    assert {HOMES[HEARTRUSH_RULES[name]] for name in ids} == {(f"{home.__module__}.{home.__qualname__}",)}


@record
class Said(Event[Any]):
    """What a test says."""

    type: ClassVar[str] = "said"

    def evolve(self, state: Any) -> Any:
        return state


def cited(emits: Emits[Any]) -> list[tuple[str, ...]]:
    """Return the `because` of each event that *emits* yields."""
    facts: Any = list(emits)
    return [getattr(fact, "event", fact).because for fact in facts]


def rule(id_: str, *settles: str) -> Rule:
    return Rule(id_, "A test says so.", RULING, settles=settles)


def test_code_that_enforces_two_rules_cites_both() -> None:
    @enforces(rule("T-1", "A-1", "A-2"), rule("T-2", "A-1"))
    def both() -> Emits[Any]:
        return (yield Said())

    assert cited(both()) == [("T-1", "T-2", "A-1", "A-2")]
    _, steps = watched(lambda: list(both()))
    assert [(step.rule, step.depth) for step in steps] == [("T-1", 0), ("T-2", 0)]


def test_the_innermost_generator_that_enforces_a_rule_names_the_event_and_none_that_is_named() -> None:
    @enforces(rule("T-7"))
    def inner() -> Emits[Any]:
        yield Said()
        return (yield Said(because=("T-9",)))

    def between() -> Emits[Any]:
        yield from inner()
        return (yield Said())

    @enforces(rule("T-8"))
    def outer() -> Emits[Any]:
        yield Said()
        yield from between()
        scope = Scope(audience=(), opens="later")
        return (yield Private(scope=scope, event=Said()))

    assert cited(outer()) == [("T-8",), ("T-7",), ("T-9",), ("T-8",), ("T-8",)]
    assert cited(between()) == [("T-7",), ("T-9",), ()]


def test_a_generator_that_enforces_a_rule_receives_states_and_returns_one() -> None:
    @enforces(rule("T-3"))
    def counted(least: int, *, most: int) -> Emits[Any]:
        """Count."""
        state = least
        while state < most:
            state = yield Said()
        return state

    emits: Any = counted(1, most=3)
    next(emits)
    assert emits.send(2).because == ("T-3",)
    with pytest.raises(StopIteration) as ended:
        emits.send(3)
    assert ended.value.value == 3
    assert (counted.__name__, counted.__doc__, counted.__module__) == ("counted", "Count.", __name__)


def test_a_function_that_emits_no_event_stays_as_it_is() -> None:
    def one() -> Iterator[Event[Any]]:
        yield Said()

    def other() -> int:
        return 1

    mark = enforces(rule("T-4"))
    assert [mark(one), mark(other)] == [one, other]
    assert (rule_of(one), rule_of(other), rule_of(rule)) == ("T-4", "T-4", None)


def test_a_rule_may_have_two_homes_and_an_id_one_rule() -> None:
    one = rule("T-5")

    @enforces(one)
    def first() -> None: ...

    @enforces(one)
    class Second:
        def act(self) -> None: ...

    assert [home.rpartition(".")[2] for home in HOMES[one]] == ["first", "Second"]
    assert rule_of(first) == rule_of(Second.act) == "T-5"
    with pytest.raises(AssertionError, match="T-5 is declared twice"):
        enforces(rule("T-5"))(first)


def test_every_rule_is_found_by_code_or_has_none_that_runs() -> None:
    found = {name for mark in MARKS.values() for name in mark.rules}
    assert {name for name in HEARTRUSH_RULES if name.startswith("HR-")} - found == set()


def test_every_rule_that_is_declared_is_enforced() -> None:
    assert len(DECLARED) > 400
    assert [f"{module}.{name}" for module, name, value in DECLARED if value not in HOMES] == []


def test_the_name_of_a_rule_is_its_id() -> None:
    """`make mutants` finds the lines of a rule by this name."""
    assert [(name, value.id) for _, name, value in DECLARED if name != value.id.replace("-", "_")] == []


def test_a_rule_is_declared_in_one_module() -> None:
    assert len({id(value) for _, _, value in DECLARED}) == len({value.id for _, _, value in DECLARED})


def test_every_statement_is_a_sentence() -> None:
    assert [rule.id for _, _, rule in DECLARED if not re.fullmatch(r"[A-Z0-9].*[^.]\.", rule.statement)] == []


@pytest.mark.parametrize(
    ("package", "books"),
    [("heartrush", HEARTRUSH_BOOKS), ("rise", RISE_BOOKS), ("table", ())],
)
def test_every_source_is_a_chapter_of_a_book_of_the_ruleset_or_a_ruling(
    package: str, books: tuple[Book, ...]
) -> None:
    declared = [rule for module, _, rule in DECLARED if module.startswith(f"service.rules.{package}.")]
    sources = [source for rule in declared for source in rule.places]
    assert declared
    assert {source.book for source in sources} == {*books, RULING.book}
    assert [source for source in sources if not source.chapter and source != RULING] == []


def test_a_source_is_written_as_a_reader_looks_it_up() -> None:
    book = Book("Rules", "second edition")
    assert str(book.at("Combat").at("Dash")) == "Rules, second edition: Combat, Dash"
    assert str(Book("Rules").at("Combat")) == "Rules: Combat"
    assert Rule("T-6", "So it is.", (book.at("Rests"), RULING)).source == (
        "Rules, second edition: Rests; ruling of this service"
    )


def test_a_copy_of_a_ruleset_has_rules_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal code in two files is two homes: each cites its own rule."""
    source = (
        "from service.rules import kit\n\n"
        'RULE = kit.Rule("{}", "So it is.", kit.Book("Copy").at("Rules"))\n\n\n'
        "@kit.enforces(RULE)\ndef home(event):\n    yield event\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {}
    for name in ("COPY-1", "COPY-2"):
        module = f"ruleset_of_{name[-1]}"
        (tmp_path / f"{module}.py").write_text(source.format(name))
        found[name] = cited(import_module(module).home(Said()))
    assert found == {"COPY-1": [("COPY-1",)], "COPY-2": [("COPY-2",)]}
    assert {id_ for _, id_ in RULES} >= {"COPY-1", "COPY-2"}


def test_every_package_of_the_rules_is_shared_or_a_rulesets() -> None:
    """A new shared package that is not listed would have ids of its own beside those of the others."""
    (home,) = rules.__path__
    packages = {path.parent.name for path in Path(home).glob("*/__init__.py")}
    assert packages == {*SHARED_PARTS, "heartrush", "rise"}
