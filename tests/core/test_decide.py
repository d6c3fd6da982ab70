"""What becomes of a request: envelopes, refusals, marks; and that folding gives the state deciding gave."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.core.decide import DecidedCommit, quarantine_request
from service.dice.chain import envelope_commitment
from service.record.canonical import eid_of, envelope_salt, is_canonical, request_digest
from service.record.commit import Batch, fold_commit, load_commit, load_request
from service.record.quarantine import KILLED, because
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import Sealed
from service.rules.kernel.sealed import view
from tests.support.tiny_game import TINY, TinyState
from tests.support.tiny_table import GM, Sitting, eid, player, request, secrets_of

ADA, BO = player("ada"), player("bo")


@pytest.fixture
def sitting() -> Sitting:
    sitting = Sitting()
    sitting.open()
    return sitting


def _told(written: DecidedCommit[TinyState]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(written.raw)
    return data


def _payloads(written: DecidedCommit[TinyState]) -> dict[int, dict[str, Any]]:
    return {index: json.loads(lies.payload) for index, lies in written.sealed}


def _refolded(sitting: Sitting) -> TinyState:
    """Fold the sitting's bytes again, from nothing."""
    state = TINY.blank
    for raw, written in zip(sitting.requests, sitting.written, strict=True):
        try:
            stops = load_request(raw).stops
        except ValueError:
            stops = None
        state = fold_commit(TINY, state, load_commit(written.raw), _payloads(written), stops)
    return state


# --- what a commit says -------------------------------------------------------------------------------


def test_an_accepted_command_tells_its_events_and_rolls(sitting: Sitting) -> None:
    found = _told(sitting.do("roll", sides=20))

    assert found["outcome"] == "accepted"
    assert [event["type"] for event in found["events"]] == ["roll_begun", "counted"]
    assert found["rolls"][0]["name"] == {"epoch": 1, "lane": 0, "stream": "table", "place": 0}
    assert found["request"] == request_digest(sitting.requests[-1]).hex()
    assert found["prev"] == sitting.written[-2].hash


def test_a_refused_command_says_why_and_changes_nothing(sitting: Sitting) -> None:
    before = sitting.state
    found = _told(sitting.do("add", amount=10))

    assert found["outcome"] == "refused"
    assert found["refusal"] == {"code": "amount_out_of_range", "detail": "10 is not 1 to 9", "rule": "TINY-2"}
    assert (found["events"], found["rolls"]) == ([], [])
    assert sitting.state == before


def test_refused_commands_move_no_die(sitting: Sitting) -> None:
    other = Sitting()
    other.open()
    for _ in range(5):
        sitting.do("add", amount=10)

    assert _told(sitting.do("roll"))["rolls"] == _told(other.do("roll"))["rolls"]


def test_the_epoch_named_is_the_one_after_the_commit(sitting: Sitting) -> None:
    assert _told(sitting.do("end_round"))["epoch"] == 2


def test_rounds_and_epochs_are_marked(sitting: Sitting) -> None:
    first, added, ended = sitting.written[0], sitting.do("add", amount=1), sitting.do("end_round")

    assert first.marks == {"round/1": b"1"}
    assert added.marks == {}
    assert ended.marks == {"round/2": b"3", "epoch/1": b"3"}


def test_dice_that_have_run_out_refuse_the_command(sitting: Sitting) -> None:
    for _ in range(64):
        sitting.do("end_round")

    assert _told(sitting.do("roll"))["refusal"]["code"] == "dice_exhausted"
    assert _told(sitting.do("add", amount=1))["outcome"] == "accepted"


# --- envelopes ----------------------------------------------------------------------------------------


def test_a_sealed_choice_stands_in_one_envelope_for_its_seat(sitting: Sitting) -> None:
    written = sitting.do("choose", ADA, number=3)
    found = _told(written)

    assert found["outcome"] == "sealed"
    assert found["events"][0] == {"type": "choice_committed", "seat": "ada", "because": ["TINY-3"]}
    assert found["events"][1].keys() == {"sealed", "audience", "opens"}
    assert found["events"][1]["audience"] == ["seat:ada"]
    assert found["events"][1]["opens"] == "r1/choice/reveal"
    assert _payloads(written) == {
        1: {
            "type": "choose",
            "outcome": "accepted",
            "events": [{"type": "chosen", "seat": "ada", "number": 3, "because": ["TINY-3"]}],
            "rolls": [],
            "prompt": None,
        }
    }


