"""Hold the ledger's vectors of the action economy; a refused command leaves state and dice alone."""

from __future__ import annotations

from tests.rules.rise.kit import begun, entry

SHIFT = {"id": "shift", "usage": "minor", "range_ft": 30, "effects": [{"does": "heal_dr", "amount": 1}]}


def test_RI_V_32_a_traded_standard_action_is_spent() -> None:
    """RI-ACT-4, RI-PHASE-2."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[SHIFT]), entry("mon@m/e", (3, 0)))
    fight.do("move", "p", path=[[1, 0], [2, 0]]).do("use_ability", "p", ability="shift", targets=["p"])
    assert fight.refused("strike", "p", target="e") == "standard_action_spent"


def test_RI_V_34_no_minor_action_twice_in_a_round() -> None:
    """RI-ACT-5, RI-ACT-3."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[SHIFT]), entry("mon@m/e", (1, 0)))
    fight.do("use_ability", "p", ability="shift", targets=["p"])
    assert (
        fight.refused("use_ability", "p", ability="shift", targets=["p"], pay="standard")
        == "same_minor_action_twice"
    )
    assert fight.seen("p", "p").budget.standard == "unused"
    fight.do("strike", "p", 9, 1, target="e")


def test_RI_V_34_unless_the_ability_says_so() -> None:
    again = {**SHIFT, "repeat_same_round": True}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[again]))
    fight.do("use_ability", "p", ability="shift", targets=["p"])
    assert fight.refused("use_ability", "p", ability="shift", targets=["p"]) == "minor_action_spent"
    fight.do("use_ability", "p", ability="shift", targets=["p"], pay="standard")
    assert fight.seen("p", "p").budget.standard == "traded_minor"


def test_RI_V_35_the_movement_phase_holds_one_movement() -> None:
    """RI-PHASE-1, RI-ACT-2, RI-ACT-3."""
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[SHIFT]),
        entry("mon@p/q", (5, 0)),
        entry("mon@m/e", (1, 0)),
        phase="movement",
    )
    assert fight.refused("strike", "p", target="e") == "wrong_phase"
    assert fight.refused("use_ability", "p", ability="shift", targets=["p"]) == "wrong_phase"
    fight.do("plan_movement", "p", path=[[0, 1]])
    assert fight.refused("plan_movement", "p", path=[[0, 1]]) == "movement_already_used"


def test_RI_V_37_objects() -> None:
    """RI-MAN-1, RI-MAN-2, RI-MAN-3, RI-UNIV-MANIP, RI-PHASE-3."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (9, 0)), phase="movement")
    fight.do("manipulate_object", "p", what="draw", item="torch")
    fight.to_actions()
    assert fight.refused("manipulate_object", "p", what="open") == "free_manipulation_spent"
    fight.do("manipulate_object", "p", what="open", pay="minor")
    fight.do("manipulate_object", "p", what="open", pay="standard")
    assert fight.refused("manipulate_object", "p", what="open", pay="minor") == "object_manipulation_limit"
    fight.do("manipulate_object", "p", what="drop", item="torch")
    assert fight.seen("p", "p").held == ()


def test_RI_MAN_4_the_later_printing_charges_for_sheaths_and_bags() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), options={"detailed_manipulation": True})
    assert fight.refused("manipulate_object", "p", what="draw", item="torch") == "needs_minor_action"
    assert fight.refused("manipulate_object", "p", what="rummage", pay="minor") == "needs_standard_action"
    fight.do("manipulate_object", "p", what="draw", item="torch", pay="minor")


def test_RI_V_38_a_turn_is_in_one_piece() -> None:
    """RI-ACT-8, RI-DELAY-3, RI-GROUP-3."""
    fight = begun(
        entry("pc@p/c", (0, 0), abilities=[SHIFT]), entry("pc@p/ally", (5, 0)), entry("mon@m/e", (1, 0))
    )
    fight.do("use_ability", "c", ability="shift", targets=["c"])
    assert fight.refused("strike", "ally", target="e") == "another_member_resolving"
    assert fight.refused("begin_turn", "c") == "turn_split"
    fight.end("c").do("begin_turn", "ally")
    assert fight.refused("strike", "c", target="e") == "turn_already_taken"


def test_RI_ACT_9_nothing_else_can_be_bargained() -> None:
    """RI-ACT-9, RI-ACT-1."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[SHIFT]), entry("mon@m/e", (1, 0)))
    assert fight.refused("strike", "p", target="e", pay="minor") == "no_such_trade"
    assert fight.refused("use_ability", "p", ability="shift", targets=["p"], pay="free") == "no_such_trade"


def test_RI_ACT_7_free_abilities_have_their_own_limits() -> None:
    shout = {"id": "yell", "usage": "free", "per_round_limit": 1, "effects": []}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[shout]))
    fight.do("use_ability", "p", ability="yell", targets=["p"])
    assert fight.refused("use_ability", "p", ability="yell", targets=["p"]) == "free_ability_limit"


def test_RI_V_19_whoever_its_own_group_felled_does_not_act() -> None:
    """RI-ACT-10 (C-36), RI-RES-13."""
    blast = {"id": "blast", "range_ft": 30, "effects": [{"does": "damage", "amount": 30}]}
    fight = begun(
        entry("mon@p/c", (0, 0)), entry("mon@p/ally", (1, 0), abilities=[blast]), entry("mon@m/e", (2, 0))
    )
    fight.do("use_ability", "ally", ability="blast", targets=["c"]).end("ally")
    assert fight.refused("begin_turn", "c") == "actor_incapacitated"

    fight = begun(
        entry("mon@p/c", (0, 0)), entry("mon@p/ally", (1, 0), abilities=[blast]), entry("mon@p/third", (0, 1))
    )
    fight.do("use_ability", "ally", ability="blast", targets=["c"]).end("ally")
    assert fight.refused("begin_turn", "c") == "actor_incapacitated"


def test_RI_V_19_an_enemys_blow_does_not_take_the_turn_away() -> None:
    """RI-RES-3, RI-RES-13."""
    fight = begun(entry("mon@p/c", (0, 0), hp=1), entry("mon@m/e", (1, 0)))
    fight.do("strike", "e", 9, 8, target="c").end("e")
    fight.do("strike", "c", 9, 8, target="e").end("c")
    assert fight["c"].defeated
    assert fight["e"].hp == 10


def test_C_36_the_house_may_let_the_felled_act() -> None:
    blast = {"id": "blast", "range_ft": 30, "effects": [{"does": "gain", "condition": "unconscious"}]}
    fight = begun(
        entry("mon@p/c", (0, 0)),
        entry("mon@p/ally", (1, 0), abilities=[blast]),
        entry("mon@m/e", (0, 1)),
        options={"felled_by_own": "acts"},
    )
    fight.do("use_ability", "ally", ability="blast", targets=["c"]).end("ally")
    fight.do("strike", "c", 9, 8, target="e").end("c")


def test_RI_GROUP_4_members_agree_on_an_order() -> None:
    """RI-GROUP-4, RI-GROUP-6."""
    fight = begun(entry("mon@p/a", (0, 0)), entry("mon@p/b", (1, 0)))
    fight.do("set_order", "a", order=["b", "a"])
    assert fight.refused("begin_turn", "a") == "order_not_agreed"
    fight.do("pass_turn", "b").do("pass_turn", "a")
