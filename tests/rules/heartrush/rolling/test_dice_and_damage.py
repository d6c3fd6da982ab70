"""Golden vectors of the ledger's E.5, E.7 and E.9: dice pools, damage, wounds, zero, force, helplessness."""

import pytest

from service.dice.values import Roll
from service.rules.heartrush.creatures.character import Condition, Wound
from tests.rules.heartrush.kit import Fight, begun, opened

NEAR = {"pia": (0, 0), "orc": (1, 0)}


def levels(**conditions: int) -> dict[str, Condition]:
    return {name: Condition(level=level) for name, level in conditions.items()}


def struck(places: dict[str, tuple[int, int]], who: str, whom: str, mine: str, theirs: str) -> Fight:
    """Return a fight in which *who* may declare its attack on *whom*."""
    first = "players" if who in ("pia", "ash", "bru") else "enemies"
    fight = begun(places, first=first).do("engage", creature=who, target=whom).joined_by()
    return fight.stances(**{who: mine, whom: theirs})


def checked(dazed: int, helped: int, *faces: int) -> Roll:
    """Return the roll of a check of Ash's: heart d8, cunning d6, at so many levels of either kind."""
    fight = begun({"ash": (0, 0), "orc": (5, 0)})
    fight.given("ash", conditions={"dazed": Condition(level=dazed)}, help=helped)
    order = {"creature": "ash", "ability": "cunning", "what": "keep calm", "cn": 9}
    decision = fight.send("roll_check", "gm", **order)
    assert decision.refusal is None, decision.refusal
    roll: Roll = fight.throw(*faces).rolls[-1]
    return roll


def test_HR_V_49_disadvantage_adds_the_largest_die_and_drops_the_highest() -> None:
    """HR-AD-2."""
    roll = checked(2, 0, 8, 4, 7, 2)
    assert sides(roll) == [8, 6, 8, 8]
    assert (kept(roll), roll.total) == ([4, 2], 6)


def test_HR_V_50_one_advantage_and_one_disadvantage_cancel() -> None:
    """HR-AD-3."""
    roll = checked(1, 1, 5, 3)
    assert (sides(roll), roll.total) == ([8, 6], 8)


def sides(roll: Roll) -> list[int]:
    return [die.sides for die in roll.dice]


def kept(roll: Roll) -> list[int]:
    return [die.face for die in roll.dice if not die.dropped]


def test_HR_V_52_what_the_defense_stops_asks_nobody() -> None:
    """HR-ATK-3, D.5."""
    fight = struck({"wolf": (0, 0), "pia": (1, 0)}, "wolf", "pia", "agility", "defensive")
    fight.answer("declare_agility", "wolf", 2, 3, 4, 6, 4, order="no_move", target="pia")
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("defense_rolled")[0].rolled.total,
    ) == (9, 12)
    assert not fight.logged("damage_pending")
    assert (fight["pia"].hp, fight["pia"].wounds) == (40, ())


def test_HR_V_53_the_defender_rolls_the_die_of_the_attackers_stance() -> None:
    """HR-ATK-2, with A-10."""
    fight = struck({"pia": (0, 0), "wolf": (1, 0)}, "pia", "wolf", "cunning", "agility")
    fight.answer("declare_attack", "pia", 4, 5, 6, 3, 7, target="wolf")
    assert [die.role for die in fight.rolls[-1].dice] == ["heart", "cunning"]
    fight.answer("accept_damage", "wolf")
    assert fight["wolf"].hp == 15


def test_HR_V_55_a_d4_heart_cannot_shrug() -> None:
    """HR-DMG-2: twenty through the defensive half, no prompt, and the reason noted."""
    fight = begun(NEAR, first="enemies").given("pia", heart_die=4, hp=0)
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="might", pia="cunning")
    fight.answer("declare_attack", "orc", 8, 6, 6, 2, 2, target="pia")
    assert [(event.amount, event.note) for event in fight.logged("damage_applied")] == [
        (14, "heart_die_minimum")
    ]
    assert (fight["pia"].hp, [wound.rank for wound in fight["pia"].wounds]) == (-14, [14])


@pytest.mark.parametrize(
    ("raw", "answer", "wounds"),
    [(9, "accept_damage", []), (10, "accept_damage", [10]), (18, "shrug", []), (19, "shrug", [10])],
)
def test_HR_V_56_ten_that_get_through_are_a_wound(raw: int, answer: str, wounds: list[int]) -> None:
    """HR-DMG-5, with A-20 and A-21."""
    fight = struck({"orc": (0, 0), "bru": (1, 0)}, "orc", "bru", "might", "cunning")
    need = raw + 2
    faces = [min(8, need - 2), 1, 1]
    faces[1] = min(10, need - faces[0] - 1)
    faces[2] = need - faces[0] - faces[1]
    fight.answer("declare_attack", "orc", *faces, 1, 1, target="bru")
    fight.answer(answer, "bru")
    assert [wound.rank for wound in fight["bru"].wounds] == wounds


