"""Every rule takes part in random play; the few that do not are named here, each with its reason."""

from __future__ import annotations

from typing import Any, Final

import pytest

from service.audit.verdict import VALID
from service.rules.messages import Offer
from tests.firing import fired, named, rules_of
from tests.rise.campaign import Campaign, Recorded

OURS: Final = rules_of("service.rules.rise")
MANY: Final = (4, 2, 8, 3, 6, 5)
"""How many take part, by seed."""
MOST: Final = 24
"""Seeds that are tried at most."""

NEVER: Final[dict[str, str]] = {}
"""Rules that no command of a fight comes to."""

SELDOM: Final = {
    "RI-INIT-3": "two that are in each other's way have to roll the same",
    "RI-MOVE1-3": "a rider has to plan its own way before its mount plans to carry it",
    "RI-MOVE1-8": "somebody has to be moved by an ally and then try to move itself",
}
"""Rules that some seconds of play may miss; each has tests by its id, and `fuzz` plays until it comes."""


def campaign(seed: int, budget: int = 250) -> Campaign:
    """Return a fight of a few, whose players and GM try much that is not offered."""
    return Campaign(seed, MANY[seed % len(MANY)], budget, meddling=(0.2, 0.35)[seed % 2])


def fired_in(played: Campaign) -> set[str]:
    """Play and return the rules that took part."""
    return (fired(played.play) | named(played.facts())) & OURS


def test_what_is_excused_are_rules() -> None:
    assert NEVER.keys() | SELDOM.keys() <= OURS


def test_every_automated_rule_takes_part_in_random_play() -> None:
    """Play fights until all rules have been seen: how many that takes changes with them."""
    missing = set(OURS) - NEVER.keys() - SELDOM.keys()
    for seed in range(MOST):
        if missing:
            missing -= fired_in(campaign(seed))
    assert not missing, f"in {MOST} fights"


@pytest.mark.parametrize("many", [2, 5, 12])
def test_fights_audit_valid_and_fold_to_what_was_decided(many: int) -> None:
    """Down to the bytes: dice of the chain, envelopes, refusals and all."""
    played = Recorded(many, many, budget=150)
    played.play()
    played.close()
    assert_sound(played)


def test_four_groups_of_ten_play_replay_and_audit() -> None:
    """Three groups of players and one of the GM: 40 creatures, two rounds, groups that hurt each other."""
    played = FourGroups(1, 40, budget=420, played=3, meddling=0.02)
    played.play()
    played.close()

    hurt = [e for e in played.told("damage_taken") if e["creature"][0] != e["source"][0]]
    announced = {e["group"] for e in played.told("group_announced")}
    assert len(played.state.creatures) == 40
    assert announced >= {"heroes", "orcs", "wolves", "bats"}
    assert {e["creature"][0] for e in hurt} == set("howb"), "every group is hurt by another"
    assert played.state.round >= 2, "a whole round was played"
    assert_sound(played)


class FourGroups(Recorded):
    """Four groups that stand among each other and use what they have on their enemies."""

    def opening(self) -> dict[str, Any]:
        opening = super().opening()
        while len({entry["sheet"]["side"] for entry in opening["creatures"]}) < 4:
            opening = super().opening()
        opening["options"] = {}
        for entry in opening["creatures"]:
            entry["sheet"] |= {"communicates": True, "hp_max": 30, "size": "medium"}
        return opening

    def pick(self, offers: tuple[Offer, ...]) -> Offer:
        mine = str(offers[0].creature)[0]
        aimed = [o for o in offers if any(name[0] != mine for name in (*o.given.get("targets", ()),))]
        aimed += [o for o in offers if o.given.get("target", mine)[0] != mine]
        return self.random.choice(aimed or offers)


def assert_sound(played: Recorded) -> None:
    """Fail unless the record audits valid and folds to the state as decided."""
    report = played.record.audited()
    assert report.verdict.name == VALID, f"seed {played.seed}: {report.verdict}"
    assert played.record.folded_again() == played.state, f"seed {played.seed}"
