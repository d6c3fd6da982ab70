"""Random fights of Rise over HTTP: offers are accepted, near misses refused, and the record audits valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import pytest

from service.rules.rise import RISE
from service.rules.ruleset import Refusal
from service.usecases.services import Services
from tests.api.client import Api
from tests.api.conftest import Worker
from tests.random_play.over_http import audits_valid, same_offers
from tests.rules.rise.bot import choices, data_of
from tests.rules.rise.campaign import Campaign
from tests.rules.rise.nearmiss import CODES, spoiled
from tests.support.http_mirror import Mirror, mirror, mirrored

COMMANDS: Final = 50
EVERY: Final = 8
"""Turns between two moments at which offers are compared, and near misses tried."""
MISSES: Final = 8
"""Near misses that are tried at such a moment."""


@dataclass
class Served(Campaign):
    """A campaign whose every command goes over HTTP too; people throw all dice, so both see the same."""

    turns: int = 0
    missed: int = 0
    offered: set[str] = field(default_factory=set)
    obeyed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.fight.mirror = mirror("rise@1")
        self.tries = Random(self.seed)

    @property
    def mirror(self) -> Mirror:
        """The same fight over HTTP."""
        assert self.fight.mirror is not None
        return self.fight.mirror

    @property
    def keeps_secrets(self) -> bool:
        return False  # a mistake of the gm would be refused at the door, and stand on no record

    def opening(self) -> dict[str, Any]:
        opening = super().opening()
        return opening | {"declared_sides": sorted({e["sheet"]["side"] for e in opening["creatures"]})}

    def send(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        refusal = super().send(type_, seat, data)
        self.obeyed |= set() if refusal else {seat}
        return refusal

    def turn(self) -> None:
        if self.turns % EVERY == 0:
            self.offered |= same_offers(self.mirror, RISE, self.state)
            self.miss()
        self.turns += 1
        super().turn()

    def miss(self) -> None:
        """Send some of what is nearly offered: it is refused, here and there, and changes nothing."""
        near = [
            (seat, offer.type, data)
            for seat, offer in choices(self.fight)
            for data in spoiled(self.state, data_of(offer, self.tries))
        ]
        for seat, type_, data in self.tries.sample(near, min(MISSES, len(near))):
            refusal = self.fight.send(type_, seat, **data).refusal
            assert refusal is not None, f"seed {self.seed}: {type_} {data} by {seat} was accepted"
            assert refusal.code in CODES, refusal
            self.missed += 1


@pytest.mark.parametrize(("seed", "many"), [(4, 4), (5, 7)])
def test_a_campaign_over_http_is_what_was_decided_and_audits_valid(
    seed: int, many: int, owner: Api, services: Services, worker: Worker
) -> None:
    with mirrored(owner, services, worker):
        played = Served(seed, many, budget=COMMANDS, played=2)
        played.play()

    assert played.commands >= COMMANDS
    assert played.codes
    assert played.mirror.faces
    assert played.missed > 3 * MISSES
    assert played.offered == played.obeyed
    assert len(played.offered) > 2, "the gm and two players"
    audits_valid(played.mirror, owner, services)