@pytest.mark.parametrize(
    ("threshold", "damage", "wounds"),
    [(0, 1, [1]), (1, 1, [1]), (5, 4, []), (5, 5, [5]), (None, 9, []), (None, 10, [10])],
)
def test_HR_DMG_5_a_threshold_of_a_creatures_own_counts_whatever_it_is(
    threshold: int | None, damage: int, wounds: list[int]
) -> None:
    fight = opened({"pia": (0, 0), "orc": (9, 9)}, sheets={"pia": {"wound_threshold": threshold}})
    effects = [{"kind": "damage", "creature": "pia", "amount": damage}]
    fight.do("gm_ruling", kind="effect", decision="a stone", effects=effects).answer("accept_damage", "pia")
    assert [wound.rank for wound in fight["pia"].wounds] == wounds


def test_HR_V_58_below_zero_a_creature_fights_on_until_it_chooses_or_ten_minutes_pass() -> None:
    """HR-ZERO-1, HR-ZERO-2, HR-ZERO-3, HR-ZERO-6, HR-RES-7."""
    fight = begun({**NEAR, "bru": (5, 5), "wolf": (9, 9)}, options={"round_seconds": 600}).given("orc", hp=6)
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="agility", orc="might")
    fight.answer("declare_agility", "pia", 8, 6, 4, 3, 3, order="no_move", target="orc")
    fight.answer("accept_damage", "orc")
    assert (fight["orc"].hp, fight["orc"].status) == (-2, "active")
    assert fight.logged("fell_to_zero")

    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="might", pia="defensive")
    fight.answer("declare_attack", "orc", 1, 1, 1, 8, 8, target="pia")
    assert fight.logged("attack_rolled")[-1].creature == "orc", "it engages and strikes all the same"
    fight.given("bru", position=(1, 1)).do("engage", creature="bru", target="orc").joined_by()
    fight.stances(bru="agility", orc="might")
    fight.answer("declare_agility", "bru", 8, 6, 12, 6, 4, order="no_move", target="orc")
    fight.answer("accept_damage", "orc")
    assert (fight["orc"].hp, [wound.rank for wound in fight["orc"].wounds]) == (-14, [12])
    while fight.state.round == 1:
        fight.do("pass_side", side=fight.state.priority_side)
    assert [(event.creature, event.reason) for event in fight.logged("unconscious")] == [
        ("orc", "ten_minutes")
    ]
    assert fight.refused("dash", creature="orc", to=[2, 0]) == "unconscious"


def test_HR_V_58_nobody_faints_with_hit_points_left() -> None:
    """HR-ZERO-1."""
    fight = begun(NEAR).given("pia", hp=3)
    assert fight.refused("go_unconscious", creature="pia") == "hp_positive"


def test_HR_V_59_wounds_keep_down_who_is_healed_too_little() -> None:
    """HR-ZERO-5, HR-WND-1: the cap that wounds set, and the choice to fall."""
    fight = begun({**NEAR, "ash": (0, 5)}).given("pia", hp=-3)
    fight.do("go_unconscious", creature="pia")
    assert (fight["pia"].status, fight.state.priority_side) == ("unconscious", "players")
    fight.given(
        "pia",
        hp=-8,
        wounds=(Wound(id="a", rank=20, initial_rank=20), Wound(id="b", rank=25, initial_rank=25)),
    )
    assert fight["pia"].hp_cap == -5


def test_HR_V_73_a_push_into_a_wall_costs_a_die_for_each_five_feet() -> None:
    """HR-FORCE-1, HR-SIZE-3."""
    fight = begun(
        {"pia": (0, 0), "wolf": (1, 0)}, sheets={"wolf": {"size": "small"}}, terrain={"3,0": "wall"}
    )
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", 3, 5, distance=15)
    assert fight["wolf"].position == (2, 0)
    assert [event.amount for event in fight.logged("damage_pending")] == [8]
    fight.answer("shrug", "wolf")
    assert fight["wolf"].hp == 16


