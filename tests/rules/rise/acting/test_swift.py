"""Hold Swift abilities, delayed and sustained effects, healing, secrecy and groups."""

from __future__ import annotations

from typing import Any, Final

import pytest

from service.rules.kernel.codec import from_data
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, view
from service.rules.rise.creatures.character import VitalWound
from service.rules.rise.creatures.combat_statistics import modifiers, over, total
from service.rules.rise.table.opening import Opening, faults
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, opened, opening

FAINT: Final = VitalWound(die=1, result=1, effect="faint_below_half", gained=0)

HIT = {"id": "hit", "range_ft": 100, "effects": [{"does": "damage", "amount": 6}]}
GUARD = {
    "id": "guard",
    "tags": ["swift"],
    "usage": "minor",
    "effects": [{"does": "gain", "condition": "guard", "modifiers": {"armor": 4}, "until": "phase"}],
}


def versus(*, played: int = 1, **options: Any) -> Fight:
    """Return two creatures of different groups side by side, before Swift is committed."""
    kind = "pc" if played > 1 else "mon"
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[GUARD]),
        entry(f"{kind}@m/e", (1, 0), abilities=[GUARD]),
        options=options,
    )
    return fight.do("start_combat", start_phase="action")


def test_RI_V_53_among_players_swift_is_committed_before_any_die() -> None:
    """RI-SWIFT-3 (C-01), RI-SWIFT-1, RI-ORDER-1, RI-RES-14, RI-MULTI-1."""
    fight = versus(played=2)
    fight.do("no_more_swift", "e")
    assert fight.refused("strike", "p", target="e") == "wrong_step"
    fight.do("commit_swift", "p", ability="total_defense")
    assert fight.refused("commit_swift", "p", ability="total_defense") == "already_sealed"
    fight.do("no_more_swift", "p")
    assert fight.refused("total_defense", "e") == "swift_not_precommitted"
    assert fight.refused("strike", "p", target="e") == "standard_action_spent"
    fight.do("strike", "e", 8, target="p")
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    assert fight["p"].has("total_defense")


def test_RI_V_53_one_group_of_players_declares_as_it_goes() -> None:
    """RI-SWIFT-3, RI-GM-1, RI-RES-5, RI-SWIFT-8, RI-MULTI-1."""
    fight = versus()
    fight.do("commit_swift", "e", ability="guard").do("no_more_swift", "e")
    assert fight.refused("strike", "e", target="p") == "groups_still_resolving"
    assert is_closed(view(fight.state, "seat-p").worlds["m"])
    fight.do("total_defense", "p").end("p")
    fight.do("strike", "e", 9, target="p").throw(8)
    assert fight.logged("attack_rolled")[-1].outcome == "glance"


