"""A sample of what `make mutations` tries, and the checker itself, which must see planted faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.audit.fight import verify_fight
from tests.audit import games
from tests.audit.causes import CAUSES, matrix, off_diagonal
from tests.audit.expected import canonical
from tests.audit.mutants import KINDS, mutant_of
from tests.audit.mutations import alarms, missed

MUTANTS, CLEAN, EACH = 400, 40, 8


def nothing(*_: object) -> None:
    """Find nothing."""


@pytest.fixture
def tiny_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the fights of the rulebooks out: a planted fault is seen in tiny games as well."""
    monkeypatch.setattr(games, "BIG_SHARE", 0.0)


def test_every_mutant_is_found_and_called_by_its_name() -> None:
    assert {mutant_of(seed).kind for seed in range(MUTANTS)} == {kind.__name__ for kind in KINDS} - {
        "filed"
    } | {"receipt", "paper"}
    assert missed(range(MUTANTS)) == []


def test_no_clean_bundle_raises_an_alarm() -> None:
    assert alarms(range(CLEAN)) == []


def test_six_causes_are_each_called_by_their_name() -> None:
    table = matrix(range(EACH))

    assert off_diagonal(table) == []
    assert {name: sum(row.values()) for name, row in table.items()} == dict.fromkeys(CAUSES, EACH)


@pytest.mark.usefixtures("tiny_alone")
@pytest.mark.parametrize(
    "fault",
    [
        "service.audit.integrity._check_chain",
        "service.audit.integrity._check_contents",
        "service.audit.integrity._check_heads",
        "service.audit.integrity.check_completeness",
    ],
)
def test_an_audit_that_looks_away_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(fault, nothing)

    assert missed(range(150)), f"without {fault} nothing is missed"


@pytest.mark.usefixtures("tiny_alone")
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("service.audit.dice._check", "dice_invalid was taken for not_deterministic"),
        ("service.audit.redecide.Redecider._check_fold", ""),
    ],
)
def test_an_audit_that_takes_one_cause_for_another_is_seen(
    monkeypatch: pytest.MonkeyPatch, fault: str, cause: str
) -> None:
    monkeypatch.setattr(fault, nothing)

    found = off_diagonal(matrix(range(3)))

    assert any(cause in line for line in found) if cause else found == []


@pytest.mark.usefixtures("tiny_alone")
def test_an_audit_that_sees_what_is_not_there_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = verify_fight

    def nervous(fight: Any, registry: Any, **terms: Any) -> Any:
        last = fight[-1]
        return real(fight if len(last.commits) % 2 else [*fight[:-1], cut(last)], registry, **terms)

    def cut(evidence: Any) -> Any:

        return replace(evidence, count=evidence.count + 1)

    monkeypatch.setattr("service.audit.held.verify_fight", nervous)

    assert alarms(range(10))


def test_the_checkers_own_reader_knows_the_one_spelling() -> None:
    assert canonical(b'{"a":1,"b":[]}') == {"a": 1, "b": []}
    for text in (b'{"b":1,"a":1}', b'{"a": 1}', b'{"a":1.0}', b"[]", b"\xff", b'{"a":NaN}'):
        assert canonical(text) is None, text
