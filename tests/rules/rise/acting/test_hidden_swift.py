"""What the attacker of a creature with hidden Swift effects reads, and what the announcement brings."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.sealed import is_closed, view
from tests.rules.rise.kit import Fight, entry, opened

MEND = {"id": "mend", "tags": ["swift"], "range_ft": 30, "effects": [{"does": "heal_hp", "amount": 5}]}
WARD = {"id": "ward", "tags": ["swift"], "range_ft": 30, "effects": [{"does": "heal_dr", "amount": 5}]}
PROBE = {
    "id": "probe",
    "range_ft": 60,
    "strike": {"versus": ["armor"], "flat": 3},
    "on_loss": [{"does": "gain", "condition": "dazed", "until": "brief"}],
}


def hiding(ability: str, *targets: str, hp: int = 10, **options: Any) -> Fight:
    """Return a fight of p and q against an ogre of 20 hit points, on which a healer acts unseen."""
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[PROBE]),
        entry("pc@p/q", (0, 1), abilities=[PROBE]),
        entry("mon@m/ogre", (1, 0), hp=hp, dr=0, dr_max=5),
        entry("mon@m/shaman", (5, 0), abilities=[MEND, WARD]),
        options={"exertion_prompt": "never", **options},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "shaman", ability=ability, targets=list(targets))
    return fight.do("no_more_swift", "shaman").do("no_more_swift", "ogre")


def test_RI_SWIFT_1_the_attackers_world_shows_what_it_knew_less_the_damage() -> None:
    """The heal of 5 appears with the announcement, and was there before the attack."""
    fight = hiding("mend", "ogre")
    fight.do("use_ability", "p", 9, ability="probe", targets=["ogre"])
    assert fight.seen("p", "ogre").hp == 7
    assert fight["ogre"].hp == 10, "at the table nothing is true yet"
    assert not fight.logged("swift_felt")
    fight.do("end_turn", "p").do("pass_turn", "q").rest()
    assert fight["ogre"].hp == 12


def test_RI_SWIFT_1_resistance_that_came_unseen_counts_and_does_not_show() -> None:
    """In truth it costs resistance; its own world goes by what it knew, also in what follows a loss."""
    fight = hiding("ward", "ogre")
    fight.do("use_ability", "p", 9, ability="probe", targets=["ogre"])
    assert (fight.seen("p", "ogre").hp, fight.seen("p", "ogre").dr) == (7, 0)
    assert fight.seen("p", "ogre").has("dazed")
    (taken,) = fight.logged("damage_taken")
    assert (taken.dr, taken.hp) == (0, 3)
    fight.do("end_turn", "p").do("pass_turn", "q").rest()
    assert (fight["ogre"].hp, fight["ogre"].dr) == (10, 2)


def test_RI_RES_12_what_looks_felled_may_stand_when_all_is_announced() -> None:
    """P60: nobody knows better before; attacks on what looks felled are rolled, and count."""
    fight = hiding("mend", "ogre", hp=2)
    fight.do("use_ability", "p", 9, ability="probe", targets=["ogre"])
    assert fight.seen("p", "ogre").defeated
    fight.do("end_turn", "p").do("use_ability", "q", 9, ability="probe", targets=["ogre"])
    fight.do("end_turn", "q").rest()
    assert fight["ogre"].hp == 1, "2 and 5, less 3 and 3"
    assert not fight["ogre"].defeated


@pytest.mark.parametrize(("faces", "hp"), [((9,), 9), ((10, 1), 7)])
def test_RI_ATK_10_an_attacker_that_was_hexed_unseen_hits_less(faces: tuple[int, ...], hp: int) -> None:
    """RI-GROUP-5: its roll shows no term of the hex, so armor 12 counts as 15: 13 glances, and 15 hits."""
    hex_ = {"does": "gain", "condition": "hex", "modifiers": {"accuracy": -3}, "until": "phase"}
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[PROBE]),
        entry("mon@m/ogre", (1, 0), hp=10, abilities=[{**MEND, "effects": [hex_]}]),
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "ogre", ability="mend", targets=["p"]).do("no_more_swift", "ogre")
    fight.do("use_ability", "p", *faces, ability="probe", targets=["ogre"])
    assert fight.rolls[-1].total == sum(faces) + 4
    assert fight.end("p").rest()["ogre"].hp == hp


@pytest.mark.parametrize(("hexes", "defends", "hidden"), [(0, 1, 1), (1, 0, 2), (1, 1, 2)])
def test_RI_SWIFT_8_one_effect_that_others_may_contradict_keeps_what_they_did_hidden(
    hexes: int, defends: int, hidden: int
) -> None:
    """RI-SWIFT-7: the players go first; whom they hex has acted unseen, whom only they are has not."""
    hex_ = {"does": "gain", "condition": "hex", "modifiers": {"armor": -1}, "until": "phase"}
    slow = {"id": "slow", "tags": ["swift"], "usage": "minor", "range_ft": 60, "effects": [hex_]}
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[slow]),
        entry("mon@m/ogre", (1, 0), abilities=[MEND]),
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "ogre", ability="mend", targets=["ogre"]).do("no_more_swift", "ogre")
    for _ in range(hexes):
        fight.do("use_ability", "p", ability="slow", targets=["ogre"])
    for _ in range(defends):
        fight.do("total_defense", "p")
    fight.end("p")
    assert len(fight.logged("swift_resolved")) == hidden


def test_RI_SWIFT_7_hidden_effects_lie_outside_the_creatures() -> None:
    fight = hiding("ward", "ogre")
    seen = view(fight.state, "seat-p")
    assert is_closed(seen.hidden_swift["m"])
    assert is_closed(seen.at("p").hidden_swift["m"])
    assert seen.creatures["ogre"] == fight["ogre"]
    fight.do("pass_turn", "p").do("pass_turn", "q")
    assert fight.seen("m", "ogre").dr == 5, "its own group knows"
    fight.rest()
    assert not fight.state.hidden_swift


def test_RI_INFO_5_no_defenses_are_shown_while_somebody_may_hide_swift() -> None:
    fight = hiding("mend", "ogre", visibility="full")
    fight.do("use_ability", "p", 9, ability="probe", targets=["ogre"])
    assert not fight.logged("attack_rolled")[0].defenses


def two_groups(**options: Any) -> Fight:
    """Return a fight of two groups of players where all but one commit."""
    return opened(
        entry("pc@x/x", (0, 0)),
        entry("pc@y/y", (1, 0)),
        options={"swift_mode": "lenient", "exertion_prompt": "never", **options},
    ).do("start_combat", start_phase="action")


def test_C_01_lenient_lets_one_group_declare_as_it_goes_whatever_the_groups_are() -> None:
    """P33: total defense counts against whoever attacks, so it is committed before the other group rolls."""
    fight = two_groups()
    (scheduled,) = fight.logged("groups_scheduled")
    assert (scheduled.committing, scheduled.first, scheduled.second) == (("y",), ("x",), ("y",))
    fight.do("commit_swift", "y", ability="total_defense").do("no_more_swift", "y")
    fight.do("strike", "x", 8, 4, target="y")
    assert fight.logged("attack_rolled")[-1].outcome == "glance", "12 against 12 and 2"
    fight.do("end_turn", "x")
    assert fight.seen("y", "y").has("total_defense")


def test_C_01_lenient_a_committing_group_has_no_second_thoughts() -> None:
    fight = two_groups().to_actions().do("pass_turn", "x")
    assert fight.refused("total_defense", "y") == "swift_not_precommitted"


@pytest.mark.parametrize(("side", "first"), [("a", ("x",)), ("z", ("x",))])
def test_C_01_lenient_groups_of_the_gm_always_commit(side: str, first: tuple[str, ...]) -> None:
    fight = opened(
        entry("pc@x/x", (0, 0)), entry(f"mon@{side}/m", (1, 0)), options={"swift_mode": "lenient"}
    ).do("start_combat", start_phase="action")
    (scheduled,) = fight.logged("groups_scheduled")
    assert (scheduled.committing, scheduled.first) == ((side,), first)
