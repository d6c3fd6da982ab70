"""Make a command of an offer, as `GET …/options` lists it, for whoever plays at random in tests."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from rewound_client import values_of

DICE: Final = "faces"
WRITTEN: Final = ("For the hearth!", "a door, ajar", "nothing like it")
"""What people write where an offer asks for words."""


def spelled(offer: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    """Return a command of *offer*: chosen what it lets choose, written what it asks for.

    The offer is of options `with_lists`. Whoever throws adds the faces.
    """
    chosen = {name: chance.choice(values_of(choice)) for name, choice in offer["choices"].items()}
    written = {name: chance.choice(WRITTEN) for name in offer.get("asks", ()) if name != DICE}
    return {**offer["command"], **chosen, **written}