def test_HR_V_74_a_push_into_somebody_without_a_shield_is_shared() -> None:
    """HR-FORCE-2, with A-39."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "bru": (2, 0)})
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", 4, 5, distance=10)
    fight.answer("accept_damage", "wolf").answer("accept_damage", "bru")
    assert [(e.mover_damage, e.blocker_damage) for e in fight.logged("collision")] == [(5, 4)]
    assert (fight["wolf"].hp, fight["bru"].hp) == (15, 36)


def test_HR_V_77_only_the_tiny_share_a_mans_space() -> None:
    """HR-SIZE-2, HR-SIZE-4, HR-SIZE-5, HR-WPN-11."""
    places = {"wolf": (0, 0), "pia": (1, 0)}
    natural = {"id": "bite", "damage_type": "piercing", "tags": ["natural"]}
    tiny = begun(places, first="enemies", sheets={"wolf": {"size": "tiny", "weapons": [natural]}})
    tiny.do("dash", creature="wolf", to=[1, 0])
    assert tiny["wolf"].position == (1, 0)
    assert tiny["wolf"].moved_ft == 10, "another's space is difficult ground"
    small = begun(places, first="enemies", sheets={"wolf": {"size": "small"}})
    assert small.refused("dash", creature="wolf", path=[[1, 0]]) == "space_occupied"


def test_HR_V_77_the_small_wield_nothing_heavy() -> None:
    """HR-WPN-11."""
    with pytest.raises(AssertionError, match="cannot wield a heavy weapon"):
        opened({"bru": (0, 0), "orc": (5, 0)}, sheets={"bru": {"size": "small"}})


def test_HR_V_94_the_stunned_stand_helpless_and_defend_as_ever() -> None:
    """HR-STANCE-6, HR-OA-2."""
    for stance in ("cunning", "agility", "might"):
        fight = begun(NEAR).given("orc", conditions=levels(stunned=1))
        fight.do("engage", creature="pia", target="orc").joined_by().stances(pia=stance)
        assert fight.logged("stance_forced")[0].stance == "helpless"
        own = {"creature": "orc", "prompt": "r1/e1/might/orc", "target": "pia"}
        assert fight.refused("declare_attack", **own) == "stunned"
        faces = (8, 5, 2, 2, 4, 2) if stance == "might" else (8, 6, 3, 4, 2)
        if stance == "agility":
            fight.answer("declare_agility", "pia", *faces, target="orc", order="no_move")
        else:
            fight.answer("declare_attack", "pia", *faces, target="orc")
        fight.answer("accept_damage", "orc")
        assert (
            fight.logged("attack_rolled")[0].rolled.total,
            fight.logged("defense_rolled")[0].rolled.total,
        ) == (
            17,
            10,
        )
        assert (fight["orc"].hp, fight.logged("damage_halved")) == (28, [])


def test_HR_V_94_the_incapacitated_may_be_struck_at_once_the_helpless_after_a_ruling() -> None:
    """HR-OA-2, HR-ZERO-6."""
    strike = {"creature": "pia", "target": "orc", "stance": "might"}
    fight = begun(NEAR).given("orc", conditions=levels(incapacitated=1))
    fight.do("opportunity_attack", 1, 1, 1, 1, 8, 8, **strike)
    assert fight.logged("attack_rolled")

    fight = begun({**NEAR, "wolf": (9, 9)}).given("orc", hp=-2, status="unconscious")
    assert fight.refused("opportunity_attack", **strike) == "gm_approval_required"
    fight.given("orc", exposed=True).do("opportunity_attack", 1, 1, 1, 1, 8, 8, **strike)
    assert fight.logged("attack_rolled")


def test_HR_V_95_lying_down_helps_against_arrows_and_hurts_against_maces() -> None:
    """HR-ATK-7."""
    mace = {"like": "bru", "side": "enemies", "might": 4, "weapons": [{"id": "mace", "size_class": "light"}]}
    bow = {**mace, "weapons": [{"id": "bow", "size_class": "light", "attack_type": "ranged"}]}
    for weapon, faces, total in ((bow, (3, 5, 4), 11), (mace, (6, 5, 2), 9)):
        fight = begun({"foe": (0, 0), "pia": (1, 0)}, first="enemies", sheets={"foe": weapon})
        fight.given("pia", conditions=levels(prone=1)).do("engage", creature="foe", target="pia").joined_by()
        fight.stances(foe="agility", pia="defensive")
        fight.answer("declare_agility", "foe", 1, 1, 1, *faces, order="no_move", target="pia")
        assert fight.logged("defense_rolled")[0].rolled.total == total


def test_HR_V_95_high_ground_helps_the_attack() -> None:
    """HR-ATK-7."""
    fight = begun(NEAR).given("pia", conditions=levels(highground=1))
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", 5, 6, 7, 1, 8, 6, order="no_move", target="orc")
    assert fight.logged("attack_rolled")[0].rolled.total == 18, "the lowest of four dice is dropped"


def test_HR_V_104_a_reach_weapon_reaches_ten_feet_or_its_wielder_dashes() -> None:
    """HR-WPN-3."""
    spear = {
        "weapons": [{"id": "spear", "size_class": "light", "damage_type": "piercing", "tags": ["reach"]}]
    }
    fight = begun({"pia": (0, 0), "orc": (2, 0)}, sheets={"pia": spear}).do(
        "engage", creature="pia", target="orc"
    )
    fight.joined_by().stances(pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", 1, 1, 1, 6, 6, order="no_move", target="orc")
    fight.do("pass_side", side="enemies")
    assert fight.refused("dash", creature="pia", to=[0, 1]) == "reach_dashed"

    fight = begun({"pia": (0, 0), "orc": (3, 0)}, sheets={"pia": spear}).do("dash", creature="pia", to=[1, 0])
    fight.do("pass_side", side="enemies")
    assert fight.refused("engage", creature="pia", target="orc") == "not_in_range"


def test_HR_V_104_a_knife_cannot_be_thrown_in_water() -> None:
    """HR-WPN-12."""
    knife = {"weapons": [{"id": "knife", "attack_type": "thrown", "damage_type": "piercing"}]}
    water = {"2,0": "deep_water"}
    fight = begun({"pia": (0, 0), "orc": (2, 0)}, sheets={"pia": knife}, terrain=water)
    assert fight.refused("engage", creature="pia", target="orc") == "weapon_underwater"
