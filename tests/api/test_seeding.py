"""Mode mixed over HTTP: chosen at the opening, played through, audited; and what was abandoned is counted."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from service.audit import bundle
from service.audit.evidence import Evidence, stored
from service.audit.verify import verify
from service.dice.chain import seat_commitment
from service.log import Log
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.audit.evidence_of import forged
from tests.rules.heartrush.kit import opening

MIXED = {"mode": "mixed", "seats": ["ada", "gm"]}
SEEDS = {"ada": b"a" * 32, "gm": b"g" * 32}


@pytest.fixture
def mixed(owner: Api) -> Table:
    return Table.opened(owner, seeding=MIXED)


def sealed(table: Table) -> None:
    for seat, who in (("ada", table.ada), ("gm", table.gm)):
        made = seat_commitment(UUID(table.id).bytes, seat, SEEDS[seat]).hex()
        assert table.send(who, {"type": "commit_seed", "commitment": made}).status_code == 200
    for seat, who in (("ada", table.ada), ("gm", table.gm)):
        assert table.send(who, {"type": "reveal_seed", "seed": SEEDS[seat].hex()}).status_code == 200


def audited(log: Log, table: Table) -> Evidence:
    return stored(log, table.id)


def test_TABLE_SEED_1_each_listed_seat_is_asked_and_offered_what_it_may_do(mixed: Table) -> None:
    (asked,) = [
        each
        for each in mixed.ada.get(f"{mixed.at}/options")["options"]
        if "dice/" in each["prompt"]["prompt"]
    ]

    assert asked["prompt"]["accepts"] == ["commit_seed", "waive_seed"]
    assert not [
        each for each in mixed.bo.get(f"{mixed.at}/options")["options"] if "dice/" in each["prompt"]["prompt"]
    ]


def test_TABLE_SEED_4_a_die_before_the_seal_is_a_problem_with_its_code(mixed: Table) -> None:
    problem = is_problem(mixed.send(mixed.gm, {"type": "roll"}), 409, "command-refused")

    assert (problem["code"], problem["rule"]) == ("dice_not_sealed", "TABLE-SEED-4")


def test_a_mixed_encounter_is_played_explained_and_audited(mixed: Table, owner: Api, log: Log) -> None:
    sealed(mixed)
    answer = mixed.send(mixed.gm, {"type": "roll", "sides": 20})
    n = json.loads(answer.text)["n"]
    mixed.send(mixed.gm, {"type": "end_round"})
    (rolled,) = mixed.bo.get(f"{mixed.at}/commits/{n}/explanation")["rolls"]
    assert rolled["derivation"]["faces"] == [die["face"] for die in rolled["roll"]["dice"]]
    owner("DELETE", mixed.at)
    raw = owner("GET", f"{mixed.at}/bundle").data  # it waits until the last commit is signed

    report = verify(bundle.read(raw), BOTH)
    assert (report.verdict.name, report.counts.rolls_checked) == ("valid_unsigned", 1)


@pytest.mark.parametrize("what", ["a seed", "the seal"])
def test_seeds_or_a_seal_that_were_changed_are_dice_invalid(mixed: Table, log: Log, what: str) -> None:
    sealed(mixed)
    mixed.send(mixed.gm, {"type": "roll"})

    def turn(commit: dict[str, Any]) -> None:
        event = commit["events"][-1]
        assert event["type"] == "dice_sealed"
        if what == "a seed":
            event["seats"]["ada"] = "00" * 32
        else:
            event["seal"] = "00" * 32

    n = next(n for n, raw in enumerate(audited(log, mixed).commits, 1) if b'"dice_sealed"' in raw)
    verdict = verify(forged(replace(audited(log, mixed)), n, turn), BOTH).verdict
    assert (verdict.name, verdict.n) == ("dice_invalid", n)


def test_dice_end_with_the_last_epoch_and_the_refusal_says_so(owner: Api) -> None:
    table = Table.opened(owner, seeding={"epochs": 2})
    for _ in range(2):
        assert table.send(table.gm, {"type": "end_round"}).status_code == 200

    problem = is_problem(table.send(table.gm, {"type": "roll"}), 409, "command-refused")
    assert problem["code"] == "dice_exhausted"
    assert table.send(table.gm, {"type": "add", "amount": 1}).status_code == 200
    assert owner("DELETE", table.at).status_code == 200


def setup_of(api: Api, at: str) -> dict[str, Any]:
    (first, *_) = api.get(f"{at}/commits?limit=1")["commits"]
    found: dict[str, Any] = json.loads(first["commit"])["events"][0]["dice"]
    return found


def fight(owner: Api) -> str:
    data = {"edition": "heartrush@1", **opening({"pia": (0, 0), "orc": (1, 0)}, declared_sides=[])}
    return f"/v1/encounters/{json.loads(owner('POST', '/v1/encounters', data).text)['encounter']}"


def test_an_opening_tells_how_many_earlier_ones_were_not_played_to_their_end(owner: Api) -> None:
    first = fight(owner)
    owner("DELETE", first)
    second = fight(owner)
    for command in ({"type": "begin_combat"}, {"type": "end_combat", "reason": "peace"}):
        assert owner("POST", f"{second}/commands", command).status_code == 200
    owner("DELETE", second)
    third = fight(owner)

    assert [setup_of(owner, at)["abandoned_before"] for at in (first, second, third)] == [0, 1, 1]
    closing = owner.get(f"{first}/commits?limit=50")["commits"][-1]["commit"]
    assert re.search(r'"abandoned":true.*"closing_begun"', closing)
    closing = owner.get(f"{second}/commits?limit=50")["commits"][-1]["commit"]
    assert re.search(r'"abandoned":false.*"closing_begun"', closing)