def test_the_gms_swift_stays_hidden_until_the_announcement() -> None:
    """RI-INFO-1, RI-SWIFT-7: it works against attacks at once, and nobody else sees it."""
    fight = versus()
    fight.do("commit_swift", "e", ability="guard").do("no_more_swift", "e")
    seen = view(fight.state, "seat-p").at("p").creatures["e"]
    assert not seen.has("guard")
    fight.do("strike", "p", 9, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == "miss"
    fight.do("keep_roll", "p").end("p")
    assert fight.logged("swift_resolved")


@pytest.mark.parametrize(("mode", "waits"), [("strict", False), ("lenient", True), ("auto", True)])
def test_C_01_the_table_says_who_commits(mode: str, *, waits: bool) -> None:
    fight = versus(swift_mode=mode).to_actions()
    decision = fight.send("begin_turn", "gm", creature="e")
    assert (decision.refusal is not None) is waits


def test_RI_SWIFT_2_swift_abilities_make_no_attack_rolls() -> None:
    bad = {"id": "bad", "tags": ["swift"], "strike": {"dice": [6]}}
    found = [
        text for _, text in faults(from_data(Opening, opening(entry("mon@p/p", (0, 0), abilities=[bad]))))
    ]
    assert any(text.startswith("invalid_ability_swift_attack") for text in found)


def test_RI_SWIFT_4_swift_costs_what_it_costs() -> None:
    """RI-SWIFT-4, RI-SWIFT-5, RI-UNIV-TOTALDEF."""
    fight = versus().to_actions()
    fight.do("strike", "p", 9, 1, target="e")
    assert fight.refused("total_defense", "p") == "standard_action_spent"


@pytest.mark.parametrize(("lasts", "left"), [("round", True), ("phase", False)])
def test_C_28_how_long_total_defense_lasts(lasts: str, *, left: bool) -> None:
    fight = versus(total_defense_lasts=lasts).to_actions().do("total_defense", "p")
    (held,) = fight.seen("p", "p").conditions
    assert over(fight.state, held, 10) is not left
    assert over(fight.state, held, 11) is left


def test_RI_SWIFT_6_a_reckless_attack_lowers_defenses_at_once() -> None:
    """RI-SWIFT-6, RI-UNIV-RECKLESS (C-29)."""
    fight = versus().to_actions()
    fight.do("reckless_attack", "p", 9, 1, target="e").end("p")
    fight.do("strike", "e", 6, 3, target="p")
    assert fight.logged("attack_rolled")[-1].outcome == "hit", "10 against an armor of 12 - 2"


MEND = {
    "id": "mend",
    "tags": ["swift"],
    "range_ft": 30,
    "effects": [{"does": "heal_hp", "amount": 12}],
}


def test_RI_SWIFT_1_a_hidden_heal_does_not_show_before_its_step() -> None:
    """RI-SWIFT-1, RI-INFO-1: neither in the players' view nor in their world; it counts where it matters."""
    fight = opened(
        entry("pc@p/p", (0, 0)),
        entry("mon@m/e", (1, 0), hp=5),
        entry("mon@m/healer", (3, 0), abilities=[MEND]),
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "healer", ability="mend", targets=["e"])
    fight.do("no_more_swift", "healer").do("no_more_swift", "e")
    seen = view(fight.state, "seat-p")
    assert seen.creatures["e"].hp == 5
    assert seen.at("p").creatures["e"].hp == 5
    assert "12" not in str([effect.amount for effect in seen.at("p").effects])
    fight.do("strike", "p", 9, 6, target="e").end("p")
    assert fight.seen("m", "e").hp == 17, "its own group knows"
    fight.rest()
    assert fight["e"].hp == 9, "5 and 12, less 8: healed before the attack"
    assert not fight["e"].defeated


def test_RI_SWIFT_1_what_nobody_attacks_shows_with_the_announcement() -> None:
    fight = opened(
        entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0), hp=5, abilities=[MEND]), entry("mon@m/f", (9, 0))
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "e", ability="mend").do("no_more_swift", "e").do("no_more_swift", "f")
    fight.do("pass_turn", "p")
    assert view(fight.state, "seat-p").creatures["e"].hp == 5
    fight.do("pass_turn", "e").do("pass_turn", "f")
    assert fight["e"].hp == 17


def test_RI_SWIFT_3_each_member_commits_for_itself_and_to_several() -> None:
    """RI-SWIFT-3, RI-SWIFT-4: whoever says no more speaks for one creature."""
    fight = opened(
        entry("pc@p/a", (0, 0), abilities=[GUARD, MEND]), entry("pc@p/b", (0, 1)), entry("pc@q/c", (5, 0))
    ).do("start_combat", start_phase="action")
    fight.do("no_more_swift", "b")
    assert fight.refused("no_more_swift", "b") == "already_sealed"
    fight.do("commit_swift", "a", ability="guard")
    assert fight.refused("commit_swift", "a", ability="mend", targets=["zed"]) == "invalid_target"
    fight.do("commit_swift", "a", ability="mend", targets=["b"])
    assert fight.refused("commit_swift", "a", ability="total_defense") == "standard_action_spent"
    fight.do("no_more_swift", "a").do("no_more_swift", "c")
    assert fight.refused("use_ability", "a", ability="mend", targets=["b"]) == "standard_action_spent"
    assert fight["a"].has("guard")


