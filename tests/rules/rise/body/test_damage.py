"""Hold attacks, damage, wounds and conditions: the ledger's vectors, then the rules it has none for."""

from __future__ import annotations

from typing import Any, Final

import pytest

from service.rules.kernel.codec import Malformed, from_data
from service.rules.rise.body.vital_wounds import Died, die_of_wounds
from service.rules.rise.creatures.character import Condition, VitalWound
from service.rules.rise.creatures.combat_statistics import defense_terms, total
from service.rules.rise.table.opening import Opening
from tests.rules.rise.kit import Fight, Seeded, begun, entry, opened, opening


def hit(amount: int, sort: str = "normal") -> dict[str, Any]:
    """Return an ability `hit` that does so much damage to anybody in sight."""
    return {
        "id": "hit",
        "range_ft": 100,
        "effects": [{"does": "damage", "amount": amount, "sort": sort}],
    }


def struck(
    victim: dict[str, Any], *hits: dict[str, Any], faces: tuple[int, ...] = (), **options: Any
) -> Fight:
    """Return a fight in which enemies of `v`, each its own group, used `hit` on it; the phase is over."""
    enemies = [entry(f"mon@m{i}/e{i}", (5 + i, 0), abilities=[ability]) for i, ability in enumerate(hits)]
    fight = begun(victim, *enemies, options=options).do("pass_turn", "v")
    for i in range(len(hits)):
        fight.do("use_ability", f"e{i}", ability="hit", targets=["v"]).end(f"e{i}")
    return fight.rest(*faces)


def test_RI_V_44_environmental_damage_leaves_resistance_alone() -> None:
    """RI-DMG-6."""
    fight = struck(entry("pc@p/v", (0, 0), hp=10, dr=5, dr_max=5), hit(8, "environmental"))
    assert (fight["v"].hp, fight["v"].dr) == (7, 5)
    fight = struck(entry("pc@p/v", (0, 0), hp=10, dr=5, dr_max=5), hit(4, "environmental"))
    assert (fight["v"].hp, fight["v"].dr) == (10, 5)


def test_RI_V_46_far_below_zero_several_wounds_are_due() -> None:
    """RI-VITAL-1, RI-VITAL-2, RI-VITAL-3, RI-VITAL-4, RI-VITAL-6."""
    fight = struck(entry("pc@p/v", (0, 0), hp=3, hp_max=10), hit(25), faces=(7, 5, 9))
    assert [wound.effect for wound in fight["v"].wounds] == ["fortitude", "speed", "tolerance"]
    assert [wound.result for wound in fight["v"].wounds] == [7, 3, 5]


def test_RI_VITAL_8_a_wound_at_a_boundary_has_a_stream_of_its_own() -> None:
    """RI-ORDER-3: what burns at the end of the round wounds by dice of the service, as anything does."""
    fight = begun(
        entry("pc@p/v", (0, 0), hp=1),
        entry("mon@m/e", (5, 0), abilities=[BURN]),
        dice=Seeded(1),
        declared_sides=[],
    )
    fight.do("pass_turn", "v").do("use_ability", "e", ability="hit", targets=["v"]).end("e")
    assert len(fight["v"].wounds) == 1
    assert str(fight.rolls[-1].name.stream) == "v/vital/round-end/1"


def test_C_33_the_house_may_count_half_maxima() -> None:
    fight = struck(entry("pc@p/v", (0, 0), hp=3, hp_max=10), hit(8), faces=(10, 10), depth_step="half")
    assert len(fight["v"].wounds) == 2


ON: Final = {"auto_end": False}
"""The fight goes on though one side stands."""


def _wounded(count: int, face: int) -> Fight:
    fight = begun(entry("pc@p/v", (0, 0), hp=1), entry("mon@m/e", (5, 0), abilities=[hit(2)]), options=ON)
    fight.do("pass_turn", "v")
    old = tuple([VitalWound(die=10, result=10, effect="none", gained=0) for _ in range(count)])
    fight.given("v", wounds=old)
    fight.do("use_ability", "e", ability="hit", targets=["v"]).end("e")
    return fight.rest(face)


@pytest.mark.parametrize(("number", "says"), [(1, "invalid_target"), (0, None)])
def test_RI_VITAL_5_only_a_wound_that_is_there_is_treated(number: int, says: str | None) -> None:
    mortal = VitalWound(die=1, result=-1, effect="dying", gained=0, deadline=9)
    fight = opened(entry("pc@p/v", (0, 0), hp=1), entry("mon@m/e", (5, 0)))
    fight.given("v", wounds=(mortal,))
    refusal = fight.send("treat_wound", "gm", creature="v", wound=number).refusal
    assert (refusal and refusal.code) == says


