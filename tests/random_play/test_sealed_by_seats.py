"""Whole fights of both books in which seats seal their choices themselves, played by bots."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from service.record.canonical import dumps
from service.rules.registry import REGISTRY
from service.simulation.bot import Bot
from service.simulation.table import LocalTable, secrets_of
from service.simulation.taste import taste_of
from tests.rules.heartrush import kit as heartrush
from tests.rules.rise import kit as rise

SEALED: dict[str, Any] = {"declared_sides": [], "options": {"sealed_by": "seat"}}
OPENINGS: dict[str, dict[str, Any]] = {
    "heartrush@1": {**heartrush.opening({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}), **SEALED},
    "rise@1": {
        **rise.opening(
            rise.entry("pc@heroes/pia", (0, 0)),
            rise.entry("pc@heroes/bob", (0, 1)),
            rise.entry("mon@orcs/gob", (5, 0)),
        ),
        **SEALED,
    },
}


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("edition", OPENINGS)
def test_TABLE_CHOICE_2_bots_seal_and_open_every_choice_of_a_fight(edition: str, seed: str) -> None:
    """TABLE-CHOICE-1, TABLE-CHOICE-3: no offer is refused, and nothing that a bot opens is void."""
    table = LocalTable(REGISTRY, {"edition": edition, **OPENINGS[edition]}, secrets_of(seed))
    bot = Bot(taste_of(edition), Random(seed))
    sent: Counter[str] = Counter()
    for _ in range(120):
        move = bot.pick(table.ruleset, table.state)
        if move is None or table.state.is_over:
            break
        commit, payloads = table.send(move.seat, move.type, move.data)
        assert commit.refusal is None, (move, commit.refusal)
        sent[move.type] += 1
        shown = [*payloads.values(), dumps(list(commit.events))]
        assert not any(b'"seat_choice_voided"' in raw for raw in shown)
    assert sent["seal_choice"] >= 3
    assert 0 <= sent["seal_choice"] - sent["open_choice"] <= 3
    assert not {"choose_stance", "plan_movement", "pass_movement"} & sent.keys()
