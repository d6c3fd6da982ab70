"""One test for each shipped ability: what it does in a fight (F.5)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.abilities import Ability, DicePool, Spell
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.table.opening import definition_faults
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.codec import from_data, to_data
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import ability, declare, engaged, fight_with, let_go, owners, use
from tests.rules.heartrush.kit import Fight

FACES = {"pia": (0, 0), "orc": (1, 0)}


def own(name: str, places: Any = None, who: str = "pia", **changes: Any) -> Fight:
    return fight_with(places or FACES, owners(**{who: (name,)}), **changes)


@pytest.mark.parametrize("definition", CATALOGUE.values(), ids=CATALOGUE)
def test_what_is_shipped_is_sound_and_equals_its_own_data(definition: Ability | Spell) -> None:
    assert list(definition_faults(definition)) == []
    assert from_data(type(definition), to_data(definition), families=HEARTRUSH.families) == definition
    assert definition.text


def test_F_5_the_catalogue_holds_the_samples() -> None:
    assert sum(isinstance(found, Spell) for found in CATALOGUE.values()) == 3
    assert len(CATALOGUE) == 23


def test_in_the_thick_of_it_adds_one_for_each_adjacent_enemy() -> None:
    fight = own("in-the-thick-of-it", {"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)})
    engaged(fight, "pia", "orc", pia="agility", orc="might")
    fight.answer("declare_agility", "pia", 1, 1, 1, 1, 1, order="attack_first", target="orc")
    assert fight.logged("attack_rolled")[-1].rolled.total == 3 + 2


def test_HR_V_40_crippling_blows_smashes_ten_feet_away() -> None:
    """HR-RES-5, HR-ABIL-3: pushed in the cunning step, the wolf reaches nobody in its own."""
    fight = fight_with({"bru": (0, 0), "wolf": (1, 0), "pia": (0, 1)}, owners(bru=("crippling-blows",)))
    fight.do("engage", creature="bru", target="wolf").joined_by("pia")
    fight.stances(bru="cunning", wolf="agility", pia="might")
    fight.answer("declare_attack", "bru", 7, 5, 9, 2, 3, target="wolf").answer("shrug", "wolf")
    assert (fight["wolf"].hp, fight["wolf"].heart_die) == (12, 4)

    declare(fight, "bru", "crippling-blows", option="smash")
    assert fight["bru"].rush == 0
    assert fight["wolf"].position == (3, 0)
    data = {"creature": "wolf", "prompt": fight.prompt("wolf"), "target": "pia"}
    assert fight.refused("declare_agility", **data, order="attack_first") == "not_in_range"
    fight.answer("declare_agility", "wolf", order="move_first", target="pia")
    fight.answer("sidestep", "wolf", to=[2, 0])
    assert len(fight.logged("attack_rolled")) == 1
    assert [e.step for e in fight.logged("step_ended")] == ["cunning", "agility"]


@pytest.mark.parametrize(("size", "condition", "level"), [("medium", "prone", 1), ("l2", "weakened", 2)])
def test_crippling_blows_beats_down(size: str, condition: str, level: int) -> None:
    """HR-GEN-3, HR-ABIL-8."""
    fight = fight_with(
        {"bru": (0, 0), "wolf": (1, 0)},
        {"bru": {"abilities": ["crippling-blows"]}, "wolf": {"size": size}},
    )
    engaged(fight, "bru", "wolf", bru="cunning", wolf="agility")
    fight.answer("declare_attack", "bru", 7, 5, 9, 2, 3, target="wolf").answer("accept_damage", "wolf")
    declare(fight, "bru", "crippling-blows", option="beat_down")
    assert fight["wolf"].level(condition) == level
    fight.answer("decline_attack", "wolf")
    fight.given("wolf", conditions={})
    assert fight.state.priority_side == "enemies"
    assert fight.refused("sidestep", creature="wolf", to=[2, 1]) == "barred"


def test_agile_sidesteps_twice() -> None:
    """HR-STANCE-AGI-2, HR-ACT-7."""
    fight = own("agile")
    engaged(fight, "pia", "orc", pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", 1, 1, 1, 1, 1, order="attack_first", target="orc")
    fight.answer("sidestep", "pia", to=[0, 1]).answer("sidestep", "pia", to=[-1, 1])
    assert fight["pia"].position == (-1, 1)
    assert fight.logged("engagement_ended")


def test_sentinel_strikes_at_a_sidestep_for_nothing() -> None:
    """HR-OA-1."""
    fight = own("sentinel").do("pass_side", side="players").given("pia", action=0, rush=0)
    fight.do("sidestep", creature="orc", to=[2, 0])
    fight.answer("opportunity_attack", "pia", 1, 1, 1, 1, 8, 10, target="orc", stance="might")
    assert fight.logged("attack_rolled")
    assert fight["orc"].position == (2, 0)
    assert (fight["pia"].action, fight["pia"].rush) == (0, 0)


def test_HR_V_103_brutal_attacks_look_at_kept_dice_alone() -> None:
    """HR-GEN-6, HR-AD-4: one of two 8s is dropped, the kept one adds a die."""
    fight = fight_with(
        {"ash": (0, 0), "orc": (1, 0)},
        {"ash": {"abilities": ["brutal-attacks"], "agility": 6}},
    ).given("ash", conditions={"prone": Condition()})
    engaged(fight, "ash", "orc", ash="agility", orc="defensive")
    fight.answer("declare_agility", "ash", order="attack_first", target="orc")
    fight.throw(8, 3, 5, 8).throw(4)
    assert fight.logged("attack_rolled")[-1].rolled.total == 20


def test_cry_of_defiance_clears_eases_or_heals() -> None:
    """HR-ABIL-8."""
    fight = own("cry-of-defiance").given(
        "pia", rush=6, hp=20, conditions={"dazed": Condition(level=3), "prone": Condition()}
    )
    let_go(declare(fight, "pia", "cry-of-defiance", option="ease"))
    assert (fight["pia"].level("dazed"), fight["pia"].has("prone")) == (2, True)
    let_go(declare(fight, "pia", "cry-of-defiance", option="clear", condition="prone"))
    assert not fight["pia"].has("prone")
    declare(fight, "pia", "cry-of-defiance", option="heal")
    assert (fight["pia"].hp, fight["pia"].rush) == (28, 0)


def test_violent_defense_turns_the_difference_back() -> None:
    """HR-ATK-3, HR-GEN-6."""
    fight = own("violent-defense")
    declare(fight, "pia", "violent-defense")
    engaged(fight, "pia", "orc", pia="defensive", orc="might")
    fight.answer("declare_attack", "orc", 1, 1, 1, 8, 8, 6, target="pia")
    assert [die.role for die in fight.rolls[-1].dice] == ["heart", "might", "ability"]
    assert fight.logged("damage_pending")[-1].creature == "orc"
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 35 - (8 + 8 + 6 + 2 - 3)


def test_execute_kills_what_falls_to_zero() -> None:
    """HR-TIME-4."""
    fight = own("execute", {"pia": (0, 0), "wolf": (1, 0)}).given("wolf", hp=3)
    engaged(fight, "pia", "wolf", pia="might", wolf="defensive")
    fight.answer("declare_attack", "pia", 8, 8, 8, 8, 1, 1, target="wolf").answer("accept_damage", "wolf")
    declare(fight, "pia", "execute")
    assert fight["wolf"].status == "dead"


def test_execute_waits_for_zero() -> None:
    """HR-TIME-4."""
    fight = own("execute", {"pia": (0, 0), "wolf": (1, 0)})
    engaged(fight, "pia", "wolf", pia="might", wolf="defensive")
    fight.answer("declare_attack", "pia", 2, 2, 2, 2, 1, 1, target="wolf").answer("accept_damage", "wolf")
    assert not fight.logged("window_opened")


def test_lightning_reflexes_keep_priority() -> None:
    """HR-GEN-3: nobody has passed since."""
    fight = own("lightning-reflexes")
    declare(fight, "pia", "lightning-reflexes").do("call_out", creature="pia", words="hah")
    assert (fight.state.priority_side, fight.state.passes) == ("players", 0)
    fight.do("pass_side", side="players")
    assert fight.state.priority_side == "enemies"


@pytest.mark.parametrize(
    ("option", "pia", "orc"), [("prone", ["prone"], ["prone"]), ("dazed", [], ["dazed"])]
)
def test_i_dont_think_so_needs_a_won_grapple_check(option: str, pia: list[str], orc: list[str]) -> None:
    """HR-ABIL-8."""
    fight = _holding()
    use(fight, "pia", "i-dont-think-so", option=option)
    fight.answer("choose", "orc", 5, 6, 3, 4, option="might")
    assert [key for key in fight["pia"].conditions if key != "grappling"] == pia
    assert [key for key in fight["orc"].conditions if key in ("prone", "dazed")] == orc


def test_i_dont_think_so_drags_and_silences() -> None:
    """HR-GEN-3, HR-ABIL-8."""
    fight = _holding().given("pia", rush=3)
    use(fight, "pia", "i-dont-think-so", option="drag", to=[-1, 0])
    fight.answer("choose", "orc", 5, 6, 3, 4, option="agility")
    assert (fight["pia"].position, fight["orc"].position) == ((-1, 0), (0, 0))
    fight.do("pass_side", side="enemies")
    use(fight, "pia", "i-dont-think-so", option="silence").answer("choose", "orc", 5, 6, 3, 4, option="might")
    assert fight.refused("call_out", creature="orc", words="help") == "barred"


def test_i_dont_think_so_lost_does_nothing() -> None:
    fight = _holding()
    use(fight, "pia", "i-dont-think-so", option="prone").answer("choose", "orc", 2, 2, 3, 1, option="might")
    assert not fight["orc"].has("prone")


def test_HR_GEN_9_an_ability_is_opposed_as_everything_is() -> None:
    """The opponent chooses before any die; a limp body uses its largest; nobody opposes itself."""
    fight = _holding()
    use(fight, "pia", "i-dont-think-so", option="prone")
    assert fight.waits_for()[0] == "orc"
    assert not fight.rolls

    fight = _holding()
    fight.given("orc", conditions={**fight["orc"].conditions, "stunned": Condition()})
    use(fight, "pia", "i-dont-think-so", 5, 6, option="prone")
    assert ("ability", "might") in fight.rolls[-1].purpose, "a d10, and the other is a d6"


@pytest.mark.parametrize("side", ["any", "ally"])
def test_HR_GEN_9_nobody_names_itself_as_its_opponent(side: str) -> None:
    whom = [{"name": "whom", "kind": "creature", "side": side}]
    effects = [{"kind": "contest", "ability": "might", "against": "$whom", "what": "wrestle"}]
    wrestle = ability("wrestle", "heart", params=whom, effects=effects)
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
    fight = fight_with(places, {"pia": {"abilities": ["wrestle"]}}, abilities=[wrestle])
    said = {"creature": "pia", "ability": "wrestle", "params": {"whom": "pia"}}
    assert fight.refused("use_ability", **said) == "no_valid_target"
    (offer,) = (found for found in fight.offers("zoe", "pia") if found.type == "use_ability")
    assert {"whom": "ash"} in offer.choices["params"]
    assert {"whom": "pia"} not in offer.choices["params"]


def _holding() -> Fight:
    fight = own("i-dont-think-so").given("pia", conditions={"grappling": Condition(source="orc")})
    return fight.given("orc", conditions={"grappled": Condition(source="pia")})


def test_battlescreech_hinders_the_next_roll_alone() -> None:
    """HR-ABIL-2, HR-GEN-6."""
    fight = own("battlescreech")
    use(fight, "pia", "battlescreech", chosen=["orc"])
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="might", pia="agility")
    fight.answer("declare_agility", "pia", 1, 1, 1, order="attack_first", target="orc")
    fight.throw(4, 5, 8, 1)
    assert [die.dropped for die in fight.rolls[-1].dice].count(True) == 2
    assert fight.state.lasting == ()


def test_target_the_weakness_halves_the_defense() -> None:
    """HR-ABIL-2, HR-ABIL-8."""
    fight = own("target-the-weakness")
    fight.do("engage", creature="pia", target="orc")
    declare(fight, "pia", "target-the-weakness", stance="agility", creature="orc")
    fight.stances(pia="agility", orc="might")
    fight.answer("declare_agility", "pia", 5, 5, 5, 5, 2, order="attack_first", target="orc")
    assert fight.logged("defense_rolled")[-1].rolled.total == 11
    assert fight.logged("damage_pending")[-1].amount == 15 - 5
    fight.answer("accept_damage", "orc").answer("decline_sidestep", "pia")
    assert fight.logged("engagement_ended")
    assert fight.state.lasting == ()


def test_baited_attack_hits_who_stands_behind() -> None:
    """HR-ABIL-8, HR-TIME-4."""
    fight = own("baited-attack", {"orc": (1, 0), "pia": (0, 0), "wolf": (-1, 0)})
    engaged(fight, "pia", "orc", pia="defensive", orc="might")
    fight.answer("declare_attack", "orc", 2, 2, 2, 8, 8, target="pia")
    prompt = fight.prompt("pia")
    data = {"creature": "pia", "ability": "baited-attack", "prompt": prompt}
    assert fight.refused("declare_instant", **data, params={"creature": "orc"}) == "prerequisite_missing"
    declare(fight, "pia", "baited-attack", creature="wolf")
    assert (fight.logged("damage_pending")[-1].creature, fight.logged("damage_pending")[-1].amount) == (
        "wolf",
        6,
    )


def test_eternal_fortitude_adds_pool_dice_before_the_roll() -> None:
    """HR-ABIL-2, HR-ABIL-8."""
    fight = own("eternal-fortitude").given("pia", rush=2)
    declare(fight, "pia", "eternal-fortitude", rush=2)
    engaged(fight, "pia", "orc", pia="defensive", orc="might")
    fight.answer("declare_attack", "orc", 5, 5, 5, target="pia")
    prompt = next(a for a in waiting(fight.state) if "choose" in a.accepts)
    assert fight.logged("choice_asked")[-1].options == ("0", "1", "2", "3", "4")
    wrong = {"creature": "pia", "prompt": prompt.prompt, "option": "5"}
    assert fight.refused("choose", **wrong) == "params_missing"
    fight.do("choose", 4, 4, 6, 6, 6, creature="pia", prompt=prompt.prompt, option="3")
    assert fight.logged("defense_rolled")[-1].rolled.total == 4 + 4 + 18 + 2
    assert fight.state.lasting[0].modifier == DicePool(sides=6, left=1)


def test_tumble_sidesteps_before_the_cunning_step() -> None:
    """HR-STANCE-AGI-2."""
    fight = own("tumble")
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="agility", orc="cunning")
    declare(fight, "pia", "tumble", to=[0, 1])
    assert fight["pia"].position == (0, 1)
    fight.answer("decline_attack", "orc").answer("declare_agility", "pia", order="no_move")
    assert fight.logged("engagement_ended"), "its one sidestep is taken"


def test_tumble_needs_the_agility_stance() -> None:
    """HR-TIME-4."""
    fight = own("tumble")
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="might", orc="cunning")
    assert not fight.logged("window_opened")


def test_adrenaline_spike_makes_one_die_larger_once() -> None:
    """HR-ABIL-2, HR-GEN-6."""
    fight = own("adrenaline-spike")
    use(fight, "pia", "adrenaline-spike", ability="might")
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="defensive", pia="might")
    fight.answer("declare_attack", "pia", 1, 10, 1, 1, 1, 1, target="orc")
    assert [die.sides for die in fight.rolls[-2].dice] == [8, 10, 8, 8]
    assert fight.state.lasting == ()


def test_curseweaver_hurts_who_attacks_the_guarded() -> None:
    """HR-ABIL-2."""
    fight = own("curseweaver", {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)})
    declare(fight, "pia", "curseweaver", creature="orc", guarded=["ash"])
    engaged(fight, "ash", "orc", ash="defensive", orc="might")
    fight.answer("declare_attack", "orc", 1, 1, 1, 5, target="ash")
    assert fight.logged("damage_pending")[-1].creature == "orc"
    assert fight.logged("damage_pending")[-1].amount == 5


def test_hypnotic_tune_holds_listeners_until_they_are_attacked() -> None:
    """HR-ABIL-2, HR-GEN-3."""
    fight = own("hypnotic-tune")
    use(fight, "pia", "hypnotic-tune", listeners=["orc"])
    assert fight["pia"].action == 0
    assert fight.refused("dash", creature="orc", to=[3, 0]) == "barred"
    assert fight.refused("engage", creature="orc", target="pia") == "barred"
    fight.do("pass", creature="orc").given("pia", action=1)
    engaged(fight, "pia", "orc", pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 1, 1, target="orc")
    fight.do("dash", creature="orc", to=[3, 0])


def test_deoric_endurance_rolls_the_largest_heart_die() -> None:
    """HR-ABIL-2, HR-GEN-6."""
    fight = own("deoric-endurance").given("pia", heart_die=4)
    declare(fight, "pia", "deoric-endurance")
    engaged(fight, "pia", "orc", pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", 8, 1, 1, 1, 1, 1, target="orc").answer("accept_damage", "orc")
    assert fight.rolls[-2].dice[0].sides == 8
    while fight.state.round < 12:
        fight.do("pass_side", side=fight.state.priority_side)
    assert [e.reason for e in fight.logged("effect_ended")] == ["ran_out"]


def test_oracle_shows_nothing_but_the_most_and_waits_for_the_gm() -> None:
    """HR-GEN-6, HR-SVC-1."""
    fight = own("oracle")
    use(fight, "pia", "oracle", creature="orc")
    prompt = next(a.prompt for a in waiting(fight.state) if "rule_ability" in a.accepts)
    fight.do("rule_ability", prompt=prompt, accept=True, reason="the sword will break", effects=[])
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="might", pia="defensive")
    fight.answer("declare_attack", "orc", 1, 1, 1, target="pia")
    assert fight.logged("attack_rolled")[-1].rolled.total == 8 + 10 + 12
    assert [die.face for die in fight.rolls[-1].dice] == [1, 1, 1], "what the dice showed stays on the record"
