"""Rules are values: each is declared once, enforced somewhere, and found by the code that enforces it."""

from __future__ import annotations

import re
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

import pytest

from service import rules
from service.audit.explain import watched
from service.rules.heartrush.body.weapons import may_wield
from service.rules.heartrush.books import BOOKS as HEARTRUSH_BOOKS
from service.rules.heartrush.moving.grapple import size_edges
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import (
    BY_CODE,
    HOMES,
    RULES,
    RULING,
    SHARED_PARTS,
    Book,
    Rule,
    because,
    enforces,
    key_of,
    refuser,
    rules_in,
    speaker,
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
    found = BY_CODE[key_of(home.__code__)]
    assert tuple(one.id for one in found) == ids
    assert {HOMES[HEARTRUSH_RULES[name]] for name in ids} == {(f"{home.__module__}.{home.__qualname__}",)}


def rule(id_: str, *settles: str) -> Rule:
    return Rule(id_, "A test says so.", RULING, settles=settles)


def test_code_that_enforces_two_rules_cites_both() -> None:
    @enforces(rule("T-1", "A-1", "A-2"), rule("T-2", "A-1"))
    def both() -> Generator[str, None, None]:
        yield "so it is"

    tale = both()
    next(tale)
    assert speaker(tale) == ("T-1", "T-2", "A-1", "A-2")
    _, steps = watched(lambda: list(both()))
    assert [(step.rule, step.depth) for step in steps] == [("T-1", 0), ("T-2", 0)]


def test_a_refusal_names_the_first_rule_of_its_code() -> None:
    @enforces(rule("T-3"), rule("T-4"))
    def never() -> None:
        raise Refused("no", "never")

    with pytest.raises(Refused, match="never") as caught:
        never()
    assert refuser(caught.value.__traceback__) == "T-3"


def test_a_rule_may_have_two_homes_and_an_id_one_rule() -> None:
    one = rule("T-5")

    @enforces(one)
    def first() -> None: ...

    @enforces(one)
    class Second:
        def act(self) -> None: ...

    assert [home.rpartition(".")[2] for home in HOMES[one]] == ["first", "Second"]
    assert BY_CODE[key_of(first.__code__)] == BY_CODE[key_of(Second.act.__code__)] == (one,)
    with pytest.raises(AssertionError, match="T-5 is declared twice"):
        enforces(rule("T-5"))(first)


def test_every_rule_is_found_by_code_or_has_none_that_runs() -> None:
    found = {one.id for rules in BY_CODE.values() for one in rules}
    assert {name for name in HEARTRUSH_RULES if name.startswith("HR-")} - found == set()
    assert because(()) == ()


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
        "@kit.enforces(RULE)\ndef home():\n    yield\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {}
    for name in ("COPY-1", "COPY-2"):
        module = f"ruleset_of_{name[-1]}"
        (tmp_path / f"{module}.py").write_text(source.format(name))
        emits = import_module(module).home()
        next(emits)
        found[name] = speaker(emits)
    assert found == {"COPY-1": ("COPY-1",), "COPY-2": ("COPY-2",)}
    assert {id_ for _, id_ in RULES} >= {"COPY-1", "COPY-2"}


def test_every_package_of_the_rules_is_shared_or_a_rulesets() -> None:
    """A new shared package that is not listed would have ids of its own beside those of the others."""
    (home,) = rules.__path__
    packages = {path.parent.name for path in Path(home).glob("*/__init__.py")}
    assert packages == {*SHARED_PARTS, "heartrush", "rise"}
