"""Spells: one a round, a free hand, half the movement, and long rests before the next (HR-CAST)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.weapons import free_hands
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.effects.uses import save_number
from service.rules.heartrush.using.catalogue import AURA_OF_IGNITION, FORCE_STRIKE
from service.rules.heartrush.using.spellcasting import cooldown
from service.rules.kernel.records import changed
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import do, engaged, fight_with, let_go
from tests.rules.heartrush.kit import Fight, opened

PLACES = {"pia": (0, 0), "orc": (1, 0)}
SPELLS = ["force-strike", "cold-snap", "aura-of-ignition"]


def caster(places: Any = None, *, spells: Any = SPELLS, sheet: Any = None, **growth: Any) -> Fight:
    sheets = {
        "pia": {
            "growth": {"spells": list(spells), "attunements": ["force", "water", "fire"], **growth},
            **(sheet or {}),
        }
    }
    return fight_with(places or PLACES, sheets, options={"auto_end": False})


def cast(fight: Fight, spell: str, **params: Any) -> Fight:
    return fight.do("cast", creature="pia", ability=spell, params=params)


def test_force_strike_pushes_the_next_attacks_target() -> None:
    """HR-ABIL-2, HR-CAST-3: it acts once."""
    fight = cast(caster(), "force-strike")
    assert fight.state.priority_side == "players", "an instant does not move priority"
    fight.given("pia", action=1)
    engaged(fight, "pia", "orc", pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 5, 5, target="orc")
    assert fight["orc"].position == (4, 0)
    assert fight.state.lasting == ()


def test_HR_COND_14_the_confused_cast_no_spell() -> None:
    """Not even outside combat."""
    growth = {"spells": list(SPELLS), "attunements": ["force", "water", "fire"]}
    fight = opened(PLACES, sheets={"pia": {"growth": growth}})
    for level, code in ((1, "confused_move_or_act"), (0, None)):
        fight.given("pia", conditions={"confused": Condition(level=level)} if level else {})
        refusal = fight.send("cast", "zoe", creature="pia", ability="force-strike").refusal
        assert (refusal and refusal.code) == code


@pytest.mark.parametrize(("ground", "level"), [("normal", 1), ("shallow_water", 2)])
def test_cold_snap_restrains_and_the_wet_twice(ground: str, level: int) -> None:
    fight = caster()
    fight.state = changed(fight.state, terrain={"1,0": ground})
    cast(fight, "cold-snap", chosen=["orc"])
    assert fight["orc"].level("restrained") == level
    assert fight.state.priority_side == "enemies"


def test_aura_of_ignition_burns_neighbours_each_round_until_it_is_ended() -> None:
    """HR-CAST-3: an ongoing spell is ended as an instant."""
    fight = cast(caster(), "aura-of-ignition")
    _next_round(fight)
    fight.throw(3)
    assert fight["orc"].level("burning") == 1
    while any("accept_damage" in a.accepts for a in waiting(fight.state)):
        fight.answer("accept_damage", "orc")
    fight.do("end_spell", creature="pia", spell="aura-of-ignition")
    assert fight.state.lasting == ()
    assert fight.refused("end_spell", creature="pia", spell="aura-of-ignition") == "unknown_spell"


def _next_round(fight: Fight) -> Fight:
    at = fight.state.round
    while fight.state.round == at:
        fight.do("pass_side", side=fight.state.priority_side)
    return fight


def test_HR_V_89_cooldowns_one_spell_a_round_and_movement() -> None:
    """HR-CAST-1/2."""
    fight = caster(advanced_attunements=["force"])
    pia = fight["pia"]
    assert cooldown(changed(pia, meditation=2), FORCE_STRIKE) == 1
    assert cooldown(changed(pia, meditation=3), FORCE_STRIKE) == 0
    assert cooldown(pia, AURA_OF_IGNITION) == 4

    cast(fight, "force-strike").given("pia", action=1)
    code = fight.refused("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    assert code == "spell_already_cast"
    fight.given("pia", spell_cast=False, moved_ft=35)
    code = fight.refused("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    assert code == "moved_too_far_to_cast"


def test_HR_CAST_2_a_paragon_attunement_takes_two_off() -> None:
    fight = caster(paragon_attunements=["fire"])
    assert cooldown(fight["pia"], AURA_OF_IGNITION) == 2


def test_HR_CAST_2_the_same_spell_waits_for_rests() -> None:
    fight = cast(caster(), "force-strike").given("pia", action=1, spell_cast=False)
    assert fight["pia"].cooldowns == {"force-strike": 4}
    assert fight.refused("cast", creature="pia", ability="force-strike") == "spell_cooldown"


def test_HR_CAST_2_rounds_of_meditation_count_in_a_row() -> None:
    fight = caster()
    for _ in range(2):
        fight.do("meditate", creature="pia")
        _next_round(fight)
    assert fight["pia"].meditation == 2
    cast(fight, "force-strike")
    assert fight["pia"].cooldowns == {"force-strike": 2}
    _next_round(fight)
    assert fight["pia"].meditation == 0


def test_HR_CAST_2_whoever_does_something_else_does_not_meditate() -> None:
    fight = caster().do("meditate", creature="pia").do("pass_side", side="enemies")
    fight.do("call_out", creature="pia", words="om")
    _next_round(fight)
    assert fight["pia"].meditation == 0


def test_HR_CAST_1_a_hand_must_be_free() -> None:
    heavy = {"weapons": [{"id": "maul", "size_class": "heavy"}]}
    fight = caster(sheet=heavy)
    assert free_hands(fight["pia"]) == 0
    assert fight.refused("cast", creature="pia", ability="force-strike") == "no_free_hand"
    let_go(fight.do("object", creature="pia", verb="stow")).do("pass_side", side="enemies")
    cast(fight, "force-strike")


def test_HR_CAST_1_at_most_half_the_speed_after_a_spell() -> None:
    fight = cast(caster({"pia": (0, 0), "orc": (20, 0)}), "force-strike")
    assert (
        fight.refused("dash", creature="pia", path=[[x, 0] for x in range(1, 8)]) == "moved_too_far_to_cast"
    )
    fight.do("dash", creature="pia", path=[[x, 0] for x in range(1, 6)])


def test_HR_CAST_4_nobody_casts_what_it_does_not_know() -> None:
    fight = caster(spells=())
    assert fight.refused("cast", creature="pia", ability="force-strike") == "unknown_spell"
    assert fight.refused("meditate", creature="pia") == "unknown_spell"


def test_HR_ACT_6_casting_is_a_full_action_and_makes_the_round_active() -> None:
    fight = cast(caster(), "cold-snap", chosen=["orc"])
    assert fight["pia"].action == 0
    assert fight["pia"].rounds_active == (1,)
    _next_round(fight)
    assert fight["pia"].rush == 1


def test_HR_ACT_6_a_spell_that_is_no_instant_needs_priority() -> None:
    fight = caster().do("pass_side", side="players")
    code = fight.refused("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    assert code == "no_priority"
    cast(fight, "force-strike")


def test_HR_CAST_3_saves_meet_the_casters_heart_die() -> None:
    """Those who fail are what the rest of the spell is about."""
    dread = {
        "id": "dread",
        "name": "Dread",
        "elements": ["mind"],
        "params": [{"name": "chosen", "kind": "creatures", "side": "enemy", "within_ft": 30}],
        "effects": [
            {"kind": "save", "who": "$chosen", "ability": "cunning"},
            do("condition", creature="failed", condition="dazed", levels=2),
        ],
    }
    sheets = {"pia": {"growth": {"spells": ["dread"], "attunements": ["mind"]}, "paragon_level": 1}}
    fight = fight_with({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}, sheets, spells=[dread])
    assert save_number(fight["pia"]) == 8 + 2
    cast(fight, "dread", chosen=["orc", "wolf"]).throw(6, 4, 5, 4)
    assert [(e.creature, e.success) for e in fight.logged("save_made")] == [("orc", True), ("wolf", False)]
    assert (fight["orc"].level("dazed"), fight["wolf"].level("dazed")) == (0, 2)
