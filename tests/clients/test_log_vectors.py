"""Both verifiers judge log proofs and policies alike, and as the vectors say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from service.audit import bundle
from service.audit.fight import verify_fight
from service.audit.logged import LOGGED, judge_log
from service.audit.report import Report
from service.audit.witness_policy import BadPolicy, read_policy
from tests.audit.log_vectors import HOME, TABLE, vectors
from tests.audit.test_cosignature import policy_lines
from tests.support.javascript_verifier import node

TOLD: Final[dict[str, Any]] = json.loads(TABLE.read_text("utf-8"))
POLICIES: Final = [
    *policy_lines(),
    "",
    "quorum none",
    "quorum none\n",
    "\t quorum\tnone \n",
    "#\u00e9\nquorum none\n",
    "quorum none\u0000\n",
]


def python(row: dict[str, Any]) -> Report:
    """Return what the verifier in Python says of a vector, without rules."""
    fight = bundle.read_fight((HOME / row["bundle"]).read_bytes(), pinned=[bytes.fromhex(TOLD["key"])])
    policy = read_policy((HOME / row["policy"]).read_bytes())
    report = verify_fight(fight, {}, without_rules=True)
    return judge_log(report, fight, (HOME / row["log-proof"]).read_bytes(), policy, row["delay"])


def is_policy(text: str) -> bool:
    """Return whether Python reads *text* as a policy."""
    try:
        read_policy(text.encode())
    except BadPolicy:
        return False
    return True


def test_both_verifiers_say_what_the_vectors_say() -> None:
    theirs = json.loads(node("tests/clients/log_vectors.mjs", told=json.dumps(POLICIES)))
    rows = TOLD["vectors"]
    reports = [python(row) for row in rows]

    assert [str(report.verdict) for report in reports] == [row["verdict"] for row in rows]
    assert [verdict for verdict, _, _ in theirs["said"]] == [row["verdict"] for row in rows]
    assert len({row["verdict"].partition("(")[0] for row in rows}) == 7
    for report, (_, detail, told) in zip(reports, theirs["said"], strict=True):
        if report.verdict.is_sound:
            assert [each.detail for each in report.findings if each.name == LOGGED] == [told]
        elif report.verdict.name != "bad_log_proof":
            assert report.verdict.detail == detail
    assert theirs["policies"] == [is_policy(text) for text in POLICIES]
    assert {True, False} == set(theirs["policies"])


def test_the_files_are_those_that_their_generator_makes(tmp_path: Path) -> None:
    for row, vector in zip(TOLD["vectors"], vectors(tmp_path), strict=True):
        assert (row["name"], row["verdict"]) == (vector.name, vector.verdict)
        assert (HOME / row["bundle"]).read_bytes() == vector.bundle
        assert (HOME / row["log-proof"]).read_bytes() == vector.proof
        assert (HOME / row["policy"]).read_text("utf-8") == vector.policy
