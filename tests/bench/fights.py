"""Give the benchmarks their fights: an opening, and scripts of commands that repeat for ever.

Every script is made of commands that are accepted, in order; the GM's seat sends all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

Command = dict[str, Any]

_WEAPON: Final = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}


def opening(per_side: int = 2, *, apart: int = 1, hp: int = 10_000) -> dict[str, Any]:
    """Return an opening with *per_side* pairs face to face, *apart* cells from pair to pair, hard to kill."""
    creatures = []
    for i in range(per_side):
        for side, x in (("players", 0), ("enemies", 1)):
            sheet = {
                "id": f"{side}-{i}",
                "name": f"{side} {i}",
                "side": side,
                "hp_max": hp,
                "wound_threshold": hp,
                "heart_die": 4,
                "might": 8,
                "weapons": [_WEAPON],
            }
            creatures.append({"sheet": sheet, "position": [x, apart * i]})
    return {"sides": ["players", "enemies"], "player_side": "players", "creatures": creatures}


BEGIN: Final[tuple[Command, ...]] = (
    {"type": "begin_combat", "unaware_side": "enemies"},
    {"type": "grant_priority"},
)


def simple() -> Iterator[Command]:
    """Yield rounds of simple commands: a word on each side, a dash, and three passes that end the round."""
    places = cycle(([0, 3], [0, 2]))  # both beside the enemy, so that nobody may strike at the mover
    while True:
        yield {"type": "call_out", "creature": "players-0", "words": "Hold the line!"}
        yield {"type": "call_out", "creature": "enemies-0", "words": "Down with them!"}
        yield {"type": "dash", "creature": "players-1", "path": [next(places)]}
        yield {"type": "pass_side", "side": "enemies"}
        yield {"type": "pass_side", "side": "players"}
        yield {"type": "pass_side", "side": "enemies"}


def engagements(per_side: int = 2) -> Iterator[Command]:
    """Yield rounds with one engagement that everybody joins, in might, each pair in a contest."""
    players = [f"players-{i}" for i in range(per_side)]
    enemies = [f"enemies-{i}" for i in range(per_side)]
    others = [name for pair in zip(players, enemies, strict=True) for name in pair if name[-2:] != "-0"]
    number = 0
    while True:
        number += 1
        path = f"r{number}/e1"
        yield {"type": "engage", "creature": "players-0", "target": "enemies-0"}
        for name in others:
            yield {"type": "join_engagement", "creature": name, "prompt": f"{path}/join/{name}"}
        everybody = ["players-0", "enemies-0", *others]
        for name in everybody:
            stance = {"stance": "might", "prompt": f"{path}/stance/{name}"}
            yield {"type": "choose_stance", "creature": name, **stance}
        for name in everybody:
            side, _, i = name.partition("-")
            target = f"{'enemies' if side == 'players' else 'players'}-{i}"
            yield {
                "type": "declare_attack",
                "creature": name,
                "target": target,
                "prompt": f"{path}/might/{name}",
            }
        for side in ("enemies", "players", "enemies"):
            yield {"type": "pass_side", "side": side}
