"""Random play reaches what it must reach: outside combat, the GM alone, secrets of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from tests.random_play.situations import SITUATIONS
from tests.rules.heartrush.campaign import SECRET as HEARTRUSH_SECRET
from tests.rules.heartrush.campaign import Campaign as HeartRush
from tests.rules.heartrush.plays import wild
from tests.rules.rise.campaign import SECRET as RISE_SECRET
from tests.rules.rise.campaign import Campaign as Rise
from tests.rules.rise.test_every_rule import campaign

PLAYS: Final[Mapping[str, Callable[[int], HeartRush | Rise]]] = {
    "heartrush@1": lambda i: wild(HEARTRUSH_SECRET * i, budget=150),
    "rise@1": lambda i: campaign(RISE_SECRET * i, budget=150),
}
MOST: Final = 40
"""Campaigns that are played at most."""


@pytest.mark.parametrize("edition", PLAYS)
def test_campaigns_reach_every_situation(edition: str) -> None:
    met: Counter[str] = Counter()
    for i in range(MOST):
        if not SITUATIONS[edition] <= met.keys():
            met += PLAYS[edition](i).play().met
    assert set(met) == SITUATIONS[edition], f"in {MOST} campaigns"