LUNGE = {
    "id": "lunge",
    "range_ft": 5,
    "cost_fatigue": 1,
    "strike": {"dice": [8], "accuracy": 2},
    "effects": [
        {
            "does": "gain",
            "condition": "open",
            "to": "self",
            "modifiers": {"armor": -3},
            "until": "phase",
            "swift": True,
        },
        {"does": "gain", "condition": "slowed", "until": "brief"},
    ],
}


@pytest.mark.parametrize("played", [1, 2])
def test_RI_SWIFT_6_abilities_of_ones_own_may_be_swift_in_part(played: int) -> None:
    """RI-SWIFT-6: the early part comes early whatever the attack does, and is paid and tires once."""
    kind = "pc" if played > 1 else "mon"
    fight = opened(entry("pc@p/p", (0, 0), abilities=[LUNGE]), entry(f"{kind}@m/e", (1, 0)))
    fight.do("start_combat", start_phase="action")
    if played > 1:
        fight.do("commit_swift", "p", ability="lunge")
    fight.to_actions()
    fight.do("use_ability", "p", 1, ability="lunge", targets=["e"]).do("keep_roll", "p")
    assert fight.refused("use_ability", "p", ability="lunge", targets=["e"]) == "standard_action_spent"
    fight.end("p")
    fight.do("strike", "e", 5, 3, target="p")
    assert fight.logged("attack_rolled")[-1].outcome == "hit", "9 against an armor of 12 - 3"
    fight.end("e").rest()
    assert not fight["e"].has("slowed"), "it missed"
    assert fight["p"].fatigue == 1


def test_RI_SWIFT_6_a_committed_reckless_attack_survives_other_uses() -> None:
    yell = {"id": "yell", "usage": "free", "effects": []}
    fight = opened(entry("pc@p/p", (0, 0), abilities=[yell]), entry("pc@m/e", (1, 0)))
    fight.do("start_combat", start_phase="action").do("commit_swift", "p", ability="reckless_attack")
    fight.to_actions().do("use_ability", "p", ability="yell", targets=["p"])
    fight.do("reckless_attack", "p", 9, 3, target="e")
    assert fight.refused("reckless_attack", "p", target="e") == "standard_action_spent"


@pytest.mark.parametrize(("value", "reflex"), [("all", -2), ("armor", 0)])
def test_C_29_what_a_reckless_attack_lowers(value: str, reflex: int) -> None:
    fight = versus(reckless_lowers=value).to_actions()
    fight.do("reckless_attack", "p", 9, 1, target="e")
    lowered = total(modifiers(fight.seen("p", "p"), "reflex", "defenses"))
    assert lowered == reflex


def test_RI_SWIFT_2_swift_parts_hurt_nobody() -> None:
    burst = {"id": "burst", "tags": ["swift"], "effects": [{"does": "damage", "amount": 3}]}
    found = list(faults(from_data(Opening, opening(entry("mon@p/p", (0, 0), abilities=[burst])))))
    assert any("invalid_ability_swift_attack" in text for _, text in found)


def _shielded(keep: str, *, played: int = 2) -> Fight:
    """Return a fight in whose second round `p` may keep up a shield."""
    effect = {"does": "gain", "condition": "shield", "until": "sustain", "modifiers": {"armor": 4}}
    shield = {"id": "shield", "range_ft": 30, "effects": [{**effect, "keep": keep}]}
    kind = "pc" if played > 1 else "mon"
    fight = begun(entry("pc@p/p", (0, 0), abilities=[shield]), entry(f"{kind}@m/e", (1, 0)))
    fight.do("use_ability", "p", ability="shield", targets=["p"]).end("p").rest()
    for name in ("p", "e"):
        fight.do("pass_movement", name)
    return fight


def test_RI_SWIFT_9_sustaining_is_committed_like_everything_swift() -> None:
    """RI-SWIFT-9: what is not kept up is over before anybody attacks."""
    fight = _shielded("minor")
    fight.do("sustain", "p", condition="shield").to_actions()
    assert fight.refused("sustain", "p", condition="shield") == "swift_not_precommitted"
    assert fight["p"].has("shield")
    fight = _shielded("minor").to_actions()
    assert not fight["p"].has("shield")
    fight.do("strike", "e", 9, 3, target="p")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"


