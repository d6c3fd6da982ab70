"""Play twins at random: two services that differ in what the GM hides alone, and nobody else can tell.

Each script is a fight of one rulebook in which monsters have GM-only fields and the GM rolls behind the
screen. Both twins are played by the same chance, in Heart Rush with every window asked of everybody. Then
every answer to every seat but the gm's is compared: each endpoint, stream, ETag and error. Hidden values are
chosen where they cannot show: hit points that are never reached, armor that nothing beats.

    python -m tests.api.twins [scripts] [first seed]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from service.log.memory import MemoryLog
from service.rules.heartrush.abilities.catalogue import CATALOGUE
from service.rules.heartrush.sheets.abilities import Ability
from tests.api.client import Api
from tests.api.test_secrecy import MISTAKES, PATHS, PLACES, SEATS, answers, masked, served
from tests.heartrush.kit import opening as heartrush
from tests.rise.bot import KIT
from tests.rise.kit import entry
from tests.rise.kit import opening as rise

STEPS: Final = 30
SCRIPTS: Final = 500
KEPT_OUT: Final = ("end_combat", "close", "end_fight", "set_standing", "gm_ruling", "rest", "invoke_wound")
"""What would end a script early, or tells of no fight."""

ABILITIES: Final = sorted(name for name, found in CATALOGUE.items() if isinstance(found, Ability))

Pair = tuple[Any, Any]
SCREEN: Final[Pair] = ({"dice": [20], "bonus": 0, "what": "one"}, {"dice": [6, 6], "bonus": 9, "what": "two"})
ORC: Final[Pair] = (
    {"hp_max": 1000, "wound_threshold": 900, "armor": "natural", "natural_armor": 300, "defense_bonus": 0},
    {"hp_max": 1300, "wound_threshold": 950, "armor": "natural", "natural_armor": 320, "defense_bonus": 7},
)
WOLF: Final[Pair] = ({"hp_max": 1001}, {"hp_max": 999})
OGRE: Final[Pair] = (
    {"hp_max": 900, "dr_max": 500, "defenses": {"armor": 400}},
    {"hp_max": 990, "dr_max": 20, "defenses": {"armor": 420}},
)


def opened_with(edition: str, seed: int, which: int) -> tuple[dict[str, Any], list[str]]:
    """Return the opening of one twin of a fight by *edition*, and its players' seats."""
    if edition == "heartrush@1":
        monsters = {"orc": ORC[which], "wolf": WOLF[which]}
        drawn = Random(seed)
        sheets = {
            name: {**monsters.get(name, {}), "abilities": drawn.sample(ABILITIES, 3)} for name in PLACES
        }
        data = heartrush(PLACES, sheets=sheets, seats=SEATS, declared_sides=[], options={"windows": "all"})
        for each in data["creatures"]:
            each["gm_only"] = list(monsters.get(each["sheet"]["id"], ()))
        return {"edition": edition, **data}, ["zoe", "yan"]
    ogre = {**entry("mon@orcs/o", (2, 0), **{**KIT, **OGRE[which]}), "gm_only": list(OGRE[which])}
    heroes = entry("pc@heroes/h", (0, 0), **KIT), entry("pc@wolves/w", (0, 2), **KIT)
    data = rise(*heroes, ogre, declared_sides=[], options={"exertion_prompt": "never"})
    watcher = {"seat": "eve", "role": "observer", "creatures": []}
    return {"edition": edition, **data, "seats": [*data["seats"], watcher]}, ["seat-heroes", "seat-wolves"]


class Script:
    """One twin, played by chance."""

    def __init__(self, api: Api, edition: str, seed: int, which: int) -> None:
        data, players = opened_with(edition, seed, which)
        answer = api("POST", "/v1/encounters", data)
        assert answer.status_code == 201, answer.text
        self.at = "/v1/encounters/" + json.loads(answer.text)["encounter"]
        self.players = players
        self.which = which
        self.chance = Random(f"{edition} {seed}")
        self.seats = {"gm": api}
        for seat in (*players, "eve"):
            told = json.loads(api("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = api.with_token(told["token"])
        begun = {"type": "begin_combat"} if edition == "heartrush@1" else {"type": "start_combat"}
        self.send("gm", begun)

    def play(self) -> None:
        """Let whoever is asked choose at random, and the gm roll in secret now and then."""
        for _ in range(STEPS):
            if self.chance.random() < 0.1:
                self.send("gm", {"type": "roll_behind_screen", **SCREEN[self.which]})
            seats = ["gm", *self.players]
            self.chance.shuffle(seats)
            if not any(self.choose(seat) for seat in seats):
                return

    def choose(self, seat: str) -> bool:
        """Send one of the commands that *seat* is offered; False where there is none."""
        asked = self.seats[seat].get(f"{self.at}/options")["options"]
        pressing = [each for each in asked if not each["prompt"]["optional"]] or asked
        offers = [o for each in pressing for o in each["commands"] if o["type"] not in KEPT_OUT]
        if not offers:
            return False
        offer = self.chance.choice(offers)
        chosen = {name: self.chance.choice(values) for name, values in offer["choices"].items()}
        told = {name: offer[name] for name in ("type", "creature", "prompt") if offer[name] is not None}
        self.send(seat, {**told, **offer["given"], **chosen})
        return True

    def send(self, seat: str, command: Mapping[str, Any]) -> None:
        answer = self.seats[seat]("POST", f"{self.at}/commands", dict(command))
        assert answer.status_code == 200, f"{command}: {answer.text}"


def told_by(edition: str, seed: int, which: int) -> dict[str, list[str]]:
    """Play one twin and return every answer to every seat."""
    with served(MemoryLog()) as api:
        script = Script(api, edition, seed, which)
        script.play()
        return {seat: answers(who, script.at, PATHS, MISTAKES) for seat, who in script.seats.items()}


def difference(edition: str, seed: int) -> str | None:
    """Return where the twins of a script differ for somebody who must not tell them apart, if anywhere."""
    left, right = told_by(edition, seed, 0), told_by(edition, seed, 1)
    if masked(left["gm"]) == masked(right["gm"]):
        return f"{edition} {seed}: the gm is told the same of both: nothing was hidden"
    for seat in left.keys() - {"gm"}:
        ones, others = masked(left[seat]), masked(right[seat])
        for one, other in zip(ones, others, strict=False):
            if one != other:
                at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
                return f"{edition} {seed} {seat}: {one[max(0, at - 200) : at + 99]!r} {other[at : at + 99]!r}"
        if len(ones) != len(others):
            return f"{edition} {seed} {seat}: {len(ones)} answers and {len(others)}"
    return None


def main(scripts: int, first: int) -> int:
    """Play *scripts* of both rulebooks in turn; say what was found."""
    found = 0
    for seed in range(first, first + scripts):
        edition = ("heartrush@1", "rise@1")[seed % 2]
        differs = difference(edition, seed)
        if differs is not None:
            found += 1
            sys.stdout.write(f"{differs}\n")
    sys.stdout.write(f"{scripts} scripts, {found} of them told apart\n")
    return 1 if found else 0


if __name__ == "__main__":
    told = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(told + [SCRIPTS, 0][len(told) :])))
