"""The same fight has the same bytes wherever it is decided, and its bundle is valid wherever it is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.audit.elsewhere import ROOT, SURROUNDINGS, run, told_by

PYTHONS = [sys.executable, *map(str, sorted(ROOT.glob(".venv/pythons/*/bin/python")))]
"""This one, and those that `make pythons` has set up."""


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=lambda found: found["TZ"])
@pytest.mark.overnight
def test_a_bundle_is_the_same_and_valid_under_any_hash_seed_locale_and_time_zone(
    tmp_path: Path, python: str, surroundings: dict[str, str]
) -> None:
    here = run(tmp_path)

    assert [line.rpartition(" ")[2] for line in here] == ["valid_unsigned"] * 4
    assert told_by(python, tmp_path, surroundings) == here
