"""Every rule takes part in random play; the few that do not are named here, each with its reason."""

from __future__ import annotations

from typing import Final

import pytest

from service.audit.verdict import VALID
from tests.firing import fired, named, rules_of
from tests.heartrush.campaign import Campaign
from tests.heartrush.recorded import Recorded

OURS: Final = rules_of("service.rules.heartrush")
TIMINGS: Final = ("priority", "turns")
MANY: Final = (None, 2, 30, None, None, None)
MOST: Final = 20
"""Seeds of each kind that are tried at most."""

NEVER: Final = {
    "HR-SIZE-8": "what a creature carries is told to clients; nothing in a fight asks for it",
}
"""Rules that no command of a fight comes to."""

SELDOM: Final = {
    "HR-ACT-13": "an unsteady creature has to come past somebody whose action is left",
    "HR-ATK-4": "two have to choose the same stance and each other",
    "HR-COND-25": "a grapple has to be won and to land",
    "HR-FORCE-3": "one of a grappling pair has to be pushed",
    "HR-GRAP-4": "a grapple has to be won and to land",
    "HR-GRAP-6": "a grappler has to beat cunning with might",
    "HR-MOVE-5": "somebody that lies has to stand up in a dash",
    "HR-SIZE-3": "might has to beat cunning with a melee weapon",
    "HR-STANCE-5": "an archer has to be engaged after more than half its speed",
    "HR-START-7": "the surprised have to try something before round 1 is over",
    "HR-STUNT-1": "a stunt has to be won and to land",
    "HR-WPN-8": "might has to beat cunning with a thrown weapon while another is carried",
}
"""Rules that a minute of random play may miss; each has tests by its id, and `fuzz` plays until it comes."""


def wild(seed: int, budget: int = 300) -> Campaign:
    """Return a campaign of all kinds, on all kinds of ground."""
    return Campaign(seed, timing=TIMINGS[seed % 2], many=MANY[seed % 6], budget=budget)


def brawl(seed: int, budget: int = 400) -> Campaign:
    """Return a campaign of four that fight hand to hand."""
    return Campaign(seed, timing=TIMINGS[seed % 2], many=(2, 6, 4)[seed % 3], budget=budget, brawl=True)


def fired_in(campaign: Campaign) -> set[str]:
    """Play *campaign* and return the rules that took part."""
    return (fired(campaign.play) | named(campaign.facts)) & OURS


def test_what_is_excused_are_rules() -> None:
    assert NEVER.keys() | SELDOM.keys() <= OURS


def test_every_automated_rule_takes_part_in_random_play() -> None:
    """Play campaigns until all rules have been seen: how many that takes changes with them."""
    missing = set(OURS) - NEVER.keys() - SELDOM.keys()
    for seed in range(MOST):
        for kind in (brawl, wild):
            if missing:
                missing -= fired_in(kind(seed))
    assert not missing, f"in {MOST} brawls and {MOST} campaigns on wild ground"


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("many", [2, 6, 30])
def test_campaigns_audit_valid_and_fold_to_what_was_decided(timing: str, many: int) -> None:
    """Down to the bytes: dice of the chain, envelopes, refusals and all."""
    campaign = Recorded(many, timing=timing, many=many, budget=120)
    campaign.play()
    campaign.close()
    report = campaign.record.audited()
    assert report.verdict.name == VALID, f"seed {campaign.seed}: {report.verdict}"
    assert campaign.record.folded_again() == campaign.state, f"seed {campaign.seed}"
