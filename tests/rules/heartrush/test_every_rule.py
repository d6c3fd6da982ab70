"""Every rule takes part in random play, and what is played audits as valid down to its bytes."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from typing import Final

import pytest

from service.audit.verdict import VALID_UNSIGNED
from service.rules import shared
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import to_data
from tests.rules.heartrush.campaign import Campaign
from tests.rules.heartrush.plays import TIMINGS, RecordedScene, brawl, staged, timing, wild
from tests.rules.heartrush.recorded import Recorded
from tests.rules.heartrush.scenes import SCENES, Scene
from tests.support.rules_in_use import fired, named, rules_of

OURS: Final = rules_of("service.rules.heartrush") | rules_of("service.rules.secrecy.hidden_creatures")
MOST: Final = 12
"""Seeds of each kind that are tried at most."""

NEVER: Final = {"HR-CARRY-1": "a character is carried by a request, not by a command"}
"""Rules that no command of a fight comes to, each with its reason."""

OWN: Final = (
    HEARTRUSH.commands.keys() - {command.type for command in shared.COMMANDS} - {HEARTRUSH.opening.type}
)
"""Commands of this ruleset; those of every table have tests of their own, whatever is played there."""


def fired_in(campaign: Campaign) -> set[str]:
    """Play *campaign* and return the rules that took part."""
    return (fired(campaign.play) | named(campaign.facts)) & OURS


def test_what_is_excused_and_what_scenes_bring_are_rules() -> None:
    assert NEVER.keys() <= OURS
    assert {rule for scene in SCENES for rule in scene.rules} <= OURS


@cache
def never_seen() -> tuple[frozenset[str], frozenset[str]]:
    """Play until all rules and all commands were seen, at most so long; return those that were not.

    Scenes are short and bring what is seldom; campaigns bring the rest.
    """
    rules, commands = set(OURS) - NEVER.keys(), set(OWN)
    for scene, seed in product(SCENES, range(MOST)):
        if rules & set(scene.rules) or commands & set(scene.wants):
            _play(staged(scene, seed), rules, commands)
    for seed, kind in product(range(MOST), (wild, brawl)):
        if rules or commands:
            _play(kind(seed), rules, commands)
    return frozenset(rules), frozenset(commands)


def _play(campaign: Campaign, rules: set[str], commands: set[str]) -> None:
    """Play *campaign* and take what it brought out of *rules* and *commands*."""
    rules.difference_update(fired_in(campaign))
    commands.difference_update(campaign.done)


@pytest.mark.overnight
def test_every_automated_rule_takes_part_in_random_play() -> None:
    rules, _ = never_seen()
    assert not rules, f"in {MOST} seeds of each kind"


@pytest.mark.overnight
def test_every_command_is_given_in_random_play() -> None:
    _, commands = never_seen()
    assert not commands, f"in {MOST} seeds of each kind"


@pytest.mark.parametrize("many", [2, 6, 30])
@pytest.mark.parametrize("when", TIMINGS)
def test_campaigns_audit_valid_and_fold_to_what_was_decided(when: str, many: int) -> None:
    """Down to the bytes: dice of the chain, envelopes, refusals and all."""
    _proves_itself(Recorded(many, timing=when, many=many, budget=120))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_scenes_audit_valid_and_fold_to_what_was_decided(scene: Scene) -> None:
    """The same for what is seldom, in both timings; in one of them one side throws its own dice."""
    for seed in (0, 1):
        _proves_itself(RecordedScene(seed, timing=timing(seed), scene=scene, budget=80))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_options_are_exact_in_scenes(scene: Scene) -> None:
    """What is offered is accepted, and near misses are refused, where seldom things are under way."""
    for seed in (0, 1):
        campaign = staged(scene, seed)
        campaign.budget, campaign.probing = 60, 0.1
        campaign.play()


def _proves_itself(campaign: Recorded) -> None:
    campaign.play()
    campaign.close()
    report = campaign.record.audited()
    assert report.verdict.name == VALID_UNSIGNED, f"seed {campaign.seed}: {report.verdict}"
    again = campaign.record.folded_again()
    assert again == campaign.state, f"seed {campaign.seed}"
    assert json.dumps(to_data(again)) == json.dumps(to_data(campaign.state)), f"seed {campaign.seed}"
