"""Nobody but the GM can tell twins apart; `make twins` plays hundreds of scripts, here are two."""

from __future__ import annotations

import pytest

from tests.api.twins import differences

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("edition", "seed"),
    [
        *[("heartrush@1", 2), ("rise@1", 5)],
        *[
            pytest.param(edition, seed, marks=pytest.mark.overnight)
            for edition, seeds in (("heartrush@1", (456, 10, 16, 22, 28)), ("rise@1", (1, 7, 15, 21, 29)))
            for seed in seeds
        ],
    ],
)
def test_TABLE_GMONLY_1_twins_that_are_played_at_random_are_told_apart_by_the_gm_alone(
    edition: str, seed: int
) -> None:
    """All five ways of opening are played.

    10 and 7 open outside combat, 16 and 15 with a GM who plays everybody, 22 and 21 with two players of one
    group, 28 and 29 with secrets on both sides.

    In script 456 of Heart Rush a window opens on an attack that falls short; 2 and 5 have speeds apart.
    """
    assert differences(edition, seed) == []
