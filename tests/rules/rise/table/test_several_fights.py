"""Several fights in one encounter, with rests between them, and sheets that gain abilities."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.character import Condition
from tests.rules.rise.kit import Fight, begun, entry, opened

FIRE = {"id": "fire", "range_ft": 30, "strike": {"versus": ["reflex"], "dice": [4]}}
ECHO = {**FIRE, "id": "echo", "later": "next_action"}
RULED: dict[str, Any] = {"kind": "effect", "decision": "so it is"}


def duel(**changes: Any) -> Fight:
    """Return a fight of a player's a against the gm's o, in its first action phase."""
    return begun(entry("pc@x/a", (0, 0), **changes), entry("mon@y/o", (1, 0)))


def over(fight: Fight) -> Fight:
    """Let the round go by, and end the fight."""
    return fight.rest().do("end_combat")


# --- several fights ----------------------------------------------------------------------------------


def test_RI_ROUND_7_another_fight_may_be_started_and_its_rounds_are_numbered_on() -> None:
    fight = over(duel())
    assert fight.state.round == 2
    fight.do("start_combat", start_phase="movement")
    assert (fight.state.round, fight.state.rounds_before, fight.state.stage) == (3, 2, "movement")
    assert [event.type for event in fight.events].count("combat_started") == 2


@pytest.mark.parametrize(("start_phase", "stage"), [("action", "action"), ("movement", "movement")])
def test_RI_ROUND_4_also_a_second_fight_may_begin_with_either_phase(start_phase: str, stage: str) -> None:
    fight = over(duel()).do("start_combat", start_phase=start_phase, unaware=["o"])
    assert fight.state.stage == stage
    assert fight["o"].unaware_of == ("a",)


def test_RI_ROUND_7_none_begins_while_one_runs() -> None:
    fight = duel()
    assert fight.refused("start_combat") == "wrong_step"
    assert "start_combat" not in {offer.type for offer in fight.offers("gm")}
    over(fight)
    assert {"start_combat", "continue_combat"} <= {offer.type for offer in fight.offers("gm")}


@pytest.mark.parametrize(
    ("name", "until", "stays"),
    [
        ("dazed", "condition", True),
        ("cursed", "permanent", True),
        ("guard", "round", False),
        ("guard", "brief", False),
        ("guard", "phase", False),
        ("guard", "sustain", False),
        ("grappled", "condition", False),
        ("grip", "condition", False),
    ],
)
def test_RI_ROUND_7_what_ends_by_itself_is_gone(name: str, until: Any, stays: bool) -> None:  # noqa: FBT001 - a row
    fight = over(duel()).given("a", conditions=(Condition(name=name, source="o", until=until),))
    fight.do("start_combat")
    assert fight["a"].has(name) is stays


def test_RI_ROUND_7_places_fatigue_and_what_is_used_up_stay() -> None:
    """A recovery is once per short rest, whatever fights come between; its hit points are those it has."""
    fight = duel().given("a", hp=7, fatigue=2, recovered=True)
    over(fight).do("start_combat", start_phase="action").to_actions()
    a = fight["a"]
    assert (a.position, a.hp, a.fatigue, a.recovered) == ((0, 0), 7, 2, True)
    assert fight.refused("recover", "a") == "recover_already_used"


def test_RI_REST_1_a_rest_between_two_fights_is_on_the_record() -> None:
    fight = over(duel().given("a", hp=7, fatigue=2, recovered=True))
    assert fight.send("rest", "gm", creature="a", rest="short").refusal is None
    fight.do("start_combat", start_phase="action").to_actions()
    assert (fight["a"].hp, fight["a"].fatigue) == (20, 2)
    fight.do("recover", "a")
    assert fight.state.at("x").creatures["a"].recovered


def test_RI_ROUND_7_what_was_to_come_in_later_turns_does_not_come_in_another_fight() -> None:
    fight = duel(abilities=[ECHO]).do("use_ability", "a", ability="echo", targets=["o"]).end("a")
    over(fight)
    assert fight["a"].delayed
    fight.do("start_combat", start_phase="action").to_actions()
    assert not fight["a"].delayed
    assert not fight.logged("delayed_fired")


def test_RI_ROUND_6_a_second_fight_ends_by_itself_after_its_own_first_round() -> None:
    """It does not end before anybody could act, though one side stands already."""
    fight = duel().given("o", defeated=True, hp=0).rest()
    ended = [fight.state.is_over]
    fight.do("start_combat", start_phase="action")
    ended.append(fight.state.is_over)
    fight.to_actions().rest()
    assert [*ended, fight.state.is_over] == [True, False, True]


def test_RI_ROUND_7_hit_points_below_zero_are_of_the_fight_that_is_over() -> None:
    fight = duel()
    fight.do("end_combat").given("a", hp=-4, depth=1)
    fight.do("start_combat", start_phase="action")
    assert (fight["a"].hp, fight["a"].depth) == (0, 0)


def test_RI_GM_5_between_two_fights_a_creature_joins_at_once() -> None:
    fight = over(duel())
    fight.do("add_creature", entry=entry("mon@y/late", (5, 0)))
    assert fight["late"].position == (5, 0)
    fight.do("start_combat", start_phase="action")
    assert fight.state.group_of("late") == "y"


# --- abilities that are gained -----------------------------------------------------------------------


def paused(fight: Fight) -> Fight:
    """Return *fight* in the pause after its first round's announcement."""
    return fight.do("ask_pause").rest()


