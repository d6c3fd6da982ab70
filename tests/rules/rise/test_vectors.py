"""Hold the ledger's golden vectors (section E): each a small fight, its dice written as faces."""

from __future__ import annotations

from tests.rules.rise.kit import begun, entry

STRONG = {"accuracy": 5}


def test_RI_V_01_two_combatants_kill_each_other() -> None:
    """RI-RES-1, RI-RES-3, RI-RES-10, RI-HP-3."""
    fight = begun(
        entry("mon@x/k1", (0, 0), hp_max=8, d8=3, **STRONG),
        entry("mon@y/k2", (1, 0), hp_max=8, d8=3, **STRONG),
    )
    fight.do("strike", "k1", 9, 6, target="k2").end("k1")
    fight.do("strike", "k2", 7, 5, target="k1").end("k2")

    assert (fight["k2"].hp, fight["k1"].hp) == (-1, 0)
    assert fight["k1"].defeated
    assert fight["k2"].defeated
    assert (fight["k1"].credit, fight["k2"].credit) == (("k2",), ("k1",))


def test_RI_V_02_whoever_runs_is_struck_where_it_was() -> None:
    """RI-RES-7, RI-ACT-4."""
    fight = begun(entry("mon@y/gob", (1, 0), hp_max=9), entry("pc@x/f", (0, 0)))
    fight.do("strike", "f", 8, 3, target="gob").end("f")
    fight.do("move", "gob", path=[[x, 0] for x in range(2, 8)]).end("gob")

    assert fight["gob"].position == (7, 0)
    assert fight["gob"].hp == 4


def test_RI_V_04_total_defense_declared_last_protects_at_once() -> None:
    """RI-SWIFT-1, RI-SWIFT-3, RI-SWIFT-5, RI-ATK-4."""
    fight = begun(entry("pc@p/t", (0, 0)), entry("mon@m/ogre", (1, 0), d10=4, **STRONG))
    fight.do("total_defense", "t").end("t")
    fight.do("strike", "ogre", 8, 7, target="t").end("ogre")

    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    assert fight["t"].hp == 15


def test_RI_V_04_without_it_the_same_dice_hit() -> None:
    fight = begun(entry("pc@p/t", (0, 0)), entry("mon@m/ogre", (1, 0), d10=4, **STRONG))
    fight.do("pass_turn", "t")
    fight.do("strike", "ogre", 8, 7, target="t").end("ogre")

    assert fight["t"].hp == 9


def test_RI_V_05_total_defense_turns_a_glance_into_a_miss() -> None:
    fight = begun(entry("pc@p/t", (0, 0)), entry("mon@m/ogre", (1, 0), d10=4, **STRONG))
    fight.do("total_defense", "t").end("t")
    fight.do("strike", "ogre", 6, target="t").end("ogre")

    assert fight["t"].hp == 20


def test_RI_V_07_two_groups_fell_one_victim() -> None:
    """RI-MULTI-1, RI-MULTI-2, RI-MULTI-3."""
    fight = begun(entry("mon@z/b", (1, 0), hp_max=10), entry("pc@x/x1", (0, 0)), entry("pc@y/y1", (2, 0)))
    fight.do("strike", "x1", 8, 8, target="b").end("x1")
    fight.do("strike", "y1", 9, 8, target="b").end("y1")
    assert fight.state.at("z").creatures["b"].hp == 10
    fight.rest()

    assert fight["b"].hp == -10
    felled = [event for event in fight.logged("defeated") if event.credit == ("x1", "y1")]
    assert len(felled) == 1
    assert felled[0].wasted_damage == 10


HEAL = {"id": "mend", "range_ft": 30, "effects": [{"does": "heal_hp", "amount": 12}]}


def test_RI_V_08_damage_comes_before_healing() -> None:
    """RI-HEAL-1, RI-HEAL-2, RI-HEAL-3, RI-VITAL-1."""
    fight = begun(
        entry("pc@p/w", (1, 0), hp=5), entry("pc@p/ally", (2, 0), abilities=[HEAL]), entry("mon@m/e", (0, 0))
    )
    fight.do("use_ability", "ally", ability="mend", targets=["w"]).end("ally")
    assert fight.seen("p", "w").hp == 17
    fight.do("pass_turn", "w")
    fight.do("strike", "e", 8, 7, target="w")
    fight.do("end_turn", "e", 6)

    assert fight["w"].hp == 12
    assert [wound.effect for wound in fight["w"].wounds] == ["defenses"]


def test_RI_V_10_resistance_is_recovered_after_damage() -> None:
    """RI-HEAL-1, RI-DMG-5."""
    ward = {"id": "ward", "range_ft": 30, "effects": [{"does": "heal_dr", "amount": 5}]}
    fight = begun(
        entry("pc@p/w", (1, 0), hp=10, dr=3, dr_max=8),
        entry("pc@p/ally", (2, 0), abilities=[ward]),
        entry("mon@m/e", (0, 0)),
    )
    fight.do("use_ability", "ally", ability="ward", targets=["w"]).end("ally")
    fight.do("pass_turn", "w")
    fight.do("strike", "e", 9, 7, target="w").end("e")

    assert (fight["w"].hp, fight["w"].dr) == (4, 5)


