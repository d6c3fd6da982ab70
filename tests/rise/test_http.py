"""Play Rise over HTTP: twin runs that differ only in what is hidden, mistakes that leave no trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.cli import script
from tests.api.client import Api
from tests.api.test_secrecy import masked, served
from tests.rise.bot import KIT
from tests.rise.kit import entry, opening


class Played:
    """A fight over HTTP: a client for each seat, commands by creature, dice as faces."""

    def __init__(self, gm: Api, *entries: dict[str, Any], **changes: Any) -> None:
        data = opening(*entries, **changes)
        answer = gm("POST", "/v1/encounters", {"edition": "rise@1", **data})
        assert answer.status_code == 201, answer.text
        self.at = "/v1/encounters/" + json.loads(answer.text)["encounter"]
        self.seats = {"gm": gm}
        self.owner = dict.fromkeys([e["sheet"]["id"] for e in entries], "gm")
        for seat in data["seats"]:
            told = json.loads(gm("POST", f"{self.at}/seats/{seat['seat']}/token", {}).text)
            self.seats[seat["seat"]] = gm.with_token(told["token"])
            self.owner |= dict.fromkeys(seat["creatures"], seat["seat"])

    def send(self, seat: str, type_: str, **data: Any) -> Any:
        """Send a command; return the outcome."""
        answer = self.seats[seat]("POST", f"{self.at}/commands", {"type": type_, **data})
        assert answer.status_code == 200, answer.text
        return answer.json

    def do(self, type_: str, creature: str, *faces: int, **data: Any) -> None:
        """Send a command of a creature, then tell *faces* as they are asked for."""
        self.send(self.owner[creature], type_, creature=creature, **data)
        left = list(faces)
        while left:
            left = self._throw(left)

    def _throw(self, faces: list[int]) -> list[int]:
        for seat, who in self.seats.items():
            for option in who.get(f"{self.at}/options")["options"]:
                prompt = option["prompt"]
                if prompt["wants"] and prompt["seat"] == seat:
                    count = len(prompt["wants"])
                    self.send(seat, "throw_dice", prompt=prompt["prompt"], faces=faces[:count])
                    return faces[count:]
        raise AssertionError(f"nobody asks for {faces}")


def test_RI_INFO_3_a_mistake_in_a_group_leaves_no_trace(owner: Api) -> None:
    """Dice that are asked for in secret are judged at the door: the record does not grow."""
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "k2")
    fight.do("strike", "k1", target="k2")
    before = owner.get(fight.at)["version"]
    (prompt,) = [
        option["prompt"]["prompt"]
        for option in fight.seats["seat-x"].get(f"{fight.at}/options")["options"]
        if option["prompt"]["wants"]
    ]
    wrong = {"type": "throw_dice", "prompt": prompt, "faces": [11]}
    answer = fight.seats["seat-x"]("POST", f"{fight.at}/commands", wrong)
    assert answer.status_code == 409
    assert owner.get(fight.at)["version"] == before


class Twin(Played):
    """A fight in which the heroes plan, commit and strike in secret; what the others are told meanwhile."""

    def __init__(self, gm: Api, ability: str) -> None:
        entries = [
            entry("pc@heroes/h", (0, 0), hp=9, **KIT),
            entry("mon@orcs/o", (3, 0), **KIT),
            entry("pc@wolves/w", (0, 3), **KIT),
        ]
        super().__init__(gm, *entries, declared_sides=[])
        self.send("gm", "start_combat")
        self.told: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.do("plan_movement", "h", path=[[0, 1]])
        self.look()
        for name in ("o", "w"):
            self.do("pass_movement", name)
        self.do("commit_swift", "h", ability=ability)
        self.do("no_more_swift", "h")
        self.look()

    def look(self) -> None:
        """Note every answer each seat can get now."""
        for seat, who in self.seats.items():
            for path in ("", "/state", "/options", "/commits", "/rounds/1", "/rolls", "/seats"):
                answer = who("GET", self.at + path)
                self.told[seat].append(f"{path} {answer.status_code} {answer.text}")


@pytest.fixture(scope="module")
def twins() -> tuple[Twin, Twin]:
    found = []
    for ability in ("total_defense", "recover"):
        with served() as api:
            found.append(Twin(api, ability))
    return found[0], found[1]


@pytest.mark.parametrize("seat", ["gm", "seat-wolves"])
def test_RI_INFO_1_a_hidden_declaration_changes_nothing_that_others_receive(
    twins: tuple[Twin, Twin], seat: str
) -> None:
    left, right = (masked(twin.told[seat]) for twin in twins)
    assert left == right


def test_the_group_itself_sees_what_it_declared(twins: tuple[Twin, Twin]) -> None:
    left, right = (masked(twin.told["seat-heroes"]) for twin in twins)
    assert left != right


def test_RI_INFO_1_a_hidden_plan_changes_nothing_that_others_receive() -> None:
    told = []
    for step in (0, -1):
        with served() as api:
            fight = Twin.__new__(Twin)
            Played.__init__(
                fight, api, entry("pc@heroes/h", (1, 1)), entry("pc@wolves/w", (5, 5)), declared_sides=[]
            )
            fight.send("gm", "start_combat")
            fight.told = {seat: [] for seat in fight.seats}
            fight.do("plan_movement", "h", path=[[1 + step, 0]])
            fight.look()
            told.append({seat: masked(texts) for seat, texts in fight.told.items()})
    assert told[0]["gm"] == told[1]["gm"]
    assert told[0]["seat-wolves"] == told[1]["seat-wolves"]
    assert told[0]["seat-heroes"] != told[1]["seat-heroes"]


def test_the_sample_fight_of_rise_is_in_the_examples() -> None:
    """The package tells the same fight that stands among the examples."""
    root = Path(__file__).parents[2]
    assert script.load(root / "examples/mutual-kill.json")["one-phase"] == script.sample(None, "rise")
