"""Refusals that only one moment brings, each by its rule: most stand behind others that come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from service.rules.heartrush.creatures.character import Condition
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import refusal_of

PLACES: Final = {"pia": (0, 0), "ash": (0, 2), "orc": (9, 0)}
DUEL: Final = {"pia": (0, 0), "wolf": (1, 0)}
CRY: Final = ability("cry", "major", "quick", effects=[do("rush", creature="self", points=1)])
YELL: Final = ability("yell", "major", "instant", effects=[do("rush", creature="self", points=1)])
KNOWS: Final[dict[str, Any]] = {
    "abilities": [CRY, YELL],
    "sheets": {"pia": {"abilities": ["cry", "yell"], "growth": {"aspects": [{"text": "kind", "rank": 2}]}}},
}
Sent = tuple[str, str, Mapping[str, Any]]
"""Who sends what: the seat, the command and its data."""


def mine(places: Any = PLACES, **changes: Any) -> Fight:
    """Return a fight in which the players hold priority."""
    fight = begun(places, **changes)
    return fight.do("pass_side", side="enemies") if fight.state.priority_side == "enemies" else fight


def ruled(fight: Fight, **effect: Any) -> Fight:
    """Let the GM rule that one thing happens."""
    return fight.do("gm_ruling", kind="other", decision="so be it", reason="fair", effects=[effect])


def over() -> Fight:
    return mine().do("end_combat")


def attacking(target: str, **options: Any) -> tuple[Fight, Sent]:
    """Return a fight of Pia and Bru, who are strong, a cunning orc and a strong wolf, and Pia's attack."""
    places = {"pia": (0, 0), "bru": (0, 1), "orc": (1, 1), "wolf": (1, 0)}
    fight = begun(places, options=options).do("engage", creature="pia", target="wolf").joined_by("bru", "orc")
    fight.stances(pia="might", bru="might", orc="cunning", wolf="might")
    asked = {"creature": "pia", "target": target, "prompt": fight.prompt("pia")}
    return fight, ("zoe", "declare_attack", asked)


def attacking_the_dead() -> tuple[Fight, Sent]:
    fight, sent = attacking("wolf")
    return ruled(fight, kind="hp", creature="wolf", hp=-99), sent


def tripping_another() -> tuple[Fight, Sent]:
    """Pia may trip the wolf that walks by, and means the orc, which is off-balance too."""
    places = {"pia": (1, 1), "wolf": (0, 0), "orc": (2, 1)}
    fight = begun(places, first="enemies")
    for name in ("wolf", "orc"):
        ruled(fight, kind="condition", creature=name, condition="off_balanced", levels=2)
    fight.do("dash", creature="wolf", path=[[0, 1], [0, 2]])
    return fight, ("zoe", "trip", {"creature": "pia", "target": "orc", "prompt": fight.prompt("pia")})


def in_turns(type_: str, **data: Any) -> tuple[Fight, Sent]:
    """Return what Pia sends in her turn, in which she has engaged the wolf."""
    fight = opened({**DUEL, "ash": (0, 3)}, options={"timing": "turns"}, turn_order=["pia", "ash", "wolf"])
    fight.do("begin_combat").do("grant_priority").do("engage", creature="pia", target="wolf")
    return fight, ("zoe", type_, {"creature": "pia", **data})


def buying(**purchase: Any) -> tuple[Fight, Sent]:
    aspects = [{"text": f"aspect {i}", "rank": 1} for i in range(20)]
    sheets = {"pia": {"growth": {"aspects": aspects, "xp_unspent": 90}}}
    return opened(PLACES, sheets=sheets), ("zoe", "spend_xp", {"creature": "pia", "purchase": purchase})


def while_dice_are_thrown(type_: str, **data: Any) -> tuple[Fight, Sent]:
    """Return what Pia sends while dice of Ash are asked for."""
    fight = mine(**KNOWS)
    fight.send("roll_check", "gm", creature="ash", ability="might", cn=5, what="lift")
    return fight, ("zoe", type_, {"creature": "pia", **data})


