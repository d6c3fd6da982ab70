"""Random campaigns over HTTP: every answer is what deciding gives, and the closed encounter audits valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.ruleset import Decision, Refusal, decide
from service.usecases.services import Services
from tests.api.client import Api
from tests.api.conftest import Worker
from tests.random_play.over_http import audits_valid, same_offers
from tests.rules.heartrush.bot import SIDES, Choice
from tests.rules.heartrush.campaign import Campaign
from tests.rules.heartrush.nearmiss import near_misses
from tests.rules.heartrush.plays import TIMINGS
from tests.support.http_mirror import Mirror, mirror, mirrored

COMMANDS: Final = 80
EVERY: Final = 8
"""Commands between two moments at which offers are compared, and near misses tried."""
MISSES: Final = 6
"""Near misses that are tried at such a moment."""


@dataclass
class Served(Campaign):
    """A campaign whose every command goes over HTTP too; people throw all dice, so both see the same."""

    mirror: Mirror | None = None
    refused: int = 0
    taken: int = 0
    missed: int = 0

    @property
    def keeps_secrets(self) -> bool:
        return False  # a mistake of the gm would be refused at the door, and stand on no record

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

    def take(self, choice: Choice) -> None:
        if self.taken % EVERY == 0:
            self.miss()
        self.taken += 1
        super().take(choice)

    def miss(self) -> None:
        """Send some of what is nearly offered: it is refused, here and there, and changes nothing."""
        assert self.mirror is not None
        same_offers(self.mirror, HEARTRUSH, self.state)
        near = near_misses(self)
        for type_, seat, data in Random(self.seed).sample(near, min(MISSES, len(near))):
            decision = decide(self.state, self.command(type_, seat, data), self.dice)
            assert decision.refusal is not None, f"seed {self.seed}: {type_} {data} by {seat} was accepted"
            self.mirror.follow(type_, seat, data, decision)
            self.missed += 1


@pytest.mark.parametrize("when", TIMINGS)
def test_a_campaign_over_http_is_what_was_decided_and_audits_valid(
    when: str, owner: Api, services: Services, worker: Worker
) -> None:
    with mirrored(owner, services, worker):
        played = Served(3, timing=when, many=4, budget=COMMANDS, mirror=mirror("heartrush@1"))
        played.play()

    assert played.mirror is not None
    assert played.commands >= COMMANDS
    assert played.refused
    assert played.missed > 3 * MISSES
    assert played.mirror.faces
    audits_valid(played.mirror, owner, services)
