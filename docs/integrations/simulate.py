"""Play a fight many times without players, and write the results as JSON Lines.

python3 simulate.py http://127.0.0.1:8000 rw_... --times 20 --seed 1 > results.jsonl

It needs `rewound_client` (clients/python) and knows no rule: it chooses from `options` by the preferences
below. One seed gives the same random choices; the dice are the service's own and differ.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

from rewound_client import Rewound, Table, values_of

MOST_COMMANDS = 600
LIKED = ("grant_priority", "engage", "declare_attack", "declare_agility", "accept_damage", "dash")
IDLE = ("sidestep", "object", "help", "call_out", "go_unconscious", "pass_side", "end_combat")
OPENING: dict[str, Any] = {
    "edition": "heartrush@1",
    "title": "Pia and the orc",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc", "might": 8}
            | {"weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]},
        },
        {
            "position": [1, 0],
            "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 35, "might": 10}
            | {"weapons": [{"id": "axe", "size_class": "heavy", "damage_type": "slashing"}]},
        },
    ],
}


def rank(offer: dict[str, Any]) -> int:
    """Return the rank of an offer: the lowest is taken first."""
    name = offer["command"]["type"]
    return LIKED.index(name) if name in LIKED else len(LIKED) + (name in IDLE)


def apart(cell: list[int]) -> Callable[[list[int]], int]:
    """Return a function that gives the distance in cells from *cell* to another cell."""
    return lambda other: max(abs(cell[0] - other[0]), abs(cell[1] - other[1]))


def pick(gm: Table, creatures: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    """Return one of the commands that are legal now, None if there are none."""
    owed = sorted(gm.options()["options"], key=lambda option: option["prompt"]["optional"])
    offers: list[dict[str, Any]] = [dict(offer) for option in owed for offer in option["commands"]]
    if not offers:
        return None
    chance.shuffle(offers)
    offer = min(offers, key=rank)
    command = offer["command"]
    choices = {name: values_of(choice) for name, choice in offer["choices"].items()}
    chosen = {name: chance.choice(values) for name, values in choices.items()}
    if command["type"] == "dash" and "to" in choices:
        others = [other["position"] for name, other in creatures.items() if name != command["creature"]]
        chosen["to"] = min(choices["to"], key=lambda cell: min(map(apart(cell), others)))
    return {**command, **chosen}


def fight(service: Rewound, chance: random.Random) -> dict[str, Any]:
    """Play one fight to its end and return its result."""
    gm = service.open(OPENING)
    gm.send({"type": "begin_combat"})
    for _ in range(MOST_COMMANDS):
        state: dict[str, Any] = dict(gm.state()["state"])
        command = None if state["phase"] == "ended" else pick(gm, state["creatures"], chance)
        if command is None:
            break
        gm.send(command)
    gm.close("simulated")
    state, head = dict[str, Any](gm.state()["state"]), gm.get()
    standing = {name: creature["hp"] for name, creature in state["creatures"].items()}
    return {
        "encounter": gm.encounter,
        "ended": state["phase"] == "ended",
        "rounds": head["round"],
        "commits": head["version"],
        "hp": standing,
        "head": head["hash"],
    }


def simulate(address: str, key: str, times: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the results of *times* fights; the seed of each is one higher than the last."""
    with Rewound(address, key) as service:
        for number in range(times):
            yield {"seed": seed + number, **fight(service, random.Random(seed + number))}


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("address")
    words.add_argument("key")
    words.add_argument("--times", type=int, default=10)
    words.add_argument("--seed", type=int, default=1)
    asked = words.parse_args()
    for result in simulate(asked.address, asked.key, asked.times, asked.seed):
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()
