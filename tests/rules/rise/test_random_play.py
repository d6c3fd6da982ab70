"""Play at random: every offer is accepted, every state folds from the record."""

from __future__ import annotations

from typing import Any

import pytest

from service.dice.values import Roll
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import TABLE, Private, Rolled, Scope, evolve_at
from service.rules.kernel.sealed import is_closed, view
from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from tests.rules.rise.bot import melee, play
from tests.rules.rise.kit import Fight


def recorded(fight: Fight, sent: tuple[str, str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Send a command again; return its facts as they stand in the record, with their places."""
    type_, seat, data = sent
    decision = fight.send(type_, seat, **data)
    found = []
    for fact in decision.facts:
        scope = fact.scope if isinstance(fact, Private) else Scope(audience=(), opens="")
        told = fact.event if isinstance(fact, Private) else fact
        data = {"roll": told.roll.to_data()} if isinstance(told, Rolled) else to_data(told)
        found.append((scope.at, data))
    return found


def folded(state: State, facts: list[tuple[str, dict[str, Any]]]) -> State:
    """Return *state* with the recorded facts true in it."""
    for place, told in facts:
        data = dict(told)
        if "type" not in data:  # a roll; events of other types may tell of one, too
            state = evolve_at(state, place, Rolled(roll=Roll.from_data(data["roll"])))
        else:
            state = evolve_at(
                state, place, from_data(RISE.events[data.pop("type")], data, families=RISE.families)
            )
    return state


@pytest.mark.parametrize("seed", range(12))
def test_every_offer_is_accepted_and_every_state_folds_from_the_record(seed: int) -> None:
    played = play(melee(seed, played=1 + seed % 2), seed, 150)
    again, state = Fight(dice=played.dice), RISE.blank
    for sent in played.sent:
        state = folded(state, recorded(again, sent))
        assert state == again.state, (seed, sent)
    assert again.state == played.state, seed
    assert from_data(State, to_data(state), families=RISE.families) == state, seed


def test_a_world_is_seen_by_nobody_else() -> None:
    """RI-INFO-1."""
    fight = melee(3)
    seen = view(fight.state, "seat-heroes")
    assert is_closed(seen.worlds["orcs"])
    assert not is_closed(seen.worlds["heroes"])
    assert TABLE not in seen.worlds
