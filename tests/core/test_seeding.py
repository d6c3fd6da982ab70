"""Mode mixed: seats commit to seeds, reveal them, and only then are there dice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.dice.chain import Anchor, epoch_key, seal, seat_commitment
from service.dice.stream import faces
from service.record.canonical import eid_of
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor
from service.rules.rolls.seeding import Seeding
from service.rules.ruleset import legal, waiting
from service.usecases.openings import opening_faults
from tests.support.tiny_game import TINY
from tests.support.tiny_table import GM, Sitting, player

SEEDS = {"ada": bytes(range(32)), "bo": bytes(range(32, 64)), "gm": b"g" * 32}
ADA, BO = player("ada"), player("bo")


@pytest.fixture
def sitting() -> Sitting:
    sitting = Sitting()
    sitting.open(seeding={"mode": "mixed", "seats": ["ada", "bo"]})
    return sitting


def commit(sitting: Sitting, by: Actor) -> dict[str, Any]:
    made = seat_commitment(eid_of(sitting.encounter), by.seat, SEEDS[by.seat])
    return told(sitting, "commit_seed", by, commitment=made.hex())


def reveal(sitting: Sitting, by: Actor, seed: bytes | None = None) -> dict[str, Any]:
    return told(sitting, "reveal_seed", by, seed=(seed or SEEDS[by.seat]).hex())


def told(sitting: Sitting, type_: str, by: Actor = GM, **data: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sitting.do(type_, by, **data).raw)
    return found


def code(answer: dict[str, Any]) -> str:
    return str(answer["refusal"]["code"])


def owed(sitting: Sitting) -> list[str]:
    return [each.prompt for each in waiting(sitting.state) if each.prompt.startswith("dice/")]


def test_TABLE_SEED_3_the_last_seed_seals_the_dice_and_they_follow_from_all(sitting: Sitting) -> None:
    assert owed(sitting) == ["dice/commit/ada", "dice/commit/bo"]
    commit(sitting, ADA)
    commit(sitting, BO)
    assert owed(sitting) == ["dice/reveal/ada", "dice/reveal/bo"]
    reveal(sitting, BO)
    assert [event["type"] for event in reveal(sitting, ADA)["events"]] == ["seed_revealed", "dice_sealed"]
    assert owed(sitting) == []

    eid = eid_of(sitting.encounter)
    lanes = [Anchor(lane.lane, lane.n, bytes.fromhex(lane.anchor)) for lane in sitting.state.dice.lanes]
    sealed = seal(eid, lanes, {"ada": SEEDS["ada"], "bo": SEEDS["bo"]})
    assert sitting.state.sealing.seal == sealed.hex()
    key = epoch_key(sitting.secrets.chains[0].link(1), sealed, eid, 0, 1)
    (roll,) = told(sitting, "roll", sides=20)["rolls"]
    assert [die["face"] for die in roll["dice"]] == list(faces(key, "table", 0, [20]))


def test_other_seeds_give_other_dice_and_the_host_chose_before_them() -> None:
    shown = []
    for seed in (bytes(32), b"\x01" * 32):
        sitting = Sitting()
        opened = sitting.open(seeding={"mode": "mixed", "seats": ["ada"]})
        made = seat_commitment(eid_of(sitting.encounter), "ada", seed)
        sitting.do("commit_seed", ADA, commitment=made.hex())
        sitting.do("reveal_seed", ADA, seed=seed.hex())
        dice = [json.loads(sitting.do("roll", sides=1000).raw)["rolls"][0]["dice"] for _ in range(4)]
        shown.append((opened.raw, dice))

    assert shown[0][0] == shown[1][0]
    assert shown[0][1] != shown[1][1]


def test_TABLE_SEED_4_what_needs_a_die_is_refused_before_and_the_rest_is_not(sitting: Sitting) -> None:
    commit(sitting, ADA)

    assert code(told(sitting, "roll")) == "dice_not_sealed"
    assert code(told(sitting, "roll_behind_screen", dice=[6], what="luck")) == "dice_not_sealed"
    assert told(sitting, "add", amount=3)["outcome"] == "accepted"
    assert told(sitting, "end_round")["outcome"] == "accepted"


def test_TABLE_SEED_1_a_seat_commits_once_and_only_a_listed_one() -> None:
    sitting = Sitting()
    sitting.open(seeding={"mode": "mixed", "seats": ["ada"]})

    assert code(commit(sitting, BO)) == "seat_not_listed"
    assert code(told(sitting, "commit_seed", ADA, commitment="AB" * 32)) == "seed_malformed"
    commit(sitting, ADA)
    assert code(commit(sitting, ADA)) == "seed_committed_already"
    reveal(sitting, ADA)
    assert code(commit(sitting, ADA)) == "dice_are_sealed"


def test_TABLE_SEED_3_nobody_reveals_before_all_have_committed_or_another_seed(sitting: Sitting) -> None:
    commit(sitting, ADA)
    assert code(reveal(sitting, ADA)) == "seeds_not_committed"
    commit(sitting, BO)
    assert code(reveal(sitting, ADA, bytes(32))) == "seed_does_not_fit"
    reveal(sitting, ADA)
    assert code(reveal(sitting, ADA)) == "no_seed_owed"


def test_TABLE_SEED_2_a_waiver_counts_until_the_first_seed_is_in_and_is_named(sitting: Sitting) -> None:
    commit(sitting, ADA)
    assert code(told(sitting, "waive_seed", ADA, seat="bo")) == "not_gm"
    assert told(sitting, "waive_seed", seat="bo", reason="left early")["outcome"] == "accepted"
    assert code(told(sitting, "waive_seed", BO)) == "seed_committed_already"
    sealed = reveal(sitting, ADA)["events"][-1]

    assert (sealed["type"], sealed["waived"], list(sealed["seats"])) == ("dice_sealed", ["bo"], ["ada"])


def test_TABLE_SEED_2_no_waiver_after_a_seed_was_seen(sitting: Sitting) -> None:
    commit(sitting, ADA)
    commit(sitting, BO)
    reveal(sitting, ADA)

    assert code(told(sitting, "waive_seed", BO)) == "seed_revealed_already"
    assert code(told(sitting, "waive_seed", seat="bo")) == "seed_revealed_already"


def test_all_may_waive_and_then_the_host_alone_seeds(sitting: Sitting) -> None:
    told(sitting, "waive_seed", ADA)
    sealed = told(sitting, "waive_seed", BO)["events"][-1]

    assert (sealed["seats"], sealed["waived"]) == ({}, ["ada", "bo"])
    assert told(sitting, "roll")["outcome"] == "accepted"


def test_in_mode_server_nobody_adds_a_seed() -> None:
    sitting = Sitting()
    sitting.open()

    assert code(commit(sitting, ADA)) == "seat_not_listed"


def test_an_encounter_may_be_given_up_before_its_dice_are_sealed(sitting: Sitting) -> None:
    commit(sitting, ADA)
    events = told(sitting, "close")["events"]

    assert (events[0]["type"], events[0]["abandoned"]) == ("closing_begun", True)
    assert owed(sitting) == []


def test_what_is_offered_to_a_seat_is_accepted(sitting: Sitting) -> None:
    """A bot that takes the first offer each time gets through to sealed dice."""
    while not sitting.state.dice_sealed:
        awaited, offers = next(
            (awaited, offers)
            for seat in ("ada", "bo")
            for awaited, offers in legal(TINY, sitting.state, seat)
            if awaited.prompt.startswith("dice/")
        )
        answer = told(sitting, offers[0].type, player(awaited.seat), **offers[0].given)
        assert answer["outcome"] == "accepted", answer


@pytest.mark.parametrize(
    ("seeding", "pointer"),
    [
        ({"mode": "mixed"}, "/seeding/seats"),
        ({"mode": "server", "seats": ["ada"]}, "/seeding/seats"),
        ({"mode": "mixed", "seats": ["nobody"]}, "/seeding/seats/0"),
        ({"mode": "mixed", "seats": ["ada", "ada"]}, "/seeding/seats/1"),
        ({"epochs": 0}, "/seeding/epochs"),
        ({"epochs": 65_537}, "/seeding/epochs"),
    ],
)
def test_a_seeding_that_cannot_be_is_named_with_its_place(seeding: dict[str, Any], pointer: str) -> None:
    assert [found[0] for found in opening_faults(TINY, {"seeding": seeding})] == [pointer]


def test_an_opening_whose_dice_are_seeded_otherwise_than_asked_is_refused() -> None:
    sitting = Sitting()
    raw = sitting.open(seeding={"mode": "mixed", "seats": ["ada"]})
    other = Sitting()
    forged = sitting.requests[0].replace(
        b'"mode":"mixed","seats":["ada"]}', b'"mode":"server","seats":[]}', 1
    )
    assert forged != sitting.requests[0]

    assert json.loads(raw.raw)["outcome"] == "accepted"
    assert json.loads(other.put(forged).raw)["refusal"]["code"] == "opening_not_possible"


@pytest.mark.parametrize(("length", "code"), [(0, None), (500, None), (501, "params_missing")])
def test_TABLE_SEED_2_a_waiver_has_a_reason_of_at_most_500_characters(
    sitting: Sitting, length: int, code: str | None
) -> None:
    found = told(sitting, "waive_seed", seat="bo", reason="x" * length)
    assert found.get("refusal", {}).get("code") == code


@pytest.mark.parametrize("seed", ["", "ab" * 31, "AB" * 32, "zz" * 32])
def test_TABLE_SEED_3_a_seed_is_64_hexadecimal_digits(sitting: Sitting, seed: str) -> None:
    commit(sitting, ADA)
    commit(sitting, BO)
    assert code(told(sitting, "reveal_seed", ADA, seed=seed)) == "seed_malformed"


@pytest.mark.parametrize(
    ("seeding", "other"),
    [
        ({"mode": "mixed", "seats": ["ada"]}, {}),
        ({"mode": "mixed", "seats": ["ada", "bo"]}, {"mode": "mixed", "seats": ["ada"]}),
    ],
)
def test_TABLE_SEED_1_and_TABLE_OPEN_1_dice_set_up_otherwise_do_not_open(
    seeding: dict[str, Any], other: dict[str, Any]
) -> None:
    sitting = Sitting()
    setup = to_data(sitting.secrets.setup(from_data(Seeding, other)))
    sitting.open(seeding=seeding, dice=setup)
    found = json.loads(sitting.written[-1].raw)["refusal"]
    assert (found["code"], found["rule"]) == ("opening_not_possible", "TABLE-SEED-1")
