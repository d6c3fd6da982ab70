"""Both sides of each bound of abilities, spells, payments and checks, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.actions import SLIGHT, AbilityUsed, afford_action_or_rush
from service.rules.heartrush.body.conditions import hindrance
from service.rules.heartrush.creatures.abilities import Spell
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.rolling.checks import CheckFrame, trouble
from service.rules.heartrush.timing.windows import usable
from service.rules.heartrush.using.spellcasting import check_casting, cooldown
from service.rules.kernel.records import changed
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import PLACES, code_of, emitted, refusal_of

NEAR = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}

# --- payments --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "rush", "pay", "found"),
    [
        (0, 0, None, "cannot_pay"),
        (0, 0, "action", "cannot_pay"),
        (0, 0, "rush", "cannot_pay"),
        (0, 1, None, "rush"),
        (0, 1, "rush", "rush"),
        (0, 1, "action", "action_spent"),
        (1, 0, None, "action"),
        (1, 0, "action", "action"),
        (1, 0, "rush", "insufficient_rush"),
        (1, 1, None, "action"),
        (1, 1, "rush", "rush"),
        (2, 0, None, "action"),
    ],
)
def test_HR_ACT_4_it_costs_the_action_or_a_rush_point(action: int, rush: int, pay: Any, found: str) -> None:
    creature = begun(PLACES).given("pia", action=action, rush=rush)["pia"]
    code = code_of(afford_action_or_rush, creature, pay)
    assert code == (None if found in ("action", "rush") else found)
    if code is None:
        assert afford_action_or_rush(creature, pay) == found


@pytest.mark.parametrize(
    ("ability_", "acted"),
    [("dash", False), ("sidestep", False), ("call_out", False), ("engage", True), ("help", True)],
)
def test_HR_GEN_2_and_HR_PRIO_5_an_ability_takes_priority_and_counts_as_acting(
    ability_: str, *, acted: bool
) -> None:
    state = changed(begun(PLACES).state, passes=1, auto_passes=1, member_passed=("ash",), starter="ash")
    after = AbilityUsed(creature="pia", ability=ability_, paid="none").evolve(state)
    assert after.creatures["pia"].acted is acted
    assert (ability_ in SLIGHT) is not acted
    assert (after.phase, after.priority_side, after.last_actor, after.last_actor_side) == (
        "resolving",
        None,
        "pia",
        "players",
    )
    assert (after.passes, after.auto_passes, after.member_passed, after.starter) == (0, 0, (), None)
    assert after.acted_this_round


@pytest.mark.parametrize(
    ("type_", "data", "conditions", "rule"),
    [
        ("help", {"target": "ash"}, {}, "HR-ACT-10"),
        ("break_free", {"ability": "might"}, {"grappled": Condition(source="orc")}, "HR-GRAP-7"),
        ("douse", {}, {"burning": Condition(level=3)}, "HR-COND-19"),
    ],
)
def test_HR_ACT_1_and_HR_ACT_2_these_take_the_action(
    type_: str, data: dict[str, Any], conditions: dict[str, Condition], rule: str
) -> None:
    """HR-ACT-10, HR-GRAP-7, HR-COND-19."""
    fight = begun(NEAR).given("pia", conditions=conditions, action=0, rush=9)
    spent = refusal_of(fight, "zoe", type_, creature="pia", **data)
    assert spent == ("action_spent", "HR-ACT-1")
    assert not fight.logged("ability_used")
    fight.given("pia", action=1)
    assert refusal_of(fight, "zoe", type_, creature="pia", **data) is None, rule
    (used,) = fight.logged("ability_used")
    assert (used.ability, used.paid, fight["pia"].action) == (type_, "action", 0)
    if type_ == "douse":
        assert used.because == ("HR-ACT-2", "HR-COND-19")
        assert fight["pia"].level("burning") == 1


@pytest.mark.parametrize(
    ("type_", "data", "refusal"),
    [
        ("let_go", {}, ("not_grappled", "HR-COND-24")),
        ("break_free", {"ability": "might"}, ("not_grappled", "HR-GRAP-7")),
        ("douse", {}, ("condition_missing", "HR-COND-19")),
        ("help", {"target": "pia"}, ("no_valid_target", "HR-ACT-10")),
        ("help", {"target": "elf"}, ("no_valid_target", "HR-ACT-10")),
        ("help", {"target": "bru"}, ("not_adjacent", "HR-ACT-10")),
        ("call_out", {"words": ""}, ("sentence_too_long", "HR-ACT-11")),
        ("call_out", {"words": "x" * 281}, ("sentence_too_long", "HR-ACT-11")),
        ("call_out", {"words": "x" * 280}, None),
        ("call_out", {"words": "x"}, None),
    ],
)
def test_HR_ACT_10_HR_ACT_11_and_HR_COND_24_what_finds_nothing_to_act_on_is_refused(
    type_: str, data: dict[str, Any], refusal: tuple[str, str] | None
) -> None:
    fight = begun({**NEAR, "bru": (0, 2)})
    before = fight["pia"]
    found = refusal_of(fight, "zoe", type_, creature="pia", **data)
    assert (found and found[0]) == (refusal and refusal[0])
    if refusal is None:
        assert fight.logged("called_out")[0].words == data["words"]
        assert not fight["pia"].free_callout
    else:
        assert fight["pia"] == before


# --- spells ----------------------------------------------------------------------------------------------

GROWTH = {"spells": ["force-strike", "cold-snap"], "attunements": ["force", "water"]}


@pytest.mark.parametrize(
    ("changes", "spell", "refusal"),
    [
        ({}, "force-strike", None),
        ({}, "fire-storm", ("unknown_spell", "HR-CAST-4")),
        ({}, "battlescreech", ("unknown_spell", "HR-CAST-4")),
        ({"spell_cast": True}, "force-strike", ("spell_already_cast", "HR-CAST-1")),
        ({"action": 0}, "force-strike", ("action_spent", "HR-ACT-1")),
        ({"moved_ft": 28}, "force-strike", None),
        ({"moved_ft": 29}, "force-strike", ("moved_too_far_to_cast", "HR-CAST-1")),
        ({"cooldowns": {"force-strike": 3}}, "force-strike", ("spell_cooldown", "HR-CAST-2")),
        ({"cooldowns": {"force-strike": 0}}, "force-strike", ("spell_cooldown", "HR-CAST-2")),
        ({"cooldowns": {"cold-snap": 3}}, "force-strike", None),
    ],
)
def test_HR_ACT_6_HR_CAST_1_HR_CAST_2_and_HR_CAST_4_who_casts_what(
    changes: dict[str, Any], spell: str, refusal: tuple[str, str] | None
) -> None:
    for in_combat in (True, False):
        make = begun if in_combat else opened
        fight: Fight = make(NEAR, sheets={"pia": {"growth": GROWTH, "abilities": ["battlescreech"]}})
        fight.given("pia", **changes)
        found = refusal_of(fight, "zoe", "cast", creature="pia", ability=spell)
        counts = in_combat or refusal is None or refusal[1] in ("HR-CAST-2", "HR-CAST-4")
        assert found == (refusal if counts else None)
        if found is None:
            assert fight["pia"].cooldowns["force-strike"] > 0
            assert fight["pia"].action == (0 if in_combat else fight["pia"].action)
            used = [event.paid for event in fight.logged("ability_used")]
            assert used == ["action" if in_combat else "none"]


@pytest.mark.parametrize(
    ("wielding", "code"), [({"shield": "none"}, None), ({"shield": "light"}, "no_free_hand")]
)
def test_HR_CAST_1_who_casts_has_a_hand_free(wielding: dict[str, Any], code: str | None) -> None:
    fight = begun(NEAR, sheets={"pia": wielding})
    assert code_of(check_casting, fight["pia"]) == code


@pytest.mark.parametrize(
    ("meditation", "level", "rests"),
    [
        (0, "attunements", 4),
        (0, "advanced_attunements", 3),
        (0, "paragon_attunements", 2),
        (1, "attunements", 3),
        (4, "attunements", 0),
        (5, "attunements", 0),
        (9, "paragon_attunements", 0),
    ],
)
def test_HR_CAST_2_attunement_and_meditation_shorten_the_wait(
    meditation: int, level: str, rests: int
) -> None:
    fight = begun(NEAR, sheets={"pia": {"growth": {"spells": ["force-strike"], level: ["force"]}}})
    fight.given("pia", meditation=meditation)
    spell = fight.state.abilities["force-strike"]
    assert isinstance(spell, Spell)
    assert cooldown(fight["pia"], spell) == rests


# --- how an ability is used ------------------------------------------------------------------------------


def param(name: str, kind: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, **changes}


TARGET = param("target", "creature", side="enemy", within_ft=10)
PARAMS: list[tuple[list[dict[str, Any]], dict[str, Any], str | None]] = [
    ([TARGET], {"target": "orc"}, None),
    ([TARGET], {}, "params_missing"),
    ([TARGET], {"target": "elf"}, "params_missing"),
    ([TARGET], {"target": 3}, "params_missing"),
    ([TARGET], {"target": "ash"}, "target_not_enemy"),
    ([TARGET], {"target": "wolf"}, "not_in_range"),
    ([TARGET], {"target": "orc", "more": 1}, "params_missing"),
    ([param("target", "creature", side="ally")], {"target": "orc"}, "no_valid_target"),
    ([param("target", "creature", side="ally")], {"target": "ash"}, None),
    ([param("target", "creature", side="ally")], {"target": "pia"}, None),
    ([param("target", "creature", side="other")], {"target": "pia"}, "no_valid_target"),
    ([param("target", "creature", side="other")], {"target": "ash"}, None),
    ([param("target", "creature", side="any")], {"target": "pia"}, None),
    ([param("target", "creature", side="any", engaged=True)], {"target": "orc"}, "not_in_engagement"),
    ([param("target", "creature", side="any", optional=True)], {}, None),
    ([param("some", "creatures", side="any", least=1)], {"some": ["orc"]}, None),
    ([param("some", "creatures", side="any", least=1)], {"some": []}, "params_missing"),
    ([param("some", "creatures", side="any", least=2)], {"some": ["orc"]}, "params_missing"),
    ([param("some", "creatures", side="any", least=1)], {"some": ["orc", "orc"]}, "params_missing"),
    ([param("some", "creatures", side="any", least=1)], {"some": ["orc", "elf"]}, "params_missing"),
    ([param("some", "creatures", side="any", least=1)], {"some": "orc"}, "params_missing"),
    ([param("n", "number", least=1, most=3)], {"n": 0}, "params_missing"),
    ([param("n", "number", least=1, most=3)], {"n": 1}, None),
    ([param("n", "number", least=1, most=3)], {"n": 3}, None),
    ([param("n", "number", least=1, most=3)], {"n": 4}, "params_missing"),
    ([param("n", "number", least=1, most=3)], {"n": "2"}, "params_missing"),
    ([param("to", "cell")], {"to": [1, 2]}, None),
    ([param("to", "cell")], {"to": [1]}, "params_missing"),
    ([param("to", "cell")], {"to": [1, "2"]}, "params_missing"),
    ([param("to", "cell")], {"to": 3}, "params_missing"),
    ([param("say", "text")], {"say": "x"}, None),
    ([param("say", "text")], {"say": "x" * 280}, None),
    ([param("say", "text")], {"say": "x" * 281}, "malformed"),
    ([param("say", "text")], {"say": ""}, "params_missing"),
    ([param("say", "text")], {"say": 3}, "params_missing"),
    ([param("st", "stance")], {"st": "might"}, None),
    ([param("st", "stance")], {"st": "defensive"}, "params_missing"),
    ([param("ab", "ability")], {"ab": "presence"}, None),
    ([param("ab", "ability")], {"ab": "charm"}, "params_missing"),
    ([param("co", "condition")], {"co": "dazed"}, None),
    ([param("co", "condition")], {"co": "prone"}, "params_missing"),
    ([param("op", "choice", choices=["a", "b"])], {"op": "b"}, None),
    ([param("op", "choice", choices=["a", "b"])], {"op": "c"}, "params_missing"),
    (
        [param("op", "choice", choices=["a", "b"]), param("n", "number", least=1, most=3, when={"op": "a"})],
        {"op": "a", "n": 1},
        None,
    ),
    (
        [param("op", "choice", choices=["a", "b"]), param("n", "number", least=1, most=3, when={"op": "a"})],
        {"op": "b", "n": 1},
        "params_missing",
    ),
    (
        [param("op", "choice", choices=["a", "b"]), param("n", "number", least=1, most=3, when={"op": "a"})],
        {"op": "b"},
        None,
    ),
    (
        [param("op", "choice", choices=["a", "b"]), param("n", "number", least=1, most=3, when={"op": "a"})],
        {"op": "a"},
        "params_missing",
    ),
]


@pytest.mark.parametrize(("params", "said", "code"), PARAMS)
def test_HR_ABIL_8_how_an_ability_is_used_is_said_whole(
    params: list[dict[str, Any]], said: dict[str, Any], code: str | None
) -> None:
    own = ability("own", "heart", params=params, effects=[do("rush", creature="self", points=0)])
    places = {**NEAR, "wolf": (3, 0)}
    fight = begun(places, sheets={"pia": {"abilities": ["own"]}}, abilities=[own])
    fight.given("pia", conditions={"dazed": Condition()})
    found = refusal_of(fight, "zoe", "use_ability", creature="pia", ability="own", params=said)
    assert found == (code and (code, None if code == "malformed" else "HR-ABIL-8"))
    assert fight["pia"].spent == (() if code else ("own",))


def test_HR_ABIL_8_the_dead_are_no_targets() -> None:
    own = ability("own", "heart", params=[TARGET], effects=[do("rush", creature="self", points=0)])
    fight = begun({**NEAR, "wolf": (9, 9)}, sheets={"pia": {"abilities": ["own"]}}, abilities=[own])
    asked = {"creature": "pia", "ability": "own", "params": {"target": "orc"}}
    for status, found in (("dead", ("target_dead", "HR-ABIL-8")), ("unconscious", None)):
        fight.given("orc", status=status)
        assert refusal_of(fight, "zoe", "use_ability", **asked) == found


@pytest.mark.parametrize(
    ("changes", "moment", "found"),
    [
        ({}, "attack_rolled", ["own"]),
        ({"trigger": ["attack_rolled"]}, "attack_rolled", ["own"]),
        ({"trigger": ["attack_rolled"]}, "rolls_known", []),
        ({"trigger": ["attack_rolled", "rolls_known"]}, "rolls_known", ["own"]),
        ({"requires": [{"kind": "at_zero"}]}, "attack_rolled", []),
        ({"params": [TARGET]}, "attack_rolled", ["own"]),
        ({"params": [{**TARGET, "engaged": True}]}, "attack_rolled", []),
    ],
)
def test_HR_TIME_4_an_instant_is_used_at_its_moments(
    changes: dict[str, Any], moment: Any, found: list[str]
) -> None:
    own = ability("own", "minor", "instant", effects=[do("rush", creature="self", points=0)], **changes)
    slow = ability("slow", "minor", effects=[do("rush", creature="self", points=0)])
    sheets = {"pia": {"abilities": ["slow", "own"]}}
    fight = begun(NEAR, sheets=sheets, abilities=[own, slow]).given("pia", rush=1)
    about: dict[str, str | int] = {"attacker": "orc", "defender": "pia"}
    assert [each.id for each in usable(fight.state, fight["pia"], moment, about)] == found
    assert not list(usable(fight.state, fight["ash"], moment, about))
    fight.given("pia", rush=0)
    assert not list(usable(fight.state, fight["pia"], moment, about))
    quiet = opened(NEAR, sheets=sheets, abilities=[own, slow]).given("pia", rush=1)
    assert not list(usable(quiet.state, quiet["pia"], moment, about))


# --- checks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, None),
        ({"cn": 0}, None),
        ({"cn": -1}, ("malformed", None)),
        ({"cn": 200}, None),
        ({"cn": 201}, ("params_missing", "HR-GEN-8")),
        ({"cn": None}, ("params_missing", "HR-GEN-8")),
        ({"cn": None, "against": {"creature": "orc", "by": "might"}}, None),
        ({"against": {"creature": "orc", "by": "might"}}, ("params_missing", "HR-GEN-8")),
        ({"advantage": 5}, None),
        ({"advantage": -5}, None),
        ({"advantage": 99}, ("params_missing", "HR-AD-3")),
        ({"advantage": -99}, ("params_missing", "HR-AD-3")),
        ({"what": ""}, ("params_missing", "HR-GEN-5")),
        ({"what": "x" * 200}, None),
        ({"what": "x" * 201}, ("malformed", None)),
    ],
)
def test_HR_GEN_5_HR_GEN_8_and_HR_AD_3_a_check_has_bounds(
    changes: dict[str, Any], refusal: tuple[str, str | None] | None
) -> None:
    data = {"creature": "pia", "ability": "might", "what": "lift it", "cn": 8, **changes}
    fight = opened(NEAR)
    assert refusal_of(fight, "gm", "roll_check", **data) == refusal
    by_another = refusal if refusal == ("malformed", None) else ("not_gm", "HR-SVC-1")
    assert refusal_of(opened(NEAR), "zoe", "roll_check", **data) == by_another


@pytest.mark.parametrize(
    ("ones", "events"),
    [((), []), ((8,), ["check_needs_choice"]), ((8, 6), ["check_failed"]), ((8, 6, 6), ["check_failed"])],
)
def test_HR_GEN_7_two_ones_fail_and_one_gives_a_choice(ones: tuple[int, ...], events: list[str]) -> None:
    frame = CheckFrame(path="r0/check-1", creature="pia", ability="might", cn=8, what="lift it", ones=ones)
    state = opened(NEAR).state.pushed(frame)
    found = emitted(trouble(state, frame), state)
    assert [event.type for event in found] == events
    assert all((event.check, event.creature) == ("r0/check-1", "pia") for event in found)


@pytest.mark.parametrize(
    ("condition", "name", "levels"),
    [
        ("weakened", "might", 2),
        ("weakened", "agility", 0),
        ("off_balanced", "agility", 2),
        ("dazed", "cunning", 2),
        ("shaken", "presence", 2),
    ],
)
def test_HR_COND_4_each_condition_hinders_its_ability(condition: str, name: str, levels: int) -> None:
    for affects in (True, False):
        fight = begun(NEAR, options={"ability_conditions_affect_ad": affects})
        fight.given("pia", conditions={condition: Condition(level=2)})
        assert hindrance(fight.state, fight["pia"], name, ad=False) == levels
        assert hindrance(fight.state, fight["pia"], name) == (levels if affects else 0)
