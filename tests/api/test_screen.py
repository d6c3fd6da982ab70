"""Rolls behind the screen over HTTP: what each seat is told, what opens them, what an audit proves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.audit.bundle import read, write
from service.audit.evidence import stored
from service.audit.verify import verify
from service.log import Log
from tests.api.client import Api, Table
from tests.api.conftest import BOTH
from tests.rules.heartrush.kit import opening
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise_opening


def rolls(api: Api, at: str) -> list[Any]:
    found: list[Any] = api.get(f"{at}/rolls")["rolls"]
    return found


def behind(table: Table) -> None:
    answer = table.send(table.gm, {"type": "roll_behind_screen", "dice": [20], "what": "does it hold"})
    assert answer.status_code == 200, answer.text


def test_TABLE_SCREEN_1_only_the_gm_is_told_what_was_rolled(table: Table) -> None:
    behind(table)

    (roll,) = rolls(table.gm, table.at)
    assert roll["name"]["lane"] == 1
    assert rolls(table.ada, table.at) == []
    assert "does it hold" not in table.ada("GET", f"{table.at}/commits?limit=50").text
    assert table.ada.get(f"{table.at}/commands/{roll['n']}")["events"][0]["type"] == "screen_roll_announced"


def test_TABLE_SCREEN_2_a_roll_that_is_shown_is_everybodys(table: Table) -> None:
    behind(table)
    behind(table)
    table.send(table.gm, {"type": "show_roll", "roll": 1})

    assert rolls(table.ada, table.at) == rolls(table.gm, table.at)[:1]


def test_TABLE_CLOSE_1_the_end_opens_it_and_the_audit_proves_its_dice(
    table: Table, owner: Api, log: Log
) -> None:
    behind(table)
    live = verify(stored(log, table.id), BOTH)
    assert (live.verdict.name, live.counts.rolls_unverified) == ("valid_unsigned_to_epoch", 1)

    owner("DELETE", table.at)

    assert rolls(table.ada, table.at) == rolls(table.gm, table.at)
    report = verify(stored(log, table.id), BOTH)
    assert (report.verdict.name, report.counts.rolls_checked) == ("valid_unsigned", 1)
    assert "sealed" not in json.dumps(table.ada.get(f"{table.at}/state")["state"]["sealed_places"])
    bundle = b"".join(write(stored(log, table.id), "ada"))
    assert verify(read(bundle), BOTH).verdict.name == "valid_unsigned"
    (found,) = table.ada.get(f"{table.at}/commits/{rolls(table.gm, table.at)[0]['n']}/explanation")["rolls"]
    assert found["derivation"]["disclosed"]


@pytest.mark.parametrize(
    ("edition", "body"),
    [
        ("heartrush@1", opening({"pia": (0, 0), "orc": (1, 0)})),
        ("rise@1", rise_opening(entry("pc@heroes/pia", (0, 0)), entry("mon@orcs/gob", (1, 0)))),
    ],
    ids=["heartrush", "rise"],
)
@pytest.mark.parametrize(("option", "occasion"), [("all", "*"), ("dice", "roll/*")])
def test_TABLE_SCREEN_1_in_every_rulebook_and_TABLE_CLOSE_1_opens_what_the_option_says(
    owner: Api, edition: str, body: dict[str, Any], option: str, occasion: str
) -> None:
    options = {**body.get("options", {}), "open_at_close": option}
    answer = owner("POST", "/v1/encounters", {"edition": edition, **body, "options": options})
    assert answer.status_code == 201, answer.text
    at = "/v1/encounters/" + json.loads(answer.text)["encounter"]
    answer = owner("POST", f"{at}/commands", {"type": "roll_behind_screen", "dice": [8], "what": "weather"})
    assert answer.status_code == 200, answer.text
    owner("POST", f"{at}/seats", {"seat": "eve", "role": "observer"})
    owner("DELETE", at)

    closing = owner.get(f"{at}/commits?limit=50")["commits"][-1]
    assert f'"occasion":"{occasion}"' in closing["commit"]
    (roll,) = rolls(owner, at)
    assert [die["sides"] for die in roll["dice"]] == [8]
