"""The ruleset of the page is whole: it keeps every law of the conformance suite."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from service.conformance.check import check_ruleset

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "write-a-ruleset.md"
HOME = ROOT / "examples" / "duel"
DUEL = (HOME / "rewound_duel.py").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return found


def lines(text: str) -> str:
    """Return *text* without blank lines and indentation, which a page's formatter changes."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_what_the_page_shows_of_the_duel_is_in_it() -> None:
    _, *shown = blocks("python")
    assert len(shown) == 10
    assert [block for block in shown if lines(block) not in lines(DUEL)] == []


def test_what_the_page_shows_of_a_project_adds_the_race() -> None:
    (project,) = map(tomllib.loads, blocks("toml"))
    assert project["project"]["entry-points"]["rewound.rulesets"] == {"race": "race:RACE"}
    assert (
        project["build-system"] == tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["build-system"]
    )


def test_the_ruleset_of_the_page_keeps_every_law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "race.py").write_text(blocks("python")[0])
    monkeypatch.syspath_prepend(str(tmp_path))
    (opening,) = map(json.loads, blocks("json"))

    report = check_ruleset(import_module("race").RACE, [opening], plays=3, steps=20)

    assert [str(violation) for violation in report.violations] == []
    assert report.commands > 10
