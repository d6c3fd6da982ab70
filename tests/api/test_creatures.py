"""The short view of creatures: alike in both books, and no more than each seat may know."""

from __future__ import annotations

from typing import Any

from tests.api.client import Api
from tests.api.test_hidden_creatures import begun, hide
from tests.api.test_lobby import listed
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played

MEMBERS = {
    *("id", "name", "side", "kind", "size", "space", "position", "height_ft", "status", "hp", "hp_max"),
    *("conditions", "hidden", "acts", "load", "capacity"),
}


def creatures(api: Api, at: str, query: str = "") -> dict[str, dict[str, Any]]:
    found = api.get(f"{at}/creatures{query}")["creatures"]
    assert all(set(each) == MEMBERS for each in found)
    assert len({each["id"] for each in found}) == len(found)
    return {each["id"]: each for each in found}


def test_both_books_show_their_creatures_alike(owner: Api) -> None:
    table = begun(owner)
    seen = creatures(owner, table.at)
    state = owner.get(f"{table.at}/state")["state"]
    assert seen.keys() == state["creatures"].keys()
    for name, creature in state["creatures"].items():
        assert seen[name]["hp"] == creature["hp"]
        assert seen[name]["position"] == creature["position"]
        assert seen[name]["status"] == "active"
        assert 0 <= seen[name]["load"] <= seen[name]["capacity"]
    assert any(each["acts"] for each in seen.values())
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    tokens = creatures(owner, fight.at)
    assert (tokens["a"]["kind"], tokens["o"]["side"], tokens["o"]["hp"]) == ("pc", "y", 1)
    assert {(each["load"], each["capacity"]) for each in tokens.values()} == {(None, None)}, "not in Rise"


def test_the_part_of_the_round_is_named(owner: Api) -> None:
    table = begun(owner)
    parts = [each["part"] for each in owner.get(f"{table.at}/creatures/changes")["changes"]]
    assert set(parts) == {""}
    target = next(n for n, each in creatures(owner, table.at).items() if each["side"] == "enemies")

    table.do("zoe", type="engage", creature="pia", target=target)
    assert owner.get(f"{table.at}/creatures")["part"] == "engagement"
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    owner("POST", f"{fight.at}/commands", {"type": "start_combat", "start_phase": "movement"})
    assert owner.get(f"{fight.at}/creatures")["part"] == "movement"
    assert owner.get(f"{fight.at}/creatures?at=1")["part"] == ""


def test_what_is_gm_only_is_null_for_others(owner: Api) -> None:
    table = begun(owner)
    goblin = {
        "stat_block": "goblin",
        "id": "gob",
        "side": "enemies",
        "position": [3, 3],
        "gm_only": ["hp_max", "might", "shield"],
    }
    table.do("gm", type="add_creature", entry=goblin)

    for seat, api in table.seats.items():
        gob = creatures(api, table.at)["gob"]
        known = (gob["hp"], gob["hp_max"])
        assert (None not in known) if seat == "gm" else known == (None, None), seat
        assert (gob["capacity"] is None) == (seat != "gm"), "it follows from might"
        assert (gob["load"] is None) == (seat != "gm"), "it follows from the shield"
    assert (
        owner("GET", f"{table.at}/creatures").headers["ETag"]
        == owner("GET", f"{table.at}/state").headers["ETag"]
    )


def test_a_hidden_creature_is_there_for_the_gm_alone(owner: Api) -> None:
    table = begun(owner)
    hide(table)

    for seat, api in table.seats.items():
        seen = creatures(api, table.at)
        assert ("gob" in seen) == (seat == "gm"), seat
    assert creatures(owner, table.at)["gob"]["hidden"] is True


