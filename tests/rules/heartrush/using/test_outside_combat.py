"""Outside combat every action may be taken whenever one likes, before a fight and after it (HR-ABIL-9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from service.rules.heartrush.body.weapons import free_hands, protection
from service.rules.heartrush.creatures.character import Condition, Wound
from service.rules.heartrush.moving.paths import speed
from service.rules.kernel.records import changed
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
SHEETS = {"pia": {"shield": "light"}}
WHENS = pytest.mark.parametrize("when", ["before", "after"])


def outside(when: str, **changes: Any) -> Fight:
    """Return a fight that has not begun, or one that is over."""
    changes = {"sheets": SHEETS, **changes}
    if when == "before":
        return opened(PLACES, **changes)
    return begun(PLACES, **changes).do("end_combat")


ACTIONS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "help": ({"target": "ash"}, {}),
    "object": ({"verb": "stow", "item": "mace"}, {}),
    "dash": ({"to": [0, -3]}, {}),
    "sidestep": ({"to": [0, -1]}, {}),
    "call_out": ({"words": "Here!"}, {}),
    "douse": ({}, {"burning": Condition(level=3)}),
    "steady": ({"condition": "frightened"}, {"frightened": Condition(level=1, source="orc")}),
    "break_free": ({"ability": "might"}, {"grappled": Condition(level=1, source="orc")}),
    "let_go": ({}, {"grappling": Condition(level=1, source="orc")}),
    "shake_off": ({"ability": "might"}, {"climbed_on": Condition(level=1, source="ash")}),
}


@WHENS
@pytest.mark.parametrize("action", ACTIONS)
def test_HR_ABIL_9_an_action_is_offered_and_taken_outside_combat(action: str, when: str) -> None:
    data, conditions = ACTIONS[action]
    fight = outside(when).given("pia", conditions=conditions)
    if action == "break_free":
        fight.given("orc", conditions={"grappling": Condition(level=1, source="pia")})
    if action == "let_go":
        fight.given("orc", conditions={"grappled": Condition(level=1, source="pia")})
    if action == "shake_off":
        fight.given("ash", conditions={"creature_climber": Condition(level=1, source="pia")})
    assert action in {offer.type for offer in fight.offers("zoe", "pia")}
    before = fight["pia"]
    fight.do(action, creature="pia", **data)
    after = fight["pia"]
    paid = ("action", "rush", "free_dash", "free_object", "free_callout", "moved_ft", "dashed", "acted")
    assert [getattr(after, name) for name in paid] == [getattr(before, name) for name in paid]
    assert fight.state.phase == ("setup" if when == "before" else "ended")


@WHENS
def test_HR_ABIL_9_what_can_be_done_once_a_round_is_done_again_and_again(when: str) -> None:
    fight = outside(when)
    for x in (10, 20, 30):
        fight.do("dash", creature="pia", to=[x, 0])
    fight.do("sidestep", creature="pia", to=[31, 0]).do("sidestep", creature="pia", to=[32, 0])
    assert fight["pia"].position == (32, 0)


@WHENS
def test_HR_ABIL_9_nobody_strikes_at_or_trips_whoever_moves_outside_combat(when: str) -> None:
    fight = outside(when).given("pia", conditions={"off_balanced": Condition(level=1)})
    fight.given("orc", action=1)
    fight.do("dash", creature="pia", path=[[0, -1], [1, -1], [2, -1]])
    assert fight["pia"].position == (2, -1)
    assert not fight.logged("window_opened")


@WHENS
def test_HR_ABIL_9_where_all_are_asked_nobody_is_outside_combat(when: str) -> None:
    fight = outside(when, options={"windows": "all"})
    fight.do("help", creature="ash", target="pia").do("dash", creature="pia", path=[[0, -1], [0, -2]])
    assert not fight.logged("window_opened")


def test_HR_ABIL_9_after_the_fight_the_last_rounds_limits_are_gone() -> None:
    fight = begun(PLACES).given("pia", moved_ft=60, dashed=True, used_reach=True, ranged_stance_taken=True)
    fight.given("pia", spell_cast=True, cast_at_ft=60, acted=True, action=0)
    fight.do("end_combat").do("dash", creature="pia", to=[0, -5])
    assert fight["pia"].position == (0, -5)


def test_HR_ABIL_9_what_was_done_before_a_fight_takes_nothing_from_its_first_round() -> None:
    growth = {"spells": ["aura-of-ignition", "cold-snap"], "attunements": ["fire", "water"]}
    fight = opened(PLACES, sheets={"pia": {"growth": growth}})
    fight.do("cast", creature="pia", ability="aura-of-ignition").do("dash", creature="pia", to=[0, -1])
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    pia = fight["pia"]
    assert (pia.moved_ft, pia.dashed, pia.spell_cast, pia.free_dash, pia.action) == (0, False, False, True, 1)
    fight.do("cast", creature="pia", ability="cold-snap", params={"chosen": ["ash"]})


def test_HR_ABIL_9_the_action_edition_of_turns_knows_it_too() -> None:
    fight = opened(PLACES, options={"timing": "turns"}, turn_order=["pia", "ash", "orc"])
    fight.do("help", creature="ash", target="pia").do("dash", creature="ash", to=[5, 5])
    assert fight["pia"].help == 1


@WHENS
def test_HR_WND_4_help_counts_for_the_medicine_check(when: str) -> None:
    fight = outside(when).given("orc", wounds=(Wound(id="a", rank=9, initial_rank=9),))
    fight.do("help", creature="ash", target="pia")
    fight.do("treat_wounds", 5, 4, 2, creature="pia", patient="orc")
    assert [die.role for die in fight.rolls[-1].dice] == ["heart", "cunning", "advantage"]
    assert fight["pia"].help == 0


@WHENS
def test_HR_HIDE_1_help_counts_for_the_stealth_check(when: str) -> None:
    fight = outside(when).do("help", creature="ash", target="pia")
    assert fight.send("allow_hiding", "gm", creature="pia", cn=5).refusal is None
    fight.do("hide", 5, 4, 2, creature="pia")
    assert [die.role for die in fight.rolls[-1].dice] == ["heart", "agility", "advantage"]


@WHENS
@pytest.mark.parametrize("state", ["stunned", "incapacitated"])
def test_HR_ABIL_9_whoever_can_do_nothing_does_nothing_outside_combat_either(state: str, when: str) -> None:
    fight = outside(when).given("pia", conditions={state: Condition(level=1)})
    for action in ("help", "object", "dash", "sidestep", "call_out"):
        data, _ = ACTIONS[action]
        assert fight.refused(action, creature="pia", **data) == state
        assert action not in {offer.type for offer in fight.offers("zoe", "pia")}


@WHENS
def test_HR_ABIL_9_what_waits_to_be_resolved_comes_first(when: str) -> None:
    fight = outside(when).given("orc", wounds=(Wound(id="a", rank=9, initial_rank=9),))
    fight.do("treat_wounds", creature="pia", patient="orc")
    for action in ("help", "object", "dash", "sidestep", "call_out"):
        data, _ = ACTIONS[action]
        assert fight.refused(action, creature="pia", **data) == "no_priority"


@WHENS
def test_HR_ABIL_9_outside_combat_a_sidestep_is_not_paid_for(when: str) -> None:
    fight = outside(when)
    assert fight.refused("sidestep", creature="pia", to=[0, -1], pay="rush") == "cannot_pay"
    offers = [offer for offer in fight.offers("zoe", "pia") if offer.type == "sidestep"]
    assert all("pay" not in offer.choices for offer in offers)


@WHENS
def test_HR_BREATH_1_an_action_takes_breath_outside_combat_too(when: str) -> None:
    fight = outside(when).given("pia", breath=3)
    fight.do("help", creature="pia", target="ash")
    assert fight["pia"].breath == 2
    fight.do("call_out", creature="pia", words="Hm!")
    assert fight["pia"].breath == 2


@WHENS
def test_HR_BREATH_1_breath_is_held_in_deep_water_outside_combat(when: str) -> None:
    fight = outside(when, terrain={"0,0": "deep_water"})
    assert "hold_breath" in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.do("hold_breath", 5, 4, creature="pia")
    assert fight["pia"].breath == 9


@WHENS
@pytest.mark.parametrize("action", ["engage", "opportunity_attack", "join_engagement", "trip"])
def test_HR_START_1_nobody_fights_outside_combat(action: str, when: str) -> None:
    data = {"creature": "pia", "target": "orc", "stance": "might", "prompt": "r0/e0/join/pia"}
    keys = {"engage": ("target",), "opportunity_attack": ("target", "stance"), "join_engagement": ("prompt",)}
    given = {key: data[key] for key in ("creature", *keys.get(action, ("target",)))}
    code = "no_priority" if when == "before" else "encounter_over"
    assert outside(when).refused(action, **given) == code


# --- falling unconscious --------------------------------------------------------------------------------


@WHENS
def test_HR_ZERO_1_one_may_fall_unconscious_outside_combat(when: str) -> None:
    fight = outside(when)
    assert fight.refused("go_unconscious", creature="pia") == "hp_positive"
    assert "go_unconscious" not in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.given("pia", hp=-2)
    assert "go_unconscious" in {offer.type for offer in fight.offers("zoe", "pia")}
    assert fight.do("go_unconscious", creature="pia")["pia"].status == "unconscious"


def hurt(**stances: str) -> Fight:
    """Return a fight in which the orc's cunning attack leaves Pia at -3, and her own step is to come."""
    fight = begun(PLACES, first="enemies").given("pia", hp=5, heart_die=4)
    fight.do("engage", creature="orc", target="pia").joined_by("ash").stances(**stances)
    return fight


