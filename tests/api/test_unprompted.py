"""Options say what answers no prompt, and why the rest is not legal now; sheets are read and written."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from tests.api.client import Api
from tests.api.test_hidden_creatures import begun, hide
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played

Found = dict[str, dict[str, Any]]


def unprompted(api: Api, at: str) -> Found:
    return {each["command"]["type"]: each for each in api.get(f"{at}/options?view=full")["unprompted"]}


def test_the_gm_reads_what_answers_no_prompt_and_a_player_its_own_part(owner: Api) -> None:
    table = begun(owner)
    mine = unprompted(owner, table.at)
    assert {"gm_ruling", "add_creature", "hide_creature", "roll_behind_screen", "open_seat", "close"} <= set(
        mine
    )
    assert all(each["heading"] and each["text"].endswith(".") for each in mine.values())
    assert [
        mine[each]["name"] for each in ("award_xp", "advance_clock", "gm_ruling", "roll_behind_screen")
    ] == [
        "Award experience",
        "Let time pass",
        "Give a ruling",
        "Roll behind the screen",
    ]
    assert mine["gm_ruling"]["asks"] == ["decision"]
    assert set(mine["show_sheet"]["choices"]["creature"]) == set(
        owner.get(f"{table.at}/state")["state"]["creatures"]
    )
    assert "seat" in mine["open_seat"]["asks"], "a new seat has a new id"
    assert set(unprompted(table.seats["zoe"], table.at)) == {"ask_ruling", "set_standing"}
    assert "unprompted" not in owner.get(f"{table.at}/options")


def test_what_is_not_legal_now_says_why_until_it_is(owner: Api) -> None:
    table = begun(owner)
    before = unprompted(owner, table.at)["reveal_creature"]
    assert before["refusal"] == {"code": "nothing_to_choose", "detail": "there is no hidden creature"}
    hide(table)
    after = unprompted(owner, table.at)["reveal_creature"]
    assert (after["refusal"], after["choices"]) == (None, {"hidden_creature": [1]})
    assert after["called"] == {"hidden_creature": {"1": "Goblin at 3, 3"}}, "the gm knows which one it is"


def test_a_prompt_says_in_words_why_its_other_commands_are_refused(owner: Api) -> None:
    table = begun(owner)
    api = table.seats["zoe"]
    (pia,) = (
        each
        for each in api.get(f"{table.at}/options?view=full")["options"]
        if each["prompt"]["creature"] == "pia"
    )
    offered = {each["command"]["type"] for each in pia["commands"]}
    refused = {each["type"]: each["detail"] for each in pia["refused"]}
    assert set(pia["prompt"]["accepts"]) >= offered | set(refused)
    assert not offered & set(refused)
    assert refused["let_go"] == "Pia holds nobody"
    assert "Let go of whom you hold" in {each["name"] for each in pia["refused"]}


def test_an_offer_says_what_to_write_where_its_schema_says_more(owner: Api) -> None:
    table = begun(owner)
    found = [
        (command["command"].get("verb"), command.get("notes"))
        for each in table.seats["zoe"].get(f"{table.at}/options?text=en")["options"]
        for command in each["commands"]
        if command["command"]["type"] == "object"
    ]
    assert ("handle", {"item": "What is handled, in a few words."}) in found
    assert all(notes is None for verb, notes in found if verb != "handle")
    silent = table.seats["zoe"].get(f"{table.at}/options")["options"]
    assert not any("notes" in command for each in silent for command in each["commands"])


def test_a_sheet_is_read_in_words_as_far_as_a_seat_may(owner: Api) -> None:
    table = begun(owner)
    groups = table.seats["zoe"].get(f"{table.at}/creatures/pia/sheet")["groups"]
    lines = {line["name"]: line for group in groups for line in group["lines"]}
    assert lines["name"]["text"] == "Pia"
    assert lines["might"]["title"] == "Might"
    assert owner("GET", f"{table.at}/creatures/nobody/sheet").status_code == 404


def test_a_sheet_has_a_schema_of_which_a_form_can_be_made(owner: Api) -> None:
    for edition in ("heartrush@1", "rise@1"):
        found = owner.get(f"/v1/rulesets/{edition}/sheet")
        jsonschema.Draft202012Validator.check_schema(found["schema"])
        members = found["schema"]["properties"]
        assert all(each["title"] for each in members.values())
        assert sorted(name for group in found["groups"] for name in group["fields"]) == sorted(members)


def test_a_command_about_a_list_or_with_what_need_not_be_given_is_tried_with_it(owner: Api) -> None:
    table = begun(owner)
    mine = unprompted(owner, table.at)
    assert mine["award_xp"]["refusal"] is None, "it is legal for somebody"
    assert mine["advance_clock"]["refusal"] is None, "it is legal with a span of time"


def test_why_a_creature_cannot_act_upon_others_is_about_the_nearest_enemy(owner: Api) -> None:
    """Not about an ally, who is never a target, nor about an enemy that is farther off."""
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "creatures": [
            {
                "position": [0, y],
                "stat_block": "new-character",
                "id": name,
                "name": name.title(),
                "side": side,
            }
            for name, y, side in (
                ("pia", 0, "heroes"),
                ("ash", 1, "heroes"),
                ("far", 90, "foes"),
                ("near", 60, "foes"),
            )
        ],
    }
    at = f"/v1/encounters/{json.loads(owner('POST', '/v1/encounters', opening).text)['encounter']}"
    for command in ({"type": "begin_combat", "unaware_side": "foes"}, {"type": "grant_priority"}):
        assert owner("POST", f"{at}/commands", command).status_code == 200
    options = owner.get(f"{at}/options?view=full")["options"]
    (pia,) = (each for each in options if each["prompt"]["creature"] == "pia")
    (why,) = (each["detail"] for each in pia["refused"] if each["type"] == "engage")
    assert "Near" in why, why


def test_a_command_of_own_creatures_is_tried_with_them_first(owner: Api) -> None:
    heroes = [entry(f"pc@heroes/hero-{each}", (0, each)) for each in range(9)]
    table = Played(owner, *heroes, entry("mon@orcs/gob", (5, 0)))
    assert unprompted(owner, table.at)["set_attitude"]["refusal"] is None
    table.send("gm", "start_combat", start_phase="movement")
    assert unprompted(owner, table.at)["set_attitude"]["refusal"] is None, "for the next phase"