def test_RI_SWIFT_9_it_costs_the_action_that_the_effect_asks_for() -> None:
    fight = _shielded("standard", played=1).to_actions()
    assert fight.refused("sustain", "p", condition="shield", pay="minor") == "no_such_trade"
    fight.do("sustain", "p", condition="shield")
    assert fight.refused("strike", "p", target="e") == "standard_action_spent"


@pytest.mark.parametrize(("since", "kept"), [(1, True), (-48, False)])
def test_RI_SWIFT_9_nothing_is_kept_up_for_more_than_five_minutes(since: int, *, kept: bool) -> None:
    fight = _shielded("free", played=1)
    (shield,) = fight["p"].conditions
    old = changed(shield, since=since)
    fight.given("p", conditions=(old,)).to_actions()
    fight.state = fight.state.with_at("p", fight.state.at("p").with_creature("p", conditions=(old,)))
    fight.do("sustain", "p", condition="shield").end("p").rest()
    assert fight["p"].has("shield") is kept


def test_RI_UNIV_RECOVER_restores_once_before_a_rest() -> None:
    """RI-UNIV-RECOVER, RI-HEAL-4, RI-FATIG-2."""
    fight = begun(entry("pc@p/p", (0, 0), hp=4, dr=0, dr_max=6), entry("mon@m/e", (1, 0), abilities=[HIT]))
    fight.do("recover", "p").end("p")
    fight.do("use_ability", "e", ability="hit", targets=["p"]).end("e")
    assert (fight["p"].hp, fight["p"].dr, fight["p"].fatigue) == (14, 0, 2), "healed before it was hit"
    fight.to_actions()
    assert fight.refused("recover", "p") == "recover_already_used"


def _cleansed(name: str) -> list[str]:
    cleanse = {"id": "cleanse", "range_ft": 50, "effects": [{"does": "lose", "condition": name}]}
    slow = {"id": "hit", "range_ft": 100, "effects": [{"does": "gain", "condition": "slowed"}]}
    daze = {"id": "daze", "range_ft": 100, "effects": [{"does": "gain", "condition": "dazed"}]}
    fight = begun(
        entry("pc@p/c", (0, 0)),
        entry("pc@p/ally", (1, 0), abilities=[cleanse]),
        entry("mon@m/e", (5, 0), abilities=[slow, daze]),
    )
    fight.do("pass_turn", "c").do("pass_turn", "ally")
    fight.do("use_ability", "e", ability="daze", targets=["c"]).end("e").to_actions()
    fight.do("use_ability", "ally", ability="cleanse", targets=["c"]).end("ally").do("pass_turn", "c")
    fight.do("use_ability", "e", ability="hit", targets=["c"]).end("e")
    return [condition.name for condition in fight["c"].conditions]


def test_RI_V_16_a_cleanse_of_everything_reaches_what_came_at_the_same_time() -> None:
    """RI-RES-6 (C-10)."""
    assert _cleansed("*") == []
    assert _cleansed("dazed") == ["slowed"]


def test_RI_HEAL_5_inside_a_group_the_order_of_acts_stays() -> None:
    """RI-HEAL-5 (C-05)."""
    mend = {"id": "mend", "range_ft": 50, "effects": [{"does": "heal_hp", "amount": 12}]}
    fight = begun(
        entry("mon@p/c", (0, 0), hp=15),
        entry("mon@p/a", (1, 0), abilities=[mend]),
        entry("mon@p/b", (2, 0), abilities=[HIT]),
    )
    fight.do("use_ability", "a", ability="mend", targets=["c"]).end("a")
    fight.do("use_ability", "b", ability="hit", targets=["c"]).end("b").rest()
    assert fight["c"].hp == 14


ECHO = {
    "id": "echo",
    "later": "each_action",
    "times": 2,
    "range_ft": 60,
    "effects": [{"does": "damage", "amount": 3}],
}


