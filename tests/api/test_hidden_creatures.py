"""What the GM keeps hidden nobody else learns from any answer, until it is revealed or run into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from service.audit.bundle import read, write
from service.audit.evidence import stored
from service.audit.verify import verify
from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.conftest import BOTH
from tests.api.everything import masked
from tests.api.test_gm_only import Table
from tests.api.test_gm_only_lines import gone_on, last
from tests.api.test_secrecy import PLACES, SEATS, audit, served
from tests.rules.heartrush.kit import opening

GOB: Final = {"stat_block": "goblin", "id": "gob", "side": "enemies", "position": [3, 3]}


def begun(api: Api) -> Table:
    """Return a fight in which it is for the players to act."""
    table = Table(api, {"edition": "heartrush@1", **opening(PLACES, seats=SEATS, declared_sides=[])})
    table.do("gm", type="begin_combat", unaware_side="enemies")
    table.do("gm", type="grant_priority")
    return table


def hide(table: Table, **entry: object) -> None:
    table.do("gm", type="hide_creature", entry={**GOB, **entry})


def refused(table: Table, seat: str, **command: object) -> str:
    answer = table.seats[seat]("POST", f"{table.at}/commands", command)
    data = json.loads(answer.text)
    code = data["code"] if answer.status_code >= 400 else data["refusal"]["code"]
    assert isinstance(code, str)
    return code


def state(table: Table, seat: str = "zoe") -> dict[str, Any]:
    found: dict[str, Any] = table.seats[seat].get(f"{table.at}/state")["state"]
    return found


def events(answer: Mapping[str, Any]) -> list[str]:
    return [event.get("type", "sealed") for event in answer["events"]]


# --- twins -------------------------------------------------------------------------------------------

TWINS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"stat_block": "orc", "id": "secret-chief", "position": [-9, 14], "gm_only": ["hp_max"]},
)


def plot(table: Table, which: int) -> None:
    """Hide one of the twins, move it, hide and withdraw another, and have the players act."""
    hide(table, **TWINS[which])
    table.do("gm", type="move_hidden_creature", hidden_creature=1, position=([5, 8], [-7, -7])[which])
    hide(table, id=("rat", "dragon")[which], position=([9, 9], [8, 8])[which])
    table.do("gm", type="withdraw_hidden_creature", hidden_creature=2)
    table.do("zoe", type="dash", creature="pia", to=[0, -2])


@pytest.fixture(scope="module")
def twins() -> tuple[list[dict[str, list[str]]], list[dict[str, Any]]]:
    found, certificates = [], []
    for which in (0, 1):
        log = MemoryLog()
        with served(log) as api:
            table = begun(api)
            plot(table, which)
            found.append({seat: table.look(seat) for seat in table.seats})
            certificates.append(audit(log, table))
    return found, certificates


Told = tuple[list[dict[str, list[str]]], list[dict[str, Any]]]


@pytest.mark.parametrize("seat", ["zoe", "yan", "eve"])
def test_TABLE_HIDDEN_1_no_answer_differs_with_what_lurks_and_where(twins: Told, seat: str) -> None:
    left, right = (masked(each[seat]) for each in twins[0])

    for one, other in zip(left, right, strict=True):
        assert one == other


def test_TABLE_HIDDEN_1_the_gm_is_told_of_its_hidden_creatures(twins: Told) -> None:
    left, right = (masked(each["gm"]) for each in twins[0])

    assert left != right
    assert any("secret-chief" in text for text in twins[0][1]["gm"])


def test_TABLE_HIDDEN_1_an_audit_tells_nothing_of_it(twins: Told) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins[1])

    assert left == right
    assert '"name": "valid_unsigned_to_epoch' in left[0], twins[1][0]["verdict"]


# --- what is public ----------------------------------------------------------------------------------


def test_TABLE_HIDDEN_1_public_is_that_there_is_one_and_its_number() -> None:
    with served() as api:
        table = begun(api)
        hide(table)

        assert state(table)["hidden_creatures"] == {"1": {"sealed": ["seat:gm"]}}
        assert state(table, "gm")["hidden_creatures"]["1"]["position"] == [3, 3]
        assert "gob" not in state(table, "gm")["creatures"]
        assert "goblin" not in table.seats["zoe"]("GET", f"{table.at}/bundle").text


@pytest.mark.parametrize(
    "command",
    [
        {"type": "hide_creature", "entry": GOB},
        {"type": "move_hidden_creature", "hidden_creature": 1, "position": [4, 4]},
        {"type": "reveal_creature", "hidden_creature": 1},
        {"type": "withdraw_hidden_creature", "hidden_creature": 1},
    ],
    ids=lambda command: command["type"],
)
def test_TABLE_HIDDEN_1_they_are_the_gms_alone(command: dict[str, Any]) -> None:
    with served() as api:
        table = begun(api)
        hide(table)

        assert refused(table, "zoe", **command) == "not_gm"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"type": "hide_creature", "entry": {**GOB, "position": [9, 9]}}, "creature_taken"),
        ({"type": "hide_creature", "entry": {**GOB, "id": "pia", "position": [9, 9]}}, "creature_taken"),
        ({"type": "hide_creature", "entry": {**GOB, "id": "rat"}}, "space_occupied"),
        ({"type": "hide_creature", "entry": {**GOB, "id": "rat", "position": [0, 0]}}, "space_occupied"),
        ({"type": "hide_creature", "entry": {**GOB, "id": "rat", "side": "none"}}, "opening_not_possible"),
        ({"type": "move_hidden_creature", "hidden_creature": 1, "position": [0, 0]}, "space_occupied"),
        (
            {"type": "move_hidden_creature", "hidden_creature": 2, "position": [4, 4]},
            "no_such_hidden_creature",
        ),
    ],
)
def test_TABLE_HIDDEN_1_a_mistake_of_the_gm_leaves_no_trace(command: dict[str, Any], code: str) -> None:
    with served() as api:
        table = begun(api)
        hide(table)
        before = api.get(table.at)["version"]

        assert refused(table, "gm", **command) == code
        assert api.get(table.at)["version"] == before


@pytest.mark.parametrize("type_", ["reveal_creature", "withdraw_hidden_creature"])
def test_TABLE_HIDDEN_1_what_does_not_lurk_is_no_lurker(type_: str) -> None:
    with served() as api:
        assert refused(begun(api), "gm", type=type_, hidden_creature=1) == "no_such_hidden_creature"


# --- being seen --------------------------------------------------------------------------------------


def test_TABLE_HIDDEN_3_who_is_revealed_is_there_as_one_that_arrives() -> None:
    with served() as api:
        table = begun(api)
        hide(table)
        table.do("gm", type="reveal_creature", hidden_creature=1)
        gob = state(table)["creatures"]["gob"]

        assert (gob["position"], gob["action"], gob["rush"]) == ([3, 3], 1, 1)
        assert state(table)["hidden_creatures"] == {}
        assert '"creature_hidden"' in table.seats["zoe"]("GET", f"{table.at}/commits?limit=50").text.replace(
            "\\", ""
        )


def test_TABLE_HIDDEN_3_a_taken_place_and_a_taken_id_are_resolved_when_it_is_seen() -> None:
    """Nobody is told before: who is added where something hides is not refused."""
    with served() as api:
        table = begun(api)
        hide(table)
        table.do("gm", type="add_creature", entry=GOB)
        table.do("gm", type="reveal_creature", hidden_creature=1)
        creatures = state(table)["creatures"]

        assert creatures["gob"]["position"] == [3, 3]
        assert creatures["gob-2"]["position"] == [2, 3]


def test_TABLE_HIDDEN_3_what_is_gm_only_stays_so() -> None:
    with served() as api:
        table = begun(api)
        hide(table, gm_only=["hp_max"])
        table.do("gm", type="reveal_creature", hidden_creature=1)

        assert state(table)["creatures"]["gob"]["hp"] == {"sealed": ["seat:gm"]}
        table.do("gm", type="show_sheet", creature="gob")
        assert state(table)["creatures"]["gob"]["hp"] > 0


def test_TABLE_HIDDEN_2_a_dash_ends_before_the_hidden_creature_and_finds_it() -> None:
    with served() as api:
        table = begun(api)
        hide(table, position=[-4, 2])
        result = table.do("yan", type="dash", creature="ash", path=[[-4, 1], [-4, 2], [-4, 3]])
        found = next(event for event in result["events"] if event["type"] == "hidden_creature_revealed")

        assert (found["found_by"], found["because"]) == ("ash", ["TABLE-HIDDEN-2"])
        assert state(table)["creatures"]["ash"]["position"] == [-4, 1]
        assert state(table)["creatures"]["gob"]["position"] == [-4, 2]


def test_TABLE_HIDDEN_2_an_interrupted_dash_ends_there_too() -> None:
    with served() as api:
        table = begun(api)
        hide(table, position=[0, -2])
        table.do("zoe", type="dash", creature="pia", path=[[0, -1], [0, -2], [0, -3]])
        assert "gob" not in state(table)["creatures"]
        table.do("gm", type="pass_window", creature="wolf", prompt="r1/m1/moves-1/wolf")

        assert state(table)["creatures"]["pia"]["position"] == [0, -1]
        assert state(table)["creatures"]["gob"]["position"] == [0, -2]


def test_TABLE_HIDDEN_2_a_sidestep_finds_it() -> None:
    with served() as api:
        table = begun(api)
        hide(table, position=[-5, 0])
        table.do("yan", type="sidestep", creature="ash", to=[-5, 0])

        assert state(table)["creatures"]["ash"]["position"] == [-4, 0]
        assert state(table)["creatures"]["gob"]["position"] == [-5, 0]


def test_TABLE_HIDDEN_2_a_push_finds_it_and_collides_with_it() -> None:
    with served() as api:
        table = begun(api)
        hide(table, position=[-6, 0])
        push = {"kind": "push", "creature": "ash", "feet": 15, "direction": [-1, 0]}
        ruling = {"kind": "effect", "subject": "ash", "decision": "so", "reason": "so", "effects": [push]}
        found = table.do("gm", type="gm_ruling", **ruling)

        assert [
            e
            for e in events(found)
            if e in {"pushed", "hidden_creature_revealed", "push_stopped", "collision"}
        ] == [*("pushed", "hidden_creature_revealed", "push_stopped", "collision")]
        assert state(table)["creatures"]["ash"]["position"] == [-5, 0]
        assert state(table)["creatures"]["gob"]["position"] == [-6, 0]


def test_TABLE_HIDDEN_2_nobody_is_refused_or_offered_less_for_what_it_cannot_see() -> None:
    found = []
    for hidden in ([-5, 0], [9, 9]):
        with served() as api:
            table = begun(api)
            hide(table, position=hidden)
            found.append(table.seats["yan"].get(f"{table.at}/options")["options"])

    assert found[0] == found[1]


# --- lines and the end -------------------------------------------------------------------------------


def test_TABLE_LINE_1_what_is_undone_is_hidden_again_and_stays_so() -> None:
    log = MemoryLog()
    with served(log) as api:
        table = begun(api)
        hide(table)
        table.do("gm", type="reveal_creature", hidden_creature=1)
        undone = gone_on(table, "undo", commit=last(table))
        assert state(undone)["hidden_creatures"] == {"1": {"sealed": ["seat:gm"]}}
        assert "gob" not in state(undone)["creatures"]
        assert state(undone, "gm")["hidden_creatures"]["1"]["sheet"]["id"] == "gob"
        undone.do("gm", type="reveal_creature", hidden_creature=1)
        undone.do("gm", type="close")
        assert audit(log, undone)["verdict"]["name"] == "valid_unsigned"


def test_TABLE_HIDDEN_1_a_fork_keeps_it_sealed_and_the_end_opens_it() -> None:
    log = MemoryLog()
    with served(log) as api:
        table = begun(api)
        hide(table)
        answer = json.loads(
            api("POST", f"{table.at}/forks", {"at": api.get(table.at)["version"], "commands": []}).text
        )
        fork = "/v1/encounters/" + answer["encounter"]
        assert api.get(f"{fork}/state")["state"]["hidden_creatures"]["1"]["position"] == [3, 3]
        assert "goblin" not in json.dumps(
            [each["commit"] for each in api.get(f"{fork}/commits?limit=5")["commits"]]
        )
        api("DELETE", table.at)
        assert state(table)["hidden_creatures"]["1"]["position"] == [3, 3]
        evidence = stored(log, table.at.rpartition("/")[2])
        assert verify(evidence, BOTH).verdict.name == "valid_unsigned"
        bundle = b"".join(write(evidence, "zoe"))

    assert verify(read(bundle), BOTH).verdict.name == "valid_unsigned"
