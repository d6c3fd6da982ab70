"""What dice showed: counted once each, seeded and declared apart, and no verdict on too few."""

from __future__ import annotations

import pytest

from service.audit.statistics import Spread, spreads


def roll(place: int, *faces: int, sides: int = 6, source: str = "seeded") -> dict[str, object]:
    name = {"epoch": 1, "lane": 0, "stream": "pia/attack", "place": place}
    dice = [{"role": "weapon", "sides": sides, "face": face} for face in faces]
    return {"name": name, "dice": dice, "source": source}


def test_faces_are_counted_by_type_and_source() -> None:
    found = spreads([roll(0, 1, 6), roll(1, 6), roll(2, 3, sides=4), roll(3, 2, source="declared")])

    assert [(each.source, each.sides, dict(each.faces)) for each in found] == [
        ("seeded", 4, {3: 1}),
        ("seeded", 6, {1: 1, 6: 2}),
        ("declared", 6, {2: 1}),
    ]


def test_a_roll_that_is_logged_again_with_more_dice_counts_once() -> None:
    [found] = spreads([roll(0, 1), roll(0, 1, 4)])

    assert found.faces == {1: 1, 4: 1}


def test_chi_square_is_that_of_a_worked_example() -> None:
    """Sixty throws of a d6, expected ten each: (5^2 + 2^2 + 1 + 2^2 + 0 + 10^2) / 10 = 13.4, p = 0.0199."""
    spread = Spread(6, "seeded", {1: 5, 2: 8, 3: 9, 4: 8, 5: 10, 6: 20})

    assert spread.chi_square == pytest.approx(13.4)
    assert spread.p_value == pytest.approx(0.0199, abs=0.0001)


def test_too_few_dice_prove_nothing() -> None:
    assert Spread(6, "seeded", {1: 29}).p_value is None
    assert Spread(6, "seeded", {1: 30}).p_value == pytest.approx(0, abs=1e-9)
