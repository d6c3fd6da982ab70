"""Rolls behind the GM's screen: dice of the sealed lane, known to the GM and auditors until shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.dice.chain import walk
from service.record.canonical import eid_of
from service.rules.kernel.sealed import is_closed, view
from tests.support.tiny_table import Sitting, player


@pytest.fixture
def sitting() -> Sitting:
    sitting = Sitting()
    sitting.open()
    return sitting


def told(sitting: Sitting) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(sitting.written[-1].raw)
    return data


def inside(sitting: Sitting) -> list[dict[str, Any]]:
    return [json.loads(lies.payload) for _, lies in sitting.written[-1].sealed]


def test_TABLE_SCREEN_1_the_record_tells_that_something_was_rolled_and_the_envelope_what(
    sitting: Sitting,
) -> None:
    sitting.do("roll_behind_screen", dice=[20, 6], what="does the door hold", bonus=3)
    commit, (payload,) = told(sitting), inside(sitting)

    assert [event.get("type", "envelope") for event in commit["events"]] == [
        "screen_roll_announced",
        "envelope",
    ]
    assert commit["events"][1]["audience"] == ["seat:gm"]
    assert commit["rolls"] == []
    (roll,) = payload["rolls"]
    assert roll["name"] == {"epoch": 1, "lane": 1, "stream": "gm/screen", "place": 0}
    assert [die["sides"] for die in roll["dice"]] == [20, 6]
    total = sum(die["face"] for die in roll["dice"]) + 3
    assert payload["events"][-1] == {
        "type": "screen_rolled",
        "prompt": "screen/1",
        "roll": 1,
        "total": total,
        "because": ["TABLE-SCREEN-1"],
    }


def test_TABLE_SCREEN_1_only_the_gm_rolls_there_and_within_bounds(sitting: Sitting) -> None:
    sitting.do("roll_behind_screen", player("ada"), dice=[20], what="luck")
    assert told(sitting)["refusal"]["code"] == "not_gm"
    for dice in ([1], [6] * 101, [1001]):
        sitting.do("roll_behind_screen", what="luck", dice=dice)
        assert told(sitting)["refusal"]["code"] == "malformed", dice
    for dice, what, bonus in (([], "luck", 0), ([6], "", 0), ([6], "luck", 1001)):
        sitting.do("roll_behind_screen", dice=dice, what=what, bonus=bonus)
        assert told(sitting)["refusal"]["code"] == ("malformed" if bonus else "params_missing")


def test_the_two_lanes_move_no_die_of_each_other(sitting: Sitting) -> None:
    other = Sitting()
    other.open()
    for _ in range(5):
        sitting.do("roll_behind_screen", dice=[20], what="luck")

    assert json.loads(sitting.do("roll").raw)["rolls"] == json.loads(other.do("roll").raw)["rolls"]
    places = [payload["rolls"][0]["name"]["place"] for payload in map(_payload, sitting.written[1:6])]
    assert places == [0, 1, 2, 3, 4]


def _payload(written: Any) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(written.sealed[0][1].payload)
    return payload


def test_no_other_seat_sees_what_streams_were_thrown_from(sitting: Sitting) -> None:
    sitting.do("roll_behind_screen", dice=[20], what="luck")

    gm, ada = view(sitting.state, "gm"), view(sitting.state, "ada")
    assert gm.sealed_places == {"1/gm/screen": 1}
    assert is_closed(ada.sealed_places)
    assert ada.screen.rolls == 1


def test_TABLE_SCREEN_2_a_roll_is_shown_once_by_the_gm(sitting: Sitting) -> None:
    sitting.do("roll_behind_screen", dice=[20], what="luck")
    sitting.do("show_roll", player("ada"), roll=1)
    assert told(sitting)["refusal"]["code"] == "not_gm"
    sitting.do("show_roll", roll=2)
    assert told(sitting)["refusal"]["code"] == "no_such_roll"
    sitting.do("show_roll", roll=1)
    assert told(sitting)["events"][0]["occasion"] == "roll/1"
    sitting.do("show_roll", roll=1)
    assert told(sitting)["refusal"]["code"] == "already_shown"


def test_TABLE_EPOCH_1_the_link_of_the_sealed_lane_goes_to_auditors_alone(sitting: Sitting) -> None:
    sitting.do("open_seat", seat="ivy", role="auditor")
    sitting.do("roll_behind_screen", dice=[20], what="luck")
    assert told(sitting)["events"][1]["audience"] == ["seat:gm", "seat:ivy"]

    state = sitting.state
    lane = state.dice.lanes[1]
    sitting.do("end_round")
    commit, (payload,) = told(sitting), inside(sitting)
    (public,) = [event for event in commit["events"] if event.get("type") == "epoch_closed"]
    (sealed,) = [event for event in commit["events"] if "sealed" in event]
    (closed,) = payload["events"]
    assert (public["lane"], closed["lane"], closed["epoch"]) == (0, 1, 1)
    assert sealed["audience"] == ["seat:ivy"]
    eid = eid_of(sitting.encounter)
    assert walk(eid, 1, 1, bytes.fromhex(closed["link"]), 0).hex() == lane.anchor
    assert sitting.state.epoch == 2
    assert sitting.state.sealed_places is None


def test_an_auditor_never_acts(sitting: Sitting) -> None:
    sitting.do("open_seat", seat="ivy", role="auditor")
    sitting.do("add", player("ivy"), amount=1)

    assert told(sitting)["refusal"]["code"] == "seat_cannot_act"


def test_TABLE_CLOSE_1_the_end_discloses_both_seeds_and_opens_every_envelope(sitting: Sitting) -> None:
    sitting.do("roll_behind_screen", dice=[20], what="luck")
    sitting.do("close")
    events = {event["type"]: event for event in told(sitting)["events"]}

    eid = eid_of(sitting.encounter)
    for type_, lane in (("encounter_closed", 0), ("lane_disclosed", 1)):
        seed = bytes.fromhex(events[type_]["seed"])
        setup = sitting.state.dice.lanes[lane]
        assert events[type_]["lane"] == lane
        assert walk(eid, lane, setup.n, seed, 0).hex() == setup.anchor
    assert events["encounter_closed"]["occasion"] == "*"


@pytest.mark.parametrize(
    ("what", "bonus", "code"),
    [
        ("x", 0, None),
        ("x" * 200, 1000, None),
        ("x", -1000, None),
        ("x" * 201, 0, "malformed"),
        ("x", 1001, "malformed"),
        ("x", -1001, "malformed"),
    ],
)
def test_TABLE_SCREEN_1_a_purpose_and_a_bonus_have_bounds(
    sitting: Sitting, what: str, bonus: int, code: str | None
) -> None:
    sitting.do("roll_behind_screen", dice=[20], what=what, bonus=bonus)
    assert told(sitting).get("refusal", {}).get("code") == code


@pytest.mark.parametrize(("roll", "code"), [(0, "no_such_roll"), (1, None), (2, None), (3, "no_such_roll")])
def test_TABLE_SCREEN_2_the_rolls_that_were_made_are_shown(
    sitting: Sitting, roll: int, code: str | None
) -> None:
    for _ in range(2):
        sitting.do("roll_behind_screen", dice=[20], what="luck")
    sitting.do("show_roll", roll=roll)
    assert told(sitting).get("refusal", {}).get("code") == code
    sitting.do("show_roll", roll=roll)
    assert told(sitting)["refusal"]["code"] == (code or "already_shown")
