"""Every operation: no fault of ours, and every answer as the contract describes it.

A sample: `make contract` sends thousands of requests for each role, to a whole service.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from schemathesis.core.failures import Failure, FailureGroup

from service.api.app import create_app
from service.api.quotas import RateLimits
from service.usecases.services import Services
from tests.api.client import Api
from tests.contract.cases import Contract

pytestmark = pytest.mark.slow

EXAMPLES = 1
ROLES = ("gm", "player")


@dataclass(frozen=True)
class Stage:
    """A fight under way, and a token for each role."""

    contract: Contract
    tokens: dict[str, str]
    path: dict[str, str]


@pytest.fixture
def stage(services: Services, owner: Api) -> Stage:
    app = create_app(services, RateLimits(caller=0, owner=0, guesses=0, anonymous=0))
    gm = Api(app, owner.token)
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "creatures": [
            {"position": [x, 0], "sheet": {"id": id_, "name": id_, "side": side, "kind": kind, "hp_max": 20}}
            for x, (id_, side, kind) in enumerate((("pia", "heroes", "npc"), ("orc", "foes", "npc")))
        ],
    }
    at = f"/v1/encounters/{json.loads(gm('POST', '/v1/encounters', opening).text)['encounter']}"
    tokens = {"gm": str(owner.token)}
    answer = gm("POST", f"{at}/seats", {"seat": "player", "role": "player", "creatures": ["pia"]})
    tokens["player"] = json.loads(answer.text)["token"]
    gm("POST", f"{at}/commands", {"type": "begin_combat"})
    path = {
        "encounter": at.rsplit("/", 1)[1],
        "seat": "player",
        "n": "2",
        "round": "1",
        "edition": "heartrush@1",
        "rule": "HR-ENG-4",
        "code": "invalid",
        "file": "docs.css",
    }
    return Stage(Contract(app), tokens, path)


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_as_the_contract_says(stage: Stage, role: str) -> None:
    sent: dict[str, int] = {}
    faults: list[str] = []
    for operation in stage.contract.operations():
        try:
            sent[operation.label] = stage.contract.play(
                operation, stage.tokens[role], stage.path, EXAMPLES, 1
            )
        except (FailureGroup, Failure) as fault:
            faults.append(f"{operation.label}: {fault}")

    assert faults == []

    assert len(sent) > 40
    assert [label for label, count in sent.items() if count == 0] == []
