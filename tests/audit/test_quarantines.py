"""A veto shows: a command that the host sets aside crashes for everybody, or the audit names it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.audit.evidence import Evidence
from service.audit.redecide import CRASHES_HERE, NOT_REPEATED
from service.audit.report import Report
from service.audit.verify import verify
from service.cli.judging import STATUS
from service.core.decide import decide_request, quarantine_request
from service.record.commit import load_commit
from service.record.quarantine import CRASHED, KILLED, Quarantine, because
from service.rules.kernel.meter import spend
from tests.audit.bundle_vectors import KEY, spelled, why
from tests.audit.evidence_of import evidence_of
from tests.audit.games import signed_throughout
from tests.support.javascript_verifier import Case, judged, node
from tests.support.tiny_game import TINY, RollFrame
from tests.support.tiny_table import Sitting, player, request

SHELF = {TINY.edition: TINY}
ROLLING = RollFrame.advance
SKIPPED = {"cause": CRASHED, "error": "IndexError", "place": "service.rules.table.stack:82", "rule": None}


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tiny game's requests name the digest that its rules have: 64 zeros."""
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


def crash(sitting: Sitting, raw: bytes) -> Quarantine:
    """Return what an honest host says of a command that crashes."""
    with pytest.raises(AssertionError, match="burst") as raised:
        decide_request(TINY, sitting.folded, raw, len(sitting.written) + 1, sitting.secrets)
    return because(CRASHED, TINY, raised.value)


def lie(**changed: Any) -> Quarantine:
    """Return what a host says that sets a command aside because it does not like it."""
    return {**because(KILLED, TINY), **SKIPPED, **changed}


def set_aside(sitting: Sitting, type_: str, data: dict[str, Any], quarantine: Quarantine | None) -> int:
    """Let the host set a command of ada aside; None: because it crashes. Return its number."""
    n = len(sitting.written) + 1
    raw = request(n, type_, data, player("ada"), sitting.encounter)
    said = crash(sitting, raw) if quarantine is None else quarantine
    sitting.written.append(quarantine_request(sitting.folded, raw, n, said))
    sitting.requests.append(raw)
    return n


def opened() -> Sitting:
    sitting = Sitting()
    sitting.open()
    return sitting


def host_signed(sitting: Sitting) -> Evidence:
    """Return the closed record, signed throughout by the host's key, which its reader knows."""
    sitting.do("close")
    return replace(signed_throughout(evidence_of(sitting)), seat="gm", pinned=(bytes.fromhex(KEY),))


def audited(evidence: Evidence) -> Report:
    return verify(evidence, SHELF)


def test_a_command_that_crashes_says_where_and_crashes_in_the_audit_too() -> None:
    sitting = opened()
    n = set_aside(sitting, "burst", {"how": "raise"}, None)

    said = load_commit(sitting.written[-1].raw).quarantine
    report = audited(host_signed(sitting))

    assert said is not None
    assert (said["error"], said["place"].partition(":")[0]) == ("AssertionError", "tests.support.tiny_game")
    assert str(report.verdict) == "valid"
    (finding,) = report.findings
    assert finding.name == CRASHES_HERE
    assert finding.detail.startswith(f"command {n}: AssertionError at tests.support.tiny_game:")


def test_a_host_that_sets_aside_a_command_that_does_not_crash_is_named() -> None:
    sitting = opened()
    n = set_aside(sitting, "choose", {"number": 3}, lie())

    evidence = host_signed(sitting)
    report = audited(evidence)

    assert str(report.verdict) == f"false_quarantine({n})"
    assert "IndexError" in report.verdict.detail
    assert STATUS[report.verdict.name] == 24
    assert judged([Case(spelled(evidence), pinned=evidence.pinned)]) == ["valid_without_rules"]


def test_a_host_that_names_code_that_nobody_has_is_named_all_the_same() -> None:
    sitting = opened()
    n = set_aside(sitting, "choose", {"number": 3}, lie(code="cd" * 32))

    assert str(audited(host_signed(sitting)).verdict) == f"rules_changed({n})"


def test_what_is_said_to_have_killed_its_workers_is_not_repeated_and_the_report_says_so() -> None:
    sitting = opened()
    set_aside(sitting, "burst", {"how": "kill"}, because(KILLED, TINY))

    report = audited(host_signed(sitting))

    assert str(report.verdict) == "valid"
    assert report.counts.quarantined == 1
    assert [finding.name for finding in report.findings] == [NOT_REPEATED]


def test_a_host_that_says_that_its_workers_died_is_named_where_that_is_repeated_on_request() -> None:
    sitting = opened()
    n = set_aside(sitting, "choose", {"number": 3}, because(KILLED, TINY))

    report = verify(host_signed(sitting), SHELF, repeats_killed=True)

    assert str(report.verdict) == f"false_quarantine({n})"
    assert "its workers died" in report.verdict.detail


def test_a_command_whose_dice_are_not_disclosed_yet_is_repeated_once_they_are() -> None:
    sitting = opened()
    n = set_aside(sitting, "roll", {"sides": 6}, lie())

    before = audited(evidence_of(sitting))
    after = audited(host_signed(sitting))

    assert str(before.verdict).startswith("valid_unsigned_to_epoch")
    assert [finding.name for finding in before.findings] == [NOT_REPEATED]
    assert str(after.verdict) == f"false_quarantine({n})"


def test_a_command_set_aside_as_disputed_needs_a_loss_in_both_verifiers() -> None:
    sitting = opened()
    n = set_aside(sitting, "choose", {"number": 3}, why("disputed"))

    evidence = host_signed(sitting)

    assert str(audited(evidence).verdict) == f"false_quarantine({n})"
    assert judged([Case(spelled(evidence), pinned=evidence.pinned)]) == [f"false_quarantine({n})"]


def test_the_javascript_verifier_says_that_it_does_not_repeat_a_crash(tmp_path: Path) -> None:
    sitting = opened()
    set_aside(sitting, "choose", {"number": 3}, lie())
    file = tmp_path / "fight.jsonl"
    file.write_bytes(spelled(host_signed(sitting)))

    text = node("clients/javascript/verify.mjs", str(file), "--key", KEY, "--without-rules")

    assert (
        "set aside by the host without a decision (1 crashed); whether deciding fails is not checked here"
        in text
    )


def too_slow(frame: RollFrame, state: Any, chance: Any) -> Any:
    """Throw the die, and then work without end."""
    yield from ROLLING(frame, state, chance)
    while True:
        spend()


def test_a_command_that_was_stopped_for_its_work_is_stopped_in_the_audit_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(RollFrame, "advance", too_slow)
    sitting = opened()
    n = len(sitting.written) + 1
    sitting.do("roll", sides=6)
    refusal = load_commit(sitting.written[-1].raw).refusal

    before = audited(evidence_of(sitting))
    evidence = host_signed(sitting)
    honest = audited(evidence)
    monkeypatch.setattr(RollFrame, "advance", ROLLING)
    lied = audited(evidence)

    assert refusal is not None
    assert refusal["code"] == "too_much_work"
    assert str(before.verdict).startswith("valid_unsigned_to_epoch")
    assert [finding.name for finding in before.findings] == [NOT_REPEATED], "its die is not disclosed yet"
    assert (str(honest.verdict), [*honest.findings]) == ("valid", [])
    assert str(lied.verdict) == f"not_deterministic({n}, /events/0)"
