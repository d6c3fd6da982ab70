"""The duel is a package: installed beside the service, it is offered everywhere that a book is."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import requests

from rewound_client import Rewound
from service.audit import bundle
from service.audit.verify import verify
from service.rules.registry import REGISTRY
from tests.rulesets.conftest import DUEL, Environment, Running
from tests.support.javascript_verifier import OTHERWISE, Case, judged, node
from tests.support.offers import spelled

OPENING: dict[str, Any] = json.loads((DUEL / "duel.json").read_text("utf-8"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bundle_file(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a duel to its end by what is offered; return its bundle."""
    file = tmp_path_factory.mktemp("bundles") / "duel.jsonl"
    chance = random.Random(3)
    with Rewound(running.url, running.key) as service:
        gm = service.open(OPENING)
        seats = {name: gm.sit(name) for name in ("ann", "bo")}
        while waiting := gm.get()["waiting"]:
            seat = seats[str(waiting[0]["seat"])]
            options = seat.options()["options"]
            offer = options[0]["commands"][0]
            seat.send(spelled(offer, chance))
        state: Any = gm.state()["state"]  # the client has types for the editions of this repository
        assert state["winner"] in ("ann", "bo")
        counted = {each["id"]: each for each in gm.creature_statistics()["creatures"]}
        loser = next(name for name in counted if name != state["winner"])
        assert counted[state["winner"]]["dealt"] == counted[loser]["taken"] >= 10
        gm.close()
        assert gm.audit(wait_s=30)["verdict"] == "valid"
        file.write_bytes(gm.bundle())
    return file


def test_the_service_lists_it_with_its_option_rules_and_commands(running: Running) -> None:
    with Rewound(running.url, running.key) as service:
        assert "duel@1" in {each["edition"] for each in service.rulesets()}
        shown = service.ruleset("duel@1")
        assert [(option["key"], option["values"]) for option in shown["options"]] == [("breath", [10, 6, 20])]
        assert {rule["id"] for rule in shown["rules"]} >= {"DUEL-1", "DUEL-5", "TABLE-OPEN-1"}
        assert {each["type"] for each in service.commands("duel@1")["commands"]} >= {"choose", "answer"}
    contract = requests.get(f"{running.url}/openapi.json", timeout=30).json()
    assert "Duel1Opening" in contract["components"]["schemas"]


def test_a_choice_is_secret_until_both_have_chosen(running: Running) -> None:
    with Rewound(running.url, running.key) as service:
        gm = service.open(OPENING)
        ann, bo = gm.sit("ann"), gm.sit("bo")
        ann.send({"type": "choose", "creature": "ann", "move": "parry"})
        assert "parry" in json.dumps(ann.state())
        assert "parry" not in json.dumps([bo.state(), list(bo.commits()), gm.state(), list(gm.commits())])
        bo.send({"type": "choose", "creature": "bo", "move": "parry"})
        assert "parry" in json.dumps(list(bo.commits()))


def test_a_duel_is_audited_by_whoever_has_the_package(environment: Environment, bundle_file: Path) -> None:
    said = json.loads(environment.rewound("verify", bundle_file, "--json", "--unsigned"))
    assert said["verdict"]["name"].startswith("valid")
    assert "without_rules" not in said["verdict"]["name"]
    assert judged([Case(bundle_file.read_bytes())]) == [OTHERWISE]


def test_a_duel_is_told_in_its_own_sentences(environment: Environment, bundle_file: Path) -> None:
    said = environment.rewound("replay", bundle_file)
    assert "wins the duel  DUEL-3" in said
    assert "DUEL-4: Thrust beats cut, cut beats parry, parry beats thrust." in said
    assert "the moves: ann " in said


def test_each_commit_of_a_duel_is_explained(environment: Environment, bundle_file: Path) -> None:
    said = json.loads(environment.rewound("explain", bundle_file, "3", "--consulted", "--json"))
    (rule,) = (each for each in said["rules"] + said["consulted"] if each["id"] == "DUEL-1")
    assert rule["statement"].startswith("Each round both fighters choose a move in secret")


def test_bots_play_it(environment: Environment) -> None:
    fights = environment.rewound("play", DUEL / "duel.json", "--times", "20").splitlines()
    results = [json.loads(line) for line in fights]
    assert {each["ended"] for each in results} == {"combat_ended"}
    assert {each["winner"] for each in results} == {"ann", "bo"}


def test_a_simulation_plays_it(running: Running) -> None:
    with Rewound(running.url, running.key) as service:
        job = service.simulate(OPENING, times=5)
    assert job["status"] == "done"
    assert job["winners"] is not None
    assert sum(job["winners"].values()) == 5
    assert set(job["winners"]) <= {"ann", "bo"}


def test_the_javascript_client_plays_it(running: Running) -> None:
    said = node("tests/rulesets/duel.mjs", running.url, running.key, json.dumps(OPENING)).split()
    assert said[-2:] == ["valid", OTHERWISE]


def test_without_the_package_the_edition_is_unknown(bundle_file: Path) -> None:
    assert verify(bundle.read(bundle_file.read_bytes()), REGISTRY).verdict.name == "unknown_edition"