@pytest.mark.parametrize(("deadline", "dead"), [(1, True), (2, False)])
def test_RI_VITAL_4_a_mortal_wound_kills_in_the_round_of_its_deadline(deadline: int, *, dead: bool) -> None:
    mortal = VitalWound(die=1, result=-1, effect="dying", gained=0, deadline=deadline)
    fight = begun(entry("pc@p/v", (0, 0)), entry("mon@m/e", (5, 0))).given("v", wounds=(mortal,))
    assert fight.state.round == 1
    assert [isinstance(event, Died) for event in die_of_wounds(fight.state)] == [True] * dead


def test_RI_V_47_many_wounds_kill() -> None:
    """RI-VITAL-2, RI-VITAL-3, RI-VITAL-7."""
    fight = _wounded(3, 4)
    assert fight["v"].wounds[-1].result == -2
    assert fight["v"].wounds[-1].deadline == 11
    assert fight["v"].down
    fight = _wounded(4, 1)
    assert fight["v"].dead


@pytest.mark.parametrize(
    ("carried", "face", "dying", "dead"),
    [
        (0, 1, False, False),
        (1, 2, True, False),
        (1, 3, False, False),
        (4, 3, True, False),
        (4, 2, True, True),
    ],
)
def test_RI_VITAL_3_dying_begins_at_0_and_death_at_minus_6(
    carried: int, face: int, *, dying: bool, dead: bool
) -> None:
    """RI-VITAL-2: it is a d10, less 2 for each wound that is there."""
    fight = _wounded(carried, face)
    victim = fight["v"]
    assert [die.sides for die in fight.rolls[-1].dice] == [10]
    assert victim.wounds[-1].result == face - 2 * carried
    assert (victim.wounds[-1].effect == "dying", victim.dead) == (dying, dead)


def test_RI_VITAL_7_a_mortal_wound_kills_after_a_minute_unless_treated() -> None:
    """RI-VITAL-7, RI-VITAL-5, RI-VITAL-4."""
    for treated in (False, True):
        fight = _wounded(3, 4)
        fight.given("e", defeated=True)
        for group in fight.state.apart:
            world = fight.state.at(group).with_creature("e", defeated=True)
            fight.state = fight.state.with_at(group, world)
        fight.do("rule", question="combat_start", chosen="nobody is left")
        assert fight.state.stage == "idle"
        if treated:
            fight.send("treat_wound", "gm", creature="v", wound=3)
        while fight.state.round < 13:
            fight.do("next_round")
        assert fight["v"].dead is not treated


BURNING = {"does": "gain", "condition": "burn", "until": "round", "tick": {"step": 11, "damage": 3}}
BURN = {"id": "hit", "range_ft": 100, "effects": [BURNING]}


def test_RI_V_40_boundary_damage_then_healing_then_the_reset() -> None:
    """RI-ORDER-3, RI-ORDER-4, RI-HEAL-3, RI-HP-1."""
    both = {
        "id": "hit",
        "range_ft": 100,
        "effects": [
            {"does": "damage", "amount": 8},
            {"does": "gain", "condition": "regrow", "until": "round", "tick": {"step": 11, "heal": 6}},
            {"does": "gain", "condition": "burn", "until": "round", "tick": {"step": 11, "damage": 3}},
        ],
    }
    fight = struck(entry("pc@p/v", (0, 0), hp=4), both, faces=(10,))
    assert [event.hp for event in fight.logged("damage_taken") if event.creature == "v"][-1] == 3
    assert fight["v"].hp == 6
    assert len(fight["v"].wounds) == 1
    assert not fight["v"].conditions, "RI-DUR-1"


def test_RI_V_41_a_new_round_begins_at_zero() -> None:
    """RI-HP-1, RI-VITAL-1."""
    hurts = {**BURN, "effects": [{"does": "damage", "amount": 8}, BURNING]}
    fight = struck(entry("pc@p/v", (0, 0), hp=4), hurts, faces=(10,))
    assert (fight["v"].hp, len(fight["v"].wounds)) == (0, 1)
    weak = {"id": "hit", "range_ft": 100, "effects": [{"does": "damage", "amount": 1}]}
    fight = struck(entry("pc@p/v", (0, 0), hp=0), weak, faces=(8,))
    assert fight["v"].wounds[-1].effect == "reflex"


