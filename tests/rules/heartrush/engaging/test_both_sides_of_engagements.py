"""Both sides of each bound of declarations, prompts and offensive actions in an engagement."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun
from tests.rules.heartrush.sides import MALFORMED, refusal_of

TRIO = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
PAIR = {"pia": (0, 0), "wolf": (1, 0)}
NOT_YOURS = ("not_your_prompt", "TABLE-SEAT-1")
MACE = [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]


def fought(
    places: dict[str, tuple[int, int]], *joiners: str, pia: str, changes: Any = None, **stances: str
) -> Fight:
    """Return a fight in which Pia has engaged the last of *places*, after the reveal."""
    fight = begun(places, **(changes or {})).do("engage", creature="pia", target=list(places)[-1])
    return fight.joined_by(*joiners).stances(pia=pia, **stances)


# --- whose prompt it is ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "data", "stance"),
    [
        ("declare_attack", {"target": "orc"}, "might"),
        ("decline_attack", {}, "might"),
        ("declare_offensive", {"target": "orc", "what": "stunt", "text": "kick"}, "might"),
        ("declare_agility", {"target": "orc", "order": "no_move"}, "agility"),
    ],
)
def test_TABLE_SEAT_1_a_declaration_answers_the_prompt_of_its_creature(
    type_: str, data: dict[str, Any], stance: str
) -> None:
    """HR-RES-2, HR-RES-3."""
    close = {"sheets": {"ash": {"weapons": MACE}}}
    places = {**TRIO, "ash": (1, 1)}
    fight = fought(places, "ash", pia=stance, ash=stance, orc="defensive", changes=close)
    pia, ash = fight.prompt("pia"), fight.prompt("ash")
    for by, creature, prompt, code in (
        ("zoe", "pia", ash, "not_your_prompt"),
        ("zoe", "ash", pia, "not_your_prompt"),
        ("zoe", "pia", "r1/none", "prompt_gone"),
        ("gm", "pia", pia, "not_your_creature"),
    ):
        found = refusal_of(fight, by, type_, creature=creature, prompt=prompt, **data)
        assert found is not None
        assert found[0] == code
        assert code == "prompt_gone" or found[1] == "TABLE-SEAT-1"
    assert refusal_of(fight, "zoe", type_, creature="pia", prompt=pia, **data) is None
    made = fight.logged("declaration_made")
    assert [(event.creature, event.because[0]) for event in made] == [("pia", "HR-RES-3")]
    assert not fight.logged("targets_revealed"), "the other has not declared"
    again = refusal_of(fight, "zoe", type_, creature="pia", prompt=pia, **data)
    assert again == ("attack_already_made", "HR-RES-2")


@pytest.mark.parametrize("type_", ["sidestep", "decline_sidestep"])
def test_TABLE_SEAT_1_and_HR_ACT_7_a_free_sidestep_answers_the_prompt_of_its_creature(type_: str) -> None:
    """HR-STANCE-AGI-2."""
    fight = fought(TRIO, "ash", pia="agility", ash="agility", orc="defensive")
    for name in ("pia", "ash"):
        fight.answer("declare_agility", name, order="move_first")
    mover = waiting(fight.state)[0].creature or ""
    other = "ash" if mover == "pia" else "pia"
    prompt = fight.prompt(mover)
    x, y = fight[other].position
    data = {"to": [x - 1, y]} if type_ == "sidestep" else {}
    assert refusal_of(fight, "zoe", type_, creature=other, prompt=prompt, **data) == NOT_YOURS
    late = refusal_of(fight, "zoe", type_, creature=mover, prompt="r1/none", **data)
    assert (late and late[0]) == "sidestep_already_used"
    x, y = fight[mover].position
    data = {"to": [x - 1, y]} if type_ == "sidestep" else {}
    before = fight[mover]
    assert refusal_of(fight, "zoe", type_, creature=mover, prompt=prompt, **data) is None
    assert (fight[mover].action, fight[mover].rush) == (before.action, before.rush)
    taken = fight.logged("sidestep_taken" if type_ == "sidestep" else "sidestep_declined")
    assert [(event.creature, event.because) for event in taken] == [(mover, ("HR-STANCE-AGI-2",))]
    assert prompt not in [awaited.prompt for awaited in waiting(fight.state)]


def test_HR_ACT_7_who_stands_up_with_its_free_sidestep_is_up_at_once() -> None:
    """HR-STANCE-AGI-2: and the others' reach counts it as standing."""
    fight = fought(TRIO, pia="agility", orc="defensive").given("pia", conditions={"prone": Condition()})
    fight.answer("declare_agility", "pia", order="move_first")
    fight.answer("sidestep", "pia", stand=True)
    (event,) = fight.logged("sidestep_taken")
    assert (event.engagement, event.creature, event.stand) == ("r1/e1", "pia", True)
    assert event.because == ("HR-STANCE-AGI-2", "HR-RES-4")
    assert not fight["pia"].has("prone")