def test_another_groups_world_is_sealed_until_it_is_announced(owner: Api) -> None:
    seats = [{"seat": "ann", "creatures": ["a"]}, {"seat": "bob", "creatures": ["o"]}]
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("pc@y/o", (1, 0), hp=20), seats=seats)
    ann, bob = fight.seats["ann"], fight.seats["bob"]
    fight.send("gm", "start_combat", start_phase="action")
    before = creatures(bob, fight.at)
    fight.do("no_more_swift", "a")
    fight.do("no_more_swift", "o")
    fight.do("strike", "a", 9, 5, target="o")

    assert creatures(ann, fight.at)["o"]["hp"] < 20
    assert {name: each["hp"] for name, each in creatures(bob, fight.at).items()} == {
        name: each["hp"] for name, each in before.items()
    }
    version = owner.get(fight.at)["version"]
    for creature in ("a", "o"):
        fight.do("end_turn" if creature == "a" else "pass_turn", creature)
    assert creatures(bob, fight.at)["o"]["hp"] < 20
    assert creatures(bob, fight.at, f"?at={version}")["o"]["hp"] == 20, "the past shows what was known then"


def test_the_only_side_that_stands_has_won(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "o")
    fight.do("strike", "a", 9, 5, target="o")
    assert owner.get(fight.at)["winner"] is None
    fight.do("end_turn", "a")
    fight.do("pass_turn", "o")

    assert (listed(owner)[0]["winner"], owner.get(fight.at)["winner"]) == ("x", "x")
    assert creatures(owner, fight.at)["o"]["status"] != "active"


def test_the_changes_lead_to_what_each_commit_shows_to_each_seat(owner: Api) -> None:
    table = begun(owner)
    hide(table)
    table.do("gm", type="reveal_creature", hidden_creature=1)
    last = owner.get(table.at)["version"]
    for api in table.seats.values():
        seen: dict[str, dict[str, Any]] = {}
        for change in api.get(f"{table.at}/creatures/changes")["changes"]:
            seen |= {each["id"]: each for each in change["creatures"]}
            for name in change["gone"]:
                del seen[name]
            assert seen == creatures(api, table.at, f"?at={change['n']}"), change["n"]
        assert change["n"] == last


def test_a_page_of_changes_begins_with_all_creatures(owner: Api) -> None:
    table = begun(owner)
    first = owner.get(f"{table.at}/creatures/changes?limit=2")
    assert [each["n"] for each in first["changes"]] == [1, 2]
    second = owner.get(f"{table.at}/creatures/changes?limit=2&cursor={first['next_cursor']}")
    assert second["changes"][0]["n"] == 3
    assert {each["id"] for each in second["changes"][0]["creatures"]} == set(creatures(owner, table.at))


def test_both_books_show_their_map_alike(owner: Api) -> None:
    fight = Played(
        owner,
        entry("pc@x/a", (0, 0)),
        entry("mon@y/o", (3, 0)),
        terrain={"1,0": "wall", "0,1": "difficult"},
        walls={"2,1|2,2": "closed_door", "2,0|3,0": "wall"},
    )
    plain: dict[str, Any] = {"light": "bright", "water": None, "height_ft": 0, "zones": []}
    shown = owner.get(f"{fight.at}/map")
    assert shown["rows"] == [
        {"row": [0, 1, 1], "terrain": "wall", **plain},
        {"row": [1, 0, 0], "terrain": "difficult", **plain},
    ]
    assert shown["edges"] == [
        {"between": [[2, 0], [3, 0]], "kind": "wall"},
        {"between": [[2, 1], [2, 2]], "kind": "closed_door"},
    ]
    assert shown["light"] == "bright"
    changed = [each["n"] for each in owner.get(f"{fight.at}/creatures/changes")["changes"] if each["map"]]
    assert changed == [1]
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "creatures": [],
        "terrain": {"2,0": "deep_water"},
        "walls": {"0,0|1,0": "closed_door"},
        "scenery": {"ambient": "dim", "heights": {"2,1": 10}},
    }
    opened = owner("POST", "/v1/encounters", opening)
    found = owner.get(f"{opened.headers['Location']}/map")
    assert [(each["row"], each["terrain"], each["light"], each["height_ft"]) for each in found["rows"]] == [
        ([0, 2, 2], "deep_water", "dim", 0),
        ([1, 2, 2], "normal", "dim", 10),
    ]
    assert found["edges"] == [{"between": [[0, 0], [1, 0]], "kind": "closed_door"}]
    assert found["light"] == "dim"


