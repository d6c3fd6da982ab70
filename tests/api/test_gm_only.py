"""What the GM marks GM-only on a sheet no other seat learns from any answer; twins show it.

The twins differ in the hidden values alone, chosen so that what everybody sees is the same: a blow that
misses either armor, a wound that fells neither. See `test_secrecy.py` for how twins are compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.everything import MISTAKES, PATHS, answers, masked
from tests.api.test_secrecy import PLACES, SEATS, audit, served
from tests.rules.heartrush.kit import opening


class Table:
    """A fight that is served, with the orc's sheet partly GM-only."""

    def __init__(self, api: Api, data: Mapping[str, Any]) -> None:
        self.at = "/v1/encounters/" + json.loads(api("POST", "/v1/encounters", data).text)["encounter"]
        self.seats = {"gm": api}
        for seat in ("zoe", "yan", "eve"):
            answer = json.loads(api("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = api.with_token(answer["token"])

    def do(self, seat: str, /, **command: object) -> dict[str, Any]:
        answer = self.seats[seat]("POST", f"{self.at}/commands", command)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = json.loads(answer.text)
        return data

    def look(self, seat: str) -> list[str]:
        return answers(self.seats[seat], self.at, PATHS, MISTAKES)


def hidden(values: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the opening of a fight in which these *fields* of the orc, among them *values*, are GM-only."""
    places = {"pia": PLACES["pia"], "ash": PLACES["ash"], "orc": PLACES["orc"]}
    data = opening(places, sheets={"orc": values}, seats=SEATS, declared_sides=[])
    next(e for e in data["creatures"] if e["sheet"]["id"] == "orc")["gm_only"] = list(fields)
    return {"edition": "heartrush@1", **data}


def attacked(table: Table, players: str = "might", gm: str = "defensive") -> None:
    """Have pia engage the orc, each side with its stance, until the orc has rolled."""
    table.do("gm", type="begin_combat", unaware_side="enemies")
    table.do("gm", type="grant_priority")
    table.do("zoe", type="engage", creature="pia", target="orc")
    for _ in range(100):
        if any(roll["name"]["stream"].startswith("orc/") for roll in rolls(table, "gm")):
            return
        assert answer_next(table, {"zoe": players, "yan": players, "gm": gm})


def rolls(table: Table, seat: str) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = table.seats[seat].get(f"{table.at}/rolls")["rolls"]
    return answer


def answer_next(table: Table, stances: Mapping[str, str]) -> bool:
    """Give the first answer that is owed, by its first offer; False where nobody owes any."""
    for seat, stance in stances.items():
        for asked in table.seats[seat].get(f"{table.at}/options")["options"]:
            if not asked["prompt"]["optional"]:
                offer = next(o for o in asked["commands"] if o["command"]["type"] != "end_combat")
                chosen = {n: stance if stance in v else v[0] for n, v in offer["choices"].items()}
                table.do(seat, **{**offer["command"], **chosen})
                return True
    return False


# --- twins -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SealedValues:
    """Fields that are GM-only, and two sets of their values between which nobody else may tell."""

    name: str
    values: tuple[dict[str, Any], dict[str, Any]]
    stances: tuple[str, str]
    """Of the players and of the gm: only one of them strikes."""

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(self.values[0])


TOUGH: Final = {"hp_max": 100, "wound_threshold": 90, "armor": "natural", "shield": "none"}

KEPT: Final = (
    SealedValues(
        "what it can take",
        (
            {**TOUGH, "natural_armor": 80, "defense_bonus": 0},
            {**TOUGH, "natural_armor": 60, "defense_bonus": 9, "hp_max": 140, "shield": "heavy"},
        ),
        ("might", "defensive"),
    ),
    SealedValues("what it adds", ({"attack_bonus": -90}, {"attack_bonus": -70}), ("defensive", "might")),
    SealedValues(
        "dice it has not thrown and ways it has not gone",
        (
            {"cunning": 4, "presence": 4, "speed": 60, "swim_speed": 15, "climb_speed": 5},
            {"cunning": 12, "presence": 10, "speed": 85, "swim_speed": 40, "climb_speed": 30},
        ),
        ("might", "might"),
    ),
)


@pytest.fixture(scope="module", params=KEPT, ids=[kept.name for kept in KEPT])
def twins(request: pytest.FixtureRequest) -> tuple[list[dict[str, list[str]]], list[dict[str, Any]]]:
    found, certificates = [], []
    for values in request.param.values:
        log = MemoryLog()
        with served(log) as api:
            table = Table(api, hidden(values, request.param.fields))
            attacked(table, *request.param.stances)
            found.append({seat: table.look(seat) for seat in table.seats})
            certificates.append(audit(log, table))
    return found, certificates


Told = tuple[list[dict[str, list[str]]], list[dict[str, Any]]]


@pytest.mark.parametrize("seat", ["zoe", "yan", "eve"])
def test_TABLE_GMONLY_1_no_answer_differs_with_what_is_gm_only(twins: Told, seat: str) -> None:
    left, right = (masked(each[seat]) for each in twins[0])

    for one, other in zip(left, right, strict=True):
        assert one == other


def test_the_gm_is_told(twins: Told) -> None:
    left, right = (masked(each["gm"]) for each in twins[0])

    assert left != right


def test_an_audit_tells_nothing_of_it(twins: Told) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins[1])

    assert left == right
    assert '"name": "valid_unsigned_to_epoch' in left[0], twins[1][0]["verdict"]


# --- what is told ------------------------------------------------------------------------------------


def test_TABLE_GMONLY_2_the_dice_are_for_all_and_the_flat_parts_for_the_gm() -> None:
    with served() as api:
        table = Table(api, hidden({"defense_bonus": 70}, ("defense_bonus",)))
        attacked(table)
        whole = [roll for roll in rolls(table, "gm") if roll["name"]["stream"] == "orc/defense/pia"][-1]
        seen = [roll for roll in rolls(table, "zoe") if roll["name"]["stream"] == "orc/defense/pia"][-1]

    assert {"amount": 70, "rule": "HR-WPN-10", "what": "defense bonus"} in whole["terms"]
    assert [term["rule"] for term in seen["terms"]] == ["TABLE-GMONLY-2"]
    assert (seen["dice"], seen["name"]) == (whole["dice"], whole["name"])


def test_TABLE_GMONLY_3_what_is_shown_is_open_from_then_on() -> None:
    with served() as api:
        table = Table(api, hidden({"hp_max": 100, "defense_bonus": 70}, ("hp_max", "defense_bonus")))
        attacked(table)
        assert table.seats["zoe"].get(f"{table.at}/state")["state"]["creatures"]["orc"]["hp"] == {
            "sealed": ["seat:gm"]
        }
        refused = table.seats["zoe"](
            "POST", f"{table.at}/commands", {"type": "show_sheet", "creature": "orc"}
        )
        table.do("gm", type="show_sheet", creature="orc")
        state = table.seats["zoe"].get(f"{table.at}/state")["state"]

        assert json.loads(refused.text)["code"] == "not_gm"
        assert state["creatures"]["orc"]["hp"] > 90
        assert state["creatures"]["orc"]["sheet"]["defense_bonus"] == 70
        assert '{"sealed": ["seat:gm"]}' not in json.dumps(state)


def test_what_a_public_word_would_tell_is_refused() -> None:
    """A ruling and a price are for all to read: neither names hit points that are GM-only."""
    with served() as api:
        table = Table(api, hidden({"hp_max": 100}, ("hp_max",)))
        at = f"{table.at}/commands"
        award = {"type": "award_xp", "creatures": ["orc"], "amount": 100, "reason": "it fought well"}
        assert api("POST", at, award).status_code == 200
        buying = {"type": "spend_xp", "creature": "orc", "purchase": {"kind": "hit_points"}}
        ruling = {"type": "gm_ruling", "kind": "effect", "subject": "orc", "decision": "so", "reason": "so"}
        setting = {**ruling, "effects": [{"kind": "hp", "creature": "orc", "hp": 12}]}

        assert json.loads(api("POST", at, buying).text)["code"] == "gm_only"
        answer = api("POST", at, setting)
        assert answer.status_code == 409, answer.text
        assert "GM-only" in answer.text


def test_TABLE_GMONLY_4_a_mistake_of_the_gm_that_would_tell_something_leaves_no_trace() -> None:
    """A dash that is too far for it would tell everybody how fast it is."""
    log = MemoryLog()
    with served(log) as api:
        table = Table(api, hidden({"speed": 20}, ("speed",)))
        table.do("gm", type="begin_combat", unaware_side="players")
        table.do("gm", type="grant_priority")
        at = f"{table.at}/commands"
        before = table.seats["zoe"].get(table.at)["version"]
        too_far = {"type": "dash", "creature": "orc", "to": [9, 0]}
        alone = api("POST", at, too_far)
        preview = json.loads(api("POST", f"{table.at}/previews", too_far).text)
        after = table.seats["zoe"].get(table.at)["version"]
        array = json.loads(api("POST", at, [too_far, too_far]).text)
        seen = [table.seats["zoe"].get(f"{at}/{n}") for n in (after + 1, after + 2)]
        verdict = audit(log, table)["verdict"]["name"]

    assert json.loads(alone.text)["code"] == "insufficient_movement"
    assert preview["refusal"]["code"] == "insufficient_movement"
    assert after == before
    assert [each["refusal"]["code"] for each in seen] == ["gm_only", "skipped"], array
    assert "reach" not in json.dumps(seen)
    assert verdict == "valid_unsigned_to_epoch"


def test_a_die_that_is_thrown_is_seen() -> None:
    with served() as api:
        table = Table(api, hidden({"might": 12}, ("might",)))
        attacked(table, "defensive", "might")
        seen = [roll for roll in rolls(table, "zoe") if roll["name"]["stream"].startswith("orc/")]
        state = table.seats["zoe"].get(f"{table.at}/state")["state"]

    assert 12 in [die["sides"] for roll in seen for die in roll["dice"]]
    assert state["creatures"]["orc"]["sheet"]["might"] == {"sealed": ["seat:gm"]}


def test_a_price_that_would_tell_a_die_is_refused() -> None:
    with served() as api:
        table = Table(api, hidden({"might": 10}, ("might",)))
        at = f"{table.at}/commands"
        table.do("gm", type="award_xp", creatures=["orc"], amount=100, reason="it fought well")
        buying = {
            "type": "spend_xp",
            "creature": "orc",
            "purchase": {"kind": "ability_die", "ability": "might"},
        }

        assert json.loads(api("POST", at, buying).text)["code"] == "gm_only"


@pytest.mark.parametrize("field", ["name", "abilities", "weapons", "heart_die"])
def test_what_play_shows_at_once_cannot_be_gm_only(field: str) -> None:
    with served() as api:
        answer = api("POST", "/v1/encounters", hidden({}, (field,)))

    assert answer.status_code == 422, answer.text
    assert "/creatures/2/gm_only/0" in answer.text


def test_a_players_character_keeps_nothing_from_its_player() -> None:
    with served() as api:
        data = hidden({}, ())
        data["creatures"][0]["gm_only"] = ["hp_max"]
        answer = api("POST", "/v1/encounters", data)

    assert answer.status_code == 422, answer.text
    assert "/creatures/0/gm_only/0" in answer.text