def test_HR_ZERO_1_one_falls_in_an_engagement_before_its_own_step() -> None:
    """HR-RES-5: and misses the later steps."""
    fight = hurt(orc="cunning", pia="agility", ash="might")
    fight.answer("declare_attack", "orc", 4, 4, 4, 1, 1, target="pia", perk={})
    assert fight["pia"].hp == 5 - (12 - 4)
    assert "go_unconscious" in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.do("go_unconscious", creature="pia")
    assert fight["pia"].status == "unconscious"
    assert "pia" not in fight.waits_for()
    assert fight.logged("step_started")[-1].step == "might", "nobody else is in agility"


def test_HR_ZERO_1_one_falls_while_others_are_asked_for_their_damage() -> None:
    fight = hurt(orc="cunning", pia="agility", ash="might").given("pia", hp=0, heart_die=8)
    fight.answer("declare_attack", "orc", 4, 4, 4, 1, 1, target="pia", perk={})
    assert "shrug" in {offer.type for offer in fight.offers("zoe", "pia")}
    assert "go_unconscious" in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.do("go_unconscious", creature="pia")
    assert fight["pia"].hp == -8, "the unconscious shrug nothing off"


def test_HR_ZERO_1_before_stances_too_and_the_unconscious_stand_helpless() -> None:
    fight = begun(PLACES, first="enemies").given("pia", hp=-1)
    fight.do("engage", creature="orc", target="pia").joined_by()
    fight.do("go_unconscious", creature="pia").stances(orc="might")
    assert fight.logged("stances_revealed")[-1].stances["pia"] == "helpless"


