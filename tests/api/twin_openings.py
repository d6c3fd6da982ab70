"""Vary what twins open with: who plays whom, and on which sides the GM hides something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.rules.heartrush.kit import sheet
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry

SPAN: Final = 7
"""So many seeds one after the other, of both books, open alike."""
OUTSIDE, ALONE, TOGETHER, BOTH_SIDES = 1, 2, 3, 4
WAYS: Final = 5
"""How many ways of opening there are; the first changes nothing."""
LEISURE: Final = 4
"""What is done before the fight, where something is."""

Pair = tuple[Mapping[str, Any], Mapping[str, Any]]
ALLIES: Final[Mapping[str, Pair]] = {
    "heartrush@1": (
        {"hp_max": 1001, "speed": 30, "swim_speed": 15},
        {"hp_max": 999, "speed": 60, "swim_speed": 30},
    ),
    "rise@1": (
        {"hp_max": 900, "dr_max": 500, "defenses": {"armor": 400}},
        {"hp_max": 990, "dr_max": 20, "defenses": {"armor": 420}},
    ),
}
"""GM-only fields of a creature on a player's side, of either twin."""


def way(seed: int) -> int:
    """Return how the script of a seed opens."""
    return seed // SPAN % WAYS


def varied(edition: str, seed: int, which: int, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an opening as the script of a seed has it."""
    found = dict(data)
    if way(seed) == ALONE:
        found["seats"] = [{**each, "creatures": []} for each in data["seats"]]
    if way(seed) == TOGETHER:
        found["creatures"] = [*data["creatures"], _friend(edition)]
        found["seats"] = [_with(each, ("yan", "seat-wolves"), "friend") for each in data["seats"]]
    if way(seed) == BOTH_SIDES:
        found["creatures"] = [*data["creatures"], _ally(edition, ALLIES[edition][which])]
    return found


def hidden(edition: str, seed: int, hidden_creature: Mapping[str, Any]) -> dict[str, Any]:
    """Return who hides in the script of a seed, on a player's side where both sides hide something."""
    if way(seed) != BOTH_SIDES:
        return dict(hidden_creature)
    who = dict(hidden_creature["entry"])
    if edition == "heartrush@1":
        return {"entry": {**who, "side": "players"}}
    return {"entry": {**who, "sheet": {**who["sheet"], "side": "heroes"}}}


def _friend(edition: str) -> dict[str, Any]:
    """Return who joins the first player's side, played by the second player."""
    if edition == "heartrush@1":
        return {"sheet": sheet("friend", like="ash", side="players"), "position": [-2, 0]}
    return entry("pc@heroes/friend", (0, 4), **KIT)


def _ally(edition: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return whom the GM plays on the first player's side, with GM-only *values*."""
    if edition == "heartrush@1":
        who = sheet("ally", like="wolf", side="players", **values)
        return {"sheet": who, "position": [-1, 1], "gm_only": list(values)}
    return {**entry("mon@heroes/ally", (0, 4), **{**KIT, **values}), "gm_only": list(values)}


def _with(seat: Mapping[str, Any], whose: Sequence[str], name: str) -> dict[str, Any]:
    mine = [*seat.get("creatures", ()), name] if seat["seat"] in whose else [*seat.get("creatures", ())]
    return {**seat, "creatures": mine}