# --- in which step, and on whom --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stance", "type_", "data", "refusal"),
    [
        ("agility", "declare_attack", {"target": "orc"}, ("params_missing", "HR-STANCE-AGI-3")),
        ("might", "declare_attack", {"target": "orc"}, None),
        (
            "might",
            "declare_agility",
            {"target": "orc", "order": "no_move"},
            ("not_agility_stance", "HR-STANCE-AGI-2"),
        ),
        ("agility", "declare_agility", {"target": "orc", "order": "no_move"}, None),
        (
            "agility",
            "declare_agility",
            {"target": "pia", "order": "no_move"},
            ("no_valid_target", "HR-RES-2"),
        ),
        (
            "agility",
            "declare_agility",
            {"target": "elf", "order": "no_move"},
            ("no_valid_target", "HR-RES-2"),
        ),
        ("agility", "declare_agility", {"order": "move_first"}, None),
        ("agility", "decline_attack", {}, None),
        (
            "agility",
            "declare_offensive",
            {"target": "orc", "what": "hinder", "way": "blind"},
            ("params_missing", "HR-STANCE-AGI-3"),
        ),
        (
            "agility",
            "declare_offensive",
            {"target": "orc", "what": "hinder", "way": "blind", "order": "attack_first"},
            None,
        ),
        (
            "agility",
            "declare_offensive",
            {"target": "orc", "what": "hinder", "way": "blind", "order": "move_first"},
            None,
        ),
        (
            "might",
            "declare_offensive",
            {"target": "orc", "what": "hinder", "way": "blind", "order": "no_move"},
            ("params_missing", "HR-STANCE-AGI-3"),
        ),
    ],
)
def test_HR_STANCE_AGI_2_and_HR_STANCE_AGI_3_in_agility_one_says_when_to_move(
    stance: str, type_: str, data: dict[str, Any], refusal: tuple[str, str] | None
) -> None:
    """HR-STANCE-CUN-1 too."""
    fight = fought(TRIO, pia=stance, orc="might")
    found = refusal_of(fight, "zoe", type_, creature="pia", prompt=fight.prompt("pia"), **data)
    assert found == refusal


@pytest.mark.parametrize(
    ("orders", "asked"),
    [
        ({"order": "attack_first"}, ["sidestep"]),
        ({"order": "move_first"}, ["sidestep"]),
        ({"order": "no_move"}, []),
    ],
)
def test_HR_STANCE_AGI_1_and_HR_STANCE_AGI_3_who_declares_to_move_moves(
    orders: dict[str, str], asked: list[str]
) -> None:
    fight = fought(TRIO, pia="agility", orc="defensive").answer("declare_agility", "pia", **orders)
    waits = [a for a in waiting(fight.state) if "sidestep" in a.accepts and a.creature == "pia"]
    assert ["sidestep" for a in waits if a.prompt.startswith("r1/e1")] == asked
    if asked:
        fight.answer("sidestep", "pia", to=[-1, 0])
    assert fight.logged("engagement_ended")