def test_RI_DMG_7_subdual_damage_tires_instead_of_wounding() -> None:
    """RI-DMG-7, RI-FATIG-1."""
    fight = struck(entry("pc@p/v", (0, 0), hp=3), hit(5, "subdual"))
    assert (fight["v"].fatigue, fight["v"].wounds) == (3, ())
    fight = struck(entry("pc@p/v", (0, 0), hp=3), hit(45, "subdual"), subdual_fatigue_per="wound")
    assert fight["v"].fatigue == 9
    assert fight["v"].down


def test_RI_DMG_7_a_strike_may_be_meant_to_subdue() -> None:
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0), hp=5))
    fight.do("strike", "f", 9, 8, target="e", subdual=True).end("f")
    fight.rest()
    assert fight["e"].hp == 0
    assert fight["e"].defeated
    assert not fight["e"].dead, "C-41"


def test_RI_HP_3_the_gm_may_rule_on_a_monsters_fate() -> None:
    """RI-HP-3, RI-GM-1, RI-GM-2."""
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0), hp=5))
    fight.do("rule", question="monster_fate", subjects=["e"], chosen="unconscious", note="they want it alive")
    fight.do("strike", "f", 9, 8, target="e").end("f").rest()
    assert fight["e"].defeated
    assert not fight["e"].dead


def test_RI_GM_3_rulings_hold_from_now_on() -> None:
    """RI-GM-3, RI-ROUND-5."""
    fight = begun(entry("pc@p/f", (0, 0)))
    fight.do("rule", question="improved_cover", chosen="4")
    fight.do("rule", question="improved_cover", chosen="2", supersedes="ruling-2")
    assert [ruling.id for ruling in fight.state.rulings] == ["ruling-1", "ruling-3"]
    assert fight.refused("rule", question="improved_cover", chosen="4", from_round=0) == "ruling_retroactive"
    assert fight.send("rule", "seat-p", question="improved_cover", chosen="4").refusal is not None


def test_RI_ATK_2_tens_explode() -> None:
    """RI-ATK-2, RI-ATK-6, RI-ATK-7, RI-DMG-2."""
    fight = begun(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0), hp_max=99))
    fight.do("strike", "f", 10, 10, 3, 4, 5, target="e")
    rolled = fight.logged("attack_rolled")[-1]
    assert (rolled.total, rolled.outcome, rolled.multiple) == (27, "crit", 1)
    assert fight.logged("damage_rolled")[-1].amount == 4 + 5 + 2 * 2


def test_RI_ATK_2_the_table_may_lower_the_target_for_the_first_die() -> None:
    fight = begun(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0)), options={"explosion_target": 8})
    fight.do("strike", "f", 8, 9, 1, target="e")
    assert fight.logged("attack_rolled")[-1].total == 21


def test_C_40_the_house_may_multiply_the_one_roll() -> None:
    fight = begun(
        entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0), hp_max=99), options={"crit_mode": "multiply"}
    )
    fight.do("strike", "f", 10, 9, 4, target="e")
    assert fight.logged("damage_rolled")[-1].amount == 12


def test_RI_DMG_8_objects_suffer_no_critical_hits() -> None:
    fight = begun(entry("mon@p/f", (0, 0)), entry("obj@m/door", (1, 0)))
    fight.do("strike", "f", 10, 9, 4, target="door")
    assert fight.logged("damage_rolled")[-1].amount == 6


def test_RI_DMG_1_half_the_power_is_added_and_RI_DMG_4_nothing_is_the_least() -> None:
    """RI-DMG-1, RI-DMG-3, RI-DMG-4."""
    fight = begun(entry("mon@p/f", (0, 0), power=5), entry("mon@m/e", (1, 0)))
    fight.do("strike", "f", 9, 4, target="e")
    assert fight.logged("damage_rolled")[-1].amount == 8
    for least in (0, 1):
        weapon = [{"id": "w", "strike": {"dice": [4], "flat": -3}}]
        fight = begun(
            entry("mon@p/f", (0, 0), weapons=weapon), entry("mon@m/e", (1, 0)), options={"min_damage": least}
        )
        fight.do("strike", "f", 9, 1, target="e")
        assert fight.logged("damage_rolled")[-1].amount == least


BOW = {
    "id": "bow",
    "melee": False,
    "projectile": True,
    "close_ft": 30,
    "long_ft": 60,
    "strike": {"dice": [6]},
}


