"""Rules are found by the code that is their home, also where two chapters share one."""

from __future__ import annotations

from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from service.audit.explain import watched
from service.rules.heartrush.creatures.weapons import may_wield
from service.rules.heartrush.offensives.grapple import size_edges
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import BY_CODE, because, key_of, refuser, rule, rules_in, speaker

HEARTRUSH_RULES = rules_in(("service.rules.heartrush",))


@pytest.mark.parametrize(
    ("home", "ids"),
    [(size_edges, ("HR-GRAP-2", "HR-SIZE-7")), (may_wield, ("HR-WPN-11", "HR-SIZE-5"))],
)
def test_rules_that_share_a_home_are_both_found_the_nearest_first(home: Any, ids: tuple[str, ...]) -> None:
    found = BY_CODE[key_of(home.__code__)]
    assert tuple(one.id for one in found) == ids
    assert {HEARTRUSH_RULES[name].home for name in ids} == {found[0].home}


def test_rules_that_share_a_home_are_both_named_where_it_speaks() -> None:
    @rule("T-2", "a test", settles=("A-1",))
    @rule("T-1", "a test", settles=("A-1", "A-2"))
    def both() -> Generator[str, None, None]:
        """Say something that two chapters say."""
        yield "so it is"

    tale = both()
    next(tale)
    assert speaker(tale) == ("T-1", "T-2", "A-1", "A-2")
    _, steps = watched(lambda: list(both()))
    assert [(step.rule, step.depth) for step in steps] == [("T-1", 0), ("T-2", 0)]


def test_a_refusal_names_the_rule_nearest_the_code() -> None:
    @rule("T-4", "a test")
    @rule("T-3", "a test")
    def never() -> None:
        """Say no."""
        raise Refused("no", "never")

    with pytest.raises(Refused, match="never") as caught:
        never()
    assert refuser(caught.value.__traceback__) == "T-3"


def test_every_rule_is_found_by_code_or_has_none_that_runs() -> None:
    found = {one.id for rules in BY_CODE.values() for one in rules}
    assert {name for name in HEARTRUSH_RULES if name.startswith("HR-")} - found == set()
    assert because(()) == ()


def test_a_copy_of_a_ruleset_has_rules_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal code in two files is two homes: each cites its own rule."""
    head = 'from service.rules.kit import rule\n\n@rule("{}", "a test")\n'
    source = head + 'def home():\n    """So it is."""\n    yield\n'
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {}
    for name in ("COPY-1", "COPY-2"):
        module = f"ruleset_of_{name[-1]}"
        (tmp_path / f"{module}.py").write_text(source.format(name))
        emits = import_module(module).home()
        next(emits)
        found[name] = speaker(emits)
    assert found == {"COPY-1": ("COPY-1",), "COPY-2": ("COPY-2",)}
