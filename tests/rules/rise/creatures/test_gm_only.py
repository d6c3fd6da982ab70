"""What the GM marks GM-only about a monster changes nothing that anybody else receives; twins show it.

The heroes strike at it in their own world, the phase is announced and merged, and it recovers. The twins
differ in its hit points, resistance and defenses, chosen so that what everybody sees comes out the same.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.everything import answers, masked
from tests.api.test_secrecy import audit, served
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry, opening
from tests.rules.rise.test_http import Played
from tests.rules.rise.test_twins import MISTAKES, PATHS

HIT: Final = ({"hp_max": 60, "dr_max": 9}, {"hp_max": 80, "dr_max": 2})
MISSED: Final = ({"defenses": {"armor": 70}}, {"defenses": {"armor": 90}})
UNUSED: Final = (
    {"speeds": {"land": 30}, "strength": 2, "willpower": 0, "abilities": KIT["abilities"][:2]},
    {"speeds": {"land": 60, "fly": 30}, "strength": 5, "willpower": 3, "abilities": KIT["abilities"]},
)
IDLE: Final = ("no_more_swift", "end_turn", "pass_turn", "pass_movement", "roll_initiative")


class Run(Played):
    """A round in which the heroes strike at a monster of which something is GM-only."""

    def __init__(self, gm: Api, values: dict[str, Any], **more: Any) -> None:
        ogre = entry("mon@orcs/o", (3, 0), **{**KIT, **values})
        ogre["gm_only"] = list(values)
        heroes = entry("pc@heroes/h", (0, 0), **KIT), entry("pc@wolves/w", (0, 3), **KIT)
        options = {"exertion_prompt": "never", "visibility": "full", **more}
        super().__init__(gm, *heroes, ogre, declared_sides=[], options=options)
        self.send("gm", "start_combat", start_phase="action")
        for name in ("h", "w", "o"):
            self.idle(name, ("no_more_swift",))
        self.do("strike", "h", target="o", weapon="bow")
        while self.state()["stage"] == "action":
            gone_on = [name for name in ("h", "w", "o") if self.idle(name, IDLE)]
            assert gone_on, "nobody goes on"

    def idle(self, name: str, types: tuple[str, ...]) -> bool:
        """Let a creature do the first of *types* that it is asked for; tell whether it was asked."""
        for asked in self.seats[self.owner[name]].get(f"{self.at}/options")["options"]:
            if asked["prompt"]["creature"] != name:
                continue
            for type_ in types:
                if type_ in asked["prompt"]["accepts"]:
                    self.do(type_, name)
                    return True
        return False

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.seats["gm"].get(f"{self.at}/state")["state"]
        return found


Told = tuple[list[dict[str, list[str]]], list[dict[str, Any]]]


@pytest.fixture(scope="module", params=(HIT, MISSED, UNUSED), ids=("hit", "missed", "unused"))
def twins(request: pytest.FixtureRequest) -> Told:
    told, certificates = [], []
    for values in request.param:
        log = MemoryLog()
        with served(log) as api:
            run = Run(api, values)
            told.append({s: answers(who, run.at, PATHS, MISTAKES) for s, who in run.seats.items()})
            certificates.append(audit(log, run))
    return told, certificates


@pytest.mark.parametrize("seat", ["seat-heroes", "seat-wolves"])
def test_TABLE_GMONLY_1_what_is_gm_only_of_a_monster_changes_no_answer(twins: Told, seat: str) -> None:
    left, right = (masked(told[seat]) for told in twins[0])

    for one, other in zip(left, right, strict=True):
        assert one == other


def test_the_gm_is_told_of_the_monster(twins: Told) -> None:
    left, right = (masked(told["gm"]) for told in twins[0])

    assert left != right


def test_an_audit_of_it_tells_nothing(twins: Told) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins[1])

    assert left == right
    assert twins[1][0]["verdict"]["name"] == "valid_unsigned_to_epoch"


@pytest.mark.parametrize("field", ["accuracy", "power", "dexterity", "weapons"])
def test_what_an_announcement_tells_cannot_be_gm_only(field: str) -> None:
    ogre = {**entry("mon@orcs/o", (3, 0), **KIT), "gm_only": [field]}
    data = opening(entry("pc@heroes/h", (0, 0), **KIT), ogre, declared_sides=[])
    with served() as api:
        answer = api("POST", "/v1/encounters", {"edition": "rise@1", **data})

    assert answer.status_code == 422, answer.text
    assert "/creatures/1/gm_only/0" in answer.text


def test_the_blow_was_told(twins: Told) -> None:
    """The comparison would pass for nothing if the heroes had hurt nobody and missed nobody."""
    told = "".join(twins[0][0]["seat-wolves"]).replace("\\", "")

    assert '"type":"damage_taken"' in told or '"outcome":"miss"' in told
