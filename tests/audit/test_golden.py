"""Every golden bundle audits as it did when it was recorded; `make golden` is for a rulebook that changed."""

from __future__ import annotations

import json

import pytest

from service.audit.verdict import SIGNED
from tests.audit.golden import AUDITS, FIGHTS, HOME, audit_of
from tests.support.javascript_verifier import Case, judged
from tests.support.tiny_table import SIGNER

CHANGED = (
    "this build decides a recorded fight otherwise. If that is meant, say so in CHANGELOG.md under Rulebook "
    "and run `make golden`; a released edition gets a new revision instead"
)


def test_every_golden_bundle_has_its_audit_and_every_audit_its_bundle() -> None:
    names = {path.stem for path in HOME.glob("*.jsonl")}

    assert names == set(FIGHTS) == set(json.loads(AUDITS.read_text("utf-8")))


@pytest.mark.parametrize("name", FIGHTS)
def test_a_golden_bundle_audits_as_it_did_when_it_was_recorded(name: str) -> None:
    audit = audit_of((HOME / f"{name}.jsonl").read_bytes())

    assert audit["verdict"]["name"] in SIGNED, CHANGED
    assert audit == json.loads(AUDITS.read_text("utf-8"))[name], CHANGED


def test_each_kind_of_dice_and_of_line_is_among_them() -> None:
    audits = json.loads(AUDITS.read_text("utf-8"))
    assert {each["dice"]["mode"] for each in audits.values()} == {"server", "mixed"}
    assert [each for each in audits["heartrush-mixed"]["decisions"] if each["kind"] == "waiver"]
    assert audits["heartrush-mixed"]["counts"]["rolls_checked"] > 0
    assert [each["kind"] for each in audits["heartrush-redone"]["lines"]] == ["undo", "redo"]
    assert [name for name, each in audits.items() if each["counts"]["faces_declared"]], (
        "nobody threw dice of their own"
    )


def test_the_second_verifier_finds_nothing_wrong_with_any_of_them() -> None:
    cases = [Case((HOME / f"{name}.jsonl").read_bytes(), pinned=(SIGNER.public,)) for name in FIGHTS]
    assert judged(cases) == ["valid_without_rules"] * len(FIGHTS)