def test_HR_ZERO_1_with_hit_points_above_zero_nobody_falls_in_an_engagement() -> None:
    fight = hurt(orc="cunning", pia="agility", ash="might")
    assert fight.refused("go_unconscious", creature="pia") == "hp_positive"
    assert all("go_unconscious" not in awaited.accepts for awaited in waiting(fight.state))


# --- things in hand --------------------------------------------------------------------------------------


@WHENS
def test_HR_ACT_9_only_what_is_held_is_put_away(when: str) -> None:
    fight = outside(when)
    for item in ("banana", "maul", ""):
        assert fight.refused("object", creature="pia", verb="stow", item=item) == "weapon_not_wielded"
        assert fight.refused("object", creature="pia", verb="draw", item=item) == "weapon_not_wieldable"
    fight.do("object", creature="pia", verb="stow", item="mace")
    assert (fight["pia"].wielded, fight["pia"].shield_down) == (None, False)
    assert fight.logged("object_handled")[-1].item == "mace"
    assert fight.refused("object", creature="pia", verb="stow", item="mace") == "weapon_not_wielded"


def test_HR_ACT_9_without_a_name_the_weapon_in_hand_is_put_away_and_named() -> None:
    fight = begun(PLACES, sheets=SHEETS).do("object", creature="pia", verb="stow")
    assert fight.logged("object_handled")[-1].item == "mace"
    assert fight["pia"].wielded is None


def test_HR_ACT_9_a_shield_is_put_down_and_taken_up() -> None:
    fight = begun(PLACES, sheets={"pia": {"shield": "heavy"}})
    before = protection(fight["pia"]), speed(fight["pia"])
    fight.do("object", creature="pia", verb="stow", item="shield")
    assert fight["pia"].shield_down
    assert fight["pia"].wielded == "mace"
    assert sum(term.amount for term in before[0]) - sum(t.amount for t in protection(fight["pia"])) == 2
    assert speed(fight["pia"]) == before[1] + 5
    assert free_hands(fight["pia"]) == 1
    fight.given("pia", free_object=True)
    fight.state = changed(fight.state, phase="priority", priority_side="players", passes=0)
    fight.do("object", creature="pia", verb="draw", item="shield")
    assert (protection(fight["pia"]), speed(fight["pia"])) == before


