"""Every die type shows its faces equally often: chi-square on 100,000 draws each, from a fixed key.

The draws never change, so neither do the values: a failure means that the derivation is another one.
"""

from collections import Counter

import pytest

from service.audit.statistics import upper_tail
from service.dice.stream import faces

KEY = bytes(range(32))
DRAWS = 100_000
DICE_IN_ROLL = 20


@pytest.mark.parametrize(
    ("freedom", "tail", "critical"),
    [
        (3, 0.001, 16.266),
        (5, 0.05, 11.070),
        (19, 0.001, 43.820),
        (19, 0.950, 10.117),
        (99, 0.001, 148.230),
    ],
)
def test_the_tail_agrees_with_published_critical_values(freedom: int, tail: float, critical: float) -> None:
    """NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4 (critical values)."""
    assert upper_tail(critical, freedom) == pytest.approx(tail, rel=0.001)


@pytest.mark.parametrize("sides", [4, 6, 8, 10, 12, 20, 100])
def test_a_die_shows_its_faces_equally_often(sides: int) -> None:
    shown: Counter[int] = Counter()
    for place in range(DRAWS // DICE_IN_ROLL):
        shown.update(faces(KEY, f"table/d{sides}", place, (sides,) * DICE_IN_ROLL))
    expected = DRAWS / sides
    statistic = sum((shown[face] - expected) ** 2 for face in range(1, sides + 1)) / expected

    assert shown.total() == DRAWS
    assert 0.001 <= upper_tail(statistic, sides - 1) <= 0.999, f"d{sides}, key {KEY.hex()}: {statistic}"


@pytest.mark.parametrize("index", range(DICE_IN_ROLL))
def test_a_die_is_as_fair_at_every_place_in_its_roll(index: int) -> None:
    """Words 0 to 19 stand in three blocks; a fault in taking blocks apart would show at one of them."""
    shown = Counter(faces(KEY, "table/word", place, (20,) * DICE_IN_ROLL)[index] for place in range(2_000))
    statistic = sum((shown[face] - 100) ** 2 for face in range(1, 21)) / 100

    assert 0.001 <= upper_tail(statistic, 19) <= 0.999, f"die {index}, key {KEY.hex()}: {statistic}"
