"""Carry characters over HTTP: who sees what, when they can be had, and the audit of the chain."""

from __future__ import annotations

import json
import time
from threading import Event
from typing import Any

from service.stores import api_keys
from service.stores.jobs import AUDITS
from service.usecases.services import Services
from tests.api.client import Api, is_problem
from tests.api.client import Table as TinyTable
from tests.api.test_hidden_creatures import begun, hide
from tests.rules.heartrush.kit import opening, sheet
from tests.support.in_process_service import BOTH
from workers.audits import Auditor

GOBLIN = {"stat_block": "goblin", "id": "imp", "side": "enemies", "position": [2, 2], "gm_only": ["hp_max"]}
PLACES = {"pia": (0, 0), "orc": (20, 0)}


def opened(owner: Api, **changes: Any) -> str:
    given = {"edition": "heartrush@1", **opening(PLACES, declared_sides=[], **changes)}
    answer = owner("POST", "/v1/encounters", given)
    assert answer.status_code == 201, answer.text
    return f"/v1/encounters/{json.loads(answer.text)['encounter']}"


def carried(api: Api, at: str, creature: str = "pia", query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{at}/creatures/{creature}/carried{query}")["carried"]
    return found


def entering(owner: Api, data: dict[str, Any], **beside: Any) -> str:
    orc = {"sheet": sheet("orc"), "position": [20, 0]}
    return opened(owner, creatures=[{"carried": data, "position": [0, 0], **beside}, orc], seats=[])


def audited(owner: Api, services: Services, at: str, *sources: str) -> dict[str, Any]:
    for each in (at, *sources):
        signed = owner("POST", f"{each}/checkpoints", Prefer="wait=30")
        assert signed.status_code == 200, signed.text
    job = json.loads(owner("POST", f"{at}/audits", {}).text)
    Auditor(services.log, BOTH, worker="one", stopping=Event()).look()
    found = AUDITS.find(services.log, at.rpartition("/")[2], job["audit"])
    assert found is not None
    assert found["status"] == "done", found
    certificate: dict[str, Any] = found["certificate"]
    return certificate


def test_a_chain_is_audited_and_a_forged_carry_is_named(owner: Api, services: Services) -> None:
    first = opened(owner)
    data = carried(owner, first)
    assert data["carried_from"]["encounter"] == first.rpartition("/")[2]
    second = entering(owner, data, days_between=2)
    third = entering(owner, carried(owner, second))
    assert carried(owner, third)["clock_s"] == 2 * 86_400
    for at, source in ((second, first), (third, second)):
        certificate = audited(owner, services, at, source)
        assert certificate["verdict"]["name"] == "valid_to_epoch", certificate["verdict"]
        [finding] = certificate["findings"]
        assert finding["name"] == "carried"
        assert source.rpartition("/")[2] in finding["detail"]
    data["character"]["potions"] = 5
    forged = audited(owner, services, entering(owner, data), first)["verdict"]
    assert (forged["name"], forged["n"]) == ("carry_forged", 1)
    assert forged["path"].endswith("/carried/character/potions")


def test_no_audit_compares_with_the_record_of_another_owner(owner: Api, services: Services) -> None:
    token, _ = api_keys.create(services.log, "others", time.time())
    other = owner.with_token(token)
    data = carried(owner, opened(owner))
    data["character"]["hp"] = 7
    certificate = audited(other, services, entering(other, data))
    assert certificate["verdict"]["name"] == "valid_to_epoch"
    assert [each["name"] for each in certificate["findings"]] == ["carry_unproved"]


def test_nobody_is_carried_out_of_a_running_fight(owner: Api) -> None:
    table = begun(owner)
    problem = is_problem(owner("GET", f"{table.at}/creatures/pia/carried"), 409, "not-carriable")
    assert (problem["code"], problem["rule"]) == ("in_combat", "HR-CARRY-1")
    assert carried(owner, table.at, query="?at=1")["carried_from"]["n"] == 1
    is_problem(owner("GET", f"{table.at}/creatures/nobody/carried?at=1"), 404, "not-found")


def test_a_seat_takes_what_it_sees_and_no_more(owner: Api) -> None:
    table = begun(owner)
    table.do("gm", type="end_combat")
    table.do("gm", type="add_creature", entry=GOBLIN)
    hide(table)
    known = carried(owner, table.at, "imp")["character"]
    for seat, api in table.seats.items():
        found = carried(api, table.at, "imp")["character"]
        assert found["conditions"] == known["conditions"]
        if seat != "gm":
            assert found["hp"] == found["sheet"]["hp_max"] == {"sealed": ["seat:gm"]}, seat
            imp = {"carried": carried(api, table.at, "imp"), "position": [0, 0]}
            given = {"edition": "heartrush@1", **opening(PLACES, creatures=[imp])}
            refused = owner("POST", "/v1/encounters", given)
            assert refused.status_code == 422, "what is sealed cannot be carried"
    assert known["hp"] == known["sheet"]["hp_max"]
    for api in table.seats.values():  # nobody learns that it is there
        is_problem(api("GET", f"{table.at}/creatures/gob/carried"), 404, "not-found")


def test_a_carried_creature_keeps_its_secrets_in_the_next_record(owner: Api) -> None:
    table = begun(owner)
    table.do("gm", type="end_combat")
    table.do("gm", type="add_creature", entry=GOBLIN)
    data = carried(owner, table.at, "imp")
    pia = {"sheet": sheet("pia"), "position": [0, 0]}
    imp = {"carried": data, "position": [9, 9]}
    at = opened(owner, creatures=[pia, imp], seats=[{"seat": "zoe", "creatures": ["pia"]}])
    token = json.loads(owner("POST", f"{at}/seats/zoe/token").text)["token"]
    zoe = owner.with_token(token)
    paths = ("/state", "/commits", "/bundle", "/creatures/imp/carried", "/commits/1/explanation")
    answers = [zoe("GET", f"{at}{path}").text for path in paths]
    hp = data["character"]["hp"]
    for text in answers:
        assert f'"hp":{hp}' not in text.replace("\\", "").replace(" ", "")
        assert f'"hp_max":{hp}' not in text.replace("\\", "").replace(" ", "")


def test_rulesets_that_carry_nobody_say_so(table: TinyTable) -> None:
    is_problem(table.gm("GET", f"{table.at}/creatures/ada/carried"), 404, "not-found")
