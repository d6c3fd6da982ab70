"""Random campaigns over HTTP: every answer is what deciding gives, and the closed encounter audits valid."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any, Final

import pytest

from service.encounter.host import Host
from service.encounter.stores import audits
from service.rules.heartrush.state import State
from service.rules.ruleset import Decision, Refusal, decide
from tests.api.client import Api
from tests.api.conftest import BOTH, Worker
from tests.heartrush.bot import SIDES
from tests.heartrush.campaign import Campaign
from tests.heartrush.plays import TIMINGS
from tests.mirror import Mirror, mirror, mirrored
from workers.audits import Auditor

COMMANDS: Final = 80


@dataclass
class Served(Campaign):
    """A campaign whose every command goes over HTTP too; people throw all dice, so both see the same."""

    mirror: Mirror | None = None
    refused: int = 0

    def opening(self) -> dict[str, Any]:
        return super().opening() | {"declared_sides": list(SIDES)}

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        decision = decide(self.state, self.command(type_, seat, data), self.dice)
        self.commands += 1
        assert self.mirror is not None
        self.mirror.follow(type_, seat, data, decision)
        self.refused += decision.refusal is not None
        if decision.refusal is None:
            self.hold(decision.state, decision.facts)
            self.done[type_] += 1
        return decision.refusal

    def must(self, type_: str, seat: str, data: Mapping[str, Any]) -> Decision[State]:
        decision = super().must(type_, seat, data)
        assert self.mirror is not None
        self.mirror.follow(type_, seat, data, decision)
        return decision


@pytest.mark.parametrize("when", TIMINGS)
def test_a_campaign_over_http_is_what_was_decided_and_audits_valid(
    when: str, owner: Api, host: Host, worker: Worker
) -> None:
    with mirrored(owner, host.folder, worker.folder):
        played = Served(3, timing=when, many=4, budget=COMMANDS, mirror=mirror("heartrush@1"))
        played.play()
        assert played.mirror is not None
        at = played.mirror.at
    closed = owner("POST", f"{at}/commands", {"type": "close", "reason": "enough"})
    assert closed.status_code == 200, closed.text

    assert played.commands >= COMMANDS
    assert played.refused
    assert played.mirror.faces
    job = json.loads(owner("POST", f"{at}/audits", {}).text)
    Auditor(host.log, BOTH, worker="one", stopping=Event()).work()
    found = audits.find(host, at.rpartition("/")[2], job["audit"])
    assert found is not None
    assert found["verdict"] == "valid"
