"""Hold reason codes that come up in few places: each where it is raised, and what is allowed beside it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry

ECHO = {"id": "echo", "later": "next_action", "range_ft": 60, "effects": [{"does": "damage", "amount": 3}]}
WAVE = {"id": "wave", "usage": "minor"}


def echoing(**options: Any) -> Fight:
    """Return a fight in its second round's turns, in which `p` has an effect that is due."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[ECHO]), entry("mon@m/e", (3, 0)), options=options)
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p").rest().to_actions()
    return fight.do("begin_turn", "p", hold_delayed=True)


@pytest.mark.parametrize("ending", ["end_turn", "pass_turn"])
def test_RI_DELAY_2_where_no_default_speaks_the_owner_picks_the_point(ending: str) -> None:
    """RI-DELAY-2, RI-PHASE-6: with `auto_default` off a turn does not end over what was held."""
    fight = echoing(auto_default=False)
    assert fight.refused(ending, "p") == "delayed_point_unset"
    assert "end_turn" not in {offer.type for offer in fight.offers("gm") if offer.creature == "p"}
    fight.do("fire_delayed", "p", ability="echo")
    assert "end_turn" in {offer.type for offer in fight.offers("gm") if offer.creature == "p"}
    fight.do(ending, "p").rest()
    assert fight["e"].hp == 17


def test_RI_DELAY_2_by_default_it_comes_last() -> None:
    assert echoing().end("p").rest()["e"].hp == 17


def test_RI_ACT_6_nobody_comes_in_the_middle_of_an_allys_action() -> None:
    """RI-ACT-6, RI-GROUP-3: its own minor action may; between its actions it still has the floor."""
    fight = begun(
        entry("pc@p/p", (0, 0), abilities=[WAVE]), entry("pc@p/q", (0, 2)), entry("mon@m/e", (1, 0))
    )
    fight.do("begin_turn", "p")
    assert fight.refused("strike", "q", target="e") == "another_member_resolving"
    fight.do("move", "p", path=[[0, 1]], pause=True)
    assert fight.refused("strike", "q", target="e") == "cannot_interrupt_other_creature"
    assert fight.refused("begin_turn", "q") == "cannot_interrupt_other_creature"
    fight.do("use_ability", "p", ability="wave", targets=["p"]).do("move", "p", path=[[1, 1]])
    assert fight.refused("strike", "q", target="e") == "another_member_resolving"


def test_RI_ACT_6_nor_in_the_middle_of_an_allys_attack() -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("pc@p/q", (0, 1)), entry("mon@m/e", (1, 0)))
    fight.do("strike", "p", 1, target="e")
    assert "keep_roll" in waiting(fight.state.at("p"))[0].accepts, "it is asked about its roll"
    assert fight.refused("strike", "q", target="e") == "cannot_interrupt_other_creature"
    assert fight.refused("total_defense", "p") == "another_member_resolving", "it is its own"


@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_PHASE_6_no_phase_is_closed_over_who_can_act(phase: str) -> None:
    """RI-PHASE-6: the GM lets a round go by only where nobody is able to act."""
    fight = begun(entry("pc@p/p", (0, 0)), phase=phase)
    assert fight.refused("next_round") == "phase_not_ready"


@pytest.mark.parametrize(("profile", "code"), [("rise-4d", None), ("rise-5d", "sprint_while_carrying")])
def test_RI_UNIV_SPRINT_by_the_later_printing_nobody_sprints_who_carries(
    profile: str, code: str | None
) -> None:
    """RI-MOUNT-1: in either phase, and also where the plan does not name the rider."""

    def riding(phase: str) -> Fight:
        return begun(
            entry("pc@p/horse", (0, 0), carries_riders=True),
            entry("pc@p/r", (0, 0), mount="horse"),
            phase=phase,
            options={"profile": profile},
        )

    path = [[x, 0] for x in range(1, 9)]
    for phase, type_, data in (
        ("movement", "plan_movement", {"ability": "sprint", "path": path}),
        ("action", "move", {"sprint": True, "path": path}),
    ):
        fight = riding(phase)
        offers = [o for o in fight.offers("seat-p") if o.creature == "horse" and o.type == type_]
        sprints = [o for o in offers if o.given.get("sprint") or o.given.get("ability") == "sprint"]
        assert bool(sprints) is (code is None)
        decision = fight.send(type_, "seat-p", creature="horse", **data)
        assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_UNIV_SPRINT_a_laden_mount_is_not_asked_to_sprint_after_others() -> None:
    """RI-CONF-6, C-20."""
    for profile, asked in (("rise-4d", True), ("rise-5d", False)):
        fight = begun(
            entry("pc@p/horse", (0, 0), carries_riders=True),
            entry("pc@p/r", (0, 0), mount="horse"),
            entry("mon@m/e", (1, 0), speeds={"land": 60}),
            phase="movement",
            options={"profile": profile},
        )
        fight.do("plan_movement", "horse", ability="follow", targets=["e"]).do("pass_movement", "r")
        fight.do("plan_movement", "e", path=[[x, 0] for x in range(2, 14)])
        assert any("consent_sprint" in a.accepts for a in waiting(fight.state)) is asked