def _echoing(**more: Any) -> Fight:
    fight = begun(entry("mon@p/p", (0, 0), abilities=[{**ECHO, **more}]), entry("mon@m/e", (1, 0)))
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p").rest().to_actions()
    return fight


def test_RI_DELAY_1_delayed_effects_come_in_their_owners_turn() -> None:
    """RI-DELAY-1, RI-DELAY-2, RI-DELAY-4, RI-DELAY-5."""
    fight = _echoing()
    fight.do("begin_turn", "p")
    assert fight.seen("p", "e").hp == 17, "by default they come first"
    assert fight.refused("fire_delayed", "p", ability="echo") == "delayed_already_fired"
    fight.end("p").rest().to_actions()
    fight.do("pass_turn", "p").rest()
    assert fight["e"].hp == 14, "passing is a turn (C-30)"
    fight.to_actions().do("pass_turn", "p").rest()
    assert fight["e"].hp == 14, "used up"


def test_RI_DELAY_2_the_owner_may_wait_within_its_turn() -> None:
    """RI-DELAY-2, RI-DELAY-3."""
    fight = _echoing(later="next_action")
    assert fight.refused("fire_delayed", "p", ability="echo") == "turn_split"
    fight.do("begin_turn", "p", hold_delayed=True)
    assert fight.seen("p", "e").hp == 20
    fight.do("strike", "p", 9, 1, target="e").do("fire_delayed", "p", ability="echo")
    assert fight.seen("p", "e").hp == 14
    fight.end("p")
    fight = _echoing(later="next_action")
    fight.do("begin_turn", "p", hold_delayed=True).end("p")
    assert fight.seen("p", "e").hp == 17 if "p" in fight.state.apart else fight["e"].hp == 17


def test_RI_DELAY_4_what_hits_the_dead_does_nothing() -> None:
    fight = _echoing()
    fight.state = fight.state.with_at("p", fight.state.at("p").with_creature("e", dead=True))
    fight.do("begin_turn", "p")
    assert fight.seen("p", "e").hp == 20


def test_RI_SWIFT_9_what_is_not_sustained_ends() -> None:
    """RI-SWIFT-9."""
    shield = {
        "id": "shield",
        "range_ft": 30,
        "effects": [{"does": "gain", "condition": "shield", "until": "sustain", "modifiers": {"armor": 1}}],
    }
    fight = begun(entry("mon@p/p", (0, 0), abilities=[shield]), entry("mon@m/e", (5, 0)))
    fight.do("use_ability", "p", ability="shield", targets=["p"]).end("p").rest()
    for last in (False, True):
        fight.do("pass_movement", "p").do("pass_movement", "e")
        if last:
            break
        assert fight.refused("sustain", "p", condition="storm") == "sustain_not_declared"
        fight.do("sustain", "p", condition="shield")
        assert fight.refused("sustain", "p", condition="shield") == "sustain_same_ability_twice"
        fight.to_actions().rest()
        assert fight["p"].has("shield")
    fight.to_actions().rest()
    assert not fight["p"].has("shield")


def test_RI_V_52_a_groups_log_opens_with_the_announcement() -> None:
    """RI-INFO-1, RI-INFO-2, RI-INFO-4, RI-RES-9, RI-RES-11."""
    fight = begun(
        entry("pc@x/x1", (0, 0), abilities=[HIT]), entry("pc@x/x2", (0, 1)), entry("pc@y/y1", (5, 0))
    )
    fight.do("use_ability", "x1", ability="hit", targets=["y1"]).end("x1")
    assert is_closed(view(fight.state, "seat-y").worlds["x"])
    assert view(fight.state, "seat-x").at("x").effects[0].amount == 6
    assert view(fight.state, "seat-y").creatures["y1"].hp == 20
    fight.rest()
    (announced,) = [event for event in fight.logged("group_announced") if event.group == "x"]
    assert announced.effects[0].amount == 6
    assert announced.occasion == "r1/action/x/announced"


