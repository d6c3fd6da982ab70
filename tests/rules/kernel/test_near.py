"""Which known name a misspelt one is taken for."""

import pytest

from service.rules.kernel.near import close_name, nearest_name

FIELDS = ("stance", "range_ft", "target", "prompt")


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("stanse", "stance"),
        ("STANCE", "stance"),
        ("rnage_ft", "range_ft"),
        ("targets", "target"),
        ("colour", None),
        ("", None),
        ("stance" * 10_000, None),
    ],
)
def test_a_slip_of_the_pen_is_close_and_another_word_is_not(name: str, close: str | None) -> None:
    assert close_name(name, FIELDS) == close


def test_the_first_of_the_closest_counts_and_a_higher_demand_refuses_more() -> None:
    assert close_name("cat", ("bat", "hat")) == "bat"
    assert close_name("cat", ("bat", "hat"), least=75) is None
    assert close_name("cat", ()) is None


def test_the_nearest_name_is_one_of_them_however_far() -> None:
    assert nearest_name("dire wolf", ("orc", "wolf", "direct")) == "wolf"
    assert nearest_name("zzz", ("orc", "wolf")) == "orc"