def test_a_door_that_opens_changes_the_map_of_its_commit(owner: Api) -> None:
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "walls": {"0,0|1,0": "closed_door"},
        "creatures": [
            {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
            {"position": [3, 0], "stat_block": "goblin", "id": "gob", "side": "foes"},
        ],
    }
    at = owner("POST", "/v1/encounters", opening).headers["Location"]
    for command in (
        {"type": "begin_combat", "unaware_side": "foes"},
        {"type": "grant_priority"},
        {"type": "object", "creature": "pia", "verb": "open", "item": "0,0|1,0"},
    ):
        answer: Any = owner("POST", f"{at}/commands", command).json
        assert answer["outcome"] == "accepted"
    changes: Any = owner.get(f"{at}/creatures/changes")["changes"]
    assert [each["n"] for each in changes if each["map"]] == [1, changes[-1]["n"]]
    assert owner.get(f"{at}/map")["edges"] == [{"between": [[0, 0], [1, 0]], "kind": "open_door"}]
    assert owner.get(f"{at}/map?at=1")["edges"] == [{"between": [[0, 0], [1, 0]], "kind": "closed_door"}]


def test_the_options_of_a_past_commit_are_what_was_legal_then(owner: Api) -> None:
    table = begun(owner)
    then = owner.get(f"{table.at}/options")
    table.do("gm", type="end_combat")
    now = owner.get(f"{table.at}/options")
    assert now["options"] != then["options"]
    assert owner.get(f"{table.at}/options?at={then['version']}")["options"] == then["options"]
    assert owner("GET", f"{table.at}/options?at={now['version'] + 1}").status_code == 422


def acts(api: Api, at: str, query: str = "") -> dict[str, int]:
    found = api.get(f"{at}/creatures/statistics{query}")["creatures"]
    assert all(each["acts"] == sum(part["acts"] for part in each["rounds"]) for each in found)
    return {each["id"]: each["acts"] for each in found}


def test_an_act_that_is_sealed_counts_for_who_may_read_it_alone(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    for each in ("k1", "k2"):
        fight.do("no_more_swift", each)
    fight.do("strike", "k1", target="k2")
    mine, other = fight.seats["seat-x"], fight.seats["seat-y"]
    assert acts(mine, fight.at) == {"k1": 1, "k2": 0}
    assert acts(other, fight.at) == acts(mine, fight.at, "?seen_by=*") == {"k1": 0, "k2": 0}
    assert acts(mine, fight.at, "?at=1") == {"k1": 0, "k2": 0}


def test_what_is_opened_later_counts_in_the_past_and_no_cached_answer_is_taken_for_it(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    for each in ("k1", "k2"):
        fight.do("no_more_swift", each)
    fight.do("strike", "k1", target="k2")
    other = fight.seats["seat-y"]
    past = f"{fight.at}/creatures/statistics?at={other.get(fight.at)['version']}"
    before = other("GET", past)
    unchanged = other("GET", past, None, **{"If-None-Match": before.headers["ETag"]})
    assert unchanged.status_code == 304
    assert owner("DELETE", fight.at).status_code == 200

    after = other("GET", past, None, **{"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    acted: Any = after.json
    assert {each["id"]: each["acts"] for each in acted["creatures"]} == {"k1": 1, "k2": 0}


def test_a_ledge_is_on_the_map_as_an_edge_between_cells(owner: Api) -> None:
    sheets: list[dict[str, Any]] = [
        {"id": "pia", "name": "Pia", "side": "heroes"},
        {"id": "orc", "name": "Orc", "side": "foes"},
    ]
    creatures: list[dict[str, Any]] = [
        {"position": [n, 0], "sheet": sheet | {"kind": "pc"}} for n, sheet in enumerate(sheets)
    ]
    opening: dict[str, Any] = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "walls": {"2,0|3,0": "wall"},
        "scenery": {"heights": {"0,0": 10}, "ledges": ["0,0|0,1"]},
        "creatures": creatures,
    }
    opened: Any = owner("POST", "/v1/encounters", opening).json
    assert owner.get(f"/v1/encounters/{opened['encounter']}/map")["edges"] == [
        {"between": [[0, 0], [0, 1]], "kind": "ledge"},
        {"between": [[2, 0], [3, 0]], "kind": "wall"},
    ]