@pytest.mark.parametrize(("blind", "sees"), [(True, False), (False, True)])
def test_C_52_the_gm_may_be_blind_to_players_results(*, blind: bool, sees: bool) -> None:
    fight = begun(entry("pc@x/x1", (0, 0)), entry("mon@m/e", (5, 0)), options={"gm_blind": blind})
    assert is_closed(view(fight.state, "gm").worlds["x"]) is not sees


def test_RI_INFO_1_a_group_whose_seat_is_closed_is_not_read_by_a_blind_gm() -> None:
    """Nobody waits for a seat that has left: its group does nothing more until the next phase."""
    fight = begun(entry("pc@x/x1", (0, 0)), entry("mon@m/e", (5, 0)))
    fight.do("close_seat", seat="seat-x")
    assert fight.logged("group_left")[0].group == "x"
    assert not fight.logged("readers_changed")
    assert is_closed(view(fight.state, "gm").worlds["x"])
    fight.do("pass_turn", "e")
    assert fight.state.round == 2
    assert fight.state.controller("x1") == "gm"


def test_RI_INFO_1_a_group_that_another_player_takes_over_is_read_by_that_player() -> None:
    fight = begun(entry("pc@x/x1", (0, 0)), entry("mon@m/e", (5, 0)))
    fight.do("change_seat", seat="seat-x", creatures=())
    assert fight.logged("group_left")
    fight = begun(entry("pc@x/x1", (0, 0)), entry("pc@x/x2", (0, 1)), entry("mon@m/e", (5, 0)))
    fight.do("change_seat", seat="seat-x", creatures=("x1",))
    fight.do("open_seat", seat="new", role="player", creatures=("x2",))
    assert not is_closed(view(fight.state, "new").worlds["x"])
    assert is_closed(view(fight.state, "gm").worlds["x"])


def test_RI_GROUP_1_allies_in_contact_act_together() -> None:
    """RI-GROUP-1, RI-GROUP-2, RI-GROUP-7."""
    fight = opened(
        entry("pc@p/a", (0, 0)),
        entry("pc@p/b", (1, 0)),
        entry("pc@p/c", (2, 0), communicates=False),
        entry("mon@m/e", (5, 0)),
        entry("mon@m/f", (6, 0)),
    )
    assert fight.refused("set_attitude", "e", toward="e", attitude="ally") == "self_attitude"
    fight.do("set_attitude", "e", toward="f", attitude="enemy")
    fight.do("start_combat")
    assert fight.state.groups == {"c": ("c",), "e": ("e",), "f": ("f",), "p": ("a", "b")}
    assert fight.refused("set_attitude", "a", toward="e", attitude="ally") == "attitude_locked"


def test_RI_GROUP_1_the_unconscious_join_no_enemies() -> None:
    """RI-GROUP-2: they regard everybody as an ally, and so each other."""
    fight = opened(
        entry("pc@p/a", (0, 0), hp=3),
        entry("pc@p/b", (1, 0)),
        entry("pc@q/c", (2, 0), hp=3),
        entry("pc@q/d", (3, 0)),
        entry("mon@m/e", (5, 0), hp=3),
        entry("mon@m/f", (6, 0), hp=3),
    )
    for felled in "acef":
        fight.given(felled, wounds=(FAINT,), down=True)
    fight.do("set_attitude", "d", toward="a", attitude="ally").do("start_combat")
    assert fight.state.groups == {"m": ("e", "f"), "p": ("b", "a"), "q": ("d", "c")}


def test_RI_GROUP_1_the_unconscious_are_kept_by_whom_they_have() -> None:
    fight = opened(
        entry("pc@p/a", (0, 0), hp=3),
        entry("pc@q/d", (3, 0)),
        entry("mon@m/e", (5, 0), hp=3, communicates=False),
        entry("mon@m/f", (6, 0)),
    )
    for felled in "ae":
        fight.given(felled, wounds=(FAINT,), down=True)
    fight.do("set_attitude", "d", toward="a", attitude="ally").do("start_combat")
    assert fight.state.groups == {"e": ("e",), "f": ("f",), "q": ("d", "a")}


