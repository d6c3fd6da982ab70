"""What is wrong with an installed ruleset fails the start, and the failure names its package."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import Final

import pytest

from service.added_rulesets import GROUP
from service.rules.registry import REGISTRY
from service.rulesets import RulesetUnusable, with_entry_points
from tests.rulesets.conftest import DUEL, Environment, made

SOURCE: Final = (DUEL / "rewound_duel.py").read_text("utf-8")


def point(place: Path, module: str, source: str, value: str = "DUEL") -> EntryPoint:
    """Return the entry point of a package `bad-book` whose only module is *source*."""
    (place / f"{module}.py").write_text(source)
    metadata = place / "bad_book-2.0.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-book\nVersion: 2.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nbad = {module}:{value}\n")
    (found,) = (each for dist in distributions(path=[str(place)]) for each in dist.entry_points)
    return found


@pytest.mark.parametrize(
    ("module", "source", "value", "said"),
    [
        ("bad_import", "import no_such_module", "DUEL", "No module named 'no_such_module'"),
        ("bad_value", "", "DUEL", "has no attribute 'DUEL'"),
        ("bad_kind", "DUEL = 'duel@1'", "DUEL", "is a str and not a Ruleset"),
        ("bad_edition", SOURCE.replace('"duel@1"', '"Duel"'), "DUEL", "edition 'Duel' is not a name like"),
        ("bad_clash", SOURCE.replace('"duel@1"', '"rise@1"'), "DUEL", "which Rewound itself has already"),
        ("bad_rules", SOURCE.replace('"DUEL-2"', '"DUEL-1"'), "DUEL", "DUEL-1 is declared twice"),
        ("bad_shared", SOURCE.replace('"DUEL-2"', '"TABLE-SEAT-1"'), "DUEL", "TABLE-SEAT-1 is a rule of"),
        ("bad_hint", SOURCE.replace("    move: Move\n", "    move: Moove\n"), "DUEL", "name 'Moove' is not"),
        ("bad_field", SOURCE.replace("    move: Move\n", "    move: float\n"), "DUEL", ".move holds a float"),
        (
            "bad_sentence",
            SOURCE.replace("the moves: {moves}", "{mooves}"),
            "DUEL",
            "has {mooves}, which is none",
        ),
        (
            "bad_frame",
            SOURCE.replace("    amount: kit.Count | None = None\n", "    amount: list[int] | None = None\n"),
            "DUEL",
            "Strike.amount holds a list, which is neither a record",
        ),
        ("bad_twice", SOURCE.replace("*(Choose, Answer)", "*(Choose, Choose)"), "DUEL", "of two messages"),
    ],
)
def test_a_faulty_entry_point_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, source: str, value: str, said: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RulesetUnusable) as caught:
        with_entry_points(REGISTRY, [point(tmp_path, module, source, value)])
    sys.modules.pop(module, None)
    assert "the package bad-book 2.0" in str(caught.value)
    assert said in str(caught.value)


def test_a_directory_in_the_place_of_a_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "parent" / "bad_shadow"
    home.mkdir(parents=True)
    found = point(home, "bad_shadow", SOURCE)
    monkeypatch.syspath_prepend(str(home.parent))
    with pytest.raises(RulesetUnusable) as caught:
        with_entry_points(REGISTRY, [found])
    sys.modules.pop("bad_shadow", None)
    assert f"it is the directory {home}: start in another directory than its parent" in str(caught.value)


def test_two_packages_may_use_the_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    first = point(tmp_path, "one_book", SOURCE.replace('"duel@1"', '"one@1"'))
    second = point(tmp_path, "two_book", SOURCE.replace('"duel@1"', '"two@1"'))
    every = with_entry_points(REGISTRY, [first, second])
    assert set(every) == {*REGISTRY, "one@1", "two@1"}


def test_two_packages_with_one_edition_are_both_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [point(tmp_path, name, SOURCE) for name in ("once_book", "again_book")]
    with pytest.raises(RulesetUnusable, match=r"bad-book 2.0 adds the edition duel@1, which the package bad"):
        with_entry_points(REGISTRY, points)


@pytest.mark.overnight
def test_a_faulty_ruleset_fails_every_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pyproject.toml").write_text((DUEL / "pyproject.toml").read_text("utf-8"))
    (broken / "README.md").write_text("A duel that cannot be imported.")
    (broken / "rewound_duel.py").write_text("import no_such_module\n")
    environment: Environment = made(tmp_path / "environment", broken)
    commands = (("serve",), ("worker",), ("play", DUEL / "duel.json"))
    for words in commands:
        said = environment.rewound(*words, status=2 if words == ("worker",) else 1)
        assert "the package rewound-duel 1.0.0 adds the ruleset rewound_duel:DUEL" in said
    assert environment.rewound("openapi", "--check") == environment.rewound("rules", "--check")
