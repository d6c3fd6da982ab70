"""The ruleset of the page is whole: it keeps every law of the conformance suite."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from service.conformance.check import check_ruleset

PAGE = Path(__file__).parents[2] / "docs" / "write-a-ruleset.md"


def test_the_ruleset_of_the_page_keeps_every_law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "race.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    opening = {
        "edition": "race@1",
        "racers": ["ann", "bo", "cid"],
        "seats": [{"seat": "ann", "creatures": ["ann"]}],
    }

    report = check_ruleset(import_module("race").RACE, [opening], plays=3, steps=20)

    assert [str(violation) for violation in report.violations] == []
    assert report.commands > 10
