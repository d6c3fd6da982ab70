"""Spoil what is offered in one place: it is refused with a code, and nothing changes but the answer."""

from __future__ import annotations

from random import Random

import pytest

from service.rules.kernel.codec import Malformed
from tests.rules.rise.bot import choices, data_of
from tests.rules.rise.campaign import Campaign
from tests.rules.rise.nearmiss import CODES, spoiled


@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_offered_is_refused_with_a_stable_code(seed: int) -> None:
    played = Campaign(seed, (4, 6)[seed % 2], meddling=0.1)
    played.open()
    played.attempt("start_combat", "gm", {})
    random, refused = Random(seed), 0
    for turn in range(60):
        if played.state.stage == "ended":
            break
        if turn % 12 == 0:
            for seat, offer in choices(played.fight):
                for data in spoiled(played.state, data_of(offer, random)):
                    before = played.state
                    try:
                        refusal = played.fight.send(offer.type, seat, **data).refusal
                    except Malformed:  # beyond a bound of a field
                        refused += 1
                        continue
                    assert refusal is not None, f"seed {seed}: {offer.type} {data} by {seat} was accepted"
                    assert refusal.code in CODES, refusal
                    assert refusal.rule, refusal
                    assert played.state is before
                    refused += 1
        played.turn()
    assert refused > 50, f"seed {seed}: only {refused} were tried"
