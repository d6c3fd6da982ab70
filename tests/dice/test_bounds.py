"""What a client may ask of the dice."""

import pytest

from service.dice.bounds import TooManyDice, check_asked


@pytest.mark.parametrize("terms", [[], [[6]], [[2, 1000]], [[6] * 100, [20] * 100]])
def test_within_the_bounds_everything_may_be_asked(terms: list[list[int]]) -> None:
    check_asked(terms)


@pytest.mark.parametrize(
    ("terms", "detail"),
    [
        ([[6], [6] * 101], "term 2 has 101 dice, the most are 100"),
        ([[6] * 100, [6] * 100, [6]], "the command asks for 201 dice, the most are 200"),
        ([[1001]], "term 1 has a d1001, dice have 2 to 1000 sides"),
        ([[6], [1]], "term 2 has a d1, dice have 2 to 1000 sides"),
    ],
)
def test_beyond_the_bounds_the_culprit_is_named(terms: list[list[int]], detail: str) -> None:
    with pytest.raises(TooManyDice) as caught:
        check_asked(terms)

    assert (caught.value.code, caught.value.detail) == ("dice_bounds", detail)