def test_RI_ATK_8_missiles_suffer_close_by_and_far_off() -> None:
    """RI-ATK-8, RI-ATK-1."""
    fight = begun(
        entry("mon@p/f", (0, 0), weapons=[BOW]),
        entry("mon@m/e", (1, 0)),
        entry("mon@m/far", (0, 10)),
        entry("mon@m/out", (0, 20)),
    )
    assert fight.refused("strike", "f", target="out") == "target_out_of_range"
    fight.do("strike", "f", 9, target="e")
    assert fight.logged("attack_rolled")[-1].total == 9
    fight = begun(entry("mon@p/f", (0, 0), weapons=[BOW]), entry("mon@m/far", (0, 10)))
    fight.do("strike", "f", 8, target="far")
    assert fight.logged("attack_rolled")[-1].total == 8


def test_RI_ATK_1_walls_block_and_blades_need_a_neighbour() -> None:
    fight = begun(
        entry("mon@p/f", (0, 0), weapons=[{"id": "blade", "strike": {"dice": [8]}}, BOW]),
        entry("mon@m/e", (3, 0)),
        terrain={"2,0": "wall"},
    )
    assert fight.refused("strike", "f", target="e", weapon="blade") == "not_adjacent"
    assert fight.refused("strike", "f", target="e", weapon="bow") == "no_line_of_effect"


def test_RI_ATK_15_creatures_in_the_way_give_cover() -> None:
    for ruling, bonus in ((None, 2), ("4", 4)):
        fight = begun(
            entry("mon@p/f", (0, 0), weapons=[BOW]),
            entry("mon@m/e", (4, 0)),
            entry("mon@m/g", (2, 0)),
            options={"visibility": "full"},
        )
        if ruling:
            fight.do("rule", question="improved_cover", chosen=ruling)
        fight.do("strike", "f", 1, target="e")
        assert fight.logged("attack_rolled")[-1].defenses == {"armor": 12 + bonus}, "RI-INFO-5"