def test_RI_GROUP_1_the_gm_may_say_otherwise() -> None:
    fight = opened(entry("pc@p/a", (0, 0)), entry("pc@p/b", (1, 0)), entry("mon@m/e", (5, 0)))
    fight.do("set_groups", groups={"duo": ["a", "e"]}).do("start_combat")
    assert fight.state.groups == {"duo": ("a", "e"), "b": ("b",)}


def test_no_group_takes_the_name_of_another() -> None:
    """RI-GROUP-1, RI-GROUP-7."""
    fight = opened(entry("pc@p/a", (0, 0)), entry("pc@p/b", (1, 0)), entry("mon@b/e", (5, 0)))
    assert fight.refused("set_groups", groups={"table": ["a"]}) == "not_in_group"
    fight.do("set_groups", groups={"b": ["a"]}).do("start_combat")
    assert sorted(fight.state.groups.values()) == [("a",), ("b",), ("e",)]


def test_RI_ROUND_4_a_surprise_may_begin_with_the_action_phase() -> None:
    """RI-ROUND-4, RI-ROUND-1, RI-ROUND-2, RI-PHASE-6."""
    fight = opened(entry("mon@p/a", (0, 0))).do("start_combat", start_phase="action")
    assert fight.state.stage == "action"
    fight.to_actions().do("pass_turn", "a")
    assert (fight.state.round, fight.state.stage) == (2, "movement")


def test_RI_ROUND_5_the_gm_ends_combat() -> None:
    """RI-ROUND-5, RI-REST-1, RI-VITAL-5."""
    fight = begun(entry("pc@p/a", (0, 0), hp=3, fatigue=2), entry("mon@m/e", (5, 0)))
    assert fight.send("end_combat", "seat-p").refusal is not None
    assert fight.send("rest", "gm", creature="a").refusal is not None
    fight.do("end_combat")
    fight.send("rest", "gm", creature="a", rest="long")
    assert (fight["a"].hp, fight["a"].fatigue) == (20, 0)


def test_RI_ROUND_3_nothing_is_kept_for_the_next_round() -> None:
    fight = begun(entry("mon@p/a", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("pass_turn", "a").do("pass_turn", "e").to_actions()
    fight.do("strike", "a", 9, 1, target="e")
    assert fight.refused("strike", "a", target="e") == "standard_action_spent"


def test_C_30_delayed_attacks_of_whoever_cannot_act_lapse() -> None:
    """RI-DELAY-4: they are gone, not kept."""
    bite = {**ECHO, "later": "next_action", "strike": {"dice": [4]}}
    faint = {"id": "faint", "range_ft": 99, "effects": [{"does": "gain", "condition": "unconscious"}]}
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[bite]),
        entry("mon@m/e", (1, 0), abilities=[faint]),
        options={"auto_end": False},
    )
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p")
    fight.do("use_ability", "e", ability="faint", targets=["p"]).end("e").to_actions().rest()
    assert fight.logged("delayed_lapsed")
    assert not fight["p"].delayed
    assert fight["e"].hp == 20


@pytest.mark.parametrize(("tags", "acts"), [([], False), (["swift"], True)])
def test_C_35_who_is_woken_in_a_phase_has_no_turn_in_it_unless_early(tags: list[str], *, acts: bool) -> None:
    """RI-HP-1, RI-RES-13."""
    mend = {"id": "mend", "tags": tags, "range_ft": 99, "effects": [{"does": "heal_hp", "amount": 20}]}
    fight = opened(
        entry("pc@p/v", (0, 0), hp=3), entry("pc@p/h", (1, 0), abilities=[mend]), entry("mon@m/e", (9, 9))
    )
    fight.given("v", wounds=(FAINT,), down=True).do("start_combat", start_phase="action").to_actions()
    fight.do("use_ability", "h", ability="mend", targets=["v"]).end("h")
    assert (
        "begin_turn" in {a for owed in waiting(fight.state) for a in owed.accepts if owed.seat == "seat-p"}
    ) is acts