def test_HR_STANCE_AGI_3_who_moves_first_picks_another_target_where_it_stands() -> None:
    """HR-STANCE-AGI-1: a mover that can no longer reach its target chooses; nobody else is asked."""
    places = {"pia": (0, 0), "orc": (2, 0), "wolf": (0, 1)}
    fight = begun(places).do("engage", creature="pia", target="wolf").joined_by()
    fight.stances(pia="agility", wolf="defensive")
    fight.answer("declare_agility", "pia", order="move_first", target=None)
    fight.answer("sidestep", "pia", to=[-1, 0])
    assert fight.waits_for()[0] == "pia"
    picking = {"creature": "pia", "prompt": fight.prompt("pia"), "target": "wolf"}
    late = refusal_of(fight, "zoe", "declare_agility", **picking, order="no_move")
    assert late is not None
    assert refusal_of(
        fight, "zoe", "declare_offensive", **picking, what="stunt", text="x", order="no_move"
    ) == (
        "params_missing",
        "HR-STANCE-AGI-3",
    )
    assert refusal_of(fight, "zoe", "declare_attack", **picking) is None
    (chosen,) = fight.logged("attack_chosen")
    assert (chosen.creature, [each.defender for each in chosen.exchanges]) == ("pia", ["wolf"])


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({}, True),
        ({"conditions": {"grappled": Condition(source="orc")}}, False),
        ({"conditions": {"stunned": Condition()}}, False),
        ({"conditions": {"prone": Condition()}}, True),
        ({"ranged_stance_taken": True, "moved_ft": 25}, False),
        ({"ranged_stance_taken": True, "moved_ft": 20}, True),
    ],
)
def test_HR_STANCE_AGI_2_who_cannot_move_is_asked_no_sidestep(
    changes: dict[str, Any], *, asked: bool
) -> None:
    fight = fought({**TRIO, "ash": (0, 2)}, pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", order="move_first").given("pia", **changes)
    waits = [a for a in waiting(fight.state) if "decline_sidestep" in a.accepts]
    assert [a.creature for a in waits] == (["pia"] if asked else [])


@pytest.mark.parametrize(
    ("stances", "perk", "refusal"),
    [
        (("cunning", "agility"), {"dazed": 2}, None),
        (("cunning", "agility"), {"dazed": 1, "weakened": 1}, None),
        (("cunning", "agility"), {"dazed": 3}, ("perk_over_limit", "HR-STANCE-CUN-2")),
        (("cunning", "agility"), {"dazed": 2, "weakened": 1}, ("perk_over_limit", "HR-STANCE-CUN-2")),
        (("cunning", "agility"), {"dazed": -1}, MALFORMED),
        (("cunning", "agility"), {"prone": 1}, ("perk_not_available", "HR-STANCE-CUN-2")),
        (("cunning", "cunning"), {"dazed": 1}, ("perk_not_available", "HR-STANCE-CUN-2")),
        (("cunning", "defensive"), {"dazed": 1}, ("perk_not_available", "HR-STANCE-CUN-2")),
        (("might", "cunning"), {"dazed": 1}, ("perk_not_available", "HR-STANCE-CUN-2")),
        (("cunning", "defensive"), {"dazed": 0}, None),
        (("cunning", "defensive"), {}, None),
    ],
)
def test_HR_STANCE_CUN_2_only_cunning_at_agility_has_a_perk(
    stances: tuple[str, str], perk: dict[str, int], refusal: tuple[str, str | None] | None
) -> None:
    fight = fought(PAIR, pia=stances[0], wolf=stances[1])
    data = {"creature": "pia", "prompt": fight.prompt("pia"), "target": "wolf", "perk": perk}
    assert refusal_of(fight, "zoe", "declare_attack", **data) == refusal


@pytest.mark.parametrize(
    ("needs_hit", "faces", "dazed"),
    [
        (True, (6, 6, 8, 1, 1), 2),
        (True, (1, 1, 1, 6, 8), 0),
        (False, (1, 1, 1, 6, 8), 2),
    ],
)
def test_HR_STANCE_CUN_2_the_perk_lands_with_a_hit_unless_the_house_gives_it_anyhow(
    faces: tuple[int, ...], dazed: int, *, needs_hit: bool
) -> None:
    """HR-ATK-3, HR-RES-4."""
    changes = {"options": {"cunning_perk_needs_hit": needs_hit}}
    fight = fought(PAIR, pia="cunning", wolf="agility", changes=changes)
    fight.answer("declare_attack", "pia", *faces, target="wolf", perk={"dazed": 2})
    if fight.logged("damage_pending"):
        fight.answer("accept_damage", "wolf")
    assert fight["wolf"].level("dazed") == dazed