def test_RI_INFO_5_defenses_stay_unknown_by_default() -> None:
    fight = begun(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("strike", "f", 1, target="e")
    assert not fight.logged("attack_rolled")[-1].defenses


def test_RI_ATK_13_concealed_targets_are_missed_by_chance() -> None:
    fight = begun(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@p/f2", (0, 1)))
    fog = (Condition(name="concealed"), Condition(name="unseen"))
    fight.state = fight.state.with_at("p", fight.state.at("p").with_creature("e", conditions=fog))
    fight.do("strike", "f", 9, 5, target="e").end("f")
    assert fight.logged("attack_rolled")[-1].outcome == "miss"
    fight.do("strike", "f2", 9, 6, 3, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"


def test_RI_ATK_14_the_unaware_are_easy_to_hit() -> None:
    """RI-ATK-14, RI-ROUND-4."""
    fight = opened(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("start_combat", start_phase="action", unaware=["e"]).to_actions()
    fight.do("strike", "f", 2, 3, target="e").end("f")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"
    assert fight.state.round == 1


def test_RI_ATK_12_the_dead_are_not_affected_and_the_others_are() -> None:
    daze = {
        "id": "daze",
        "range_ft": 50,
        "effects": [{"does": "gain", "condition": "dazed", "until": "brief"}],
    }
    fight = begun(
        entry("mon@p/f", (0, 0), abilities=[daze]), entry("mon@m/a", (1, 0)), entry("mon@m/b", (2, 0))
    )
    fight.state = fight.state.with_at("p", fight.state.at("p").with_creature("a", dead=True))
    fight.do("use_ability", "f", ability="daze", targets=["a", "b"])
    assert not fight.seen("p", "a").has("dazed")
    assert fight.seen("p", "b").has("dazed")


def test_RI_CALC_1_the_same_name_counts_once_and_kin_do_not_add_up() -> None:
    """RI-CALC-1, RI-COND-1, RI-COND-2."""
    fight = begun(entry("mon@p/f", (0, 0)))
    names = ("prone", "prone", "dazed", "stunned", "slowed", "immobilized")
    fight.given("f", conditions=tuple([Condition(name=name) for name in names]))
    assert total(defense_terms(fight["f"], "armor", None)) == 12 - 2 - 2 - 4


def test_RI_ATK_9_wounds_cost_accuracy() -> None:
    fight = begun(entry("pc@p/v", (0, 0), hp=1), entry("mon@m/e", (1, 0), abilities=[hit(2)]))
    fight.do("pass_turn", "v").do("use_ability", "e", ability="hit", targets=["v"]).end("e").rest(2)
    fight.to_actions().do("strike", "v", 9, 3, target="e")
    assert fight.logged("attack_rolled")[-1].total == 12


def test_RI_HP_2_nothing_rises_above_its_maximum() -> None:
    mend = {"id": "hit", "range_ft": 99, "effects": [{"does": "heal_hp", "amount": 50}]}
    fight = struck(entry("pc@p/v", (0, 0), hp=3), mend)
    assert fight["v"].hp == 20


def test_RI_HP_4_nobody_has_a_maximum_of_nothing() -> None:
    with pytest.raises(Malformed, match="/creatures/0/sheet/hp_max: a whole number of hit points from 1"):
        from_data(Opening, opening(entry("pc@p/v", (0, 0), hp_max=0)), bounded=True)


def test_RI_FATIG_2_monsters_do_not_tire() -> None:
    push = {"id": "hit", "cost_fatigue": 2, "range_ft": 99, "effects": []}
    for kind, fatigue in (("pc", 2), ("mon", 0)):
        fight = begun(entry(f"{kind}@p/v", (0, 0), abilities=[push]))
        fight.do("use_ability", "v", ability="hit", targets=["v"]).end("v")
        assert fight["v"].fatigue == fatigue


def test_RI_VITAL_8_a_wound_known_to_its_group_keeps_its_die() -> None:
    """RI-VITAL-8 (C-36)."""
    fight = begun(
        entry("pc@p/v", (0, 0), hp=1),
        entry("pc@p/ally", (1, 0), abilities=[hit(2)]),
        entry("mon@m/e", (5, 0), abilities=[hit(2)]),
    )
    fight.do("use_ability", "ally", 8, ability="hit", targets=["v"]).end("ally").do("pass_turn", "v")
    fight.do("use_ability", "e", ability="hit", targets=["v"]).end("e")
    assert [wound.die for wound in fight["v"].wounds] == [8]
    assert fight["v"].hp == 0


def test_RI_VITAL_8_equal_dice_are_told_apart() -> None:
    fight = begun(
        entry("pc@p/v", (0, 0), hp=1, hp_max=10),
        entry("pc@p/ally", (1, 0), abilities=[hit(12)]),
        entry("mon@m/e", (5, 0), abilities=[hit(2)]),
    )
    fight.do("use_ability", "ally", 9, 9, ability="hit", targets=["v"]).end("ally").do("pass_turn", "v")
    fight.do("use_ability", "e", ability="hit", targets=["v"]).end("e")
    assert [wound.die for wound in fight["v"].wounds] == [9, 9]


def test_RI_ATK_8_weapons_that_are_not_made_for_it_are_thrown_badly() -> None:
    """RI-ATK-8: 10 feet, or up to 30 with the penalty of long range, always with 2 less."""
    dart = {"id": "dart", "thrown": True, "close_ft": 20, "long_ft": 40, "strike": {"dice": [4]}}
    for weapon, x, lost in ((dart, 4, 0), (dart, 6, 4), ("blade", 2, 2), ("blade", 4, 6)):
        weapons = [dart] if weapon == "dart" or weapon is dart else [{"id": "blade", "strike": {"dice": [8]}}]
        fight = begun(entry("mon@p/f", (0, 0), weapons=weapons), entry("mon@m/e", (x, 0)))
        if x > 1:
            assert fight.refused("strike", "f", target="e") == "not_adjacent"
        fight.do("strike", "f", 1, target="e", thrown=True)
        assert fight.logged("attack_rolled")[-1].total == 5 - lost
    far = begun(entry("mon@p/f", (0, 0)), entry("mon@m/e", (5, 0)), options={"profile": "rise-5d"})
    assert far.refused("strike", "f", target="e", thrown=True) == "target_out_of_range"


def test_RI_VITAL_3_a_wound_that_halves_resistance_takes_what_is_too_much() -> None:
    fight = struck(entry("pc@p/v", (0, 0), hp=3, dr=0, dr_max=9), hit(5), faces=(4,))
    assert fight["v"].wounds[-1].effect == "half_dr"
    mend = {"id": "hit", "range_ft": 99, "effects": [{"does": "heal_dr", "amount": 9}]}
    fight = struck(entry("pc@p/v", (0, 0), hp=3, dr=8, dr_max=9), hit(5, "environmental"), mend)
    assert fight["v"].dr == 9
