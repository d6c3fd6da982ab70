"""What the formats demand of lines, requests and seeds, each by name, in both verifiers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from service.audit import notes
from service.audit.evidence import Evidence
from service.dice.chain import Anchor, seal, seat_commitment
from service.record.canonical import dumps, eid_of
from tests.audit.evidence_of import forged, resealed, root_of
from tests.audit.games import written
from tests.audit.refitted import at, changed, unsigned, verdicts, with_events, with_request
from tests.audit.shapes import mixed_game
from tests.support.javascript_verifier import OTHERWISE, as_bundle

Line = dict[str, Any]
LINK = {"kind": "disclosure", "lane": 0, "epoch": 1, "link": "a" * 64}
SEED = {"type": "seed_revealed", "seat": "ada", "seed": "a" * 64, "because": []}


def lines_of(evidence: Evidence) -> list[Line]:
    return [json.loads(line) for line in written(evidence).splitlines()]


def spelled(lines: list[Line]) -> bytes:
    return b"".join(dumps(line) + b"\n" for line in lines)


def twice(verdict: str) -> tuple[str, str]:
    return verdict, verdict


# --- lines ---------------------------------------------------------------------------------------------


def test_lines_stand_in_one_order() -> None:
    lines = lines_of(mixed_game())
    commits = len(mixed_game().commits)
    key = next(number for number, line in enumerate(lines) if line["kind"] == "key")
    early = [lines[0], lines[key], *lines[1:key], *lines[key + 1 :]]
    assert verdicts(spelled(early)) == twice("malformed(0)")
    behind = [*lines[: key + 1], LINK, *lines[key + 1 :]]
    assert verdicts(spelled(behind)) == twice(f"malformed({commits})")
    above = [*lines[:3], lines[-2], *lines[3:-2], lines[-1]]
    assert verdicts(spelled(above)) == twice("malformed(1)")


def test_a_rotation_is_a_note_and_a_count_no_negative_number() -> None:
    commits = len(mixed_game().commits)
    for kind, change in (("key", {"rotation": "x"}), ("trailer", {"count": -1})):
        lines = lines_of(mixed_game())
        next(line for line in lines if line["kind"] == kind).update(change)
        assert verdicts(spelled(lines)) == twice(f"malformed({commits})"), kind


def test_a_header_names_an_encounter_before_anything_else_is_read() -> None:
    lines = lines_of(mixed_game())
    lines[0]["encounter"], lines[1]["n"] = "ABC", 7
    assert verdicts(spelled(lines)) == twice("malformed(0)")


@pytest.mark.parametrize("odd", [2**255 - 19 + 1, 1 | 1 << 255], ids=["beyond the field", "minus zero"])
def test_a_public_key_has_one_spelling(odd: int) -> None:
    """Both spell the point that signs everything, as no encoder would: a library may take that for a key."""
    key, name = odd.to_bytes(32, "little"), f"rewound.example/{unsigned().encounter}"
    signature = (1).to_bytes(32, "little") + bytes(32)
    text = f"{name}\n3\n{notes.base64(root_of(unsigned().commits[:3]))}\n"
    note = f"{text}\n\N{EM DASH} {name} {notes.base64(notes.id_of(name, key) + signature)}\n"
    found = [
        {"kind": "key", "name": "rewound.example", "public": key.hex()},
        {"kind": "checkpoint", "note": note},
    ]
    *lines, trailer = lines_of(unsigned())
    assert verdicts(spelled([*lines, *found, trailer | {"checkpoints": 1}])) == twice("tampered(3)")


# --- requests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(nonce="0" * 31),
        lambda data: data.update(at="2026-01-02 03:04:05"),
        lambda data: data.update(v=2),
        lambda data: data.update(more=1),
        lambda data: data.pop("batch"),
        lambda data: data["actor"].update(name="Zoe"),
        lambda data: data.update(batch={"id": "b", "index": 0, "of": 1, "stop": 1}),
    ],
)
def test_a_request_that_is_none_is_malformed(change: Callable[[Line], object]) -> None:
    game = unsigned()
    n = at(game, "roll_begun")
    assert verdicts(with_request(game, n, change)) == twice(f"malformed({n})")


def test_a_request_to_another_encounter_is_tampered_with() -> None:
    game = unsigned()
    n = at(game, "roll_begun")
    raw = with_request(game, n, lambda data: data.update(encounter="00000000-0000-0000-0000-00000000000f"))
    assert verdicts(raw) == twice(f"tampered({n})")


def test_no_envelope_lies_in_an_envelope() -> None:
    inner = {"sealed": "a" * 64, "audience": [], "opens": "x"}
    place = min(unsigned().opened)
    raw = as_bundle(resealed(unsigned(), place, lambda payload: payload["events"].append(inner)))
    assert raw is not None
    assert verdicts(raw) == twice(f"malformed({place[0]})")


# --- links and lanes -----------------------------------------------------------------------------------


def test_a_line_that_discloses_another_link_than_the_record_is_invalid() -> None:
    lines = lines_of(unsigned())
    assert verdicts(spelled([*lines[:-1], LINK, lines[-1]])) == twice("dice_invalid")
    found = next(line for line in lines if line["kind"] == "commit" and "epoch_closed" in line["bytes"])
    (link,) = [event["link"] for event in json.loads(found["bytes"])["events"] if "link" in event]
    assert verdicts(spelled([*lines[:-1], LINK | {"link": link}, lines[-1]])) == (
        "valid_unsigned",
        OTHERWISE,
    )


def test_a_seed_of_a_lane_without_an_anchor_is_invalid() -> None:
    raw, n = changed("encounter_closed", lambda event: event.update(lane=7))
    assert verdicts(raw) == twice(f"dice_invalid({n})")


def test_a_roll_of_dice_that_were_not_published_is_invalid() -> None:
    game = unsigned()
    n = at(game, "roll_begun")
    raw = with_request(game, 1, lambda data: data["data"].update(dice=None))
    assert verdicts(raw) == twice(f"dice_invalid({n}, 1/0/table#0)")


# --- seeds of seats ------------------------------------------------------------------------------------


def sealing_of(game: Evidence, seeds: dict[str, bytes]) -> Line:
    """Return what a host would tell that seals the dice with these seeds, and no others."""
    data = json.loads(game.requests[0] or b"")["data"]["dice"]
    anchors = [Anchor(lane["lane"], lane["n"], bytes.fromhex(lane["anchor"])) for lane in data["lanes"]]
    digits = {seat: seed.hex() for seat, seed in seeds.items()}
    return {"seats": digits, "seal": seal(eid_of(game.encounter), anchors, seeds).hex()}


def test_a_seed_that_was_left_out_of_the_seal_is_missed() -> None:
    raw, n = changed("dice_sealed", lambda event: event.update(sealing_of(unsigned(), {"ada": b"a" * 32})))
    assert verdicts(raw) == twice(f"dice_invalid({n})")


def test_who_commits_again_or_is_waived_after_a_seed_was_seen_is_found() -> None:
    other = seat_commitment(eid_of(unsigned().encounter), "bo", b"c" * 32).hex()
    again = {"type": "seed_committed", "seat": "bo", "commitment": other, "because": []}
    waived = {"type": "seed_waived", "seat": "bo", "by": "gm", "reason": "", "because": []}
    for late in (again, waived):
        raw, (n,) = with_events("seed_revealed", late)
        assert verdicts(raw) == twice(f"dice_invalid({n})"), late["type"]
    raw, (n,) = with_events("seed_committed", {**again, "seat": "ada"})
    assert verdicts(raw) == twice(f"dice_invalid({n})"), "before the first seed, too"
    raw, (n,) = with_events("seed_committed", {**again, "seat": "eve"})
    assert verdicts(raw) == twice(f"dice_invalid({n})"), "nor one that was not listed"


def test_no_die_falls_before_the_dice_are_sealed() -> None:
    game = unsigned()
    rolls = json.loads(game.commits[at(game, "roll_begun") - 1])["rolls"]
    early = at(game, "seed_committed")
    raw = as_bundle(forged(game, early, lambda commit: commit.update(rolls=rolls)))
    assert raw is not None
    assert verdicts(raw) == twice(f"dice_invalid({early}, 1/0/table#0)")
    sealed = at(game, "dice_sealed")

    def leave_open(commit: dict[str, Any]) -> None:
        commit["events"] = [event for event in commit["events"] if event["type"] != "dice_sealed"]

    never = as_bundle(forged(game, sealed, leave_open))
    assert never is not None
    assert verdicts(never) == twice(f"dice_invalid({at(game, 'roll_begun')}, 1/0/table#0)")


def test_a_game_that_was_sealed_as_it_must_be_is_valid() -> None:
    assert verdicts(written(mixed_game())) == ("valid_unsigned", OTHERWISE)
