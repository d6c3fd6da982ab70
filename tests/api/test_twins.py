"""Nobody but the GM can tell twins apart; `make twins` plays hundreds of scripts, here are two."""

from __future__ import annotations

import pytest

from tests.api.twins import differences


@pytest.mark.parametrize(
    ("edition", "seed"), [("heartrush@1", 2), ("heartrush@1", 456), ("rise@1", 1), ("rise@1", 5)]
)
def test_TABLE_GMONLY_1_twins_that_are_played_at_random_are_told_apart_by_the_gm_alone(
    edition: str, seed: int
) -> None:
    """In script 456 of Heart Rush a window opens on an attack that falls short; 2 and 5 have speeds apart."""
    assert differences(edition, seed) == []