def test_RI_V_11_a_monster_healed_too_late_stays_dead() -> None:
    """RI-HEAL-2 (C-07)."""
    mend = {"id": "mend", "range_ft": 30, "effects": [{"does": "heal_hp", "amount": 10}]}
    fight = begun(
        entry("mon@m/v", (1, 0), hp=5),
        entry("mon@m/healer", (2, 0), abilities=[mend]),
        entry("pc@p/f", (0, 0)),
    )
    fight.do("strike", "f", 8, 6, target="v").end("f")
    fight.do("use_ability", "healer", ability="mend", targets=["v"]).end("healer")
    fight.do("pass_turn", "v")

    assert fight["v"].hp == -3
    assert fight["v"].defeated


def _trip_first(*, swapped: bool, y_first: bool = False) -> tuple[int, bool]:
    fight = begun(
        entry("mon@z/e", (1, 0)),
        entry("pc@x/a1", (0, 0), brawling_accuracy=5),
        entry("pc@x/a2", (1, 1)),
        entry("pc@y/b", (2, 0)),
    )

    def y() -> None:
        fight.do("strike", "b", 6, 4, target="e")
        keep(fight, "b")

    def trip() -> None:
        fight.do("trip", "a1", 6, target="e").end("a1")

    def strike() -> None:
        fight.do("strike", "a2", 6, 4, target="e") if not swapped else fight.do("strike", "a2", 6, target="e")
        if swapped:
            fight.do("keep_roll", "a2", 4)
        fight.end("a2")

    def keep(_: object, who: str) -> None:
        fight.end(who)

    def y_group() -> None:
        fight.do("strike", "b", 6, target="e").do("keep_roll", "b", 4).end("b")

    if y_first:
        y_group()
    for step in (strike, trip) if swapped else (trip, strike):
        step()
    if not y_first:
        y_group()
    fight.rest()
    return fight["e"].hp, fight["e"].has("prone")


def test_RI_V_12_prone_counts_for_the_group_that_saw_it() -> None:
    """RI-GROUP-5, RI-RES-2, RI-COND-2."""
    assert _trip_first(swapped=False) == (11, True)


def test_RI_V_13_in_the_other_order_it_helps_nobody() -> None:
    """RI-GROUP-4, RI-GROUP-5."""
    assert _trip_first(swapped=True) == (14, True)


def test_RI_V_14_the_order_of_groups_changes_nothing() -> None:
    """RI-RES-14."""
    assert _trip_first(swapped=False, y_first=True) == _trip_first(swapped=False)


def test_RI_V_17_a_charge_is_paid_for_too_late_to_matter_now() -> None:
    """RI-UNIV-CHARGE (C-04)."""
    bow = {"id": "bow", "melee": False, "projectile": True, "close_ft": 100, "long_ft": 200}
    weapons = [
        {"id": "claw", "strike": {"dice": [8], "flat": 2}},
        {**bow, "strike": {"dice": [8], "flat": 2}},
    ]
    fight = begun(
        entry("pc@p/c", (0, 0)),
        entry("mon@m/e", (6, 0)),
        entry("mon@m/archer", (12, 0), weapons=weapons),
    )
    fight.do("charge", "c", 9, 1, target="e", path=[[x, 0] for x in range(1, 6)]).end("c")
    fight.do("strike", "archer", 6, 4, target="c", weapon="bow").end("archer")
    fight.do("pass_turn", "e")
    assert (fight["c"].position, fight["c"].hp, fight["e"].hp) == ((5, 0), 17, 17)

    fight.to_actions().do("pass_turn", "c").do("strike", "e", 6, 4, target="c").end("e")
    fight.do("pass_turn", "archer")
    assert fight["c"].hp == 11
    assert not fight["c"].conditions


def test_RI_V_43_near_misses_glance_only_if_they_damage() -> None:
    """RI-ATK-3, RI-ATK-4, RI-ATK-5."""
    fight = begun(entry("mon@p/a", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("strike", "a", 7, 4, target="e").end("a")
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    fight.do("trip", "e", 5, target="a").end("e")
    assert fight.logged("attack_rolled")[-1].outcome == "miss"


def test_RI_V_50_desperate_exertion() -> None:
    """RI-UNIV-DESPERATE, RI-ATK-2."""
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("strike", "f", 3, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == "miss"
    fight.do("desperate_exertion", "f", 6, 4)

    assert (fight.logged("attack_rolled")[-1].outcome, fight.logged("attack_rolled")[-1].total) == ("hit", 12)
    assert fight.seen("p", "f").fatigue == 2
    assert fight.refused("desperate_exertion", "f") == "too_late"


def test_RI_V_50_a_vital_roll_is_not_exerted_on() -> None:
    """RI-VITAL-2: nothing changes it; after the turn it is too late for anything."""
    burst = {"id": "burst", "usage": "minor", "range_ft": 30, "effects": [{"does": "damage", "amount": 25}]}
    fight = begun(entry("pc@p/f", (0, 0), abilities=[burst]), entry("mon@m/e", (5, 0)))
    fight.do("use_ability", "f", 9, ability="burst", targets=["f"])
    assert [wound.effect for wound in fight.seen("p", "f").wounds] == ["mental"]
    assert fight.refused("desperate_exertion", "f") == "cannot_modify_vital_roll"
    assert fight.seen("p", "f").fatigue == 0


def test_RI_V_49_fatigue_beyond_tolerance_costs_accuracy() -> None:
    """RI-FATIG-1."""
    fight = begun(entry("pc@p/f", (0, 0), fatigue=5), entry("mon@m/e", (1, 0)))
    fight.do("strike", "f", 8, target="e").do("keep_roll", "f", 4)

    assert fight.logged("attack_rolled")[-1].total == 10
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
