"""Rolls as they stand in a commit, what cannot be one, and what people may declare."""

import json
from typing import Any

import pytest

from service.dice.stream import BadStream
from service.dice.values import (
    DeclaredFacesError,
    Die,
    MalformedRoll,
    Roll,
    RollName,
    Term,
    check_declared,
)

ATTACK = Roll(
    name=RollName(epoch=3, lane=0, stream="orc/attack", place=1),
    purpose=(("step", 2), ("by", "orc"), ("at", ("pia", "tom")), ("with", None)),
    dice=(Die("heart", 8, 5), Die("weapon", 12, 11), Die("weapon", 12, 4, dropped=True)),
    terms=(Term(2, "might", "HR-STANCE-5"), Term(-1, "wounds", "HR-WOUND-2")),
)
ATTACK_DATA = {
    "name": {"epoch": 3, "lane": 0, "stream": "orc/attack", "place": 1},
    "purpose": {"at": ["pia", "tom"], "by": "orc", "step": 2, "with": None},
    "dice": [
        {"role": "heart", "sides": 8, "face": 5},
        {"role": "weapon", "sides": 12, "face": 11},
        {"role": "weapon", "sides": 12, "face": 4, "dropped": True},
    ],
    "terms": [
        {"amount": 2, "what": "might", "rule": "HR-STANCE-5"},
        {"amount": -1, "what": "wounds", "rule": "HR-WOUND-2"},
    ],
    "source": "seeded",
}


def altered(path: str, value: object) -> dict[str, Any]:
    """Return the attack's data with *value* at *path* (`dice/0/face`)."""
    data: dict[str, Any] = json.loads(json.dumps(ATTACK_DATA))
    at: Any = data
    *parents, last = path.split("/")
    for part in parents:
        at = at[int(part)] if isinstance(at, list) else at[part]
    at[int(last) if isinstance(at, list) else last] = value
    return data


def test_a_total_is_the_kept_faces_and_the_terms() -> None:
    assert ATTACK.total == 5 + 11 + 2 - 1


def test_a_roll_is_told_as_plain_data() -> None:
    assert ATTACK.to_data() == ATTACK_DATA


def test_a_roll_equals_itself_after_its_trip_through_canonical_json() -> None:
    assert Roll.from_data(json.loads(json.dumps(ATTACK.to_data(), sort_keys=True))) == ATTACK


def test_a_purpose_is_the_same_in_whatever_order_it_was_given() -> None:
    turned = Roll(ATTACK.name, ATTACK.purpose[::-1], ATTACK.dice, ATTACK.terms)

    assert turned == ATTACK
    assert hash(turned) == hash(ATTACK)


def test_a_declared_roll_tells_who_threw() -> None:
    declared = Roll(ATTACK.name, (), (Die("vital", 6, 6),), source="declared", by="seat-pia")
    data = declared.to_data()

    assert (data["source"], data["by"]) == ("declared", "seat-pia")
    assert Roll.from_data(data) == declared


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", None),
        ("name/epoch", 0),
        ("name/epoch", True),
        ("name/lane", 2),
        ("name/place", -1),
        ("name/place", 1.0),
        ("name/stream", 7),
        ("name/extra", 1),
        ("purpose", []),
        ("purpose/by", {"creature": "orc"}),
        ("purpose/by", [["orc"]]),
        ("purpose/by", 0.5),
        ("dice", {}),
        ("dice/0/face", 9),
        ("dice/0/face", 0),
        ("dice/0/sides", 1),
        ("dice/0/sides", 1_000_001),
        ("dice/0/role", None),
        ("dice/0/dropped", False),
        ("terms/0/amount", "2"),
        ("terms/0/amount", True),
        ("terms/0/rule", None),
        ("source", "declared"),
        ("source", "loaded"),
        ("by", "seat-pia"),
        ("by", None),
        ("total", 17),
    ],
)
def test_data_that_is_no_roll_is_refused(path: str, value: object) -> None:
    with pytest.raises(MalformedRoll):
        Roll.from_data(altered(path, value))


@pytest.mark.parametrize("field", ["name", "purpose", "dice", "terms", "source"])
def test_a_roll_lacks_nothing(field: str) -> None:
    with pytest.raises(MalformedRoll, match=f"{field} is missing"):
        Roll.from_data({key: value for key, value in ATTACK_DATA.items() if key != field})


def test_a_roll_has_a_stream_that_exists() -> None:
    with pytest.raises(BadStream):
        Roll.from_data(altered("name/stream", "Orc/attack"))


def test_declared_faces_that_the_dice_can_show_are_taken() -> None:
    assert check_declared([1, 10, 20], [8, 10, 20]) == (1, 10, 20)


@pytest.mark.parametrize(
    ("faces", "detail"),
    [
        ([3], "2 dice are asked for, 1 faces are declared"),
        ([3, 4, 5], "2 dice are asked for, 3 faces are declared"),
        ([9, 4], "die 1 is a d8 and cannot show 9"),
        ([3, 0], "die 2 is a d10 and cannot show 0"),
        ([True, 4], "die 1 is a d8 and cannot show True"),
        ([3, 4.0], "die 2 is a d10 and cannot show 4.0"),
    ],
)
def test_declared_faces_that_the_dice_cannot_show_are_refused(faces: list[int], detail: str) -> None:
    with pytest.raises(DeclaredFacesError) as caught:
        check_declared(faces, [8, 10])

    assert caught.value.detail == str(caught.value) == detail
    assert caught.value.code == "declared_faces"