def test_RI_GM_6_an_ability_is_taught_in_the_middle_of_a_fight_and_used() -> None:
    fight = paused(duel())
    fight.do("gm_ruling", **RULED, effects=[{"does": "teach", "target": "a", "ability": FIRE}])
    (learned,) = fight.logged("ability_learned")
    assert (learned.creature, learned.ability.id) == ("a", "fire")
    fight.do("go_on").to_actions()
    fight.do("use_ability", "a", 9, 3, ability="fire", targets=["o"]).end("a").rest()
    assert fight["o"].hp == 17


def test_RI_GM_6_an_ability_takes_the_place_of_one_of_the_same_name() -> None:
    fight = opened(entry("pc@x/a", (0, 0), abilities=[FIRE]), entry("mon@y/o", (1, 0)))
    fight.do(
        "gm_ruling", **RULED, effects=[{"does": "teach", "target": "a", "ability": {**FIRE, "range_ft": 60}}]
    )
    assert [(ability.id, ability.range_ft) for ability in fight["a"].sheet.abilities] == [("fire", 60)]


def test_RI_GM_6_an_ability_is_taken_with_what_was_to_come_by_it() -> None:
    fight = duel(abilities=[ECHO, FIRE]).do("use_ability", "a", ability="echo", targets=["o"]).end("a")
    paused(fight).do("gm_ruling", **RULED, effects=[{"does": "unteach", "target": "a", "name": "echo"}])
    assert [ability.id for ability in fight["a"].sheet.abilities] == ["fire"]
    assert fight["a"].delayed == ()
    fight.do("go_on").to_actions()
    assert fight.refused("use_ability", "a", ability="echo", targets=["o"]) == "ability_not_in_profile"


SWIFT_ATTACK = {**FIRE, "tags": ["swift"], "effects": [{"does": "damage", "amount": 2}]}


@pytest.mark.parametrize(
    "effect",
    [
        {"does": "teach", "target": "a"},
        {"does": "teach", "target": "nobody", "ability": FIRE},
        {"does": "teach", "target": "a", "ability": SWIFT_ATTACK},
        {"does": "teach", "target": "a", "ability": {**FIRE, "strike": {"versus": ["brawn"]}}},
        {"does": "unteach", "target": "a", "name": "fire"},
        {"does": "damage", "target": "a", "amount": 1, "ability": FIRE},
    ],
    ids=["no ability", "nobody", "swift attack", "unknown defense", "unknown", "not taught"],
)
def test_RI_GM_6_what_cannot_be_taught_or_taken_is_refused(effect: dict[str, Any]) -> None:
    fight = opened(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0)))
    assert fight.refused("gm_ruling", **RULED, effects=[effect]) == "effect_not_possible"


def test_RI_GM_6_no_ability_is_taught_in_public_to_whose_abilities_are_gm_only() -> None:
    """The ruling would show one of them; the record gives no reason, as for all that is GM-only."""
    monster = {**entry("mon@y/o", (1, 0)), "gm_only": ["abilities"]}
    fight = opened(entry("pc@x/a", (0, 0)), monster)
    effects = [{"does": "teach", "target": "o", "ability": FIRE}]
    assert fight.refused("gm_ruling", **RULED, effects=effects) == "gm_only"
    assert fight["o"].sheet.abilities == ()


def test_RI_GM_6_a_sheet_is_fixed_while_a_phase_is_unfinished() -> None:
    """Movements are revealed and a creature is asked whether it sprints: no world is open, and yet."""
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), speeds={"land": 60}), phase="movement")
    fight.do("plan_movement", "a", ability="follow", targets=["o"], distance_ft=5)
    fight.do("plan_movement", "o", path=[[x, 0] for x in range(2, 13)])
    assert not fight.state.worlds
    effect = {"does": "teach", "target": "a", "ability": FIRE}
    assert fight.refused("gm_ruling", **RULED, effects=[effect]) == "effect_not_possible"


def test_RI_REST_1_whoever_rests_is_in_nobodys_hold_and_holds_nobody() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("grapple", "e", 6, target="p").end("e").rest().do("end_combat").do("rest", creature="p")
    assert [fight[name].has("grappled") for name in "pe"] == [False, False]


def test_RI_ROUND_7_a_deed_that_was_not_judged_ends_with_its_fight() -> None:
    """The question which of two deeds comes first is still open."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options={"auto_default": False})
    for name in "pe":
        fight.do("improvise", name, deed="topple it", thing="statue").end(name)
    assert fight.state.deeds
    fight.do("end_combat").do("start_combat", start_phase="action")
    assert not fight.state.deeds
