"""Play Rise over HTTP: a client for each seat, and mistakes that leave no trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from service.cli import script
from tests.api.client import Api
from tests.rules.rise.kit import entry, opening


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

    def send(self, seat: str, type_: str, /, **data: Any) -> Any:
        """Send a command; return the outcome."""
        answer = self.seats[seat]("POST", f"{self.at}/commands", {"type": type_, **data})
        assert answer.status_code == 200, answer.text
        return answer.json

    def do(self, type_: str, creature: str, /, *faces: int, **data: Any) -> None:
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


def test_RI_ORDER_1_a_refusal_at_the_door_names_its_rule(owner: Api) -> None:
    """What is judged in secret is answered like any other refusal, alone and in an array."""
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    early = {"type": "strike", "creature": "k1", "target": "k2"}
    for sent in (early, [early]):
        answer = fight.seats["seat-x"]("POST", f"{fight.at}/commands", sent)
        assert answer.status_code == 409
        told: Any = answer.json
        assert (told["code"], told["rule"]) == ("wrong_step", "RI-ORDER-1")


def test_a_world_is_served_with_the_seats_of_the_table(owner: Api) -> None:
    """RI-INFO-1: what a group shares with the table is as it is now, not as when the group parted."""
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("pc@x/k2", (0, 1)), entry("mon@y/e", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "e")
    fight.send("gm", "change_seat", seat="seat-x", creatures=["k1"])
    answer: Any = fight.seats["seat-x"].get(f"{fight.at}/state")
    state = answer["state"]
    world = state["worlds"]["x"]
    assert state["seats"]["seat-x"]["creatures"] == ["k1"]
    assert not {"seats", "dice", "options", "round"} & set(world)


def test_the_sample_fight_of_rise_is_in_the_examples() -> None:
    """The package tells the same fight that stands among the examples."""
    root = Path(__file__).parents[3]
    assert script.load(root / "examples/mutual-kill.json")["one-phase"] == script.sample(None, "rise")
