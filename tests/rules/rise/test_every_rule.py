"""Every rule takes part in random play; the few that do not are named here, each with its reason."""

from __future__ import annotations

from itertools import permutations
from typing import Final

import pytest

from service.rules.rise import RISE
from tests.rules.rise.campaign import Campaign, Recorded
from tests.rules.rise.forty import SIDES, forty, next_step
from tests.rules.rise.scenes import SCENES, Scene, Staged
from tests.support.recorded_fight import Record
from tests.support.rules_in_use import fired, named, rules_of

OURS: Final = rules_of("service.rules.rise") | rules_of("service.rules.secrecy.hidden_creatures")
MANY: Final = (4, 2, 8, 3, 6, 5)
"""How many take part, by seed."""
MOST: Final = 40
"""Seeds that are tried at most."""
TRIES: Final = 12
"""Seeds of a scene that are tried at most."""
STAGED: Final = {rule for scene in SCENES for rule in scene.rules}
"""Rules that come too seldom in fights of all kinds, and have scenes made for them."""

NEVER: Final[dict[str, str]] = {
    "RI-CARRY-1": "a character is carried by a request, not by a command",
    "RI-CARRY-2": "fights of random play begin with creatures that come from no other encounter",
}
"""Rules that no command of a fight comes to."""


def campaign(seed: int, budget: int = 250) -> Campaign:
    """Return a fight of a few, whose players and GM try much that is not offered."""
    return Campaign(seed, MANY[seed % len(MANY)], budget, meddling=(0.2, 0.35)[seed % 2])


def fired_in(played: Campaign) -> set[str]:
    """Play and return the rules that took part."""
    return (fired(played.play) | named(played.facts())) & OURS


def test_what_is_excused_are_rules() -> None:
    assert NEVER.keys() <= OURS


@pytest.mark.overnight
def test_every_automated_rule_takes_part_in_random_play() -> None:
    """Play fights until all rules have been seen: how many that takes changes with them."""
    missing = set(OURS) - NEVER.keys() - STAGED
    for seed in range(MOST):
        if missing:
            missing -= fired_in(campaign(seed))
    assert not missing, f"in {MOST} fights"


@pytest.mark.parametrize("scene", SCENES, ids=[scene.name for scene in SCENES])
def test_a_scene_brings_the_seldom_rules_it_is_made_for(scene: Scene) -> None:
    missing = set(scene.rules)
    assert missing <= OURS
    for seed in range(TRIES):
        if missing:
            missing -= fired_in(Staged(seed, scene=scene))
    assert not missing, f"in {TRIES} fights"


@pytest.mark.parametrize("many", [2, 5, 12])
def test_fights_audit_valid_and_fold_to_what_was_decided(many: int) -> None:
    """Down to the bytes: dice of the chain, envelopes, refusals and all."""
    played = Recorded(many, many, budget=150)
    played.play()
    played.finish()


def test_four_groups_of_ten_play_replay_and_audit() -> None:
    """Three groups of players and one of the GM: 40 creatures, two rounds, every group hurt by others."""
    record = Record(RISE, 1)
    assert record.send("open", "gm", record.opening(forty())) is None
    while record.folded.state.round < 3:
        step = next_step(record.folded.state)
        assert record.send(*step) is None, step
    assert record.send("close", "gm", {"reason": "enough"}) is None

    told = [event for commit in record.commits() for event in commit.events]
    hurt = [e for e in told if e.get("type") == "damage_taken"]
    by = {(e["source"].split("-")[0], e["creature"].split("-")[0]) for e in hurt}
    assert by == set(permutations(SIDES, 2)), "every group hurts every other"
    assert {e["type"] for e in told if "type" in e} >= {"conflict_found", "vital_wound_taken", "defeated"}
    assert sum(e.get("type") == "group_announced" for e in told) == 2 * len(SIDES)
    assert len(record.folded.state.creatures) == 40
    record.must_be_sound()
