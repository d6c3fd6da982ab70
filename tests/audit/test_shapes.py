"""A sample of what `make shapes` tries, and each strictness by name, in both verifiers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.record.canonical import dumps
from tests.audit.cases import case_of, differences
from tests.audit.cases import main as tried
from tests.audit.games import signed, written
from tests.audit.refitted import at, changed, unsigned, verdicts, with_events, with_request
from tests.audit.shapes import crashes, mixed_game, reshaped
from tests.support.javascript_verifier import OTHERWISE
from tests.support.tiny_table import Sitting

SHAPES, TWICE = 300, 150
Line = dict[str, Any]


def broken(*_: object) -> None:
    raise KeyError


# --- any shape -----------------------------------------------------------------------------------------


def test_whatever_stands_in_a_bundle_an_audit_ends_with_a_verdict() -> None:
    assert crashes(range(SHAPES)) == []


def test_both_verifiers_say_the_same_of_any_shape() -> None:
    assert differences(range(TWICE)) == []
    assert case_of(1) == case_of(1)


def test_an_audit_that_breaks_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.audit.shapes.verify", broken)
    assert len(crashes(range(20))) > 5
    monkeypatch.setattr("tests.audit.cases.expected", lambda _: "valid")
    assert len(differences(range(20))) > 15
    monkeypatch.setattr("tests.audit.cases.judge", broken)
    assert [line for line in differences(range(20)) if "KeyError" in line]
    monkeypatch.setattr("sys.argv", ["cases", "0"])
    assert tried() == 0
    assert reshaped(1) == reshaped(1)


# --- each strictness -----------------------------------------------------------------------------------


def test_dice_of_another_algorithm_or_mode_are_malformed() -> None:
    odd: tuple[Line, ...] = (
        {"algorithm": "rewound/dice/2"},
        {"mode": "honest"},
        {"chain": "ABC"},
        {"lanes": [{}]},
        {"x": 1},
    )
    for change in odd:
        raw = with_request(unsigned(), 1, lambda data, change=change: data["data"]["dice"].update(change))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == ("malformed(1)", "malformed(1)"), change


def test_digits_in_capitals_or_with_spaces_are_malformed() -> None:
    def anchor(data: Line, change: Callable[[str], str]) -> None:
        lane = data["data"]["dice"]["lanes"][0]
        lane["anchor"] = change(lane["anchor"])

    for change in (str.upper, lambda text: " ".join((text[:32], text[32:]))):
        raw = with_request(unsigned(), 1, lambda data, change=change: anchor(data, change))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == ("malformed(1)", "malformed(1)")
    for type_, field in (
        ("epoch_closed", "link"),
        ("encounter_closed", "seed"),
        ("dice_sealed", "seal"),
    ):
        raw, n = changed(type_, lambda event, field=field: event.update({field: f" {event[field]}"}))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == (f"malformed({n})", f"malformed({n})"), field


def test_what_discloses_no_epoch_of_a_lane_is_malformed() -> None:
    for field, odd in (("epoch", "1"), ("epoch", None), ("lane", True), ("lane", [0]), ("epoch", {})):
        raw, n = changed("epoch_closed", lambda event, field=field, odd=odd: event.update({field: odd}))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == (f"malformed({n})", f"malformed({n})"), (field, odd)


def test_a_sealing_of_another_shape_is_malformed() -> None:
    for type_, change in (
        ("dice_sealed", {"seats": []}),
        ("dice_sealed", {"seal": None}),
        ("dice_sealed", {"seats": {"ada": 7}}),
    ):
        raw, n = changed(type_, lambda event, change=change: event.update(change))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == (f"malformed({n})", f"malformed({n})"), change


def test_a_seed_of_another_shape_is_malformed_and_one_that_nobody_sent_is_forged() -> None:
    made = {"type": "seed_committed", "because": [], "seat": "ada", "commitment": "A" * 64}
    for odd in (made, made | {"seat": "ADA", "commitment": "a" * 64}, made | {"commitment": 7}):
        raw, (n,) = with_events("seed_committed", odd)
        assert verdicts(raw) == (f"malformed({n})", f"malformed({n})"), odd
    changes: tuple[Line, ...] = ({"seat": {}}, {"seat": "bo"}, {"commitment": "a" * 64})
    for change in changes:
        raw, n = changed("seed_committed", lambda event, change=change: event.update(change))  # type: ignore[misc]  # bound now
        assert verdicts(raw) == (f"forged_command({n})", f"forged_command({n})"), change


def test_a_request_is_withheld_or_there_and_nothing_between() -> None:
    lines = [json.loads(line) for line in written(mixed_game()).splitlines()]
    lines[1] = {"kind": "command", "n": 1, "withheld": False}
    assert verdicts(b"".join(dumps(line) + b"\n" for line in lines)) == ("malformed(0)", "malformed(0)")


def test_dice_of_an_opening_that_was_refused_are_not_asked_for() -> None:
    sitting = Sitting()
    sitting.do("reveal_seed", seed="a" * 64)
    evidence = replace(signed(sitting.encounter, sitting), notes=(), keys=())
    assert json.loads(evidence.commits[0])["outcome"] == "refused"
    raw = with_request(evidence, 1, lambda data: data["data"].update(dice={"algorithm": 5}))
    assert verdicts(raw) == ("not_deterministic(1, /refusal/code)", OTHERWISE)


# --- checkpoints ---------------------------------------------------------------------------------------


def without(size: int, *, counted: bool) -> bytes:
    """Return the bundle of a game without the checkpoint of *size*; with *counted* the trailer fits."""
    lines = [json.loads(line) for line in written(mixed_game()).splitlines()]
    kept = [
        line for line in lines if line["kind"] != "checkpoint" or int(line["note"].split("\n")[1]) != size
    ]
    assert len(kept) == len(lines) - 1
    kept[-1]["checkpoints"] -= counted
    return b"".join(dumps(line) + b"\n" for line in kept)


def test_a_checkpoint_that_was_taken_out_is_missed() -> None:
    game = mixed_game()
    close, end, last = at(game, "epoch_closed"), at(game, "encounter_closed"), len(game.commits)
    assert (end, len(game.notes)) == (last, 2)
    for size in (close, end):
        assert verdicts(without(size, counted=False)) == (f"malformed({last})", f"malformed({last})")
    assert verdicts(without(close, counted=True)) == (f"malformed({close})", f"malformed({close})")


def test_without_its_last_checkpoint_a_closed_record_is_unsigned_from_there() -> None:
    game = mixed_game()
    end, close = len(game.commits), at(game, "epoch_closed")
    assert verdicts(without(end, counted=True)) == (f"unsigned_from({close + 1})",) * 2


def test_keys_without_a_checkpoint_are_malformed() -> None:
    lines = [json.loads(line) for line in written(mixed_game()).splitlines()]
    kept = [line for line in lines if line["kind"] != "checkpoint"]
    kept[-1]["checkpoints"] = 0
    raw = b"".join(dumps(line) + b"\n" for line in kept)
    last = len(mixed_game().commits)
    assert verdicts(raw) == (f"malformed({last})", f"malformed({last})")