@WHENS
def test_HR_ACT_9_a_shield_needs_a_hand_and_has_to_be_there(when: str) -> None:
    maul = {"id": "maul", "size_class": "heavy", "damage_type": "bludgeoning"}
    fight = outside(when, sheets={"pia": {"shield": "light", "weapons": [maul]}})
    assert fight.refused("object", creature="pia", verb="draw", item="shield") == "weapon_not_wieldable"
    fight.do("object", creature="pia", verb="stow", item="shield")
    assert fight.refused("object", creature="pia", verb="stow", item="shield") == "weapon_not_wielded"
    assert fight.refused("object", creature="pia", verb="draw", item="shield") == "no_free_hand"
    assert fight.refused("object", creature="ash", verb="stow", item="shield") == "weapon_not_wielded"


def test_HR_ACT_9_a_shield_of_which_only_the_gm_knows_stays_where_it_is() -> None:
    for shield in ("none", "light"):
        fight = begun(PLACES, sheets={"orc": {"shield": shield, "weapons": []}}, first="enemies")
        fight.given("orc", gm_only=("shield", "rolls"))
        assert fight.refused("object", creature="orc", verb="stow", item="shield") == "gm_only"
        assert fight.refused("object", creature="orc", verb="draw", item="shield") == "gm_only"


def test_HR_ACT_9_what_is_offered_of_things_is_what_is_accepted() -> None:
    fight = outside("before")
    items = (None, "mace", "shield", "banana")
    for away in ("mace", "shield", None):
        offers = [o for o in fight.offers("zoe", "pia") if o.type == "object" and o.given["verb"] != "handle"]
        offered = {(o.given["verb"], item) for o in offers for item in o.choices["item"]}
        for verb in ("draw", "stow"):
            for item in items:
                branch = Fight(state=fight.state, mirror=None)
                refusal = branch.send("object", "zoe", creature="pia", verb=verb, item=item).refusal
                assert (refusal is None) is ((verb, item) in offered), (verb, item)
        if away is not None:
            fight.do("object", creature="pia", verb="stow", item=away)


# --- joining, and wrong words ----------------------------------------------------------------------------


def test_HR_ENG_5_nobody_joins_against_nobody() -> None:
    """The initiator dies by a ruling while the others are asked; she was the wolf's only enemy there."""
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1), "bru": (20, 20)})
    fight.do("engage", creature="pia", target="orc")
    assert fight.waits_for() == ["wolf"]
    prompt = fight.prompt("wolf")
    fight.do("gm_ruling", kind="effect", decision="a stone", effects=[{"kind": "die", "creature": "pia"}])
    assert all("join_engagement" not in awaited.accepts for awaited in waiting(fight.state))
    assert fight.refused("join_engagement", creature="wolf", prompt=prompt) != ""
    assert fight["wolf"].action == 1
    assert fight.logged("engagement_ended")


def test_HR_ENG_5_an_enemy_that_is_left_may_still_be_joined_against() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0), "ash": (0, 1), "wolf": (-1, 0)})
    fight.do("engage", creature="pia", target="orc")
    fight.do("gm_ruling", kind="effect", decision="a stone", effects=[{"kind": "die", "creature": "orc"}])
    assert "ash" not in fight.waits_for()
    assert "wolf" in fight.waits_for()


def test_HR_GEN_1_combat_does_not_begin_while_it_runs() -> None:
    assert begun(PLACES).refused("begin_combat") == "in_combat"


def test_HR_TIME_3_the_refusal_of_a_quick_ability_says_what_is_in_its_way() -> None:
    gain = do("rush", creature="self", points=1)
    cry = ability("cry", "heart", "instant", trigger=["ability_declared"], effects=[gain])
    turns: Any = {"options": {"timing": "turns"}, "turn_order": ["pia", "ash", "orc"]}
    fight = begun(PLACES, abilities=[cry], sheets={"orc": {"abilities": ["cry"]}}, **turns)
    fight.do("engage", creature="pia", target="orc")
    assert fight.state.phase == "turn"
    assert fight.refused("sidestep", creature="ash", to=[0, 2]) == "not_ally_turn"
    assert fight.refusal is not None
    assert fight.refusal.detail == "nothing but an instant is used while something else resolves"