def joining_from_afar() -> tuple[Fight, Sent]:
    """Return how Bru joins, who is not asked: Ash alone is near enough, with his bow."""
    fight = begun({**DUEL, "ash": (0, 2), "bru": (9, 9)}).do("engage", creature="pia", target="wolf")
    prompt = fight.prompt("ash").replace("ash", "bru")
    return fight, ("zoe", "join_engagement", {"creature": "bru", "prompt": prompt})


def shrugging_too_late() -> tuple[Fight, Sent]:
    """Return an answer to a fall, while which the heart die has become the smallest."""
    fight = begun(DUEL, options={"hazards_shruggable": True})
    fight.send("fall", "gm", creature="pia", feet=30)
    fight.throw(5, 4)
    prompt = fight.prompt("pia")
    return fight.given("pia", heart_die=4), ("zoe", "shrug", {"creature": "pia", "prompt": prompt})


def trying_on(target: str) -> tuple[Fight, Sent]:
    fight = begun({**DUEL, "orc": (9, 9)}).do("engage", creature="pia", target="wolf").joined_by()
    asked = {"creature": "pia", "what": "hinder", "way": "blind", "target": target}
    fight.stances(pia="cunning", wolf="agility")
    return fight, ("zoe", "declare_offensive", {**asked, "prompt": fight.prompt("pia")})


