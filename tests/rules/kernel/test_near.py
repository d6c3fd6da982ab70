"""Which known name a misspelt one is taken for."""

import pytest

from service.rules.kernel.near import close_name, likeness, misspelt_name, nearest_name

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


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Stance", "stance"),
        ("stanse", "stance"),
        ("range-fit", "range_ft"),
        ("prmt", "prompt"),
        ("pro", None),
    ],
)
def test_a_word_is_misspelt_by_one_letter_in_three_and_two_at_most(word: str, meant: str | None) -> None:
    assert misspelt_name(word, FIELDS) == meant


def test_likeness_is_that_of_the_letters_of_both() -> None:
    assert likeness("stance", "STANCE") == 100
    assert likeness("stanse", "stance") == 83
    assert likeness("stanse", "stance", 84) == 83
    assert likeness("s", "stance", 84) == 0, "so short a word is not compared"
