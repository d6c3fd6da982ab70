"""Golden vectors of the ledger's E.4: stances, the three steps, contests, bonuses, halving, simultaneity."""

from service.rules.heartrush.timing.engagement import EngagementFrame
from service.rules.kernel.records import Sealed
from service.rules.kernel.sealed import view
from tests.rules.heartrush.kit import Fight, begun


def fought(places: dict[str, tuple[int, int]], who: str, whom: str, *joiners: str, **stances: str) -> Fight:
    """Return a fight whose engagement of *who* with *whom* stands after the reveal."""
    side = "enemies" if who in ("orc", "wolf", "e1", "e2") else "players"
    fight = begun(places, first=side).do("engage", creature=who, target=whom).joined_by(*joiners)
    return fight.stances(**stances)


def test_HR_V_34_a_shooter_who_ran_may_only_defend() -> None:
    """HR-STANCE-1, HR-STANCE-5, HR-WPN-4, HR-SVC-2."""
    fight = begun({"ash": (0, 0), "orc": (6, 0)}).given("ash", moved_ft=30)
    fight.do("engage", creature="ash", target="orc").joined_by()
    prompt = fight.prompt("ash")
    assert (
        fight.refused("choose_stance", creature="ash", prompt=prompt, stance="agility")
        == "stance_not_allowed"
    )
    fight.do("choose_stance", creature="ash", prompt=prompt, stance="defensive")
    refused = fight.refused("choose_stance", creature="ash", prompt=prompt, stance="defensive")
    assert refused == "stance_already_committed"
    assert stance_seen(fight, "zoe", "ash") == "defensive"
    assert isinstance(stance_seen(fight, "gm", "ash"), Sealed)
    fight.stances(orc="defensive")
    assert fight.logged("stances_revealed")[0].stances == {"ash": "defensive", "orc": "defensive"}


def stance_seen(fight: Fight, seat: str, creature: str) -> object:
    """Return what *seat* sees of a stance in the open engagement."""
    frame = view(fight.state, seat).top
    assert isinstance(frame, EngagementFrame)
    stance = frame.participants[creature].stance
    assert not isinstance(stance, Sealed) or stance.value is None
    return stance


def test_HR_V_35_cunning_comes_first_and_unbalances_agility() -> None:
    """HR-STANCE-CUN-1, HR-STANCE-CUN-2, HR-STANCE-AGI-1, HR-COND-4, HR-AD-2, HR-AD-5, HR-RES-5."""
    places = {"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}
    fight = fought(places, "pia", "orc", "wolf", pia="agility", orc="might", wolf="cunning")
    prompt = fight.prompt("wolf")
    for perk, code in (({"off_balanced": 3}, "perk_over_limit"), ({"prone": 1}, "perk_not_available")):
        data = {"creature": "wolf", "prompt": prompt, "target": "pia", "perk": perk}
        assert fight.refused("declare_attack", **data) == code
    fight.answer("declare_attack", "wolf", 4, 6, 5, 2, 3, 4, target="pia", perk={"off_balanced": 2})
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("defense_rolled")[0].rolled.total,
    ) == (17, 9)
    assert not fight["pia"].level("off_balanced"), "it lands when the step ends"
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].level("off_balanced")) == (32, 2)

    fight.answer("declare_agility", "pia", 7, 3, 5, 8, 6, 4, 2, order="attack_first", target="orc")
    assert (
        fight.logged("attack_rolled")[1].rolled.total,
        fight.logged("defense_rolled")[1].rolled.total,
    ) == (14, 10)
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 31


def test_HR_V_37_a_tied_contest_hurts_nobody() -> None:
    """HR-ATK-4."""
    places = {"pia": (0, 0), "wolf": (1, 0)}
    fight = fought(places, "pia", "wolf", pia="cunning", wolf="cunning")
    fight.answer("declare_attack", "pia", target="wolf")
    fight.answer("declare_attack", "wolf", 3, 5, 2, 4, 3, 2, 1, target="pia")
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("contested_rolled")[0].rolled.total,
    ) == (
        10,
        10,
    )
    assert not fight.logged("defense_rolled")
    assert not fight.logged("damage_pending")
    assert fight.logged("engagement_ended"), "both attacks are spent"


def test_HR_V_38_who_attacks_another_defends_as_ever_and_might_pushes_cunning() -> None:
    """HR-RES-3, HR-ATK-5, HR-STANCE-MIG-2, HR-WPN-1, HR-WPN-2, HR-WPN-6, HR-DMG-1, HR-DMG-5."""
    places = {"orc": (0, 1), "pia": (0, 0), "wolf": (1, 0)}
    fight = fought(places, "orc", "pia", "wolf", orc="might", pia="might", wolf="cunning")
    fight.answer("declare_attack", "orc", target="pia")
    fight.answer("declare_attack", "pia", 6, 7, 9, 5, 4, target="wolf")
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("defense_rolled")[0].rolled.total,
    ) == (22, 11)
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, [wound.rank for wound in fight["pia"].wounds]) == (29, [11])
    fight.throw(4, 6, 5, 3, 2, 3)
    assert (
        fight.logged("attack_rolled")[1].rolled.total,
        fight.logged("defense_rolled")[1].rolled.total,
    ) == (18, 5)
    fight.answer("shrug", "wolf")
    assert (fight["wolf"].hp, fight["wolf"].heart_die, fight["wolf"].wounds) == (13, 4, ())

    fight.answer("choose_push", "pia", distance=10, follow=[1, 0])
    assert (fight["wolf"].position, fight["pia"].position) == ((3, 0), (1, 0))
    assert not fight.logged("window_opened"), "following in provokes nobody"


