"""The list of encounters as a lobby needs it: what each is, whose turn it is, who won."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.core.fold import Folder
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_encounters import fight
from tests.api.test_pages import pages


def listed(api: Api, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/v1/encounters?{query}")["encounters"]
    return found


def test_an_item_says_what_the_encounter_itself_says(owner: Api) -> None:
    table = Table.opened(owner)
    table.send(table.gm, {"type": "end_round"})
    for move in (
        {"type": "add", "amount": 1},
        {"type": "end_round"},
    ):
        table.send(table.gm, move)

    (item,) = listed(owner)
    whole = owner.get(table.at)

    for name in ("encounter", "edition", "title", "opened", "status", "round", "winner", "closed_at"):
        assert item[name] == whole[name], name
    prompts = whole["waiting"]
    assert {each["seat"] for each in item["waiting"]} == {each["seat"] for each in prompts}
    assert [each["optional"] for each in item["waiting"]] == sorted(
        each["optional"] for each in item["waiting"]
    )
    named = {(each["seat"], name) for each in item["waiting"] for name in each["creatures"]}
    assert named == {(each["seat"], each["creature"]) for each in prompts if each["creature"]}


def test_a_status_has_one_meaning_everywhere(owner: Api) -> None:
    made = owner("POST", "/v1/encounters", fight())
    at = made.headers["Location"]
    assert (listed(owner)[0]["status"], owner.get(at)["status"]) == ("open", "open")
    for command in ({"type": "begin_combat"}, {"type": "end_combat"}):
        owner("POST", f"{at}/commands", command)
    assert (listed(owner)[0]["status"], owner.get(at)["status"]) == ("over", "over")
    first = owner.get(at)["line"]
    taken = json.loads(owner("POST", f"{at}/undo", {"to": 2}).text)
    (row,) = listed(owner)
    assert (row["status"], row["encounter"], row["line"]) == ("open", first, taken["line"])
    assert owner.get(f"{at}?line={first}")["status"] == "continued"
    assert owner.get(at)["status"] == "open"
    owner("DELETE", at)

    closed, whole = listed(owner)[0], owner.get(at)
    assert (closed["status"], whole["status"], whole["closed"]) == ("closed", "closed", True)
    assert closed["closed_at"] == whole["closed_at"] is not None
    owner("POST", f"{at}/commands", {"type": "begin_combat"})
    assert listed(owner)[0]["closed_at"] == closed["closed_at"], "a refused command closes nothing again"


def test_filters_choose_by_status_edition_and_ruleset(owner: Api) -> None:
    tiny = [Table.opened(owner) for _ in range(3)]
    fought = [owner("POST", "/v1/encounters", fight()).headers["Location"] for _ in range(2)]
    owner("DELETE", tiny[1].at)
    owner("DELETE", fought[0])

    def found(query: str) -> list[str]:
        return [f"/v1/encounters/{each['encounter']}" for each in listed(owner, query)]

    assert found("status=closed") == [fought[0], tiny[1].at]
    assert found("edition=tiny@1") == [each.at for each in reversed(tiny)]
    assert found("ruleset=heartrush") == fought[::-1]
    assert found("ruleset=heartrush&status=open") == [fought[1]]
    assert found("ruleset=heart") == found("edition=tiny@2") == []
    is_problem(owner("GET", "/v1/encounters?status=lost"), 422, "invalid")
    is_problem(owner("GET", "/v1/encounters?status=openly"), 422, "invalid")
    for limit in (1, 2, 3):
        page = pages(owner, "/v1/encounters", "encounters", f"status=open&limit={limit}")
        assert [len(each) for each in page] == {1: [1, 1, 1], 2: [2, 1], 3: [3]}[limit]
    link = owner("GET", "/v1/encounters?status=open&edition=tiny@1&limit=1").headers["Link"]
    assert "&status=open&edition=tiny%401>" in link


@pytest.mark.parametrize("count", [51])
def test_a_list_folds_nothing(
    owner: Api, worker: Any, services: Services, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    for _ in range(count):
        owner("POST", "/v1/encounters", {"edition": "tiny@1"})
    worker.pause()  # which asks for heads too, as long as it looks for more
    asked: list[str] = []
    monkeypatch.setattr(Folder, "current", lambda *_, **__: pytest.fail("it folds"))
    monkeypatch.setattr(services.log, "head", asked.append)

    assert [len(page) for page in pages(owner, "/v1/encounters", "encounters")] == [50, 1]
    assert asked == []
    worker.go_on()


def test_an_encounter_that_is_not_decided_yet_is_open(owner: Api, worker: Any) -> None:
    worker.pause()
    owner("POST", "/v1/encounters", {"edition": "tiny@1"}, Prefer="respond-async")

    (item,) = listed(owner)

    assert (item["status"], item["round"], item["waiting"]) == ("open", 0, [])
    worker.go_on()
