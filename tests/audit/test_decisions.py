"""What the gm and the host decided outside the rules is listed from declared events, by both verifiers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from service.audit.bundle import read
from service.audit.certificate import certificate
from service.audit.decisions import KINDS, ORDER
from service.audit.evening import judge_evening, read_evening
from service.audit.held import Held, judge
from service.audit.unseen import unseen
from service.audit.verify import verify
from service.audit.witness_policy import BadPolicy, read_policy
from service.cli.judging import print_report
from service.cli.terminal import Terminal
from service.record.commit import load_commit, load_request
from service.record.quarantine import DISPUTED, KILLED, because
from service.rules.registry import REGISTRY
from tests.audit.evidence_of import evidence_of
from tests.audit.games import RULES, written
from tests.audit.test_moved_dice import KEY, keyed, said
from tests.audit.test_quarantines import set_aside
from tests.support.javascript_verifier import as_bundle, node
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import GM, Sitting, player

OTHER_KEY = "ab" * 32


def reported(sitting: Sitting, pinned: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the certificate of a game, with what both verifiers list of it; they list the same."""
    raw = as_bundle(evidence_of(sitting))
    assert raw is not None
    evidence = replace(read(raw), seat_keys=pinned or {})
    found = certificate(verify(evidence, SHELF))
    without = certificate(verify(evidence, {}, without_rules=True))
    told = json.loads(node("tests/clients/decisions.mjs", json.dumps(pinned or {}), told=raw.decode()))
    for name in ("decisions", "seat_keys", "unseen"):
        assert told[name] == without[name] == found[name], name
    assert told["lines"] == [line for line in told["lines"] if line]
    return found


def shown(found: dict[str, Any]) -> str:
    console = Terminal(record=True, width=200, quiet=False)
    with console.capture() as captured:
        print_report(found, console)
    return captured.get()


def test_the_kinds_are_those_that_events_declare() -> None:
    rulesets = (*REGISTRY.values(), TINY)
    declared = {t: e.decides for ruleset in rulesets for t, e in ruleset.events.items() if e.decides}

    assert declared == dict(KINDS)
    assert set(KINDS.values()) | {"veto", "loss"} == set(ORDER)
    assert json.loads(node("tests/clients/kinds.mjs")) == dict(KINDS)


def test_a_ruleset_of_another_package_declares_its_own() -> None:
    sitting = keyed()
    sitting.do("add", amount=1)
    events = {**TINY.events}
    (added,) = json.loads(sitting.written[-1].raw)["events"]
    kind = events[added["type"]]
    events[added["type"]] = type("Declared", (kind,), {"decides": "whim", "type": kind.type})
    ruleset = replace(TINY, events=events)
    found = certificate(verify(evidence_of(sitting), {TINY.edition: ruleset}))

    assert [(each["n"], each["kind"]) for each in found["decisions"]] == [(2, "key"), (3, "whim")]


def test_what_is_decided_outside_the_rules_is_at_the_head_of_the_report() -> None:
    sitting = Sitting()
    sitting.open()
    sitting.do("set_seat_key", player("bo"), seat="bo", key=KEY)
    sitting.do("advance_epoch", reason="a pause")
    sitting.do("accept_history", reason="lost", lost={"size": 1, "root": "ab" * 32}, epoch=1)
    for cause in (KILLED, KILLED, DISPUTED):
        set_aside(sitting, "choose", {"number": 3}, because(cause, TINY))
    sitting.do("accept_history", reason="lost", lost={"size": 1, "root": "ab" * 32}, epoch=1)
    found = reported(sitting)

    assert [each["kind"] for each in found["decisions"]] == ["key", "epoch", "loss", *["veto"] * 3, "loss"]
    text = shown(found)
    assert (
        "veto       3: commits 5, 6, 7; set aside by the host without a decision (2 killed, 1 disputed)"
        in text
    )
    assert "nobody but the host knows whether workers died" in text
    assert "loss       2, by gm: commits 4, 8" in text
    assert "epoch      1, by gm: commit 3" in text
    assert text.index("loss  ") < text.index("encounter  ")


def test_whose_keys_spoke_for_what_is_told_and_the_true_ones_are_asked_for() -> None:
    sitting = keyed()
    sitting.put(said(sitting, "add", 2, amount=1))
    sitting.do("set_seat_key", GM, seat="ada", key=OTHER_KEY)
    sitting.do("set_seat_key", GM, seat="ada", key=KEY)
    sitting.put(said(sitting, "add", 5, amount=1))
    found = reported(sitting)

    keys = [(each["key"][:2], each["n"], each["by"], each["commands"]) for each in found["seat_keys"]]
    assert keys == [(KEY[:2], 2, "ada", 1), ("ab", 4, "gm", 0), (KEY[:2], 5, "gm", 1)]
    assert "give --seat-key SEAT:KEY" in shown(found)
    given = reported(sitting, {"ada": KEY})
    assert [each["given"] for each in given["seat_keys"]] == [True, False, True]
    assert "give --seat-key" not in shown(given)


def with_a_late_command() -> Sitting:
    """Return a game in which three commits, one a decision, came before a command that ada had signed."""
    sitting = keyed()
    raw = said(sitting, "add", 2, amount=1)
    sitting.do("add", amount=1)
    sitting.do("advance_epoch", reason="a pause")
    sitting.do("add", player("bo"), amount=1)
    sitting.put(raw)
    return sitting


def test_what_came_between_the_head_that_a_seat_saw_and_its_command_is_told() -> None:
    sitting = with_a_late_command()
    found = reported(sitting)

    assert found["unseen"] == [{"n": 6, "seat": "ada", "head": 2, "commits": 3, "decisions": 1}]
    assert "ada had not seen 3 before commit 6, 1 of them decisions" in shown(found)


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        ("3 1", "valid_unsigned_to_epoch(0)"),
        ("2 1", "outdated(6)"),
        ("3 0", "outdated(6)"),
        ("0 0", "outdated(6)"),
    ],
)
def test_a_policy_bounds_what_came_between_the_head_and_the_command(bound: str, verdict: str) -> None:
    sitting = with_a_late_command()
    bundle_of = written(replace(evidence_of(sitting), seat="gm"))
    policy = read_policy(f"unseen {bound}\n".encode())
    found = judge(bundle_of, Held(policy=policy), RULES).verdict
    assert str(found) == verdict
    evening = {"fight.jsonl": bundle_of, "policy.txt": f"unseen {bound}\n".encode()}
    (fight,) = judge_evening(read_evening(evening.items()), Held(), RULES)
    assert fight.report.verdict == found, "an evening needs no log for it"


@pytest.mark.parametrize(
    "line", ["unseen 1", "unseen 1 2 3", "unseen 01 1", "unseen -1 0", "unseen 1 1\nunseen 1 1", "unseen 1 x"]
)
def test_a_bound_that_is_none_is_no_policy_to_either(line: str) -> None:
    text = f"quorum none\n{line}\n"
    with pytest.raises(BadPolicy):
        read_policy(text.encode())
    told = json.loads(node("tests/clients/log_vectors.mjs", told=json.dumps([text, "unseen 1 0\n"])))
    assert told["policies"] == [False, True]


def test_what_a_seat_sent_itself_is_not_unseen() -> None:
    sitting = keyed()
    first = said(sitting, "add", 2, amount=1)
    sitting.put(first)
    again = said(sitting, "add", 2, amount=2)
    sitting.put(again)
    commits = [load_commit(each.raw) for each in sitting.written]
    assert unseen(commits, [load_request(raw) for raw in sitting.requests], []) == ()
