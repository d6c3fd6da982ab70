"""Play a fight by choosing from what the service offers, with the standard library alone.

    python3 examples/play.py http://127.0.0.1:8000 rw_...

It knows no rule. It asks whose move it is, takes one of the options of that seat, sends it, and prints the
outcome, until the fight is over. Then it closes the encounter and has it audited. The heroes throw their own
dice: if a prompt names dice, this program throws them and sends the faces.
"""

import json
import random
import sys
import time
import uuid
from collections.abc import Sequence
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

Json = dict[str, Any]

MOST_COMMANDS = 1000
"""A fight is stopped after so many commands."""

OPENING = {
    "edition": "heartrush@1",
    "title": "Pia and the orc",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "declared_sides": ["heroes"],
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {
                "id": "pia",
                "name": "Pia",
                "side": "heroes",
                "kind": "pc",
                "might": 8,
                "weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}],
            },
        },
        {
            "position": [1, 0],
            "sheet": {
                "id": "orc",
                "name": "Orc",
                "side": "foes",
                "hp_max": 35,
                "might": 10,
                "weapons": [{"id": "axe", "size_class": "heavy", "damage_type": "slashing"}],
            },
        },
    ],
    "seats": [{"seat": "ann", "role": "player", "creatures": ["pia"]}],
}

LIKED = ("grant_priority", "engage", "declare_attack", "declare_agility", "accept_damage", "dash")
"""These come before all other commands, in this order, so that the fight makes progress."""

IDLE = ("sidestep", "object", "help", "call_out", "go_unconscious", "pass_side", "end_combat")
"""These are taken only if there is nothing else."""


class Refused(Exception):
    """The service answered with a problem; the message is the problem document."""


def call(method: str, url: str, token: str, data: object = None) -> Json:
    """Send one request and return the JSON of its answer; raises `Refused` for a problem.

    The idempotency key is drawn once for each request. A repeat after a lost connection sends the same key,
    so the request happens once.
    """
    request = Request(url, method=method, data=None if data is None else json.dumps(data).encode())
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    if method != "GET":
        request.add_header("Idempotency-Key", str(uuid.uuid4()))
        request.add_header("Prefer", "wait=30")
    try:
        with urlopen(request, timeout=40) as answer:
            found: Json = json.load(answer)
            return found
    except HTTPError as problem:
        raise Refused(problem.read().decode()) from problem


class Player:
    """Chooses for every seat: liked commands first, others at random, and steps towards a creature."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def pick(self, options: Json, creatures: Json) -> Json | None:
        """Return one of the legal commands of a seat, None if it has none."""
        found = [(option["prompt"], offer) for option in options["options"] for offer in option["commands"]]
        if not found:
            return None
        self.chance.shuffle(found)
        prompt, offer = min(found, key=lambda pair: _rank(pair[1]["command"]["type"]))
        return self._command(prompt, offer, options["lists"], creatures)

    def _command(self, prompt: Json, offer: Json, lists: list[Any], creatures: Json) -> Json:
        """Return a command from *offer*: the given fields, and one value of each choice."""
        command = dict(offer["command"])
        choices = {name: values_of(choice, lists) for name, choice in offer["choices"].items()}
        for name, values in choices.items():
            command[name] = self.chance.choice(values)
        if command["type"] == "dash" and "to" in choices:
            command["to"] = min(choices["to"], key=lambda cell: _distance(cell, command, creatures))
        if prompt["wants"]:
            command["faces"] = self._throw(prompt["wants"])
        return command

    def _throw(self, wants: list[str]) -> list[int]:
        """Return the faces of the dice that a prompt names: `heart:d8` is one die with eight sides."""
        return [self.chance.randint(1, int(wanted.rpartition(":d")[2])) for wanted in wants]


def values_of(choice: list[Any] | Json, lists: Sequence[Any] = ()) -> list[Any]:
    """Return the values of a choice: a list, one of *lists*, cells by rows, or straight paths."""
    if isinstance(choice, list):
        return choice
    if "list" in choice:
        return [value for value in lists[choice["list"]] if value not in choice.get("but", ())]
    if "cells" in choice:
        return [[x, y] for y, first, last in choice["cells"] for x in range(first, last + 1)]
    (x, y), ranges = choice["start"], choice["paths"]
    lengths = [(dx, dy, n) for dx, dy, least, most in ranges for n in range(least, most + 1)]
    return [[[x + dx * i, y + dy * i] for i in range(1, n + 1)] for dx, dy, n in lengths]


def _rank(type_: str) -> int:
    if type_ in LIKED:
        return LIKED.index(type_)
    return len(LIKED) + (type_ in IDLE)


def _distance(cell: list[int], command: Json, creatures: Json) -> int:
    """Return the distance in cells from *cell* to the nearest other creature."""
    others = [other["position"] for name, other in creatures.items() if name != command["creature"]]
    return min(max(abs(cell[0] - int(x)), abs(cell[1] - int(y))) for x, y in others)


def described(outcome: Json) -> str:
    """Return an outcome as text: its events, each with its rules, and the dice."""
    events = [f"{event['type']} ({', '.join(event['because'])})" for event in outcome.get("events", [])]
    rolls = [f"{roll['name']['stream']} = {roll['total']}" for roll in outcome.get("rolls", [])]
    return "; ".join(events + rolls) or "nothing that others see"


def play(service: str, key: str, player: Player) -> str:
    """Play one fight and return the verdict of its audit."""
    opened = call("POST", f"{service}/v1/encounters", key, OPENING)
    here = f"{service}/v1/encounters/{opened['encounter']}"
    seats = {"gm": key, "ann": call("POST", f"{here}/seats/ann/token", key, {})["token"]}
    call("POST", f"{here}/commands", key, {"type": "begin_combat"})
    for _ in range(MOST_COMMANDS):
        state = call("GET", f"{here}/state", key)["state"]
        if state["phase"] == "ended":
            break
        seat, command = move(here, seats, player, state["creatures"])
        outcome = call("POST", f"{here}/commands", seats[seat], command)
        print(f"{outcome['n']:4} {seat:4} {command['type']}: {described(outcome)}")
    call("DELETE", here, key)
    audit = call("POST", f"{here}/audits", key, {})
    while audit["status"] in ("pending", "running"):
        time.sleep(0.1)
        audit = call("GET", f"{here}/audits/{audit['audit']}", key)
    return str(audit["verdict"])


def move(here: str, seats: Json, player: Player, creatures: Json) -> tuple[str, Json]:
    """Return the next seat and its command: seats that play waits for come before seats that may act."""
    waiting = sorted(call("GET", here, seats["gm"])["waiting"], key=lambda prompt: prompt["optional"])
    for seat in dict.fromkeys(prompt["seat"] for prompt in waiting):
        command = player.pick(call("GET", f"{here}/options", seats[seat]), creatures)
        if command is not None:
            return seat, command
    raise Refused("nobody may do anything")


if __name__ == "__main__":
    if len(sys.argv) < 3:  # noqa: PLR2004 - the program, the service and the key
        sys.exit("usage: play.py http://127.0.0.1:8000 KEY [SEED]   (rewound keys create NAME makes a key)")
    try:
        print(play(sys.argv[1].rstrip("/"), sys.argv[2], Player(random.Random(*sys.argv[3:4]))))
    except (Refused, URLError) as fault:
        sys.exit(f"{sys.argv[1]}: {fault}")