def test_the_commitment_opens_with_the_payload_and_its_salt(sitting: Sitting) -> None:
    written = sitting.do("choose", ADA, number=3)
    secret = secrets_of(eid()).envelope_secret
    salt = envelope_salt(eid(), secret, request_digest(sitting.requests[-1]), 2, 1)

    commitment = envelope_commitment(eid_of(eid()), salt, written.sealed[0][1].payload)

    assert _told(written)["events"][1]["sealed"] == commitment.hex()


def test_a_refusal_inside_a_sealed_scope_is_sealed_too(sitting: Sitting) -> None:
    sitting.do("choose", ADA, number=3)
    written = sitting.do("choose", ADA, number=4)

    assert _told(written)["outcome"] == "sealed"
    assert "refusal" not in _told(written)
    [payload] = _payloads(written).values()
    assert payload["outcome"] == "refused"
    assert payload["refusal"]["code"] == "already_chosen"
    assert payload["events"] == []


def test_a_sealed_refusal_names_the_prompt_that_is_still_owed(sitting: Sitting) -> None:
    sitting.do("close_seat", seat="ada")
    [payload] = _payloads(sitting.do("choose", ADA, number=4)).values()

    assert payload["prompt"] == "r1/choice/ada"


def test_what_was_chosen_tells_nothing_by_size_or_number(sitting: Sitting) -> None:
    other = Sitting()
    other.open()
    small, great = sitting.do("choose", ADA, number=1), other.do("choose", ADA, number=1_000_000)

    assert len(small.raw) == len(great.raw)
    assert [sorted(event) for event in _told(small)["events"]] == [
        sorted(event) for event in _told(great)["events"]
    ]


def test_the_last_choice_reveals_all(sitting: Sitting) -> None:
    sitting.do("choose", ADA, number=3)
    found = _told(sitting.do("choose", BO, number=4))

    assert found["events"][-1] == {
        "type": "revealed",
        "choices": {"ada": 3, "bo": 4},
        "occasion": "r1/choice/reveal",
        "because": ["TINY-3"],
    }
    assert sitting.state.counter == 7


def test_one_envelope_for_each_audience_at_the_place_of_its_first_fact(sitting: Sitting) -> None:
    written = sitting.do("whisper", to=["ada", "bo", "ada"], note="now")
    found = _told(written)

    assert found["outcome"] == "accepted"
    assert [event.get("audience", "open") for event in found["events"]] == [
        *(["seat:ada"], "open", ["seat:bo"], "open", "open")
    ]
    payloads = _payloads(written)
    assert [len(payload["events"]) for payload in payloads.values()] == [2, 1]
    assert all(payload.keys() == {"events", "rolls"} for payload in payloads.values())


def test_the_state_after_whispers_is_the_one_that_folding_gives(sitting: Sitting) -> None:
    sitting.do("whisper", to=["ada", "bo", "ada", "bo"], note="now")

    assert sitting.state == _refolded(sitting)


def test_only_its_audience_sees_what_was_sealed(sitting: Sitting) -> None:
    sitting.do("choose", ADA, number=3)

    assert view(sitting.state, "ada").choices == {"ada": 3}
    for seat in ("bo", "gm", "nobody"):
        [choice] = view(sitting.state, seat).choices.values()
        assert isinstance(choice, Sealed)
        assert choice.value is None


# --- arrays -------------------------------------------------------------------------------------------


def test_a_refusal_stops_the_rest_of_its_array(sitting: Sitting) -> None:
    outcomes = [
        _told(sitting.do("add", batch=Batch("b1", index, 3, stop=True), amount=amount))
        for index, amount in enumerate((1, 99, 2))
    ]

    assert [each["outcome"] for each in outcomes] == ["accepted", "refused", "refused"]
    assert outcomes[2]["refusal"]["code"] == "skipped"
    assert _told(sitting.do("add", batch=Batch("b2", 0, 1, stop=True), amount=2))["outcome"] == "accepted"
    assert sitting.state == _refolded(sitting)


def test_a_refusal_stops_nothing_where_the_array_goes_on(sitting: Sitting) -> None:
    outcomes = [
        _told(sitting.do("add", batch=Batch("b1", index, 3, stop=False), amount=amount))["outcome"]
        for index, amount in enumerate((1, 99, 2))
    ]

    assert outcomes == ["accepted", "refused", "accepted"]