def test_HR_V_40_who_was_pushed_out_of_reach_neither_attacks_nor_is_attacked() -> None:
    """HR-RES-5: the push itself needs an ability; the wolf is set back as that would."""
    places = {"bru": (2, 0), "wolf": (1, 0), "pia": (0, 0)}
    fight = fought(places, "bru", "wolf", "pia", bru="cunning", wolf="agility", pia="might")
    fight.answer("declare_attack", "bru", 7, 5, 9, 2, 3, target="wolf")
    fight.given("wolf", position=(1, -3))
    fight.answer("shrug", "wolf")
    assert (fight["wolf"].hp, fight["wolf"].heart_die) == (12, 4)

    fight.answer("declare_agility", "wolf", order="move_first", target="pia")
    fight.answer("sidestep", "wolf", to=[1, -2])
    assert len(fight.logged("attack_rolled")) == 1
    assert not [event for event in fight.logged("step_started") if event.step == "might"]
    assert fight.logged("engagement_ended")


def test_HR_V_41_movers_of_both_sides_alternate_and_mutual_pairs_meet_once() -> None:
    """HR-STANCE-AGI-2, HR-STANCE-AGI-3, HR-STANCE-AGI-4, HR-STANCE-AGI-5, HR-RES-3, HR-ATK-4, with A-15."""
    light = {"id": "club", "size_class": "light", "damage_type": "bludgeoning"}
    sheets = {
        name: {"like": "pia", "side": side, "agility": 6, "weapons": [light]}
        for name, side in (("p1", "players"), ("e1", "enemies"), ("p2", "players"), ("e2", "enemies"))
    }
    places = {"p1": (0, 0), "e1": (1, 0), "p2": (0, 1), "e2": (1, 1)}
    fight = begun(places, sheets=sheets).do("engage", creature="p1", target="e1").joined_by("p2", "e2")
    fight.stances(p1="agility", e1="agility", p2="agility", e2="agility")
    fight.answer("declare_agility", "p1", order="attack_first", target="e1")
    fight.answer("declare_agility", "e1", order="attack_first", target="p1")
    fight.answer("declare_agility", "p2", order="move_first", target="e2")
    fight.answer("declare_agility", "e2", 4, 3, 5, 6, 2, 1, order="move_first", target="p2")
    fight.answer("accept_damage", "e1")
    assert fight["e1"].hp == 37
    fight.answer("sidestep", "e1", to=[2, 0])
    fight.answer("sidestep", "p1", to=[-1, 0])
    fight.answer("sidestep", "e2", 3, 6, 7, 2, 5, 4, to=[1, 2])
    fight.answer("accept_damage", "p2")
    assert fight["p2"].hp == 35
    fight.answer("sidestep", "p2", to=[-1, 1])
    assert [e.attacker for e in fight.logged("exchange_begun")] == ["p1", "e2"]
    assert fight.logged("engagement_ended")


def test_HR_V_43_a_defensive_creature_takes_half_and_strikes_not() -> None:
    """HR-STANCE-DEF-1, HR-ATK-6, HR-GEN-4."""
    fight = fought({"pia": (0, 0), "orc": (1, 0)}, "orc", "pia", orc="might", pia="defensive")
    own = {"creature": "pia", "prompt": "r1/e1/might/pia", "target": "orc"}
    assert fight.refused("declare_attack", **own) == "stance_not_allowed"
    fight.answer("declare_attack", "orc", 5, 6, 6, 4, 4, target="pia")
    fight.answer("accept_damage", "pia")
    assert [(event.before, event.after) for event in fight.logged("damage_halved")] == [(7, 4)]
    assert fight["pia"].hp == 36


def test_HR_V_44_the_defensive_half_comes_before_the_shrugged_half() -> None:
    """HR-DMG-1, HR-DMG-3, with A-18."""
    for answer, hp, die in (("shrug", 36, 6), ("accept_damage", 32, 8)):
        fight = fought({"pia": (0, 0), "orc": (1, 0)}, "orc", "pia", orc="might", pia="defensive")
        fight.answer("declare_attack", "orc", 8, 10, 7, 4, 4, target="pia").answer(answer, "pia")
        assert (fight["pia"].hp, fight["pia"].heart_die, fight["pia"].wounds) == (hp, die, ())


def test_HR_V_46_a_shot_with_might_at_cunning_ignores_armor() -> None:
    """HR-WPN-7."""
    fight = fought({"ash": (0, 0), "orc": (4, 0)}, "ash", "orc", ash="might", orc="cunning")
    fight.answer("declare_attack", "ash", 5, 3, 6, 4, 2, target="orc")
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("defense_rolled")[0].rolled.total,
    ) == (14, 6)
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 27
    assert fight.logged("engagement_ended"), "an arrow pushes nobody"


def test_HR_V_47_attacks_of_a_step_see_everybody_as_it_began() -> None:
    """HR-RES-4, with A-14: the wolf strikes with the heart die it had before it shrugged."""
    places = {"ash": (0, 3), "wolf": (0, 1), "pia": (0, 0)}
    fight = fought(places, "ash", "wolf", "pia", ash="cunning", wolf="cunning", pia="agility")
    fight.answer("declare_attack", "ash", target="wolf")
    fight.answer("declare_attack", "wolf", 6, 4, 5, 7, 3, 4, target="pia", perk={"dazed": 2})
    fight.answer("shrug", "wolf")
    assert (fight["wolf"].hp, fight["wolf"].heart_die) == (12, 4)
    fight.throw(5, 2, 3, 1, 6, 3)
    assert (
        fight.logged("attack_rolled")[1].rolled.total,
        fight.logged("defense_rolled")[1].rolled.total,
    ) == (11, 11)
    assert (fight["pia"].hp, fight["pia"].level("dazed")) == (40, 2)
