"""Faces: the vectors, the prefix law, and the names and dice that do not exist."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.dice.stream import BadSides, BadStream, check_stream, faces, faces_and_words, more

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "dice.json").read_text("utf-8"))
CHAINS = {chain["name"]: chain for chain in VECTORS["chains"]}
KEY = bytes(range(32))

some_sides = st.lists(st.integers(2, 1_000_000), max_size=30)


@pytest.mark.parametrize("case", VECTORS["rolls"], ids=lambda case: f"{case['stream']}-{len(case['sides'])}")
def test_every_roll_vector_gives_its_faces_and_words(case: dict[str, Any]) -> None:
    key = bytes.fromhex(CHAINS[case["chain"]]["epoch_keys"][str(case["lane"])])
    shown, words = faces_and_words(key, case["stream"], case["place"], case["sides"])

    assert (list(shown), words) == (case["faces"], case["words"])
    assert faces(key, case["stream"], case["place"], case["sides"]) == shown


def test_the_vectors_have_a_word_that_is_passed_over() -> None:
    assert any(case["words"] > len(case["sides"]) for case in VECTORS["rolls"])


@given(shown=some_sides, added=some_sides, place=st.integers(0, 2**64 - 1))
def test_a_longer_roll_begins_with_the_faces_of_the_shorter_one(
    shown: list[int], added: list[int], place: int
) -> None:
    assert faces(KEY, "orc/attack", place, shown + added)[: len(shown)] == faces(
        KEY, "orc/attack", place, shown
    )


@given(shown=some_sides, added=some_sides)
def test_dice_added_to_a_shown_roll_take_its_next_words(shown: list[int], added: list[int]) -> None:
    whole = faces(KEY, "pia/attack", 0, shown + added)

    assert faces(KEY, "pia/attack", 0, shown) + more(KEY, "pia/attack", 0, shown, added) == whole


@given(sides=some_sides)
def test_every_face_is_one_of_its_die(sides: list[int]) -> None:
    shown = faces(KEY, "table", 0, sides)

    assert len(shown) == len(sides)
    assert all(1 <= face <= side for face, side in zip(shown, sides, strict=True))


def test_another_stream_place_or_key_gives_other_dice() -> None:
    sides = (1_000_000,) * 4
    rolls = [
        faces(KEY, "orc/attack", 0, sides),
        faces(KEY, "orc/attack", 1, sides),
        faces(KEY, "orc/defense", 0, sides),
        faces(KEY[::-1], "orc/attack", 0, sides),
    ]

    assert all(one != other for i, one in enumerate(rolls) for other in rolls[:i])


@pytest.mark.parametrize(
    "stream",
    ["table", "pia/attack", "orc/defense/pia", "group-heroes/act", "0", "a" * 24, "/".join(["a" * 23] * 4)],
)
def test_ids_and_words_joined_by_slashes_are_a_stream(stream: str) -> None:
    assert check_stream(stream) == stream


@pytest.mark.parametrize(
    "stream",
    [
        "",
        "/",
        "pia/",
        "/pia",
        "pia//attack",
        "Pia/attack",
        "pia attack",
        "pia_attack",
        "-pia",
        "pia/attack\n",
        "zoë/attack",
        "\N{FULLWIDTH DIGIT ONE}",
        "a" * 25,
        "/".join(["a" * 24] * 4),
    ],
)
def test_anything_else_is_refused_as_a_stream(stream: str) -> None:
    with pytest.raises(BadStream) as caught:
        faces(KEY, stream, 0, (6,))
    assert caught.value.code == "bad_stream"


@pytest.mark.parametrize("place", [-1, 2**64])
def test_a_place_is_a_u64(place: int) -> None:
    with pytest.raises(BadStream, match="no roll of table has place"):
        faces(KEY, "table", place, (6,))


@pytest.mark.parametrize("sides", [-6, 0, 1, 1_000_001])
def test_dice_have_2_to_1_000_000_sides(sides: int) -> None:
    with pytest.raises(BadSides) as caught:
        faces(KEY, "table", 0, (6, sides))
    assert caught.value.code == "bad_sides"
