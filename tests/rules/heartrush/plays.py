"""Name every kind of random play: brawls, campaigns on wild ground, and the scenes, each in both timings.

A kind and a seed name one campaign; the suite plays few of them, `make fuzz` many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.rules.heartrush.campaign import Campaign
from tests.rules.heartrush.recorded import Recorded
from tests.rules.heartrush.scenes import SCENES, Scene
from tests.rules.heartrush.staged import Staged

TIMINGS: Final = ("priority", "turns")
MANY: Final = (None, 2, 30, None, None, None)
"""Creatures of a campaign on wild ground, by chance where null, seed by seed."""


@dataclass
class RecordedScene(Recorded, Staged):
    """A scene whose requests and commits are kept."""


def timing(seed: int) -> str:
    """Return the timing of a seed: the two take turns."""
    return TIMINGS[seed % 2]


def wild(seed: int, budget: int = 300) -> Campaign:
    """Return a campaign of all kinds, on all kinds of ground."""
    return Campaign(seed, timing=timing(seed), many=MANY[seed % 6], budget=budget)


def brawl(seed: int, budget: int = 400) -> Campaign:
    """Return a campaign of few that fight hand to hand."""
    return Campaign(seed, timing=timing(seed), many=(2, 6, 4)[seed % 3], budget=budget, brawl=True)


def staged(scene: Scene, seed: int, budget: int = 150) -> Staged:
    """Return a campaign in a scene."""
    return Staged(seed, timing=timing(seed), scene=scene, budget=budget)


def _in(scene: Scene) -> Callable[[int], Campaign]:
    return lambda seed: staged(scene, seed)


KINDS: Final[Mapping[str, Callable[[int], Campaign]]] = {
    **{scene.name: _in(scene) for scene in SCENES},
    "brawl": brawl,
    "wild": wild,
}


PROBING: Final = 0.05
"""How often options are held to what is accepted and refused."""


def probed(kind: str, seed: int) -> Campaign:
    """Return a campaign that now and then tries every option and its near misses."""
    campaign = KINDS[kind](seed)
    campaign.probing = PROBING
    return campaign