ROWS: Final[dict[str, tuple[Callable[[], tuple[Fight, Sent]], str, str]]] = {
    "HR-ABIL-5 extra rush": (
        lambda: (
            mine(**KNOWS).given("pia", rush=9),
            ("zoe", "use_ability", {"creature": "pia", "ability": "cry", "rush_extra": 1}),
        ),
        "params_missing",
        "HR-ABIL-5",
    ),
    "HR-COND-7": (
        lambda: (
            mine().given("pia", conditions={"incapacitated": Condition()}),
            ("zoe", "dash", {"creature": "pia", "to": [0, 1]}),
        ),
        "incapacitated",
        "HR-COND-7",
    ),
    "HR-GEN-1 over": (lambda: (over(), ("zoe", "pass", {"creature": "pia"})), "encounter_over", "HR-GEN-1"),
    "HR-START-4": (
        lambda: (
            opened(PLACES, options={"enforce_starter": True})
            .do("begin_combat", unaware_side="enemies")
            .do("grant_priority", starter="ash"),
            ("zoe", "dash", {"creature": "pia", "to": [0, 1]}),
        ),
        "no_priority",
        "HR-START-4",
    ),
    "TABLE-SEAT-1 an aspect of nobody": (
        lambda: (
            opened(PLACES, **KNOWS),
            ("gm", "invoke_aspect", {"creature": "elf", "aspect": 0}),
        ),
        "no_such_creature",
        "TABLE-SEAT-1",
    ),
    "HR-ASP-2": (
        lambda: (
            opened(PLACES, **KNOWS),
            ("zoe", "invoke_aspect", {"creature": "pia", "aspect": 0, "use": "earn", "points": 1}),
        ),
        "params_missing",
        "HR-ASP-2",
    ),
    "HR-RES-2 a friend": (lambda: attacking("bru", friendly_fire=False), "no_valid_target", "HR-RES-2"),
    "HR-RES-2 oneself": (lambda: attacking("pia"), "no_valid_target", "HR-RES-2"),
    "HR-RES-2 nobody": (lambda: attacking("elf"), "no_valid_target", "HR-RES-2"),
    "HR-RES-2 the dead": (attacking_the_dead, "target_dead", "HR-RES-2"),
    "HR-STANCE-4 might": (
        lambda: attacking("wolf", same_stance_attacks=False),
        "no_valid_target",
        "HR-STANCE-4",
    ),
    "HR-RES-2 no engagement": (
        lambda: (
            mine(),
            ("zoe", "declare_attack", {"creature": "pia", "target": "orc", "prompt": "r1/e1/pia"}),
        ),
        "not_in_engagement",
        "HR-RES-2",
    ),
    "HR-ACT-8 a taken cell": (
        lambda: (mine({"pia": (0, 0), "orc": (2, 0)}), ("zoe", "dash", {"creature": "pia", "to": [2, 0]})),
        "space_occupied",
        "HR-ACT-8",
    ),
    "HR-COND-15 a dash, HR-ACT-8": (
        lambda: (
            mine().given("pia", conditions={"frightened": Condition(source="orc")}),
            ("zoe", "dash", {"creature": "pia", "to": [3, 0]}),
        ),
        "frightened_approach",
        "HR-COND-15",
    ),
    "HR-ACT-13 another": (tripping_another, "no_trip_trigger", "HR-ACT-13"),
    "HR-TIME-2": (lambda: in_turns("end_turn"), "engagement_in_progress", "HR-TIME-2"),
    "HR-XP-3 no words": (lambda: buying(kind="aspect_new"), "params_missing", "HR-XP-3"),
    "HR-XP-3 no other words": (lambda: buying(kind="aspect_reword", aspect=0), "params_missing", "HR-XP-3"),
    "HR-XP-5 no die": (lambda: buying(kind="ability_die"), "params_missing", "HR-XP-5"),
    "HR-CARRY-1 too many": (lambda: buying(kind="aspect_new", text="x"), "out_of_bounds", "HR-CARRY-1"),
    "HR-BREATH-1 held": (
        lambda: (mine().given("pia", breath=3), ("gm", "hold_breath", {"creature": "pia"})),
        "breath_held",
        "HR-BREATH-1",
    ),
    "HR-BREATH-1 air": (
        lambda: (mine(), ("zoe", "hold_breath", {"creature": "pia"})),
        "gm_approval_required",
        "HR-BREATH-1",
    ),
    "HR-PRIO-3 a side": (
        lambda: (mine(), ("gm", "pass_side", {"side": "enemies"})),
        "no_priority",
        "HR-PRIO-3",
    ),
    "HR-CAST-2": (
        lambda: (
            mine(sheets={"pia": {"growth": {"spells": ["cold-snap"], "attunements": ["water"]}}}).given(
                "pia", moved_ft=5
            ),
            ("zoe", "meditate", {"creature": "pia"}),
        ),
        "moved_too_far_to_cast",
        "HR-CAST-2",
    ),
    "HR-TIME-4": (
        lambda: while_dice_are_thrown("declare_instant", ability="yell"),
        "window_closed",
        "HR-TIME-4",
    ),
    "HR-ENG-5": (joining_from_afar, "not_in_range", "HR-ENG-5"),
    "HR-DMG-2, HR-DMG-3": (shrugging_too_late, "heart_die_minimum", "HR-DMG-2"),
    "HR-OFF-1 another": (lambda: trying_on("orc"), "no_valid_target", "HR-OFF-1"),
    "HR-OFF-1 oneself": (lambda: trying_on("pia"), "no_valid_target", "HR-OFF-1"),
    "HR-OFF-1 nobody": (lambda: trying_on("elf"), "no_valid_target", "HR-OFF-1"),
    "HR-GEN-2 not known": (
        lambda: (mine(**KNOWS), ("zoe", "use_ability", {"creature": "ash", "ability": "cry"})),
        "unknown_ability",
        "HR-GEN-2",
    ),
    "HR-GEN-2 not there": (
        lambda: (mine(), ("zoe", "use_ability", {"creature": "pia", "ability": "fly"})),
        "unknown_ability",
        "HR-GEN-2",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_is_refused_at_one_moment_alone(row: str) -> None:
    make, code, rule = ROWS[row]
    fight, (by, type_, data) = make()
    assert refusal_of(fight, by, type_, **data) == (code, rule)
