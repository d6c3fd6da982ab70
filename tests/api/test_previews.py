"""A preview of a movement says its way: the cells, what it costs, and whom it provokes."""

from __future__ import annotations

import json
from typing import Any

from tests.api.client import Api

OPENING: dict[str, Any] = {
    "edition": "heartrush@1",
    "title": "Ways",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [1, 0], "stat_block": "goblin", "id": "gob", "side": "foes"},
        {"position": [9, 9], "stat_block": "goblin", "id": "far", "side": "foes"},
    ],
    "seats": [{"seat": "ann", "creatures": ["pia"]}],
}


class Table:
    """A fight and those at it."""

    def __init__(self, owner: Api) -> None:
        self.at = "/v1/encounters/" + json.loads(owner("POST", "/v1/encounters", OPENING).text)["encounter"]
        token = json.loads(owner("POST", f"{self.at}/seats/ann/token", {}).text)["token"]
        self.seats = {"gm": owner, "ann": owner.with_token(token)}

    def do(self, seat: str, **command: object) -> None:
        answer = self.seats[seat]("POST", f"{self.at}/commands", command)
        assert answer.status_code == 200, answer.text


def begun(owner: Api) -> Table:
    table = Table(owner)
    table.do("gm", type="begin_combat", unaware_side="foes")
    table.do("gm", type="grant_priority")
    return table


def way(table: Table, **command: object) -> Any:
    answer = previewed(table, creature="pia", **command)
    assert answer["accepted"], answer
    return answer["way"]


def previewed(table: Table, **command: object) -> Any:
    return json.loads(table.seats["ann"]("POST", f"{table.at}/previews", command).text)


def test_a_dash_out_of_reach_says_its_cost_and_whom_it_provokes(owner: Api) -> None:
    table = begun(owner)
    assert way(table, type="dash", to=[-3, 0]) == {
        "path": [[-1, 0], [-2, 0], [-3, 0]],
        "feet": 15,
        "provokes": ["gob"],
    }
    table.do("ann", type="dash", creature="pia", to=[-3, 0])
    waiting = table.seats["gm"].get(f"{table.at}/options")["options"]
    assert "gob" in {each["prompt"]["creature"] for each in waiting}, "and so it is when she does it"


def test_a_sidestep_provokes_nobody_and_what_is_no_movement_has_no_way(owner: Api) -> None:
    table = begun(owner)
    found = way(table, type="sidestep", to=[-1, 0], pay="action")
    assert found == {"path": [[-1, 0]], "feet": 5, "provokes": []}
    passed = previewed(table, type="pass", creature="pia")
    assert passed["accepted"]
    assert "way" not in passed


def test_a_way_knows_nothing_of_a_hidden_creature(owner: Api) -> None:
    table = begun(owner)
    before = way(table, type="dash", to=[-3, 0])
    entry = {"stat_block": "goblin", "id": "sly", "side": "foes", "position": [-1, 1]}
    table.do("gm", type="hide_creature", entry=entry)
    assert way(table, type="dash", to=[-3, 0]) == before