def test_a_sealed_refusal_stops_its_array(sitting: Sitting) -> None:
    sitting.do("choose", ADA, number=1)
    sitting.do("choose", ADA, batch=Batch("b1", 0, 2, stop=True), number=1)
    found = _told(sitting.do("add", ADA, batch=Batch("b1", 1, 2, stop=True), amount=1))

    assert found["refusal"]["code"] == "skipped"
    assert sitting.state == _refolded(sitting)


# --- what should never have been stored ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "at"),
    [
        (b"{", ""),
        (b"\xff\xfe", ""),
        (b'{"type":"add","data":{}}', ""),
        (request(2, "castle", {}), "2026-01-02T00:00:02.000Z"),
        (request(2, "add", {"amount": "3"}), "2026-01-02T00:00:02.000Z"),
        (request(2, "add", {"amount": 3, "more": 1}), "2026-01-02T00:00:02.000Z"),
        (request(2, "add", {}), "2026-01-02T00:00:02.000Z"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_as_malformed(sitting: Sitting, raw: bytes, at: str) -> None:
    before = sitting.state
    written = sitting.put(raw)

    assert _told(written)["refusal"]["code"] == "malformed"
    assert _told(written)["at"] == at
    assert is_canonical(written.raw)
    assert sitting.state == before


def test_a_request_to_another_encounter_is_refused_as_malformed(sitting: Sitting) -> None:
    answer = _told(sitting.put(request(2, "add", {"amount": 1}, encounter=eid(2))))

    assert answer["refusal"]["code"] == "malformed"


def test_a_quarantined_command_changes_nothing_and_stops_its_array(sitting: Sitting) -> None:
    raw = request(2, "burst", {"how": "loop"}, batch=Batch("b1", 0, 2, stop=True))
    written = quarantine_request(sitting.folded, raw, 2, because(KILLED, TINY))
    found = _told(written)

    assert found["outcome"] == "quarantined"
    assert (found["events"], found["rolls"]) == ([], [])
    assert "refusal" not in found
    assert written.state.stopped == "b1"
    assert written.state.counter == sitting.state.counter
    assert fold_commit(TINY, sitting.state, load_commit(written.raw), {}, "b1") == written.state


def test_rubbish_can_be_quarantined(sitting: Sitting) -> None:
    assert _told(quarantine_request(sitting.folded, b"{", 2, because(KILLED, TINY)))["at"] == ""


# --- determinism --------------------------------------------------------------------------------------

MOVES: Sequence[tuple[str, Actor, Mapping[str, Any]]] = (
    ("add", GM, {"amount": 3}),
    ("add", GM, {"amount": 30}),
    ("roll", ADA, {"sides": 20}),
    ("choose", ADA, {"number": 1}),
    ("choose", BO, {"number": 2}),
    ("whisper", GM, {"to": ["ada", "bo", "ada"], "note": "psst"}),
    ("end_round", GM, {}),
    ("end_round", GM, {"last": True}),
    ("end_round", ADA, {}),
    ("castle", GM, {}),
    ("open_seat", GM, {"seat": "cy", "role": "observer"}),
    ("add", player("cy"), {"amount": 1}),
    ("throw_dice", GM, {"prompt": "roll/dice/table", "faces": [3]}),
    ("close", GM, {"reason": "late"}),
)


@settings(max_examples=60)
@given(moves=st.lists(st.sampled_from(MOVES), max_size=25), declared=st.booleans(), stop=st.booleans())
def test_folding_what_was_written_gives_the_state_that_deciding_gave(
    *, moves: list[tuple[str, Actor, Mapping[str, Any]]], declared: bool, stop: bool
) -> None:
    sitting, again = Sitting(), Sitting()
    for table in (sitting, again):
        table.open(declared=declared)
        for n, (type_, by, data) in enumerate(moves):
            table.do(type_, by, batch=Batch(f"b{n // 4}", n % 4, 4, stop=stop), **data)

    assert [written.raw for written in sitting.written] == [written.raw for written in again.written]
    assert [written.sealed for written in sitting.written] == [written.sealed for written in again.written]
    assert sitting.state == _refolded(sitting)
    assert all(is_canonical(written.raw) for written in sitting.written)
