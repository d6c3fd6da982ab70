"""Undo and redo every round of random fights: a sample of what `make undoing` plays."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from service.core.fold import Folder
from service.core.snapshot import folded_from, snapshot_of
from service.rules.kernel.codec import to_data
from service.rules.registry import REGISTRY
from tests.core.undoing import opened, started, undo_and_redo_every_round
from tests.support.in_process_service import BOTH, House, random_command

pytestmark = pytest.mark.slow

COMMANDS = 40


@pytest.mark.parametrize("edition", REGISTRY)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.overnight)])
def test_TABLE_AMEND_2_undo_and_redo_keep_every_named_die_and_use_none_twice(edition: str, seed: int) -> None:
    rounds, _ = undo_and_redo_every_round(edition, seed, COMMANDS)
    assert rounds > 0


@pytest.mark.parametrize("edition", REGISTRY)
def test_whoever_folds_a_fight_goes_through_its_mappings_in_the_same_order(edition: str) -> None:
    """Rules go through mappings in the order they were made, and canonical JSON sorts names."""
    random = Random(edition)
    with House() as house:
        line = opened(house, edition, random)
        started(house, line)
        for _ in range(COMMANDS):
            random_command(house, line, random)
        decided = house.folding.folder.kept(line)
        assert decided is not None
        wanted = spelled(decided.state)
        assert spelled(Folder(house.log, BOTH).at(line, decided.n).state) == wanted
        cached = folded_from(line, decided.ruleset, snapshot_of(decided))
        assert cached is not None
        assert spelled(cached.state) == wanted
        proposal = house.proposed(line, "undo", commit=decided.n)
        draft = house.state(str(proposal["line"]))
        before = house.services.folder.at(line, decided.n - 1).state
        assert spelled(draft, creatures_alone=True) == spelled(before, creatures_alone=True)


def spelled(state: Any, *, creatures_alone: bool = False) -> str:
    """Return a state as text, each mapping in its own order."""
    return json.dumps(to_data(state.creatures if creatures_alone else state))


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(3, id="past the round"),
        pytest.param(4, id="past the announcement", marks=pytest.mark.overnight),
    ],
)
def test_what_a_group_threw_apart_in_another_epoch_stays_counted(seed: int) -> None:
    rounds, _ = undo_and_redo_every_round("rise@1", seed, 80, secrets=False)
    assert rounds > 0
